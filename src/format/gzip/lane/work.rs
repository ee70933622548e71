//! A lane at work: what it has put out, what waits for the window, and why it stands still.

use pzcomp_deflate::inflate::{
    Boundary, Defect, Inflate, Invalid, Marked, Output, PairProgress, Pause, Resolver, Stream, Symbol,
    WINDOW_LEN, are_bytes, continue_with_bytes, continue_with_markers, decode_pair,
};

use super::super::decode::join;
use super::{Lane, STEP, SYMBOLS_MAX};
use crate::error::{Error, Result};
use crate::format::ffi::deflate::crc32;
use crate::pipeline::{Aside, Emitter, RunningSum, Source};

/// What a lane puts out now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Bytes,
    Symbols,
    BytesBehindSymbols,
}

/// Why a lane stands still.
#[derive(Clone, Copy)]
pub(super) enum Halt {
    Input,
    End,
    /// It needs the window.
    Window,
    /// Memory has ended.
    Full,
    Invalid(Invalid),
}

/// A lane at work.
pub(super) struct Work<'l, 'a> {
    pub(super) lane: &'l mut Lane,
    stage: Stage,
    /// Symbols that there are.
    filled: usize,
    /// Where bytes go while what is before them is not put out, and their sum.
    aside: Option<Aside<'a>>,
    behind: RunningSum,
    pub(super) halt: Option<Halt>,
    /// Of what it has put out.
    pub(super) sum: RunningSum,
    /// Bytes of its input that are used up.
    pub(super) read: usize,
}

impl<'l, 'a> Work<'l, 'a> {
    /// Goes on with the stream of a lane, whose output can be put out unless it goes `aside`.
    pub(super) fn new(lane: &'l mut Lane, aside: Option<Aside<'a>>) -> Self {
        Self {
            lane,
            stage: Stage::Bytes,
            filled: 0,
            aside,
            behind: RunningSum::NOTHING,
            halt: None,
            sum: RunningSum::NOTHING,
            read: 0,
        }
    }

    pub(super) fn goes_on(&self) -> bool {
        self.halt.is_none()
    }

    /// What is wrong with the stream, if something is.
    pub(super) fn invalid(&self) -> Option<Invalid> {
        match self.halt {
            Some(Halt::Invalid(invalid)) => Some(invalid),
            _ => None,
        }
    }

    /// Goes on with symbols, as the window is needed and will not come soon.
    pub(super) fn begin_symbols(&mut self) {
        let Lane { stream, marked, symbols } = &mut *self.lane;
        continue_with_markers(marked.get_or_insert_with(|| Box::new(Inflate::new())), stream);
        (self.stage, self.halt) = (Stage::Symbols, None);
        if let Some((piece, filled)) = self.aside.take().as_mut().and_then(Aside::room_behind) {
            // What was put aside before is less than a window, or nothing would reach back before it.
            if symbols.len() < filled {
                symbols.resize(filled, Marked::default());
            }
            for (symbol, &byte) in symbols.iter_mut().zip(&piece[..filled]) {
                *symbol = Marked::literal(byte);
            }
            (self.filled, self.behind) = (filled, RunningSum::NOTHING);
        }
    }

    /// Makes room for one more step, if there is memory.
    fn make_room(&mut self) -> bool {
        let has_room = match (self.stage, &mut self.aside) {
            (Stage::Symbols, _) => {
                let room = self.filled + STEP;
                if room <= SYMBOLS_MAX && self.lane.symbols.len() < room {
                    self.lane.symbols.resize(room, Marked::default());
                }
                room <= SYMBOLS_MAX
            }
            (_, Some(aside)) => aside.room_behind().is_some(),
            _ => true,
        };
        if !has_room {
            self.halt = Some(Halt::Full);
        }
        has_room
    }

    /// Decodes a step of what comes next.
    pub(super) fn step(&mut self, coded: &[u8], out: &mut Emitter<'a>) -> Result<()> {
        if !self.make_room() {
            return Ok(());
        }
        let Lane { stream, marked, symbols } = &mut *self.lane;
        let (progress, filled) = match (self.stage, marked) {
            (Stage::Symbols, Some(marked)) => {
                let mut output = Output::new(&mut symbols[..self.filled + STEP], self.filled);
                (marked.run(coded, &mut output), output.filled())
            }
            _ => {
                let mut output = bytes_room(&mut self.aside, out)?;
                (stream.run(coded, &mut output), output.filled())
            }
        };
        self.stepped(progress.map(PairProgress::from), filled, out)
    }

