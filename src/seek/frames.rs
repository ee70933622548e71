//! The table of `pzcomp -l --frames`: where each frame is, and which plain bytes it holds.
//!
//! All numbers are exact. A file may have millions of frames, so the table is written as it is made.

use std::io::{BufWriter, Write};

use pzcomp::{Frame, Seekable, printable};

use super::{unwritten, write};
use crate::error::CliError;
use crate::source::Rest;

const HEADER: [&str; 5] = ["frame", "offset", "compressed", "plain offset", "uncompressed"];

/// Writes the table of a file, with the name of the file in front of it if there are several.
pub(super) fn list(
    name: &str,
    is_named: bool,
    seekable: &Seekable<Rest>,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let mut widths = HEADER.map(str::len);
    for (number, frame) in seekable.frames().enumerate() {
        for (width, cell) in widths.iter_mut().zip(row(number, &frame)) {
            *width = cell.len().max(*width);
        }
    }
    let mut out = BufWriter::new(out);
    if is_named {
        write(&mut out, format!("{}:\n", printable(name.as_bytes())).as_bytes())?;
    }
    let rows = seekable.frames().enumerate().map(|(number, frame)| row(number, &frame));
    for row in std::iter::once(HEADER.map(String::from)).chain(rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}"));
        let line = cells.collect::<Vec<_>>().join("  ") + "\n";
        write(&mut out, line.as_bytes())?;
    }
    write(&mut out, b"")?;
    out.into_inner().map(drop).map_err(|error| unwritten(error.into_error()))
}

/// The cells of a frame. A plain length that only decoding tells is a dash.
fn row(number: usize, frame: &Frame) -> [String; 5] {
    [
        (number + 1).to_string(),
        frame.coded_offset.to_string(),
        frame.coded_len.to_string(),
        frame.plain_offset.to_string(),
        frame.plain_len.map_or_else(|| "-".into(), |len| len.to_string()),
    ]
}
