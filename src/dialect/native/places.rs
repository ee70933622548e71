//! The flags about parts of files: `--frames`, `--range` and `--index`.
//!
//! clap reads them as part of the flags of pzcomp. [`PlaceFlags::work`] says what they ask for.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use pzcomp::{INDEX_INTERVAL, IndexFormat};

use super::flags::Flags;
use crate::request::{IndexWork, Mode, PlainRange, SeekWork};
use crate::size;

const PLACES: &str = "Parts of files";

#[derive(Debug, Default, Args)]
pub(super) struct PlaceFlags {
    /// With -l: print a table of the frames of each file, with their offsets and lengths in bytes. A plain length that
    /// only decoding tells is a dash
    #[arg(long, help_heading = PLACES)]
    frames: bool,

    /// With -d and -c or -o: write only the bytes of the plain data from A up to, and not including, B. The range can
    /// also be A+LENGTH, or A- up to the end, with units as in 4K or 1M. Several ranges, separated by commas or given
    /// by several options, are written in the order given. Only the frames that hold the ranges are read. If a range
    /// ends behind the data, what is there is written, and the exit status is 1. The input must be a regular file
    #[arg(
        long, value_name = "A-B", value_delimiter = ',', action = ArgAction::Append, value_parser = PlainRange::parse,
        help_heading = PLACES
    )]
    range: Vec<PlainRange>,

    /// Make an index of each file in FILE.pzi, or in the file that -o names. Each file is decompressed and verified
    /// once. Afterwards --range reads only parts of the file, whatever program has made it. With -t: verify the index
    /// beside each file, FILE.pzi, FILE.gzidx or FILE.gzi, against all of the file
    #[arg(long, help_heading = PLACES)]
    index: bool,

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
    pub(super) fn work(&self, mode: Mode, flags: &Flags) -> Result<Option<SeekWork>, String> {
        let ranges = !self.range.is_empty();
        if usize::from(self.frames) + usize::from(ranges) + usize::from(self.index) > 1 {
            return Err("--frames, --range and --index exclude each other".into());
        }
        if (self.frames || ranges || self.index) && flags.to.is_some() {
            return Err("--to cannot be used with --frames, --range or --index".into());
        }
        if (ranges || self.index) && (flags.verify || flags.sparse || flags.drop_cache || flags.idle) {
            return Err(
                "--verify, --sparse, --drop-cache and --idle cannot be used with --range or --index".into()
            );
        }
        if (ranges || self.index) && flags.rm {
            return Err("--rm cannot be used with --range or --index".into());
        }
        if self.frames {
            return match mode {
                Mode::List => Ok(Some(SeekWork::Frames)),
                _ => Err("--frames needs -l, as in pzcomp -l --frames FILE".into()),
            };
        }
        if ranges {
            return match mode {
                Mode::Decompress if flags.stdout || flags.output.is_some() => {
                    Ok(Some(SeekWork::Ranges(self.range.clone())))
                }
                _ => Err("--range needs -d and -c, or -d and -o, as in pzcomp -dc --range 1M-2M FILE".into()),
            };
        }
        let has_one_output = flags.output.is_some() && flags.files.len() > 1;
        match mode {
            _ if !self.index => Ok(None),
            Mode::Test => Ok(Some(SeekWork::VerifyIndex)),
            Mode::Decompress | Mode::Recode | Mode::List => {
                Err("--index cannot be used with -d or -l".into())
            }
            Mode::Compress if flags.stdout || has_one_output => {
                Err("--index makes one file for each input; leave -c out, and give -o only with one input"
                    .into())
            }
            Mode::Compress => Ok(Some(SeekWork::Index(IndexWork {
                format: self.index_format.unwrap_or(IndexFormat::Pzi),
                interval: self.index_interval.unwrap_or(INDEX_INTERVAL),
            }))),
        }
    }
}

/// Takes the names of index formats.
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