    /// Goes on with symbols if it cannot without the window, which is not there.
    pub(super) fn go_on_without_window(&mut self) {
        if matches!(self.halt, Some(Halt::Window)) {
            self.begin_symbols();
        }
    }

    /// Decodes a step of two lanes.
    pub(super) fn step_both(
        &mut self,
        other: &mut Self,
        (coded, others): (&[u8], &[u8]),
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        if !self.make_room() || !other.make_room() {
            return Ok(());
        }
        let Lane { stream, marked, symbols } = &mut *self.lane;
        let Lane { stream: other_stream, marked: other_marked, symbols: other_symbols } = &mut *other.lane;
        macro_rules! both {
            ($inflate:expr, $output:expr; $other:expr, $other_output:expr) => {{
                let (mut output, mut other_output) = ($output, $other_output);
                let one = Stream { inflate: $inflate, input: coded, output: &mut output };
                let two = Stream { inflate: $other, input: others, output: &mut other_output };
                (decode_pair(one, two), output.filled(), other_output.filled())
            }};
        }
        macro_rules! symbols {
            ($symbols:expr, $work:expr) => {
                Output::new(&mut $symbols[..$work.filled + STEP], $work.filled)
            };
        }
        let marked = marked.as_deref_mut().filter(|_| self.stage == Stage::Symbols);
        let other_marked = other_marked.as_deref_mut().filter(|_| other.stage == Stage::Symbols);
        let ((turn, other_turn), filled, other_filled) = match (marked, other_marked) {
            (None, None) => both!(stream, bytes_room(&mut self.aside, out)?;
                other_stream, bytes_kept(&mut other.aside)?),
            (None, Some(two)) => both!(stream, bytes_room(&mut self.aside, out)?;
                two, symbols!(other_symbols, other)),
            (Some(one), None) => both!(one, symbols!(symbols, self);
                other_stream, bytes_kept(&mut other.aside)?),
            (Some(one), Some(two)) => both!(one, symbols!(symbols, self);
                two, symbols!(other_symbols, other)),
        };
        self.stepped(turn, filled, out)?;
        other.stepped(other_turn, other_filled, out)
    }

    /// Takes note of a step, after which the memory is filled so far.
    fn stepped(
        &mut self,
        turn: std::result::Result<PairProgress, Invalid>,
        filled: usize,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        match (self.stage, &mut self.aside) {
            (Stage::Symbols, _) => self.filled = filled,
            (_, Some(aside)) => {
                let (piece, before) = aside.room_behind().unwrap_or((&mut [], filled));
                self.behind.push((filled - before) as u64, crc32(0, &piece[before..filled]), join);
                aside.commit(filled - before);
            }
            _ => {
                let (piece, before) = out.room_behind(1)?;
                self.sum.push((filled - before) as u64, crc32(0, &piece[before..filled]), join);
                out.commit(filled - before)?;
            }
        }
        match turn {
            Ok(PairProgress { read, pause }) => {
                self.read += read;
                self.halt = match pause {
                    Some(Pause::Input) => Some(Halt::Input),
                    Some(Pause::End) => Some(Halt::End),
                    Some(Pause::Window) => Some(Halt::Window),
                    Some(Pause::Output) | None => None,
                };
            }
            Err(Invalid { read, defect }) => {
                self.halt = Some(Halt::Invalid(Invalid { read: self.read + read, defect }));
            }
        }
        if let (Stage::Symbols, Some(marked)) = (self.stage, self.lane.marked.as_deref_mut())
            && self.lane.symbols[..filled].last_chunk::<WINDOW_LEN>().is_some_and(|last| are_bytes(last))
        {
            continue_with_bytes(&mut self.lane.stream, marked, None);
            self.stage = Stage::BytesBehindSymbols;
            self.aside = Some(out.aside());
        }
        Ok(())
    }

