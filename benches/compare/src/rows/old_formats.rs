//! The promises for the formats that pzcomp reads because old tools have written them, and for Snappy.
//!
//! `promises.rs` calls [`old_formats`]. Each tool decompresses its own file. Files of qpress are measured against lzop,
//! whose format is of the same kind, and against qpress where it was built.

use crate::row::{FILE_TO_PIPE, Goal, PIPE_TO_PIPE, Pace, Party, Row, Shape, coding, decoding, recoding};

const LZOP: &str = "lzop -1 -c";
const QPRESS: &str = "qpress -ioT2 data";
const LZF: &str = "lzf -c";
/// The command of python-snappy 0.7.3 compresses; it cannot decompress, because of an error in it.
const SNAPPY: &str = "python-snappy -c";
/// At its level 1, 7z resets the dictionary of LZMA2 every few MiB.
const LZMA2: &str = "7z a -bd -mmt=2 -mx=1 {out} {in}";
const LZMA: &str = "7z a -bd -mx=1 -m0=lzma {out} {in}";

pub fn old_formats() -> Vec<Row> {
    let pipe = "pzcomp -d -p 2";
    let file = "pzcomp -d -p 2 -c {in}";
    let seven = "7z x -so -mmt=2 {in}";
    let row = |work, at_least, ours, theirs| promise(work, PIPE_TO_PIPE, at_least, ours, theirs);
    let from_file = |work, at_least, ours, theirs| {
        promise(work, FILE_TO_PIPE, at_least, ours, theirs).at_pace(Pace::Slow)
    };
    vec![
        row("lzop -d", 1.5, decoding(LZOP, pipe), decoding(LZOP, "lzop -d -c")),
        row("qpress -d", 1.5, decoding(QPRESS, pipe), decoding(LZOP, "lzop -d -c")),
        // The figure is for lzop only. qpress uses both cores too.
        row("qpress -d", 1.0, decoding(QPRESS, pipe), decoding(QPRESS, "qpress -dioT2")),
        row("lzf -d", 1.2, decoding(LZF, pipe), decoding(LZF, "lzf -d")),
        row("snappy -d", 2.0, decoding(SNAPPY, pipe), decoding(SNAPPY, "python-snappy-1m -d")),
        snappy("python-snappy -c"),
        snappy("python-snappy-1m -c"),
        from_file("7z -d, LZMA2", 1.0, decoding(LZMA2, file), decoding(LZMA2, seven)),
        from_file("7z -d, one LZMA stream", 0.8, decoding(LZMA, file), decoding(LZMA, seven)),
        to_zstd(LZOP, "lzop -d -c"),
        to_zstd(QPRESS, "qpress -dioT2"),
        to_zstd(LZF, "lzf -d"),
        to_zstd(SNAPPY, "python-snappy-1m -d"),
    ]
}

fn promise(work: &str, shape: Shape, at_least: f64, ours: Party, theirs: Party) -> Row {
    Row::versus(work, shape, Goal::Speed { at_least, size_at_most: None }, ours, theirs)
}

fn snappy(peer: &str) -> Row {
    let goal = Goal::Speed { at_least: 2.0, size_at_most: Some(1.01) };
    let check = "python-snappy-1m -d";
    Row::versus("snappy", PIPE_TO_PIPE, goal, coding("pzcomp -F snappy -p 2", check), coding(peer, check))
}

/// One command in place of the old tool, whose output zstd compresses.
fn to_zstd(source: &str, old_tool: &str) -> Row {
    let ours = recoding(source, "pzcomp -d --to zstd -p 2", "zstd -dc");
    let theirs = recoding(source, format!("{old_tool} | zstd -T2 -3 -c"), "zstd -dc");
    let name = old_tool.split([' ', '-']).find(|word| *word != "python").unwrap_or(old_tool);
    promise(&format!("{name} to zstd"), PIPE_TO_PIPE, 1.0, ours, theirs)
}
