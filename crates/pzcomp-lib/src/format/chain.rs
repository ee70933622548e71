//! Frames of zstd and lz4 and Blocks of xz are chains: each block states its coded length, and so where the next one
//! begins.
//!
//! A format says how a link is read ([`Chain`]), and a header ([`ChainFormat`]). The rest follows from this:
//! [`ChainWalker`] finds frames and cuts long ones, [`ChainProbe`] says what begins at a place of a damaged file, and
//! [`frame_len`] measures a frame in memory. Salvage looks at many places that may begin frames, and chains that begin
//! at different places mostly meet. So it asks for one link after another, and remembers where a chain ends.

use super::probe::{Candidate, Here, InputView, Kind, Place, Probe};
use super::{Cursor, Format, Unit, Walker};
use crate::error::Result;

/// What the header of a frame says of its chain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChainStart {
    /// Length of the header: the first block follows it.
    pub(crate) header_len: usize,
    /// What of the header the reading of a block depends on, as whether lz4 blocks carry a checksum. Two chains of one
    /// format and style that meet have the same end. It is also the context of a part.
    pub(crate) style: u8,
    /// Length of what follows the last block.
    pub(crate) tail_len: usize,
    /// The plain length that the header states.
    pub(crate) plain_len: Option<u64>,
    /// Whether the frame carries a check of its data.
    pub(crate) has_check: bool,
    /// Where several workers that share the frame cut it.
    pub(crate) cuts: CutCounter,
}

/// What a place in a chain says, in coded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// A block of this length, behind which another one follows.
    Block(u64),
    /// The last block, of this length.
    Last(u64),
    /// A mark of this length behind the last block, or the place where other data begins.
    End(u64),
}

/// How the links of a chain are read.
pub(crate) trait Chain: Send + Sync {
    /// How many bytes are enough for [`Self::link`].
    fn link_len(&self) -> usize;
    /// The link that begins with these bytes. `None` if they begin none.
    fn link(&self, head: &[u8], style: u8) -> Option<Link>;
}

/// A format whose frames are chains.
pub(crate) trait ChainFormat: Chain {
    /// The name of the check of the data in a frame.
    fn check(&self) -> &'static str;
    /// The length of the header that begins with these bytes. Of no bytes, how many are enough to tell. Not more are
    /// waited for, because a frame may be shorter than the longest header.
    fn header_len(&self, head: &[u8]) -> usize;
    /// The header that begins with these bytes. `None` if they are too few, or not valid.
    fn start(&self, head: &[u8]) -> Option<ChainStart>;
    /// The coded length up to which a frame is not cut that follows one of `before` bytes.
    fn uncut_len(&self, before: u64, start: &ChainStart) -> u64 {
        let _ = (before, start);
        0
    }
}

/// The header at the cursor. `None` if it is not valid.
fn start_at(chain: &(impl ChainFormat + ?Sized), cursor: &mut dyn Cursor) -> Result<Option<ChainStart>> {
    let len = chain.header_len(cursor.peek(chain.header_len(&[]))?);
    Ok(chain.start(cursor.peek(len)?))
}

/// The length of the frame that begins `coded` with this header, if `coded` holds all of it.
pub(super) fn frame_len(chain: &impl ChainFormat, start: &ChainStart, coded: &[u8]) -> Option<usize> {
    let mut at = start.header_len;
    loop {
        let link = chain.link(coded.get(at..)?, start.style)?;
        let (Link::Block(len) | Link::Last(len) | Link::End(len)) = link;
        at += usize::try_from(len).ok()?;
        if !matches!(link, Link::Block(_)) {
            return Some(at + start.tail_len).filter(|&len| len <= coded.len());
        }
    }
}

/// Counts blocks, and says behind which of them a frame is cut.
///
/// Walker and decoder must agree on the cuts. Where the walker does not cut, the output of the decoder leaves at the
/// same places. So the output before an error depends on the input only.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CutCounter {
    /// The number of blocks in a part is a multiple of this. 0 if the frame is not cut.
    step: usize,
    /// A part has at least this many coded bytes.
    part_len: u64,
    blocks: usize,
    /// Coded bytes since the last cut.
    len: u64,
}

impl CutCounter {
    pub(super) const fn new(step: usize, part_len: u64) -> Self {
        Self { step, part_len, blocks: 0, len: 0 }
    }

    /// Counts a block of this many bytes, its header included. It is not the last of the frame.
    pub(super) fn pass(&mut self, len: u64) {
        self.blocks += 1;
        self.len += len;
    }

