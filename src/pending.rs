//! Output files that are not complete yet, and what happens to them if a signal ends the process.
//!
//! [`PendingFiles`] makes them for `target`, `link` and `seek/tar/`, in a [`Folder`]. Most are temporary files:
//! [`PendingFile::complete`] gives such a file its name, and dropping it removes it. Where nothing can be renamed, a
//! new file has its name from the beginning, and dropping it removes it too. A file that cannot be replaced is written
//! in place, and dropping it empties it.
//!
//! The errors of a file come late: when it is synced, and when it is closed. Both happen here, before the file gets its
//! name, for every file that pzcomp makes.
//!
//! From the first pending file on, or for the program of `--exec`, signals are caught: a process that only writes to a
//! pipe needs no handler. The thread that gets one removes or empties all pending files, ends that program, and raises
//! the signal again with its default action, so that the caller sees a process that a signal has ended. It may be any
//! thread, at any place. So whoever holds a lock that the answer takes defers signals ([`Locked`]).
//!
//! No file with incomplete content may stay behind under the name of an output.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use super::inputs::Inputs;
use super::producer;
use super::report::silence;
use system::facts::Facts;
use system::folder::{Folder, name_for_now};
use system::place;
use system::sandbox;
use system::signals::{self, Locked, forbid_file_writes};
use system::streams;

/// All pending files of the process, for the answer to a signal.
static REGISTRY: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Entry {
    number: u64,
    /// What is removed.
    name: Option<(Folder, OsString)>,
    /// What is emptied, if it cannot be removed.
    file: Option<File>,
}

impl Entry {
    fn new(name: Option<(&Folder, OsString)>, file: Option<File>) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = name.map(|(folder, name)| (folder.clone(), name));
        Self { number: NUMBER.fetch_add(1, Ordering::Relaxed), name, file }
    }

    /// Removes or empties the file. Returns whether it is still there.
    fn give_up(&self) -> bool {
        if self.name.as_ref().is_some_and(|(folder, name)| folder.remove(name).is_ok()) {
            return false;
        }
        // What ends the writing is reported. A failure here cannot be.
        self.file.as_ref().is_some_and(|file| file.set_len(0).is_ok())
    }
}

fn registry() -> Locked<Vec<Entry>> {
    signals::lock(&REGISTRY)
}

/// Removes or empties these files, because the process ends.
fn give_up(entries: &[Entry]) {
    if entries.iter().any(|entry| entry.file.is_some()) {
        silence();
        forbid_writing();
    }
    entries.iter().for_each(|entry| {
        entry.give_up();
    });
}

/// Removes or empties all pending files at once, and makes sure that none is completed any more. The thread that calls
/// this may be one that makes such a file at this moment, or have memory that such a thread waits for. So it does not
/// wait without end.
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

/// Answers a signal, which ends the process.
fn end_by(signal: i32) {
    abandon();
    producer::end_for_signal();
    signals::end_by(signal);
}

/// Makes pending files.
#[derive(Debug, Default)]
pub(super) struct PendingFiles {
    /// The file systems that are known to rename files.
    renaming: Mutex<Vec<u64>>,
    /// What none of them may replace.
    pub(super) inputs: Inputs,
}

impl PendingFiles {
    /// Makes an empty temporary file in `folder`. Its mode is `mode` without the bits of the umask. `None` if no file
    /// can get another name in this folder. That shows now, and not when the file is complete.
    pub(super) fn create(&self, folder: &Folder, mode: u32) -> io::Result<Option<PendingFile>> {
        self.watch();
        let (file_system, keeps_names) = folder.facts()?;
        if keeps_names {
            return Ok(None);
        }
        // The lock is held until the name of the new file is registered. Otherwise a signal in between would leave
        // the file behind.
        let mut registry = registry();
        let mut renaming = self.renaming.lock().unwrap_or_else(PoisonError::into_inner);
        // All memory comes before the file, because the process ends if there is none.
        registry.reserve(1);
        renaming.reserve(1);
        let (other, mut copy) = (name_for_now(), name_for_now());
        let (mut name, file) = folder.temporary(mode)?;
        if !renaming.contains(&file_system) {
            if !folder.can_rename(&mut name, other) {
                // An empty file that cannot be removed does no harm.
                let _ = folder.remove(&name);
                return Ok(None);
            }
            renaming.push(file_system);
        }
        copy.clear();
        copy.push(&name);
        let registration = register(&mut registry, Entry::new(Some((folder, copy)), None));
        Ok(Some(PendingFile::new(file, folder, name, Way::Renamed, registration.into())))
    }

