//! Many files with random damage of many kinds: what salvage keeps is right, and what it reports is the truth.
//!
//! There is no peer: each file is made with known places of its frames. A run of the tests damages some files of each
//! kind; `make salvage-trial` damages a thousand and prints figures.

use std::ops::Range;

use crate::common::pipe;
use crate::common::plain::{self, Random};
use crate::salvage::{Made, makers, options, salvage};
use pzcomp::salvage::Fill;

/// A damaged file. Each frame has its place, or none if bytes of it are missing, changed or pushed apart.
struct Damaged {
    coded: Vec<u8>,
    frames: Vec<Option<Range<usize>>>,
    what: String,
}

impl Damaged {
    fn new(made: &Made) -> Self {
        let frames = made.frames.iter().map(|(coded, _)| Some(coded.clone())).collect();
        Self { coded: made.coded.clone(), frames, what: made.what.into() }
    }

    /// Replaces bytes, and moves the frames behind them.
    fn splice(&mut self, range: Range<usize>, with: &[u8]) {
        self.what += &format!(", {} bytes at {range:?}", with.len());
        self.coded.splice(range.clone(), with.iter().copied());
        for frame in &mut self.frames {
            let Some(place) = frame else { continue };
            let is_between = range.is_empty() && (place.start == range.start || place.end == range.start);
            let touches = place.start < range.end && range.start < place.end
                || range.is_empty() && place.start < range.start && range.start < place.end;
            if touches && !is_between {
                *frame = None;
            } else if place.start >= range.end {
                let moved = |at: usize| at + with.len() - range.len();
                *frame = Some(moved(place.start)..moved(place.end));
            }
        }
    }

    /// Damages it once.
    fn damage(&mut self, random: &mut Random) {
        let len = self.coded.len();
        let at = random.below(len as u64) as usize;
        let some =
            |most: usize, random: &mut Random| at..len.min(at + 1 + random.below(most as u64) as usize);
        match random.below(10) {
            0 => self.splice(at..len, &[]),
            1 => {
                let (count, noise) = (1 + random.below(3000) as usize, plain::random(4000));
                self.splice(at..at, &noise[..count]);
            }
            2 => {
                let range = some(3000, random);
                self.splice(range, &[]);
            }
            // A sector that cannot be read.
            3 | 4 => {
                let range = at / 512 * 512..len.min(at / 512 * 512 + 512);
                let zeros = vec![0; range.len()];
                self.splice(range, &zeros);
            }
            _ => {
                let range = some([1, 1, 8, 64][random.below(4) as usize], random);
                let changed: Vec<u8> = self.coded[range.clone()]
                    .iter()
                    .map(|byte| byte ^ (1 + random.below(255) as u8))
                    .collect();
                self.splice(range, &changed);
            }
        }
    }
}

/// What was seen in all files.
#[derive(Debug, Default)]
struct Figures {
    files: usize,
    frames: usize,
    damaged_frames: usize,
    lost_ranges: usize,
    known_lens: usize,
}

/// Compares output and report with the truth.
fn compare(made: &Made, damaged: &Damaged, state: u64, figures: &mut Figures) {
    let context = format!("state {state}: {}", damaged.what);
    let (back, report) = salvage(&damaged.coded, &options());
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            assert!(damaged.frames.iter().all(Option::is_none), "{context}: {error}");
            return;
        }
    };
    assert_eq!(report.written as usize, back.len(), "{context}");
    if report.is_whole() {
        // A file that is cut off between frames cannot be told from a whole one.
        assert!(made.plain.starts_with(&back), "{context}: wrong bytes reported as good");
    }
    assert_eq!(report.unverified, [], "{context}");
    let mut expected = Vec::new();
    for (place, (_, plain)) in damaged.frames.iter().zip(&made.frames) {
        let kept = place.as_ref().is_some_and(|place| {
            report
                .kept
                .iter()
                .any(|kept| kept.coded.start <= place.start as u64 && place.end as u64 <= kept.coded.end)
        });
        assert!(kept || place.is_none(), "{context}: the intact frame at {place:?} is lost: {report:?}");
        if place.is_some() {
            expected.extend(&made.plain[plain.clone()]);
        }
    }
    if back != expected {
        // Changes in bytes without meaning leave a frame intact.
        let mut rest = &back[..];
        for (place, (_, plain)) in damaged.frames.iter().zip(&made.frames) {
            let frame = &made.plain[plain.clone()];
            match rest.strip_prefix(frame) {
                Some(behind) => rest = behind,
                None => assert!(place.is_none(), "{context}: a frame at {place:?} is wrong: {report:?}"),
            }
        }
        assert!(rest.is_empty(), "{context}: {} bytes that no frame holds: {report:?}", rest.len());
    }
    for lost in &report.lost {
        let is_in = |place: &Range<usize>| {
            lost.coded.start < place.end as u64 && (place.start as u64) < lost.coded.end
        };
        assert!(!damaged.frames.iter().flatten().any(is_in), "{context}: {lost:?} is not lost");
    }
    let missing = made.plain.len() - back.len();
    if let Some(len) = report.lost_len() {
        let is_cut = damaged.coded.len() < made.coded.len();
        assert!(
            len == missing as u64 || is_cut && report.lost.is_empty(),
            "{context}: {len}, not {missing}: {report:?}"
        );
        let (filled, _) = salvage(&damaged.coded, &options().fill(Fill::Zero));
        if len == missing as u64 {
            assert_eq!(filled.len(), made.plain.len(), "{context}");
            let is_right = |(one, other): (&u8, &u8)| one == other || *one == 0;
            assert!(filled.iter().zip(&made.plain).all(is_right), "{context}: {report:?}");
        }
    }
    figures.files += 1;
    figures.frames += made.frames.len();
    figures.damaged_frames += damaged.frames.iter().filter(|place| place.is_none()).count();
    figures.lost_ranges += report.lost.len();
    figures.known_lens += report.lost.iter().filter(|lost| lost.plain_len.is_some()).count();
}

