//! Streams of blocks that state both of their lengths and do not depend on each other: the walker and the decoder of
//! such formats, and their probe.
//!
//! lzop, the framing format of Snappy and LZF are such streams. A format implements [`BlockFormat`]: it says what
//! begins with some bytes ([`BlockFormat::look`]) and decodes one block. [`BlockWalker`] then makes each block a unit
//! of its own, with its plain length, and [`BlockDecoder`] decodes the units. `salvage/` looks at places with the same
//! function.
//!
//! A block has no magic number. So `salvage/` believes a block only if headers lead on from it, or if it decodes; and
//! the walker gives the unit of a block a context, which is never 0 and says which checks the blocks of the stream
//! carry. Walker and decoder parse the same bytes with the same function, so no end is guessed.

mod decoder;

use decoder::BlockDecoder;

use super::places::Places;
use super::probe::{Candidate, Here, InputView, Kind, Place, Probe};
use super::serial::FrameErrors;
use super::{Codec, Cursor, Decoder, Format, Info, Reading, Starts, Unit, Walker, WritingCodec};
use crate::error::{Damage, Error, Result};
use crate::options::Decode;

/// The only context of a format whose blocks all carry the same checks.
pub(super) const INSIDE: u8 = 1;

/// A format whose streams are blocks. The defaults are for a stream without a header and without a mark at its end,
/// whose blocks all carry the same checks.
pub(crate) trait BlockFormat: Sync {
    /// The format itself, as its row in the table has it.
    fn itself(&self) -> &'static dyn BlockFormat;
    fn format(&self) -> Format;
    fn info(&self) -> &'static Info;
    /// Whether a stream begins with these bytes.
    fn sniff(&self, head: &[u8]) -> bool;
    /// Where in the input a stream is recognised.
    fn starts(&self) -> Starts {
        Starts::Anywhere
    }
    /// The first byte of the magic number of a stream.
    fn first_byte(&self) -> &'static [u8];
    /// The best ratio that the format can reach, rounded up.
    fn ratio_max(&self) -> u64;
    /// Whether a file is searched for the blocks if nothing tells its format. A format whose blocks have no check is
    /// not searched for, because chance would be taken for data.
    fn is_searched(&self) -> bool {
        true
    }
    /// The places in its files. A format that also has an index says how it is read.
    fn places(&self) -> &'static dyn Places {
        &BlockPlaces
    }
    /// How the format is written. Nothing if it is not written.
    fn writing(&self) -> Option<&dyn WritingCodec> {
        None
    }
    /// What the format calls a block.
    fn unit(&self) -> &'static str;
    /// The context of the first byte of a stream. 0 if a header comes first, which is looked at with the context 0.
    fn first_context(&self) -> u8 {
        INSIDE
    }
    /// The context to try if the header of a stream is damaged.
    fn usual_context(&self) -> u8 {
        INSIDE
    }
    /// Whether a stream has a mark at its end, and is cut off without it.
    fn has_end_mark(&self) -> bool {
        false
    }
    /// What begins with these bytes.
    fn look(&self, bytes: &[u8], context: u8) -> Look;
    /// Whether a block may begin with these bytes, which do not hold all of it. An answer of no is certain.
    fn may_be_block(&self, head: &[u8], context: u8) -> bool {
        let _ = (head, context);
        true
    }
    /// Decodes a block, which fills `coded`, into `plain`, which has the plain length of the block. Verifies all
    /// checks.
    fn decode(&self, coded: &[u8], plain: &mut [u8], context: u8) -> Result<(), Fault>;
}

impl<B: BlockFormat> Codec for B {
    fn info(&self) -> &'static Info {
        BlockFormat::info(self)
    }

    fn sniff(&self, head: &[u8]) -> bool {
        BlockFormat::sniff(self, head)
    }

    fn starts(&self) -> Starts {
        BlockFormat::starts(self)
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(BlockWalker::new(self.itself()))
    }

    fn decoder(&self, reading: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(BlockDecoder::new(self.itself(), reading)))
    }

    fn blocks(&self) -> Option<&'static dyn BlockFormat> {
        Some(self.itself())
    }

    fn probe(&self, _: &Reading) -> Option<Box<dyn Probe>> {
        Some(Box::new(BlockProbe(self.itself())))
    }

    fn places(&self) -> &'static dyn Places {
        BlockFormat::places(self)
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        BlockFormat::writing(self)
    }
}

