//! The state of a part while it is decoded: its output so far, the output that needs the window, and why it stopped.
//!
//! A [`PartState`] takes coded bytes in steps. What it decodes goes to one of three places: to the emitter, to symbols
//! that wait for the window, or to held output, which waits for the output before it. Once the window is known,
//! [`PartState::put_out`] replaces the markers and puts everything out in order. Only [`super::part`] uses this file.
//!
//! At any time, the bytes in the emitter, then the symbols, then the held output are the part so far, without a gap.
//! `sum` is the CRC-32 and length of the first of these, and `held_sum` of the last.

use pzcomp_deflate::inflate::{
    Boundary, Defect, Inflate, Invalid, Marked, Output, PairProgress, Pause, Resolver, Stream, Symbol,
    WINDOW_LEN, are_bytes, continue_with_bytes, continue_with_markers, decode_pair,
};

use super::part::{PartDecoder, STEP, SYMBOLS_MAX};
use super::trailer::join_crcs;
use super::window;
use crate::error::{Error, Result};
use crate::format::ffi::deflate::crc32;

use engine::{EarlyOutput, Emitter, RunningSum, Source};

/// What a part is decoded to at the moment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Bytes,
    Symbols,
    BytesBehindSymbols,
}

/// Why the decoding of a part has stopped.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// All input is used up.
    Input,
    /// The DEFLATE stream has ended.
    End,
    /// A match refers to the window, which is not known.
    Window,
    /// There is no more memory for symbols or held output.
    Full,
    Invalid(Invalid),
}

/// A part that is being decoded.
pub(super) struct PartState<'d, 'a> {
    pub(super) decoder: &'d mut PartDecoder,
    stage: Stage,
    /// How many of the decoder's symbols are filled.
    symbol_count: usize,
    /// Where bytes go if output before them is missing, and the sum of these bytes.
    held: Option<EarlyOutput<'a>>,
    held_sum: RunningSum,
    pub(super) stop: Option<Stop>,
    /// The sum of what the emitter has got.
    pub(super) sum: RunningSum,
    /// Bytes of the input that are used up.
    pub(super) read: usize,
}

