//! The mode of gzopen: its characters as zlib reads them.

use rustix::fs::OFlags;

use crate::zlib::{DEFAULT_LEVEL, DEFAULT_STRATEGY, FILTERED, FIXED, HUFFMAN_ONLY, RLE};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Read,
    Write,
    Append,
}

pub(crate) struct Mode {
    pub(crate) way: Way,
    pub(crate) level: i32,
    pub(crate) strategy: i32,
    /// Plain data is written.
    pub(crate) is_direct: bool,
    closes_on_exec: bool,
    is_exclusive: bool,
}

impl Mode {
    /// The mode that the characters say. The last one of a kind counts, and unknown ones are ignored.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let mut way = None;
        let mut mode = Self {
            way: Way::Read,
            level: DEFAULT_LEVEL,
            strategy: DEFAULT_STRATEGY,
            is_direct: false,
            closes_on_exec: false,
            is_exclusive: false,
        };
        for sign in text {
            match sign {
                b'0'..=b'9' => mode.level = i32::from(sign - b'0'),
                b'r' => way = Some(Way::Read),
                b'w' => way = Some(Way::Write),
                b'a' => way = Some(Way::Append),
                b'+' => return None,
                b'e' => mode.closes_on_exec = true,
                b'x' => mode.is_exclusive = true,
                b'f' => mode.strategy = FILTERED,
                b'h' => mode.strategy = HUFFMAN_ONLY,
                b'R' => mode.strategy = RLE,
                b'F' => mode.strategy = FIXED,
                b'T' => mode.is_direct = true,
                _ => {}
            }
        }
        mode.way = way?;
        // Reading finds out by itself whether the data is plain.
        (mode.way != Way::Read || !mode.is_direct).then_some(mode)
    }

    pub(crate) fn flags(&self) -> OFlags {
        let way = match self.way {
            Way::Read => OFlags::RDONLY,
            Way::Write => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
            Way::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
        };
        let mut flags = way | OFlags::LARGEFILE;
        flags.set(OFlags::CLOEXEC, self.closes_on_exec);
        flags.set(OFlags::EXCL, self.is_exclusive && self.way != Way::Read);
        flags
    }
}
