//! [`Scout`]: what begins at a place of the input, as the headers there say.
//!
//! The walkers of the formats cannot go on behind damage, and most of them take everything that follows for part of the
//! damaged frame. So [`Scout::look`] asks again at every place, and says only what a header really states. Nothing is
//! decoded here; all that is stated is a claim.

use crate::decompress::RangeCursor;
use crate::error::Result;
use crate::format::{Accepted, Cursor, Format, Reading, SNIFF_LEN, Unit as WalkerUnit, UnitKind};
use crate::format::{bzip2, gzip, lzip, skippable, xz};
use crate::io::RandomAccess;
use crate::options::Options;
use crate::pipeline::Segment;

/// A place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: u64,
    /// The stream in which the place is, with the context of what begins there.
    pub(super) inside: Option<(Format, u8)>,
}

impl Place {
    pub(super) fn outside(at: u64) -> Self {
        Self { at, inside: None }
    }
}

/// What begins at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Here {
    /// Bytes without plain data, up to this place.
    Skip(Place),
    Unit(Unit),
    /// Nothing that a header states.
    Nothing,
}

/// How a unit is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As a frame that counts as a whole.
    Frame,
    /// As a gzip member of blocks, whose length nothing states.
    Member,
    /// To the end of the input: no frame can follow.
    Endless,
}

/// A frame, or a block that is decoded by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) start: Place,
    pub(super) format: Format,
    /// Where its header says that it ends.
    pub(super) claim: Option<Place>,
    /// The plain length that its header states.
    pub(super) plain_len: Option<u64>,
    /// Whether it carries a check of its data.
    pub(super) has_check: bool,
    /// Whether it is part of an index.
    pub(super) is_index: bool,
    pub(super) kind: Kind,
}

impl Unit {
    /// The context for the decoder.
    pub(super) fn context(&self) -> u8 {
        self.start.inside.map_or(0, |(_, context)| context)
    }
}

/// A block of bzip2 is never longer.
const BZIP2_BLOCK_MAX: u64 = 4 << 20;

/// How many bytes are read to find the next block of bzip2.
const BZIP2_LOOK_LEN: usize = 256 << 10;

/// The longest header of gzip up to its extra field.
const GZIP_HEAD_LEN: usize = 12 + (64 << 10);

/// Looks at places of an input.
pub(super) struct Scout<'a> {
    pub(super) place: RandomAccess<'a>,
    pub(super) len: u64,
    pub(super) accepted: Accepted,
    pub(super) reading: Reading,
}

impl<'a> Scout<'a> {
    pub(super) fn new(place: RandomAccess<'a>, len: u64, options: &Options) -> Self {
        let accepted = Accepted::new(options.accept);
        Self { place, len, accepted, reading: Reading::new(options, 1, u64::MAX) }
    }

