//! Runs: [`Compress`], [`Decompress`] and [`Recode`] code a whole input into an output.
//!
//! A run is made of options and has a method for each wish. Its method `run` takes an input and an output. It returns
//! when everything is written, or with an error. `compress/` and `decompress/` do the work; this file only passes the
//! wishes on.
//!
//! Each method consumes the run, so no wish is used twice, and a run that was made and not run is a warning.

use std::borrow::Cow;

use crate::compress::compress_stream;
use crate::decompress::decompress_tapped;
use crate::error::Result;
use crate::options::{Common, Decode, Encode};
use crate::stream::{Recoded, recode};
use crate::summary::Summary;
use crate::verify::{compress_verified, decompress_verified};
use engine::io::{Input, Output};
use engine::{Progress, Taps};

/// What the caller of a run wishes. `O` is the options of the direction.
struct RunOptions<'a, O: Common> {
    options: Cow<'a, O>,
    verifies: bool,
    taps: Taps<'a>,
}

impl<'a, O: Common> RunOptions<'a, O> {
    fn new(options: &'a O) -> Self {
        Self { options: Cow::Borrowed(options), verifies: false, taps: Taps::default() }
    }

    fn with_progress(self, progress: &Progress) -> Self {
        Self { options: Cow::Owned(self.options.with_progress(progress)), ..self }
    }
}

/// Compresses an input into an output.
///
/// The input is anything that becomes an [`Input`]: a slice, a vector, a `&File`, a boxed reader, [`Input::reader`] of
/// any reader, or a source that is read at offsets. The output is anything that becomes an [`Output`]: a `&mut
/// Vec<u8>`, a `&mut [u8]`, a `&File`, a boxed writer, [`Output::writer`] of any writer, or a target that is written at
/// offsets. Files and memory are faster than readers and writers, because the workers use them directly.
///
/// A `&File` begins at its current offset. After writing to it, use [`Input::whole_file`], which begins at its start.
///
/// The output depends on the input and the options only, however many threads work and however the input arrives. Up to
/// 64 KiB of a reader, and memory that fits into one frame, is compressed on the thread of the caller, because to start
/// threads would take longer.
///
/// ```
/// use pzcomp::{Compress, Encode};
///
/// let file = tempfile::tempfile()?;
/// let summary = Compress::new(&Encode::default()).run(b"three in the morning", &file)?;
/// assert_eq!((summary.plain_len, summary.frames), (20, 1));
/// assert_eq!(file.metadata()?.len(), summary.coded_len);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is compressed before `run`"]
pub struct Compress<'a>(RunOptions<'a, Encode>);

impl<'a> Compress<'a> {
    /// A compression with these options. They are checked when it runs.
    pub fn new(options: &'a Encode) -> Self {
        Self(RunOptions::new(options))
    }

    /// Whether what was written is decoded while it is written, and compared with what was read. If they differ, the
    /// result is [`Error::NotVerified`](crate::Error::NotVerified), and readers refuse the output as incomplete.
    ///
    /// The last bytes of the output are written when everything before them was verified. Half as many threads as
    /// [`EncodeBuilder::threads`](crate::EncodeBuilder::threads) are used for the verification in addition. If
    /// [`EncodeBuilder::memory`](crate::EncodeBuilder::memory) is given, the verification gets half of it. A regular
    /// file is read again behind the writes, so that a wrong write is noticed; the program must be allowed to read it.
    /// For other outputs, the bytes that were written are verified.
    pub fn verify(mut self, verify: bool) -> Self {
        self.0.verifies = verify;
        self
    }

    /// Calls that see all bytes of the input and the output, in order.
    pub fn taps(mut self, taps: Taps<'a>) -> Self {
        self.0.taps = taps;
        self
    }

    /// Shows how far the run is, and lets any thread stop it with [`Progress::cancel`]. The result is then
    /// [`Error::Cancelled`](crate::Error::Cancelled), the output is incomplete for every reader, and no thread of the
    /// run is left.
    pub fn progress(self, progress: &Progress) -> Self {
        Self(self.0.with_progress(progress))
    }

    /// Compresses the input to its end.
    ///
    /// It is an error if reading or writing fails, if the format does not have an option, or if the memory allowed is
    /// too little.
    pub fn run<'i, 'o>(self, input: impl Into<Input<'i>>, output: impl Into<Output<'o>>) -> Result<Summary> {
        let RunOptions { options, verifies, taps } = self.0;
        let run = if verifies { compress_verified } else { compress_stream };
        run(input.into(), output.into(), &options, taps)
    }
}

