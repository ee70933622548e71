//! The names that the program goes by: each is another tool, with its options, defaults and messages.

use std::ffi::OsStr;
use std::path::Path;

use pzcomp::Format;

use super::dialect::Dialect;
use super::dialect::bgzip::Bgzip;
use super::dialect::bzip2::{Bzip2, Lbzip2, Pbzip2};
use super::dialect::gzip::Gzip;
use super::dialect::lz4::Lz4;
use super::dialect::lzip::Lzip;
use super::dialect::native::Native;
use super::dialect::pigz::Pigz;
use super::dialect::xz::Xz;
use super::dialect::zstd::Zstd;
use super::request::{Links, Mode};

/// A name and what it stands for.
pub(super) struct Name {
    pub(super) name: &'static str,
    /// The name of the man page that describes it.
    pub(super) page: &'static str,
    /// How messages call the program: those that are scripts around another one speak with its name.
    pub(super) program: &'static str,
    pub(super) dialect: &'static dyn Dialect,
    /// What is written unless an option says otherwise.
    pub(super) format: Format,
    pub(super) mode: Mode,
    /// Whether output goes to standard output unless an option says otherwise.
    pub(super) stdout: bool,
    /// What becomes of links in the place of the output.
    pub(super) links: Links,
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Compresses to files.
const fn coder(name: &'static str, dialect: &'static dyn Dialect, format: Format) -> Name {
    let (program, page) = (name, name);
    Name { name, page, program, dialect, format, mode: Mode::Compress, stdout: false, links: Links::Follow }
}

/// Decompresses to files; messages name `program`.
const fn decoder(name: &'static str, coder: Name) -> Name {
    Name { name, mode: Mode::Decompress, ..coder }
}

/// Decompresses to standard output.
const fn cat(name: &'static str, coder: Name) -> Name {
    Name { name, mode: Mode::Decompress, stdout: true, ..coder }
}

/// Deals with links in this way.
const fn linked(links: Links, name: Name) -> Name {
    Name { links, ..name }
}

/// Speaks with its own name.
const fn itself(name: Name) -> Name {
    Name { program: name.name, ..name }
}

const GZIP: Name = linked(Links::Replace, coder("gzip", &Gzip, Format::GZIP));
const PIGZ: Name = linked(Links::WriteInto, coder("pigz", &Pigz, Format::GZIP));
const XZ: Name = linked(Links::Replace, coder("xz", &Xz, Format::XZ));
const LZMA: Name = Name { page: "xz", ..linked(Links::Replace, coder("lzma", &Xz, Format::LZMA)) };
const BZIP2: Name = linked(Links::Replace, coder("bzip2", &Bzip2, Format::BZIP2));
const PBZIP2: Name = linked(Links::Replace, coder("pbzip2", &Pbzip2, Format::BZIP2));
const LBZIP2: Name = linked(Links::Replace, coder("lbzip2", &Lbzip2, Format::BZIP2));
const ZSTD: Name = linked(Links::ReplaceUnlessDangling, coder("zstd", &Zstd, Format::ZSTD));
const LZ4: Name = linked(Links::WriteInto, coder("lz4", &Lz4, Format::LZ4));
const LZIP: Name = linked(Links::WriteInto, coder("lzip", &Lzip, Format::LZIP));
const BGZIP: Name = linked(Links::WriteInto, coder("bgzip", &Bgzip, Format::GZIP));

/// The program itself, and who it is by other names.
static NAMES: [Name; 30] = [
    coder("pzcomp", &Native, Format::ZSTD),
    GZIP,
    decoder("gunzip", GZIP),
    cat("zcat", GZIP),
    PIGZ,
    decoder("unpigz", PIGZ),
    XZ,
    itself(decoder("unxz", XZ)),
    itself(cat("xzcat", XZ)),
    LZMA,
    itself(decoder("unlzma", LZMA)),
    itself(cat("lzcat", LZMA)),
    BZIP2,
    itself(decoder("bunzip2", BZIP2)),
    itself(cat("bzcat", BZIP2)),
    PBZIP2,
    LBZIP2,
    itself(decoder("lbunzip2", LBZIP2)),
    itself(cat("lbzcat", LBZIP2)),
    LZIP,
    Name { name: "plzip", page: "plzip", program: "plzip", ..LZIP },
    ZSTD,
    decoder("unzstd", ZSTD),
    cat("zstdcat", ZSTD),
    Name { name: "zstdmt", ..ZSTD },
    Name { name: "pzstd", program: "pzstd", ..ZSTD },
    LZ4,
    decoder("unlz4", LZ4),
    cat("lz4cat", LZ4),
    BGZIP,
];

/// The name of the program itself.
pub(super) fn own() -> &'static Name {
    &NAMES[0]
}

/// All names but its own.
pub(super) fn others() -> impl Iterator<Item = &'static Name> {
    NAMES[1..].iter()
}

/// The tool of this name.
pub(super) fn named(name: &OsStr) -> Option<&'static Name> {
    NAMES.iter().find(|known| name == known.name)
}

/// Who a program that was called so is: itself, unless the name is another's.
pub(super) fn called(path: Option<&OsStr>) -> &'static Name {
    path.and_then(|path| Path::new(path).file_name()).and_then(named).unwrap_or(own())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_the_last_part_of_its_path() {
        let who = |path: &str| called(Some(OsStr::new(path))).name;
        assert_eq!(who("/usr/bin/gunzip"), "gunzip");
        assert_eq!(who("gzip"), "gzip");
        assert_eq!(who("./pzcomp"), "pzcomp");
        assert_eq!(who("/opt/backup-helper"), "pzcomp");
        assert_eq!(called(None).name, "pzcomp");
    }

    #[test]
    fn no_name_stands_for_two_things() {
        for (at, name) in NAMES.iter().enumerate() {
            assert!(NAMES[..at].iter().all(|other| other.name != name.name), "{}", name.name);
        }
    }
}
