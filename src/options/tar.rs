//! [`Tar`]: whether the plain data is taken for a tar archive.

/// Whether data that is compressed is taken for a tar archive. Of an archive, zstd, gzip and lz4 in the layout
/// [`Layout::Frames`](crate::Layout::Frames) get a list of the members ([`Seekable::members`](crate::Seekable::members)),
/// and frames end behind members.
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
    Auto,
    /// Always. It is an error if the data is no whole archive, or if the output has no room for a list.
    Always,
}
