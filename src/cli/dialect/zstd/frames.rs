//! Reads the headers of all frames in a zstd file, for `zstd -l`.
//!
//! [`Frames::of`] takes a file that the library has listed, and returns the totals of the headers. It reads only
//! headers and checksums, as zstd does: the length of each block leads to the next block. `table` prints the totals.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use pzcomp::{Damage, Error};

const NAME: &str = "zstd";
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The magic number of a skippable frame without its first byte, whose lower half can have any value.
const SKIPPABLE_MAGIC: [u8; 3] = [0x2a, 0x4d, 0x18];
const SKIPPABLE_HEADER_LEN: u64 = 8;
const HEADER_MAX: usize = 18;
const BLOCK_HEADER_LEN: usize = 3;
const CHECKSUM_LEN: usize = 4;

/// What the frames of a file have in their headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Frames {
    pub(super) count: u64,
    /// The number of skippable frames.
    pub(super) skippable: u64,
    /// The window of the last frame in bytes.
    pub(super) window: u64,
    /// The number of the dictionary that all frames need. It is 0 if they need different ones.
    pub(super) dictionary: u32,
    /// The checksum of the last frame that has one.
    pub(super) checksum: Option<u32>,
}

/// The header of a frame.
struct Header {
    len: usize,
    window: u64,
    dictionary: u32,
    has_checksum: bool,
}

impl Frames {
    /// Reads the frames of a file that the library has listed without an error. Fails if the file cannot be read or
    /// ends within a frame.
    pub(super) fn of(file: &File) -> Result<Self, Error> {
        let read_error = |source| Error::Read { offset: 0, source };
        let end = file.metadata().map_err(read_error)?.len();
        let (mut frames, mut at) = (Self::default(), 0);
        while at < end {
            let start = at;
            let cut = || Error::Truncated { format: NAME, frame: start, offset: end };
            let mut bytes = [0; HEADER_MAX];
            let head = read(file, &mut bytes, start)?;
            at = match head {
                [first, rest @ ..] if first >> 4 == 5 && rest.starts_with(&SKIPPABLE_MAGIC) => {
                    let len = head.get(4..).and_then(<[u8]>::first_chunk).ok_or_else(cut)?;
                    frames.skippable += 1;
                    start + SKIPPABLE_HEADER_LEN + u64::from(u32::from_le_bytes(*len))
                }
                _ if head.starts_with(&MAGIC) => {
                    let header = Header::parse(head).ok_or_else(cut)?;
                    let behind = pass_blocks(file, start, start + header.len as u64)?.ok_or_else(cut)?;
                    frames.add(&header);
                    if !header.has_checksum {
                        behind
                    } else {
                        let mut bytes = [0; CHECKSUM_LEN];
                        let read = read(file, &mut bytes, behind)?.first_chunk().ok_or_else(cut)?;
                        frames.checksum = Some(u32::from_le_bytes(*read));
                        behind + CHECKSUM_LEN as u64
                    }
                }
                // Other data: the library has read it already and has reported errors.
                _ => return Ok(frames),
            };
            if at > end {
                return Err(cut());
            }
        }
        Ok(frames)
    }

    /// Adds the header of the next frame.
    fn add(&mut self, header: &Header) {
        let is_same = self.dictionary == 0 || self.dictionary == header.dictionary;
        self.dictionary = if is_same { header.dictionary } else { 0 };
        self.window = header.window;
        self.count += 1;
    }
}

impl Header {
    /// Reads a header. Returns `None` if it is incomplete.
    fn parse(head: &[u8]) -> Option<Self> {
        let (&flags, fields) = head.strip_prefix(&MAGIC)?.split_first()?;
        let is_single = flags & 0x20 != 0;
        let (window, fields) = fields.split_at_checked(usize::from(!is_single))?;
        let (dictionary, fields) = fields.split_at_checked([0, 1, 2, 4][usize::from(flags & 3)])?;
        let content_len_len = match flags >> 6 {
            0 => usize::from(is_single),
            log => 1 << log,
        };
        let (content_len, rest) = fields.split_at_checked(content_len_len)?;
        let window = match window {
            [byte] => {
                let base = 1_u64 << (10 + (byte >> 3));
                base + base / 8 * u64::from(byte & 7)
            }
            // The frame has no window of its own: the window is the content. A length of two bytes is stored less
            // 256.
            _ => number(content_len) + if content_len.len() == 2 { 256 } else { 0 },
        };
        Some(Self {
            len: head.len() - rest.len(),
            window,
            dictionary: number(dictionary) as u32,
            has_checksum: flags & 4 != 0,
        })
    }
}

/// Skips the blocks from offset `at`. They belong to the frame at offset `start`. Returns the offset behind them, or
/// `None` if the file ends before that.
fn pass_blocks(file: &File, start: u64, mut at: u64) -> Result<Option<u64>, Error> {
    loop {
        let mut bytes = [0; BLOCK_HEADER_LEN];
        let header = read(file, &mut bytes, at)?;
        if header.len() < BLOCK_HEADER_LEN {
            return Ok(None);
        }
        let header = number(header);
        let len = match header >> 1 & 3 {
            // A block of one repeated byte.
            1 => 1,
            3 => {
                let what = "a block is of a kind that the format does not have".into();
                let damage = Damage::Form;
                return Err(Error::Corrupt { format: NAME, offset: start, what, damage, is_held: false });
            }
            _ => header >> 3,
        };
        at += BLOCK_HEADER_LEN as u64 + len;
        if header & 1 == 1 {
            return Ok(Some(at));
        }
    }
}

/// A little-endian number of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Reads bytes at `offset`. Returns fewer than fit into `bytes` only at the end of the file.
fn read<'a>(file: &File, bytes: &'a mut [u8], offset: u64) -> Result<&'a [u8], Error> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(len) => filled += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(Error::Read { offset, source }),
        }
    }
    Ok(&bytes[..filled])
}