#[test]
fn the_report_on_damaged_files_equals_the_truth() {
    let count = std::env::var("SALVAGE_FILES").map_or(150, |count| count.parse().unwrap());
    let seed = std::env::var("SALVAGE_SEED").map_or(1, |seed| seed.parse().unwrap());
    let (makers, mut random, mut figures) = (makers(), Random(seed), Figures::default());
    for number in 0..count {
        let made = &makers[number % makers.len()];
        let state = random.0;
        let mut damaged = Damaged::new(made);
        for _ in 0..1 + random.below(2) {
            damaged.damage(&mut random);
        }
        compare(made, &damaged, state, &mut figures);
    }
    let Figures { files, frames, damaged_frames, lost_ranges, known_lens } = figures;
    println!(
        "{count} damaged files, {files} with a report: every report equals the truth; {damaged_frames} of {frames} frames \
         damaged, all others kept; {lost_ranges} lost ranges, {known_lens} of known length"
    );
}

/// Ordinary gzip files, in which no checksum tells what is right behind damage. None of it may be called verified, and
/// nearly all of it is right.
#[test]
fn nothing_of_a_damaged_gzip_file_is_called_verified() {
    let count = std::env::var("SALVAGE_FILES").map_or(20, |count| count.parse::<usize>().unwrap() / 10);
    let mut random = Random(2);
    let letters = b"abcdefghijklmnopqrstuvwxyz 0123456789\n";
    let plain: Vec<u8> = (0..2_000_000).map(|_| letters[random.below(38) as usize]).collect();
    let coded = pipe("gzip -6 -n", &plain);
    let (mut resumed, mut right, mut shifted) = (0, 0, 0);
    for _ in 0..count {
        let state = random.0;
        let at = 100 + random.below(coded.len() as u64 - 20_000) as usize;
        let mut damaged = coded.clone();
        let noise = plain::random(20_000);
        let len = 1 + random.below(noise.len() as u64) as usize;
        damaged[at..at + len].copy_from_slice(&noise[..len]);
        let (back, report) = salvage(&damaged, &options());
        let report = report.unwrap();
        assert_eq!((report.frames, report.kept.len()), (0, 0), "state {state}: {report:?}");
        assert_eq!(report.unverified_len(), back.len() as u64, "state {state}: {report:?}");
        let Some(lost) = report.lost.first() else {
            // The damage is not seen before the checksum.
            shifted += 1;
            continue;
        };
        let place = lost.output_offset as usize;
        assert!(lost.coded.start <= at as u64 + len as u64, "state {state}: {report:?}");
        resumed += usize::from(back.len() > place);
        let is_right = back[..place] == plain[..place] && plain.ends_with(&back[place..]);
        right += usize::from(is_right);
    }
    println!(
        "{count} damaged gzip files: {shifted} with a wrong checksum only; of the others {right} are right before and \
         behind the damage, and {resumed} have data behind it"
    );
    assert!(10 * (right + shifted) >= 8 * count, "{right} of {count} are right, {shifted} are shifted");
}
