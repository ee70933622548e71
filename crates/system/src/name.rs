//! Names of files and words of the command line from bytes. [`OsStr::as_encoded_bytes`] is the way back.
//!
//! [`OsStr::as_encoded_bytes`]: std::ffi::OsStr::as_encoded_bytes

use std::ffi::{OsStr, OsString};
use std::path::Path;

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

/// A name as a word of a command that a person gives to a shell.
///
/// ```
/// assert_eq!(pzcomp_system::name::shell_word("a-1.zst"), "a-1.zst");
/// ```
pub fn shell_word(name: &str) -> String {
    let is_plain =
        |char: char| char.is_alphanumeric() || "_-./:@%+,=".contains(char) || cfg!(windows) && char == '\\';
    match !name.is_empty() && name.chars().all(is_plain) {
        true => name.into(),
        // Both shells of Windows read this, and no name has the sign.
        false if cfg!(windows) => format!("\"{name}\""),
        false => format!("'{}'", name.replace('\'', r"'\''")),
    }
}

/// The last part of this path, if a file in any folder can have it as its name. On Windows, `NUL` is a device, and
/// `a:b` is a stream that `a` has beside its data.
///
/// ```
/// assert_eq!(pzcomp_system::name::of_file("folder/file".as_ref()), Some("file".as_ref()));
/// ```
pub fn of_file(path: &OsStr) -> Option<&OsStr> {
    let name = Path::new(path).file_name()?;
    #[cfg(windows)]
    if name.as_encoded_bytes().contains(&b':') || std::path::absolute(name).ok()?.file_name() != Some(name) {
        return None;
    }
    Some(name)
}
