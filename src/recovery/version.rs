//! Whether the records beside a file are of this file, or of another version of it.
//!
//! To the records of an older version, all that is new is damage, and they would put the old data in its place. But
//! damaged data does not verify. So the records are of another version if they would change data that decodes and is
//! right by its own checks. Data that only moved is still in the mended file, at another place.

use std::fs::File;
use std::ops::Range;

use memchr::memmem;
use pzcomp::salvage::Salvage;
use pzcomp::{Decode, Decompress, Error, Input, Output, ReadAt, Taps};
use system::place::read_exact_at;
use xxhash_rust::xxh3::Xxh3;

use super::Work;
use crate::error::{CliError, Kind};

/// So many first bytes of a range are looked for.
const ANCHOR_LEN: usize = 64;
/// A search reads so many bytes at a time.
const STEP: usize = 1 << 20;
/// At most so many places are compared.
const PLACES_MAX: usize = 64;

impl Work<'_> {
    /// Fails if the records beside the file would change data that is intact. Without a mended file, only a file that
    /// is whole tells.
    pub(super) fn check_version(&self, mended: Option<&File>) -> Result<(), CliError> {
        if !self.is_other_version(mended).map_err(Kind::Library)? {
            return Ok(());
        }
        let records = super::with_suffix(self.path()?, super::super::side::RECORDS);
        Err(Kind::Failed(format!(
            "holds intact data that {} does not know, so these records are of another version of the file, and nothing \
             is changed; make new ones with pzcomp -f --protect, or remove them",
            records.display()
        ))
        .into())
    }

    fn is_other_version(&self, mended: Option<&File>) -> Result<bool, Error> {
        let options = self.request.options.decode()?;
        let (source, whole) = (self.input(), Input::from(self.input()));
        // What is in no known format cannot tell.
        let Ok(report) = Salvage::new(&options).run(whole, Output::Nothing) else { return Ok(false) };
        // A frame without a check decodes although it is damaged.
        if report.unchecked_frames > 0 {
            return Ok(false);
        }
        let mut intact = report.kept.iter().filter(|kept| !kept.output.is_empty()).peekable();
        let Some(mended) = mended else { return Ok(intact.peek().is_some() && report.is_whole()) };
        for kept in intact {
            if !is_in(mended, source, &kept.coded, &options)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the mended file holds a range of the source: the same bytes at any place, or at least the same plain data.
fn is_in(mended: &File, source: &dyn ReadAt, range: &Range<u64>, options: &Decode) -> Result<bool, Error> {
    let read = |source| Error::Read { offset: range.start, source };
    let len = range.end - range.start;
    let mut plain = None;
    let mut places = places(mended, source, range).map_err(read)?.into_iter();
    places.try_fold(false, |found, at| {
        if found || is_equal(mended, at, source, range).map_err(read)? {
            return Ok(true);
        }
        // Bytes that a format skips have no check, so they can be damaged in data that is intact.
        let expected = match plain {
            Some(expected) => expected,
            None => *plain.insert(plain_hash(source, range.clone(), options)),
        };
        Ok(expected.is_some() && plain_hash(mended, at..at + len, options) == expected)
    })
}

/// Where in the mended file the range may be: at its own place, and where it has the same first bytes.
fn places(mended: &File, source: &dyn ReadAt, range: &Range<u64>) -> std::io::Result<Vec<u64>> {
    let mut anchor = vec![0; ANCHOR_LEN.min((range.end - range.start) as usize)];
    let read = source.read_at(&mut anchor, range.start)?;
    anchor.truncate(read);
    let (mut places, mut at, mut window) = (vec![range.start], 0, vec![0; STEP + ANCHOR_LEN]);
    loop {
        let read = ReadAt::read_at(mended, &mut window, at)?;
        let hits = memmem::find_iter(&window[..read], &anchor).map(|hit| at + hit as u64);
        places.extend(hits.filter(|&hit| hit != range.start).take(PLACES_MAX - places.len()));
        if read <= STEP || places.len() == PLACES_MAX {
            return Ok(places);
        }
        at += STEP as u64;
    }
}

fn is_equal(mended: &File, at: u64, source: &dyn ReadAt, range: &Range<u64>) -> std::io::Result<bool> {
    let (mut one, mut other) = (vec![0; STEP], vec![0; STEP]);
    let mut done = 0;
    while done < range.end - range.start {
        let len = (range.end - range.start - done).min(STEP as u64) as usize;
        let there = source.read_at(&mut one[..len], range.start + done)?;
        if there == 0 || read_exact_at(mended, &mut other[..there], at + done).is_err() {
            return Ok(false);
        }
        if one[..there] != other[..there] {
            return Ok(false);
        }
        done += there as u64;
    }
    Ok(true)
}

/// A hash of the plain data in a range. `None` if it does not decode.
fn plain_hash(source: &dyn ReadAt, range: Range<u64>, options: &Decode) -> Option<u128> {
    let mut hash = Xxh3::new();
    let taps = Taps { output: Some(Box::new(|bytes| hash.update(bytes))), ..Taps::default() };
    let input = Input::At { source, start: range.start, end: range.end };
    Decompress::new(options).taps(taps).run(input, Output::Nothing).ok()?;
    Some(hash.digest128())
}
