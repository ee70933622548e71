//! The rows of the table: the promises of `promises.txt`, and a comparison with every peer, in every shape, at every
//! level, on one thread and two.
//!
//! [`all`] returns them. A command line is written as a user would type it. The word `pzcomp` at its start stands for
//! the binary under test. `{in}` and `{out}` stand for files, if the shape of the row has files. If a command line does
//! not name such a file, it is its stdin or stdout. Commands with ` | ` between them are a pipeline.

use std::fmt;

/// One end of a process: its input or its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Pipe,
    /// A pipe of the size that the system gives, whose other side moves 32 KiB at once. Container engines have such
    /// pipes to and from the program that unpacks a layer.
    Copied,
    File,
    /// `/dev/null`, which takes the output without a copy. Only an output can be null.
    Null,
    /// Many files, for [`Pace::Files`]. Outputs are beside inputs.
    Files,
}

/// The speed of a row. It decides how much of the data the row gets, and how often it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Hundreds of MB/s: all of the data.
    Fast,
    /// Tens of MB/s: the first 64 MiB, or 32 MiB with `--quick`.
    Slow,
    /// A few MB/s: few rounds, and so much data (in MiB, and with `--quick`) that both threads get the same number of
    /// whole blocks of the peer's size.
    VerySlow(u64, u64),
    /// So many files of so many bytes each, for one process or for a process each.
    Files { count: u64, len: u64, is_one_each: bool },
}

/// What a row promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At least this many times the peer's speed, with an output of at most this many times its size.
    Speed(f64, Option<f64>),
    /// Peak memory of the process in MiB.
    Memory(u64),
    /// The number of cores that the workers could use before the reader or the writer is the limit.
    Cores(f64),
    /// Nothing. The row shows which program is ahead.
    Ahead,
}

/// The rank of a row. It decides which sets have the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Promise,
    /// A comparison with the first peer of its format, at the main level.
    First,
    /// A comparison with any other peer, at the main level. Data of the second rank has the rows up to this one.
    Main,
    /// All other levels, foreign files and numbers of threads.
    Full,
}

/// One side of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// The command that makes the input from the plain data. None if the plain data is the input.
    pub source: Option<String>,
    /// The measured command.
    pub run: String,
    /// The command that turns the output back into the plain data. None if the output is the plain data.
    pub check: Option<String>,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    pub work: String,
    /// Input and output of the measured process, such as `pipe→file`. Any thread can read and write a file at any
    /// place, but not a pipe. So the same work has different speeds.
    pub shape: String,
    pub pace: Pace,
    pub ours: Party,
    pub peer: Option<Party>,
    /// The goal, as [`Row::goal`] reads it.
    pub needed: String,
    pub tier: Tier,
}

/// All rows. If a promise and a comparison measure the same, only the promise is a row.
pub fn all() -> Vec<Row> {
    let lines = include_str!("promises.txt").lines().filter(|line| !line.starts_with('#'));
    let mut rows: Vec<Row> = lines.filter_map(promise).collect();
    for row in FORMATS.iter().flat_map(Format::comparisons).chain(long()) {
        if !rows.iter().any(|known| known.measures_the_same(&row)) {
            rows.push(row);
        }
    }
    rows
}

/// The promise in a line of the table. The tests refuse a line that is none.
pub fn promise(line: &str) -> Option<Row> {
    let [work, shape, needed, pace, ours, peer] = line.split("; ").collect::<Vec<_>>().try_into().ok()?;
    let pace = match pace {
        "" => Pace::Fast,
        "slow" => Pace::Slow,
        _ if pace.contains(" files of ") => {
            let (is_one_each, pace) =
                pace.strip_prefix("one each: ").map_or((false, pace), |pace| (true, pace));
            let (count, len) = pace.split_once(" files of ")?;
            Pace::Files { count: count.parse().ok()?, len: len.parse().ok()?, is_one_each }
        }
        _ => {
            let (mib, quick_mib) = pace.strip_suffix(" MiB")?.split_once('/')?;
            Pace::VerySlow(mib.parse().ok()?, quick_mib.parse().ok()?)
        }
    };
    let peer = (!peer.is_empty()).then(|| Party::parse(peer));
    let (work, shape, needed, ours) = (work.into(), shape.into(), needed.into(), Party::parse(ours));
    let row = Row { work, shape, pace, ours, peer, needed, tier: Tier::Promise };
    row.goal().and(row.ends()).is_some().then_some(row)
}