    pub(super) fn cursor(&self, at: u64) -> Probe<'a> {
        Probe { inner: RangeCursor::new(self.place, at..self.len), is_beyond: false }
    }

    /// What begins at this place.
    pub(super) fn look(&self, place: Place) -> Result<Here> {
        match place.inside {
            _ if place.at >= self.len => Ok(Here::Nothing),
            Some((Format::Bzip2, context)) => self.bzip2_block(place, context),
            Some((Format::Xz, context)) => self.xz_piece(place, context),
            Some((Format::Qpress, context)) => self.qpress_piece(place, context),
            Some((format, context)) => match format.codec().blocks() {
                Some(blocks) => self.block(place, format, blocks, context),
                None => self.outside(place),
            },
            None => self.outside(place),
        }
    }

    pub(super) fn outside(&self, place: Place) -> Result<Here> {
        let mut cursor = self.cursor(place.at);
        let head = cursor.peek(SNIFF_LEN)?;
        if let Some(len) = self.accepted.skippable(head) {
            let end = place.at + skippable::HEADER_LEN as u64 + u64::from(len);
            return Ok(if end <= self.len { Here::Skip(Place::outside(end)) } else { Here::Nothing });
        }
        let Some(format) = self.accepted.sniff(head, place.at) else { return Ok(Here::Nothing) };
        match format {
            Format::Gzip => self.gzip_member(place),
            Format::Xz => self.xz_piece(place, 0),
            Format::Bzip2 => self.bzip2_start(place),
            Format::Lzip => self.lzip_member(place),
            Format::Qpress => self.qpress_piece(place, 0),
            Format::Zstd | Format::Lz4 => self.walked(place, format),
            _ => match format.codec().blocks() {
                Some(blocks) => self.block(place, format, blocks, blocks.first_context()),
                None => Ok(self.unit(place, format, Kind::Endless)),
            },
        }
    }

    /// A unit of which nothing is stated.
    pub(super) fn unit(&self, start: Place, format: Format, kind: Kind) -> Here {
        let unit =
            Unit { start, format, claim: None, plain_len: None, has_check: true, is_index: false, kind };
        Here::Unit(unit)
    }

    /// A place behind `len` bytes, if it is in the input.
    pub(super) fn behind(&self, at: u64, len: u64, inside: Option<(Format, u8)>) -> Option<Place> {
        at.checked_add(len).filter(|&end| end <= self.len).map(|at| Place { at, inside })
    }

    /// A frame of zstd or lz4, whose walker goes from block to block.
    fn walked(&self, start: Place, format: Format) -> Result<Here> {
        let mut cursor = self.cursor(start.at);
        let mut walker = format.codec().walker(1, &self.reading);
        let WalkerUnit { kind, plain_len, check, .. } = walker.unit(&mut cursor)?;
        walker.pass(&mut cursor)?;
        let end = start.at + Cursor::offset(&cursor);
        let claim = (!cursor.is_beyond && kind == UnitKind::Frame).then(|| Place::outside(end));
        let has_check = check != "-";
        let unit = Unit { start, format, claim, plain_len, has_check, is_index: false, kind: Kind::Frame };
        Ok(Here::Unit(unit))
    }

    fn gzip_member(&self, start: Place) -> Result<Here> {
        let mut cursor = self.cursor(start.at);
        let Some(found) = gzip::member_claim(cursor.peek(GZIP_HEAD_LEN)?) else {
            // The header may be of an old kind, or it is damaged. The decoder tells.
            return Ok(self.unit(start, Format::Gzip, Kind::Member));
        };
        let Some(size) = found.size else { return Ok(self.unit(start, Format::Gzip, Kind::Member)) };
        let claim = self.behind(start.at, size, None);
        let mut plain_len = None;
        if let Some(Place { at: end, .. }) = claim {
            let mut isize = [0; 4];
            self.place.read_at(&mut isize, end.saturating_sub(4))?;
            plain_len = Some(u32::from_le_bytes(isize).into());
        }
        let unit = Unit {
            start,
            format: Format::Gzip,
            claim,
            plain_len,
            has_check: true,
            is_index: found.is_index,
            kind: Kind::Frame,
        };
        Ok(Here::Unit(unit))
    }

    fn lzip_member(&self, start: Place) -> Result<Here> {
        let mut cursor = self.cursor(start.at);
        if !lzip::is_header(cursor.peek(SNIFF_LEN)?) {
            return Ok(self.unit(start, Format::Lzip, Kind::Endless));
        }
        let mut walker = Format::Lzip.codec().walker(1, &self.reading);
        walker.unit(&mut cursor)?;
        walker.pass(&mut cursor)?;
        let (mut claim, mut plain_len) = (None, None);
        let len = Cursor::offset(&cursor);
        let mut trailer = [0; 16];
        if let Some(at) = (start.at + len).checked_sub(16) {
            self.place.read_at(&mut trailer, at)?;
            let [p0, p1, p2, p3, p4, p5, p6, p7, stated @ ..] = trailer;
            // The walker goes to the end of the input if it finds no header.
            if u64::from_le_bytes(stated) == len {
                claim = Some(Place::outside(start.at + len));
                plain_len = Some(u64::from_le_bytes([p0, p1, p2, p3, p4, p5, p6, p7]));
            }
        }
        let kind = Kind::Frame;
        let unit =
            Unit { start, format: Format::Lzip, claim, plain_len, has_check: true, is_index: false, kind };
        Ok(Here::Unit(unit))
    }

    fn xz_piece(&self, start: Place, context: u8) -> Result<Here> {
        let mut cursor = self.cursor(start.at);
        let inside = |context: u8| Some((Format::Xz, context));
        Ok(match xz::piece(&mut cursor, context)? {
            None if context == 0 => Here::Nothing,
            // Another Stream may begin here if the Index before it is missing.
            None => match xz::piece(&mut self.cursor(start.at), 0)? {
                Some(_) => self.xz_piece(Place::outside(start.at), 0)?,
                None => Here::Nothing,
            },
            Some(xz::XzPiece::StreamHeader { context }) => {
                Here::Skip(Place { at: start.at + xz::STREAM_HEADER_LEN as u64, inside: inside(context) })
            }
            Some(xz::XzPiece::End { len }) => Here::Skip(Place::outside(start.at + len)),
            Some(xz::XzPiece::Block { len, plain_len, has_check }) => Here::Unit(Unit {
                start: Place { at: start.at, inside: inside(context) },
                format: Format::Xz,
                claim: len.and_then(|len| self.behind(start.at, len, inside(context))),
                plain_len,
                has_check,
                is_index: false,
                kind: Kind::Frame,
            }),
        })
    }

    /// The start of a bzip2 stream.
    fn bzip2_start(&self, start: Place) -> Result<Here> {
        let mut cursor = self.cursor(start.at);
        let head = cursor.peek(SNIFF_LEN)?;
        let level = head.get(3).map_or(9, |digit| digit.wrapping_sub(b'0'));
        let is_end =
            head.get(4..).and_then(bzip2::find_magic).is_some_and(|found| found.is_end && found.at == 0);
        if is_end {
            let end = self.behind(start.at, 4 + bzip2::END_LEN as u64, None);
            return Ok(end.map_or(Here::Nothing, Here::Skip));
        }
        let claim = self.next_bzip2(start.at + 10, level)?;
        Ok(self.bzip2_unit(start, claim))
    }

    fn bzip2_unit(&self, start: Place, claim: Option<Place>) -> Here {
        let kind = Kind::Frame;
        let format = Format::Bzip2;
        Here::Unit(Unit { start, format, claim, plain_len: None, has_check: true, is_index: false, kind })
    }

    /// A block inside of a bzip2 stream, or the end of the stream.
    fn bzip2_block(&self, start: Place, context: u8) -> Result<Here> {
        let (Some(level), Some(bit)) = (bzip2::level_of(context), bzip2::bit_of(context)) else {
            return Ok(Here::Nothing);
        };
        let at = start.at - u64::from(bit > 0);
        let mut bytes = [0; 7];
        let read = self.place.read_at(&mut bytes, at)?;
        let found = bzip2::find_magic(&bytes[..read]).filter(|found| (found.at, found.bit) == (0, bit));
        match found {
            None => Ok(Here::Nothing),
            Some(found) if found.is_end => {
                let len = bzip2::END_LEN as u64 + u64::from(bit > 0);
                Ok(self.behind(at, len, None).map_or(Here::Nothing, Here::Skip))
            }
            Some(_) => {
                let claim = self.next_bzip2(at + 6, level)?;
                Ok(self.bzip2_unit(start, claim))
            }
        }
    }

    /// The next block or end of a bzip2 stream behind `from`.
    pub(super) fn next_bzip2(&self, from: u64, level: u8) -> Result<Option<Place>> {
        let last = self.len.min(from.saturating_add(BZIP2_BLOCK_MAX));
        let mut at = from;
        while at < last {
            let mut bytes = vec![0; BZIP2_LOOK_LEN];
            let read = self.place.read_at(&mut bytes, at)?;
            if let Some(found) = bzip2::find_magic(&bytes[..read]) {
                return Ok(Some(self.bzip2_place(at, found, level, &bytes)));
            }
            // A magic number may be cut off at the end of the bytes.
            at += (BZIP2_LOOK_LEN - 8) as u64;
        }
        Ok(None)
    }

    /// The place of a magic number that was found in `bytes`, which begin at the offset `at`.
    pub(super) fn bzip2_place(&self, at: u64, found: bzip2::Magic, level: u8, bytes: &[u8]) -> Place {
        let offset = at + found.at as u64;
        let start = found.at.checked_sub(4).and_then(|start| bytes.get(start..));
        if found.bit == 0
            && start.is_some_and(|start| self.accepted.sniff(start, offset - 4) == Some(Format::Bzip2))
        {
            return Place::outside(offset - 4);
        }
        let context = bzip2::context_of(level, found.bit);
        Place { at: offset + u64::from(found.bit > 0), inside: Some((Format::Bzip2, context)) }
    }

    /// Whether a unit can end at this place: the input ends there, or something begins there that a magic number or a
    /// checksum shows.
    pub(super) fn is_boundary(&self, place: Place) -> Result<bool> {
        if place.at >= self.len {
            return Ok(place.at == self.len);
        }
        Ok(match self.look(place)? {
            Here::Nothing => false,
            Here::Skip(_) => true,
            Here::Unit(Unit { kind: Kind::Endless, .. }) => false,
            Here::Unit(Unit { kind: Kind::Member, .. }) => {
                gzip::member_claim(self.cursor(place.at).peek(GZIP_HEAD_LEN)?).is_some()
            }
            Here::Unit(_) => true,
        })
    }
}

/// A cursor that notes whether a walker has left the input or given up.
pub(super) struct Probe<'a> {
    inner: RangeCursor<'a>,
    is_beyond: bool,
}

impl Cursor for Probe<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        self.inner.peek(len)
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.inner.peek_far(len)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        self.inner.next_segment(most)
    }

    fn offset(&self) -> u64 {
        self.inner.offset()
    }

    fn take(&mut self, mut len: u64) -> Result<bool> {
        while len > 0 {
            let Some(segment) = self.next_segment(len)? else {
                self.is_beyond = true;
                return Ok(false);
            };
            len -= segment.len();
        }
        Ok(true)
    }

    fn take_rest(&mut self) -> Result<()> {
        self.is_beyond = true;
        while self.next_segment(u64::MAX)?.is_some() {}
        Ok(())
    }
}
