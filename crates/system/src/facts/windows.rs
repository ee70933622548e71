//! Facts of Windows: of pipes and devices it tells the kind alone.

use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::mem::MaybeUninit;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use windows_sys::Win32::Foundation::{ERROR_INVALID_FUNCTION, ERROR_INVALID_HANDLE, ERROR_INVALID_PARAMETER};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_ID_INFO, FILE_STANDARD_INFO, FILE_TYPE_CHAR, FILE_TYPE_DISK, FILE_TYPE_PIPE, FileAttributeTagInfo,
    FileBasicInfo, FileIdInfo, FileStandardInfo, GetFileInformationByHandle, GetFileInformationByHandleEx,
};
use windows_sys::Win32::System::SystemServices::{IO_REPARSE_TAG_MOUNT_POINT, IO_REPARSE_TAG_SYMLINK};

use super::{Kind, Special, Time};
use crate::handle;

/// What the system tells of a file.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    kind: Kind,
    len: u64,
    identity: Identity,
    links: u64,
    modified: Time,
    changed: Time,
}

/// Who may do what with a file. The program cannot copy that on Windows, and a change of it is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights;

/// Two files that are there at the same time are the same if their identities are equal. Those of pipes and devices are
/// all equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(u32, u64);

impl Identity {
    /// Its number in its file system.
    pub fn number(self) -> u64 {
        self.1
    }
}

impl Facts {
    /// Of a file that is open, which may be a pipe or a device.
    pub fn of(file: &File) -> Result<Self> {
        let kind = match handle::type_of(handle::of(file)) {
            FILE_TYPE_DISK => match told_of(file) {
                Ok(told) => {
                    return Ok(Self::told(&told, is_link(file, told.dwFileAttributes), change_of(file)));
                }
                // wine says that of a standard stream, because it knows no path of it.
                Err(error) if error.raw_os_error() == Some(ERROR_INVALID_HANDLE as i32) => {
                    return Self::without_path(file);
                }
                Err(error) if is_of_volume(&error) => Kind::Disk,
                Err(error) => return Err(error),
            },
            FILE_TYPE_PIPE => Kind::Pipe,
            FILE_TYPE_CHAR => Kind::Device,
            _ => Kind::Other,
        };
        let modified = Time { seconds: 0, nanoseconds: 0 };
        Ok(Self { kind, len: 0, identity: Identity(0, 0), links: 1, modified, changed: modified })
    }

    fn told(told: &BY_HANDLE_FILE_INFORMATION, is_link: bool, changed: Option<Time>) -> Self {
        let kind = match told.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY {
            _ if is_link => Kind::Link,
            0 => Kind::File,
            _ => Kind::Folder,
        };
        let joined = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let written = told.ftLastWriteTime;
        let modified = time(joined(written.dwHighDateTime, written.dwLowDateTime).cast_signed());
        Self {
            kind,
            len: joined(told.nFileSizeHigh, told.nFileSizeLow),
            identity: Identity(told.dwVolumeSerialNumber, joined(told.nFileIndexHigh, told.nFileIndexLow)),
            links: told.nNumberOfLinks.into(),
            modified,
            changed: changed.unwrap_or(modified),
        }
    }

    fn without_path(file: &File) -> Result<Self> {
        let (mut told, mut times) = (FILE_STANDARD_INFO::default(), FILE_BASIC_INFO::default());
        let mut id = FILE_ID_INFO::default();
        let kinds = [
            (FileStandardInfo, (&raw mut told).cast(), size_of_val(&told)),
            (FileBasicInfo, (&raw mut times).cast(), size_of_val(&times)),
            (FileIdInfo, (&raw mut id).cast(), size_of_val(&id)),
        ];
        for (kind, place, len) in kinds {
            // SAFETY: the file is open, and the call writes to a structure of this kind, of which it has the length.
            if unsafe { GetFileInformationByHandleEx(file.as_raw_handle(), kind, place, len as u32) } == 0 {
                return Err(Error::last_os_error());
            }
        }
        let number = u128::from_le_bytes(id.FileId.Identifier) as u64;
        Ok(Self {
            kind: Kind::File,
            len: told.EndOfFile.cast_unsigned(),
            identity: Identity(id.VolumeSerialNumber as u32, number),
            links: told.NumberOfLinks.into(),
            modified: time(times.LastWriteTime),
            changed: time(times.ChangeTime),
        })
    }

