//! [`Folder`]: a folder that is open, and the files in it by their names.
//!
//! Programs make outputs and files without a name with it. A path is used once, to open the folder. From then on
//! everything goes by the descriptor. So it does not matter whether a folder above is renamed meanwhile, or may not be
//! searched.
//!
//! File systems differ in what they can do with names. [`Folder::give_name`] goes from the best way to one that every
//! file system has which can rename at all. It never replaces a file.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

pub use platform::{Folder, is_a_folder, make_link_at, remove_file, umask};

/// The path without links and `..`, as messages show it: Windows puts a sign in front that only programs want.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    let shown = real.to_str().filter(|_| cfg!(windows)).and_then(|real| real.strip_prefix(r"\\?\"));
    Ok(shown.filter(|shown| !shown.starts_with("UNC")).map(PathBuf::from).unwrap_or(real))
}

impl Folder {
    /// Makes a file for an output that is not complete. Also returns its name.
    pub fn temporary(&self, mode: u32) -> io::Result<(OsString, File)> {
        const TRIALS: usize = 100;
        for _ in 0..TRIALS {
            let name = name_for_now();
            match self.create(&name, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|file| (name, file)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Gives a file another name besides its own. What has that name is replaced, and stays if that fails.
    pub fn link_over(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let now = name_for_now();
        self.link(from, &now)?;
        let renamed = self.rename(&now, to);
        // If the name was one of the same file, the system has left both.
        let _ = self.remove(&now);
        renamed
    }
}

/// A name for a file that is not complete.
pub fn name_for_now() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // No random bytes are asked of the system, which may deny them. A name that is taken is tried again.
    let mut hasher = DefaultHasher::new();
    let here = std::ptr::from_ref(&hasher).addr();
    (process::id(), SystemTime::now(), here, COUNT.fetch_add(1, Ordering::Relaxed)).hash(&mut hasher);
    let random = hasher.finish();
    format!("{PARTIAL}{:012x}.partial", random & 0xffff_ffff_ffff).into()
}

const PARTIAL: &str = ".pzcomp-";

/// Windows appends this to the name of what is replaced while it is open.
const REPLACED: &str = ".replaced";

/// Whether this is the name of a file that is not complete.
pub fn is_partial(name: &OsStr) -> bool {
    let name = name.to_str().map(|name| name.strip_suffix(REPLACED).unwrap_or(name));
    let number = name.and_then(|name| name.strip_prefix(PARTIAL)?.strip_suffix(".partial"));
    number.is_some_and(|number| number.len() == 12 && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The path of the folder in which the file at this path is.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