    /// A temporary file with these bytes in the folder of `path`, for an output that may get this path. `None` if there
    /// is none. It takes no room that an output before it needs.
    pub(super) fn prepare(&self, path: &Path, bytes: &[u8]) -> Option<PendingFile> {
        let (folder, name) = Folder::of(path).ok()?;
        // If something has the name, the file would be of no use, or whether it is will be asked.
        if folder.has(&name) || !folder.has_room() {
            return None;
        }
        let pending = self.create(&folder, 0o600).ok()??;
        pending.file().write_all(bytes).ok()?;
        Some(pending)
    }

    /// Makes an empty file that has its name from the beginning.
    pub(super) fn make(&self, folder: &Folder, name: &OsStr, mode: u32) -> io::Result<PendingFile> {
        self.watch();
        let mut registry = registry();
        let file = folder.create(name, mode)?;
        let again = lock(&file).and_then(|()| file.try_clone()).inspect_err(|_| {
            // Nothing is in it.
            let _ = folder.remove(name);
        })?;
        let entry = Entry::new(Some((folder, name.to_owned())), Some(again));
        let registration = register(&mut registry, entry);
        Ok(PendingFile::new(file, folder, name.to_owned(), Way::Made, registration.into()))
    }

    /// Opens an existing file, to be written in place. Its content stays until [`PendingFile::begin`].
    pub(super) fn open_in_place(&self, folder: &Folder, name: &OsStr) -> io::Result<PendingFile> {
        self.watch();
        let file = folder.open_to_write(name)?;
        Ok(PendingFile::new(file, folder, name.to_owned(), Way::InPlace, OnceCell::new()))
    }

    /// Has signals answered from here on.
    pub(super) fn watch(&self) {
        signals::answer(end_by);
    }
}

/// Makes the system refuse all further writes to files. The threads that write do not know that the process ends. If
/// one of them wrote behind the start of a file that was just emptied, the file would have its full length, with a
/// hole at the start.
fn forbid_writing() {
    // If the limit cannot be lowered, the process goes on without it.
    forbid_file_writes();
}

/// Makes sure that no other process writes the same file in place. If it did, nobody would have whole data. File
/// systems without locks give none.
fn lock(file: &File) -> io::Result<()> {
    let what = "another process writes to it at the moment";
    place::lock(file).then_some(()).ok_or_else(|| io::Error::new(io::ErrorKind::ResourceBusy, what))
}

/// An output file that is not complete. Dropping it removes it, or empties it if it is written in place and writing
/// has begun.
#[derive(Debug)]
#[must_use]
pub(super) struct PendingFile {
    file: File,
    folder: Folder,
    /// Its name now.
    name: OsString,
    way: Way,
    /// Set when the file is to be removed or emptied.
    registration: OnceCell<Registration>,
}

/// How a file gets its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// It is renamed when it is complete.
    Renamed,
    /// It was made with it.
    Made,
    /// It had it before.
    InPlace,
}

/// Why an output is not complete, or does not have its name.
#[derive(Debug)]
pub(super) enum Incomplete {
    /// The system refuses to write it.
    System(io::Error),
    /// Something has its name already.
    Taken,
    /// It is whole, but has this name in its folder.
    Kept(io::Error, OsString),
}

impl PendingFile {
    fn new(
        file: File,
        folder: &Folder,
        name: OsString,
        way: Way,
        registration: OnceCell<Registration>,
    ) -> Self {
        Self { file, folder: folder.clone(), name, way, registration }
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// The folder in which it is made.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// What its completion needs in the sandbox. It gets attributes of another file.
    pub(super) fn left<'a>(
        &'a self,
        named: (&'a OsStr, bool),
        like: Option<(&'a Facts, u32)>,
    ) -> sandbox::Output<'a> {
        let name = (!self.is_in_place()).then_some(&*self.name);
        sandbox::Output { file: &self.file, folder: &self.folder, name, named, like }
    }

    /// Whether the file is in the folder that is at this path now.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        self.folder.is_at(folder)
    }

