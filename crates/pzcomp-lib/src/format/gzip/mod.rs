//! gzip: RFC 1952, with DEFLATE of RFC 1951.
//!
//! This file has what the table of formats needs. The work is in two folders, which share only the header and the
//! index.
//!
//! [`write`] makes one member for each chunk, with its size in an extra field, so that a pipe can be divided too. An
//! index of empty members follows. Two layouts are different: one member around all chunks, and the short members of
//! BGZF.
//!
//! [`read`] takes all members. Members that state their size, in any of the schemes in use, are decoded in parallel.
//! In other members the walker guesses where decoding can begin. A wrong guess costs no byte, because the decoder of
//! the part before finds the true end.

mod gzi;
mod gzidx;
mod header;
mod index;
mod places;
mod probe;
mod read;
mod write;

use super::joined::info;
use super::places::Places;
use super::probe::Probe;
use super::{Codec, Decoder, Extra, Info, Reading, Walker, WritingCodec};
use crate::error::{Error, Result};
use crate::options::Decode;
pub(crate) use gzi::{Gzi, GziBuilder};
pub(crate) use header::block_size;
use probe::MemberProbe;
use read::{MemberDecoder, MemberWalker};

const NAME: &str = "gzip";
const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The magic number of gzip before version 1.0. The rest of the format is the same.
const OLD_MAGIC: [u8; 2] = [0x1f, 0x9e];

static INFO: Info = info(
    NAME,
    &[(".gz", ""), (".tgz", ".tar"), (".taz", ".tar")],
    &[Extra::Single, Extra::Name, Extra::Bgzf, Extra::Recovery, Extra::Strategy],
);

pub(super) struct Gzip;

fn is_member(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || head.starts_with(&OLD_MAGIC)
}

impl Codec for Gzip {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        is_member(head)
    }

    /// The magic number has two bytes.
    fn cut_start(&self, head: &[u8], offset: u64) -> Option<Error> {
        let is_cut = matches!(head, [1..=u8::MAX]);
        is_cut.then(|| Error::Truncated { format: NAME, frame: offset, offset: offset + 1 })
    }

    fn walker(&self, workers: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(MemberWalker::new(workers))
    }

    fn decoder(&self, reading: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        let no_memory = || Error::NoMemory { what: "a gzip decoder" };
        Ok(Box::new(MemberDecoder::new(reading.workers).ok_or_else(no_memory)?))
    }

    fn probe(&self, _: &Reading) -> Option<Box<dyn Probe>> {
        Some(Box::new(MemberProbe))
    }

    fn places(&self) -> &'static dyn Places {
        &Gzip
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}
