//! The seeds of a fuzz target: the files in `fuzz/seeds/TARGET.tar`. The tests that replay them call [`seeds`].

use std::path::Path;

/// The names and contents of the seeds of a target, in the order of their names. There is at least one.
///
/// # Panics
/// If the archive is missing or empty.
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("fuzz").is_dir());
    let archive = root.unwrap().join(format!("fuzz/seeds/{target}.tar"));
    let bytes = std::fs::read(&archive).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    let (mut rest, mut seeds) = (&bytes[..], Vec::new());
    // A header of 512 bytes has the name, and the length as octal digits. Zeros fill blocks, and end the archive.
    while let Some((header, behind)) = rest.split_first_chunk::<512>().filter(|(header, _)| header[0] != 0) {
        let text = |field: &[u8]| String::from_utf8_lossy(field).trim_end_matches('\0').to_owned();
        let len = usize::from_str_radix(&text(&header[124..136]), 8).unwrap();
        seeds.push((text(&header[..100]), behind[..len].to_vec()));
        rest = &behind[len.next_multiple_of(512)..];
    }
    assert!(!seeds.is_empty(), "{} has no seed", archive.display());
    seeds
}