/// Decompresses an input into an output, whatever formats it is in.
///
/// Inputs and outputs are those of [`Compress`]; a `&File` begins at its current offset. With [`Output::Nothing`] the
/// data is only checked. All whole frames before an error are written.
///
/// ```
/// use pzcomp::{Decode, Decompress, Encode, Output};
///
/// let options = Decode::default();
/// let coded = pzcomp::compress(b"three in the morning", &Encode::default())?;
/// let mut plain = Vec::new();
/// Decompress::new(&options).run(&coded, &mut plain)?;
/// assert_eq!(plain, b"three in the morning");
///
/// let summary = Decompress::new(&options).run(&coded, Output::Nothing)?;
/// assert_eq!(summary.plain_len, 20);
/// # Ok::<(), pzcomp::Error>(())
/// ```
///
/// An output of the caller is written by many workers. If the input is memory of up to 64 KiB, the thread of the caller
/// writes it:
///
/// ```
/// use std::sync::Mutex;
/// use pzcomp::{Decode, Decompress, Encode, WriteAt};
///
/// /// Memory that grows.
/// #[derive(Default)]
/// struct Growing(Mutex<Vec<u8>>);
///
/// impl WriteAt for Growing {
///     fn write_all_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
///         let mut memory = self.0.lock().unwrap();
///         let end = offset as usize + bytes.len();
///         if memory.len() < end {
///             memory.resize(end, 0);
///         }
///         memory[offset as usize..end].copy_from_slice(bytes);
///         Ok(())
///     }
/// }
///
/// let (options, plain) = (Decode::default(), Growing::default());
/// let coded = pzcomp::compress(b"three in the morning", &Encode::default())?;
/// Decompress::new(&options).run(&coded, &plain as &dyn WriteAt)?;
/// assert_eq!(*plain.0.lock().unwrap(), b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[must_use = "nothing is decompressed before `run`"]
pub struct Decompress<'a>(RunOptions<'a, Decode>);

impl<'a> Decompress<'a> {
    /// A decompression with these options. They are checked when it runs.
    pub fn new(options: &'a Decode) -> Self {
        Self(RunOptions::new(options))
    }

    /// Whether a regular file that is written is read again behind the writes, and compared with what was written to
    /// it. The checks in the input are verified in any case. For other outputs this changes nothing.
    pub fn verify(mut self, verify: bool) -> Self {
        self.0.verifies = verify;
        self
    }

    /// Calls that see all bytes of the input and the output, in order.
    pub fn taps(mut self, taps: Taps<'a>) -> Self {
        self.0.taps = taps;
        self
    }

    /// Shows how far the run is, and lets any thread stop it, as [`Compress::progress`].
    pub fn progress(self, progress: &Progress) -> Self {
        Self(self.0.with_progress(progress))
    }

    /// Decompresses the input to its end.
    pub fn run<'i, 'o>(self, input: impl Into<Input<'i>>, output: impl Into<Output<'o>>) -> Result<Summary> {
        let RunOptions { options, verifies, taps } = self.0;
        let run = if verifies { decompress_verified } else { decompress_tapped };
        run(input.into(), output.into(), &options, taps)
    }
}

/// Decompresses an input and compresses it again into an output, at the same time and on the same threads.
///
/// Inputs and outputs are those of [`Compress`]. The input is read as `from` says. The output is the one that
/// [`Compress`] makes of the plain data with `to`. The directions share their threads, of which there are as many as
/// `to` says, or as `from` says if `to` says nothing. They share the memory too: the limit of the whole run is the
/// lower one of both, and each direction gets half of it. The page cache and the progress are those of `to`. If the
/// input is damaged, the error is that of [`Decompress`], and readers refuse the output as incomplete.
///
/// ```
/// use pzcomp::{Decode, Encode, Format, Recode};
///
/// let coded = pzcomp::compress(b"three in the morning", &Encode::default())?;
/// let mut recoded = Vec::new();
/// let summary = Recode::new(&Decode::default(), &Encode::xz(6).build()?).run(&coded, &mut recoded)?;
/// assert_eq!((summary.read.format, summary.written.format), (Some(Format::Zstd), Some(Format::Xz)));
/// assert_eq!(pzcomp::decompress(&recoded, &Decode::default())?, b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[must_use = "nothing is recoded before `run`"]
pub struct Recode<'a> {
    from: &'a Decode,
    to: RunOptions<'a, Encode>,
}

impl<'a> Recode<'a> {
    /// A run that reads as `from` says and writes as `to` says.
    pub fn new(from: &'a Decode, to: &'a Encode) -> Self {
        Self { from, to: RunOptions::new(to) }
    }

    /// Whether what was written is decoded and compared with the plain data of the input, as by [`Compress::verify`].
    /// Of the memory, each direction then gets a quarter, and the verification gets half.
    pub fn verify(mut self, verify: bool) -> Self {
        self.to.verifies = verify;
        self
    }

    /// Calls that see the plain data between the two directions ([`Taps::input`]) and all bytes of the output. The
    /// thread of the caller calls them.
    pub fn taps(mut self, taps: Taps<'a>) -> Self {
        self.to.taps = taps;
        self
    }

    /// Shows how far the run is, and lets any thread stop it, as [`Compress::progress`].
    pub fn progress(self, progress: &Progress) -> Self {
        Self { to: self.to.with_progress(progress), ..self }
    }

    /// Recodes the input to its end.
    pub fn run<'i, 'o>(self, input: impl Into<Input<'i>>, output: impl Into<Output<'o>>) -> Result<Recoded> {
        let RunOptions { options: to, verifies, taps } = self.to;
        recode(input.into(), output.into(), (self.from, &to), taps, verifies)
    }
}
