//! Finds where decoding can go on in a damaged gzip member.
//!
//! `rescue.rs` calls [`Resync::find_known`] with the place of the damage. The block finder looks for a place at which a
//! block may begin. Decoding goes on there with markers, which stand for the unknown 32 KiB before it. As soon as a block
//! begins whose window has no marker left, all bytes that follow are known.
//!
//! A place is believed only if several whole blocks decode from it, because bits look like a header by chance now and
//! then.

use std::ops::Range;

use pzcomp_deflate::inflate::{
    BlockFinder, Boundary, HEADER_MAX, Inflate, Marked, Output, Pause, WINDOW_LEN, are_bytes,
    continue_with_markers,
};

use super::super::header::TRAILER_LEN;
use super::super::is_member;
use super::header_fields::read_header;
use super::restart::{MemberSum, PartInput, verify};
use crate::error::Result;
use crate::io::RandomAccess;

/// How much plain data is decoded at a time.
const PLAIN_LEN: usize = 256 << 10;

/// How many coded bytes are searched at a time.
const LOOK_LEN: u64 = 256 << 10;

/// A member is believed to begin where so many plain bytes decode without an error.
const TRIED_LEN: u64 = 4 << 20;

/// How many whole blocks must decode behind a place before it is believed that a block begins there.
const TRIED_BLOCKS: usize = 2;

/// Where a decoder stands between two blocks.
#[derive(Clone, Copy)]
pub(super) struct BlockStart {
    pub(super) at: u64,
    pub(super) bit: u8,
}

impl BlockStart {
    /// The place behind `offset` bytes, of which this boundary is left.
    pub(super) fn of(offset: u64, boundary: Boundary) -> Self {
        let bits = boundary.bits() as u8;
        Self { at: offset - u64::from(bits > 0), bit: (8 - bits) % 8 }
    }

    /// The end of the bytes that hold a bit before this place.
    pub(super) fn bytes_before(self) -> u64 {
        self.at + u64::from(self.bit > 0)
    }
}

/// Where decoding can go on.
pub(super) enum Next {
    /// At a block, with the window before it.
    Known { start: BlockStart, window: Vec<u8> },
    /// Nowhere before this offset, where the member ends, another begins, or the input ends.
    End(u64),
}

/// What became of decoding without a window.
enum Trial {
    Wrong,
    Known {
        start: BlockStart,
        window: Vec<u8>,
    },
    /// The stream ends here, and its window is still not known.
    End(u64),
}

/// Searches a member, and what follows it.
pub(super) struct Resync<'a> {
    place: RandomAccess<'a>,
    len: u64,
    finder: BlockFinder,
    stream: Inflate,
    marked: Inflate<Marked>,
}

impl<'a> Resync<'a> {
    /// To search the first `len` bytes of `place`.
    pub(super) fn new(place: RandomAccess<'a>, len: u64) -> Self {
        let (finder, stream, marked) = (BlockFinder::default(), Inflate::new(), Inflate::new());
        Self { place, len, finder, stream, marked }
    }

    /// Finds the next block behind `from` whose window is known.
    pub(super) fn find_known(&mut self, from: BlockStart) -> Result<Next> {
        // The block at that place is the damaged one.
        let mut at = from.at + 1;
        while at < self.len {
            let mut bytes = vec![0; (self.len - at).min(LOOK_LEN + HEADER_MAX as u64) as usize];
            let read = self.place.read_at(&mut bytes, at)?;
            bytes.truncate(read);
            let searched = (bytes.len() as u64).min(LOOK_LEN);
            let member = self.member_in(&bytes, at, searched as usize)?;
            let mut inside = 0;
            while let Some(place) = bytes.get(inside..).and_then(|rest| self.finder.find(rest)) {
                let start = BlockStart { at: at + (inside + place / 8) as u64, bit: (place % 8) as u8 };
                if member.is_some_and(|member| start.at >= member) {
                    break;
                }
                match self.try_block(start)? {
                    Trial::Wrong => inside += place / 8 + 1,
                    Trial::Known { start, window } => return Ok(Next::Known { start, window }),
                    Trial::End(end) => return Ok(Next::End(end)),
                }
            }
            if let Some(member) = member {
                return Ok(Next::End(member));
            }
            at += searched.max(1);
        }
        Ok(Next::End(self.len))
    }

