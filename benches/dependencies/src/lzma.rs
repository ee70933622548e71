//! xz: the liblzma of the crate liblzma against the older liblzma of the crate xz2.
//!
//! [`contests`] takes the data and the path of the program in the workspace `xz2`. That program does the work of xz2,
//! and prints the time that it took.

use std::io::Read;
use std::process::Command;
use std::time::Duration;

use liblzma::bufread::{XzDecoder, XzEncoder};

use crate::Result;
use crate::contest::{Contest, Party, timed};

const OURS: &str = "liblzma (XZ 5.8)";
const OTHER: &str = "xz2 (XZ 5.2)";

/// The length of the data that is used, because xz -6 is slow.
const LEN: usize = 8 << 20;

pub fn contests<'a>(data_file: &'a str, data: &'a [u8], xz2: &'a str) -> Result<Vec<Contest<'a>>> {
    let data = &data[..data.len().min(LEN)];
    let other = move |work: &'static str| -> Party<'a> {
        Box::new(move || {
            let output = Command::new(xz2).args([work, data_file, &data.len().to_string()]).output();
            let output = output.map_err(|error| format!("{xz2}: {error}"))?;
            let text = String::from_utf8(output.stdout)?;
            let (nanoseconds, size) = text.trim().split_once(' ').ok_or_else(|| format!("{xz2} failed"))?;
            Ok((Duration::from_nanos(nanoseconds.parse()?), size.parse()?))
        })
    };
    let mut contests = Vec::new();
    for (work, level) in [("xz -1", 1), ("xz -6", 6)] {
        contests.push(Contest {
            work: work.into(),
            ours: (OURS, Box::new(move || timed(|| read(XzEncoder::new(data, level))))),
            other: (OTHER, other(work)),
        });
    }
    let mut coded = Vec::new();
    XzEncoder::new(data, 6).read_to_end(&mut coded)?;
    contests.push(Contest {
        work: "xz -d".into(),
        ours: (OURS, Box::new(move || timed(|| read(XzDecoder::new(&coded[..]))))),
        other: (OTHER, other("xz -d")),
    });
    Ok(contests)
}

/// Reads to the end, and returns the number of bytes.
fn read(mut reader: impl Read) -> Result<usize> {
    let (mut buffer, mut size) = (vec![0; 1 << 20], 0);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(size),
            len => size += len,
        }
    }
}
