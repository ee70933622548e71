//! The names that pzcomp can be called by. Each name makes it behave as another tool, with the options, defaults and
//! messages of that tool.
//!
//! `main` looks up the name in `argv[0]` or behind `--as`, and gets an [`Entry`]: the [`Name`] and the dialect. The
//! table [`NAMES`] must hold each name once, and pzcomp itself first.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::Path;

use pzcomp::Format;

use super::dialect::Dialect;
use super::dialect::bgzip::Bgzip;
use super::dialect::bzip2::{Bzip2, Lbzip2, Pbzip2};
use super::dialect::gzip::Gzip;
use super::dialect::igzip::Igzip;
use super::dialect::lz4::Lz4;
use super::dialect::lzip::Lzip;
use super::dialect::native::Native;
use super::dialect::pigz::Pigz;
use super::dialect::qpress::Qpress;
use super::dialect::snzip::Snzip;
use super::dialect::xz::Xz;
use super::dialect::zstd::Zstd;
use super::request::{Mode, OutputLinks};
use super::tool::Name;

/// A name, and the dialect of the tool that it stands for.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) name: Name,
    pub(super) dialect: &'static dyn Dialect,
}

/// A tool that compresses to files.
const fn compressor(name: &'static str, dialect: &'static dyn Dialect, format: Format) -> Entry {
    let (program, page) = (name, name);
    let (mode, stdout, links) = (Mode::Compress, false, OutputLinks::Follow);
    Entry { name: Name { name, page, program, messages: dialect, format, mode, stdout, links }, dialect }
}

/// A tool that decompresses to files, with the messages of `compressor`.
const fn decompressor(name: &'static str, compressor: Entry) -> Entry {
    Entry { name: Name { name, mode: Mode::Decompress, ..compressor.name }, ..compressor }
}

/// A tool that decompresses to standard output, with the messages of `compressor`.
const fn cat(name: &'static str, compressor: Entry) -> Entry {
    Entry { name: Name { name, mode: Mode::Decompress, stdout: true, ..compressor.name }, ..compressor }
}

/// The same tool under another name.
const fn renamed(name: &'static str, entry: Entry) -> Entry {
    Entry { name: Name { name, ..entry.name }, ..entry }
}

/// The same tool with this rule for links in the place of the output.
const fn with_links(links: OutputLinks, entry: Entry) -> Entry {
    Entry { name: Name { links, ..entry.name }, ..entry }
}

/// The same tool with its own name in messages.
const fn with_own_messages(entry: Entry) -> Entry {
    Entry { name: Name { program: entry.name.name, ..entry.name }, ..entry }
}

/// The same tool, described on this man page.
const fn on_page(page: &'static str, entry: Entry) -> Entry {
    Entry { name: Name { page, ..entry.name }, ..entry }
}

const GZIP: Entry = with_links(OutputLinks::Replace, compressor("gzip", &Gzip, Format::Gzip));
const PIGZ: Entry = with_links(OutputLinks::WriteInto, compressor("pigz", &Pigz, Format::Gzip));
const IGZIP: Entry = with_links(OutputLinks::WriteInto, compressor("igzip", &Igzip, Format::Gzip));
const XZ: Entry = with_links(OutputLinks::Replace, compressor("xz", &Xz, Format::Xz));
const LZMA: Entry = on_page("xz", with_links(OutputLinks::Replace, compressor("lzma", &Xz, Format::Lzma)));
const BZIP2: Entry = with_links(OutputLinks::Replace, compressor("bzip2", &Bzip2, Format::Bzip2));
const PBZIP2: Entry = with_links(OutputLinks::Replace, compressor("pbzip2", &Pbzip2, Format::Bzip2));
const LBZIP2: Entry = with_links(OutputLinks::Replace, compressor("lbzip2", &Lbzip2, Format::Bzip2));
const ZSTD: Entry = with_links(OutputLinks::ReplaceUnlessDangling, compressor("zstd", &Zstd, Format::Zstd));
const LZ4: Entry = with_links(OutputLinks::WriteInto, compressor("lz4", &Lz4, Format::Lz4));
const LZIP: Entry = with_links(OutputLinks::WriteInto, compressor("lzip", &Lzip, Format::Lzip));
const BGZIP: Entry = with_links(OutputLinks::WriteInto, compressor("bgzip", &Bgzip, Format::Gzip));

const QPRESS: &str = "qpress";

/// pzcomp itself first, then all other names.
static NAMES: [Entry; 33] = [
    compressor("pzcomp", &Native, Format::Zstd),
    GZIP,
    decompressor("gunzip", GZIP),
    cat("zcat", GZIP),
    PIGZ,
    decompressor("unpigz", PIGZ),
    IGZIP,
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
    on_page("plzip", with_own_messages(renamed("plzip", LZIP))),
    ZSTD,
    decompressor("unzstd", ZSTD),
    cat("zstdcat", ZSTD),
    renamed("zstdmt", ZSTD),
    with_own_messages(renamed("pzstd", ZSTD)),
    LZ4,
    decompressor("unlz4", LZ4),
    cat("lz4cat", LZ4),
    BGZIP,
    compressor(QPRESS, &Qpress, Format::Qpress),
    compressor("snzip", &Snzip, Format::Snappy),
];

pub(super) fn pzcomp() -> &'static Entry {
    &NAMES[0]
}

pub(super) fn others() -> impl Iterator<Item = &'static Entry> {
    NAMES[1..].iter()
}

/// The entries to install: all but qpress, which compresses, and pzcomp under its name does not.
pub(super) fn installed() -> impl Iterator<Item = &'static Entry> {
    others().filter(|entry| entry.name.name != QPRESS)
}

pub(super) fn find(name: &OsStr) -> Option<&'static Entry> {
    NAMES.iter().find(|known| name == known.name.name)
}

/// The entry for the last part of this path, which is `argv[0]`. An unknown name stands for pzcomp itself.
pub(super) fn of_path(path: Option<&OsStr>) -> &'static Entry {
    let name = path.and_then(|path| Path::new(path).file_name()?.to_str());
    let name = name.map(|name| name.strip_suffix(EXE_SUFFIX).unwrap_or(name));
    name.and_then(|name| find(name.as_ref())).unwrap_or(pzcomp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_the_last_part_of_its_path() {
        let name_of = |path: &str| of_path(Some(OsStr::new(path))).name.name;
        assert_eq!(name_of("/usr/bin/gunzip"), "gunzip");
        assert_eq!(name_of("gzip"), "gzip");
        assert_eq!(name_of("./pzcomp"), "pzcomp");
        assert_eq!(name_of("/opt/backup-helper"), "pzcomp");
        assert_eq!(of_path(None).name.name, "pzcomp");
    }

    #[test]
    fn completions_know_all_names() {
        let names: Vec<&str> = others().map(|entry| entry.name.name).collect();
        assert_eq!(names, crate::dialect::native::flags::NAMES);
    }

    #[test]
    fn no_name_stands_for_two_things() {
        for (at, name) in NAMES.iter().enumerate() {
            assert!(NAMES[..at].iter().all(|other| other.name.name != name.name.name), "{}", name.name.name);
        }
    }
}
