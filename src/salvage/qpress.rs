//! What only qpress states: a block says where its data belongs in its file.
//!
//! So the length of a loss in the first file follows from the next intact block, and so does a loss that left no trace. The
//! offset has no checksum. It counts if the block behind or the length of the damaged block confirms it. `salvager.rs`
//! calls this, and `scout.rs` asks what begins at a place of an archive.

use super::Salvager;
use super::salvager::most_plain;
use super::scout::{Here, Kind, Place, Scout, Unit};
use crate::error::Result;
use crate::format::{Format, qpress};
use crate::options::EntryChoice;

impl Scout<'_> {
    /// A block of a qpress archive, or what is around blocks. A block of a file that is not chosen is skipped.
    pub(super) fn qpress_piece(&self, start: Place, context: u8) -> Result<Here> {
        let all = self.reading.entry == EntryChoice::All;
        let inside = |context: u8| Some((Format::Qpress, context)).filter(|_| context != 0);
        Ok(match qpress::piece(&mut self.cursor(start.at), context, all)? {
            None => Here::Nothing,
            Some(qpress::Piece::Skip { len, context }) => {
                self.behind(start.at, len, inside(context)).map_or(Here::Nothing, Here::Skip)
            }
            Some(qpress::Piece::Block { len, plain_len, .. }) => {
                let claim = self.behind(start.at, len, inside(context));
                match claim {
                    Some(end) if context == qpress::PASSED => Here::Skip(end),
                    None if context == qpress::PASSED => Here::Nothing,
                    _ => Here::Unit(Unit {
                        start: Place { at: start.at, inside: inside(context) },
                        format: Format::Qpress,
                        claim,
                        plain_len: Some(plain_len),
                        has_check: true,
                        is_index: false,
                        kind: Kind::Frame,
                    }),
                }
            }
        })
    }

    /// The offset in its file of the data in the block that begins here.
    pub(super) fn qpress_offset(&self, place: Place) -> Result<Option<u64>> {
        let Some((Format::Qpress, context)) = place.inside else { return Ok(None) };
        Ok(match qpress::piece(&mut self.cursor(place.at), context, false)? {
            Some(qpress::Piece::Block { offset, .. }) => Some(offset),
            _ => None,
        })
    }
}

impl Salvager<'_> {
    /// The same place, as a block of a file that is passed over, if a block of qpress begins there that cannot be of the
    /// first file: its data would be before what was written.
    pub(super) fn same_file(&self, place: Place) -> Result<Place> {
        let is_first = self.options.reading.entry != EntryChoice::All;
        let offset = self.scout.qpress_offset(place)?.filter(|_| is_first);
        let is_other = offset.zip(self.plain).is_some_and(|(offset, plain)| offset < plain);
        let inside = if is_other { Some((Format::Qpress, qpress::PASSED)) } else { place.inside };
        Ok(Place { inside, ..place })
    }

    /// How many plain bytes are missing before the block that begins there, if it is of the same file. `stated` is the
    /// length that the header of a damaged block states, which its checksum does not confirm.
    pub(super) fn qpress_gap(&self, next: Place, stated: Option<u64>) -> Result<Option<u64>> {
        let is_first = self.options.reading.entry != EntryChoice::All;
        if !is_first || next.inside != Some((Format::Qpress, qpress::CHOSEN)) {
            return Ok(stated);
        }
        let mut head = [0; 16];
        let read = self.scout.read(&mut head, 0)?;
        // All blocks of a file but the last one have this length.
        let block_len = qpress::chunk_len(&head[..read]).unwrap_or(u64::MAX);
        let stated = stated.filter(|&stated| stated <= block_len);
        let Some(offset) = self.scout.qpress_offset(next)? else { return Ok(stated) };
        let is_possible = |&gap: &u64| gap <= most_plain(Some(Format::Qpress), self.scout.len);
        let gap = self.plain.and_then(|plain| offset.checked_sub(plain)).filter(is_possible);
        let is_one_block = gap == Some(block_len) && stated != Some(0);
        if gap.is_some() && (gap == stated || is_one_block || self.is_confirmed(next, offset)?) {
            return Ok(gap);
        }
        Ok(stated)
    }

    /// Notes blocks that are missing before this block, which is intact.
    pub(super) fn missing_before(&mut self, unit: &Unit) -> Result<()> {
        let Some(gap @ 1..) = self.qpress_gap(unit.start, Some(0))? else { return Ok(()) };
        let at = unit.start.at;
        let why = "the blocks before the block that begins there are missing";
        self.lose(at..at, Some(gap), 0, why.into())
    }

    /// Whether the block behind the block at `place` has the offset at which that block ends.
    fn is_confirmed(&self, place: Place, offset: u64) -> Result<bool> {
        let Here::Unit(Unit { claim: Some(claim), plain_len: Some(plain_len), .. }) =
            self.scout.look(place)?
        else {
            return Ok(false);
        };
        let next = self.scout.qpress_offset(claim)?;
        Ok(next.is_some() && next == offset.checked_add(plain_len))
    }
}
