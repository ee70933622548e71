//! Formats that are not compiled into this build, because their features are off.
//!
//! Each format of [`Format`](super::Format) has its line in the table of formats all the same. A [`Missing`] stands
//! there in place of a format: it has the name and the suffixes, recognises streams by their magic numbers, and refuses
//! to read and to write them with an error that names the feature.

use super::{Codec, Cursor, Decoder, Info, Reading, Unit, Walker};
use crate::error::{Error, Result};
use crate::options::{Decode, Encode};

/// A format that this build lacks. The feature has the name of the format.
pub(super) struct Missing {
    info: &'static Info,
    magics: &'static [&'static [u8]],
    has_entries: bool,
}

impl Missing {
    const fn new(info: &'static Info, magics: &'static [&'static [u8]]) -> Self {
        Self { info, magics, has_entries: false }
    }

    /// A format of archives of files.
    const fn archive(info: &'static Info, magics: &'static [&'static [u8]]) -> Self {
        Self { has_entries: true, ..Self::new(info, magics) }
    }
}

static LZ4_INFO: Info = Info::read_only("lz4", &[(".lz4", ""), (".tlz4", ".tar")]);
static XZ_INFO: Info = Info::read_only("xz", &[(".xz", ""), (".txz", ".tar")]);
static BZIP2_INFO: Info =
    Info::read_only("bzip2", &[(".bz2", ""), (".tbz2", ".tar"), (".tbz", ".tar"), (".tb2", ".tar")]);
static LZIP_INFO: Info = Info::read_only("lzip", &[(".lz", ""), (".tlz", ".tar")]);
static LZMA_INFO: Info = Info::read_only("lzma", &[(".lzma", ""), (".tlz", ".tar")]);
static QPRESS_INFO: Info = Info::read_only("qpress", &[(".qp", "")]);
static SNAPPY_INFO: Info = Info::read_only("snappy", &[(".sz", ""), (".snappy", "")]);
static LZOP_INFO: Info = Info::read_only("lzop", &[(".lzo", ""), (".tzo", ".tar"), (".lzop", "")]);
static LZF_INFO: Info = Info::read_only("lzf", &[(".lzf", "")]);

pub(super) static LZ4: Missing = Missing::new(&LZ4_INFO, &[b"\x04\x22\x4d\x18", b"\x02\x21\x4c\x18"]);
pub(super) static XZ: Missing = Missing::new(&XZ_INFO, &[b"\xfd7zXZ\0"]);
pub(super) static BZIP2: Missing = Missing::new(&BZIP2_INFO, &[b"BZh"]);
pub(super) static LZIP: Missing = Missing::new(&LZIP_INFO, &[b"LZIP"]);
/// LZMA alone has no magic number, so such a build does not recognise it.
pub(super) static LZMA: Missing = Missing::new(&LZMA_INFO, &[]);
pub(super) static QPRESS: Missing = Missing::archive(&QPRESS_INFO, &[b"qpress10"]);
pub(super) static SNAPPY: Missing = Missing::new(&SNAPPY_INFO, &[b"\xff\x06\0\0sNaPpY"]);
pub(super) static LZOP: Missing = Missing::new(&LZOP_INFO, &[b"\x89LZO\0\r\n\x1a\n"]);
pub(super) static LZF: Missing = Missing::new(&LZF_INFO, &[b"ZV\0", b"ZV\x01"]);

impl Codec for Missing {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn sniff(&self, head: &[u8]) -> bool {
        self.magics.iter().any(|magic| head.starts_with(magic))
    }

    fn has_entries(&self) -> bool {
        self.has_entries
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(Refusal { format: self.info.name })
    }

    fn decoder(&self, _: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Err(refusal(self.info.name))
    }

    fn refusal(&self) -> Option<Error> {
        Some(refusal(self.info.name))
    }
}

/// Refuses the first unit.
struct Refusal {
    format: &'static str,
}

impl Walker for Refusal {
    fn unit(&mut self, _: &mut dyn Cursor) -> Result<Unit> {
        Err(refusal(self.format))
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        cursor.take_rest()
    }
}

fn refusal(format: &'static str) -> Error {
    Error::NotBuilt { format, feature: format }
}

/// Only bzip2 cuts chunks by their runs.
#[cfg(not(feature = "bzip2"))]
pub(crate) struct BlockFill;

#[cfg(not(feature = "bzip2"))]
impl BlockFill {
    pub(crate) fn new(_: usize) -> Self {
        Self
    }

    pub(crate) fn find(&mut self, _: &[u8]) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Error;
    use crate::{Decode, Decompressor, Encode, Format, Reader, compress, decompress};

    /// `make features` runs this without xz.
    #[cfg(not(feature = "xz"))]
    #[test]
    fn a_format_that_is_not_built_is_recognised_and_refused_by_its_feature() {
        let xz = b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46 and more";
        assert_eq!(Format::sniff(xz), Some(Format::Xz));
        assert_eq!("xz".parse(), Ok(Format::Xz));
        assert!(Format::readable().all(|format| format != Format::Xz));
        let options = Decode::default();
        let read = std::io::Read::read(&mut Reader::new(&xz[..], options.clone()).unwrap(), &mut [0]);
        for said in [
            Encode::builder(Format::Xz).build().unwrap_err().to_string(),
            compress(b"a", &Encode { format: Format::Xz, ..Encode::default() }).unwrap_err().to_string(),
            decompress(xz, &options).unwrap_err().to_string(),
            Decompressor::new(&options).unwrap().decompress(xz).unwrap_err().to_string(),
            crate::Decompress::new(&options).run(xz, &mut Vec::new()).unwrap_err().to_string(),
            read.unwrap_err().to_string(),
        ] {
            assert!(said.ends_with("without xz; build it with the feature \"xz\" of pzcomp"), "{said}");
        }
        assert!(matches!(decompress(xz, &options), Err(Error::NotBuilt { feature: "xz", .. })));
    }
}
