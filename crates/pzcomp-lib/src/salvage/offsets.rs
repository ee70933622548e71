//! How many plain bytes are missing before a block that states its offset in its file, as a block of qpress does.
//!
//! The offset minus the plain bytes so far is the plain length of the loss before the block. Only in the first file of
//! an archive are these known. The offset also shows that blocks are missing where no byte of the input is damaged. It
//! has no check: it counts if the block behind it or the length of the damaged block confirms it. `salvager.rs` calls
//! this.

use super::Salvager;
use crate::error::Result;
use crate::format::probe::{Candidate, Here, Offsets, Place};

impl Salvager<'_> {
    /// The same place, as a block of a file that is not wanted, if a block begins there that cannot be of the first
    /// file: its data would be before what was written.
    pub(super) fn same_file(&self, place: Place) -> Result<Place> {
        let Some(offsets) = self.scout.offsets(place) else { return Ok(place) };
        let offset = offsets.offset(&self.scout, place)?;
        let is_other = offset.zip(self.plain).is_some_and(|(offset, plain)| offset < plain);
        Ok(if is_other { offsets.unwanted(place) } else { place })
    }

    /// How many plain bytes are missing before the block that begins there, if it is of the same file. `stated` is the
    /// length that the header of a damaged block states, which its check does not confirm.
    pub(super) fn gap(&self, offsets: &dyn Offsets, next: Place, stated: Option<u64>) -> Result<Option<u64>> {
        let Some(block_len) = offsets.block_len(&self.scout, next)? else { return Ok(stated) };
        let stated = stated.filter(|&stated| stated <= block_len);
        let Some(offset) = offsets.offset(&self.scout, next)? else { return Ok(stated) };
        let format = next.inside.map(|(format, _)| format);
        let most = self.scout.most_plain(format, self.scout.len);
        let gap = self.plain.and_then(|plain| offset.checked_sub(plain)).filter(|&gap| gap <= most);
        let is_one_block = gap == Some(block_len) && stated != Some(0);
        if gap.is_some() && (gap == stated || is_one_block || self.is_confirmed(offsets, next, offset)?) {
            return Ok(gap);
        }
        Ok(stated)
    }

    /// Notes blocks that are missing before this block, which is intact.
    pub(super) fn missing_before(&mut self, block: &Candidate) -> Result<()> {
        let Some(offsets) = self.scout.offsets(block.start) else { return Ok(()) };
        let Some(gap @ 1..) = self.gap(offsets, block.start, Some(0))? else { return Ok(()) };
        let at = block.start.at;
        let why = "the blocks before the block that begins there are missing";
        self.lose(at..at, Some(gap), 0, why.into())
    }

    /// Whether the block behind the block at `place` has the offset at which that block ends.
    fn is_confirmed(&self, offsets: &dyn Offsets, place: Place, offset: u64) -> Result<bool> {
        let Here::Candidate(Candidate { claim: Some(claim), plain_len: Some(plain_len), .. }) =
            self.scout.look(place)?
        else {
            return Ok(false);
        };
        let next = offsets.offset(&self.scout, claim)?;
        Ok(next.is_some() && next == offset.checked_add(plain_len))
    }
}
