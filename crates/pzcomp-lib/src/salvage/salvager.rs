//! [`Salvager`]: works through a damaged input from its start to its end.
//!
//! At each place it asks the scout what begins there, and decodes it. It writes a unit that is right. At any other
//! place it looks for the next place at which decoding can go on, and notes the bytes between as lost. That place comes
//! from the index at the end of the input if it is intact, otherwise from the header of the damaged frame, and
//! otherwise from a search for magic numbers.

use std::ops::Range;

use super::blocks::{LONE_MAX, is_block};
use super::report::{LostRange, SalvageReport};
use super::scout::Scout;
use super::search::Known;
use super::search::{Found, Search, next_unit};
use super::trial::{Trial, Trials, decode_again, try_unit};
use super::{Fault, undividable, why};
use super::{Fill, Salvage};
use crate::bad_sectors::BadSectorInput;
use crate::effort::Purpose;
use crate::error::{Damage, Error, Result, Size};
use crate::format::Format;
use crate::format::probe::{Candidate, Here, Kind, Place};
use engine::io::OutputStream;

/// A salvage that is going on.
pub(super) struct Salvager<'a> {
    pub(super) scout: Scout<'a>,
    input: &'a BadSectorInput<'a>,
    known: Known,
    trials: Trials<'a>,
    pub(super) output: OutputStream<'a>,
    pub(super) options: &'a Salvage,
    pub(super) report: SalvageReport,
    /// The context of the last stream whose blocks have headers of their own. The next one mostly has the same.
    last_stream: Option<(Format, u8)>,
    /// Offset in the original data, as long as all losses have known lengths.
    pub(super) plain: Option<u64>,
    /// From where on not everything was tried, in the loss that is being looked into.
    untried: Option<u64>,
}

impl<'a> Salvager<'a> {
    pub(super) fn new(
        scout: Scout<'a>,
        input: &'a BadSectorInput<'a>,
        output: OutputStream<'a>,
        options: &'a Salvage,
        threads: usize,
    ) -> Result<Self> {
        let known = Known::find(&scout)?;
        let report = SalvageReport { coded_len: scout.len, ..SalvageReport::default() };
        let trials = Trials::new(&options.reading, threads);
        Ok(Self {
            scout,
            input,
            known,
            trials,
            output,
            options,
            report,
            last_stream: None,
            plain: Some(0),
            untried: None,
        })
    }

    /// Works through the whole input, which does not decompress with this error.
    pub(super) fn run(mut self, error: &Error) -> Result<SalvageReport> {
        let mut place = Place::outside(0);
        while place.at < self.scout.len {
            if let Some(progress) = &self.options.reading.progress
                && progress.is_cancelled()
            {
                return Err(Error::Cancelled);
            }
            self.scout.effort.pass(place.at);
            place = match self.scout.look(place)? {
                Here::Skip(end) if self.is_doubtful_end(place, end)? => self.behind_end(place, end)?,
                // The index lists data there.
                Here::Skip(end) if self.known.at(place.at).is_some_and(|frame| frame.coded.end < end.at) => {
                    let fault = Fault::of("bytes without data begin there, and the index lists a frame");
                    self.lost_from(place, fault, None)?
                }
                Here::Skip(end) => {
                    if let Some((format, _)) = end.inside {
                        self.report.note_format(format);
                        if self.scout.has_block_headers(format) {
                            self.last_stream = end.inside;
                        }
                    }
                    self.report.pass(place.at..end.at);
                    end
                }
                Here::Candidate(unit) if matches!(unit.kind, Kind::Parts { .. }) => self.parts(unit)?,
                Here::Candidate(unit) => self.unit(unit)?,
                Here::Nothing => self.nothing(place)?,
            };
        }
        self.end(place)?;
        if self.report.is_whole() {
            self.not_whole(error)?;
        }
        self.output.finish()?;
        self.report.written = self.output.written();
        self.report.indexed_frames = self.known.count();
        Ok(self.report)
    }

    /// Notes that the input ends inside a stream, behind whole blocks. What is missing there cannot be seen in any of
    /// them.
    fn end(&mut self, place: Place) -> Result<()> {
        let Some((format, _)) = place.inside else { return Ok(()) };
        let has_end_mark = format.codec().blocks().is_none_or(|blocks| blocks.has_end_mark());
        let is_noted = self.report.lost.last().is_some_and(|last| last.coded.end >= place.at);
        match has_end_mark && !is_noted {
            true => {
                self.lose(place.at..place.at, None, 0, "the input ends there, before the stream does".into())
            }
            false => Ok(()),
        }
    }

