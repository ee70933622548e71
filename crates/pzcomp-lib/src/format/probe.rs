//! [`Probe`]: what a format recognises at a place of a damaged file.
//!
//! A walker cannot go on behind damage, because it mostly takes everything that follows for part of the damaged frame.
//! So `salvage/` asks the probe of a format again at every place. The answer is a [`Candidate`], bytes to skip, or
//! nothing. A probe repeats only the statements of headers, and decodes nothing: so its answer is a claim. `salvage/`
//! gives the probe a [`InputView`] of the input, which counts the bytes that are read.
//!
//! Each salvage has a probe of its own for each format ([`Codec::probe`](super::Codec::probe)). It may remember what it
//! has seen.

use std::ops::Range;

use super::chain::Chain;
use super::{Cursor, Format};
use crate::effort::{Effort, Purpose};
use crate::error::Result;
use engine::io::RandomAccess;

/// A place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) at: u64,
    /// The stream in which the place is, with the context of what begins there.
    pub(crate) inside: Option<(Format, u8)>,
}

impl Place {
    pub(crate) fn outside(at: u64) -> Self {
        Self { at, inside: None }
    }

    /// The context of what begins there. 0 outside of streams.
    pub(crate) fn context(&self) -> u8 {
        self.inside.map_or(0, |(_, context)| context)
    }
}

/// What begins at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Here {
    /// Bytes without plain data, up to this place.
    Skip(Place),
    Candidate(Candidate),
    /// Nothing that a header states.
    Nothing,
}

/// How a candidate is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As a frame that counts as a whole.
    Frame,
    /// In parts, by [`Probe::rescue`]: a frame of blocks, whose length nothing states. `has_header` says whether its
    /// header is valid.
    Parts { has_header: bool },
    /// To the end of the input: no frame can follow.
    Endless,
}

/// What may be a frame, or a block that is decoded by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) start: Place,
    pub(crate) format: Format,
    /// Where its header says that it ends.
    pub(crate) claim: Option<Place>,
    /// The plain length that its header states.
    pub(crate) plain_len: Option<u64>,
    /// Whether it carries a check of its data.
    pub(crate) has_check: bool,
    /// Whether it is part of an index.
    pub(crate) is_index: bool,
    pub(crate) kind: Kind,
}

impl Candidate {
    /// A candidate of which nothing is stated.
    pub(crate) fn new(start: Place, format: Format, kind: Kind) -> Self {
        Self { start, format, claim: None, plain_len: None, has_check: true, is_index: false, kind }
    }

    /// The context for the decoder.
    pub(crate) fn context(&self) -> u8 {
        self.start.context()
    }
}

/// The input, as a probe sees it.
pub(crate) trait InputView {
    fn place(&self) -> RandomAccess<'_>;
    /// The length of the input.
    fn len(&self) -> u64;
    /// The account of the salvage. Reads of [`Self::place`] are counted in it by the caller.
    fn effort(&self) -> &Effort;
    /// A cursor at this offset, for headers. Its own offset is 0 there.
    fn cursor(&self, at: u64) -> Box<dyn Cursor + '_>;
    /// Fills `buffer` with the bytes at an offset, as far as there are any. Returns how many.
    fn read(&self, buffer: &mut [u8], at: u64) -> Result<usize>;
    /// Where the chain of blocks ends that begins at `first`.
    fn chain_end(&self, format: Format, style: u8, chain: &dyn Chain, first: u64) -> Result<Option<u64>>;
    /// Whether frames of this format are accepted.
    fn accepts(&self, format: Format) -> bool;

    /// A place behind `len` bytes, if it is in the input.
    fn behind(&self, at: u64, len: u64, inside: Option<(Format, u8)>) -> Option<Place> {
        at.checked_add(len).filter(|&end| end <= self.len()).map(|at| Place { at, inside })
    }
}

/// The bytes that a search through the input has before it. They are read going forward, and counted.
#[derive(Default)]
pub(super) struct Searched {
    pub(super) at: u64,
    bytes: Vec<u8>,
}

impl Searched {
    /// How many bytes are read at a time.
    const LEN: usize = 256 << 10;

    /// Reads the bytes from `at` on.
    pub(super) fn read(&mut self, view: &dyn InputView, at: u64) -> Result<()> {
        let left = usize::try_from(view.len() - at.min(view.len())).unwrap_or(usize::MAX);
        self.at = at;
        self.bytes.resize(left.min(Self::LEN), 0);
        let read = view.place().read_at(&mut self.bytes, at)?;
        self.bytes.truncate(read);
        view.effort().spend(Purpose::Scan, read as u64, 0);
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }

    /// The bytes from the offset `at` on.
    pub(super) fn from(&self, at: u64) -> &[u8] {
        let start = usize::try_from(at.saturating_sub(self.at)).unwrap_or(usize::MAX);
        self.bytes.get(start..).unwrap_or_default()
    }
}

/// A part of a frame that decodes.
pub(crate) struct RescuedPart {
    /// The bytes of the part. The first and the last byte may also hold bits of other blocks.
    pub(crate) coded: Range<u64>,
    /// The bit of the first byte at which the part begins.
    pub(crate) bit: u8,
    /// The window before the part. `None` if the part begins with the header of the frame.
    pub(crate) window: Option<Vec<u8>>,
    pub(crate) plain_len: u64,
}

/// What follows in a frame.
pub(crate) enum Rescued {
    Part(RescuedPart),
    /// These bytes do not decode, or what they hold is not known.
    Lost {
        coded: Range<u64>,
        plain_len: Option<u64>,
        why: String,
    },
}

