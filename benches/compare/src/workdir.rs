//! The temporary folder: in memory if there is room.
//!
//! `main.rs` makes a [`WorkDir`], and all files of a measurement are in it. The folder is removed when the program
//! ends, also if INT or TERM ends it.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// Set by the thread that watches for signals, and never unset.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Does not return if a signal is about to end the program. The signal ends the measured process too, so its failure is
/// no result.
pub fn stop_if_interrupted() {
    /// The thread that watches for signals may notice the signal a little later than the measured process.
    const GRACE: Duration = Duration::from_millis(50);
    thread::sleep(GRACE);
    while INTERRUPTED.load(Ordering::SeqCst) {
        thread::park();
    }
}

/// A folder that is removed with everything in it when the value is dropped.
pub struct WorkDir {
    path: PathBuf,
}

impl WorkDir {
    /// Makes the folder in `parent`. Without `parent`, makes it in `/dev/shm` if that has `room` bytes left, and
    /// otherwise in `$TMPDIR`.
    pub fn new(parent: Option<&Path>, room: u64) -> Result<Self, String> {
        /// A number for the name, because tests in one process make several folders.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let parent = parent.map_or_else(|| default_parent(room), Path::to_owned);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("pzcomp-compare.{}.{number}", process::id()));
        fs::create_dir(&path)
            .map_err(|error| format!("Cannot make the folder {}: {error}.", path.display()))?;
        Ok(Self { path })
    }

    /// The path of a file with this name in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes all files, before the next data comes.
    pub fn clear(&self) -> Result<(), String> {
        let clear = || -> io::Result<()> {
            for entry in fs::read_dir(&self.path)? {
                fs::remove_file(entry?.path())?;
            }
            Ok(())
        };
        clear().map_err(|error| format!("Cannot clear {}: {error}.", self.path.display()))
    }

    /// Removes the folder also when INT or TERM ends the program, which runs no destructor.
    pub fn remove_when_interrupted(&self) -> Result<(), String> {
        /// The status that shells report for a program that SIGINT has ended.
        const DIED_OF_SIGINT: i32 = 128 + 2;
        let path = self.path.clone();
        ctrlc::set_handler(move || {
            INTERRUPTED.store(true, Ordering::SeqCst);
            // The folder first gets another name, so that no other thread makes a file in it.
            let doomed = path.with_extension("removed");
            let _ = fs::rename(&path, &doomed);
            let _ = fs::remove_dir_all(&doomed);
            process::exit(DIED_OF_SIGINT);
        })
        .map_err(|error| format!("Cannot watch for interruptions: {error}."))
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("compare: cannot remove {}: {error}.", self.path.display());
        }
    }
}

fn default_parent(room: u64) -> PathBuf {
    const IN_MEMORY: &str = "/dev/shm";
    match free_bytes(Path::new(IN_MEMORY)) {
        Ok(free) if free >= room => IN_MEMORY.into(),
        _ => env::temp_dir(),
    }
}

fn free_bytes(path: &Path) -> io::Result<u64> {
    let volume = rustix::fs::statvfs(path)?;
    Ok(volume.f_bavail * volume.f_frsize)
}