impl<'d, 'a> PartState<'d, 'a> {
    /// Continues with the stream of a decoder. Its bytes go to `held`, if that is given, and to the emitter otherwise.
    pub(super) fn new(decoder: &'d mut PartDecoder, held: Option<EarlyOutput<'a>>) -> Self {
        Self {
            decoder,
            stage: Stage::Bytes,
            symbol_count: 0,
            held,
            held_sum: RunningSum::NOTHING,
            stop: None,
            sum: RunningSum::NOTHING,
            read: 0,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.stop.is_none()
    }

    /// The defect of the stream, if it has one.
    pub(super) fn invalid(&self) -> Option<Invalid> {
        match self.stop {
            Some(Stop::Invalid(invalid)) => Some(invalid),
            _ => None,
        }
    }

    /// Continues with symbols, because the stream needs the window and the window is not there.
    pub(super) fn continue_with_symbols(&mut self) {
        let PartDecoder { stream, marked, symbols } = &mut *self.decoder;
        continue_with_markers(marked.get_or_insert_with(|| Box::new(Inflate::new())), stream);
        (self.stage, self.stop) = (Stage::Symbols, None);
        if let Some((piece, filled)) = self.held.take().as_mut().and_then(EarlyOutput::room_behind) {
            // The held output is shorter than a window, because the next match reaches back before it. So all of it is
            // in the last piece. It becomes symbols, so that it stands before the symbols to come.
            if symbols.len() < filled {
                symbols.resize(filled, Marked::default());
            }
            for (symbol, &byte) in symbols.iter_mut().zip(&piece[..filled]) {
                *symbol = Marked::literal(byte);
            }
            (self.symbol_count, self.held_sum) = (filled, RunningSum::NOTHING);
        }
    }

    /// Continues with bytes behind the symbols, now that the `window` before the part is known. The bytes are held
    /// until the markers before them are replaced. False if the stream has not put out a whole window before the part:
    /// a marker may then stand for a byte that does not exist.
    pub(super) fn continue_behind_symbols(
        &mut self,
        window: &[u8],
        resolver: &mut Resolver,
        out: &Emitter<'a>,
    ) -> bool {
        if let (Stage::Symbols, Some(marked)) = (self.stage, self.decoder.marked.as_deref_mut()) {
            if window.len() < WINDOW_LEN {
                return false;
            }
            resolver.set(window);
            continue_with_bytes(&mut self.decoder.stream, marked, Some(resolver));
            (self.stage, self.stop) = (Stage::BytesBehindSymbols, None);
            self.held = Some(out.early_output());
        }
        true
    }

    /// Continues with symbols if the stream has stopped because it needs the window.
    pub(super) fn continue_without_window(&mut self) {
        if matches!(self.stop, Some(Stop::Window)) {
            self.continue_with_symbols();
        }
    }

    /// Makes room for one more step. If there is no memory, the part stops.
    fn make_room(&mut self) -> bool {
        let has_room = match (self.stage, &mut self.held) {
            (Stage::Symbols, _) => {
                let room = self.symbol_count + STEP;
                if room <= SYMBOLS_MAX && self.decoder.symbols.len() < room {
                    self.decoder.symbols.resize(room, Marked::default());
                }
                room <= SYMBOLS_MAX
            }
            (_, Some(held)) => held.room_behind().is_some(),
            _ => true,
        };
        if !has_room {
            self.stop = Some(Stop::Full);
        }
        has_room
    }

    /// Decodes one step.
    pub(super) fn step(&mut self, coded: &[u8], out: &mut Emitter<'a>) -> Result<()> {
        if !self.make_room() {
            return Ok(());
        }
        let PartDecoder { stream, marked, symbols } = &mut *self.decoder;
        let (progress, filled) = match (self.stage, marked) {
            (Stage::Symbols, Some(marked)) => {
                let mut output = Output::new(&mut symbols[..self.symbol_count + STEP], self.symbol_count);
                (marked.run(coded, &mut output), output.filled())
            }
            _ => {
                let mut output = byte_room(&mut self.held, out)?;
                (stream.run(coded, &mut output), output.filled())
            }
        };
        self.note_step(progress.map(PairProgress::from), filled, out)
    }

    /// Decodes one step of two parts at once. The bytes of the other part are always held.
    pub(super) fn step_both(
        &mut self,
        other: &mut Self,
        (coded, other_coded): (&[u8], &[u8]),
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        if !self.make_room() || !other.make_room() {
            return Ok(());
        }
        let PartDecoder { stream, marked, symbols } = &mut *self.decoder;
        let PartDecoder { stream: other_stream, marked: other_marked, symbols: other_symbols } =
            &mut *other.decoder;
        macro_rules! both {
            ($inflate:expr, $output:expr; $other:expr, $other_output:expr) => {{
                let (mut output, mut other_output) = ($output, $other_output);
                let one = Stream { inflate: $inflate, input: coded, output: &mut output };
                let two = Stream { inflate: $other, input: other_coded, output: &mut other_output };
                (decode_pair(one, two), output.filled(), other_output.filled())
            }};
        }
        macro_rules! symbols {
            ($symbols:expr, $part:expr) => {
                Output::new(&mut $symbols[..$part.symbol_count + STEP], $part.symbol_count)
            };
        }
        let marked = marked.as_deref_mut().filter(|_| self.stage == Stage::Symbols);
        let other_marked = other_marked.as_deref_mut().filter(|_| other.stage == Stage::Symbols);
        let ((turn, other_turn), filled, other_filled) = match (marked, other_marked) {
            (None, None) => both!(stream, byte_room(&mut self.held, out)?;
                other_stream, held_room(&mut other.held)?),
            (None, Some(two)) => both!(stream, byte_room(&mut self.held, out)?;
                two, symbols!(other_symbols, other)),
            (Some(one), None) => both!(one, symbols!(symbols, self);
                other_stream, held_room(&mut other.held)?),
            (Some(one), Some(two)) => both!(one, symbols!(symbols, self);
                two, symbols!(other_symbols, other)),
        };
        self.note_step(turn, filled, out)?;
        other.note_step(other_turn, other_filled, out)
    }

    /// Notes the result of a step. `filled` is how much of the symbols or of the piece is filled now.
    fn note_step(
        &mut self,
        turn: std::result::Result<PairProgress, Invalid>,
        filled: usize,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        match (self.stage, &mut self.held) {
            (Stage::Symbols, _) => self.symbol_count = filled,
            (_, Some(held)) => {
                let (piece, before) = held.room_behind().unwrap_or((&mut [], filled));
                let crc = crc32(0, &piece[before..filled]);
                self.held_sum.push((filled - before) as u64, crc.into(), join_crcs);
                held.commit(filled - before);
            }
            _ => {
                let (piece, before) = out.room_behind(1)?;
                self.sum.push((filled - before) as u64, crc32(0, &piece[before..filled]).into(), join_crcs);
                out.commit(filled - before)?;
            }
        }
        match turn {
            Ok(PairProgress { read, pause }) => {
                self.read += read;
                self.stop = match pause {
                    Some(Pause::Input) => Some(Stop::Input),
                    Some(Pause::End) => Some(Stop::End),
                    Some(Pause::Window) => Some(Stop::Window),
                    Some(Pause::Output) | None => None,
                };
            }
            Err(Invalid { read, defect }) => {
                self.stop = Some(Stop::Invalid(Invalid { read: self.read + read, defect }));
            }
        }
        if let (Stage::Symbols, Some(marked)) = (self.stage, self.decoder.marked.as_deref_mut())
            && self.decoder.symbols[..filled].last_chunk::<WINDOW_LEN>().is_some_and(|last| are_bytes(last))
        {
            continue_with_bytes(&mut self.decoder.stream, marked, None);
            self.stage = Stage::BytesBehindSymbols;
            self.held = Some(out.early_output());
        }
        Ok(())
    }

    /// Puts out everything that was decoded, because the `window` before it is known now.
    pub(super) fn put_out(
        &mut self,
        window: &[u8],
        resolver: &mut Resolver,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        let PartDecoder { stream, marked, symbols } = &mut *self.decoder;
        if self.symbol_count > 0 || self.stage == Stage::Symbols {
            resolver.set(window);
            let symbols = &symbols[..self.symbol_count];
            let known = resolver.known(symbols);
            let crc = put_out_symbols(resolver, &symbols[..known], out)?;
            self.sum.push(known as u64, crc.into(), join_crcs);
            if known < self.symbol_count {
                // A marker stands for a byte before the start of the stream. The position of that match in the input is
                // not known any more.
                self.stop = Some(Stop::Invalid(Invalid { read: self.read, defect: Defect::Distance }));
                self.held = None;
            }
        }
        if let (Stage::Symbols, Some(marked)) = (self.stage, marked) {
            continue_with_bytes(stream, marked, Some(resolver));
        } else if self.stage == Stage::Bytes && stream.window_is_missing() {
            stream.set_window(window);
        }
        if let Some(held) = self.held.take() {
            out.append(held)?;
            self.sum = self.held_sum.behind(self.sum);
        }
        (self.stage, self.symbol_count, self.held_sum) = (Stage::Bytes, 0, RunningSum::NOTHING);
        if matches!(self.stop, Some(Stop::Window | Stop::Full)) {
            self.stop = None;
        }
        Ok(())
    }

    /// Whether the stream is not valid behind this window.
    pub(super) fn is_invalid_behind(&self, window: &[u8], resolver: &mut Resolver) -> bool {
        resolver.set(window);
        let symbols = &self.decoder.symbols[..self.symbol_count];
        self.invalid().is_some() || resolver.known(symbols) < symbols.len()
    }

    /// Whether some output, or the next step, needs the window.
    pub(super) fn needs_window(&self) -> bool {
        self.stage != Stage::Bytes || matches!(self.stop, Some(Stop::Window | Stop::Full))
    }

    /// The boundary at which the part has ended, if all its input is used up and a block ends there.
    pub(super) fn end(&self) -> Option<Boundary> {
        if !matches!(self.stop, Some(Stop::Input)) {
            return None;
        }
        match (self.stage, &self.decoder.marked) {
            (Stage::Symbols, Some(marked)) => marked.boundary(),
            _ => self.decoder.stream.boundary(),
        }
    }

    /// Whether the part has stopped because there is no memory for more symbols.
    pub(super) fn is_full_of_symbols(&self) -> bool {
        self.stage == Stage::Symbols && matches!(self.stop, Some(Stop::Full))
    }

    /// Whether the part is decoded to symbols at the moment.
    pub(super) fn is_in_symbols(&self) -> bool {
        self.stage == Stage::Symbols
    }

    /// Turns the window before the part into the window behind it. False if the latter cannot be known.
    pub(super) fn move_window_behind(&self, window: &mut [u8; WINDOW_LEN], resolver: &mut Resolver) -> bool {
        match (self.stage, &self.decoder.marked) {
            (Stage::Symbols, Some(marked)) => {
                resolver.set(window);
                resolver.resolve(marked.window(), window);
                true
            }
            _ => self.decoder.stream.window().try_into().is_ok_and(|last| {
                *window = last;
                true
            }),
        }
    }

    /// Puts everything out if the window is known and needed. If it is not known, continues with symbols where the
    /// stream needs it.
    pub(super) fn use_window_if_known(
        &mut self,
        source: &Source,
        resolver: &mut Resolver,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        if !self.needs_window() {
            return Ok(());
        }
        if window::is_known(source) {
            return self.put_out(window::before(source)?, resolver, out);
        }
        self.continue_without_window();
        Ok(())
    }

    /// Waits for the window if it is needed, and puts everything out.
    pub(super) fn wait_for_window(
        &mut self,
        source: &Source,
        resolver: &mut Resolver,
        out: &mut Emitter<'a>,
    ) -> Result<()> {
        if self.needs_window() { self.put_out(window::before(source)?, resolver, out) } else { Ok(()) }
    }
}

/// Room for bytes: in the held output if there is one, otherwise in the emitter.
fn byte_room<'r>(held: &'r mut Option<EarlyOutput>, out: &'r mut Emitter) -> Result<Output<'r>> {
    let (piece, filled) = match held {
        Some(held) => held.room_behind().ok_or_else(no_room)?,
        None => out.room_behind(1)?,
    };
    Ok(Output::new(piece, filled))
}

/// Room for bytes in the held output.
fn held_room<'r>(held: &'r mut Option<EarlyOutput>) -> Result<Output<'r>> {
    let (piece, filled) = held.as_mut().and_then(EarlyOutput::room_behind).ok_or_else(no_room)?;
    Ok(Output::new(piece, filled))
}

fn no_room() -> Error {
    Error::Internal("room that was there is gone".into())
}

/// Puts out the bytes for which the symbols stand. Returns their CRC-32.
fn put_out_symbols(resolver: &Resolver, symbols: &[Marked], out: &mut Emitter) -> Result<u32> {
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
