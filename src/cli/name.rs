//! The names that pzcomp can be called by. Each name makes it behave as another tool, with the options, defaults and
//! messages of that tool.
//!
//! `cli::run` looks up the name in `argv[0]` or behind `--as`, and gets a [`Name`]: the dialect and the defaults. The
//! table [`NAMES`] must hold each name once, and pzcomp itself first.

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
use super::request::{Mode, OutputLinks};

/// A name, and the tool that it stands for.
pub(super) struct Name {
    pub(super) name: &'static str,
    /// The man page that describes this name.
    pub(super) page: &'static str,
    /// The name in messages. It differs from `name` for a tool that in the original is a script around another tool,
    /// because that other tool prints the messages.
    pub(super) program: &'static str,
    pub(super) dialect: &'static dyn Dialect,
    /// The format to write, if no option says otherwise.
    pub(super) format: Format,
    pub(super) mode: Mode,
    /// Whether the output goes to standard output, if no option says otherwise.
    pub(super) stdout: bool,
    /// What happens to links in the place of the output.
    pub(super) links: OutputLinks,
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A tool that compresses to files.
const fn compressor(name: &'static str, dialect: &'static dyn Dialect, format: Format) -> Name {
    let (program, page) = (name, name);
    Name {
        name,
        page,
        program,
        dialect,
        format,
        mode: Mode::Compress,
        stdout: false,
        links: OutputLinks::Follow,
    }
}

/// A tool that decompresses to files, with the messages of `compressor`.
const fn decompressor(name: &'static str, compressor: Name) -> Name {
    Name { name, mode: Mode::Decompress, ..compressor }
}

/// A tool that decompresses to standard output, with the messages of `compressor`.
const fn cat(name: &'static str, compressor: Name) -> Name {
    Name { name, mode: Mode::Decompress, stdout: true, ..compressor }
}

/// The same tool with this rule for links in the place of the output.
const fn with_links(links: OutputLinks, name: Name) -> Name {
    Name { links, ..name }
}

/// The same tool with its own name in messages.
const fn with_own_messages(name: Name) -> Name {
    Name { program: name.name, ..name }
}

const GZIP: Name = with_links(OutputLinks::Replace, compressor("gzip", &Gzip, Format::GZIP));
const PIGZ: Name = with_links(OutputLinks::WriteInto, compressor("pigz", &Pigz, Format::GZIP));
const XZ: Name = with_links(OutputLinks::Replace, compressor("xz", &Xz, Format::XZ));
const LZMA: Name =
    Name { page: "xz", ..with_links(OutputLinks::Replace, compressor("lzma", &Xz, Format::LZMA)) };
const BZIP2: Name = with_links(OutputLinks::Replace, compressor("bzip2", &Bzip2, Format::BZIP2));
const PBZIP2: Name = with_links(OutputLinks::Replace, compressor("pbzip2", &Pbzip2, Format::BZIP2));
const LBZIP2: Name = with_links(OutputLinks::Replace, compressor("lbzip2", &Lbzip2, Format::BZIP2));
const ZSTD: Name = with_links(OutputLinks::ReplaceUnlessDangling, compressor("zstd", &Zstd, Format::ZSTD));
const LZ4: Name = with_links(OutputLinks::WriteInto, compressor("lz4", &Lz4, Format::LZ4));
const LZIP: Name = with_links(OutputLinks::WriteInto, compressor("lzip", &Lzip, Format::LZIP));
const BGZIP: Name = with_links(OutputLinks::WriteInto, compressor("bgzip", &Bgzip, Format::GZIP));

/// pzcomp itself first, then all other names.
static NAMES: [Name; 30] = [
    compressor("pzcomp", &Native, Format::ZSTD),
    GZIP,
    decompressor("gunzip", GZIP),
    cat("zcat", GZIP),
    PIGZ,
    decompressor("unpigz", PIGZ),
    XZ,
    with_own_messages(decompressor("unxz", XZ)),
    with_own_messages(cat("xzcat", XZ)),
    LZMA,
    with_own_messages(decompressor("unlzma", LZMA)),
    with_own_messages(cat("lzcat", LZMA)),
    BZIP2,
    with_own_messages(decompressor("bunzip2", BZIP2)),
    with_own_messages(cat("bzcat", BZIP2)),
    PBZIP2,
    LBZIP2,
    with_own_messages(decompressor("lbunzip2", LBZIP2)),
    with_own_messages(cat("lbzcat", LBZIP2)),
    LZIP,
    Name { name: "plzip", page: "plzip", program: "plzip", ..LZIP },
    ZSTD,
    decompressor("unzstd", ZSTD),
    cat("zstdcat", ZSTD),
    Name { name: "zstdmt", ..ZSTD },
    Name { name: "pzstd", program: "pzstd", ..ZSTD },
    LZ4,
    decompressor("unlz4", LZ4),
    cat("lz4cat", LZ4),
    BGZIP,
];

/// The entry for pzcomp itself.
pub(super) fn pzcomp() -> &'static Name {
    &NAMES[0]
}

/// The entries for all other names.
pub(super) fn others() -> impl Iterator<Item = &'static Name> {
    NAMES[1..].iter()
}

/// The entry for this name, if there is one.
pub(super) fn find(name: &OsStr) -> Option<&'static Name> {
    NAMES.iter().find(|known| name == known.name)
}

/// The entry for the last part of this path, which is `argv[0]`. An unknown name stands for pzcomp itself.
pub(super) fn of_path(path: Option<&OsStr>) -> &'static Name {
    path.and_then(|path| Path::new(path).file_name()).and_then(find).unwrap_or(pzcomp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_the_last_part_of_its_path() {
        let name_of = |path: &str| of_path(Some(OsStr::new(path))).name;
        assert_eq!(name_of("/usr/bin/gunzip"), "gunzip");
        assert_eq!(name_of("gzip"), "gzip");
        assert_eq!(name_of("./pzcomp"), "pzcomp");
        assert_eq!(name_of("/opt/backup-helper"), "pzcomp");
        assert_eq!(of_path(None).name, "pzcomp");
    }

    #[test]
    fn no_name_stands_for_two_things() {
        for (at, name) in NAMES.iter().enumerate() {
            assert!(NAMES[..at].iter().all(|other| other.name != name.name), "{}", name.name);
        }
    }
}
