//! Archives of 7z in several volumes, `dump.7z.001` and so on, which pzcomp does not join by itself.
//!
//! A volume is a piece of an archive, cut anywhere. Its content looks cut off, or like no archive at all. So the name
//! tells, and [`about`] says what to do in place of an error that would send the user to fetch the file again.

use std::path::Path;

use pzcomp::printable;

/// What a file is, if it has the name of a volume.
pub(super) fn about(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (archive, number) = name.rsplit_once('.')?;
    let is_volume = number.len() >= 3
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && archive.len() > 3
        && archive.to_ascii_lowercase().ends_with(".7z");
    is_volume.then(|| {
        let archive = printable(archive.as_bytes());
        format!(
            "is volume {number} of an archive in several volumes, which are read only as a whole. Join them in their order, \
             and read the file that comes of it: cat '{archive}'.[0-9]* > '{archive}'"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_known_by_their_names() {
        for (name, is_volume) in [
            ("d/dump.7z.001", true),
            ("dump.7Z.1000", true),
            ("dump.7z", false),
            ("dump.7z.01", false),
            ("dump.7z.00a", false),
            ("dump.sql.001", false),
            (".7z.001", false),
        ] {
            assert_eq!(about(Path::new(name)).is_some(), is_volume, "{name}");
        }
    }
}
