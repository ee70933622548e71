//! `--train`: makes a dictionary of zstd of many short files, which `-D` uses.
//!
//! [`run`] takes the request, reads the inputs as samples, and writes the dictionary to the output of the request. The
//! library trains it. `main` calls this.

use std::io::Read;

use pzcomp::{Dictionary, Size};

use super::confine::keep_files;
use super::error::{CliError, Kind};
use super::pending::PendingFiles;
use super::report::Report;
use super::request::{Request, Target};
use super::size::count;
use super::source::{Candidate, Candidates, OpenInput};
use super::target::Destination;
use super::tool::Status;

/// The most bytes of each file that count. zstd takes as many.
const SAMPLE_MAX: u64 = 128 << 10;

/// The most bytes of all files that count.
const ALL_MAX: usize = 256 << 20;

/// The name in messages that concern no file.
const NAME: &str = "dictionary";

/// Makes the dictionary, with at most `max_len` bytes. An input that cannot be read is reported and left out.
pub(super) fn run(max_len: usize, request: &Request, report: &mut Report) {
    keep_files(request, report);
    if let Err(failure) = train(max_len, request, report) {
        failure.report(NAME, report);
    }
}

fn train(max_len: usize, request: &Request, report: &mut Report) -> Result<(), CliError> {
    let Target::File(path) = &request.target else {
        return Err(Kind::Usage("name the file of the dictionary with -o".into()).into());
    };
    let pending_files = PendingFiles::default();
    let output = Destination::named(path, None, request, report, &pending_files)?;
    let (mut samples, mut lens, mut left_out) = (Vec::new(), Vec::new(), 0);
    let mut candidates = Candidates::new(request);
    let mut all: Vec<Candidate> = std::iter::from_fn(|| candidates.next(report)).collect();
    mix(&mut all);
    for candidate in all {
        if samples.len() >= ALL_MAX {
            left_out += 1;
            continue;
        }
        match candidate.open(request).and_then(|opened| read(&opened, &mut samples)) {
            Ok(0) => {}
            Ok(len) => lens.push(len),
            Err(failure) => failure.report(&candidate.source.name(), report),
        }
    }
    if lens.is_empty() && report.status() == Status::Error {
        // The report has named the inputs that failed.
        return Ok(());
    }
    if left_out > 0 {
        let what =
            format!("{} left out, because {} are enough", count(left_out, "file"), Size(ALL_MAX as u64));
        report.note(NAME, &what);
    }
    let dictionary = Dictionary::train(&samples, &lens, max_len).map_err(Kind::Library)?;
    let bytes = dictionary.as_bytes();
    report.print_settings(1, NAME, || {
        let (of, len) = (count(lens.len() as u64, "sample"), Size(samples.len() as u64));
        format!("{} of {of} with {len}; its number is {}", Size(bytes.len() as u64), dictionary.id())
    });
    output.hold("write the dictionary", bytes, request.rules.sync)
}

/// Puts the inputs into an order that has nothing to do with their names, and is the same each time. libzstd trains
/// with most of them and tries the dictionary with the rest, so both parts have to stand for all.
fn mix<T>(inputs: &mut [T]) {
    let mut state = 1_u64;
    for last in (1..inputs.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        inputs.swap(last, (state >> 33) as usize % (last + 1));
    }
}

/// Adds the start of an input to the samples. Returns its length.
fn read(opened: &OpenInput, samples: &mut Vec<u8>) -> Result<usize, CliError> {
    let most = SAMPLE_MAX.min((ALL_MAX - samples.len()) as u64);
    (&opened.file).take(most).read_to_end(samples).map_err(CliError::cannot("read"))
}
