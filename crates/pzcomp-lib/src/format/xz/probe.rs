//! The probe of xz: which part of a Stream begins at a place, without the walk that led there. The chunks of a Block
//! lead to the end of the Block.
//!
//! `salvage/` asks through [`Probe`]. [`piece`] reads the headers: headers and Indexes count only if their CRC32 is
//! right. Whether an Index lists the Blocks before it is not compared.

use std::ops::Range;

use super::MAGIC;
use super::header::{
    BlockHeader, CHUNK_HEADER_MAX, CheckId, Chunk, STREAM_HEADER_LEN, block_header_len, parse_stream_header,
};
use super::index::parse_vli;
use super::list::{FOOTER_LEN, INDEX_MAX, parse_footer};
use crate::error::Result;
use crate::format::chain::{Chain, Link};
use crate::format::probe::{Candidate, Here, InputView, Kind, Place, Probe};
use crate::format::{Cursor, Format};
use engine::io::RandomAccess;

const FORMAT: Format = Format::Xz;

pub(super) struct StreamProbe;

impl Probe for StreamProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let context = start.context();
        let inside = |context: u8| Some((FORMAT, context));
        Ok(Some(match piece(&mut *view.cursor(start.at), context)? {
            None if context == 0 => Here::Nothing,
            // Another Stream may begin here if the Index before it is missing.
            None => match piece(&mut *view.cursor(start.at), 0)? {
                Some(_) => return self.look(view, Place::outside(start.at)),
                None => Here::Nothing,
            },
            Some(XzPiece::StreamHeader { context }) => {
                Here::Skip(Place { at: start.at + STREAM_HEADER_LEN as u64, inside: inside(context) })
            }
            Some(XzPiece::End { len }) => Here::Skip(Place::outside(start.at + len)),
            Some(XzPiece::Block { len, plain_len, has_check }) => {
                let len = match len {
                    BlockLen::Stated(len) => Some(len),
                    BlockLen::Chained { header_len, check_len } => {
                        let first = start.at + header_len;
                        let end = view.chain_end(FORMAT, 0, &ChunkChain, first)?;
                        end.map(|end| BlockLen::with_chain(header_len, end - first, check_len))
                    }
                };
                let claim = len.and_then(|len| view.behind(start.at, len, inside(context)));
                let start = Place { at: start.at, inside: inside(context) };
                let block = Candidate::new(start, FORMAT, Kind::Frame);
                Here::Candidate(Candidate { claim, plain_len, has_check, ..block })
            }
        }))
    }

    fn first_bytes(&self) -> &'static [u8] {
        &MAGIC[..1]
    }

    fn has_block_headers(&self) -> bool {
        true
    }

    fn begins_inside(&self, head: &[u8], inside: u8) -> Option<u8> {
        (inside != 0 && (may_begin_index(head) || may_begin_block(head))).then_some(inside)
    }

    fn context_at_end(&self, view: &dyn InputView) -> Result<Option<u8>> {
        context_at_end(view.place(), view.len())
    }

    fn is_only_end(&self, view: &dyn InputView, range: Range<u64>) -> Result<bool> {
        footer_leads_to(view.place(), range.start, range.end)
    }

    fn missing(&self) -> &'static str {
        "neither a Block nor a valid Index begins there"
    }
}

/// A part of an xz file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum XzPiece {
    /// A Stream Header. The Blocks behind it have this context.
    StreamHeader { context: u8 },
    /// A Block, as far as its header states its sizes.
    Block { len: BlockLen, plain_len: Option<u64>, has_check: bool },
    /// The Index and the Stream Footer, with the padding behind them.
    End { len: u64 },
}

/// How long a Block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockLen {
    /// So long, with its padding.
    Stated(u64),
    /// A chain of chunks begins behind the header, and a Check of this length follows the chain.
    Chained { header_len: u64, check_len: u64 },
}

