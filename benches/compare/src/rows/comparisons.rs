//! The comparisons: every peer, in every shape, at every level, on one thread and two.
//!
//! [`comparisons`] takes the tables of `tools.rs` and returns rows. A row has no promise; it shows which program is
//! ahead.

use super::tools::{FORMATS, Format, Tool};
use crate::row::{
    End, FILE_TO_PIPE, Goal, PIPE_TO_FILE, PIPE_TO_PIPE, Pace, Party, Row, Shape, Tier, coding, decoding,
};

/// The number of threads that write the files for decompression.
const WRITERS: u8 = 2;

/// One way to run both parties.
#[derive(Clone, Copy)]
struct Setting {
    shape: Shape,
    threads: u8,
}

/// All settings, for the work that users do most.
const EVERY: [Setting; 6] = [
    Setting { shape: PIPE_TO_PIPE, threads: 2 },
    Setting { shape: FILE_TO_PIPE, threads: 2 },
    Setting { shape: PIPE_TO_FILE, threads: 2 },
    Setting { shape: PIPE_TO_PIPE, threads: 1 },
    Setting { shape: FILE_TO_PIPE, threads: 1 },
    Setting { shape: PIPE_TO_FILE, threads: 1 },
];

/// Few settings, if the shape shows nothing more than in the main rows.
const PIPES: [Setting; 2] = [EVERY[0], EVERY[3]];
const FILES: [Setting; 2] = [EVERY[1], EVERY[4]];

/// All comparisons, format by format.
pub fn comparisons() -> Vec<Row> {
    let all = FORMATS.iter().flat_map(|format| [compression(format), own(format), foreign(format)].concat());
    all.chain(long()).collect()
}

/// Windows of 128 MiB. pzcomp writes a frame for each 128 MiB, so the data should be several times as long (`--mib`).
fn long() -> Vec<Row> {
    let (ours, theirs) = ("pzcomp -F zstd -3 --long -p {p}[ -c {in}|]", "zstd -T{p} -3 --long=27 -c");
    let filter = Setting { shape: PIPE_TO_PIPE, threads: WRITERS };
    let mut rows = Vec::new();
    for setting in [EVERY[0], EVERY[1]] {
        let line = |template| setting.line(template, 3);
        let (ours_coding, theirs_coding) = (coding(line(ours), "zstd -dc"), coding(line(theirs), "zstd -dc"));
        rows.push(row("zstd -3, long".into(), setting, Pace::Fast, ours_coding, theirs_coding, Tier::Main));
        rows.push(row(
            "zstd -d, long".into(),
            setting,
            Pace::Fast,
            decoding(filter.line(ours, 3), our_decoder(setting)),
            decoding(filter.line(theirs, 3), setting.line("zstd -d -c", 0)),
            Tier::Main,
        ));
    }
    rows
}

fn compression(format: &Format) -> Vec<Row> {
    let mut rows = Vec::new();
    for (rank, tool) in format.tools.iter().enumerate() {
        let Some(coder) = tool.coder else { continue };
        for (place, (ours, theirs)) in tool.levels.iter().enumerate() {
            let main = place == 0;
            for setting in if main { &EVERY[..] } else { &PIPES[..] } {
                let check = if tool.own_format { tool.decoder } else { format.check };
                rows.push(row(
                    format!("{} -{ours}", format.name),
                    *setting,
                    format.pace(*ours),
                    coding(our_coder(format, *ours, *setting), format.check),
                    coding(setting.line(coder, *theirs), setting.with_pipes().line(check, *theirs)),
                    tier(main, rank, *setting),
                ));
            }
        }
    }
    rows
}

/// Every tool decompresses its own file, because its layout is part of the work.
fn own(format: &Format) -> Vec<Row> {
    let mut rows = Vec::new();
    for (rank, tool) in format.tools.iter().enumerate() {
        let (Some(coder), Some((ours, theirs))) = (tool.coder, tool.levels.first()) else { continue };
        let writing = Setting { shape: PIPE_TO_PIPE, threads: WRITERS };
        for setting in EVERY {
            rows.push(row(
                format!("{} -d, own files", format.name),
                setting,
                format.decoding,
                decoding(our_coder(format, *ours, writing), our_decoder(setting)),
                decoding(writing.line(coder, *theirs), setting.line(tool.decoder, 0)),
                tier(true, rank, setting),
            ));
        }
    }
    rows
}