    /// Says that writing begins. A file that is written in place is emptied now.
    pub(super) fn begin(&self) -> io::Result<()> {
        if self.registration.get().is_some() {
            return Ok(());
        }
        lock(&self.file)?;
        let entry = Entry::new(None, Some(self.file.try_clone()?));
        let mut registry = registry();
        self.registration.get_or_init(|| register(&mut registry, entry));
        drop(registry);
        self.file.set_len(0)
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.way == Way::InPlace
    }

    /// Whether the file has its name already.
    pub(super) fn has_name(&self) -> bool {
        self.way != Way::Renamed
    }

    /// Removes the file, or empties it. Returns whether there is an empty file now.
    pub(super) fn give_up(mut self) -> bool {
        self.registration.take().is_some_and(Registration::give_up)
    }

    /// Waits until the file is on the disk if it is to be `safe`, and has the system tell of all errors of earlier
    /// writes.
    pub(super) fn settle(&self, safe: bool) -> io::Result<()> {
        if safe {
            streams::sync(&self.file)?;
        }
        streams::settle(&self.file)
    }

    /// Settles the file, which is whole, and gives it the name `to` in one step. If something has that name, it is
    /// replaced if `overwrite` is set; otherwise the call fails. `is_sole` says that there is no other copy of the
    /// data: then a file that is too late for its name is kept. A file that is written in place keeps its name, and is
    /// no longer emptied when it is dropped.
    pub(super) fn complete(
        self,
        to: &OsStr,
        overwrite: bool,
        is_sole: bool,
        safe: bool,
    ) -> Result<(), Incomplete> {
        self.settle(safe).map_err(Incomplete::System)?;
        let Self { file, folder, name, way, mut registration } = self;
        // A file system that knows files by their names only cannot tell any more when the first name is gone.
        let own = Facts::of(&file).ok();
        if let Err(error) = folder.is_still(&name, own.as_ref()) {
            // What has the name now is not of this process.
            keep(&mut registry(), registration.take());
            return Err(Incomplete::System(error));
        }
        if way == Way::Renamed {
            // The answer to a signal takes the same lock. So a signal comes either before the renaming, and
            // the temporary file is removed, or after it, and the complete file stays.
            let mut registry = registry();
            let named = match overwrite {
                true => folder.rename(&name, to),
                false => folder.give_name(&name, to),
            };
            match named {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !is_sole => {
                    return Err(Incomplete::Taken);
                }
                Err(error) if !folder.has(&name) => return Err(Incomplete::System(error)),
                Err(error) => {
                    keep(&mut registry, registration.take());
                    return Err(Incomplete::Kept(error, name));
                }
            }
            keep(&mut registry, registration.take());
            folder.is_still(to, own.as_ref()).map_err(Incomplete::System)?;
        } else {
            keep(&mut registry(), registration.take());
        }
        if safe {
            folder.sync().map_err(Incomplete::System)?;
        }
        Ok(())
    }
}

/// Stands for one file in the registry. Dropping it removes or empties the file.
#[derive(Debug)]
struct Registration(u64);

fn register(registry: &mut Vec<Entry>, entry: Entry) -> Registration {
    let number = entry.number;
    registry.push(entry);
    Registration(number)
}

/// The file stays as it is.
fn keep(registry: &mut Vec<Entry>, registration: Option<Registration>) {
    let Some(registration) = registration else { return };
    registry.retain(|entry| entry.number != registration.0);
    std::mem::forget(registration);
}

impl Registration {
    /// Removes or empties the file. Returns whether it is still there.
    fn give_up(self) -> bool {
        let is_there = self.end();
        std::mem::forget(self);
        is_there
    }

    fn end(&self) -> bool {
        let mut registry = registry();
        let ended = registry.extract_if(.., |entry| entry.number == self.0).next();
        ended.is_some_and(|entry| entry.give_up())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.end();
    }
}
