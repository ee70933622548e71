//! Finds the Blocks of xz Streams without decoding them, and verifies everything around them.
//!
//! The input is a cursor over the coded bytes. The output is one unit per Block; headers, Indexes and padding are units
//! without data. The feeder calls the walker.
//!
//! The walker counts as inside a Stream from the Stream Header to the end of the Stream Padding. Blocks and padding
//! have no magic numbers, so their start is known only from what came before. The walker refuses an Index that does not
//! state the sizes of the Blocks that it has passed.

use super::NAME;
use super::header::{
    BlockHeader, CHUNK_HEADER_MAX, CheckId, Chunk, STREAM_HEADER_LEN, block_header_len, parse_stream_header,
};
use super::index::{Records, parse_vli};
use crate::error::{Error, Result};
use crate::format::{Cursor, Reading, Unit, Walker};

/// The walker through Streams.
#[derive(Default)]
pub(super) struct StreamWalker {
    reading: Reading,
    position: Position,
    /// The kind of the next unit. [`Walker::unit`] sets it for [`Walker::pass`].
    kind: XzUnit,
}

/// The position of the walker in the structure of the file.
#[derive(Default)]
enum Position {
    #[default]
    Outside,
    Stream(OpenStream),
    /// Behind a Stream, before Stream Padding.
    Padding,
    /// Behind the only Stream that is read. The bytes that follow are ignored.
    Closed,
}

struct OpenStream {
    start: u64,
    check: CheckId,
    records: Records,
}

/// The next part of the file. If it is `Unknown`, the rest of the input goes to the decoder, which makes the error.
#[derive(Clone, Copy, Default)]
enum XzUnit {
    StreamHeader(CheckId),
    Block(BlockHeader),
    Index,
    Padding,
    Ignored,
    #[default]
    Unknown,
}

impl StreamWalker {
    pub(super) fn new(reading: Reading) -> Self {
        Self { reading, ..Self::default() }
    }

    fn admits(&self, check: CheckId) -> bool {
        check.is_known() || self.reading.unknown_check || self.reading.ignore_check
    }
}

impl Walker for StreamWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let mut context = 0;
        self.kind = match &self.position {
            Position::Outside => {
                let check = parse_stream_header(cursor.peek(STREAM_HEADER_LEN)?);
                // If the Check is not accepted, the decoder gets the Stream and refuses it.
                check.filter(|check| self.admits(*check)).map_or(XzUnit::Unknown, XzUnit::StreamHeader)
            }
            Position::Stream(stream) => {
                context = stream.check.context();
                match cursor.peek(1)?.first().map(|&byte| block_header_len(byte)) {
                    Some(Some(header_len)) => {
                        let header = cursor.peek(header_len)?.get(..header_len);
                        header
                            .and_then(|header| BlockHeader::parse(header, stream.check))
                            .map_or(XzUnit::Unknown, XzUnit::Block)
                    }
                    Some(None) => XzUnit::Index,
                    None => return Err(stream.truncated(cursor)),
                }
            }
            Position::Padding => XzUnit::Padding,
            Position::Closed => XzUnit::Ignored,
        };
        Ok(match (self.kind, &self.position) {
            (XzUnit::StreamHeader(_) | XzUnit::Ignored, _) => Unit::HEADER,
            // Only the decoder of the Stream before it says what is wrong with it.
            (XzUnit::Padding, _) => Unit::SKIP,
            (XzUnit::Index, _) => Unit::INDEX,
            (XzUnit::Block(header), Position::Stream(stream)) => {
                Unit { context, ..Unit::frame(header.plain_len, stream.check.name()) }
            }
            _ => Unit { context, ..Unit::rest("-") },
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let before = std::mem::take(&mut self.position);
        let (stream, passed) = match (self.kind, before) {
            (XzUnit::StreamHeader(check), _) => {
                let stream = OpenStream { start: cursor.offset(), check, records: Records::default() };
                cursor.take(STREAM_HEADER_LEN as u64)?;
                (stream, true)
            }
            (XzUnit::Block(header), Position::Stream(mut stream)) => {
                let sizes = pass_block(&header, stream.check, cursor)?;
                sizes.map(|(unpadded_len, plain_len)| stream.records.push(unpadded_len, plain_len));
                (stream, sizes.is_some())
            }
            (XzUnit::Index, Position::Stream(mut stream)) => {
                stream.pass_index(cursor)?;
                self.position = match cursor.peek(1)?.first() {
                    Some(_) if self.reading.single_stream => Position::Closed,
                    Some(0) => Position::Padding,
                    Some(_) | None => Position::Outside,
                };
                return Ok(());
            }
            (XzUnit::Padding, _) => return pass_padding(cursor),
            _ => return cursor.take_rest(),
        };
        if !passed {
            // The Block is cut off or not valid. The worker that decodes the Block makes the error.
            return Ok(());
        }
        self.position = Position::Stream(stream);
        Ok(())
    }

    fn is_inside(&self) -> bool {
        !matches!(self.position, Position::Outside)
    }
}

impl OpenStream {
    fn truncated(&self, cursor: &dyn Cursor) -> Error {
        Error::Truncated { format: NAME, frame: self.start, offset: cursor.offset() }
    }