impl Row {
    /// The kinds of the input and the output.
    pub fn ends(&self) -> Option<[End; 2]> {
        let end = |name| match name {
            "pipe" => Some(End::Pipe),
            "32K pipe" => Some(End::Copied),
            "file" => Some(End::File),
            "null" => Some(End::Null),
            "files" => Some(End::Files),
            _ => None,
        };
        let (input, output) = self.shape.split_once('→')?;
        Some([end(input)?, end(output)?])
    }

    pub fn goal(&self) -> Option<Goal> {
        let (what, size) = match self.needed.split_once(", size ≤ ") {
            Some((what, size)) => (what, Some(size.parse().ok()?)),
            None => (self.needed.as_str(), None),
        };
        let number = |prefix, suffix| what.strip_prefix(prefix)?.strip_suffix(suffix);
        if what == "ahead" {
            Some(Goal::Ahead)
        } else if let Some(speed) = number("speed ≥ ", "") {
            Some(Goal::Speed(speed.parse().ok()?, size))
        } else if let Some(cores) = number("cores ≥ ", "") {
            Some(Goal::Cores(cores.parse().ok()?))
        } else {
            Some(Goal::Memory(number("peak ≤ ", " MiB")?.parse().ok()?))
        }
    }

    /// The row with an older pzcomp, `pzcomp-before`, in the place of the peer.
    pub fn against_before(self) -> Self {
        let commands = self.ours.run.split(" | ").map(|command| match program_of(command) {
            "pzcomp" => command.replacen("pzcomp", "pzcomp-before", 1),
            _ => command.to_owned(),
        });
        let run = commands.collect::<Vec<_>>().join(" | ");
        Self { peer: Some(Party { run, ..self.ours.clone() }), needed: "ahead".into(), ..self }
    }

    /// pzcomp and, if the row has one, the peer.
    pub fn parties(&self) -> impl Iterator<Item = &Party> {
        [Some(&self.ours), self.peer.as_ref()].into_iter().flatten()
    }

    /// Whether pzcomp compresses the plain data.
    pub fn is_coding(&self) -> bool {
        self.ours.source.is_none()
    }

    /// Whether both rows run the same processes.
    pub fn measures_the_same(&self, other: &Self) -> bool {
        (&self.shape, self.pace, &self.ours, &self.peer)
            == (&other.shape, other.pace, &other.ours, &other.peer)
            && (self.needed == other.needed || self.peer.is_some())
    }

    /// The row in one line, as `--list` prints it and `--rows` searches it.
    pub fn summary(&self) -> String {
        let parties: Vec<_> = self.parties().map(ToString::to_string).collect();
        format!("{}, {}: {}; {}", self.work, self.shape, parties.join(" against "), self.needed)
    }
}

impl Party {
    /// Reads `SOURCE > RUN < CHECK`.
    fn parse(text: &str) -> Self {
        let (source, rest) =
            text.split_once(" > ").map_or((None, text), |(source, rest)| (Some(source.into()), rest));
        let (run, check) =
            rest.split_once(" < ").map_or((rest, None), |(run, check)| (run, Some(check.into())));
        Self { source, run: run.into(), check }
    }
}

/// Prints the command line, and the command that made its input.
impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{} (file: {source})", self.run),
            None => f.write_str(&self.run),
        }
    }
}

/// The program that a command line starts first.
pub fn program_of(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or(line)
}

