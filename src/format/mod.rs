//! The formats: one file and one line of [`FORMATS`] each.
//!
//! A format says how its streams are cut and recognised ([`Walker`]), and codes chunks and frames
//! ([`Encoder`], [`Decoder`]). Order, threads and memory are the pipeline's business.

mod accepted;
mod bzip2;
mod cut;
mod deflated;
pub(crate) mod ffi;
mod framed;
pub(crate) mod gzip;
pub(crate) mod id;
mod info;
mod joined;
mod liblzma;
mod lz4;
mod lzh;
pub(crate) mod lzip;
mod lzma;
mod lzw;
mod pack;
mod reading;
mod serial;
mod settings;
pub(crate) mod skippable;
mod xz;
mod zip;
mod zlib;
mod zstd;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

pub(crate) use accepted::{Accepted, Starts};
pub(crate) use bzip2::BlockFill;
pub(crate) use cut::Cut;
pub use id::Format;
pub(crate) use info::{Extra, Info};
#[cfg(feature = "model")]
pub(crate) use joined::combine_crc32;
pub(crate) use reading::Reading;

use crate::error::{Error, Result};
use crate::options::{Layout, Options, Settings};
use crate::pipeline::{Emitter, Facts, Joiner, Source};
pub use xz::{XzBlock, XzStream, xz_streams};

/// All formats, in the order in which help and documentation name them. `id.rs` has their numbers.
static FORMATS: [&dyn Codec; 12] = [
    &zstd::Zstd,
    &gzip::Gzip,
    &lz4::Lz4,
    &xz::Xz,
    &bzip2::Bzip2,
    &lzip::Lzip,
    &lzma::Lzma,
    &zlib::Zlib,
    &zip::Zip,
    &lzw::Lzw,
    &pack::Pack,
    &lzh::Lzh,
];

/// So many first bytes tell every format from every other.
pub(crate) const SNIFF_LEN: usize = 12;

/// How a format is recognised and read, and whether it is written.
pub(crate) trait Codec: Sync {
    fn info(&self) -> &'static Info;
    /// Whether a frame of this format begins with these bytes.
    fn sniff(&self, head: &[u8]) -> bool;
    fn starts(&self) -> Starts {
        Starts::Anywhere
    }

    /// Finds frames in the coded input of one stream, for so many workers: whether it is worth while to share one
    /// that can be taken up in its middle depends on that.
    fn walker(&self, workers: usize, reading: &Reading) -> Box<dyn Walker>;
    /// A decoder, for one worker. It refuses streams that demand more memory than `reading` allows.
    fn decoder(&self, reading: &Reading, options: &Options) -> Result<Box<dyn Decoder>>;
    /// Whether the format's own tool ignores all bytes that follow its frames and begin none.
    fn ignores_trailing(&self) -> bool {
        false
    }

    /// How it is written; nothing if it is not.
    fn writing(&self) -> Option<&dyn WritingCodec> {
        None
    }
}

/// How a format is written.
pub(crate) trait WritingCodec: Codec {
    /// How long the chunks of a level are, so that cutting costs nothing of the ratio.
    fn chunk_len(&self, level: i32, options: &Options) -> usize;
    /// How long chunks are when their runs are shortened as bzip2 does it, if that is what their length
    /// depends on: chunks of any other length are asked for, or cut by content.
    fn chunk_room(&self, level: i32, options: &Options) -> Option<usize> {
        let _ = (level, options);
        None
    }
    /// The greatest coded length of a chunk.
    fn coded_bound(&self, settings: &Settings) -> usize;
    /// Memory that an encoder holds besides the chunk and its coded form.
    fn encoder_memory(&self, settings: &Settings) -> u64;
    /// Memory that a decoder of what is written will hold besides buffers, as far as that depends on the options.
    fn decoder_memory(&self, settings: &Settings) -> u64 {
        let _ = settings;
        0
    }
    /// An encoder, for one worker.
    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>>;
    /// Whether such a frame is coded by one worker, from its first byte to its last.
    fn is_serial(&self, layout: &Layout) -> bool {
        let _ = layout;
        false
    }
    /// The encoder of a serial frame.
    fn serial_encoder(&self, settings: &Settings) -> Result<Box<dyn SerialEncoder>> {
        let _ = settings;
        Err(Error::Internal("a format without serial frames".into()))
    }
    /// What the coded stream begins with, and what follows its frames and makes its index.
    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>);
}

/// Codes chunks into frames.
pub(crate) trait Encoder: Send {
    /// Codes `chunk` into the front of `out`, which has the length of the bound; the coded length.
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize>;
    /// What the format's joiner must know of the frame coded last, besides its lengths.
    fn note(&self) -> u64 {
        0
    }
}