    /// Of the file at this path, behind all links.
    pub fn at(path: &Path) -> Result<Self> {
        Self::of(&opened(path, 0)?)
    }

    /// Of what has this path, which may be a link.
    pub fn of_link(path: &Path) -> Result<Self> {
        Self::of(&opened(path, FILE_FLAG_OPEN_REPARSE_POINT)?)
    }

    /// What kind of file it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The length that the system states. Reads may show another one.
    #[allow(clippy::len_without_is_empty, reason = "a length of 0 says nothing of most kinds")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// What tells it from all other files.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// How many names it has.
    pub fn links(&self) -> u64 {
        self.links
    }

    /// When its bytes changed last.
    pub fn modified(&self) -> Time {
        self.modified
    }

    /// Whether it is a device that is no terminal, which is the one that has no bytes.
    pub fn is_null(&self) -> bool {
        self.kind == Kind::Device
    }

    /// Who may do what with it.
    pub fn rights(&self) -> Rights {
        Rights
    }

    /// A file has no such bits.
    pub fn special(&self) -> Option<Special> {
        None
    }

    /// Gives a file the time of this one. It has the rights of its folder.
    pub fn give_to(&self, file: &File, _: u32) {
        if let Some(modified) = self.modified.into_system() {
            let _ = file.set_modified(modified);
        }
    }

    /// When its bytes, its names or its attributes changed last.
    pub fn changed(&self) -> Time {
        self.changed
    }
}

/// The file at a path, or a folder, open for questions only.
fn opened(path: &Path, flags: u32) -> Result<File> {
    OpenOptions::new().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | flags).open(path)
}

fn told_of(file: &File) -> Result<BY_HANDLE_FILE_INFORMATION> {
    let mut told = MaybeUninit::zeroed();
    // SAFETY: the file is open, and the call fills the structure, in which all bits may be zero.
    unsafe {
        match GetFileInformationByHandle(file.as_raw_handle(), told.as_mut_ptr()) {
            0 => Err(Error::last_os_error()),
            _ => Ok(told.assume_init()),
        }
    }
}

/// When the file changed last. FAT does not know it.
fn change_of(file: &File) -> Option<Time> {
    let mut times = FILE_BASIC_INFO::default();
    let len = size_of_val(&times) as u32;
    // SAFETY: the file is open, and the call writes to the structure, of which it has the length.
    let is_told = unsafe {
        let place = (&raw mut times).cast();
        GetFileInformationByHandleEx(file.as_raw_handle(), FileBasicInfo, place, len) != 0
    };
    (is_told && times.ChangeTime != 0).then(|| time(times.ChangeTime))
}

/// Whether this is the error of a question about a volume, which is in no file system.
fn is_of_volume(error: &Error) -> bool {
    let code = error.raw_os_error().and_then(|code| u32::try_from(code).ok());
    matches!(code, Some(ERROR_INVALID_FUNCTION | ERROR_INVALID_PARAMETER))
}

/// Whether what is open is a link itself. There are other reparse points, which are read as files.
fn is_link(file: &File, attributes: u32) -> bool {
    let mut tag = FILE_ATTRIBUTE_TAG_INFO::default();
    let len = size_of_val(&tag) as u32;
    // SAFETY: the file is open, and the call writes to the structure, of which it has the length.
    let is_told = attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0
        && unsafe {
            let place = (&raw mut tag).cast();
            GetFileInformationByHandleEx(file.as_raw_handle(), FileAttributeTagInfo, place, len) != 0
        };
    is_told && [IO_REPARSE_TAG_MOUNT_POINT, IO_REPARSE_TAG_SYMLINK].contains(&tag.ReparseTag)
}

/// Windows counts steps of 100 ns since 1601.
fn time(steps: i64) -> Time {
    const STEPS: i64 = 10_000_000;
    const FROM_1601_TO_1970: i64 = 11_644_473_600;
    Time {
        seconds: steps.div_euclid(STEPS) - FROM_1601_TO_1970,
        nanoseconds: (steps.rem_euclid(STEPS) * 100) as u32,
    }
}