    /// Whether a cut is here, if the frame does not end here.
    pub(super) fn is_here(&self) -> bool {
        self.step > 0 && self.len >= self.part_len && self.blocks.is_multiple_of(self.step)
    }

    /// Begins again, behind a cut.
    pub(super) fn restart(&mut self) {
        (self.blocks, self.len) = (0, 0);
    }
}

/// Finds frames, and parts of frames.
pub(super) struct ChainWalker<C> {
    chain: C,
    /// Whether several workers can share a frame.
    is_shared: bool,
    /// The coded length of the frame that was passed last.
    last_len: Option<u64>,
    /// The coded length of the current frame so far.
    len: u64,
    /// The current frame is not cut before it is longer than this.
    uncut_len: u64,
    /// The header of the frame, if the next block is inside a frame.
    inside: Option<ChainStart>,
}

impl<C: ChainFormat> ChainWalker<C> {
    /// For this many workers.
    pub(super) fn new(chain: C, workers: usize) -> Self {
        Self { chain, is_shared: workers > 1, last_len: None, len: 0, uncut_len: 0, inside: None }
    }

    /// Passes the header of a frame. `None` if it is not valid.
    fn begin(&mut self, cursor: &mut dyn Cursor) -> Result<Option<ChainStart>> {
        let Some(mut start) = start_at(&self.chain, cursor)? else { return Ok(None) };
        self.len = start.header_len as u64;
        cursor.take(self.len)?;
        self.uncut_len = self.last_len.map_or(0, |before| self.chain.uncut_len(before, &start));
        if !self.is_shared {
            start.cuts = CutCounter::default();
        }
        Ok(Some(start))
    }
}

impl<C: ChainFormat> Walker for ChainWalker<C> {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let check = |start: &ChainStart| if start.has_check { self.chain.check() } else { "-" };
        if let Some(start) = &self.inside {
            return Ok(Unit::part(start.style, check(start)));
        }
        Ok(match start_at(&self.chain, cursor)? {
            Some(start) => Unit::frame(start.plain_len, check(&start)),
            None => Unit::rest("-"),
        })
    }

    /// Passes blocks, to the end of the frame or to the next cut. If a block is not valid, the rest of the input
    /// belongs to the frame, and the decoder says what is wrong.
    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let start = match self.inside.take() {
            Some(start) => Some(start),
            None => self.begin(cursor)?,
        };
        let Some(mut start) = start else { return cursor.take_rest() };
        loop {
            let head = cursor.peek(self.chain.link_len())?;
            let link = self.chain.link(head, start.style);
            // A frame is not cut where the input ends, because a job without input would find nothing wrong.
            let is_end = head.len() < self.chain.link_len() || matches!(link, Some(Link::End(_)));
            if start.cuts.is_here() && !is_end {
                start.cuts.restart();
                if self.len > self.uncut_len {
                    self.inside = Some(start);
                    return Ok(());
                }
            }
            let Some(link) = link else { return cursor.take_rest() };
            let (Link::Block(len) | Link::Last(len) | Link::End(len)) = link;
            if !cursor.take(len)? {
                return Ok(());
            }
            self.len += len;
            if !matches!(link, Link::Block(_)) {
                self.last_len = Some(self.len);
                return cursor.take(start.tail_len as u64).map(drop);
            }
            start.cuts.pass(len);
        }
    }

    fn is_inside(&self) -> bool {
        self.inside.is_some()
    }
}

/// The probe of a format whose frames are chains.
pub(super) struct ChainProbe {
    pub(super) format: Format,
    pub(super) chain: &'static dyn ChainFormat,
    /// The first bytes of the magic numbers.
    pub(super) first_bytes: &'static [u8],
    /// The best ratio that the format can reach, rounded up.
    pub(super) ratio_max: u64,
}

impl Probe for ChainProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let frame = Candidate { has_check: false, ..Candidate::new(start, self.format, Kind::Frame) };
        let Some(head) = start_at(self.chain, &mut *view.cursor(start.at))? else {
            return Ok(Some(Here::Candidate(frame)));
        };
        let first = start.at + head.header_len as u64;
        let end = view.chain_end(self.format, head.style, self.chain, first)?;
        let claim = end.and_then(|end| view.behind(end, head.tail_len as u64, None));
        let ChainStart { plain_len, has_check, .. } = head;
        Ok(Some(Here::Candidate(Candidate { claim, plain_len, has_check, ..frame })))
    }

    fn first_bytes(&self) -> &'static [u8] {
        self.first_bytes
    }

    fn ratio_max(&self) -> u64 {
        self.ratio_max
    }
}
