//! What the output of a compression is made of: [`Layout`], [`Check`], [`Strategy`], [`Lz4Blocks`], [`Member`],
//! [`Recovery`] and [`Tar`]; and [`Adapt`], between which levels a stream may change its level by itself.
//!
//! They are values of an [`EncodeBuilder`](super::EncodeBuilder). `format/settings.rs` says which format has which of
//! them.

/// The structure of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// A frame for each chunk. Frames state their sizes so that readers find them, and an index follows if the format
    /// has room for one. Each flush of a [`Writer`](crate::Writer) ends a frame, and a frame does not refer to the
    /// frames before it. A program that flushes after each short record, such as a line of a log, therefore writes
    /// [`Self::Single`]: lines of 93 bytes take 115 % of their length as zstd frames, and 48 % in one frame
    /// (`cargo bench --bench payloads -- records`).
    #[default]
    Frames,
    /// One frame for all data: a gzip member, a bzip2 stream, a zstd or lz4 frame, or an xz Block. Some readers stop
    /// after the first frame. Only xz then has an index. libzstd codes a zstd frame with its own threads. One worker
    /// codes lz4 and xz. zlib and zip have only this layout.
    Single(Member),
    /// gzip as bgzip writes it (SAM specification, section 4.1): members of at most 65,280 plain bytes, which state
    /// their length. The index is a `.gzi` in [`Summary::sidecar`](crate::Summary::sidecar).
    Bgzf,
    /// zstd as pzstd writes it: a skippable frame before each frame states the length of the frame.
    Pzstd,
    /// The legacy format of lz4, which Linux kernels use: blocks of 8 MiB without any check.
    Legacy,
    /// The format before xz: a `.lzma` file, as xz can write it. One worker codes it.
    Alone,
}

/// A check of plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// No check. Damage of the data is not noticed.
    None,
    /// CRC-32, of xz.
    Crc32,
    /// CRC-64, of xz.
    Crc64,
    /// SHA-256, of xz.
    Sha256,
}

/// Which properties of the data a DEFLATE encoder uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// All that the level uses.
    #[default]
    Usual,
    /// Only runs of one byte, for images and similar data. The level has no effect.
    Runs,
    /// No repetitions, only the frequencies of bytes. The level has no effect.
    Huffman,
}

/// The blocks of an lz4 frame.
///
/// ```
/// use pzcomp::{Encode, Lz4Blocks};
/// let blocks = Lz4Blocks::new().with_id(5).with_linked(true);
/// let options = Encode::lz4(1).lz4_blocks(blocks).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lz4Blocks {
    /// The greatest length of a block, as a number: 4 is 64 KiB, 5 is 256 KiB, 6 is 1 MiB and 7 is 4 MiB. With `None`
    /// it is the shortest of these that holds all data of the frame, or 4 MiB if the frame has more data.
    pub id: Option<u8>,
    /// Whether blocks refer to the blocks before them. This improves the ratio of small blocks.
    pub linked: bool,
    /// Whether each block has a checksum.
    pub checksums: bool,
}

/// What the header of a gzip member or a zip entry states about the file.
///
/// ```
/// use pzcomp::{Encode, Member};
/// let member = Member::new().with_name("notes.txt").with_modified(1_700_000_000);
/// let options = Encode::gzip(6).member(member).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The name of the original file, without folders, in ISO 8859-1.
    pub name: Option<Vec<u8>>,
    /// When the file was last modified, in seconds since 1970. 0 means that it is not known.
    pub modified: u32,
    /// A comment, in ISO 8859-1.
    pub comment: Option<Vec<u8>>,
}

impl Lz4Blocks {
    /// The default: independent blocks without checksums, whose length follows from the data.
    pub const fn new() -> Self {
        Self { id: None, linked: false, checksums: false }
    }

    /// The same with this greatest length of a block ([`Self::id`]).
    #[must_use]
    pub const fn with_id(mut self, id: u8) -> Self {
        self.id = Some(id);
        self
    }

    /// The same with blocks that refer to the blocks before them, or not ([`Self::linked`]).
    #[must_use]
    pub const fn with_linked(mut self, linked: bool) -> Self {
        self.linked = linked;
        self
    }