/// The suffix of the format that a command line writes. Some tools refuse a file without it.
pub fn suffix_of(line: &str) -> &'static str {
    let known = [
        ("7z", ".7z"),
        ("lzf", ".lzf"),
        ("qpress", ".qp"),
        ("snappy", ".sz"),
        ("zst", ".zst"),
        ("bzip2", ".bz2"),
        ("gzip", ".gz"),
        ("pigz", ".gz"),
        ("crabz", ".gz"),
        ("lz4", ".lz4"),
        ("lzop", ".lzo"),
        ("lzip", ".lz"),
        ("xz", ".xz"),
    ];
    known.into_iter().find(|(part, _)| line.contains(part)).map_or("", |(_, suffix)| suffix)
}

/// A format of pzcomp, and its peers. In a command line `{p}` stands for the number of threads and `{l}` for the level.
/// A tool without `{p}` works on one thread, however many threads pzcomp uses. The name of an input file is appended.
/// If a tool needs another form, the line has it in brackets: `[for a file|for a pipe]`.
struct Format {
    /// The name for `pzcomp -F`.
    name: &'static str,
    /// Decompresses the format, to show that compression lost nothing.
    check: &'static str,
    /// The levels of pzcomp and their pace, the main level first.
    levels: &'static [(u8, Pace)],
    /// The pace of decompression.
    decoding: Pace,
    /// The peers, the main peer first.
    tools: &'static [Tool],
    /// Commands that make files which all peers can read, the most common kind first.
    foreign: &'static [&'static str],
}

