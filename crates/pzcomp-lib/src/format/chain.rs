//! Frames of zstd and lz4 and Blocks of xz are chains: each block states its coded length, and so where the next one
//! begins.
//!
//! The walkers have code of their own. This trait is for salvage, which looks at many places that may begin frames, and
//! chains that begin at different places mostly meet. So it asks for one link after another, and remembers where a
//! chain ends. [`ChainProbe`] is the probe of zstd and lz4.

use super::probe::{Candidate, Here, InputView, Kind, Place, Probe};
use super::{Cursor, Format};
use crate::error::Result;

/// What the header of a frame says of its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChainStart {
    /// Length of the header: the first block follows it.
    pub(crate) header_len: u64,
    /// What of the header the reading of a block depends on, as whether lz4 blocks carry a checksum. Two chains of one
    /// format and style that meet have the same end.
    pub(crate) style: u8,
    /// Length of what follows the last block.
    pub(crate) tail_len: u64,
    /// The plain length that the header states.
    pub(crate) plain_len: Option<u64>,
    /// Whether the frame carries a check of its data.
    pub(crate) has_check: bool,
}

/// What a place in a chain says, in coded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// A block of this length, behind which another one follows.
    Block(u64),
    /// The end of the chain is so many bytes behind this place.
    End(u64),
}

/// A format whose frames are such chains.
pub(crate) trait ChainFormat: Sync {
    /// How many bytes are enough for [`Self::link`].
    fn link_len(&self) -> usize;
    /// The header at the cursor. `None` if it is not valid.
    fn start(&self, cursor: &mut dyn Cursor) -> Result<Option<ChainStart>>;
    /// The link that begins with these bytes. `None` if they begin none.
    fn link(&self, head: &[u8], style: u8) -> Option<Link>;
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
        let Some(head) = self.chain.start(&mut *view.cursor(start.at))? else {
            return Ok(Some(Here::Candidate(frame)));
        };
        let end = view.chain_end(self.format, head.style, self.chain, start.at + head.header_len)?;
        let claim = end.and_then(|end| view.behind(end, head.tail_len, None));
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
