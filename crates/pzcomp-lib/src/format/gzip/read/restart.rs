//! Decoding a part of gzip members from a restart point, for an index beside the file.
//!
//! The input is a range of the coded file, and the window before it. [`decode_part`] puts out the plain data of the
//! range, in bounded memory. It verifies the trailers of members that begin in the range. `seekable/` calls it, and
//! compares the length and the checksum of the output with its index.
//!
//! The pipeline is not used here, because the window comes from the index and not from the job before.

use std::ops::Range;

use pzcomp_deflate::inflate::{Boundary, Inflate, Output, Pause};

use super::super::NAME;
use super::super::header::TRAILER_LEN;
use super::header_fields::read_header;
use crate::error::{Damage, Error, Result};
use crate::format::ffi::deflate::crc32;
use crate::format::restart::RestartPoint;
use engine::io::RandomAccess;

/// How much coded data is read at a time, and how much at first: a trial may end at once.
const READ_LEN: usize = 128 << 10;
const FIRST_READ_LEN: usize = 64;
/// How much plain data is put out at a time.
const PLAIN_LEN: usize = 256 << 10;

/// The plain data of a member up to here.
#[derive(Clone, Copy, Default)]
pub(super) struct MemberSum {
    pub(super) crc: u32,
    pub(super) len: u64,
}

impl MemberSum {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.crc = crc32(self.crc, bytes);
        self.len += bytes.len() as u64;
    }
}

/// Decodes the part in `coded`. `put` takes the plain data.
///
/// It is an error if the part does not end where a block or a member ends.
pub(crate) fn decode_part(
    place: RandomAccess,
    coded: Range<u64>,
    start: &RestartPoint,
    put: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let offset = coded.start;
    let corrupt = |what: String| Error::corrupt(NAME, offset, what);
    let mut input = PartInput::new(place, coded);
    let mut inflate: Inflate = Inflate::new();
    let mut plain = vec![0; PLAIN_LEN];
    // Nothing is known of a member that began before the part.
    let mut sum = None;
    match *start {
        RestartPoint::Frame => {}
        RestartPoint::Block { bit, window } => {
            let boundary = if bit == 0 {
                Boundary::WHOLE_BYTE
            } else {
                let first = input.take_byte()?.ok_or_else(|| input.truncated(offset))?;
                Boundary::at(&[first], usize::from(bit)).0
            };
            inflate.reset_inside(boundary);
            inflate.set_window(window);
        }
    }
    let mut is_header = matches!(start, RestartPoint::Frame);
    loop {
        if is_header {
            if input.is_only_zeros()? {
                return Ok(());
            }
            let member = input.offset();
            if read_header(|bytes| input.fill(bytes), member)?.is_none() {
                return Err(input.truncated(member));
            }
            inflate.reset();
            (sum, is_header) = (Some(MemberSum::default()), false);
        }
        let bytes = input.bytes()?;
        let is_end = bytes.is_empty();
        // The bits that are left in the last byte belong to the next part.
        if is_end && inflate.boundary().is_some() {
            return Ok(());
        }
        let mut output = Output::new(&mut plain, 0);
        let progress = inflate.run(bytes, &mut output);
        let filled = output.filled();
        let progress = progress.map_err(|invalid| corrupt(invalid.defect.to_string()))?;
        input.pass(progress.read);
        if let Some(sum) = &mut sum {
            sum.update(&plain[..filled]);
        }
        if filled > 0 {
            put(&plain[..filled])?;
        }
        match progress.pause {
            Pause::End => {
                let mut trailer = [0; TRAILER_LEN];
                if !input.fill(&mut trailer)? {
                    return Err(input.truncated(offset));
                }
                verify(sum, trailer, offset)?;
                if input.bytes()?.is_empty() {
                    return Ok(());
                }
                is_header = true;
            }
            Pause::Input if is_end => {
                return Err(corrupt("the part that begins there does not end where a block ends".into()));
            }
            // A part that does not begin a stream has its window, so the decoder does not ask for one.
            Pause::Window => return Err(corrupt("a distance reaches back before the window".into())),
            Pause::Input | Pause::Output => {}
        }
    }
}