/// What begins at a place of a stream.
pub(crate) enum Look {
    /// So many bytes from that place on are needed to tell.
    More(usize),
    Item(Item),
    /// Bytes that do not belong to the stream, which has ended before them.
    Outside,
    /// Bytes that cannot be read.
    Refused(Fault),
}

/// A part of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its length with its own header.
    pub(crate) len: u64,
    pub(crate) kind: ItemKind,
}

/// The kind of an [`Item`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// The header of a stream. The blocks behind it have this context.
    Header { context: u8 },
    /// A block, with the name of its check, which is `-` if it has none.
    Block { plain_len: usize, check: &'static str },
    /// The mark at the end of a stream.
    End,
}

/// What is wrong with a block or a header. The words follow "the block that begins there".
pub(crate) enum Fault {
    Corrupt(String, Damage),
    Unsupported(String),
}

impl Fault {
    /// Bytes that are not valid.
    pub(super) fn form(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into(), Damage::Form)
    }

    /// Another length than the one that is stated.
    pub(super) fn length(what: String) -> Self {
        Self::Corrupt(what, Damage::Length)
    }

    /// A checksum that does not match.
    pub(super) fn check(kind: &str, found: u32, stated: u32) -> Self {
        Self::Corrupt(format!("has the {kind} {found:08x}, expected {stated:08x}"), Damage::Check)
    }

    fn error(self, frame: FrameErrors) -> Error {
        match self {
            Self::Corrupt(what, damage) => frame.corrupt(what).by(damage),
            Self::Unsupported(what) => frame.unsupported(what),
        }
    }
}

/// What begins at the cursor. `None` if the input ends before that is known; the second value is how many bytes there
/// are then.
pub(crate) fn look_at(
    format: &dyn BlockFormat,
    cursor: &mut dyn Cursor,
    context: u8,
) -> Result<(Option<Look>, usize)> {
    let mut needed = 1;
    loop {
        let bytes = cursor.peek(needed)?;
        if bytes.len() < needed {
            return Ok((None, bytes.len()));
        }
        match format.look(&bytes[..needed], context) {
            Look::More(more) => needed = more.max(needed + 1),
            look => return Ok((Some(look), needed)),
        }
    }
}

/// The name of the check of the block that begins at the cursor.
pub(crate) fn check_at(
    format: &dyn BlockFormat,
    cursor: &mut dyn Cursor,
    context: u8,
) -> Result<&'static str> {
    Ok(match look_at(format, cursor, context)?.0 {
        Some(Look::Item(Item { kind: ItemKind::Block { check, .. }, .. })) => check,
        _ => "-",
    })
}

/// The places of a format whose streams are blocks: decoding can begin at each block.
struct BlockPlaces;

impl Places for BlockPlaces {
    fn may_begin(&self, _: u64, _: u8, next: u8) -> bool {
        next == 0
    }
}

/// Makes a unit of each block.
struct BlockWalker {
    format: &'static dyn BlockFormat,
    /// The context of the next byte, inside a stream.
    context: Option<u8>,
    /// Where the stream begins.
    start: u64,
    /// What the next unit is. [`Walker::unit`] sets it for [`Walker::pass`].
    item: Option<Item>,
}

impl BlockWalker {
    fn new(format: &'static dyn BlockFormat) -> Self {
        Self { format, context: None, start: 0, item: None }
    }
}