/// A frame, as far as it decodes.
pub(crate) struct RescuedFrame {
    /// Parts and gaps in their order.
    pub(crate) parts: Vec<Rescued>,
    /// Where the frame ends, or where the search has given up.
    pub(crate) end: u64,
    /// What the end of the frame contradicts. `None` if it is right, or if it cannot be compared.
    pub(crate) fault: Option<String>,
    /// Whether the whole frame is there, with the right check.
    pub(crate) is_verified: bool,
    /// Whether what follows the parts was not tried.
    pub(crate) is_refused: bool,
}

/// What a format knows of damaged files.
pub(crate) trait Probe: Send + Sync {
    /// What begins at a place. The place is in a stream of this format, or a frame of this format seems to begin there.
    /// `None` if the stream has ended before: then what begins there outside of the stream counts.
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>>;

    /// Whether files are searched for frames of this format if nothing tells their format.
    fn is_searched(&self) -> bool {
        true
    }

    /// The first bytes of the magic numbers of frames. A search tries [`Self::look`] only behind such a byte, and where
    /// [`Codec::sniff`](super::Codec::sniff) and [`Self::may_start`] say yes.
    fn first_bytes(&self) -> &'static [u8];

    /// Whether a frame may start with these bytes, which begin with a magic number.
    fn may_start(&self, head: &[u8]) -> bool {
        let _ = head;
        true
    }

    /// Whether blocks have magic numbers, by which they are found also if the start of the stream is not known.
    fn has_block_magic(&self) -> bool {
        false
    }

    /// Whether the header of a stream may be lost without harm, because its blocks have headers of their own. They are
    /// then read with the context of the stream before.
    fn has_block_headers(&self) -> bool {
        false
    }

    /// The context of what may begin with these bytes, in a damaged stream whose context was `inside`. It is 0 if that
    /// is not known.
    fn begins_inside(&self, head: &[u8], inside: u8) -> Option<u8> {
        let _ = (head, inside);
        None
    }

    /// The first block or stream in `range`, if these are not found by whole bytes. `inside` is the context of the
    /// stream that was damaged.
    fn find(&self, view: &dyn InputView, range: Range<u64>, inside: u8) -> Result<Option<Place>> {
        let _ = (view, range, inside);
        Ok(None)
    }

    /// The context of a stream whose start is damaged, from the end of the input.
    fn context_at_end(&self, view: &dyn InputView) -> Result<Option<u8>> {
        let _ = view;
        Ok(None)
    }

    /// Whether the ends of candidates are guesses: data may hold what looks like the start of a block.
    fn guesses_ends(&self) -> bool {
        false
    }

    /// Whether a loss between two units leaves no trace that decoding each of them would find.
    fn may_lack_units(&self) -> bool {
        false
    }

    /// Whether this candidate may decode, as far as its first bytes tell at next to no cost. The cursor is at its
    /// start.
    fn may_decode(&self, cursor: &mut dyn Cursor, candidate: &Candidate) -> Result<bool> {
        let _ = (cursor, candidate);
        Ok(true)
    }

    /// How many plain bytes a decoder makes of this candidate before it gives out any, or finds them wrong.
    fn at_once(&self, candidate: &Candidate) -> u64 {
        let _ = candidate;
        0
    }

    /// Whether this candidate states an end that is behind the input. Then a decoder makes nothing of it.
    fn is_cut_off(&self, candidate: &Candidate) -> bool {
        let _ = candidate;
        false
    }

    /// The best ratio that the format can reach, rounded up.
    fn ratio_max(&self) -> u64 {
        16 << 10
    }

    /// Whether the bytes in `range`, which are lost, hold only the end of a stream, without plain data.
    fn is_only_end(&self, view: &dyn InputView, range: Range<u64>) -> Result<bool> {
        let _ = (view, range);
        Ok(false)
    }

    /// What is wrong where nothing begins inside a stream.
    fn missing(&self) -> &'static str {
        "no frame begins there"
    }

    /// Whether a frame of blocks begins at the start of `range`, as far as decoding its start tells.
    fn has_start(&self, view: &dyn InputView, range: Range<u64>) -> Result<bool> {
        let _ = (view, range);
        Ok(false)
    }

    /// The frame at the start of `range`, of the kind [`Kind::Parts`], as far as it decodes. `None` if no header is
    /// there. All work goes through the account.
    fn rescue(
        &self,
        place: RandomAccess,
        range: Range<u64>,
        effort: &Effort,
    ) -> Result<Option<RescuedFrame>> {
        let _ = (place, range, effort);
        Ok(None)
    }

    /// How blocks state where their data belongs, if they do.
    fn offsets(&self) -> Option<&dyn Offsets> {
        None
    }
}

/// A format whose blocks state at which offset of its file their data belongs.
///
/// So the length of a loss follows from the next intact block, and so does a loss that left no trace. The offset has no
/// check: it counts if the block behind or the length of the damaged block confirms it.
pub(crate) trait Offsets {
    /// The offset of the data in the block that begins here. `None` if none begins there, or if data of other files
    /// comes before it in the output.
    fn offset(&self, view: &dyn InputView, place: Place) -> Result<Option<u64>>;

    /// The plain length of all blocks but the last, of the file in which the place is. `None` as for [`Self::offset`].
    fn block_len(&self, view: &dyn InputView, place: Place) -> Result<Option<u64>>;

    /// The same place, as a block of a file that is not wanted.
    fn unwanted(&self, place: Place) -> Place;
}
