//! [`Member`]: what the headers of a member say of it, and where it is in the archive.

/// A member of a tar archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// The path, as the headers state it.
    pub name: Vec<u8>,
    /// The target of a link. Empty for other members.
    pub link: Vec<u8>,
    /// The type flag of the header.
    pub flag: u8,
    /// The bits of the rights, and the bits for set-user-ID, set-group-ID and sticky.
    pub mode: u32,
    /// The number of the owner.
    pub uid: u64,
    /// The number of the group.
    pub gid: u64,
    /// The name of the owner. It may be empty.
    pub user: Vec<u8>,
    /// The name of the group. It may be empty.
    pub group: Vec<u8>,
    /// The length of the file. Of a sparse file this counts the holes too.
    pub size: u64,
    /// The time of the last change, in seconds since 1970.
    pub mtime: i64,
    /// The nanoseconds behind [`Self::mtime`].
    pub mtime_nanos: u32,
    /// Major and minor number of a device.
    pub device: (u32, u32),
    /// Offset of the first header: that of the member, or one in front of it that belongs to it.
    pub header: u64,
    /// Offset of the data.
    pub data: u64,
    /// Offset behind the data and what fills up its last block. The next header is there, or the end of the archive.
    pub end: u64,
    /// Whether the data is stored without holes of the file.
    pub is_sparse: bool,
    /// Whether a global pax header says something of this member.
    pub is_global: bool,
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// Another name of a member before it.
    HardLink,
    /// A symbolic link.
    Symlink,
    /// A device of characters.
    CharDevice,
    /// A device of blocks.
    BlockDevice,
    /// A directory.
    Directory,
    /// A named pipe.
    Fifo,
    /// A file of a kind that is not known. It is extracted as a regular file, as POSIX demands.
    Unknown,
    /// Something else, such as the label of a volume.
    Other,
}

impl Member {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.flag {
            b'\0' | b'0' | b'7' | b'S' if self.name.ends_with(b"/") => Kind::Directory,
            b'\0' | b'0' | b'7' | b'S' => Kind::File,
            b'1' => Kind::HardLink,
            b'2' => Kind::Symlink,
            b'3' => Kind::CharDevice,
            b'4' => Kind::BlockDevice,
            b'5' | b'D' => Kind::Directory,
            b'6' => Kind::Fifo,
            b'V' | b'M' => Kind::Other,
            _ => Kind::Unknown,
        }
    }
}
