//! What begins at a place of a damaged bzip2 file.
//!
//! A block begins at any bit, and nothing says where it ends. So the magic numbers are searched for, going forward only
//! ([`Magics`]): each byte is searched once, whatever is asked. A block may hold a magic number too, so an end is a
//! guess.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pzcomp_bzip2::decode::FIELDS_LEN;

use super::{Context, END_LEN, is_start, may_be_block, scan};
use crate::error::Result;
use crate::format::probe::{Candidate, Here, InputView, Kind, Place, Probe, Searched};
use crate::format::{Cursor, Format, SNIFF_LEN};

const FORMAT: Format = Format::Bzip2;

/// A block is never longer.
const BLOCK_MAX: u64 = 4 << 20;

/// The level of a stream of which nothing is known: its blocks are the longest.
const LEVEL_MAX: u8 = 9;

/// Plain bytes of a block for each level.
const BLOCK_PLAIN: u64 = 100_000;

#[derive(Default)]
pub(super) struct StreamProbe {
    magics: Mutex<Magics>,
}

impl StreamProbe {
    fn stream(&self, view: &dyn InputView, start: Place) -> Result<Here> {
        let mut cursor = view.cursor(start.at);
        let head = cursor.peek(SNIFF_LEN)?;
        let level = level_in(head);
        let found = head.get(Magics::HEADER_LEN as usize..).and_then(scan::find);
        if found.is_some_and(|found| found.is_end && found.at == 0) {
            let end = view.behind(start.at, Magics::HEADER_LEN + END_LEN as u64, None);
            return Ok(end.map_or(Here::Nothing, Here::Skip));
        }
        self.candidate(view, start, start.at + 10, level)
    }

    /// A block inside of a stream, or the end of the stream.
    fn block(&self, view: &dyn InputView, start: Place, Context { level, bit }: Context) -> Result<Here> {
        let at = start.at - u64::from(bit > 0);
        let mut bytes = [0; Magics::MAGIC_LEN as usize];
        let read = view.read(&mut bytes, at)?;
        let found = scan::find(&bytes[..read]).filter(|found| (found.at, found.bit) == (0, bit));
        match found {
            None => Ok(Here::Nothing),
            Some(found) if found.is_end => {
                let len = END_LEN as u64 + u64::from(bit > 0);
                Ok(view.behind(at, len, None).map_or(Here::Nothing, Here::Skip))
            }
            Some(_) => self.candidate(view, start, at + 6, level),
        }
    }

    /// A block that ends where the next magic number behind `from` begins.
    fn candidate(&self, view: &dyn InputView, start: Place, from: u64, level: u8) -> Result<Here> {
        let claim = self.next(view, from..from.saturating_add(BLOCK_MAX), level)?;
        Ok(Here::Candidate(Candidate { claim, ..Candidate::new(start, FORMAT, Kind::Frame) }))
    }

    /// The first block, end or stream that begins in `range`.
    fn next(&self, view: &dyn InputView, range: Range<u64>, level: u8) -> Result<Option<Place>> {
        let mut magics = self.magics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(found) = magics.next(view, range.start, range.end)? else { return Ok(None) };
        if found.is_start && found.at - Magics::HEADER_LEN >= range.start && view.accepts(FORMAT) {
            return Ok(Some(Place::outside(found.at - Magics::HEADER_LEN)));
        }
        let context = Context { level, bit: found.bit }.packed();
        let at = found.at + u64::from(found.bit > 0);
        Ok(Some(Place { at, inside: Some((FORMAT, context)) }))
    }
}

/// The level in the header of a stream.
fn level_in(head: &[u8]) -> u8 {
    head.get(3).map_or(LEVEL_MAX, |digit| digit.wrapping_sub(b'0'))
}

