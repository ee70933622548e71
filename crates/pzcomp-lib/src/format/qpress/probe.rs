//! The probe of qpress: which part of an archive begins at a place, and at which offset of its file a block belongs.
//!
//! `salvage/` asks through [`Probe`] and [`Offsets`]. [`piece`] reads the headers.

use super::{
    ARCHIVE_HEADER_LEN, BLOCK_HEAD_MAX, BLOCK_MAGIC, BlockHeader, CHOSEN, END_LEN, END_MAGIC, MAGIC,
    NAME_HEADER_LEN, NAME_MAX, PASSED, chunk_len,
};
use crate::error::Result;
use crate::format::probe::{Candidate, Here, InputView, Kind, Offsets, Place, Probe};
use crate::format::{Cursor, Format};
use crate::options::EntryChoice;

const FORMAT: Format = Format::Qpress;

pub(super) struct ArchiveProbe {
    /// Whether all files are wanted, and not only the first one.
    takes_all: bool,
}

impl ArchiveProbe {
    pub(super) fn new(entry: &EntryChoice) -> Self {
        Self { takes_all: *entry == EntryChoice::All }
    }
}

fn inside(context: u8) -> Option<(Format, u8)> {
    (context != 0).then_some((FORMAT, context))
}

impl Probe for ArchiveProbe {
    /// A block of a file that is not wanted is skipped.
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let context = start.context();
        Ok(Some(match piece(&mut *view.cursor(start.at), context, self.takes_all)? {
            None => Here::Nothing,
            Some(Piece::Skip { len, context }) => {
                view.behind(start.at, len, inside(context)).map_or(Here::Nothing, Here::Skip)
            }
            Some(Piece::Block { len, plain_len, .. }) => {
                let claim = view.behind(start.at, len, inside(context));
                match claim {
                    Some(end) if context == PASSED => Here::Skip(end),
                    None if context == PASSED => Here::Nothing,
                    _ => {
                        let start = Place { at: start.at, inside: inside(context) };
                        let block = Candidate::new(start, FORMAT, Kind::Frame);
                        Here::Candidate(Candidate { claim, plain_len: Some(plain_len), ..block })
                    }
                }
            }
        }))
    }

    fn first_bytes(&self) -> &'static [u8] {
        &MAGIC[..1]
    }

    fn has_block_magic(&self) -> bool {
        true
    }

    fn begins_inside(&self, head: &[u8], inside: u8) -> Option<u8> {
        let context = if inside == 0 { CHOSEN } else { inside };
        head.starts_with(&BLOCK_MAGIC).then_some(context)
    }

    fn may_lack_units(&self) -> bool {
        true
    }

    fn at_once(&self, candidate: &Candidate) -> u64 {
        candidate.plain_len.unwrap_or(0)
    }

    fn is_cut_off(&self, candidate: &Candidate) -> bool {
        candidate.claim.is_none()
    }

    fn ratio_max(&self) -> u64 {
        86
    }

    fn offsets(&self) -> Option<&dyn Offsets> {
        Some(self)
    }
}

impl Offsets for ArchiveProbe {
    fn offset(&self, view: &dyn InputView, place: Place) -> Result<Option<u64>> {
        if self.takes_all || place.inside != inside(CHOSEN) {
            return Ok(None);
        }
        Ok(match piece(&mut *view.cursor(place.at), CHOSEN, false)? {
            Some(Piece::Block { offset, .. }) => Some(offset),
            _ => None,
        })
    }

    fn block_len(&self, view: &dyn InputView, place: Place) -> Result<Option<u64>> {
        if self.takes_all || place.inside != inside(CHOSEN) {
            return Ok(None);
        }
        let mut head = [0; 16];
        let read = view.read(&mut head, 0)?;
        Ok(Some(chunk_len(&head[..read]).unwrap_or(u64::MAX)))
    }

    fn unwanted(&self, place: Place) -> Place {
        Place { inside: inside(PASSED), ..place }
    }
}

/// A part of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Headers of the archive, of folders and of files, and ends of files, of this length. The blocks behind them have
    /// this context. It is 0 if the archive ends there.
    Skip { len: u64, context: u8 },
    /// A block of this length, with the data at this offset of its file.
    Block { len: u64, offset: u64, plain_len: u64 },
}

/// The part that begins here, in a file with this context. Outside of an archive the context is 0. `all` says that the
/// files behind the first one are chosen too. The cursor is moved.
pub(super) fn piece(cursor: &mut dyn Cursor, context: u8, all: bool) -> Result<Option<Piece>> {
    let start = cursor.offset();
    let mut file_context = CHOSEN;
    if context == 0 {
        if !cursor.peek(MAGIC.len())?.starts_with(&MAGIC) || !cursor.take(ARCHIVE_HEADER_LEN as u64)? {
            return Ok(None);
        }
    } else if let Ok(Some(header)) = BlockHeader::parse(cursor.peek(BLOCK_HEAD_MAX)?) {
        let (len, plain_len) = (header.block_len() as u64, header.packet.plain_len.into());
        return Ok(Some(Piece::Block { len, offset: header.offset, plain_len }));
    } else {
        if !cursor.peek(END_LEN)?.starts_with(&END_MAGIC) || !cursor.take(END_LEN as u64)? {
            return Ok(None);
        }
        file_context = if all { CHOSEN } else { PASSED };
    }
    let passed = |cursor: &dyn Cursor| cursor.offset() - start;
    loop {
        match cursor.peek(NAME_HEADER_LEN)? {
            &[letter @ (b'D' | b'F'), l0, l1, l2, l3, ..] => {
                let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
                let whole = NAME_HEADER_LEN + len + 1;
                if len > NAME_MAX || cursor.peek(whole)?.get(whole - 1) != Some(&0) {
                    return Ok(None);
                }
                cursor.take(whole as u64)?;
                if letter == b'F' {
                    return Ok(Some(Piece::Skip { len: passed(cursor), context: file_context }));
                }
            }
            [b'U', ..] => {
                cursor.take(1)?;
            }
            _ if context == 0 => return Ok(None),
            _ => return Ok(Some(Piece::Skip { len: passed(cursor), context: 0 })),
        }
    }
}