impl BlockLen {
    /// The length of a Block whose chain has this length.
    fn with_chain(header_len: u64, chain_len: u64, check_len: u64) -> u64 {
        (header_len + chain_len + check_len).next_multiple_of(4)
    }
}

/// The chunks of a Block.
struct ChunkChain;

impl Chain for ChunkChain {
    fn link_len(&self) -> usize {
        CHUNK_HEADER_MAX
    }

    fn link(&self, head: &[u8], _: u8) -> Option<Link> {
        let Chunk { coded_len, plain_len } = Chunk::parse(head)?;
        Some(if plain_len == 0 { Link::End(coded_len) } else { Link::Block(coded_len) })
    }
}

/// The shortest Unpadded Size in an Index. Section 4.3 of the format.
const UNPADDED_MIN: u64 = 5;

/// The part that begins here, in a Stream with this context. Outside of a Stream the context is 0. The cursor is moved.
fn piece(cursor: &mut dyn Cursor, context: u8) -> Result<Option<XzPiece>> {
    let Some(check) = CheckId::of_context(context) else {
        let check = parse_stream_header(cursor.peek(STREAM_HEADER_LEN)?);
        return Ok(check.map(|check| XzPiece::StreamHeader { context: check.context() }));
    };
    let Some(&first) = cursor.peek(1)?.first() else { return Ok(None) };
    let Some(header_len) = block_header_len(first) else {
        return Ok(end_len(cursor, check)?.map(|len| XzPiece::End { len }));
    };
    // The fields tell most other bytes from a header, so not all of these are read for the CRC32.
    let fields_len = header_len.min(FIELDS_LEN);
    if !cursor.peek(fields_len)?.get(..fields_len).is_some_and(may_begin_block) {
        return Ok(None);
    }
    let Some(header) = cursor.peek(header_len)?.get(..header_len) else { return Ok(None) };
    let Some(header) = BlockHeader::parse(header, check) else { return Ok(None) };
    let len = match header.unpadded_len {
        Some(len) => BlockLen::Stated(len.next_multiple_of(4)),
        None => BlockLen::Chained { header_len: header.header_len, check_len: check.len() },
    };
    Ok(Some(XzPiece::Block {
        len,
        plain_len: header.plain_len,
        has_check: check.len() > 0 && check.is_known(),
    }))
}

/// How many bytes hold the fields of nearly all Block Headers.
const FIELDS_LEN: usize = 32;

/// Whether a Block Header may begin with these bytes, of which [`FIELDS_LEN`] are enough: the flags, the sizes, and the
/// first filter have values of the format (section 3.1).
fn may_begin_block(head: &[u8]) -> bool {
    /// LZMA2 has the greatest number of all filters, and none has longer properties than this.
    const FILTER_MAX: u64 = 0x21;
    const PROPERTIES_MAX: u64 = 16;
    let &[first, flags, ref rest @ ..] = head else { return false };
    if first == 0 || flags & 0x3c != 0 {
        return false;
    }
    let sizes = usize::from(flags & 0x40 != 0) + usize::from(flags & 0x80 != 0);
    let fields = (0..sizes).try_fold(rest, |rest, _| parse_vli(rest).map(|(_, rest)| rest));
    let filter = fields.and_then(|rest| {
        let (id, rest) = parse_vli(rest)?;
        parse_vli(rest).map(|(len, rest)| (id, len, rest))
    });
    let Some((id, len, rest)) = filter else { return false };
    if id > FILTER_MAX || len > PROPERTIES_MAX {
        return false;
    }
    // Behind the only filter, zeros fill the header up to its CRC32.
    let padding_end = ((usize::from(first) + 1) * 4 - 4).min(head.len());
    let padding_at = head.len() - rest.len() + len as usize;
    flags & 3 != 0
        || head.get(padding_at..padding_end).is_none_or(|padding| padding.iter().all(|&byte| byte == 0))
}

