//! The peers: one line each, in a table per format.
//!
//! In a command line `{p}` stands for the number of threads and `{l}` for the level. A tool whose
//! line has no `{p}` works on one thread, however many ours uses. A file to read is appended by its
//! name, unless the line says in `[for a file|for a pipe]` what the tool wants instead.

use crate::row::Pace;

/// A format of ours, and who competes in it.
pub struct Format {
    /// As `pzcomp -F` has it.
    pub name: &'static str,
    /// Shows that nothing was lost in compression.
    pub check: &'static str,
    /// Our levels, the main one first, and how long they take.
    pub levels: &'static [(u8, Pace)],
    /// How long decompression takes.
    pub decoding: Pace,
    /// The main competitor first.
    pub tools: &'static [Tool],
    /// What makes files that all of them can read, the most common kind first.
    pub foreign: &'static [&'static str],
}

/// A peer.
pub struct Tool {
    /// Compresses; None if it only decompresses.
    pub coder: Option<&'static str>,
    /// Our level and its own that compares, the main one first.
    pub levels: &'static [(u8, u8)],
    pub decoder: &'static str,
    /// Its format is not ours: only its own files are its to read, and only it can check them.
    pub own_format: bool,
}

const fn tool(coder: &'static str, levels: &'static [(u8, u8)], decoder: &'static str) -> Tool {
    Tool { coder: Some(coder), levels, decoder, own_format: false }
}

const fn cousin(coder: &'static str, levels: &'static [(u8, u8)], decoder: &'static str) -> Tool {
    Tool { coder: Some(coder), levels, decoder, own_format: true }
}

const fn decoder(decoder: &'static str) -> Tool {
    Tool { coder: None, levels: &[], decoder, own_format: false }
}

/// Two of zstd -19's jobs (32 MiB each), two of xz -6's Blocks (24 MiB), and four of lzip -6's members (16 MiB),
/// so that both threads have the same number.
const ZSTD_19: Pace = Pace::VerySlow { mib: 64, quick_mib: 64 };
const XZ_6: Pace = Pace::VerySlow { mib: 48, quick_mib: 48 };
const LZIP_6: Pace = Pace::VerySlow { mib: 64, quick_mib: 64 };

