//! [`Tar`]: whether the plain data is taken for a tar archive.

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