    /// Passes the Index and the Stream Footer. Every byte of them follows from the sizes of the Blocks that were
    /// passed, so this compares the bytes with what the records expect.
    fn pass_index(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let index = cursor.offset();
        let head = self.records.head();
        let found = cursor.peek(head.len())?;
        if !found.starts_with(&head) {
            if found.len() < head.len() {
                return Err(self.cut_off(cursor, head.len()));
            }
            let listed =
                parse_vli(&found[1..]).map_or("an unknown number of".into(), |(count, _)| count.to_string());
            let what =
                format!("the Index lists {listed} Block(s), but {} came before it", self.records.count());
            return Err(Error::corrupt(NAME, index, what));
        }
        cursor.take(head.len() as u64)?;
        let (mut left, mut crc) = (self.records.list_len(), crc32fast::Hasher::new());
        while left > 0 {
            let bytes = cursor.peek_far(1)?;
            let bytes = &bytes[..usize::try_from(left).unwrap_or(bytes.len()).min(bytes.len())];
            if bytes.is_empty() {
                return Err(self.truncated(cursor));
            }
            crc.update(bytes);
            let len = bytes.len() as u64;
            left -= len;
            cursor.take(len)?;
        }
        if crc.finalize() != self.records.list_crc() {
            return Err(Error::corrupt(
                NAME,
                index,
                "the Index does not list the sizes of the Blocks before it",
            ));
        }
        let tail = self.records.tail(self.check.stream_flags());
        let found = cursor.peek(tail.len())?;
        if !found.starts_with(&tail) {
            let Some(found) = found.get(..tail.len()) else {
                return Err(self.cut_off(cursor, tail.len()));
            };
            let right = tail.iter().zip(found).take_while(|(expected, found)| expected == found).count();
            let field = match (tail.len() - right) as u64 {
                1..=2 => "the magic number at the end of the Stream Footer",
                3..=4 => "the Stream Flags in the Stream Footer",
                5..=8 => "the Backward Size in the Stream Footer",
                9..=12 => "the CRC32 of the Stream Footer",
                13..=16 => "the CRC32 of the Index",
                _ => "the Index Padding",
            };
            return Err(Error::corrupt(NAME, cursor.offset() + right as u64, format!("{field} is wrong")));
        }
        cursor.take(tail.len() as u64)?;
        Ok(())
    }

    /// The error if the input ends before `len` more bytes.
    fn cut_off(&self, cursor: &mut dyn Cursor, len: usize) -> Error {
        match cursor.peek(len).map(<[u8]>::len) {
            Ok(rest) => {
                Error::Truncated { format: NAME, frame: self.start, offset: cursor.offset() + rest as u64 }
            }
            Err(error) => error,
        }
    }
}

/// Passes a Block. Returns the sizes that the Index must state: the length without Block Padding, and the plain length.
/// `None` if the Block is cut off or not valid. The rest of the input is passed then.
fn pass_block(header: &BlockHeader, check: CheckId, cursor: &mut dyn Cursor) -> Result<Option<(u64, u64)>> {
    let (unpadded_len, plain_len, passed) = match *header {
        BlockHeader { unpadded_len: Some(unpadded_len), plain_len: Some(plain_len), .. } => {
            (unpadded_len, plain_len, 0)
        }
        _ => {
            let start = cursor.offset();
            cursor.take(header.header_len)?;
            let Some(plain_len) = pass_chunks(cursor)? else {
                return Ok(None);
            };
            let passed = cursor.offset() - start;
            (passed + check.len(), plain_len, passed)
        }
    };
    // `unpadded_len` and `passed` have the same remainder by four, because the length of a Check is a multiple of four.
    let is_whole = cursor.take(unpadded_len.next_multiple_of(4) - passed)?;
    Ok(is_whole.then_some((unpadded_len, plain_len)))
}

/// Passes the Block at the cursor. Returns the plain length that it states itself: in its header, or in the headers of
/// its chunks. `None` if no Block of this context begins there, or if it is cut off.
pub(super) fn block_plain_len(cursor: &mut dyn Cursor, context: u8) -> Result<Option<u64>> {
    let header_len = cursor.peek(1)?.first().and_then(|&byte| block_header_len(byte));
    let (Some(header_len), Some(check)) = (header_len, CheckId::of_context(context)) else {
        return Ok(None);
    };
    let header = cursor.peek(header_len)?.get(..header_len);
    let Some(header) = header.and_then(|header| BlockHeader::parse(header, check)) else {
        return Ok(None);
    };
    Ok(pass_block(&header, check, cursor)?.map(|(_, plain_len)| plain_len))
}

/// Passes LZMA2 chunks to the last. Returns their plain length, or `None` if a chunk is not valid or the input ends
/// before the last chunk.
fn pass_chunks(cursor: &mut dyn Cursor) -> Result<Option<u64>> {
    let mut plain_len = 0_u64;
    loop {
        // The end mark has one byte, and perhaps nothing follows it for some time.
        let is_end = cursor.peek(1)?.first() == Some(&0);
        let Some(chunk) = Chunk::parse(cursor.peek(if is_end { 1 } else { CHUNK_HEADER_MAX })?) else {
            cursor.take_rest()?;
            return Ok(None);
        };
        if !cursor.take(chunk.coded_len)? {
            return Ok(None);
        }
        if chunk.plain_len == 0 {
            return Ok(Some(plain_len));
        }
        plain_len = plain_len.saturating_add(chunk.plain_len);
    }
}

/// Passes Stream Padding: zero bytes, whose number must be a multiple of four (section 2.2 of the xz format).
fn pass_padding(cursor: &mut dyn Cursor) -> Result<()> {
    let start = cursor.offset();
    loop {
        let bytes = cursor.peek_far(1)?;
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        let ended = zeros < bytes.len() || bytes.is_empty();
        cursor.take(zeros as u64)?;
        if ended {
            break;
        }
    }
    if (cursor.offset() - start).is_multiple_of(4) {
        return Ok(());
    }
    Err(Error::corrupt(NAME, start, "the Stream Padding that begins there is not a multiple of four bytes"))
}
