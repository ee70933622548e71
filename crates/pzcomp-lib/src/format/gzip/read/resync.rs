//! Finds where decoding can go on in a damaged gzip member.
//!
//! `rescue.rs` calls [`Resync::find_known`] with the place of the damage. The block finder looks for a place at which a
//! block may begin. Decoding goes on there with markers, which stand for the unknown 32 KiB before it. As soon as a
//! block begins whose window has no marker left, all bytes that follow are known.
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
use crate::effort::{Effort, Purpose};
use crate::error::Result;
use engine::io::RandomAccess;

/// How much plain data is decoded at a time.
const PLAIN_LEN: usize = 256 << 10;

/// How many coded bytes are searched at a time. The first search is short, because the next member may be near. Each
/// further one is twice as long.
const LOOK_LEN: u64 = 256 << 10;
const FIRST_LOOK_LEN: u64 = 1 << 10;

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
    /// Nothing more may be tried.
    Refused,
}

/// What became of decoding without a window.
enum Trial {
    /// Wrong, and where the last block begins that follows whole blocks. Nothing before it is worth another trial: with
    /// less of the window known, the same blocks lead to the same error.
    Wrong(Option<u64>),
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
    effort: &'a Effort,
    finder: BlockFinder,
    stream: Inflate,
    marked: Inflate<Marked>,
    symbols: Vec<Marked>,
    /// The bytes that are searched, their offset, and how many of them are not only there for headers that begin
    /// before.
    bytes: Vec<u8>,
    at: u64,
    searched: u64,
    /// How many are searched next.
    look_len: u64,
    /// The first member that begins in them at or behind the offset that was asked for last.
    member: Option<u64>,
}

impl<'a> Resync<'a> {
    /// To search the first `len` bytes of `place`.
    pub(super) fn new(place: RandomAccess<'a>, len: u64, effort: &'a Effort) -> Self {
        Self {
            place,
            len,
            effort,
            finder: BlockFinder::default(),
            stream: Inflate::new(),
            marked: Inflate::new(),
            symbols: vec![Marked::default(); PLAIN_LEN / 4],
            bytes: Vec::new(),
            at: 0,
            searched: 0,
            look_len: FIRST_LOOK_LEN,
            member: None,
        }
    }

    /// Finds the next block behind `from` whose window is known.
    pub(super) fn find_known(&mut self, from: BlockStart) -> Result<Next> {
        // The block at that place is the damaged one.
        let mut at = from.at + 1;
        while at < self.len {
            self.effort.pass(at);
            if self.effort.allows(Purpose::Shown).is_none() {
                return Ok(Next::Refused);
            }
            self.load(at)?;
            let end = self.at + self.searched;
            let bytes = self.bytes.get((at - self.at) as usize..).unwrap_or_default();
            let found = self.finder.find(bytes);
            let start = found.map(|bit| BlockStart { at: at + (bit / 8) as u64, bit: (bit % 8) as u8 });
            let start = start.filter(|start| self.member.is_none_or(|member| start.at < member));
            match (start.map(|start| (start, self.try_block(start))), self.member) {
                (Some((start, tried)), _) => match tried? {
                    Trial::Wrong(behind) => {
                        // A member or a piece that begins inside of these blocks is looked at all the same.
                        let behind = behind.unwrap_or(start.at) + 1;
                        let next = self.member.filter(|&member| member > start.at).unwrap_or(end);
                        at = behind.min(next).max(start.at + 1);
                    }
                    Trial::Known { start, window } => return Ok(Next::Known { start, window }),
                    Trial::End(end) => return Ok(Next::End(end)),
                },
                (None, Some(member)) => return Ok(Next::End(member)),
                (None, None) => at = end.max(at + 1),
            }
        }
        Ok(Next::End(self.len))
    }

    /// Makes sure that the bytes at this offset are at hand, and that the next member is known.
    fn load(&mut self, at: u64) -> Result<()> {
        let mut is_known = true;
        if at < self.at || at >= self.at + self.searched {
            let look_len = self.look_len;
            self.look_len = (2 * look_len).min(LOOK_LEN);
            self.bytes.resize((self.len - at).min(look_len + HEADER_MAX as u64) as usize, 0);
            let read = self.place.read_at(&mut self.bytes, at)?;
            self.bytes.truncate(read);
            (self.at, self.searched) = (at, (read as u64).clamp(1, look_len));
            self.effort.spend(Purpose::Shown, read as u64, 0);
            is_known = false;
        }
        if !is_known || self.member.is_some_and(|member| member < at) {
            self.member = self.member_in(at)?;
        }
        Ok(())
    }

