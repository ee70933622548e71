//! A tar archive of the Rust toolchain: one half programs and libraries, the other half texts.
//!
//! The output of `tar` would begin with 40 MB of one program, and a measurement on the first 64 MiB would see little
//! else. So linked files and other files take turns: the kind with fewer bytes in the archive is next. The seed decides
//! the order within each kind. Long files are cut. The archive has only names, lengths and contents, so the same
//! toolchain gives the same bytes wherever it is installed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use tar::{Builder, Header};

use crate::random::Random;

/// The most bytes of one file in the archive.
const LONGEST: u64 = 4 << 20;

/// The folder of the toolchain that `rustc` belongs to.
pub fn folder() -> Result<PathBuf, String> {
    let path = ask_rustc("--print=sysroot")?;
    let path = PathBuf::from(path);
    if path.join("lib").is_dir() { Ok(path) } else { Err(format!("{} holds no toolchain.", path.display())) }
}

fn ask_rustc(question: &str) -> Result<String, String> {
    let none =
        |why: String| format!("There is no Rust toolchain to make data from: `rustc {question}` {why}.");
    let output = Command::new("rustc").arg(question).output();
    let output = output.map_err(|error| none(format!("cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(none(format!("fails with {}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Writes the first `bytes` bytes of the archive of `root`, or all of it if it is shorter. Returns the number of bytes.
pub fn write(root: &Path, bytes: u64, seed: u64, out: &mut impl Write) -> io::Result<u64> {
    let mut random = Random::new(seed);
    let mut linked = Vec::new();
    let mut other = Vec::new();
    collect(root, &mut linked, &mut other)?;
    shuffle(&mut linked, &mut random);
    shuffle(&mut other, &mut random);

    let mut archive = Builder::new(Head { out, left: bytes });
    let (mut linked_len, mut other_len) = (0, 0);
    loop {
        let turn = if linked_len <= other_len || other.is_empty() {
            linked.pop().map(|path| (path, &mut linked_len))
        } else {
            None
        };
        let Some((path, len)) = turn.or_else(|| other.pop().map(|path| (path, &mut other_len))) else {
            break;
        };
        match append(&mut archive, root, &path) {
            Ok(added) => *len += added,
            Err(_) if archive.get_ref().left == 0 => return Ok(bytes),
            Err(error) => return Err(error),
        }
    }
    match archive.finish() {
        Err(error) if archive.get_ref().left > 0 => Err(error),
        _ => Ok(bytes - archive.get_ref().left),
    }
}

/// Collects every regular file below `folder` by its kind, in the order of the names.
fn collect(folder: &Path, linked: &mut Vec<PathBuf>, other: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
    let mut entries = entries?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            collect(&path, linked, other)?;
        } else if kind.is_file() {
            if is_linked(&path) { linked.push(path) } else { other.push(path) }
        }
    }
    Ok(())
}

/// Whether a linker made the file. Programs have no suffix, but they are in a folder `bin`.
fn is_linked(path: &Path) -> bool {
    let suffix = path.extension().and_then(OsStr::to_str);
    let folder = path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    matches!(suffix, Some("so" | "rlib" | "rmeta" | "a")) || name.contains(".so.") || folder == Some("bin")
}

/// The shuffle of Fisher and Yates.
fn shuffle(paths: &mut [PathBuf], random: &mut Random) {
    for last in (1..paths.len()).rev() {
        let chosen = random.below(last as u64 + 1) as usize;
        paths.swap(last, chosen);
    }
}

/// Appends a file to the archive. Returns the number of its bytes in the archive.
fn append<W: Write>(archive: &mut Builder<W>, root: &Path, path: &Path) -> io::Result<u64> {
    let file = File::open(path)?;
    let len = file.metadata()?.len().min(LONGEST);
    let name = path.strip_prefix(root).map_err(io::Error::other)?;
    let mut header = Header::new_gnu();
    header.set_size(len);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    archive.append_data(&mut header, name, file.take(len))?;
    Ok(len)
}

/// Passes on the first bytes, and then is full.
struct Head<W> {
    out: W,
    left: u64,
}

impl<W: Write> Write for Head<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 && !bytes.is_empty() {
            return Err(ErrorKind::StorageFull.into());
        }
        let len = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let len = self.out.write(&bytes[..len])?;
        self.left -= len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process;

    /// A small toolchain, which is removed when the value is dropped.
    struct Toolchain(PathBuf);

    impl Toolchain {
        fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("pzcomp-toolchain.{}.{name}", process::id()));
            for (file, len) in [
                ("bin/rustc", 30_000),
                ("lib/libcore.rlib", 200_000),
                ("lib/libLLVM.so.22.1", 5_000_000),
                ("share/doc/README.md", 3_000),
                ("share/doc/html/std/index.html", 70_000),
            ] {
                let path = root.join(file);
                fs::create_dir_all(path.parent().expect("it has a folder")).expect("a temporary folder");
                let bytes: Vec<u8> =
                    (0..len).map(|place: u32| (place % 251) as u8 ^ file.len() as u8).collect();
                fs::write(path, bytes).expect("room for it");
            }
            Self(root)
        }

        fn archive(&self, bytes: u64, seed: u64) -> Vec<u8> {
            let mut out = Vec::new();
            let len = write(&self.0, bytes, seed, &mut out).expect("a Vec takes everything");
            assert_eq!(len, out.len() as u64);
            out
        }
    }

    impl Drop for Toolchain {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_same_toolchain_gives_the_same_bytes_wherever_it_is() {
        let (here, there) = (Toolchain::new("here"), Toolchain::new("there"));
        assert_eq!(here.archive(u64::MAX, 7), there.archive(u64::MAX, 7));
        assert_ne!(here.archive(u64::MAX, 7), here.archive(u64::MAX, 8));
    }

    #[test]
    fn it_is_cut_where_it_was_asked_to_end() {
        let toolchain = Toolchain::new("cut");
        let whole = toolchain.archive(u64::MAX, 7);
        for bytes in [0, 1, 511, 512, 100_000, 3_000_000] {
            let cut = toolchain.archive(bytes, 7);
            assert_eq!(cut.len() as u64, bytes);
            assert!(whole.starts_with(&cut), "{bytes}");
        }
    }

    #[test]
    fn it_is_an_archive_of_both_kinds_of_files() {
        let toolchain = Toolchain::new("whole");
        let whole = toolchain.archive(u64::MAX, 7);
        let mut archive = tar::Archive::new(whole.as_slice());
        let entries = archive.entries().expect("an archive");
        let mut found: Vec<_> = entries
            .map(|entry| entry.expect("an entry"))
            .map(|entry| (entry.path().expect("a name").display().to_string(), entry.size()))
            .collect();
        // With every seed, a text comes after the first binary.
        assert!(found[0].0.starts_with("bin") || found[0].0.starts_with("lib"), "{found:?}");
        assert!(found[1].0.starts_with("share"), "{found:?}");
        found.sort();
        let expected = [
            ("bin/rustc", 30_000),
            ("lib/libLLVM.so.22.1", LONGEST),
            ("lib/libcore.rlib", 200_000),
            ("share/doc/README.md", 3_000),
            ("share/doc/html/std/index.html", 70_000),
        ];
        assert_eq!(found, expected.map(|(name, len)| (name.to_owned(), len)));
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(write(Path::new("/nowhere/at/all"), 1, 7, &mut Vec::new()).is_err());
    }
}
