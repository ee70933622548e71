//! What begins at a place of an xz file, without the walk that led there.
//!
//! [`piece`] gets a cursor and the context of the Stream, and says which part of the file begins there. `salvage/` calls
//! it, because a walker cannot go on behind damage. Headers and Indexes count only if their CRC32 is right. Whether an
//! Index lists the Blocks before it is not compared.

use super::header::{BlockHeader, CheckId, STREAM_HEADER_LEN, block_header_len, parse_stream_header};
use super::list::{FOOTER_LEN, INDEX_MAX, parse_footer};
use super::walk::pass_chunks;
use crate::error::Result;
use crate::format::Cursor;
use crate::index::parse_vli;
use crate::io::RandomAccess;

/// A part of an xz file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum XzPiece {
    /// A Stream Header. The Blocks behind it have this context.
    StreamHeader { context: u8 },
    /// A Block of this length, as far as its header states it or its chunks lead to its end.
    Block { len: Option<u64>, plain_len: Option<u64>, has_check: bool },
    /// The Index and the Stream Footer, with the padding behind them.
    End { len: u64 },
}

/// The shortest Unpadded Size in an Index. Section 4.3 of the format.
const UNPADDED_MIN: u64 = 5;

/// The part that begins here, in a Stream with this context. Outside of a Stream the context is 0. The cursor is moved.
pub(crate) fn piece(cursor: &mut dyn Cursor, context: u8) -> Result<Option<XzPiece>> {
    let Some(check) = CheckId::of_context(context) else {
        let check = parse_stream_header(cursor.peek(STREAM_HEADER_LEN)?);
        return Ok(check.map(|check| XzPiece::StreamHeader { context: check.context() }));
    };
    let Some(&first) = cursor.peek(1)?.first() else { return Ok(None) };
    let Some(header_len) = block_header_len(first) else {
        return Ok(end_len(cursor, check)?.map(|len| XzPiece::End { len }));
    };
    let Some(header) = cursor.peek(header_len)?.get(..header_len) else { return Ok(None) };
    // Most bytes that begin no header have reserved flags.
    if header[1] & 0x3c != 0 {
        return Ok(None);
    }
    let Some(header) = BlockHeader::parse(header, check) else { return Ok(None) };
    let len = match header.unpadded_len {
        Some(len) => Some(len.next_multiple_of(4)),
        None => {
            let start = cursor.offset();
            cursor.take(header.header_len)?;
            pass_chunks(cursor)?.map(|_| (cursor.offset() - start + check.len()).next_multiple_of(4))
        }
    };
    Ok(Some(XzPiece::Block {
        len,
        plain_len: header.plain_len,
        has_check: check.len() > 0 && check.is_known(),
    }))
}

/// The length of the Index, the Stream Footer and the Stream Padding that begin here, if they are valid.
fn end_len(cursor: &mut dyn Cursor, check: CheckId) -> Result<Option<u64>> {
    let mut asked = 4 << 10;
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
pub(crate) fn context_at_end(place: RandomAccess, len: u64) -> Result<Option<u8>> {
    let mut footer = [0; FOOTER_LEN as usize];
    let Some(at) = len.checked_sub(FOOTER_LEN) else { return Ok(None) };
    place.read_at(&mut footer, at)?;
    Ok(parse_footer(&footer).map(|(_, check)| check.context()))
}

/// Whether the Stream Footer before `end` leads back to an Index at `index`.
pub(crate) fn footer_leads_to(place: RandomAccess, index: u64, end: u64) -> Result<bool> {
    let mut footer = [0; FOOTER_LEN as usize];
    let Some(at) = end.checked_sub(FOOTER_LEN) else { return Ok(false) };
    place.read_at(&mut footer, at)?;
    Ok(parse_footer(&footer).is_some_and(|(index_len, _)| at.checked_sub(index_len) == Some(index)))
}
