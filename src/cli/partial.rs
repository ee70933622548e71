//! Files that are not complete yet, and what becomes of them when a signal ends the program.
//!
//! Their names are known to a thread that waits for signals. It removes them and then lets the signal
//! do what it does by default, so that the caller sees a process that was ended by it. The thread
//! exists only while there is something to remove: a filter needs no handler.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tempfile::{Builder, NamedTempFile, PersistError};

/// Signals that end a program and that it can catch.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGTERM, SIGXCPU];

/// The names of files that are not complete.
#[derive(Clone, Debug, Default)]
struct Names(Arc<Mutex<Vec<PathBuf>>>);

impl Names {
    fn lock(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes temporary files that no signal leaves behind.
#[derive(Debug, Default)]
pub(super) struct Partials {
    names: Names,
    watched: OnceLock<()>,
}

impl Partials {
    /// An empty file in `folder`, which goes away unless it is persisted. The umask takes from `mode`.
    pub(super) fn create(&self, folder: &Path, mode: u32) -> io::Result<Partial> {
        if self.watched.set(()).is_ok() {
            self.watch()?;
        }
        // The thread must not look between the creation of the file and the note of its name.
        let mut names = self.names.lock();
        let mode = Permissions::from_mode(mode);
        let file =
            Builder::new().prefix(".pzcomp-").suffix(".partial").permissions(mode).tempfile_in(folder)?;
        names.push(file.path().to_owned());
        let note = Note { names: self.names.clone(), path: file.path().to_owned() };
        Ok(Partial { file, note })
    }

    fn watch(&self) -> io::Result<()> {
        let ignored = ignored_signals();
        // What the caller ignores (nohup, a job in the background of a script) stays ignored.
        let ending = ENDING.iter().filter(|&&signal| ignored >> (signal - 1) & 1 == 0);
        // Caught, this one makes the write fail, which removes the file and says why.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let mut signals = Signals::new(ending)?;
        let names = self.names.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                // Kept locked to the end: nothing is made or renamed any more.
                let names = names.lock();
                for name in names.iter() {
                    let _ = std::fs::remove_file(name);
                }
                let _ = emulate_default_handler(signal);
            }
        })?;
        Ok(())
    }
}

/// The signals that this process ignores, one bit each, lowest first; none where that is not told.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// A file that is not complete; dropped, it is removed.
#[derive(Debug)]
pub(super) struct Partial {
    file: NamedTempFile,
    note: Note,
}

impl Partial {
    pub(super) fn file(&self) -> &std::fs::File {
        self.file.as_file()
    }

    /// Gives the file its name in one step, in place of another file of that name if `overwrite`.
    pub(super) fn persist(self, path: &Path, overwrite: bool) -> io::Result<()> {
        let Self { file, note } = self;
        // Named or removed by a signal, never both.
        let names = note.names.clone();
        let locked = names.lock();
        let persisted = match overwrite {
            true => file.persist(path).map(drop),
            false => file.persist_noclobber(path).map(drop),
        };
        drop(locked);
        persisted.map_err(|PersistError { error, .. }| error)
    }
}

/// A name in the list, for as long as it is there.
#[derive(Debug)]
struct Note {
    names: Names,
    path: PathBuf,
}

impl Drop for Note {
    fn drop(&mut self) {
        self.names.lock().retain(|name| *name != self.path);
    }
}
