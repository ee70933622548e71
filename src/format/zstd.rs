//! Zstandard: RFC 8878, `doc/zstd_compression_format.md` of the zstd project.
//!
//! Written: one frame per chunk, with content size and checksum, then the seek table of the
//! Seekable Format; or with its size in a skippable frame before it, as `pzstd` does; or one frame
//! around all. Read: any frames; where they end is found by hopping from block to block.

use xxhash_rust::xxh64::Xxh64;
use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

use super::framed::Framed;
use super::{
    Codec, Cursor, Decoder, Encoder, Extra, Info, SERIAL_CHUNK_LEN, SerialEncoder, Unit, Walker,
    WritingCodec, skippable,
};
use crate::error::{Damage, Error, Result, Size};
use crate::options::{Check, Layout, Options, Settings};
use crate::pipeline::{Checksum, Emitter, Joiner, Source};

const NAME: &str = "zstd";
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// Longest frame header.
const HEADER_MAX: usize = 18;
const BLOCK_HEADER_LEN: usize = 3;

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".zst", ""), (".zstd", ""), (".tzst", ".tar")],
    levels: 1..=22,
    default_level: 3,
    fast: Some(1..=100),
    chunk_len: 4 << 10..=1 << 30,
    extras: &[Extra::Single, Extra::Pzstd, Extra::Check(Check::None), Extra::Window],
};

pub(super) struct Zstd;

impl Codec for Zstd {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn walker(&self, _: usize) -> Box<dyn Walker> {
        Box::new(FrameWalker)
    }

    fn decoder(&self, memory_limit: u64) -> Result<Box<dyn Decoder>> {
        let mut context = DCtx::try_create().ok_or_else(no_memory)?;
        // The limit is checked here, frame by frame, to say what is needed.
        context.set_parameter(DParameter::WindowLogMax(31)).map_err(internal)?;
        let mut stream = DCtx::try_create().ok_or_else(no_memory)?;
        stream.set_parameter(DParameter::WindowLogMax(31)).map_err(internal)?;
        // The checksum of a long frame is computed beside its decoding.
        stream.set_parameter(DParameter::ForceIgnoreChecksum(true)).map_err(internal)?;
        Ok(Box::new(FrameDecoder { context, stream, memory_limit }))
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Zstd {
    fn chunk_len(&self, level: i32, options: &Options) -> usize {
        if self.is_serial(&options.layout) {
            return SERIAL_CHUNK_LEN;
        }
        // A window is of use only where there is as much to look back on.
        let window_len = options.window_log.map_or(0, |log| 1 << log.min(30));
        window_len.max(match level {
            ..=2 => 2 << 20,
            3..=4 => 1 << 20,
            5..=8 => 4 << 20,
            9..=15 => 16 << 20,
            _ => 32 << 20,
        })
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        zstd_safe::compress_bound(settings.chunk_len) + SIZE_FRAME_LEN
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        // By level, as ZSTD_estimateCCtxSize of 1.5.7 has it for inputs of any length.
        let tables: u64 = match settings.level {
            ..=2 => 2 << 20,
            3..=4 => 5 << 20,
            5..=8 => 12 << 20,
            9..=12 => 34 << 20,
            13..=15 => 66 << 20,
            16..=19 => 86 << 20,
            _ => 640 << 20,
        };
        // The search for distant matches remembers 8 bytes for 128 of the window.
        let distant = settings.window_log.map_or(0, |log| 1 << log >> 4);
        if settings.is_serial {
            // What matches look back on is kept. The part that is coded is four windows long, and so is
            // the next one meanwhile.
            let usual = if settings.level < 20 { 8 << 20 } else { 128 << 20 };
            let window = settings.window_log.map_or(usual, |log| 1 << log);
            return tables + distant + 8 * window + (1 << 20);
        }
        // Shorter inputs get smaller tables, about ten bytes for a byte of input at most.
        distant + tables.min(settings.chunk_len as u64 * 10 + (2 << 20))
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        let says_size = settings.layout == Layout::Pzstd;
        Ok(Box::new(FrameEncoder { context: context(settings)?, says_size }))
    }

    fn is_serial(&self, layout: &Layout) -> bool {
        matches!(layout, Layout::Single(_))
    }

    fn serial_encoder(&self, settings: &Settings) -> Result<Box<dyn SerialEncoder>> {
        SerialFrame::new(settings).map(|frame| Box::new(frame) as _)
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        let index =
            (settings.index && settings.layout == Layout::Frames).then_some(skippable::seek_table as _);
        (Vec::new(), if settings.is_serial { Framed::single() } else { Framed::new(index) })
    }
}

fn no_memory() -> Error {
    Error::Internal("no memory for a zstd context".into())
}

fn internal(code: zstd_safe::ErrorCode) -> Error {
    Error::Internal(format!("zstd: {}", zstd_safe::get_error_name(code)))
}

fn context(settings: &Settings) -> Result<CCtx<'static>> {
    let mut context = CCtx::try_create().ok_or_else(no_memory)?;
    let parameters = [
        CParameter::CompressionLevel(settings.level),
        CParameter::ChecksumFlag(settings.check != Some(Check::None)),
        CParameter::ContentSizeFlag(true),
    ];
    let window = settings
        .window_log
        .map(|log| [CParameter::WindowLog(log), CParameter::EnableLongDistanceMatching(true)]);
    for parameter in parameters.into_iter().chain(window.into_iter().flatten()) {
        context.set_parameter(parameter).map_err(internal)?;
    }
    Ok(context)
}

/// What libzstd has at most, where addresses have 64 bits.
const WORKERS_MAX: u32 = 256;

/// What `pzstd` writes before a frame: a skippable frame of the first magic number, with the length of
/// the frame, u32.
const SIZE_FRAME_LEN: usize = skippable::HEADER_LEN + 4;
const SIZE_FRAME_HEADER: [u8; skippable::HEADER_LEN] = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0];

