//! 7z archives, which the command reads and the library does not.
//!
//! An archive is no stream: the list of its files is at its end. [`open`] reads the list of an input that can be read
//! from any place, and applies the choice of the user. [`SevenZ::listing`] is what `-l` prints. [`SevenZ::code`]
//! decodes the chosen files on a thread of its own and gives their data to a run of the library: `-d` and `-t` pass it
//! on, and `--to` compresses it.
//!
//! `sevenz-rust2` parses and decodes. What an archive says of itself is a claim: the list has a limit of memory, a
//! dictionary counts for `-M`, and a window grows only with the data that is decoded. A panic of it is an error. A
//! short file is given out only when its CRC-32 is verified.

mod archive;

use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Builder;

use pzcomp::inspect::Listing;
use pzcomp::{EntryChoice, Error, Input, ReadAt, Summary, Unknown, printable};
use sevenz_rust2::Error as Fault;

use super::confine::confine;
use super::error::{CliError, Kind};
use super::report::Report;
use super::request::{Mode, Options, Request, Task};
use super::source::{OpenInput, Rest};
use system::folder::Folder;
use system::place::read_exact_at;
use system::sandbox::Left;

pub(super) use archive::SevenZ;

/// The name of the format.
const NAME: &str = "7z";

const MAGIC: &[u8] = b"7z\xbc\xaf\x27\x1c";

/// The memory for the list of files if `-M` gives none, and how much of it a byte of the list can take.
const LIST_MEMORY: u64 = 512 << 20;
const LIST_FACTOR: u64 = 160;

/// The memory that a packed list needs at least, because 7z packs it with a dictionary of 1 MiB.
const LIST_KIB_MIN: u64 = 1100;

/// The pieces that wait for the library.
const WAITING: usize = 2;

/// Whether an archive begins with these bytes.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// The options of a run that passes the data of files on.
pub(super) fn passing(options: &Options) -> Options {
    let (accept, unknown) = (Some(Vec::new()), Unknown::Copy);
    Options { accept, unknown, entry: EntryChoice::First, expect_end: false, ..options.clone() }
}

/// Whether the input is an archive that can be read. An error is found again when the input is read.
fn is_archive(opened: &OpenInput) -> bool {
    let mut head = [0; MAGIC.len()];
    opened.facts.is_file() && read_exact_at(&opened.file, &mut head, opened.start()).is_ok() && begins(&head)
}

/// Fails if the input is an archive, for the options that do not read archives.
pub(super) fn refuse(opened: &OpenInput) -> Result<(), CliError> {
    let what = "is a 7z archive, which -d, -t, -l, --extract and --to read, and nothing else. Extract its files first";
    if is_archive(opened) { Err(Kind::Failed(what.into()).into()) } else { Ok(()) }
}

/// Reads the list of the archive in this input, if it is one that is to be read. The list may be compressed, so the
/// run is confined before.
pub(super) fn open(
    opened: &OpenInput,
    request: &Request,
    report: &Report,
) -> Result<Option<SevenZ>, CliError> {
    let is_wanted = request.mode() != Mode::Compress
        && request.options.accept.is_none()
        && !matches!(request.task, Task::Members(..));
    if !is_wanted || !is_archive(opened) {
        return Ok(None);
    }
    if matches!(request.task, Task::Salvage(_)) {
        let what = "is a 7z archive, of which --salvage knows nothing. If the list at its end is intact, --extract NAME gets \
                    each intact file";
        return Err(Kind::Failed(what.into()).into());
    }
    confine(Left { files: true, ..Left::default() }, request, report, &opened.name());
    let mut place = Place::of(opened.rest()?)?;
    let memory = request.options.memory.unwrap_or(LIST_MEMORY);
    let kib = usize::try_from((memory / LIST_FACTOR / 1024).max(LIST_KIB_MIN)).unwrap_or(usize::MAX);
    let archive = SevenZ::read(&mut place, kib, &request.options.entry);
    archive.map(Some).map_err(|fault| match opened.path.as_deref().and_then(about_volume) {
        Some(what) => Kind::Failed(what).into(),
        None => failed(&fault, "the list at its end"),
    })
}

impl SevenZ {
    /// Bytes of plain data in the chosen files.
    pub(super) fn plain_len(&self) -> u64 {
        let chosen = self.entries.iter().filter(|entry| entry.is_chosen);
        chosen.fold(0, |sum, entry| entry.plain_len.saturating_add(sum))
    }

    /// Whether all chosen files that have data carry a CRC-32.
    fn is_checked(&self) -> bool {
        let chosen = self.chosen.iter().filter_map(|&number| self.archive.files.get(number));
        chosen.into_iter().all(|file| file.has_crc || file.size == 0)
    }