impl Walker for BlockWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let context = self.context.unwrap_or_else(|| {
            self.start = cursor.offset();
            self.format.first_context()
        });
        let (look, len) = look_at(self.format, cursor, context)?;
        if look.is_none() && len == 0 {
            // Only a stream with a mark at its end is continued here.
            let (format, offset) = (self.format.info().name, cursor.offset());
            return Err(Error::Truncated { format, frame: self.start, offset });
        }
        self.item = match look {
            Some(Look::Item(item)) => Some(item),
            _ => None,
        };
        Ok(match self.item.map(|item| item.kind) {
            Some(ItemKind::Block { plain_len, check }) => {
                Unit { context, ..Unit::frame(Some(plain_len as u64), check) }
            }
            Some(ItemKind::Header { .. }) => Unit::HEADER,
            Some(ItemKind::End) => Unit::SKIP,
            // The decoder says what is wrong.
            None => Unit { context, ..Unit::rest("-") },
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let context = self.context.take().unwrap_or_else(|| self.format.first_context());
        let Some(item) = self.item.take() else { return cursor.take_rest() };
        if !cursor.take(item.len)? {
            // The worker that decodes the block reports that it is cut off. A header is at hand completely.
            return Ok(());
        }
        self.context = match item.kind {
            ItemKind::Header { context } => Some(context),
            ItemKind::Block { .. } => Some(context),
            ItemKind::End => None,
        };
        Ok(())
    }

    fn is_inside(&self) -> bool {
        self.context.is_some()
    }

    /// A stream without a mark at its end continues as long as blocks follow.
    fn continues(&mut self, cursor: &mut dyn Cursor) -> Result<bool> {
        let Some(context) = self.context.filter(|_| !self.format.has_end_mark()) else {
            return Ok(self.context.is_some());
        };
        let (look, len) = look_at(self.format, cursor, context)?;
        if matches!(look, Some(Look::Outside)) || look.is_none() && len == 0 {
            self.context = None;
        }
        Ok(self.context.is_some())
    }
}

/// The probe of such a format.
struct BlockProbe(&'static dyn BlockFormat);

impl Probe for BlockProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let context = match start.inside {
            Some((_, context)) => context,
            None => self.0.first_context(),
        };
        let (look, _) = look_at(self.0, &mut *view.cursor(start.at), context)?;
        let inside = (context != 0).then_some((self.0.format(), context));
        let here = Place { at: start.at, inside };
        let skip = |end: Option<Place>| end.map_or(Here::Nothing, Here::Skip);
        Ok(Some(match look {
            Some(Look::Item(Item { len, kind: ItemKind::Block { plain_len, check } })) => {
                let claim = view.behind(start.at, len, inside);
                let (plain_len, has_check) = (Some(plain_len as u64), check != "-");
                let block = Candidate::new(here, self.0.format(), Kind::Frame);
                Here::Candidate(Candidate { claim, plain_len, has_check, ..block })
            }
            Some(Look::Item(Item { len, kind: ItemKind::Header { context } })) => {
                skip(view.behind(start.at, len, Some((self.0.format(), context))))
            }
            Some(Look::Item(Item { len, kind: ItemKind::End })) => skip(view.behind(start.at, len, None)),
            // Another stream may begin here.
            Some(Look::Outside | Look::Refused(_)) if start.inside.is_some() => return Ok(None),
            // The header is damaged. The blocks behind it are searched for with the usual context.
            Some(Look::Refused(_)) if context == 0 => {
                let inside = Some((self.0.format(), self.0.usual_context()));
                Here::Candidate(Candidate::new(Place { inside, ..start }, self.0.format(), Kind::Frame))
            }
            _ => Here::Nothing,
        }))
    }

    fn is_searched(&self) -> bool {
        self.0.is_searched()
    }

    fn first_bytes(&self) -> &'static [u8] {
        self.0.first_byte()
    }

    /// A block that holds data.
    fn begins_inside(&self, head: &[u8], inside: u8) -> Option<u8> {
        let look = || self.0.look(head, inside);
        let is_block = inside != 0
            && matches!(
                look(),
                Look::More(_) | Look::Item(Item { kind: ItemKind::Block { plain_len: 1.., .. }, .. })
            );
        is_block.then_some(inside)
    }

    fn may_lack_units(&self) -> bool {
        true
    }

    fn may_decode(&self, cursor: &mut dyn Cursor, candidate: &Candidate) -> Result<bool> {
        /// Chance is found out in a few bytes mostly.
        const HEAD_LENS: [usize; 3] = [64, 256, 1024];
        let Some(claim) = candidate.claim else { return Ok(true) };
        for len in HEAD_LENS {
            if len as u64 >= claim.at - candidate.start.at {
                break;
            }
            if !self.0.may_be_block(cursor.peek(len)?, candidate.context()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at_once(&self, candidate: &Candidate) -> u64 {
        candidate.plain_len.unwrap_or(0)
    }

    fn is_cut_off(&self, candidate: &Candidate) -> bool {
        candidate.plain_len.is_some() && candidate.claim.is_none()
    }

    fn ratio_max(&self) -> u64 {
        self.0.ratio_max()
    }
}