struct FrameEncoder {
    context: CCtx<'static>,
    /// Whether the length of a frame is said before it.
    says_size: bool,
}

impl Encoder for FrameEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        if !self.says_size {
            return self.context.compress2(out, chunk).map_err(internal);
        }
        let len = self.context.compress2(&mut out[SIZE_FRAME_LEN..], chunk).map_err(internal)?;
        out[..skippable::HEADER_LEN].copy_from_slice(&SIZE_FRAME_HEADER);
        out[skippable::HEADER_LEN..SIZE_FRAME_LEN].copy_from_slice(&(len as u32).to_le_bytes());
        Ok(SIZE_FRAME_LEN + len)
    }
}

/// One frame around all chunks. libzstd has workers of its own for that, which look back on what is
/// before their parts; the bytes do not depend on how many there are, as long as there is one.
struct SerialFrame {
    context: CCtx<'static>,
    /// How much plain data the header announces.
    announced: Option<u64>,
    read: u64,
}

impl SerialFrame {
    fn new(settings: &Settings) -> Result<Self> {
        let mut context = context(settings)?;
        let threads = u32::try_from(settings.threads).unwrap_or(u32::MAX).min(WORKERS_MAX);
        for parameter in [CParameter::NbWorkers(threads), CParameter::RSyncable(settings.rsyncable)] {
            context.set_parameter(parameter).map_err(internal)?;
        }
        if settings.plain_len.is_some() {
            context.set_pledged_src_size(settings.plain_len).map_err(internal)?;
        }
        Ok(Self { context, announced: settings.plain_len, read: 0 })
    }
}

impl SerialEncoder for SerialFrame {
    fn encode(&mut self, chunk: &[u8], is_last: bool, out: &mut Emitter) -> Result<()> {
        self.read += chunk.len() as u64;
        if self.announced.is_some_and(|len| self.read > len || is_last && self.read < len) {
            let how = "as a frame that says another length than its data has";
            return Err(Error::Unavailable { format: NAME, how });
        }
        let mut input = InBuffer::around(chunk);
        let directive =
            if is_last { ZSTD_EndDirective::ZSTD_e_end } else { ZSTD_EndDirective::ZSTD_e_continue };
        loop {
            let mut output = OutBuffer::around(out.room(1)?);
            let left = self.context.compress_stream2(&mut output, &mut input, directive).map_err(internal)?;
            let written = output.pos();
            out.commit(written)?;
            if if is_last { left == 0 } else { input.pos == chunk.len() } {
                return Ok(());
            }
        }
    }
}

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    len: usize,
    window_len: u64,
    content_len: Option<u64>,
    dictionary: u32,
    has_checksum: bool,
}

impl Header {
    /// Section 3.1.1.1 of RFC 8878. Nothing if the bytes are too few or say what is reserved.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (&descriptor, rest) = bytes.strip_prefix(&MAGIC)?.split_first()?;
        let single_segment = descriptor & 0x20 != 0;
        if descriptor & 0x08 != 0 {
            return None;
        }
        let (window, rest) = rest.split_at_checked(usize::from(!single_segment))?;
        let dictionary_field = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let content_field = match descriptor >> 6 {
            0 => usize::from(single_segment),
            flag => 1 << flag,
        };
        let (dictionary, rest) = rest.split_at_checked(dictionary_field)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        let content = number(rest.get(..content_field)?);
        let content_len = match content_field {
            0 => None,
            2 => Some(content + 256),
            _ => Some(content),
        };
        let window_len = match window {
            &[byte, ..] => {
                let base = 1_u64 << (10 + (byte >> 3));
                base + base / 8 * u64::from(byte & 7)
            }
            [] => content_len?,
        };
        Some(Self {
            len: MAGIC.len() + 1 + window.len() + dictionary_field + content_field,
            window_len,
            content_len,
            dictionary: number(dictionary) as u32,
            has_checksum: descriptor & 4 != 0,
        })
    }
}

