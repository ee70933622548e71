//! Decoding without the window: literals now, copies later.
//!
//! A decoder that begins inside a stream does not know the window, the 32 KiB of output before it. [`Deferred`] reads
//! the codes of the stream all the same, and notes its literals and its copies. When the window is known, the literals
//! are put out and the copies are made, which takes a third of the time of decoding. Nothing is decoded twice.
//!
//! The literals stand at the front of the memory, and the copies at its end, from the last place down: eight bytes for
//! each copy. When the two meet, the memory is full. The fast loops of both steps are in `fast.rs`.

use super::contents::LENGTH_MAX;
#[cfg(not(pzcomp_safe))]
use super::fast;
use super::{Defect, Inflate, Invalid, Output, Progress, Symbol, careful};

/// A literal. A decoder with this symbol notes copies instead of making them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Literal(pub(super) u8);

impl Symbol for Literal {
    const DEFERS: bool = true;

    #[inline(always)]
    fn literal(byte: u8) -> Self {
        Self(byte)
    }
}

/// A part of a stream that is decoded before its window is known.
///
/// ```
/// use pzcomp_deflate::inflate::{Deferred, Inflate, Output, Pause};
///
/// let coded = [75, 76, 28, 5, 163, 96, 20, 12, 119, 0, 0];
/// let (mut stream, mut deferred) = (Inflate::new(), Deferred::new(1 << 10));
/// deferred.take_over(&mut stream);
/// assert_eq!(deferred.run(&coded)?.pause, Pause::End);
///
/// let mut memory = [0; 2000];
/// let mut output = Output::new(&mut memory, 0);
/// assert_eq!(deferred.put_out(&mut stream, &mut output), Ok(true));
/// let filled = output.filled();
/// assert!(memory[..filled] == [b'a'; 1000]);
/// # Ok::<(), pzcomp_deflate::inflate::Invalid>(())
/// ```
pub struct Deferred {
    inflate: Inflate<Literal>,
    memory: Box<[Literal]>,
    /// Where the literals end, and where the copies begin.
    literals: usize,
    copies: usize,
    /// What is put out.
    done: Replay,
}

impl Deferred {
    /// For literals and copies of this many bytes together.
    pub fn new(len: usize) -> Self {
        let len = len.min(u32::MAX as usize);
        let memory = vec![Literal(0); len].into_boxed_slice();
        Self { inflate: Inflate::new(), memory, literals: 0, copies: len, done: Replay::at_start(len) }
    }

    /// Continues a stream, without what it has put out.
    pub fn take_over(&mut self, stream: &mut Inflate) {
        self.inflate.reset_whole();
        self.inflate.take_over(stream);
        (self.literals, self.copies) = (0, self.memory.len());
        self.done = Replay::at_start(self.copies);
    }

    /// Decodes until the input is used up, the memory is full ([`Pause::Output`](super::Pause)), or the stream ends.
    pub fn run(&mut self, input: &[u8]) -> Result<Progress, Invalid> {
        let mut output = Output::new(&mut self.memory[..self.copies], self.literals);
        let result = self.inflate.run(input, &mut output);
        (self.literals, self.copies) = (output.filled, output.memory.len());
        result
    }

    /// Puts out what was decoded, behind the output of the stream. Returns false if the memory is full before. When
    /// everything is put out, the stream continues behind it. A copy that begins before the start of the stream is an
    /// error, and everything before it is put out.
    pub fn put_out(&mut self, stream: &mut Inflate, output: &mut Output) -> Result<bool, Defect> {
        let filled = stream.place(output);
        let result = self.replay(stream, output);
        stream.history.append(&output.memory[filled..output.filled]);
        if result == Ok(true) {
            stream.take_over(&mut self.inflate);
        }
        result
    }

