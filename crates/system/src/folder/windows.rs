//! Folders of Windows: paths. Nothing is made in them but files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windows_sys::Win32::Foundation::{ERROR_DIRECTORY, ERROR_PRIVILEGE_NOT_HELD};
use windows_sys::Win32::Storage::FileSystem::{GetDiskFreeSpaceExW, MoveFileExW};

use crate::facts::{Facts, Time};

/// A folder, by its whole path.
#[derive(Clone, Debug)]
pub struct Folder(Arc<PathBuf>);

impl Folder {
    /// Opens the folder at this path.
    pub fn open(path: &Path) -> io::Result<Self> {
        match fs::metadata(path)?.is_dir() {
            true => Ok(Self(Arc::new(std::path::absolute(path)?))),
            false => Err(io::Error::from_raw_os_error(ERROR_DIRECTORY.cast_signed())),
        }
    }

    /// Folders and links are not made on Windows.
    pub fn open_to_fill(_: &Path) -> io::Result<Self> {
        Err(unsupported())
    }

    /// Opens the folder of the file at this path. Also returns the name of the file in it. It is an error if Windows
    /// has a device of that name, which no file can get.
    pub fn of(path: &Path) -> io::Result<(Self, OsString)> {
        path.file_name().ok_or_else(is_a_folder)?;
        let name = crate::name::of_file(path.as_os_str()).ok_or_else(|| {
            let what = "no file of Windows has such a name, as that of a device; use another one";
            io::Error::new(ErrorKind::InvalidFilename, what)
        });
        Ok((Self::open(super::folder_of(path))?, name?.to_owned()))
    }

    /// Whether the folder at this path is this one.
    pub fn is_at(&self, path: &Path) -> bool {
        let identity = |path| Facts::at(path).map(|there| there.identity());
        let (own, there) = (identity(&self.0), identity(path));
        own.is_ok_and(|own| there.is_ok_and(|there| own == there))
    }

    /// Whether the file system has much more room than the files that one run has ready before their turn.
    pub fn has_room(&self) -> bool {
        const BYTES: u64 = 256 << 20;
        let mut free = 0;
        let (path, none) = (wide(&self.0), std::ptr::null_mut());
        // SAFETY: the path ends with a zero, and the call writes a number to `free`.
        let is_told = unsafe { GetDiskFreeSpaceExW(path.as_ptr(), &raw mut free, none, none) != 0 };
        is_told && free >= BYTES
    }