    /// What `-l` prints. All files count.
    pub(super) fn listing(self) -> Listing {
        let is_checked = self.archive.files.iter().all(|file| file.has_crc || file.size == 0);
        let mut listing = Listing::default();
        listing.frames = Some(self.archive.blocks.len() as u64);
        listing.coded_len = self.coded_len;
        listing.plain_len =
            Some(self.entries.iter().fold(0, |sum, entry| entry.plain_len.saturating_add(sum)));
        listing.check = if is_checked && listing.plain_len > Some(0) { "CRC32" } else { "-" };
        (listing.is_indexed, listing.entries) = (true, self.entries);
        listing
    }

    /// Adds what is known of the files to the summary of a run over their data.
    pub(super) fn of_files(&self, mut summary: Summary) -> Summary {
        (summary.entries, summary.unverified) = (self.entries.clone(), !self.is_checked());
        summary
    }

    /// The summary of a run that has passed the data on, as that of the archive.
    pub(super) fn of_archive(&self, mut summary: Summary) -> Summary {
        (summary.coded_len, summary.frames) = (self.coded_len, self.archive.blocks.len() as u64);
        (summary.check, summary.ends_indexed) = (Some("CRC32").filter(|_| !summary.unverified), true);
        summary
    }

    /// Shows all bytes of the archive.
    pub(super) fn show(&self, opened: &OpenInput, mut take: impl FnMut(&[u8])) -> Result<(), CliError> {
        let (mut place, mut buffer) = (Place::of(opened.rest()?)?, vec![0; 1 << 20]);
        loop {
            match place.read(&mut buffer).map_err(CliError::cannot("read"))? {
                0 => return Ok(()),
                len => take(&buffer[..len]),
            }
        }
    }

    /// Decodes the chosen files, whose data is the input of `run`. The error of the archive comes before that of `run`.
    pub(super) fn code<T>(
        &self,
        opened: &OpenInput,
        request: &Request,
        output: &str,
        run: impl FnOnce(Input) -> Result<T, Error>,
    ) -> Result<Result<T, Error>, CliError> {
        if self.chosen.is_empty() && request.options.entry != EntryChoice::All {
            return Err(Kind::Failed(self.not_found(&request.options.entry)).into());
        }
        let place = Place::of(opened.rest()?)?;
        let shares = if request.mode() == Mode::Recode { 2 } else { 1 };
        let kib =
            request.options.memory.map_or(usize::MAX / 1024, |memory| (memory / shares / 1024) as usize);
        let of_decoding = |decoded: Result<(), Fault>, done| match decoded {
            // Nobody took the data: the error of the run says why.
            Err(fault) if is_left(&fault) => Ok(done),
            Err(fault) => {
                let failure = failed(&fault, "its data");
                Err(match failure.kind {
                    Kind::Failed(what) if !output.is_empty() => {
                        let what = format!(
                            "{what}. {output} was not made; --extract NAME gets each intact file, and -c the data \
                             before the error"
                        );
                        Kind::Failed(what).into()
                    }
                    kind => kind.into(),
                })
            }
            Ok(()) => Ok(done),
        };
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(WAITING);
            let decode = move || {
                let mut give = |piece| sender.send(piece).map_err(|_| left_alone());
                self.decode(BufReader::with_capacity(256 << 10, place), kib, &mut give)?;
                // An empty piece is the end.
                give(Vec::new())
            };
            let decoding = Builder::new().name(NAME.into()).spawn_scoped(scope, decode);
            let Ok(decoding) = decoding else {
                // The system starts no thread. The data waits on the disk.
                let stored = Folder::open(&std::env::temp_dir()).and_then(|folder| folder.unnamed());
                let mut stored = stored.map_err(CliError::cannot(
                    "start a thread, nor make a temporary file for the data instead",
                ))?;
                let place = BufReader::with_capacity(256 << 10, Place::of(opened.rest()?)?);
                let decoded = self.decode(place, kib, &mut |piece| Ok(stored.write_all(&piece)?));
                stored.rewind().map_err(CliError::cannot("read a temporary file"))?;
                return of_decoding(decoded, run(Input::reader(stored)));
            };
            let done = run(Input::reader(Pieces { receiver, piece: Vec::new(), read: 0, is_over: false }));
            let decoded =
                decoding.join().map_err(|_| Kind::Failed("the thread that decodes it has failed".into()))?;
            of_decoding(decoded, done)
        })
    }

    /// What is wrong if the archive does not hold the chosen file.
    fn not_found(&self, choice: &EntryChoice) -> String {
        /// So many files are named.
        const NAMED_MAX: usize = 20;
        let (count, named) = (self.entries.len(), self.entries.iter().take(NAMED_MAX));
        let named: Vec<&str> = named.map(|entry| entry.name.as_str()).collect();
        let more = if count > named.len() { ", …" } else { "" };
        let named = named.join(", ");
        match choice {
            _ if count == 0 => "the archive holds no file".into(),
            EntryChoice::Named(name) => {
                format!("the archive holds no file '{}'; it holds: {named}{more}", printable(name))
            }
            EntryChoice::Number(number) => {
                format!("the archive holds no file number {number}, but {count} file(s): {named}{more}")
            }
            _ => "no file of the archive was chosen".into(),
        }
    }
}