    /// The same with a checksum for each block, or without ([`Self::checksums`]).
    #[must_use]
    pub const fn with_checksums(mut self, checksums: bool) -> Self {
        self.checksums = checksums;
        self
    }
}

impl Member {
    /// A header that states nothing.
    pub const fn new() -> Self {
        Self { name: None, modified: 0, comment: None }
    }

    /// The same with this name ([`Self::name`]).
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Vec<u8>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same with this time ([`Self::modified`]).
    #[must_use]
    pub fn with_modified(mut self, seconds: u32) -> Self {
        self.modified = seconds;
        self
    }

    /// The same with this comment ([`Self::comment`]).
    #[must_use]
    pub fn with_comment(mut self, comment: impl Into<Vec<u8>>) -> Self {
        self.comment = Some(comment.into());
        self
    }
}

/// Levels that follow what the source and the sink take ([`EncodeBuilder::adapt`](super::EncodeBuilder::adapt)).
///
/// ```
/// use pzcomp::{Adapt, Encode};
/// let options = Encode::zstd(3).adapt(Adapt::new().with_max(15)).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adapt {
    /// The lowest level. `None` is the level to begin with: then no frame is longer than at that level.
    pub min: Option<i32>,
    /// The highest level. `None` is 19 for zstd, and the highest level of other formats.
    pub max: Option<i32>,
}

impl Adapt {
    /// The default: the level to begin with, and all usual levels above it.
    pub const fn new() -> Self {
        Self { min: None, max: None }
    }

    /// The same with this lowest level ([`Self::min`]).
    #[must_use]
    pub const fn with_min(mut self, level: i32) -> Self {
        self.min = Some(level);
        self
    }

    /// The same with this highest level ([`Self::max`]).
    #[must_use]
    pub const fn with_max(mut self, level: i32) -> Self {
        self.max = Some(level);
        self
    }
}

/// Levels that are valid for a format, and the bytes per second with which one core usually codes at each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AdaptSettings {
    /// The level to begin with.
    pub(crate) start: i32,
    /// All levels, the fastest first.
    pub(crate) levels: Vec<(i32, u32)>,
}

/// Whether data that is compressed is taken for a tar archive. Of an archive, zstd, gzip and lz4 in the layout
/// [`Layout::Frames`](crate::Layout::Frames) get a list of the members
/// ([`Seekable::members`](crate::Seekable::members)), and frames end behind members.
///
/// ```
/// assert_eq!(pzcomp::Tar::default(), pzcomp::Tar::Never);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tar {
    /// Never.
    #[default]
    Never,
    /// If it begins with a header of tar. An archive that is damaged behind that gets no list, and
    /// [`Summary::remarks`](crate::Summary::remarks) says so.
    #[cfg(feature = "tar")]
    #[cfg_attr(docsrs, doc(cfg(feature = "tar")))]
    Auto,
    /// Always. It is an error if the data is no whole archive, or if the output has no room for a list.
    #[cfg(feature = "tar")]
    #[cfg_attr(docsrs, doc(cfg(feature = "tar")))]
    Always,
}

impl Tar {
    /// Whether the data may be taken for an archive.
    pub(crate) fn is_wanted(self) -> bool {
        self != Self::Never
    }

    /// Whether the data must be an archive.
    pub(crate) fn is_demanded(self) -> bool {
        #[cfg(feature = "tar")]
        return self == Self::Always;
        #[cfg(not(feature = "tar"))]
        false
    }
}

/// Recovery records in the output, by which damage is mended without another copy.
///
/// The records are parity of the coded data, in frames that every reader of the format skips.
/// [`Repair`](crate::recovery::Repair) mends by them.
#[cfg(feature = "recovery")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// The share of parity, in thousandths of the coded data: 5 to 1000. Other numbers count as the nearest of these.
    pub per_mille: u16,
    /// For how many coded bytes the share counts: 64 KiB to 64 MiB. Other numbers count as the nearest of these.
    pub span: u64,
}

#[cfg(feature = "recovery")]
impl Default for Recovery {
    /// 5 %, for 64 MiB each.
    fn default() -> Self {
        Self { per_mille: 50, span: 64 << 20 }
    }
}

/// A build without the feature `recovery` has no value for this option.
#[cfg(not(feature = "recovery"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {}
