//! Output files that are not complete yet, and what happens to them if a signal ends the process.
//!
//! [`PendingFiles`] makes them for `target` and `bench`. Most are temporary files: [`PendingFile::persist`] renames
//! such a file when it is complete, and dropping it removes it. A file that cannot be replaced is written in place,
//! and dropping it empties it.
//!
//! A thread waits for signals and knows all pending files. It removes or empties them and then raises the signal again
//! with its default action, so that the caller sees a process that a signal has ended. It also ends the program of
//! `--exec`. The thread is started with the first pending file, or for such a program: a process that only writes to a
//! pipe needs no handler.
//!
//! No file with incomplete content may stay behind under the name of an output.

use std::cell::OnceCell;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, pipe};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::low_level::emulate_default_handler;
use tempfile::{Builder, NamedTempFile, PersistError};

use super::inherited::{forbid_file_writes, ignored_signals};
use super::producer;
use super::report::silence;

/// Signals that end a process by default and can be caught.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGTERM, SIGXCPU];

/// All pending files of the process, for the thread that waits for signals.
static REGISTRY: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Entry {
    path: PathBuf,
    /// The open file, if it is written in place.
    in_place: Option<File>,
}

fn registry() -> MutexGuard<'static, Vec<Entry>> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes or empties these files, because the process ends.
fn give_up(entries: &[Entry]) {
    if entries.iter().any(|entry| entry.in_place.is_some()) {
        silence();
        forbid_writing();
    }
    for entry in entries {
        // A failure cannot be reported.
        let _ = match &entry.in_place {
            Some(file) => file.set_len(0),
            None => std::fs::remove_file(&entry.path),
        };
    }
}

/// Removes or empties all pending files at once, and makes sure that none is completed any more. The thread that calls
/// this may be one that makes such a file at this moment, so it does not wait for that.
pub(super) fn abandon() {
    const TRIALS: usize = 100;
    for _ in 0..TRIALS {
        let entries = match REGISTRY.try_lock() {
            Ok(entries) => entries,
            Err(TryLockError::Poisoned(entries)) => entries.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
        };
        give_up(&entries);
        std::mem::forget(entries);
        return;
    }
}

/// Makes pending files, and starts the thread that waits for signals.
#[derive(Debug, Default)]
pub(super) struct PendingFiles {
    /// Whether the thread that waits for signals runs.
    is_watched: AtomicBool,
}

impl PendingFiles {
    /// Makes an empty temporary file in `folder`. Its mode is `mode` without the bits of the umask. It is removed
    /// unless [`PendingFile::persist`] renames it.
    pub(super) fn create(&self, folder: &Path, mode: u32) -> io::Result<PendingFile> {
        self.watch();
        // The lock is held until the name of the new file is registered. Otherwise a signal in between would leave
        // the file behind.
        let mut registry = registry();
        let mode = Permissions::from_mode(mode);
        let file =
            Builder::new().prefix(".pzcomp-").suffix(".partial").permissions(mode).tempfile_in(folder)?;
        registry.push(Entry { path: file.path().to_owned(), in_place: None });
        let registration = Registration { path: file.path().to_owned() };
        Ok(PendingFile(Backing::Temporary(file, registration)))
    }

    /// Has the file at this path removed if a signal ends the process, as long as the value lives. `make` makes the
    /// file.
    pub(super) fn guard<T>(
        &self,
        path: PathBuf,
        make: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<(T, Registration)> {
        self.watch();
        let mut registry = registry();
        let made = make()?;
        registry.push(Entry { path: path.clone(), in_place: None });
        Ok((made, Registration { path }))
    }

    /// Opens an existing file, to be written in place. Its content stays until [`PendingFile::begin`].
    pub(super) fn open_in_place(&self, path: &Path) -> io::Result<PendingFile> {
        self.watch();
        let file = OpenOptions::new().write(true).open(path)?;
        let (path, registration) = (path.to_owned(), OnceCell::new());
        Ok(PendingFile(Backing::InPlace(InPlace { file, path, registration, is_complete: false })))
    }

    /// Starts the thread that waits for signals, unless it runs already. If the system allows no thread, signals keep
    /// their default action, and an ended process leaves its temporary files.
    pub(super) fn watch(&self) {
        if self.is_watched.swap(true, Ordering::Relaxed) {
            return;
        }
        let ignored = ignored_signals();
        // A signal that the caller of pzcomp ignores stays ignored. nohup and background jobs of scripts rely on that.
        // The signal with number n has bit n - 1.
        let ending = ENDING.iter().filter(|&&signal| ignored >> (signal - 1) & 1 == 0);
        // A caught SIGXFSZ makes the write fail. The failure removes the file and is reported.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        let Ok((mut notices, notify)) = pipe() else { return };
        let came = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&came);
        let wait = move || {
            // The writing ends are never closed after a signal is caught.
            while notices.read_exact(&mut [0]).is_ok() {
                // The lock is held until the process ends, so no file is made or renamed any more.
                let registry = registry();
                give_up(&registry);
                producer::end_for_signal();
                // The number comes right behind the notice.
                while seen.load(Ordering::SeqCst) == 0 {
                    std::thread::yield_now();
                }
                let _ = emulate_default_handler(seen.load(Ordering::SeqCst) as i32);
            }
        };
        // Signals are caught only after the thread runs. A signal that is caught and not noticed would be ignored.
        if std::thread::Builder::new().name("signals".into()).spawn(wait).is_ok() {
            for &signal in ending {
                let Ok(notify) = notify.try_clone() else { break };
                if signal_hook::low_level::pipe::register(signal, notify).is_ok() {
                    let _ = signal_hook::flag::register_usize(signal, Arc::clone(&came), signal as usize);
                }
            }
        }
    }
}

