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

/// The names in a list, each of which ends with the byte `end`. Empty ones are left out. Programs of Windows also write
/// lists in UTF-16, and lines that end with a carriage return and a line feed.
///
/// ```
/// assert_eq!(pzcomp_system::name::listed(b"a\nb c\n".to_vec(), b'\n'), ["a", "b c"]);
/// ```
pub fn listed(list: Vec<u8>, end: u8) -> Vec<OsString> {
    #[cfg(windows)]
    let list = of_windows(list);
    list.split(|&byte| byte == end).filter(|name| !name.is_empty()).map(from_bytes).collect()
}

/// A list of names in UTF-8 with lines that end with a line feed. A carriage return is in no name.
#[cfg(windows)]
fn of_windows(list: Vec<u8>) -> Vec<u8> {
    let text = match &*list {
        [0xff, 0xfe, units @ ..] => {
            let units = units.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            String::from_utf16_lossy(&units.collect::<Vec<_>>()).into_bytes()
        }
        [0xef, 0xbb, 0xbf, text @ ..] => text.to_vec(),
        _ => list,
    };
    text.into_iter().filter(|&byte| byte != b'\r').collect()
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

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_windows_are_read_in_each_of_their_encodings() {
        let names = ["größe", "b c"];
        let text = names.map(|name| format!("{name}\r\n")).concat();
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for list in [
            text.clone().into(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            [b"\xff\xfe", &*utf16].concat(),
        ] {
            assert_eq!(listed(list, b'\n'), names);
        }
    }
}
