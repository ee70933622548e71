//! Names of files and words of the command line from bytes. [`OsStr::as_encoded_bytes`] is the way back.
//!
//! [`OsStr::as_encoded_bytes`]: std::ffi::OsStr::as_encoded_bytes

use std::ffi::OsString;

/// The name with these bytes. On Unix any bytes are a name. On Windows a name has UTF-16: what is no text there, as a
/// byte of another character set, becomes a replacement character.
///
/// ```
/// assert_eq!(pzcomp_system::name::from_bytes("größe".as_bytes()), "größe");
/// ```
pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes.into());
    #[cfg(not(unix))]
    return String::from_utf8_lossy(&bytes.into()).into_owned().into();
}
