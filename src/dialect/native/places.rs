//! The flags about parts of files: `--frames`, `--range` and `--index`.
//!
//! clap reads them as part of the flags of pzcomp. [`PlaceFlags::work`] says what they ask for.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use pzcomp::{INDEX_INTERVAL, IndexFormat};

use crate::request::{IndexWork, Mode, PlainRange, SeekWork};
use crate::size;

const PLACES: &str = "Parts of files";

#[derive(Debug, Default, Args)]
pub(super) struct PlaceFlags {
    /// With -l: print a table of the frames of each file, with their offsets and lengths in bytes. A plain length that
    /// only decoding tells is a dash
    #[arg(long, help_heading = PLACES)]
    pub(super) frames: bool,

    /// With -d and -c or -o: write only the bytes of the plain data from A up to, and not including, B. The range can
    /// also be A+LENGTH, or A- up to the end, with units as in 4K or 1M. Several ranges, separated by commas or given
    /// by several options, are written in the order given. Only the frames that hold the ranges are read. If a range
    /// ends behind the data, what is there is written, and the exit status is 1. The input must be a regular file
    #[arg(
        long, value_name = "A-B", value_delimiter = ',', action = ArgAction::Append, value_parser = PlainRange::parse,
        help_heading = PLACES
    )]
    pub(super) range: Vec<PlainRange>,

    /// Make an index of each file in FILE.pzi, or in the file that -o names. Each file is decompressed and verified
    /// once. Afterwards --range reads only parts of the file, whatever program has made it. With -t: verify the index
    /// beside each file, FILE.pzi, FILE.gzidx or FILE.gzi, against all of the file
    #[arg(long, help_heading = PLACES)]
    pub(super) index: bool,

    /// Format of the index: pzi, for all formats; gzidx, which Python's indexed_gzip reads, for gzip; or gzi, which
    /// bgzip reads, for BGZF [default: pzi]
    #[arg(long, value_name = "NAME", value_parser = index_formats(), requires = "index", help_heading = PLACES)]
    index_format: Option<IndexFormat>,

    /// Bytes of plain data between two places in a gzip file at which reading can begin [default: 4M]. A place takes
    /// some 10 KiB in the index
    #[arg(
        long, value_name = "SIZE", allow_hyphen_values = true, value_parser = index_interval, requires = "index",
        help_heading = PLACES
    )]
    index_interval: Option<u64>,
}

impl PlaceFlags {
    /// The work on frames, if the flags ask for it.
    pub(super) fn work(&self, mode: Mode) -> Option<SeekWork> {
        let index = IndexWork {
            format: self.index_format.unwrap_or(IndexFormat::Pzi),
            interval: self.index_interval.unwrap_or(INDEX_INTERVAL),
        };
        match (self.frames, self.index) {
            (true, _) => Some(SeekWork::Frames),
            (_, true) if mode == Mode::Test => Some(SeekWork::VerifyIndex),
            (_, true) => Some(SeekWork::Index(index)),
            _ => (!self.range.is_empty()).then(|| SeekWork::Ranges(self.range.clone())),
        }
    }
}

fn index_formats() -> impl TypedValueParser<Value = IndexFormat> {
    let known = [IndexFormat::Pzi, IndexFormat::Gzidx, IndexFormat::Gzi];
    let name = |format: IndexFormat| format.suffix().trim_start_matches('.');
    PossibleValuesParser::new(known.map(name))
        .map(move |given| known.into_iter().find(|&format| name(format) == given).unwrap_or(IndexFormat::Pzi))
}

fn index_interval(text: &str) -> Result<u64, String> {
    /// Closer places would take as much room as the data.
    const LEAST: u64 = 64 << 10;
    match size::parse(text)? {
        interval if interval >= LEAST => Ok(interval),
        _ => Err("expected at least 64K".into()),
    }
}