    /// Puts out all there is, now that what is before it is known: its last output is the `window`.
    pub(super) fn settle(
        &mut self,
        window: &[u8],
        resolver: &mut Resolver,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        let Lane { stream, marked, symbols } = &mut *self.lane;
        if self.filled > 0 || self.stage == Stage::Symbols {
            resolver.set(window);
            let symbols = &symbols[..self.filled];
            let known = resolver.known(symbols);
            let crc = put_out(resolver, &symbols[..known], out)?;
            self.sum.push(known as u64, crc, join);
            if known < self.filled {
                // Where that was read is not known any more.
                self.halt = Some(Halt::Invalid(Invalid { read: self.read, defect: Defect::Distance }));
                self.aside = None;
            }
        }
        if let (Stage::Symbols, Some(marked)) = (self.stage, marked) {
            continue_with_bytes(stream, marked, Some(resolver));
        } else if self.stage == Stage::Bytes && stream.window_is_missing() {
            stream.set_window(window);
        }
        if let Some(aside) = self.aside.take() {
            out.append(aside)?;
            self.sum = self.behind.behind(self.sum);
        }
        (self.stage, self.filled, self.behind) = (Stage::Bytes, 0, RunningSum::NOTHING);
        if matches!(self.halt, Some(Halt::Window | Halt::Full)) {
            self.halt = None;
        }
        Ok(())
    }

    /// Whether its stream is not valid behind this window.
    pub(super) fn has_failed(&self, window: &[u8], resolver: &mut Resolver) -> bool {
        resolver.set(window);
        let symbols = &self.lane.symbols[..self.filled];
        self.invalid().is_some() || resolver.known(symbols) < symbols.len()
    }

    /// Whether something of it waits for what is before it.
    pub(super) fn waits(&self) -> bool {
        self.stage != Stage::Bytes || matches!(self.halt, Some(Halt::Window | Halt::Full))
    }

    /// Where it has ended, if it has used up its input and a block ends there.
    pub(super) fn end(&self) -> Option<Boundary> {
        if !matches!(self.halt, Some(Halt::Input)) {
            return None;
        }
        match (self.stage, &self.lane.marked) {
            (Stage::Symbols, Some(marked)) => marked.boundary(),
            _ => self.lane.stream.boundary(),
        }
    }

    /// Whether what it has decoded last has markers.
    pub(super) fn has_symbols(&self) -> bool {
        self.stage == Stage::Symbols
    }

    /// Makes of the window before it the one behind all it has decoded; false if that cannot be known.
    pub(super) fn pass_window(&self, window: &mut [u8; WINDOW_LEN], resolver: &mut Resolver) -> bool {
        match (self.stage, &self.lane.marked) {
            (Stage::Symbols, Some(marked)) => {
                resolver.set(window);
                resolver.resolve(marked.window(), window);
                true
            }
            _ => self.lane.stream.window().try_into().is_ok_and(|last| {
                *window = last;
                true
            }),
        }
    }

    /// Takes the window, if that is there or there is nothing else to do; without it, goes on with symbols where it
    /// must.
    pub(super) fn look_back(
        &mut self,
        source: &Source,
        resolver: &mut Resolver,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        if !self.waits() {
            return Ok(());
        }
        if source.has_window() {
            return self.settle(source.window()?, resolver, out);
        }
        self.go_on_without_window();
        Ok(())
    }

    /// Waits for the window, if it is needed.
    pub(super) fn wait(
        &mut self,
        source: &Source,
        resolver: &mut Resolver,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        if self.waits() { self.settle(source.window()?, resolver, out) } else { Ok(()) }
    }
}

/// Room for bytes that wait, or are put out.
fn bytes_room<'r>(aside: &'r mut Option<Aside>, out: &'r mut Emitter) -> Result<Output<'r>> {
    let (piece, filled) = match aside {
        Some(aside) => aside.room_behind().ok_or_else(no_room)?,
        None => out.room_behind(1)?,
    };
    Ok(Output::new(piece, filled))
}

/// Room for bytes that wait.
fn bytes_kept<'r>(aside: &'r mut Option<Aside>) -> Result<Output<'r>> {
    let (piece, filled) = aside.as_mut().and_then(Aside::room_behind).ok_or_else(no_room)?;
    Ok(Output::new(piece, filled))
}

fn no_room() -> Error {
    Error::Internal("room that was there is gone".into())
}

/// Puts out what the symbols stand for; its CRC-32.
fn put_out(resolver: &Resolver, symbols: &[Marked], out: &mut Emitter) -> Result<u32> {
    let (mut crc, mut at) = (0, 0);
    while at < symbols.len() {
        let room = out.room(1)?;
        let len = room.len().min(symbols.len() - at);
        resolver.resolve(&symbols[at..at + len], &mut room[..len]);
        crc = crc32(crc, &room[..len]);
        out.commit(len)?;
        at += len;
    }
    Ok(crc)
}