/// Both parties get the same file.
fn foreign(format: &Format) -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, source) in format.foreign.iter().enumerate() {
        let main = place == 0;
        let readers = format.tools.iter().filter(|tool: &&Tool| !tool.own_format);
        for (rank, tool) in readers.enumerate() {
            for setting in if main { &EVERY[..] } else { &FILES[..] } {
                rows.push(row(
                    format!("{} -d, foreign files", format.name),
                    *setting,
                    format.decoding,
                    decoding(*source, our_decoder(*setting)),
                    decoding(*source, setting.line(tool.decoder, 0)),
                    tier(main, rank, *setting),
                ));
            }
        }
    }
    rows
}

fn row(work: String, setting: Setting, pace: Pace, ours: Party, peer: Party, tier: Tier) -> Row {
    Row { work, shape: setting.shape, pace, ours, peer: Some(peer), goal: Goal::Ahead, tier }
}

/// The quick run has rows of one thread only for the main peer between pipes.
fn tier(main: bool, rank: usize, setting: Setting) -> Tier {
    match (main, rank, setting.threads) {
        (true, 0, 2) => Tier::First,
        (true, 0, _) if setting.shape == PIPE_TO_PIPE => Tier::First,
        (true, _, 2) => Tier::Main,
        _ => Tier::Full,
    }
}

fn our_coder(format: &Format, level: u8, setting: Setting) -> String {
    let line = format!("pzcomp -F {} -{{l}} -p {{p}}[ -c {{in}}|]", format.name);
    setting.line(&line, level)
}

fn our_decoder(setting: Setting) -> String {
    setting.line("pzcomp -d -p {p}[ -c {in}|]", 0)
}

impl Format {
    fn pace(&self, level: u8) -> Pace {
        let known = self.levels.iter().find(|(ours, _)| *ours == level);
        known.map_or(Pace::Slow, |(_, pace)| *pace)
    }
}

impl Setting {
    fn with_pipes(self) -> Self {
        Self { shape: PIPE_TO_PIPE, ..self }
    }

    /// The command line for a template.
    fn line(self, template: &str, level: u8) -> String {
        let reads_a_file = self.shape.input == End::File;
        let choice = template.split_once('[').and_then(|(before, rest)| {
            let (for_a_file, rest) = rest.split_once('|')?;
            let (for_a_pipe, after) = rest.split_once(']')?;
            Some(format!("{before}{}{after}", if reads_a_file { for_a_file } else { for_a_pipe }))
        });
        let line = match choice {
            Some(line) => line,
            None if reads_a_file => format!("{template} {{in}}"),
            None => template.to_owned(),
        };
        line.replace("{p}", &self.threads.to_string()).replace("{l}", &level.to_string()).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_become_what_a_user_would_type() {
        let [pipe, file, ..] = EVERY;
        for (template, by_pipe, by_file) in [
            ("pigz -p{p} -{l} -c", "pigz -p2 -6 -c", "pigz -p2 -6 -c {in}"),
            ("pixz -p{p} -{l} [-i {in}|]", "pixz -p2 -6", "pixz -p2 -6 -i {in}"),
            ("rapidgzip-rust -P{p} -d [{in}|-]", "rapidgzip-rust -P2 -d -", "rapidgzip-rust -P2 -d {in}"),
        ] {
            assert_eq!(pipe.line(template, 6), by_pipe);
            assert_eq!(file.line(template, 6), by_file);
        }
        assert_eq!(our_coder(&FORMATS[0], 6, pipe), "pzcomp -F gzip -6 -p 2");
        assert_eq!(our_coder(&FORMATS[0], 6, file), "pzcomp -F gzip -6 -p 2 -c {in}");
        assert_eq!(our_decoder(EVERY[3]), "pzcomp -d -p 1");
    }

    #[test]
    fn foreign_files_are_the_same_for_both() {
        for row in FORMATS.iter().flat_map(foreign) {
            assert_eq!(Some(row.ours.source), row.peer.map(|peer| peer.source));
        }
    }

    /// It could not read the files of the others.
    #[test]
    fn a_tool_with_a_format_of_its_own_reads_only_its_own() {
        for row in FORMATS.iter().flat_map(foreign) {
            let peer = row.peer.map(|peer| peer.run).unwrap_or_default();
            assert!(!peer.starts_with("lzop"), "{peer}");
        }
    }
}