    /// Notes the error of an input of which nothing is known to be lost. Its blocks are right, but something between or
    /// behind them is not, so something may be missing. In other formats only a header may be wrong, which does no
    /// harm.
    fn not_whole(&mut self, error: &Error) -> Result<()> {
        let may_lack =
            |format: &Format| self.scout.probe(*format).is_some_and(|probe| probe.may_lack_units());
        let coded = match *error {
            Error::Truncated { frame, offset, .. } => frame..offset.max(frame),
            Error::Corrupt { offset, .. } | Error::Unsupported { offset, .. } => {
                offset..offset.saturating_add(1)
            }
            Error::Unfinished { offset, .. } => return self.lose(offset..offset, None, 0, why(error)),
            _ => return Ok(()),
        };
        match self.report.formats.iter().any(may_lack) {
            true => self.lose(coded, None, 0, why(error)),
            false => Ok(()),
        }
    }

    /// Decodes a unit. Returns where to go on.
    fn unit(&mut self, unit: Candidate) -> Result<Place> {
        if unit.kind == Kind::Endless && self.report.formats.is_empty() {
            return Err(undividable(unit.format));
        }
        let mut trial = self.trials.get(&self.scout, unit)?;
        if self.may_be_longer(&unit, &trial)? {
            let whole = try_unit(&self.scout, unit, false, Purpose::Shown, &self.options.reading)?;
            if whole.result.is_ok() || self.guesses_ends(&unit) && !whole.is_refused {
                trial = whole;
            }
        }
        match &trial.result {
            Ok(()) if self.is_doubtful_block(&trial)? => {
                let fault = Fault::of("it says that it holds no data, and nothing follows it");
                self.lost_from(unit.start, Fault { format: Some(unit.format), ..fault }, None)
            }
            Ok(()) if self.is_of_zeros(&unit, trial.end) => {
                let fault = Fault::of("some of it cannot be read, and it has no check");
                self.lost_from(
                    unit.start,
                    Fault { claim: Some(trial.end), plain_len: unit.plain_len, ..fault },
                    None,
                )
            }
            Ok(()) => self.keep(trial),
            Err(_) => self.damaged(trial),
        }
    }

    /// Whether zeros were taken for data that cannot be read, and nothing would show that they are wrong.
    fn is_of_zeros(&self, unit: &Candidate, end: Place) -> bool {
        !unit.has_check && self.input.lacks(&(unit.start.at..end.at)).is_some()
    }

    /// Whether a unit that does not decode up to its claim may decode without one. A wrong length in the header does no
    /// harm if the data is right, and a block may hold what looks like the start of another one.
    fn may_be_longer(&self, unit: &Candidate, trial: &Trial) -> Result<bool> {
        let Some(claim) = unit.claim else { return Ok(false) };
        Ok(match &trial.result {
            Ok(()) => false,
            Err(error) if self.guesses_ends(unit) => matches!(error, Error::Truncated { .. }),
            Err(_) => unit.format.codec().blocks().is_none() && !self.scout.is_boundary(claim)?,
        })
    }

    fn guesses_ends(&self, unit: &Candidate) -> bool {
        self.scout.probe(unit.format).is_some_and(|probe| probe.guesses_ends())
    }

    /// Writes the data of a unit that is right.
    fn keep(&mut self, trial: Trial) -> Result<Place> {
        let Trial { unit, plain, plain_len, end, is_limited, .. } = trial;
        self.missing_before(&unit)?;
        let coded = unit.start.at..end.at;
        let output = self.output.written()..self.output.written() + plain_len;
        match plain {
            Some(plain) => self.output.write_all(&plain)?,
            None => {
                let sink = &mut self.output;
                let mut take = |bytes: &[u8]| Ok(sink.write_all(bytes)?);
                decode_again(&self.scout, unit, is_limited, &self.options.reading, &mut take)??;
            }
        }
        if self.output.written() != output.end {
            return Err(Error::Internal("a frame decoded to another length the second time".into()));
        }
        self.scout.effort.keep(plain_len);
        self.known.compare(&coded, plain_len);
        self.report.note_format(unit.format);
        if plain_len > 0 {
            self.report.frames += 1;
            self.report.unchecked_frames += u64::from(!unit.has_check);
            self.report.keep(coded, output);
            self.advance(Some(plain_len));
        }
        Ok(end)
    }