struct FrameWalker;

impl Walker for FrameWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        Ok(match Header::parse(cursor.peek(HEADER_MAX)?) {
            Some(header) => Unit::frame(header.content_len, if header.has_checksum { "XXH64" } else { "-" }),
            None => Unit::rest("-"),
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let Some(header) = Header::parse(cursor.peek(HEADER_MAX)?) else {
            return cursor.take_rest();
        };
        cursor.take(header.len as u64)?;
        loop {
            // Section 3.1.1.2: bit 0 last block, bits 1 and 2 the type, the others the size.
            let &[a, b, c, ..] = cursor.peek(BLOCK_HEADER_LEN)? else {
                return cursor.take_rest();
            };
            let block = u32::from_le_bytes([a, b, c, 0]);
            let contents = match block >> 1 & 3 {
                1 => 1,
                3 => return cursor.take_rest(),
                _ => u64::from(block >> 3),
            };
            if !cursor.take(BLOCK_HEADER_LEN as u64 + contents)? {
                return Ok(());
            }
            if block & 1 == 1 {
                return cursor.take(if header.has_checksum { 4 } else { 0 }).map(drop);
            }
        }
    }
}

struct FrameDecoder {
    context: DCtx<'static>,
    /// For frames that are decoded as a stream; it does not look at their checksums.
    stream: DCtx<'static>,
    memory_limit: u64,
}

impl Decoder for FrameDecoder {
    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        let header = Header::parse(coded).filter(|header| header.dictionary == 0)?;
        usize::try_from(header.content_len?).ok()
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        let len = plain.len();
        self.context.decompress(plain, coded) == Ok(len)
    }

    fn stated_len(&self, source: &mut Source, _: u8, _: Option<usize>) -> Result<Option<u64>> {
        let header = Header::parse(source.gather_inside(HEADER_MAX)?);
        Ok(header.filter(|header| header.has_checksum).and_then(|header| header.content_len))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = source.offset();
        let header = Header::parse(source.gather_inside(HEADER_MAX)?);
        if let Some(header) = &header {
            self.check(header, frame)?;
        }
        let has_checksum = header.is_some_and(|header| header.has_checksum);
        if has_checksum {
            out.begin_checksum(Box::new(Xxh64::new(0)));
        }
        self.stream.reset(ResetDirective::SessionOnly).map_err(internal)?;
        // The last bytes read: in the end they are the checksum.
        let mut last = [0; 4];
        loop {
            let coded = source.inside()?;
            let ended = coded.is_empty();
            let mut input = InBuffer::around(coded);
            let mut output = OutBuffer::around(out.room(1)?);
            let hint = self.stream.decompress_stream(&mut output, &mut input);
            let (read, written) = (input.pos, output.pos());
            for &byte in &coded[read.saturating_sub(4)..read] {
                last = [last[1], last[2], last[3], byte];
            }
            source.consume(read);
            out.commit(written)?;
            match hint {
                Ok(0) => break,
                Ok(_) if ended && written == 0 => {
                    return Err(Error::Truncated { format: NAME, frame, offset: source.offset() });
                }
                Ok(_) => {}
                Err(code) => {
                    let what = zstd_safe::get_error_name(code).to_lowercase();
                    let what = format!("the frame that begins there does not decode: {what}");
                    return Err(Error::corrupt(NAME, frame, what));
                }
            }
        }
        let (said, found) = (u32::from_le_bytes(last), out.end_checksum()? as u32);
        if has_checksum && said != found {
            let what =
                format!("the frame that begins there has the checksum {found:08x}, expected {said:08x}");
            return Err(Error::corrupt(NAME, frame, what).by(Damage::Check));
        }
        Ok(())
    }
}

/// XXH64 of a frame that is decoded as a stream.
impl Checksum for Xxh64 {
    fn update(&mut self, bytes: &[u8]) {
        Self::update(self, bytes);
    }

    fn value(&self) -> u64 {
        self.digest()
    }
}

impl FrameDecoder {
    fn check(&self, header: &Header, frame: u64) -> Result<()> {
        if header.dictionary != 0 {
            let id = header.dictionary;
            let what =
                format!("the frame needs dictionary {id}; decompress it with zstd -D and that dictionary");
            return Err(Error::Unsupported { format: NAME, offset: frame, what });
        }
        let window_len = header.content_len.map_or(header.window_len, |len| len.min(header.window_len));
        if window_len > self.memory_limit {
            let what = format!("the window of the zstd frame at offset {frame}");
            return Err(Error::Memory { what, needed: Size(window_len), limit: Size(self.memory_limit) });
        }
        Ok(())
    }
}
