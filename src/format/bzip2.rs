//! bzip2, whose format is described by its own source.
//!
//! Written: one stream per chunk, as pbzip2 does; the format has no room for an index. Read: any
//! streams. Where a stream begins is guessed from its first ten bytes, which no other place in a file
//! has but by malice; a guess that was wrong is found out by the stream before it.

use memchr::memmem;

use super::ffi::bzip2::{Compressor, Decompressor};
use super::framed::Framed;
use super::{Codec, Cursor, Decoder, Encoder, Info, Unit, Walker};
use crate::error::{Error, Result};
use crate::options::Settings;
use crate::pipeline::{Emitter, Joiner, Source};

const NAME: &str = "bzip2";
/// What follows `BZh` and the level: the magic number of a block, or that of the end.
const BLOCK_MAGIC: [u8; 6] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
const END_MAGIC: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
/// `BZh`, the level, and a magic number.
const START_LEN: usize = 10;

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".bz2", ""), (".tbz2", ".tar"), (".tbz", ".tar"), (".tb2", ".tar")],
    levels: 1..=9,
    default_level: 9,
    fast: None,
    chunk_len: 4 << 10..=1 << 30,
};

pub(super) struct Bzip2;

impl Codec for Bzip2 {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        is_start(head)
    }

    fn chunk_len(&self, level: i32) -> usize {
        // What a block holds, so that a chunk of ordinary data is one block.
        100_000 * level.unsigned_abs() as usize - 19
    }

    fn coded_bound(&self, plain_len: usize) -> usize {
        // The library's manual: one per cent and 600 bytes.
        plain_len + plain_len / 100 + 600
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        // The library's manual: 400k and eight bytes for each byte of a block.
        400_000 + 800_000 * u64::from(settings.level.unsigned_abs())
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(StreamEncoder { compressor: Compressor::default(), level: settings.level }))
    }

    fn framing(&self, _: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        (Vec::new(), Framed::new(None))
    }

    fn walker(&self) -> Box<dyn Walker> {
        Box::new(StreamWalker)
    }

    fn decoder(&self, _: u64) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(StreamDecoder(Decompressor::new())))
    }
}

fn is_start(bytes: &[u8]) -> bool {
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', magic @ ..] if magic.starts_with(&BLOCK_MAGIC) || magic.starts_with(&END_MAGIC))
}

struct StreamEncoder {
    compressor: Compressor,
    level: i32,
}

impl Encoder for StreamEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let coded = self.compressor.compress(self.level, chunk, out);
        coded.map_err(|status| Error::Internal(format!("bzip2 compression failed with status {status}")))
    }
}

struct StreamWalker;

impl Walker for StreamWalker {
    fn unit(&mut self, _: &mut dyn Cursor) -> Result<Unit> {
        Ok(Unit::frame(None, "CRC32"))
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        cursor.take(START_LEN as u64)?;
        let finder = memmem::Finder::new(b"BZh");
        loop {
            let bytes = cursor.window(START_LEN)?;
            if bytes.len() < START_LEN {
                return cursor.take_rest();
            }
            let next = finder.find_iter(bytes).find(|&at| is_start(&bytes[at..]));
            // The last bytes may be the beginning of a start.
            let len = next.unwrap_or(bytes.len() - (START_LEN - 1));
            cursor.take(len as u64)?;
            if next.is_some() {
                return Ok(());
            }
        }
    }
}

struct StreamDecoder(Decompressor);

impl Decoder for StreamDecoder {
    fn plain_len(&self, _: &[u8], _: u8) -> Option<usize> {
        None
    }

    fn whole(&mut self, _: &[u8], _: &mut [u8], _: u8) -> bool {
        false
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = source.offset();
        if !self.0.begin() {
            return Err(Error::Internal("no memory for a bzip2 stream".into()));
        }
        loop {
            let coded = source.inside()?;
            let ended = coded.is_empty();
            let done = self.0.decompress(coded, out.room(1)?);
            let (read, written, whole) = done.map_err(|what| {
                let at = source.offset();
                let what = format!("the stream that begins there is damaged behind offset {at}: {what}");
                Error::corrupt(NAME, frame, what)
            })?;
            source.consume(read);
            out.commit(written)?;
            if whole {
                return Ok(());
            }
            if ended && written == 0 {
                return Err(Error::Truncated { format: NAME, frame, offset: source.offset() });
            }
        }
    }
}