    /// Notes a unit that is damaged, and writes what can be had of it.
    fn damaged(&mut self, trial: Trial) -> Result<Place> {
        let Trial { unit, plain_len: decoded, result, .. } = trial;
        let Err(error) = result else { return Err(Error::Internal("no damage".into())) };
        // If only the length is wrong, nothing tells which of the two lengths was meant.
        let is_of_length = matches!(error, Error::Corrupt { damage: Damage::Length, .. });
        let coded_len = unit.claim.map_or(0, |claim| claim.at - unit.start.at);
        let most = self.scout.most_plain(Some(unit.format), coded_len);
        let mut stated = unit.plain_len.filter(|&len| !is_of_length && unit.claim.is_some() && len <= most);
        if unit.is_index {
            stated = Some(0);
        }
        // A unit that states its end is decoded up to there only.
        let is_credible =
            unit.format.codec().blocks().is_none() || unit.plain_len.is_some_and(|len| len <= LONE_MAX);
        let is_cut = unit.claim.is_none() && matches!(error, Error::Truncated { .. }) && is_credible;
        let fault = Fault {
            plain_len: stated,
            claim: unit.claim,
            is_cut,
            format: Some(unit.format),
            wrong_len: unit.plain_len.filter(|_| is_of_length),
            memory_needed: match error {
                Error::Memory { needed, .. } => Some(needed),
                _ => None,
            },
            ..Fault::of(&why(&error))
        };
        let doubtful = (self.options.keep_unverified && decoded > 0).then_some((unit, decoded));
        self.report.note_format(unit.format);
        self.lost_from(unit.start, fault, doubtful)
    }

    /// Notes a place at which nothing begins.
    fn nothing(&mut self, place: Place) -> Result<Place> {
        if self.ends_with_zeros(place.at)? {
            return Ok(Place::outside(self.scout.len));
        }
        let mut fault = Fault::of("no frame begins there");
        if let Some(probe) = place.inside.and_then(|(format, _)| self.scout.probe(format)) {
            fault.why = probe.missing().into();
        }
        self.lost_from(place, fault, None)
    }

    /// Whether nothing but zeros follows, as behind files on tapes and in archives of blocks.
    pub(super) fn ends_with_zeros(&self, at: u64) -> Result<bool> {
        Ok(!self.report.formats.is_empty() && self.scout.zeros_end(at)? >= self.scout.len)
    }

    /// Finds the place behind a loss that begins at `start`, and notes the loss.
    pub(super) fn lost_from(
        &mut self,
        start: Place,
        fault: Fault,
        doubtful: Option<(Candidate, u64)>,
    ) -> Result<Place> {
        let Fault { why, plain_len: stated, claim, is_cut, format, wrong_len, memory_needed } = fault;
        let known = self.known.at(start.at).map(|frame| Place { at: frame.coded.end, inside: frame.inside });
        let mut is_stated = false;
        self.untried = self.scout.effort.take_refusal().then_some(start.at);
        let next = if let Some(known) = known {
            is_stated = true;
            known
        } else if let Some(claim) = claim
            && self.is_end(claim)?
        {
            is_stated = true;
            claim
        } else {
            self.search(start, is_cut)?
        };
        let next = self.same_file(next)?;
        let coded = start.at..next.at;
        if let Some(untried) = self.untried.take() {
            self.report.leave(untried.min(next.at)..next.at);
        }
        let most = self.scout.most_plain(format, next.at - start.at);
        let is_right = |len: &u64| *len <= most && Some(*len) != wrong_len;
        let listed = self.known.plain_len(&coded).filter(is_right);
        let plain_len = match (listed, stated.filter(|_| is_stated && claim == Some(next))) {
            (Some(listed), Some(stated)) => (listed == stated).then_some(listed),
            (listed, stated) => listed.or(stated),
        };
        let plain_len = match plain_len {
            plain_len if let Some(offsets) = self.scout.offsets(next) => {
                self.gap(offsets, next, plain_len)?
            }
            None if self.is_without_data(start, next)? => Some(0),
            plain_len => plain_len,
        };
        let mut written = 0;
        if let Some((unit, decoded)) = doubtful {
            written = self.put_unverified(unit, decoded, next.at, &why)?;
        }
        self.lose_for(coded, plain_len, written, why, memory_needed)?;
        Ok(next)
    }