    /// The offset of the first member that begins at or behind `at`, in the bytes that are searched.
    fn member_in(&self, at: u64) -> Result<Option<u64>> {
        let bytes = self.bytes.get((at - self.at) as usize..).unwrap_or_default();
        for found in memchr::memmem::find_iter(bytes, &[0x1f, 0x8b, 8]) {
            let start = at + found as u64;
            if start < self.at + self.searched && is_member_start(self.place, start..self.len, self.effort)? {
                return Ok(Some(start));
            }
        }
        Ok(None)
    }

    /// Decodes from a block on, with markers for what is not known.
    fn try_block(&mut self, start: BlockStart) -> Result<Trial> {
        let mut input = PartInput::new(self.place, start.at..self.len);
        let mut made = 0;
        let tried = self.decode(start, &mut input, &mut made);
        self.effort.spend(Purpose::Shown, input.has_read, made);
        tried
    }

    fn decode(&mut self, start: BlockStart, input: &mut PartInput, made: &mut u64) -> Result<Trial> {
        let most = self.effort.rest(Purpose::Shown);
        let boundary = enter(input, start)?;
        let marked = &mut self.marked;
        self.stream.reset_inside(boundary);
        marked.reset();
        continue_with_markers(marked, &mut self.stream);
        self.stream.reset();
        let (mut blocks, mut last) = (0, None);
        loop {
            let bytes = input.bytes()?;
            let is_end = bytes.is_empty();
            let mut output = Output::new(&mut self.symbols, 0);
            let progress = marked.run_to_boundary(bytes, &mut output);
            let filled = output.filled();
            *made += filled as u64;
            let Ok(progress) = progress else { return Ok(Trial::Wrong(last)) };
            if *made > most {
                self.effort.refuse();
                return Ok(Trial::Wrong(last));
            }
            input.pass(progress.read);
            match progress.pause {
                Pause::End => {
                    let end = input.offset() + TRAILER_LEN as u64;
                    let is_end = blocks > 0 && is_end_of_member(self.place, self.len, end)?;
                    return Ok(if is_end { Trial::End(end) } else { Trial::Wrong(last) });
                }
                Pause::Window => return Ok(Trial::Wrong(last)),
                Pause::Input if is_end && progress.read == 0 && filled == 0 => return Ok(Trial::Wrong(last)),
                _ => {}
            }
            let Some(boundary) = marked.boundary() else { continue };
            blocks += 1;
            let here = BlockStart::of(input.offset(), boundary);
            if blocks >= TRIED_BLOCKS {
                last = Some(here.at);
            }
            let window = marked.window();
            if blocks >= TRIED_BLOCKS && window.len() == WINDOW_LEN && are_bytes(window) {
                let window = window.iter().filter_map(|symbol| symbol.byte()).collect();
                return Ok(Trial::Known { start: here, window });
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
pub(in crate::format::gzip) fn is_member_start(
    place: RandomAccess,
    range: Range<u64>,
    effort: &Effort,
) -> Result<bool> {
    let Some(most) = effort.allows(Purpose::Guess) else { return Ok(false) };
    let (mut input, mut sum) = (PartInput::new(place, range.clone()), MemberSum::default());
    let is_start = decode_start(&mut input, &mut sum, range, most.min(TRIED_LEN));
    effort.spend(Purpose::Guess, input.has_read, sum.len);
    is_start
}

/// Decodes the start of a member, to so many plain bytes at most. Returns whether there is no error.
fn decode_start(input: &mut PartInput, sum: &mut MemberSum, range: Range<u64>, most: u64) -> Result<bool> {
    let (start, len) = (range.start, range.end);
    match read_header(|bytes| input.fill(bytes), start) {
        Ok(Some(_)) => {}
        Ok(None) => return Ok(false),
        Err(error) if error.is_of_input() => return Ok(false),
        Err(error) => return Err(error),
    }
    let (mut inflate, mut plain) = (Inflate::<u8>::new(), vec![0; PLAIN_LEN / 8]);
    while sum.len < most {
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
                return Ok(input.fill(&mut trailer)? && verify(Some(*sum), trailer, start).is_ok());
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