/// Makes the system refuse all further writes to files. The threads that write do not know that the process ends. If
/// one of them wrote behind the start of a file that was just emptied, the file would have its full length, with a
/// hole at the start.
fn forbid_writing() {
    // If the limit cannot be lowered, the process goes on without it.
    forbid_file_writes();
}

/// An output file that is not complete. Dropping it removes it, or empties it if it is written in place and writing
/// has begun.
#[derive(Debug)]
pub(super) struct PendingFile(Backing);

#[derive(Debug)]
enum Backing {
    Temporary(NamedTempFile, Registration),
    InPlace(InPlace),
}

/// An existing file that is written under its own name.
#[derive(Debug)]
struct InPlace {
    file: File,
    path: PathBuf,
    /// Set when writing begins.
    registration: OnceCell<Registration>,
    is_complete: bool,
}

impl InPlace {
    fn begin(&self) -> io::Result<()> {
        if self.registration.get().is_some() {
            return Ok(());
        }
        let mut registry = registry();
        let in_place = Some(self.file.try_clone()?);
        registry.push(Entry { path: self.path.clone(), in_place });
        drop(registry);
        self.registration.get_or_init(|| Registration { path: self.path.clone() });
        self.file.set_len(0)
    }
}

impl Drop for InPlace {
    fn drop(&mut self) {
        if self.registration.get().is_some() && !self.is_complete {
            // The error that ended the writing is reported already.
            let _ = self.file.set_len(0);
        }
    }
}

impl PendingFile {
    pub(super) fn file(&self) -> &File {
        match &self.0 {
            Backing::Temporary(file, _) => file.as_file(),
            Backing::InPlace(in_place) => &in_place.file,
        }
    }

    /// Says that writing begins. A file that is written in place is emptied now.
    pub(super) fn begin(&self) -> io::Result<()> {
        match &self.0 {
            Backing::Temporary(..) => Ok(()),
            Backing::InPlace(in_place) => in_place.begin(),
        }
    }

    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.0, Backing::InPlace(_))
    }

    /// Whether the file is written in place and [`Self::begin`] has emptied it.
    pub(super) fn has_begun_in_place(&self) -> bool {
        matches!(&self.0, Backing::InPlace(in_place) if in_place.registration.get().is_some())
    }

    /// Says that the file is complete. A temporary file is renamed to `path` in one step. If a file of that name
    /// exists, it is replaced if `overwrite` is set; otherwise the call fails. A file that is written in place keeps
    /// its name, and is no longer emptied when it is dropped.
    pub(super) fn persist(self, path: &Path, overwrite: bool) -> io::Result<()> {
        let (file, _registration) = match self.0 {
            Backing::Temporary(file, registration) => (file, registration),
            Backing::InPlace(mut in_place) => {
                in_place.is_complete = true;
                return Ok(());
            }
        };
        // The thread that waits for signals takes the same lock. So a signal comes either before the renaming, and the
        // temporary file is removed, or after it, and the complete file stays.
        let locked = registry();
        let persisted = match overwrite {
            true => file.persist(path).map(drop),
            false => file.persist_noclobber(path).map(drop),
        };
        drop(locked);
        persisted.map_err(|PersistError { error, .. }| error)
    }
}

/// Stands for one file in the registry. Dropping it takes the file out of the registry.
#[derive(Debug)]
pub(super) struct Registration {
    path: PathBuf,
}

impl Drop for Registration {
    fn drop(&mut self) {
        registry().retain(|entry| entry.path != self.path);
    }
}