/// Length of the parts in which the input of a serial frame is passed.
const SERIAL_CHUNK_LEN: usize = 1 << 20;

/// Codes all chunks into one frame, one after another.
pub(crate) trait SerialEncoder: Send {
    /// Codes on; after the last chunk the frame is complete.
    fn encode(&mut self, chunk: &[u8], is_last: bool, out: &mut Emitter) -> Result<()>;
}

/// A place in coded input from which frames are found going forward.
pub(crate) trait Cursor {
    /// At least `len` of the next bytes, fewer only at the end of the input.
    fn peek(&mut self, len: usize) -> Result<&[u8]>;
    /// As many of the next bytes as are cheaply had, at least `len`: for searching.
    fn window(&mut self, len: usize) -> Result<&[u8]>;
    /// Passes `len` bytes on; false if the input ends before.
    fn take(&mut self, len: u64) -> Result<bool>;
    /// Passes on all that follows, to the end of the input.
    fn take_rest(&mut self) -> Result<()>;
    /// Offset of the next byte.
    fn offset(&self) -> u64;
}

/// What comes next in coded input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    /// What the decoder must know besides the bytes.
    pub(crate) context: u8,
    /// The plain length that its header claims.
    pub(crate) plain_len: Option<u64>,
    /// The name of the check it carries.
    pub(crate) check: &'static str,
    /// Whether two like it are decoded on one core in less time than one after the other.
    pub(crate) is_paired: bool,
}

/// What is to be done with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// A frame whose end the walker finds.
    Frame,
    /// Bytes that hold no plain data and need no decoder.
    Skip,
    /// The same, and they are an index.
    Index,
    /// A frame, or part of one, that is decoded as it comes. Its end may be a place at which another decoder
    /// can take it up, or that of all input.
    Part,
    /// A frame whose end only its decoder can find; all that follows goes with it.
    Rest,
}

impl Unit {
    /// Whether it needs a decoder.
    pub(crate) fn has_data(&self) -> bool {
        matches!(self.kind, UnitKind::Frame | UnitKind::Part | UnitKind::Rest)
    }

    /// A unit that yields nothing.
    pub(crate) const SKIP: Self =
        Self { kind: UnitKind::Skip, context: 0, plain_len: None, check: "-", is_paired: false };

    /// An index.
    pub(crate) const INDEX: Self = Self { kind: UnitKind::Index, ..Self::SKIP };

    /// A frame, what its header says of its plain length, and its check.
    pub(crate) const fn frame(plain_len: Option<u64>, check: &'static str) -> Self {
        Self { kind: UnitKind::Frame, plain_len, check, ..Self::SKIP }
    }

    /// A frame, or what comes next of it: the context tells.
    pub(crate) const fn part(context: u8, check: &'static str) -> Self {
        Self { kind: UnitKind::Part, context, check, ..Self::SKIP }
    }

    /// The same, better decoded two at a time.
    pub(crate) const fn paired(self) -> Self {
        Self { is_paired: true, ..self }
    }

    /// A frame without a visible end.
    pub(crate) const fn rest(check: &'static str) -> Self {
        Self { kind: UnitKind::Rest, check, ..Self::SKIP }
    }
}

/// Finds the units of a stream, going forward, without decoding them.
///
/// What it says of the place where a unit ends may be wrong, if the input lies or the format leaves
/// it to be guessed: decoding then goes on into the next unit. So a walker that meets nonsense passes
/// the rest on, for the decoder to say what is wrong with it.
pub(crate) trait Walker {
    /// Looks at the unit that begins here, and passes nothing.
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit>;
    /// Passes the unit just looked at.
    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()>;
    /// Whether the next unit belongs to the same stream, without a magic number of its own.
    fn is_inside(&self) -> bool {
        false
    }
}

/// A whole frame, and room for exactly what it claims to decode to.
#[derive(Default)]
pub(crate) struct Whole<'a> {
    pub(crate) coded: &'a [u8],
    pub(crate) plain: &'a mut [u8],
}

/// So many whole frames are decoded together at the most.
pub(crate) const WHOLES_MAX: usize = 64;