    /// Whether a unit can end there.
    pub(super) fn is_end(&self, place: Place) -> Result<bool> {
        match place.inside.and_then(|(format, _)| format.codec().blocks()) {
            Some(_) => is_block(&self.scout, place, &self.options.reading),
            None => self.scout.is_boundary(place),
        }
    }

    /// Writes the data of a damaged unit. Returns its length.
    fn put_unverified(&mut self, unit: Candidate, decoded: u64, end: u64, why: &str) -> Result<u64> {
        let before = self.output.written();
        let sink = &mut self.output;
        let mut take = |bytes: &[u8]| Ok(sink.write_all(bytes)?);
        // The error is the one that is reported already.
        let _ = decode_again(&self.scout, unit, true, &self.options.reading, &mut take)?;
        self.scout.effort.keep(decoded);
        let written = self.output.written() - before;
        if written != decoded {
            return Err(Error::Internal("a frame decoded to another length the second time".into()));
        }
        self.report.doubt(unit.start.at..end, before..self.output.written(), why.into());
        Ok(written)
    }

    /// Notes a loss by damage, and fills it. `written` bytes of it were written without being verified.
    pub(super) fn lose(
        &mut self,
        coded: Range<u64>,
        plain_len: Option<u64>,
        written: u64,
        why: String,
    ) -> Result<()> {
        self.lose_for(coded, plain_len, written, why, None)
    }

    /// The same, or if `memory_needed` says how much memory must be allowed, a loss of what may be intact.
    fn lose_for(
        &mut self,
        coded: Range<u64>,
        plain_len: Option<u64>,
        written: u64,
        why: String,
        memory_needed: Option<Size>,
    ) -> Result<()> {
        let output_offset = self.output.written();
        self.advance_by(written);
        // All of the data may have been written, and only its check is wrong.
        let missing = plain_len.map(|len| len.saturating_sub(written));
        let plain_offset = self.plain;
        let filled = missing.filter(|_| self.options.fill == Fill::Zero).unwrap_or(0);
        self.output.write_zeros(filled)?;
        self.report.lose(LostRange {
            coded,
            plain_len: missing,
            plain_offset,
            output_offset,
            filled,
            why,
            memory_needed,
        });
        self.advance(missing);
        Ok(())
    }

    pub(super) fn advance_by(&mut self, len: u64) {
        self.plain = self.plain.and_then(|plain| plain.checked_add(len));
    }

    /// Goes on in the original data. If the length is not known, no later offset is.
    fn advance(&mut self, len: Option<u64>) {
        self.plain = self.plain.zip(len).and_then(|(plain, len)| plain.checked_add(len));
    }

    /// Searches for the next unit by its magic number.
    fn search(&mut self, start: Place, is_strict: bool) -> Result<Place> {
        let mut inside = start.inside;
        let mut formats: &[Format] = &self.report.formats;
        if formats.is_empty() {
            formats = self.scout.searched();
            if inside.is_none() {
                inside = self.scout.stream_at_end()?;
            }
            if let Some((format, _)) = inside.filter(|&(format, _)| self.scout.has_block_headers(format)) {
                formats = format.alone();
            }
        }
        // The header of a stream may be damaged. The blocks behind it have headers of their own.
        if inside.is_none() {
            inside = self.last_stream.filter(|(format, _)| formats.contains(format));
        }
        let search = Search {
            formats,
            inside,
            is_strict,
            needs_check: false,
            takes_blocks: false,
            options: &self.options.reading,
        };
        let mut found = next_unit(&self.scout, start.at + 1, search)?;
        if self.report.formats.is_empty() && found.place.at >= self.scout.len {
            // Nothing tells the format, and there is no magic number.
            let search = Search { needs_check: true, takes_blocks: true, ..search };
            found = next_unit(&self.scout, start.at + 1, search)?.behind(found);
        }
        Ok(self.found(found))
    }

    /// Notes what a search has left out.
    pub(super) fn found(&mut self, Found { place, untried }: Found) -> Place {
        self.untried = self.untried.or(untried);
        place
    }

    /// Whether only the end of a stream is lost, which holds no plain data.
    fn is_without_data(&self, start: Place, next: Place) -> Result<bool> {
        match start.inside.and_then(|(format, _)| self.scout.probe(format)) {
            Some(probe) => probe.is_only_end(&self.scout, start.at..next.at),
            None => Ok(false),
        }
    }
}