    fn replay(&mut self, stream: &Inflate, output: &mut Output) -> Result<bool, Defect> {
        let before = &stream.history.symbols()[..output.before];
        let (memory, done) = (&self.memory[..], &mut self.done);
        loop {
            #[cfg(not(pzcomp_safe))]
            fast::replay(memory, self.copies, done, output, before);
            let copy = (done.copies > self.copies).then(|| NotedCopy::read(memory, done.copies));
            let until = copy.map_or(self.literals, |copy| copy.literals());
            let room = output.memory.len() - output.filled;
            let now = room.min(until - done.literals);
            let literals = &memory[done.literals..done.literals + now];
            let place = &mut output.memory[output.filled..output.filled + now];
            place.iter_mut().zip(literals).for_each(|(byte, literal)| *byte = literal.0);
            output.filled += now;
            done.literals += now;
            if done.literals < until {
                return Ok(false);
            }
            let Some(copy) = copy else { return Ok(true) };
            if copy.distance() > before.len() + output.behind() {
                return Err(Defect::Distance);
            }
            let left = copy.length() - done.copied;
            let left = careful::copy_match(output, before, copy.distance(), left);
            if left > 0 {
                done.copied = copy.length() - left;
                return Ok(false);
            }
            done.pass_copy();
        }
    }
}

/// A copy that is made later: how many literals come before it, its length and its distance. Whatever bits it has, the
/// length is at most [`NotedCopy::LENGTH_MAX`], and the distance at least 1.
#[derive(Clone, Copy)]
pub(super) struct NotedCopy(pub(super) u64);

impl NotedCopy {
    /// How many bytes a copy takes in the memory.
    pub(super) const LEN: usize = size_of::<NotedCopy>();

    pub(super) const LENGTH_MAX: usize = 511;

    #[inline(always)]
    pub(super) fn new(literals: usize, length: usize, distance: usize) -> Self {
        debug_assert!(literals <= u32::MAX as usize && length <= LENGTH_MAX && distance <= 1 << 15);
        Self(literals as u64 | (length as u64) << 32 | ((distance - 1) as u64) << 48)
    }

    /// The copy that ends at this place.
    pub(super) fn read(memory: &[Literal], end: usize) -> Self {
        Self(memory[end - Self::LEN..end].iter().rfold(0, |bits, byte| bits << 8 | u64::from(byte.0)))
    }

    pub(super) fn to_bytes(self) -> [u8; Self::LEN] {
        self.0.to_le_bytes()
    }

    #[inline(always)]
    pub(super) fn literals(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    pub(super) fn length(self) -> usize {
        (self.0 >> 32) as usize & Self::LENGTH_MAX
    }

    #[inline(always)]
    pub(super) fn distance(self) -> usize {
        (self.0 >> 48) as usize + 1
    }
}

/// How far noted literals and copies are put out.
pub(super) struct Replay {
    pub(super) literals: usize,
    /// The end of the next copy in the memory.
    pub(super) copies: usize,
    /// How much of the next copy is made.
    pub(super) copied: usize,
}

impl Replay {
    pub(super) fn at_start(len: usize) -> Self {
        Self { literals: 0, copies: len, copied: 0 }
    }

    pub(super) fn pass_copy(&mut self) {
        (self.copies, self.copied) = (self.copies - NotedCopy::LEN, 0);
    }
}

impl<S: Symbol> Output<'_, S> {
    /// Notes a copy at the end of the memory. False if it has no room.
    pub(super) fn note(&mut self, distance: usize, length: usize) -> bool {
        let Some(end) = self.memory.len().checked_sub(NotedCopy::LEN).filter(|&end| end >= self.filled)
        else {
            return false;
        };
        let copy = NotedCopy::new(self.filled, length, distance);
        let (memory, place) = std::mem::take(&mut self.memory).split_at_mut(end);
        place.iter_mut().zip(copy.to_bytes()).for_each(|(symbol, byte)| *symbol = S::literal(byte));
        self.memory = memory;
        true
    }
}