/// Whether an Index may begin with these bytes: the first Record is possible, or there is none and the CRC32 is right.
fn may_begin_index(head: &[u8]) -> bool {
    const EMPTY: [u8; 8] = [0, 0, 0, 0, 0x1c, 0xdf, 0x44, 0x21];
    let Some((count, rest)) = head.strip_prefix(&[0]).and_then(parse_vli) else { return false };
    match count {
        0 => head.starts_with(&EMPTY),
        _ => parse_vli(rest).is_some_and(|(len, rest)| len >= UNPADDED_MIN && parse_vli(rest).is_some()),
    }
}

/// The length of the Index, the Stream Footer and the Stream Padding that begin here, if they are valid.
fn end_len(cursor: &mut dyn Cursor, check: CheckId) -> Result<Option<u64>> {
    let mut asked = 32;
    let index_len = loop {
        let bytes = cursor.peek(asked)?;
        match index_len(bytes) {
            Parsed::Whole(len) => break len,
            Parsed::Wrong => return Ok(None),
            Parsed::Short if bytes.len() < asked || asked as u64 > INDEX_MAX => return Ok(None),
            Parsed::Short => asked *= 2,
        }
    };
    let footer_len = FOOTER_LEN as usize;
    let bytes = cursor.peek(index_len + footer_len)?;
    let footer = bytes.get(index_len..index_len + footer_len).and_then(parse_footer);
    if footer != Some((index_len as u64, check)) {
        return Ok(None);
    }
    let mut len = (index_len + footer_len) as u64;
    cursor.take(len)?;
    while cursor.peek(4)?.starts_with(&[0; 4]) {
        cursor.take(4)?;
        len += 4;
    }
    Ok(Some(len))
}

/// What the first bytes of an Index tell.
enum Parsed {
    Whole(usize),
    Short,
    Wrong,
}

/// The length of the Index that begins with these bytes, up to its CRC32.
fn index_len(bytes: &[u8]) -> Parsed {
    const VLI_LEN_MAX: usize = 9;
    let short = |rest: &[u8]| if rest.len() < VLI_LEN_MAX { Parsed::Short } else { Parsed::Wrong };
    let Some(rest) = bytes.strip_prefix(&[0]) else { return Parsed::Wrong };
    let Some((count, mut rest)) = parse_vli(rest) else { return short(rest) };
    for _ in 0..count {
        let Some((unpadded_len, behind)) = parse_vli(rest) else { return short(rest) };
        if unpadded_len < UNPADDED_MIN {
            return Parsed::Wrong;
        }
        let Some((_, behind)) = parse_vli(behind) else { return short(behind) };
        rest = behind;
    }
    let fields_len = (bytes.len() - rest.len()).next_multiple_of(4);
    let Some(crc) = bytes.get(fields_len..fields_len + 4) else { return Parsed::Short };
    match crc32fast::hash(&bytes[..fields_len]).to_le_bytes() == crc {
        true => Parsed::Whole(fields_len + 4),
        false => Parsed::Wrong,
    }
}

/// The context of the last Stream, as the Stream Footer at the end of the input states it.
fn context_at_end(place: RandomAccess, len: u64) -> Result<Option<u8>> {
    let mut footer = [0; FOOTER_LEN as usize];
    let Some(at) = len.checked_sub(FOOTER_LEN) else { return Ok(None) };
    place.read_at(&mut footer, at)?;
    Ok(parse_footer(&footer).map(|(_, check)| check.context()))
}

/// Whether the Stream Footer before `end` leads back to an Index at `index`.
fn footer_leads_to(place: RandomAccess, index: u64, end: u64) -> Result<bool> {
    let mut footer = [0; FOOTER_LEN as usize];
    let Some(at) = end.checked_sub(FOOTER_LEN) else { return Ok(false) };
    place.read_at(&mut footer, at)?;
    Ok(parse_footer(&footer).is_some_and(|(index_len, _)| at.checked_sub(index_len) == Some(index)))
}