/// Compares the data of a member with its trailer, if all of the data is known.
pub(super) fn verify(sum: Option<MemberSum>, trailer: [u8; TRAILER_LEN], offset: u64) -> Result<()> {
    let Some(MemberSum { crc, len }) = sum else { return Ok(()) };
    let [c0, c1, c2, c3, l0, l1, l2, l3] = trailer;
    let (stated_crc, stated_len) =
        (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([l0, l1, l2, l3]));
    let damage = match (crc == stated_crc, len as u32 == stated_len) {
        (true, true) => return Ok(()),
        (true, false) => Damage::Length,
        (false, true) => Damage::Check,
        (false, false) => Damage::Both,
    };
    let what = format!(
        "a member there holds {} bytes (modulo 2^32) with the CRC-32 {crc:08x}, expected {stated_len} with {stated_crc:08x}",
        len as u32
    );
    Err(Error::corrupt(NAME, offset, what).by(damage))
}

/// The coded bytes of a part, read as they are needed.
pub(super) struct PartInput<'a> {
    place: RandomAccess<'a>,
    /// What has not been read.
    rest: Range<u64>,
    buffer: Vec<u8>,
    /// The bytes of the buffer that were read and not passed.
    unread: Range<usize>,
    /// How much is read next, and how much has been read.
    read_len: usize,
    pub(super) has_read: u64,
}

impl<'a> PartInput<'a> {
    pub(super) fn new(place: RandomAccess<'a>, rest: Range<u64>) -> Self {
        Self { place, rest, buffer: Vec::new(), unread: 0..0, read_len: FIRST_READ_LEN, has_read: 0 }
    }

    /// The next bytes. None only at the end.
    pub(super) fn bytes(&mut self) -> Result<&[u8]> {
        if self.unread.is_empty() && !self.rest.is_empty() {
            let left = self.rest.end - self.rest.start;
            let len = usize::try_from(left).unwrap_or(self.read_len).min(self.read_len);
            self.read_len = (2 * self.read_len).min(READ_LEN);
            self.buffer.resize(len, 0);
            let read = self.place.read_at(&mut self.buffer, self.rest.start)?;
            if read < len {
                let found = self.rest.start + read as u64;
                return Err(Error::Shrank { expected: self.rest.end, found });
            }
            self.rest.start += len as u64;
            self.has_read += len as u64;
            self.unread = 0..len;
        }
        Ok(&self.buffer[self.unread.clone()])
    }

    /// Passes bytes that [`Self::bytes`] has returned.
    pub(super) fn pass(&mut self, len: usize) {
        self.unread.start = (self.unread.start + len).min(self.unread.end);
    }

    /// Offset of the next byte in the file.
    pub(super) fn offset(&self) -> u64 {
        self.rest.start - self.unread.len() as u64
    }

    fn take_byte(&mut self) -> Result<Option<u8>> {
        let mut byte = [0];
        Ok(self.fill(&mut byte)?.then_some(byte[0]))
    }

    /// Fills `out` with the next bytes. False if there are too few.
    pub(super) fn fill(&mut self, mut out: &mut [u8]) -> Result<bool> {
        while !out.is_empty() {
            let bytes = self.bytes()?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let len = bytes.len().min(out.len());
            let (now, later) = out.split_at_mut(len);
            now.copy_from_slice(&bytes[..len]);
            self.pass(len);
            out = later;
        }
        Ok(true)
    }

    /// Whether nothing but zeros follows. The zeros are passed then.
    pub(super) fn is_only_zeros(&mut self) -> Result<bool> {
        loop {
            let bytes = self.bytes()?;
            let len = bytes.len();
            if len == 0 {
                return Ok(true);
            }
            // A member begins with another byte, so the first bytes decide except in a file that ends with zeros.
            if bytes.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            self.pass(len);
        }
    }

    /// The error of a member that is cut off.
    pub(super) fn truncated(&self, frame: u64) -> Error {
        Error::Truncated { format: NAME, frame, offset: self.rest.end }
    }
}