    /// Makes a file, which must not be there. It has the rights of its folder.
    pub fn create(&self, name: &OsStr, _: u32) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.0.join(name))
    }

    /// Makes a file without a name.
    pub fn unnamed(&self) -> io::Result<File> {
        crate::file::unnamed_in(&self.0)
    }

    /// Opens a file that is there, to write it under its name.
    pub fn open_to_write(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.0.join(name))
    }

    /// Takes a name away.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Gives a file another name besides its own. Fails if something has that name.
    pub fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.0.join(from), self.0.join(to))
    }

    /// Renames a file. What has the new name is replaced.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to) = (self.0.join(from), self.0.join(to));
        let error = match fs::rename(&from, &to) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => error,
            renamed => return renamed,
        };
        // FAT, some servers and wine replace no file that is open. It can get another name, under which it is removed.
        if !Facts::of_link(&to).is_ok_and(|there| there.is_file()) {
            return Err(error);
        }
        let mut aside = from.clone().into_os_string();
        aside.push(super::REPLACED);
        let aside = PathBuf::from(aside);
        fs::rename(&to, &aside)?;
        let left = |error| {
            let what = format!("what it replaces is left as {}: {error}", aside.display());
            io::Error::new(ErrorKind::ResourceBusy, what)
        };
        if let Err(error) = fs::rename(&from, &to) {
            fs::rename(&aside, &to).map_err(left)?;
            return Err(error);
        }
        // A program that runs can be renamed, and not removed.
        fs::remove_file(&aside).map_err(left)
    }

    /// Renames a file. Fails if something has the new name.
    pub fn give_name(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to) = (wide(&self.0.join(from)), wide(&self.0.join(to)));
        // SAFETY: both paths end with a zero.
        match unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), 0) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Whether something has this name.
    pub fn has(&self, name: &OsStr) -> bool {
        Facts::of_link(&self.0.join(name)).is_ok()
    }

    /// Fails if this name is not that of the open file, because another program has removed, renamed or replaced it.
    pub fn is_still(&self, name: &OsStr, own: Option<&Facts>) -> io::Result<()> {
        match Facts::at(&self.0.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(io::Error::other("another program has taken it away"))
            }
            // What is in one folder is on one volume, which wine does not know of a file that was renamed.
            Ok(there) if own.is_some_and(|own| own.identity().number() != there.identity().number()) => {
                Err(io::Error::other("another program has put another file in its place"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a file can get this other name here. If it can, it has it then.
    pub fn can_rename(&self, name: &mut OsString, other: OsString) -> bool {
        let renamed = self.rename(name, &other).is_ok();
        if renamed {
            *name = other;
        }
        renamed
    }

    /// What has this name, which may be a link.
    pub fn look(&self, name: &OsStr) -> io::Result<Facts> {
        Facts::of_link(&self.0.join(name))
    }

    /// Not on Windows.
    pub fn inner(&self, _: &OsStr) -> io::Result<Option<Self>> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn make_folder(&self, _: &OsStr, _: u32) -> io::Result<()> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn make_fifo(&self, _: &OsStr, _: u32) -> io::Result<()> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn make_link(&self, _: &[u8], _: &OsStr) -> io::Result<()> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn read_link(&self, _: &OsStr) -> io::Result<Vec<u8>> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn link_into(&self, _: &OsStr, _: &Self, _: &OsStr) -> io::Result<()> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn remove_folder(&self, _: &OsStr) -> io::Result<()> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn set_modified(&self, _: &OsStr, _: Time) -> io::Result<()> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn set_own_mode(&self, _: u32) -> io::Result<()> {
        Err(unsupported())
    }

    /// Not on Windows.
    pub fn set_own_modified(&self, _: Time) -> io::Result<()> {
        Err(unsupported())
    }

    /// What the folder itself is.
    pub fn own_facts(&self) -> io::Result<Facts> {
        Facts::at(&self.0)
    }

    /// The system puts names on the disk by itself.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Every file system can rename files, so they need no numbers, and no folder keeps its names.
    pub fn facts(&self) -> io::Result<(u64, bool)> {
        Ok((0, false))
    }

    /// A file that cannot be replaced is an error when it is to be replaced.
    pub fn keeps(&self, _: &OsStr) -> bool {
        false
    }

    /// There is no such folder.
    pub fn is_of_processes(&self) -> bool {
        false
    }
}

fn unsupported() -> io::Error {
    io::Error::new(ErrorKind::Unsupported, "pzcomp makes no folders and links of archives on Windows")
}

/// A whole path as Windows takes it at any length.
fn wide(path: &Path) -> Vec<u16> {
    let path = path.as_os_str();
    let (mark, from) = match path.as_encoded_bytes() {
        [b'\\', b'\\', b'?' | b'.', ..] => ("", 0),
        [b'\\', b'\\', ..] => (r"\\?\UNC", 1),
        _ => (r"\\?\", 0),
    };
    mark.encode_utf16().chain(path.encode_wide().skip(from)).chain([0]).collect()
}

/// No bits are taken off.
pub fn umask() -> u32 {
    0
}

/// The error of what would need a file, and has a folder.
pub fn is_a_folder() -> io::Error {
    ErrorKind::IsADirectory.into()
}

/// Removes the file at this path.
pub fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Makes a symbolic link at a path, which needs a privilege.
pub fn make_link_at(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link).map_err(|error| {
        match error.raw_os_error() == Some(ERROR_PRIVILEGE_NOT_HELD.cast_signed()) {
            true => {
                let what = "Windows makes links for administrators, and for all users in its developer mode";
                io::Error::new(ErrorKind::PermissionDenied, what)
            }
            false => error,
        }
    })?;
    // wine 8 reports links that it has not made.
    let is_made = Facts::of_link(link).is_ok();
    is_made.then_some(()).ok_or_else(|| io::Error::new(ErrorKind::Unsupported, "the system has made no link"))
}