impl Probe for StreamProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let here = match (start.inside, Context::unpacked(start.context())) {
            (None, _) => self.stream(view, start)?,
            (Some(_), Some(context)) => self.block(view, start, context)?,
            (Some(_), None) => Here::Nothing,
        };
        Ok(Some(here))
    }

    fn first_bytes(&self) -> &'static [u8] {
        b"B"
    }

    /// [`Self::find`] finds it.
    fn may_start(&self, _: &[u8]) -> bool {
        false
    }

    fn find(&self, view: &dyn InputView, range: Range<u64>, inside: u8) -> Result<Option<Place>> {
        let level = Context::unpacked(inside).map_or(LEVEL_MAX, |context| context.level);
        self.next(view, range, level)
    }

    fn guesses_ends(&self) -> bool {
        true
    }

    fn may_decode(&self, cursor: &mut dyn Cursor, candidate: &Candidate) -> Result<bool> {
        let (level, bit, magic_end) = match Context::unpacked(candidate.context()) {
            // The candidate begins behind the byte in which the magic number begins.
            Some(Context { level, bit }) => (level, bit, if bit > 0 { 5 } else { 6 }),
            None => (level_in(cursor.peek(4)?), 0, 10),
        };
        cursor.take(magic_end)?;
        // Most places that are none show it in the first bytes.
        for len in [16, FIELDS_LEN] {
            if !may_be_block(cursor.peek(len)?, bit, level) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at_once(&self, candidate: &Candidate) -> u64 {
        let level = Context::unpacked(candidate.context()).map_or(LEVEL_MAX, |context| context.level);
        BLOCK_PLAIN * u64::from(level)
    }

    /// A block is longer than the end of a stream.
    fn is_only_end(&self, _: &dyn InputView, range: Range<u64>) -> Result<bool> {
        Ok(range.end - range.start <= END_LEN as u64 + 1)
    }
}

/// A magic number in the input.
#[derive(Clone, Copy)]
struct MagicAt {
    /// Offset of the byte in which it begins, and the bit.
    at: u64,
    bit: u32,
    /// Whether the header of a stream is before it.
    is_start: bool,
}

/// The magic numbers behind the front.
#[derive(Default)]
struct Magics {
    found: VecDeque<MagicAt>,
    /// Up to where the input was searched.
    searched: u64,
    bytes: Searched,
}

impl Magics {
    /// Length of the header of a stream, before the first magic number.
    const HEADER_LEN: u64 = 4;
    /// A magic number has at most so many bytes, with the bytes in which it begins and ends.
    const MAGIC_LEN: u64 = 7;

    /// The first magic number that begins at or behind `from`, and before `until`.
    fn next(&mut self, view: &dyn InputView, from: u64, until: u64) -> Result<Option<MagicAt>> {
        let front = view.effort().front().saturating_sub(1);
        while self.found.front().is_some_and(|first| first.at < front) {
            self.found.pop_front();
        }
        self.searched = self.searched.max(front);
        loop {
            if let Some(magic) = self.found.iter().find(|magic| magic.at >= from) {
                return Ok(Some(*magic).filter(|magic| magic.at < until));
            }
            if self.searched >= until.min(view.len()) {
                return Ok(None);
            }
            self.search(view)?;
        }
    }

    /// Searches on, up to the next magic number or the end of the bytes that were read.
    fn search(&mut self, view: &dyn InputView) -> Result<()> {
        let is_last = self.bytes.end() >= view.len() && !self.bytes.is_empty();
        let behind = self.bytes.end().saturating_sub(Self::MAGIC_LEN);
        if self.searched < self.bytes.at || !is_last && self.searched >= behind {
            self.bytes.read(view, self.searched.saturating_sub(Self::HEADER_LEN))?;
        }
        let Some(found) = scan::find(self.bytes.from(self.searched)) else {
            let is_last = self.bytes.end() >= view.len();
            let behind = self.bytes.end().saturating_sub(Self::MAGIC_LEN);
            // If the input has shrunk, nothing more is found.
            let has_moved = behind > self.searched;
            self.searched = if is_last || !has_moved { view.len() } else { behind };
            return Ok(());
        };
        let at = self.searched + found.at as u64;
        let head = at.checked_sub(Self::HEADER_LEN).filter(|&head| head >= self.bytes.at && found.bit == 0);
        let is_start = head.is_some_and(|head| is_start(self.bytes.from(head)));
        self.found.push_back(MagicAt { at, bit: found.bit, is_start });
        self.searched = at + 1;
        Ok(())
    }
}
