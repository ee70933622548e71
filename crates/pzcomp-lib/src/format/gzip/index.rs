//! Our index of a gzip file: the seek table, in the extra fields of empty members at the end of the file.
//!
//! Each index member has its own size (`IG`) and a part of the table (`PT`). The last member has instead the length
//! of all index members, u64 (`PE`). The length of this last member is fixed, so it can be found from the end of the
//! file. Other tools decode the members as nothing.
//!
//! [`members`] writes the index at the end of compression. The listing of files reads it with [`index_len`] and
//! [`index_table`]. Decompression does not need the index.

use super::MAGIC;
use super::header::{FEXTRA, Header, OUR_LEN, TRAILER_LEN, our_header};
use crate::format::joined::EMPTY;
use crate::format::seek_table::{FOOTER_LEN, SeekTable};

pub(super) const TABLE_PART: [u8; 2] = *b"PT";
pub(super) const TABLE_END: [u8; 2] = *b"PE";

/// Length of everything behind the header of an empty member: an empty stream, its CRC-32 and its length.
pub(super) const EMPTY_BODY_LEN: usize = EMPTY.len() + TRAILER_LEN;

/// The longest part of a table that fits into a member beside its size.
const PART_MAX: usize = 65_500;

/// Length of the last member of an index.
pub(super) const INDEX_END_LEN: usize = OUR_LEN + 4 + 8 + EMPTY_BODY_LEN;

/// A seek table as empty members.
pub(super) fn members(table: &SeekTable) -> Vec<u8> {
    let Some(table) = table.encode() else {
        return Vec::new();
    };
    let mut members = Vec::with_capacity(table.len() + (table.len() / PART_MAX + 2) * INDEX_END_LEN);
    let mut member = |id: [u8; 2], data: &[u8]| {
        let subfield = 4 + data.len();
        members.extend(our_header(OUR_LEN + subfield + EMPTY_BODY_LEN, 0, subfield));
        members.extend(id);
        members.extend((data.len() as u16).to_le_bytes());
        members.extend(data);
        members.extend(EMPTY);
        members.extend([0; TRAILER_LEN]);
        members.len()
    };
    let parts = table.chunks(PART_MAX).map(|part| member(TABLE_PART, part)).last().unwrap_or(0);
    member(TABLE_END, &((parts + INDEX_END_LEN) as u64).to_le_bytes());
    members
}

/// Whether the member with this header is as empty as the header says.
pub(super) fn is_empty_body(member: &[u8], header: &Header) -> bool {
    let body = member.get(header.len..header.len + EMPTY_BODY_LEN);
    body.and_then(|body| body.strip_prefix(&EMPTY)).is_some_and(|trailer| trailer == [0; TRAILER_LEN])
}

/// The length of all index members, from the last bytes of a file.
pub(super) fn index_len(end: &[u8]) -> Option<u64> {
    let len = Header::parse(end)?.subfield(end, TABLE_END)?;
    (end.len() == INDEX_END_LEN).then_some(u64::from_le_bytes(len.try_into().ok()?))
}

/// The seek table in the index members of a file. Nothing if decoding would refuse one of them.
pub(super) fn index_table(mut members: &[u8]) -> Option<Vec<u8>> {
    let mut table = Vec::with_capacity(members.len());
    while !members.is_empty() {
        let header = Header::parse(members).filter(|header| header.is_index && header.flags == FEXTRA)?;
        if !members.starts_with(&MAGIC) || !is_empty_body(members, &header) {
            return None;
        }
        table.extend_from_slice(header.subfield(members, TABLE_PART).unwrap_or_default());
        members = members.get(usize::try_from(header.size?).ok()?..)?;
    }
    (table.len() >= FOOTER_LEN).then_some(table)
}
