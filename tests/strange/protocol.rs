//! The messages of `/dev/fuse`, as `linux/fuse.h` describes them in version 7.31: requests are read, and answers are
//! written, as bytes. `filesystem.rs` gives the answers.

use rustix::io::Errno;

/// The requests that are answered; any other one is not implemented.
pub(crate) mod op {
    pub(crate) const LOOKUP: u32 = 1;
    pub(crate) const FORGET: u32 = 2;
    pub(crate) const GETATTR: u32 = 3;
    pub(crate) const SETATTR: u32 = 4;
    pub(crate) const MKDIR: u32 = 9;
    pub(crate) const UNLINK: u32 = 10;
    pub(crate) const RMDIR: u32 = 11;
    pub(crate) const RENAME: u32 = 12;
    pub(crate) const LINK: u32 = 13;
    pub(crate) const OPEN: u32 = 14;
    pub(crate) const READ: u32 = 15;
    pub(crate) const WRITE: u32 = 16;
    pub(crate) const STATFS: u32 = 17;
    pub(crate) const RELEASE: u32 = 18;
    pub(crate) const FSYNC: u32 = 20;
    pub(crate) const FLUSH: u32 = 25;
    pub(crate) const INIT: u32 = 26;
    pub(crate) const OPENDIR: u32 = 27;
    pub(crate) const READDIR: u32 = 28;
    pub(crate) const RELEASEDIR: u32 = 29;
    pub(crate) const FSYNCDIR: u32 = 30;
    pub(crate) const CREATE: u32 = 35;
    pub(crate) const INTERRUPT: u32 = 36;
    pub(crate) const BATCH_FORGET: u32 = 42;
    pub(crate) const RENAME2: u32 = 45;
}

/// The longest write.
pub(crate) const MAX_WRITE: usize = 128 << 10;
/// Bits of `setattr`: which fields count.
pub(crate) const SET_MODE: u32 = 1;
pub(crate) const SET_UID: u32 = 1 << 1;
pub(crate) const SET_GID: u32 = 1 << 2;
pub(crate) const SET_SIZE: u32 = 1 << 3;
pub(crate) const SET_MTIME: u32 = 1 << 5;
pub(crate) const SET_MTIME_NOW: u32 = 1 << 8;

/// Each read and write comes here, and the pages of the kernel are not used.
const OPEN_DIRECT: u32 = 1;

/// A request: its kind, the node that it is about, and its arguments.
pub(crate) struct Request<'a> {
    pub(crate) op: u32,
    unique: u64,
    pub(crate) node: u64,
    pub(crate) body: &'a [u8],
}

impl<'a> Request<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (header, body) = bytes.split_at(40);
        Self { op: u32_at(header, 4), unique: u64_at(header, 8), node: u64_at(header, 16), body }
    }

    pub(crate) fn u32(&self, at: usize) -> u32 {
        u32_at(self.body, at)
    }

    pub(crate) fn u64(&self, at: usize) -> u64 {
        u64_at(self.body, at)
    }

    /// The names behind the fixed arguments.
    pub(crate) fn names(&self, at: usize) -> (String, String) {
        let mut names =
            self.body[at..].split(|&byte| byte == 0).map(|name| String::from_utf8_lossy(name).into_owned());
        (names.next().unwrap_or_default(), names.next().unwrap_or_default())
    }

    pub(crate) fn name(&self, at: usize) -> String {
        self.names(at).0
    }

    pub(crate) fn reply(&self, answer: Result<Vec<u8>, Errno>) -> Vec<u8> {
        let (error, body) = match answer {
            Ok(body) => (0, body),
            Err(error) => (-error.raw_os_error(), Vec::new()),
        };
        let mut bytes = Vec::with_capacity(16 + body.len());
        bytes.extend((16 + body.len() as u32).to_ne_bytes());
        bytes.extend(error.to_ne_bytes());
        bytes.extend(self.unique.to_ne_bytes());
        bytes.extend(body);
        bytes
    }
}

/// What `stat` says of a node.
pub(crate) struct Attributes {
    pub(crate) node: u64,
    pub(crate) len: u64,
    /// Nanoseconds.
    pub(crate) modified: u64,
    pub(crate) changed: u64,
    pub(crate) mode: u32,
    pub(crate) links: u32,
    pub(crate) owner: (u32, u32),
}

impl Attributes {
    /// These, which the kernel must not keep, as an answer.
    pub(crate) fn answer(&self) -> Vec<u8> {
        [&[0; 16][..], &self.bytes()].concat()
    }

    /// The answer to who asks for a name.
    pub(crate) fn entry(&self) -> Vec<u8> {
        [&self.node.to_ne_bytes()[..], &[0; 32], &self.bytes()].concat()
    }

    fn bytes(&self) -> Vec<u8> {
        let (modified, changed) = (self.modified, self.changed);
        let seconds = [modified, modified, changed].map(|time| time / 1_000_000_000);
        let parts = [modified, modified, changed].map(|time| (time % 1_000_000_000) as u32);
        let mut bytes = Vec::with_capacity(88);
        for number in [self.node, self.len, self.len.div_ceil(512)].into_iter().chain(seconds) {
            bytes.extend(number.to_ne_bytes());
        }
        let rest = [self.mode, self.links, self.owner.0, self.owner.1, 0, 4096, 0];
        for number in parts.into_iter().chain(rest) {
            bytes.extend(number.to_ne_bytes());
        }
        bytes
    }
}

/// The answer to the first request: the version, and what this side can do.
pub(crate) fn hello(request: &Request) -> Vec<u8> {
    const BIG_WRITES: u32 = 1 << 5;
    const ASYNC_READ: u32 = 1;
    let numbers = [7, 31, request.u32(8), BIG_WRITES | ASYNC_READ, 0, MAX_WRITE as u32, 1];
    let mut bytes: Vec<_> = numbers.into_iter().flat_map(u32::to_ne_bytes).collect();
    bytes.resize(64, 0);
    bytes
}

pub(crate) fn opened(handle: u64) -> Vec<u8> {
    let mut bytes = handle.to_ne_bytes().to_vec();
    bytes.extend(OPEN_DIRECT.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes
}

pub(crate) fn written(len: usize) -> Vec<u8> {
    (len as u64).to_le_bytes().to_vec()
}

/// Room without an end.
pub(crate) fn statistics() -> Vec<u8> {
    let mut bytes: Vec<_> =
        [1 << 30, 1 << 29, 1 << 29, 1 << 20, 1 << 19].into_iter().flat_map(u64::to_ne_bytes).collect();
    bytes.extend([4096_u32, 255, 4096].into_iter().flat_map(u32::to_ne_bytes));
    bytes.resize(80, 0);
    bytes
}

/// The entries of a folder from number `from` on, as many as go into `room` bytes.
pub(crate) fn directory<'n>(
    entries: impl Iterator<Item = (&'n str, u64, u32)>,
    from: usize,
    room: usize,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, (name, node, mode)) in entries.enumerate().skip(from) {
        let mut one = node.to_ne_bytes().to_vec();
        one.extend((at as u64 + 1).to_ne_bytes());
        one.extend((name.len() as u32).to_ne_bytes());
        one.extend((mode >> 12).to_ne_bytes());
        one.extend(name.bytes());
        one.resize(one.len().next_multiple_of(8), 0);
        if bytes.len() + one.len() > room {
            break;
        }
        bytes.extend(one);
    }
    bytes
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
}