pub const FORMATS: &[Format] = &[
    Format {
        name: "gzip",
        check: "gzip -dc",
        levels: &[(6, Pace::Slow), (1, Pace::Fast), (9, Pace::Slow)],
        decoding: Pace::Fast,
        tools: &[
            tool("pigz -p{p} -{l} -c", &[(6, 6), (1, 1), (9, 9)], "pigz -p{p} -d -c"),
            tool("gzip -{l} -c", &[(6, 6), (1, 1), (9, 9)], "gzip -d -c"),
            // Its highest level is 3, which is nearer to our 1 than to our 6.
            tool("igzip -T{p} -{l} -c", &[(1, 1), (1, 3)], "igzip -T{p} -d -c"),
            tool("bgzip -@{p} -l {l} -c", &[(6, 6), (1, 1), (9, 9)], "bgzip -@{p} -d -c"),
            tool("crabz -Q -p{p} -l{l}", &[(6, 6), (1, 1), (9, 9)], "crabz -Q -p{p} -d"),
            tool("gzippy -p{p} -{l} -c", &[(6, 6), (1, 1), (9, 9)], "gzippy -p{p} -d -c"),
            decoder("rapidgzip -P{p} -d -c"),
            decoder("rapidgzip-rust -P{p} -d -c [{in}|-]"),
            decoder("libdeflate-gzip -d -c"),
        ],
        foreign: &["gzip -6 -c", "pigz -p2 -6 -c", "bgzip -@2 -c", "igzip -1 -c"],
    },
    Format {
        name: "zstd",
        check: "zstd -dc",
        levels: &[(3, Pace::Fast), (1, Pace::Fast), (9, Pace::Slow), (19, ZSTD_19)],
        decoding: Pace::Fast,
        tools: &[
            tool("zstd -T{p} -{l} -c", &[(3, 3), (1, 1), (9, 9), (19, 19)], "zstd -d -c"),
            tool("pzstd -p{p} -{l} -c", &[(3, 3), (1, 1), (9, 9), (19, 19)], "pzstd -p{p} -d -c"),
        ],
        foreign: &["zstd -3 -c", "pzstd -p2 -3 -c"],
    },
    Format {
        name: "lz4",
        check: "lz4 -dc",
        levels: &[(1, Pace::Fast), (9, Pace::Slow)],
        decoding: Pace::Fast,
        tools: &[
            tool("lz4 -{l} -c", &[(1, 1), (9, 9)], "lz4 -d -c"),
            cousin("lzop -{l} -c", &[(1, 1), (9, 9)], "lzop -d -c"),
        ],
        foreign: &["lz4 -1 -c", "lz4 -1 -BD -c"],
    },
    Format {
        name: "xz",
        check: "xz -dc",
        levels: &[(1, Pace::Slow), (6, XZ_6)],
        decoding: Pace::Slow,
        tools: &[
            tool("xz -T{p} -{l} -c", &[(1, 1), (6, 6)], "xz -T{p} -d -c"),
            tool("pixz -t -p{p} -{l} [-i {in}|]", &[(1, 1), (6, 6)], "pixz -t -p{p} -d [-i {in}|]"),
        ],
        foreign: &["xz -T2 -1 -c", "xz -T1 -1 -c", "pixz -t -p2 -1"],
    },
    Format {
        name: "bzip2",
        check: "bzip2 -dc",
        levels: &[(9, Pace::Slow)],
        decoding: Pace::Slow,
        tools: &[
            tool("pbzip2 -p{p} -9 -c", &[(9, 9)], "pbzip2 -p{p} -d -c"),
            tool("lbzip2 -n{p} -9 -c", &[(9, 9)], "lbzip2 -n{p} -d -c"),
            tool("bzip2 -9 -c", &[(9, 9)], "bzip2 -d -c"),
        ],
        foreign: &["bzip2 -9 -c", "pbzip2 -p2 -9 -c", "lbzip2 -n2 -9 -c"],
    },
    Format {
        name: "lzip",
        check: "lzip -dc",
        levels: &[(6, LZIP_6), (0, Pace::Slow), (1, Pace::Slow)],
        decoding: Pace::Slow,
        tools: &[
            tool("plzip -n{p} -{l} -c", &[(6, 6), (0, 0), (1, 1)], "plzip -n{p} -d -c"),
            tool("lzip -{l} -c", &[(6, 6)], "lzip -d -c"),
        ],
        foreign: &["plzip -n2 -6 -c", "lzip -1 -c"],
    },
];

/// The suffix by which tools know what a command line writes: some refuse a file without.
pub fn suffix_of(line: &str) -> &'static str {
    let known = [
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
    let suffix = known.into_iter().find(|(part, _)| line.contains(part));
    suffix.map_or("", |(_, suffix)| suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_tells_its_suffix() {
        for (line, suffix) in [
            ("pzcomp -F gzip -6 -p 2", ".gz"),
            ("bgzip -@2 -c", ".gz"),
            ("gzippy -p2 -6 -c", ".gz"),
            ("pbzip2 -p2 -9 -c", ".bz2"),
            ("pzstd -p2 -3 -c", ".zst"),
            ("plzip -n2 -1 -c", ".lz"),
            ("lzop -1 -c", ".lzo"),
            ("pixz -t -p2 -1", ".xz"),
        ] {
            assert_eq!(suffix_of(line), suffix, "{line}");
        }
    }

    /// Its levels decide which rows a tool gets; a level that ours has not would get none.
    #[test]
    fn every_level_of_a_tool_is_one_of_ours() {
        for format in FORMATS {
            for tool in format.tools {
                for (ours, _) in tool.levels {
                    assert!(format.levels.iter().any(|(level, _)| level == ours), "{}", tool.decoder);
                }
                assert_eq!(tool.coder.is_some(), !tool.levels.is_empty(), "{}", tool.decoder);
            }
        }
    }
}