/// A peer: the command that compresses, which is empty if it only decompresses; pairs of a level of pzcomp and a
/// comparable level of the tool, the main pair first; and the command that decompresses.
type Tool = (&'static str, &'static [(u8, u8)], &'static str);

/// The peer with a format of its own. It reads only its own files, and no other tool can check them.
const OWN_FORMAT: &str = "lzop";

/// Two jobs of zstd -19 (32 MiB each), two Blocks of xz -6 (24 MiB), and four members of lzip -6 (16 MiB). So both
/// threads have the same number.
const ZSTD_19: Pace = Pace::VerySlow(64, 64);
const XZ_6: Pace = Pace::VerySlow(48, 48);
const LZIP_6: Pace = Pace::VerySlow(64, 64);

const FORMATS: &[Format] = &[
    Format {
        name: "gzip",
        check: "gzip -dc",
        levels: &[(6, Pace::Slow), (1, Pace::Fast), (9, Pace::Slow)],
        decoding: Pace::Fast,
        tools: &[
            ("pigz -p{p} -{l} -c", &[(6, 6), (1, 1), (9, 9)], "pigz -p{p} -d -c"),
            ("gzip -{l} -c", &[(6, 6), (1, 1), (9, 9)], "gzip -d -c"),
            // Its highest level is 3, which is nearer to level 1 of pzcomp than to level 6.
            ("igzip -T{p} -{l} -c", &[(1, 1), (1, 3)], "igzip -T{p} -d -c"),
            ("bgzip -@{p} -l {l} -c", &[(6, 6), (1, 1), (9, 9)], "bgzip -@{p} -d -c"),
            ("crabz -Q -p{p} -l{l}", &[(6, 6), (1, 1), (9, 9)], "crabz -Q -p{p} -d"),
            ("gzippy -p{p} -{l} -c", &[(6, 6), (1, 1), (9, 9)], "gzippy -p{p} -d -c"),
            ("", &[], "rapidgzip -P{p} -d -c"),
            ("", &[], "rapidgzip-rust -P{p} -d -c [{in}|-]"),
            ("", &[], "libdeflate-gzip -d -c"),
        ],
        foreign: &["gzip -6 -c", "pigz -p2 -6 -c", "bgzip -@2 -c", "igzip -1 -c"],
    },
    Format {
        name: "zstd",
        check: "zstd -dc",
        levels: &[(3, Pace::Fast), (1, Pace::Fast), (9, Pace::Slow), (19, ZSTD_19)],
        decoding: Pace::Fast,
        tools: &[
            ("zstd -T{p} -{l} -c", &[(3, 3), (1, 1), (9, 9), (19, 19)], "zstd -d -c"),
            ("pzstd -p{p} -{l} -c", &[(3, 3), (1, 1), (9, 9), (19, 19)], "pzstd -p{p} -d -c"),
        ],
        foreign: &["zstd -3 -c", "pzstd -p2 -3 -c"],
    },
    Format {
        name: "lz4",
        check: "lz4 -dc",
        levels: &[(1, Pace::Fast), (9, Pace::Slow)],
        decoding: Pace::Fast,
        tools: &[
            ("lz4 -{l} -c", &[(1, 1), (9, 9)], "lz4 -d -c"),
            ("lzop -{l} -c", &[(1, 1), (9, 9)], "lzop -d -c"),
        ],
        foreign: &["lz4 -1 -c", "lz4 -1 -BD -c"],
    },
    Format {
        name: "xz",
        check: "xz -dc",
        levels: &[(1, Pace::Slow), (6, XZ_6)],
        decoding: Pace::Slow,
        tools: &[
            ("xz -T{p} -{l} -c", &[(1, 1), (6, 6)], "xz -T{p} -d -c"),
            ("pixz -t -p{p} -{l} [-i {in}|]", &[(1, 1), (6, 6)], "pixz -t -p{p} -d [-i {in}|]"),
        ],
        foreign: &["xz -T2 -1 -c", "xz -T1 -1 -c", "pixz -t -p2 -1"],
    },
    Format {
        name: "bzip2",
        check: "bzip2 -dc",
        levels: &[(9, Pace::Slow)],
        decoding: Pace::Slow,
        tools: &[
            ("pbzip2 -p{p} -9 -c", &[(9, 9)], "pbzip2 -p{p} -d -c"),
            ("lbzip2 -n{p} -9 -c", &[(9, 9)], "lbzip2 -n{p} -d -c"),
            ("bzip2 -9 -c", &[(9, 9)], "bzip2 -d -c"),
        ],
        foreign: &["bzip2 -9 -c", "pbzip2 -p2 -9 -c", "lbzip2 -n2 -9 -c"],
    },
    Format {
        name: "lzip",
        check: "lzip -dc",
        levels: &[(6, LZIP_6), (0, Pace::Slow), (1, Pace::Slow)],
        decoding: Pace::Slow,
        tools: &[
            ("plzip -n{p} -{l} -c", &[(6, 6), (0, 0), (1, 1)], "plzip -n{p} -d -c"),
            ("lzip -{l} -c", &[(6, 6)], "lzip -d -c"),
        ],
        foreign: &["plzip -n2 -6 -c", "lzip -1 -c"],
    },
];

/// The shape and the number of threads of both parties.
type Setting = (&'static str, u8);

/// All settings, for the work that users do most, and few, if the shape shows nothing more than in the main rows.
const EVERY: [Setting; 6] = [
    ("pipe→pipe", 2),
    ("file→pipe", 2),
    ("pipe→file", 2),
    ("pipe→pipe", 1),
    ("file→pipe", 1),
    ("pipe→file", 1),
];
const PIPES: [Setting; 2] = [EVERY[0], EVERY[3]];
const FILES: [Setting; 2] = [EVERY[1], EVERY[4]];

const OUR_DECODER: &str = "pzcomp -d -p {p}[ -c {in}|]";

impl Format {
    /// Compression, decompression of the tool's own files, and decompression of files that all of them read.
    fn comparisons(&self) -> Vec<Row> {
        let ours = format!("pzcomp -F {} -{{l}} -p {{p}}[ -c {{in}}|]", self.name);
        let (mut coded, mut own, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
        let is_own_format = |tool: &Tool| program_of(tool.2) == OWN_FORMAT;
        for (rank, tool @ &(coder, levels, decoder)) in self.tools.iter().enumerate() {
            for (place, &(level, theirs)) in levels.iter().enumerate() {
                let check = if is_own_format(tool) { decoder } else { self.check };
                let pace =
                    self.levels.iter().find(|known| known.0 == level).map_or(Pace::Slow, |known| known.1);
                for &setting in if place == 0 { &EVERY[..] } else { &PIPES[..] } {
                    coded.push(row(
                        &format!("{} -{level}", self.name),
                        setting,
                        pace,
                        [(None, line(&ours, setting, level)), (None, line(coder, setting, theirs))],
                        [Some(self.check), Some(&line(check, ("pipe→pipe", setting.1), theirs))],
                        tier(place == 0, rank, setting),
                    ));
                }
            }
            // Every tool decompresses its own file, because its layout is part of the work.
            let sources = levels
                .first()
                .map(|&(level, theirs)| (line(&ours, EVERY[0], level), line(coder, EVERY[0], theirs)));
            for (setting, (ours, theirs)) in
                EVERY.into_iter().filter_map(|setting| Some((setting, sources.clone()?)))
            {
                own.push(row(
                    &format!("{} -d, own files", self.name),
                    setting,
                    self.decoding,
                    [(Some(ours), line(OUR_DECODER, setting, 0)), (Some(theirs), line(decoder, setting, 0))],
                    [None, None],
                    tier(true, rank, setting),
                ));
            }
        }
        for (place, &source) in self.foreign.iter().enumerate() {
            for (rank, tool) in self.tools.iter().filter(|tool| !is_own_format(tool)).enumerate() {
                for &setting in if place == 0 { &EVERY[..] } else { &FILES[..] } {
                    let run = |decoder| (Some(source.to_owned()), line(decoder, setting, 0));
                    foreign.push(row(
                        &format!("{} -d, foreign files", self.name),
                        setting,
                        self.decoding,
                        [run(OUR_DECODER), run(tool.2)],
                        [None, None],
                        tier(place == 0, rank, setting),
                    ));
                }
            }
        }
        [coded, own, foreign].concat()
    }
}

/// Windows of 128 MiB. pzcomp writes a frame for each 128 MiB, so the data should be several times as long (`--mib`).
fn long() -> Vec<Row> {
    let (ours, theirs) = ("pzcomp -F zstd -3 --long -p {p}[ -c {in}|]", "zstd -T{p} -3 --long=27 -c");
    let rows = [EVERY[0], EVERY[1]].map(|setting| {
        let coders = [ours, theirs].map(|coder| (None, line(coder, setting, 3)));
        let decoders = [(ours, OUR_DECODER), (theirs, "zstd -d -c")]
            .map(|(coder, decoder)| (Some(line(coder, EVERY[0], 3)), line(decoder, setting, 0)));
        let checks = [Some("zstd -dc"); 2];
        [
            row("zstd -3, long", setting, Pace::Fast, coders, checks, Tier::Main),
            row("zstd -d, long", setting, Pace::Fast, decoders, [None, None], Tier::Main),
        ]
    });
    rows.concat()
}

/// A comparison of two pairs of a source and a command, pzcomp first.
fn row(
    work: &str,
    (shape, _): Setting,
    pace: Pace,
    lines: [(Option<String>, String); 2],
    checks: [Option<&str>; 2],
    tier: Tier,
) -> Row {
    let parties = lines.into_iter().zip(checks);
    let mut parties =
        parties.map(|((source, run), check)| Party { source, run, check: check.map(str::to_owned) });
    let ours = parties.next().unwrap_or_else(|| Party::parse(""));
    Row {
        work: work.into(),
        shape: shape.into(),
        pace,
        ours,
        peer: parties.next(),
        needed: "ahead".into(),
        tier,
    }
}

/// The quick run has rows of one thread only for the main peer between pipes.
fn tier(is_main: bool, rank: usize, (shape, threads): Setting) -> Tier {
    match (is_main, rank, threads) {
        (true, 0, 2) => Tier::First,
        (true, 0, _) if shape == "pipe→pipe" => Tier::First,
        (true, _, 2) => Tier::Main,
        _ => Tier::Full,
    }
}

/// The command line for a template.
fn line(template: &str, (shape, threads): Setting, level: u8) -> String {
    let reads_a_file = shape.starts_with("file");
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
    line.replace("{p}", &threads.to_string()).replace("{l}", &level.to_string()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_promise() {
        let lines: Vec<_> =
            include_str!("promises.txt").lines().filter(|line| !line.starts_with('#')).collect();
        for line in &lines {
            assert!(promise(line).is_some(), "{line}");
        }
        assert!(lines.len() > 80);
    }

    /// A row may leave out the name of a file: then the file is stdin or stdout. A row must not name a file that its
    /// shape does not have. Decoders refuse files without the suffix that they know.
    #[test]
    fn every_row_can_be_run_and_none_is_measured_twice() {
        let rows = all();
        for (number, row) in rows.iter().enumerate() {
            let [input, output] = row.ends().expect("a shape");
            let against_a_peer = matches!(row.goal(), Some(Goal::Speed(..) | Goal::Ahead));
            assert_eq!(row.peer.is_some(), against_a_peer, "{}", row.ours);
            assert!(
                !rows[..number].iter().any(|earlier| earlier.measures_the_same(row)),
                "{}",
                row.summary()
            );
            for party in row.parties() {
                assert!(!party.run.contains("{in}") || matches!(input, End::File | End::Files), "{party}");
                assert!(!party.run.contains("{out}") || output == End::File, "{party}");
                assert!(!party.check.as_ref().is_some_and(|check| check.contains('{')), "{party}");
                assert_ne!(party.source.as_deref().map(suffix_of), Some(""), "{party}");
                let lines = [party.source.as_ref(), Some(&party.run), party.check.as_ref()];
                for line in lines.into_iter().flatten().flat_map(|line| line.split(" | ")) {
                    let bare = line.replace("{in}", "").replace("{out}", "");
                    assert!(!bare.contains(['{', '}', '[', ']', '|', '<', '>']), "{line}");
                    assert!(!line.contains("  ") && line.trim() == line, "{line}");
                }
            }
        }
    }

    #[test]
    fn templates_become_what_a_user_would_type() {
        let [pipe, file, ..] = EVERY;
        for (template, by_pipe, by_file) in [
            ("pigz -p{p} -{l} -c", "pigz -p2 -6 -c", "pigz -p2 -6 -c {in}"),
            ("pixz -t -p{p} -{l} [-i {in}|]", "pixz -t -p2 -6", "pixz -t -p2 -6 -i {in}"),
            ("rapidgzip-rust -P{p} -d [{in}|-]", "rapidgzip-rust -P2 -d -", "rapidgzip-rust -P2 -d {in}"),
            (OUR_DECODER, "pzcomp -d -p 2", "pzcomp -d -p 2 -c {in}"),
        ] {
            assert_eq!(line(template, pipe, 6), by_pipe);
            assert_eq!(line(template, file, 6), by_file);
        }
        for (coder, suffix) in
            [("pzcomp -F gzip -6", ".gz"), ("pbzip2 -9 -c", ".bz2"), ("plzip -1 -c", ".lz")]
        {
            assert_eq!(suffix_of(coder), suffix);
        }
    }

    /// The levels of a tool decide which rows it gets. A level that pzcomp does not have would get none.
    #[test]
    fn every_level_of_a_tool_is_one_of_ours_and_one_thread_meets_one_thread() {
        for format in FORMATS {
            for (coder, levels, _) in format.tools {
                assert!(
                    levels.iter().all(|(ours, _)| format.levels.iter().any(|(level, _)| level == ours)),
                    "{coder}"
                );
            }
        }
        for row in all().iter().filter(|row| row.tier > Tier::Promise) {
            let threads = if row.ours.run.contains("-p 1") { "1" } else { "2" };
            let peer = row.peer.as_ref().map(|party| party.run.clone()).unwrap_or_default();
            for word in peer.split(' ') {
                let number =
                    ["-T", "-n", "-@", "-P", "-p"].iter().find_map(|option| word.strip_prefix(option));
                assert!(number.is_none_or(|number| number == threads), "{peer}");
            }
        }
    }

    #[test]
    fn an_older_binary_takes_the_place_of_every_peer() {
        let rows: Vec<_> = all().into_iter().map(Row::against_before).collect();
        assert!(rows.iter().all(|row| row.goal() == Some(Goal::Ahead) && row.peer.is_some()));
        let line = "pzcomp -F zstd -1 -p 2 against pzcomp-before -F zstd -1 -p 2;";
        assert!(rows.iter().any(|row| row.summary().contains(line)));
    }
}