    /// The offset of the first member that begins in the first `searched` of these bytes.
    fn member_in(&mut self, bytes: &[u8], offset: u64, searched: usize) -> Result<Option<u64>> {
        for found in memchr::memmem::find_iter(bytes, &[0x1f, 0x8b, 8]) {
            if found < searched && is_member_start(self.place, offset + found as u64..self.len)? {
                return Ok(Some(offset + found as u64));
            }
        }
        Ok(None)
    }

    /// Decodes from a block on, with markers for what is not known.
    fn try_block(&mut self, start: BlockStart) -> Result<Trial> {
        let mut input = PartInput::new(self.place, start.at..self.len);
        let boundary = enter(&mut input, start)?;
        let marked = &mut self.marked;
        self.stream.reset_inside(boundary);
        marked.reset();
        continue_with_markers(marked, &mut self.stream);
        self.stream.reset();
        let mut symbols = vec![Marked::default(); PLAIN_LEN / 4];
        let mut blocks = 0;
        loop {
            let bytes = input.bytes()?;
            let is_end = bytes.is_empty();
            let mut output = Output::new(&mut symbols, 0);
            let progress = marked.run_to_boundary(bytes, &mut output);
            let filled = output.filled();
            let Ok(progress) = progress else { return Ok(Trial::Wrong) };
            input.pass(progress.read);
            match progress.pause {
                Pause::End => {
                    let end = input.offset() + TRAILER_LEN as u64;
                    let is_end = blocks > 0 && is_end_of_member(self.place, self.len, end)?;
                    return Ok(if is_end { Trial::End(end) } else { Trial::Wrong });
                }
                Pause::Window => return Ok(Trial::Wrong),
                Pause::Input if is_end && progress.read == 0 && filled == 0 => return Ok(Trial::Wrong),
                _ => {}
            }
            let Some(boundary) = marked.boundary() else { continue };
            blocks += 1;
            let window = marked.window();
            if blocks >= TRIED_BLOCKS && window.len() == WINDOW_LEN && are_bytes(window) {
                let window = window.iter().filter_map(|symbol| symbol.byte()).collect();
                return Ok(Trial::Known { start: BlockStart::of(input.offset(), boundary), window });
            }
        }
    }
}

/// Whether a member can end at this offset: nothing follows, or another member, or zeros.
fn is_end_of_member(place: RandomAccess, len: u64, end: u64) -> Result<bool> {
    let mut next = [0; 4];
    let read = place.read_at(&mut next, end)?;
    Ok(end <= len && (is_member(&next[..read]) || next[..read].iter().all(|&byte| byte == 0)))
}

/// Passes the byte in which a block begins, if it begins in the middle of one.
pub(super) fn enter(input: &mut PartInput, start: BlockStart) -> Result<Boundary> {
    let mut first = [0];
    if start.bit == 0 || !input.fill(&mut first)? {
        return Ok(Boundary::WHOLE_BYTE);
    }
    Ok(Boundary::at(&first, usize::from(start.bit)).0)
}

/// Whether a member begins at the start of `range`, as far as decoding its start tells.
pub(crate) fn is_member_start(place: RandomAccess, range: Range<u64>) -> Result<bool> {
    let (start, len) = (range.start, range.end);
    let mut input = PartInput::new(place, range);
    match read_header(|bytes| input.fill(bytes), start) {
        Ok(Some(_)) => {}
        Ok(None) => return Ok(false),
        Err(error) if error.is_of_input() => return Ok(false),
        Err(error) => return Err(error),
    }
    let (mut inflate, mut plain) = (Inflate::<u8>::new(), vec![0; PLAIN_LEN]);
    let mut sum = MemberSum::default();
    while sum.len < TRIED_LEN {
        let bytes = input.bytes()?;
        let is_end = bytes.is_empty();
        let mut output = Output::new(&mut plain, 0);
        let progress = inflate.run(bytes, &mut output);
        let filled = output.filled();
        sum.update(&plain[..filled]);
        let Ok(progress) = progress else { return Ok(false) };
        input.pass(progress.read);
        match progress.pause {
            Pause::End => {
                let mut trailer = [0; TRAILER_LEN];
                return Ok(input.fill(&mut trailer)? && verify(Some(sum), trailer, start).is_ok());
            }
            // The file ends inside a member.
            Pause::Input if is_end && progress.read == 0 && filled == 0 => {
                return Ok(sum.len > 0 && start < len);
            }
            _ => {}
        }
    }
    Ok(true)
}