/// The error if the library takes no more data.
fn left_alone() -> Fault {
    io::Error::from(ErrorKind::BrokenPipe).into()
}

fn is_left(fault: &Fault) -> bool {
    matches!(fault, Fault::Io(error, _) if error.kind() == ErrorKind::BrokenPipe)
}

/// The error of an archive as a sentence about it.
fn failed(fault: &Fault, part: &str) -> CliError {
    let damaged = |what: &str| {
        format!("the 7z archive is damaged: {part} {what}. Fetch it again or restore it from another copy")
    };
    let unsupported = |what: &str| format!("{what}, which pzcomp does not read in 7z archives; use 7z x -so");
    let of_io = |error: &io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => damaged("is cut off"),
        _ => {
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Fault>());
            match inner {
                Some(Fault::ChecksumVerificationFailed) => {
                    damaged("has another CRC-32 than the archive states")
                }
                _ if error.raw_os_error().is_some() => format!("cannot read the archive: {error}"),
                _ => damaged(&format!("is wrong ({error})")),
            }
        }
    };
    let what = match fault {
        Fault::Io(error, _) | Fault::FileOpen(error, _) | Fault::MaybeBadPassword(error) => of_io(error),
        Fault::ChecksumVerificationFailed | Fault::NextHeaderCrcMismatch => {
            damaged("has another CRC-32 than the archive states")
        }
        Fault::Other(what) => damaged(&format!("is wrong ({what})")),
        Fault::UnsupportedCompressionMethod(name) => {
            unsupported(&format!("it is packed with {}", method_name(name)))
        }
        Fault::Unsupported(what) => unsupported(&format!("it has something rare ({what})")),
        Fault::PasswordRequired => unsupported("it is encrypted"),
        Fault::UnsupportedVersion { major, minor } => {
            unsupported(&format!("it has version {major}.{minor} of the format"))
        }
        Fault::ExternalUnsupported => unsupported("its list is in several parts"),
        Fault::MaxMemLimited { actaul_kb, .. } => format!(
            "the 7z archive needs more memory than is allowed: {part} takes {} MiB; use a larger -M",
            actaul_kb.div_ceil(1024)
        ),
        _ => damaged("is wrong"),
    };
    Kind::Failed(what).into()
}

/// The name of a method as users know it.
fn method_name(name: &str) -> &str {
    match name {
        "PPMD" => "PPMd",
        "AES256_SHA256" => "encryption (AES-256)",
        "BCJ_X86" => "the filter BCJ x86",
        "DEFLATE64" => "Deflate64",
        other => other,
    }
}

/// The data of the chosen files, as it comes from the thread that decodes them. If that ends early, reading fails.
struct Pieces {
    receiver: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    /// How much of the piece was read.
    read: usize,
    is_over: bool,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.piece.len() && !self.is_over {
            let next = self.receiver.recv();
            self.piece = next.map_err(|_| io::Error::other("the archive cannot be decoded"))?;
            (self.read, self.is_over) = (0, self.piece.is_empty());
        }
        let rest = &self.piece[self.read..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        self.read += len;
        Ok(len)
    }
}

/// An input that is read from any place.
struct Place {
    rest: Rest,
    at: u64,
    len: u64,
}

impl Place {
    fn of(rest: Rest) -> Result<Self, CliError> {
        let len = rest.size().map_err(CliError::cannot("read"))?;
        Ok(Self { rest, at: 0, len })
    }
}

impl Read for Place {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Place {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

/// The kind of an error of the library that concerns an input. A volume of an archive, such as `dump.7z.001`, is a
/// piece of it, cut anywhere. Its content looks cut off, or like no archive at all. So the name tells.
pub(super) fn kind_of(opened: &OpenInput, error: Error) -> Kind {
    let is_of_content =
        matches!(error, Error::Truncated { .. } | Error::Corrupt { .. } | Error::NotCompressed { .. });
    let about = opened.path.as_deref().filter(|_| is_of_content).and_then(about_volume);
    match (about, &error) {
        (Some(what), _) => Kind::Failed(what),
        (None, Error::NotCompressed { found, .. }) if found.replace(' ', "").starts_with("377abcaf271c") => {
            let what = "is a 7z archive, and the list of its files is at its end, so it is read from files only. Save it to a \
                        file, and name that file";
            Kind::Failed(what.into())
        }
        _ => Kind::Library(error),
    }
}

/// What a file is, if it has the name of a volume, and what to do. An error of its content would send the user to fetch
/// the file again.
pub(super) fn about_volume(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (archive, number) = name.rsplit_once('.')?;
    let is_volume = number.len() >= 3
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && archive.len() > 3
        && archive.to_ascii_lowercase().ends_with(".7z");
    is_volume.then(|| {
        let archive = printable(archive.as_bytes());
        format!(
            "is volume {number} of an archive in several volumes, which are read only as a whole. Join them in their order, \
             and read the file that comes of it: cat '{archive}'.[0-9]* > '{archive}'"
        )
    })
}
