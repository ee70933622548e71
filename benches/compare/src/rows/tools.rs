//! The peers: one line for each, in a table for each format.
//!
//! `comparisons.rs` makes the rows from these tables. In a command line `{p}` stands for the number of threads and
//! `{l}` for the level. A tool whose line has no `{p}` works on one thread, however many threads pzcomp uses. The name
//! of an input file is appended. If a tool needs another form, the line has it in brackets: `[for a file|for a pipe]`.

use crate::row::Pace;

/// A format of pzcomp, and the peers for it.
pub struct Format {
    /// The name for `pzcomp -F`.
    pub name: &'static str,
    /// Decompresses the format, to show that compression lost nothing.
    pub check: &'static str,
    /// The levels of pzcomp and their pace, the main level first.
    pub levels: &'static [(u8, Pace)],
    /// The pace of decompression.
    pub decoding: Pace,
    /// The peers, the main peer first.
    pub tools: &'static [Tool],
    /// Commands that make files which all peers can read, the most common kind first.
    pub foreign: &'static [&'static str],
}

/// A peer.
pub struct Tool {
    /// The command that compresses. None if the tool only decompresses.
    pub coder: Option<&'static str>,
    /// Pairs of a level of pzcomp and a comparable level of the tool, the main pair first.
    pub levels: &'static [(u8, u8)],
    pub decoder: &'static str,
    /// Whether its format is none of pzcomp's. Then it reads only its own files, and no other tool can check them.
    pub own_format: bool,
}

const fn tool(coder: &'static str, levels: &'static [(u8, u8)], decoder: &'static str) -> Tool {
    Tool { coder: Some(coder), levels, decoder, own_format: false }
}

const fn own_format_tool(coder: &'static str, levels: &'static [(u8, u8)], decoder: &'static str) -> Tool {
    Tool { coder: Some(coder), levels, decoder, own_format: true }
}

const fn decoder(decoder: &'static str) -> Tool {
    Tool { coder: None, levels: &[], decoder, own_format: false }
}

/// Two jobs of zstd -19 (32 MiB each), two Blocks of xz -6 (24 MiB), and four members of lzip -6 (16 MiB). So both
/// threads have the same number.
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
            // Its highest level is 3, which is nearer to level 1 of pzcomp than to level 6.
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
            own_format_tool("lzop -{l} -c", &[(1, 1), (9, 9)], "lzop -d -c"),
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
            ("7z a -mx=1 -m0=lzma {out} {in}", ".7z"),
            ("python-snappy -c", ".sz"),
            ("pixz -t -p2 -1", ".xz"),
        ] {
            assert_eq!(suffix_of(line), suffix, "{line}");
        }
    }

    /// The levels of a tool decide which rows it gets. A level that pzcomp does not have would get none.
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
