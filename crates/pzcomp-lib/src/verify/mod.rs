//! Verification: what was written is decoded while it is written, and compared with what was read.
//!
//! [`verified`] puts itself between a compression and its output. The compression notes a checksum of each chunk of
//! plain data (`PlainSums`). What it writes goes to the output and, behind that, to a decompression on threads of its
//! own (`handed.rs`). A regular file is read again, so the decompression sees what the file holds. The plain data that
//! it makes is compared with the checksums (`compare.rs`), and nothing of it is kept.
//!
//! The compression never waits for anything but room to write. So a verification that fails can stop it at any time,
//! and no two threads wait for each other.

mod compare;
mod handed;
#[cfg(test)]
mod tests;

use std::io::{Error as SystemError, Read, Result as SystemResult, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use xxhash_rust::xxh3::Xxh3;

use crate::compress::{PlainSums, compress_noting};
use crate::decompress::{Resources, decompress_io, decompress_tapped};
use crate::error::{Error, Result};
use crate::format::Starts;
use crate::options::{Common, Decode, Encode, SIDES};
use crate::summary::Summary;
use crate::sweep::sweeping;
use engine::Taps;
use engine::io::{Input, Output};

use compare::Comparison;
use handed::Giver;

/// Compresses, and also decodes what was written, while it is written, and compares the result with what was read. If
/// they differ, this returns [`Error::NotVerified`], and readers refuse the output as incomplete.
///
/// The last bytes of the output are written when everything before them was verified. Half as many threads as
/// [`EncodeBuilder::threads`](crate::EncodeBuilder::threads) are used for the verification in addition. If
/// [`EncodeBuilder::memory`](crate::EncodeBuilder::memory) is given, the verification gets half of it. A regular file
/// ([`Output::File`]) is read again behind the writes, so that a wrong write is noticed. The program must be allowed to
/// read it. For other outputs, the bytes that were written are verified.
pub(crate) fn compress_verified(
    input: Input,
    output: Output,
    options: &Encode,
    taps: Taps,
) -> Result<Summary> {
    sweeping(input, output, options, |input, output, options| {
        let needs = |options: &Encode| options.compression_needs().map(drop);
        verified(output, options, needs, |output, options, sums| {
            let summary = compress_noting(input, output, options, taps, Some(sums))?;
            Ok((summary.plain_len, summary))
        })
    })
}

/// Runs a compression and verifies what it writes. `needs` checks that its part of the memory is enough. `code` gets an
/// output, options and a place for the checksums; it returns the length of the plain data and its own result.
pub(crate) fn verified<T>(
    output: Output,
    options: &Encode,
    needs: impl FnOnce(&Encode) -> Result<()>,
    code: impl FnOnce(Output, &Encode, &Arc<PlainSums>) -> Result<(u64, T)>,
) -> Result<T> {
    let progress = options.progress();
    let memory = options.memory.map(|all| all / SIDES);
    let memory_aim = options.memory_aim.map(|all| all / SIDES);
    let coding = Encode { memory, memory_aim, progress: Some(progress.clone()), ..options.clone() };
    // Nothing is written if the memory is too little.
    let decoding = decoding(options);
    Error::both(needs(&coding), Resources::within(&decoding))
        .map_err(|error| error.of_share(SIDES, options.memory))?;

    let sums = Arc::new(PlainSums::default());
    let (mut giver, taker) = Giver::new(output, false, progress);
    let verify = || {
        let mut comparison = Comparison::new(&sums);
        let plain = Output::Writer(Box::new(&mut comparison));
        let decoded = decompress_io(Input::Reader(Box::new(taker)), plain, &decoding);
        comparison.verdict(decoded)
    };
    let code = |giver: &mut Giver| code(Output::Writer(Box::new(giver)), &coding, &sums);
    let (coded, found) = followed(&mut giver, verify, code)?;
    match (coded, found.unwrap_or_else(|| Err(Error::Internal("a thread panicked".into())))) {
        // The compression was stopped, or has failed itself. It has marked its output as incomplete.
        (Err(error), found) => {
            let _ = giver.complete();
            let refusal = found.err().filter(|_| giver.has_refused());
            Err(refusal.unwrap_or(error).of_share(SIDES, options.memory))
        }
        (Ok((plain_len, coded)), Ok(found))
            if (found.plain_len, found.coded_len) == (plain_len, giver.given()) =>
        {
            giver.complete().map(|()| coded)
        }
        (Ok((plain_len, _)), found) => {
            giver.spoil();
            let lengths = |found: Summary| Error::NotVerified {
                what: format!(
                    "it decodes to {} bytes of {plain_len}, from {} bytes of {}",
                    found.plain_len,
                    found.coded_len,
                    giver.given()
                ),
            };
            Err(found.map_or_else(|error| error.of_share(SIDES, options.memory), lengths))
        }
    }
}

/// Runs `code`, which writes to the giver, and `follow`, which takes what was given, on a thread of its own. If the
/// system starts no thread, `follow` runs when all is written, and reads the file, or a copy of the output in a file
/// without a name. Nothing comes of a `follow` that panics.
fn followed<C, F: Send>(
    giver: &mut Giver,
    follow: impl FnOnce() -> F + Send,
    code: impl FnOnce(&mut Giver) -> C,
) -> Result<(C, Option<F>)> {
    let waiting = Mutex::new(Some(follow));
    let run = || {
        let follow = waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        follow.map(|follow| follow())
    };
    std::thread::scope(|scope| {
        let started = Builder::new().name("verifier".into()).spawn_scoped(scope, run);
        let follower = match started {
            Ok(follower) => Some(follower),
            Err(refusal) => {
                giver.tell_at_end().map_err(|error| {
                    let what = format!(
                        "{refusal}, and a copy of the output cannot wait in a temporary file instead: {error}"
                    );
                    Error::Threads { source: SystemError::new(error.kind(), what) }
                })?;
                None
            }
        };
        let ending = EndOnDrop(giver);
        let coded = code(ending.0);
        drop(ending);
        let found = follower.map_or_else(run, |follower| follower.join().ok().flatten());
        Ok((coded, found))
    })
}

/// Ends what is given when it is dropped, also by a panic: the follower would wait for more for ever.
struct EndOnDrop<'g, 'o>(&'g mut Giver<'o>);

impl Drop for EndOnDrop<'_, '_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The options for decoding what these options write.
fn decoding(options: &Encode) -> Decode {
    /// No format has a longer window. A window takes no more memory than the data in it.
    const WINDOW_MAX: u64 = 1 << 32;
    let memory = options.memory.map(|all| all / SIDES);
    // Some formats are read only if they are named.
    let is_named = options.format.codec().starts() == Starts::FirstIfNamed;
    Decode {
        accept: is_named.then(|| vec![options.format]),
        threads: options.worker_count().div_ceil(2),
        memory,
        memory_aim: options.memory_aim.map(|all| all / SIDES),
        window_limit: memory.is_none().then_some(WINDOW_MAX),
        dictionary: options.zstd.dictionary.clone(),
        ..Decode::default()
    }
}

/// Like [`decompress_tapped`], but a regular file is read again behind the writes and compared with what was written to
/// it. Every check of the input is verified, as always. For other outputs this is [`decompress_tapped`].
pub(crate) fn decompress_verified(
    input: Input,
    output: Output,
    options: &Decode,
    taps: Taps,
) -> Result<Summary> {
    match output {
        Output::File { .. } => sweeping(input, output, options, |input, output, options| {
            decompress_and_read(input, output, options, taps)
        }),
        _ => decompress_tapped(input, output, options, taps),
    }
}

/// Decompresses to a file, and reads the file behind that.
fn decompress_and_read(input: Input, output: Output, options: &Decode, taps: Taps) -> Result<Summary> {
    let progress = options.progress();
    let coding = options.with_progress(&progress);
    let (mut giver, mut taker) = Giver::new(output, options.sparse, progress);
    let is_read_again = giver.is_read_again();
    let reread = || {
        let (mut sum, mut len, mut buffer) = (Xxh3::new(), 0, vec![0; REREAD_LEN]);
        loop {
            match taker.read(&mut buffer)? {
                0 => return Ok((len, sum.digest128())),
                read => {
                    sum.update(&buffer[..read]);
                    len += read as u64;
                }
            }
        }
    };
    let mut sum = Xxh3::new();
    let decode = |giver: &mut Giver| {
        let plain = Summed { giver, sum: &mut sum };
        decompress_tapped(input, Output::Writer(Box::new(plain)), &coding, taps)
    };
    let (decoded, found) = followed(&mut giver, reread, decode)?;
    let found = found.unwrap_or_else(|| Err(SystemError::other("a thread panicked")));
    let wrote = giver.complete();
    let wrong = |what: String| Err(Error::NotVerified { what });
    match (decoded, found) {
        (_, Err(source)) if is_read_again => wrong(format!("it cannot be read again: {source}")),
        (Err(error), _) => Err(error),
        (Ok(summary), Ok(found)) if found == (giver.given(), sum.digest128()) => wrote.map(|()| summary),
        (Ok(_), found) => wrong(format!(
            "the file does not hold the {} bytes that were written to it ({} bytes were read again)",
            giver.given(),
            found.map_or(0, |(len, _)| len)
        )),
    }
}

/// How much of a file is read again at a time.
const REREAD_LEN: usize = 256 << 10;

/// Plain data on its way to a file, and its checksum.
struct Summed<'a, 'o> {
    giver: &'a mut Giver<'o>,
    sum: &'a mut Xxh3,
}

impl Write for Summed<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> SystemResult<usize> {
        let len = self.giver.write(bytes)?;
        self.sum.update(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> SystemResult<()> {
        self.giver.flush()
    }
}
