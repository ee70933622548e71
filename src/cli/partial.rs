//! Files that are not complete yet, and what becomes of them when a signal ends the program.
//!
//! Most are temporary files, which get their name when they are complete, and are removed if that never happens. A file
//! that cannot be replaced is written in place, and is emptied if the writing fails.
//!
//! A thread that waits for signals knows all of them. It removes or empties them and then lets the signal do what it does
//! by default, so that the caller sees a process that was ended by it. The thread exists only while there is a file to
//! remove: a filter needs no handler.

use std::cell::OnceCell;
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tempfile::{Builder, NamedTempFile, PersistError};

use super::report::fall_silent;

/// Signals that end a program and that it can catch.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGTERM, SIGXCPU];

/// The files that are not complete.
#[derive(Clone, Debug, Default)]
struct List(Arc<Mutex<Vec<Entry>>>);

#[derive(Debug)]
struct Entry {
    path: PathBuf,
    /// The file itself, if it is written in place.
    in_place: Option<File>,
}

impl List {
    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes files that no signal leaves behind half written.
#[derive(Debug, Default)]
pub(super) struct Partials {
    list: List,
    watched: OnceLock<()>,
}

impl Partials {
    /// An empty file in `folder`, which goes away unless it is persisted. The umask takes from `mode`.
    pub(super) fn create(&self, folder: &Path, mode: u32) -> io::Result<Partial> {
        self.watch()?;
        // The thread must not look between the creation of the file and the note of its name.
        let mut list = self.list.lock();
        let mode = Permissions::from_mode(mode);
        let file =
            Builder::new().prefix(".pzcomp-").suffix(".partial").permissions(mode).tempfile_in(folder)?;
        list.push(Entry { path: file.path().to_owned(), in_place: None });
        let note = Note { list: self.list.clone(), path: file.path().to_owned() };
        Ok(Partial(Backing::Temporary(file, note)))
    }

    /// The file of this name, which is there, to be written in place. Nothing of it changes before [`Partial::begin`].
    pub(super) fn open_in_place(&self, path: &Path) -> io::Result<Partial> {
        self.watch()?;
        let file = OpenOptions::new().write(true).open(path)?;
        let (list, path, note) = (self.list.clone(), path.to_owned(), OnceCell::new());
        Ok(Partial(Backing::InPlace(InPlace { file, path, list, note, is_complete: false })))
    }

    fn watch(&self) -> io::Result<()> {
        if self.watched.set(()).is_err() {
            return Ok(());
        }
        let ignored = ignored_signals();
        // What the caller ignores (nohup, a job in the background of a script) stays ignored.
        let ending = ENDING.iter().filter(|&&signal| ignored >> (signal - 1) & 1 == 0);
        // Caught, this one makes the write fail, which removes the file and says why.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let mut signals = Signals::new(ending)?;
        let list = self.list.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                // Kept locked to the end: nothing is made or renamed any more.
                let list = list.lock();
                if list.iter().any(|entry| entry.in_place.is_some()) {
                    fall_silent();
                    forbid_writing();
                }
                for entry in list.iter() {
                    // The process ends: nobody is left to be told of a failure.
                    let _ = match &entry.in_place {
                        Some(file) => file.set_len(0),
                        None => std::fs::remove_file(&entry.path),
                    };
                }
                let _ = emulate_default_handler(signal);
            }
        })?;
        Ok(())
    }
}

/// From now on the system refuses to write to files. The threads that write do not know that the process ends: what one
/// of them wrote behind the start of a file that was emptied would make the file look as long as if it were whole.
fn forbid_writing() {
    let limit = Rlimit { current: Some(0), ..getrlimit(Resource::Fsize) };
    // Whoever may lower no limit is no worse off than without.
    let _ = setrlimit(Resource::Fsize, limit);
}

/// The signals that this process ignores, one bit each, lowest first; none where that is not told.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// A file that is not complete. When it is dropped, it is removed, or emptied if its writing has begun in place.
#[derive(Debug)]
pub(super) struct Partial(Backing);

#[derive(Debug)]
enum Backing {
    Temporary(NamedTempFile, Note),
    InPlace(InPlace),
}

/// A file that is written under the name it has.
#[derive(Debug)]
struct InPlace {
    file: File,
    path: PathBuf,
    list: List,
    /// There once the writing has begun.
    note: OnceCell<Note>,
    is_complete: bool,
}

impl InPlace {
    fn begin(&self) -> io::Result<()> {
        if self.note.get().is_some() {
            return Ok(());
        }
        let mut list = self.list.lock();
        let in_place = Some(self.file.try_clone()?);
        list.push(Entry { path: self.path.clone(), in_place });
        drop(list);
        self.note.get_or_init(|| Note { list: self.list.clone(), path: self.path.clone() });
        self.file.set_len(0)
    }
}

impl Drop for InPlace {
    fn drop(&mut self) {
        if self.note.get().is_some() && !self.is_complete {
            // The error that the writing ended with is told already.
            let _ = self.file.set_len(0);
        }
    }
}

impl Partial {
    pub(super) fn file(&self) -> &File {
        match &self.0 {
            Backing::Temporary(file, _) => file.as_file(),
            Backing::InPlace(in_place) => &in_place.file,
        }
    }

    /// Says that the writing begins: what a file that is written in place held is gone.
    pub(super) fn begin(&self) -> io::Result<()> {
        match &self.0 {
            Backing::Temporary(..) => Ok(()),
            Backing::InPlace(in_place) => in_place.begin(),
        }
    }

    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.0, Backing::InPlace(_))
    }

    /// Whether it is written in place, and the writing has begun.
    pub(super) fn has_begun_in_place(&self) -> bool {
        matches!(&self.0, Backing::InPlace(in_place) if in_place.note.get().is_some())
    }

    /// Gives the file its name in one step, in place of another file of that name if `overwrite`.
    pub(super) fn persist(self, path: &Path, overwrite: bool) -> io::Result<()> {
        let (file, note) = match self.0 {
            Backing::Temporary(file, note) => (file, note),
            Backing::InPlace(mut in_place) => {
                in_place.is_complete = true;
                return Ok(());
            }
        };
        // Named or removed by a signal, never both.
        let list = note.list.clone();
        let locked = list.lock();
        let persisted = match overwrite {
            true => file.persist(path).map(drop),
            false => file.persist_noclobber(path).map(drop),
        };
        drop(locked);
        persisted.map_err(|PersistError { error, .. }| error)
    }
}

/// An entry of the list, for as long as the file is not complete.
#[derive(Debug)]
struct Note {
    list: List,
    path: PathBuf,
}

impl Drop for Note {
    fn drop(&mut self) {
        self.list.lock().retain(|entry| entry.path != self.path);
    }
}