/// Decodes frames.
pub(crate) trait Decoder: Send {
    /// The length that a whole frame claims to decode to, where it can be decoded in one piece.
    fn plain_len(&self, coded: &[u8], context: u8) -> Option<usize> {
        let _ = (coded, context);
        None
    }
    /// Decodes a whole frame of known plain length, all checks included. Anything but success is
    /// found out again by [`Self::stream`], which says what is wrong.
    fn whole(&mut self, coded: &[u8], plain: &mut [u8], context: u8) -> bool {
        let _ = (coded, plain, context);
        false
    }
    /// Whether it is faster with several whole frames than with one after another.
    fn together(&self) -> bool {
        false
    }
    /// Decodes at most [`WHOLES_MAX`] of them; how many of the first were good.
    fn wholes(&mut self, frames: &mut [Whole]) -> usize {
        let _ = frames;
        0
    }
    /// The plain length that the frame where the source stands states, if the frame also carries a check of its data.
    /// `coded_len` is the length of the frame, if that is known. No byte is passed.
    fn stated_len(&self, source: &mut Source, context: u8, coded_len: Option<usize>) -> Result<Option<u64>> {
        let _ = (source, context, coded_len);
        Ok(None)
    }
    /// Decodes one frame from where the source stands, in bounded memory.
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()>;
    /// What it knows of what follows that which was decoded last.
    fn after(&self) -> After {
        After::Anything
    }
    /// What the frame that was decoded last says besides its data.
    fn facts(&self) -> Facts {
        Facts::default()
    }
    /// How many frames [`Self::stream`] or [`Self::resume`] decoded last.
    fn frames(&self) -> u64 {
        1
    }
    /// Goes on with the stream where what was decoded last ended, by [`After::Inside`]. Whatever the walker
    /// said was wrong, or the input has ended.
    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let _ = (source, out);
        Err(Error::Internal("a frame that does not go on".into()))
    }
}

/// What a decoder knows of what follows, beside which what the walker says is a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// Nothing: whatever is said of the same format is right.
    Anything,
    /// The stream goes on, in this context.
    Inside(u8),
    /// The stream has ended: nothing that has a context can follow.
    Outside,
    /// What follows is not looked at, as nothing can follow, or what the format has there is not read:
    /// `more` is where an archive's second entry begins.
    Closed { more: Option<u64> },
}

impl Format {
    /// How many there are.
    pub(crate) const COUNT: usize = FORMATS.len();

    /// All formats that are written and read as streams, one behind the other as well.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::readable().filter(|format| {
            format.codec().writing().is_some() && format.codec().starts() == Starts::Anywhere
        })
    }

    /// All formats that are read.
    pub fn readable() -> impl Iterator<Item = Self> {
        (0..FORMATS.len() as u8).map(Self)
    }

    /// The format of the stream that begins with these bytes; nothing if it is none that is recognised
    /// without being named.
    pub fn sniff(head: &[u8]) -> Option<Self> {
        Accepted::default().sniff(head, 0)
    }

    pub(crate) fn codec(self) -> &'static dyn Codec {
        FORMATS[usize::from(self.0)]
    }

    pub(crate) fn writing(self) -> Result<&'static dyn WritingCodec> {
        self.codec().writing().ok_or(Error::NotWritten { format: self.name() })
    }

    /// The name, as it is given to `--format`.
    pub fn name(self) -> &'static str {
        self.codec().info().name
    }

    /// The suffix of compressed files, with its dot.
    pub fn suffix(self) -> &'static str {
        self.codec().info().suffixes[0].0
    }

    /// All suffixes of compressed files and what stands in their place when decompressed.
    pub fn suffixes(self) -> &'static [(&'static str, &'static str)] {
        self.codec().info().suffixes
    }

    /// The levels, from fast to small; none if it is not written.
    pub fn levels(self) -> RangeInclusive<i32> {
        self.codec().info().levels.clone()
    }

    /// The level used when none is asked for.
    pub fn default_level(self) -> i32 {
        self.codec().info().default_level
    }

    /// The levels below the first that `--fast=N` reaches, as N.
    pub fn fast_levels(self) -> Option<RangeInclusive<i32>> {
        self.codec().info().fast.clone()
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of a format that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format '{0}': the formats are zstd, gzip, lz4, xz, bzip2 and lzip")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;
    /// By name, or by suffix without its dot.
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let named = |format: &Self| format.name() == name || format.suffix().strip_prefix('.') == Some(name);
        Self::all().find(named).ok_or_else(|| UnknownFormat(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_table() {
        let names = Format::readable().map(Format::name).collect::<Vec<_>>();
        let by_number = [
            Format::ZSTD,
            Format::GZIP,
            Format::LZ4,
            Format::XZ,
            Format::BZIP2,
            Format::LZIP,
            Format::LZMA,
            Format::ZLIB,
            Format::ZIP,
            Format::LZW,
            Format::PACK,
            Format::LZH,
        ];
        assert_eq!(by_number.map(Format::name).to_vec(), names);
        assert_eq!(
            names,
            ["zstd", "gzip", "lz4", "xz", "bzip2", "lzip", "lzma", "zlib", "zip", "lzw", "pack", "lzh"]
        );
    }
}
