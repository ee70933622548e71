//! Errors that only their numbers tell apart.

use std::io::{Error, ErrorKind};

/// The number of an error on POSIX systems. If a message was put around the error, its kind gives the number.
pub fn number(error: &Error) -> Option<u8> {
    let of_kind = || match error.kind() {
        ErrorKind::PermissionDenied => Some(ACCESS),
        ErrorKind::StorageFull => Some(28),
        ErrorKind::ReadOnlyFilesystem => Some(30),
        _ => None,
    };
    error.raw_os_error().filter(|_| cfg!(unix)).or_else(of_kind)?.try_into().ok()
}

const ACCESS: i32 = 13;

/// Whether the rights of a file deny what was tried. `EPERM` is of the same kind, and says that the system does not
/// allow it to anybody.
pub fn is_of_rights(error: &Error) -> bool {
    match cfg!(unix) {
        true => error.raw_os_error() == Some(ACCESS),
        false => error.kind() == ErrorKind::PermissionDenied,
    }
}
