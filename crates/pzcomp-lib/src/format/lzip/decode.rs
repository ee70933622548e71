//! Decodes lzip members and verifies their CRC-32, plain length and member length.
//!
//! The input is the coded bytes of a job. The output goes to the emitter of the job. A member that is at hand
//! completely is decoded in one call; other members are decoded as a stream. After each member, the decoder checks that
//! the bytes which follow are no damaged header.

use super::NAME;
use super::header::{
    DictionarySize, HEADER_LEN, MAGIC, TRAILER_0_LEN, TRAILER_LEN, Trailer, VERSION, is_header,
};
use crate::error::{Damage, Error, Result, hex};
use crate::format::ffi::lzma::{self, Coded};
use crate::format::liblzma::{LzmaFrame, MemoryUse};
use crate::format::serial::FrameErrors;
use crate::format::{After, Decoder, Reading};
use engine::{Emitter, Source};

/// Decodes members, one at a time.
pub(super) struct MemberDecoder {
    decoder: lzma::LzmaDecoder,
    reading: Reading,
}

impl MemberDecoder {
    pub(super) fn new(reading: Reading) -> Self {
        Self { decoder: lzma::LzmaDecoder::new(), reading }
    }
}

impl Decoder for MemberDecoder {
    /// The plain length in the trailer, if `coded` ends with the trailer of a member that fills `coded`.
    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        let trailer = Trailer::parse(*coded.last_chunk()?);
        let ends_there = trailer.member_len == coded.len() as u64;
        usize::try_from(trailer.plain_len).ok().filter(|_| ends_there)
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        let Some((data, trailer)) = coded.get(HEADER_LEN..).and_then(|rest| rest.split_last_chunk()) else {
            return false;
        };
        if !is_header(coded) {
            return false;
        }
        let Some(dictionary) = DictionarySize::parse(coded[HEADER_LEN - 1]) else {
            return false;
        };
        // A match cannot reach back before the start of the data.
        let dict_len = dictionary.len.min(u32::try_from(plain.len()).unwrap_or(u32::MAX));
        if self.decoder.begin_raw(dict_len, self.reading.lzma().0).is_err() {
            return false;
        }
        let Coded { read, written, state } = self.decoder.code(data, plain);
        let stated = Trailer::parse(*trailer);
        let found = Trailer {
            crc: if self.reading.ignore_check { stated.crc } else { crc32fast::hash(plain) },
            plain_len: written as u64,
            member_len: (HEADER_LEN + read + TRAILER_LEN) as u64,
        };
        state == Ok(true) && (read, written) == (data.len(), plain.len()) && found == stated
    }

    /// A member states its plain length in its trailer.
    fn stated_len(&self, source: &mut Source, _: u8, coded_len: Option<usize>) -> Result<Option<u64>> {
        let Some(coded_len) = coded_len else { return Ok(None) };
        let member = source.gather(coded_len)?.get(..coded_len);
        let trailer = member.and_then(|member| member.last_chunk()).map(|bytes| Trailer::parse(*bytes));
        let trailer = trailer.filter(|trailer| trailer.member_len == coded_len as u64);
        Ok(trailer.map(|trailer| trailer.plain_len))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = FrameErrors { format: NAME, unit: "member", start: source.offset() };
        let (version, dictionary) = read_header(source, frame, &self.reading)?;
        let lzma_frame = LzmaFrame { frame, reading: &self.reading };
        let memory_use = lzma_frame.begin(&mut self.decoder, source, out, |decoder, memory| {
            decoder.begin_raw(dictionary.len, memory)
        })?;
        let (mut crc, mut plain_len) = (crc32fast::Hasher::new(), 0);
        lzma_frame.decode_with(&mut self.decoder, source, out, |plain| {
            crc.update(plain);
            plain_len += plain.len() as u64;
        })?;
        if memory_use == MemoryUse::All {
            self.decoder = lzma::LzmaDecoder::new();
        }
        let mut stated = read_trailer(source, frame, version)?;
        let (crc, member_len) = (crc.finalize(), source.offset() - frame.start);
        if self.reading.ignore_check {
            stated.crc = crc;
        }
        verify(frame, Trailer { crc, plain_len, member_len }, stated)?;
        if self.reading.one_format || self.reading.single_stream {
            // Bytes that are no header are ignored in these modes, even if they look like a damaged one.
            return Ok(());
        }
        check_behind(source, out, self.reading.loose_trailing)
    }

    fn after(&self) -> After {
        if self.reading.single_stream { After::Closed { more: None } } else { After::Anything }
    }
}

/// Reads the version and the dictionary length. It is an error if pzcomp cannot read such a member.
fn read_header(source: &mut Source, frame: FrameErrors, reading: &Reading) -> Result<(u8, DictionarySize)> {
    let header: [u8; HEADER_LEN] = frame.bytes(source)?;
    let [_, _, _, _, version, byte] = header;
    if version > VERSION || version < VERSION && reading.only_version_1 {
        let known = if reading.only_version_1 { "1" } else { "0 or 1" };
        let what = format!("has version {version}, expected {known}");
        return Err(Error::Unsupported { format: NAME, offset: frame.start, what, version: Some(version) });
    }
    let dictionary = DictionarySize::parse(byte).ok_or_else(|| {
        let what = format_args!("has a dictionary of 2^{} bytes, expected 2^12 to 2^29", byte & 0x1f);
        frame.corrupt(what).by(Damage::Window)
    })?;
    Ok((version, dictionary))
}

/// Reads the trailer. The trailer of version 0 does not state the member length, so the true length is put in.
fn read_trailer(source: &mut Source, frame: FrameErrors, version: u8) -> Result<Trailer> {
    if version == VERSION {
        return frame.bytes(source).map(Trailer::parse);
    }
    let short: [u8; TRAILER_0_LEN] = frame.bytes(source)?;
    let mut bytes = [0; TRAILER_LEN];
    bytes[..TRAILER_0_LEN].copy_from_slice(&short);
    Ok(Trailer { member_len: source.offset() - frame.start, ..Trailer::parse(bytes) })
}

/// Compares the values found with the values that the trailer states.
fn verify(frame: FrameErrors, found: Trailer, stated: Trailer) -> Result<()> {
    let Trailer { crc, plain_len, member_len } = found;
    if crc != stated.crc {
        let what = format_args!("has the CRC-32 {crc:08x}, expected {:08x}", stated.crc);
        return Err(frame.corrupt(what).by(Damage::Check));
    }
    if plain_len != stated.plain_len {
        let what = format_args!("holds {plain_len} bytes of data, expected {}", stated.plain_len);
        return Err(frame.corrupt(what).by(Damage::Length));
    }
    if member_len != stated.member_len {
        let what = format_args!("is {member_len} bytes long, expected {}", stated.member_len);
        return Err(frame.corrupt(what).by(Damage::Length));
    }
    Ok(())
}

/// Refuses bytes behind a member that look like a damaged header of another member. If they were ignored like other
/// trailing bytes, the data of that member would be lost without an error. lzip does the same.
///
/// If more bytes than a header follow, they count as a header if two or three bytes of the magic number are right,
/// unless `loose`. If fewer bytes follow, they count as a header if they are the beginning of the magic number.
///
/// If the span of the job ends here, the walker has found a valid header behind it.
fn check_behind(source: &mut Source, out: &mut Emitter, loose: bool) -> Result<()> {
    // The member is verified. So its output leaves now: it is never taken back, and it does not wait for more input.
    out.frame().release()?;
    out.frame().begin();
    out.flush_before_wait(source)?;
    let start = source.offset();
    let bytes = source.gather(HEADER_LEN + 1)?;
    let is_whole = bytes.len() > HEADER_LEN;
    let bytes = &bytes[..bytes.len().min(MAGIC.len())];
    if bytes.is_empty() || bytes == MAGIC {
        return Ok(());
    }
    let offset = start + bytes.len() as u64;
    if !is_whole && MAGIC.starts_with(bytes) {
        return Err(Error::Truncated { format: NAME, frame: start, offset });
    }
    let matches = bytes.iter().zip(MAGIC).filter(|&(&byte, expected)| byte == expected).count();
    if is_whole && matches > 1 && !loose {
        let what =
            format!("the header of a member there begins with {}, expected {}", hex(bytes), hex(&MAGIC));
        return Err(Error::corrupt(NAME, start, what).by(Damage::Header));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::lzip::Lzip;
    use crate::format::{Encoder, WritingCodec};
    use crate::options::Encode;

    fn member(plain: &[u8]) -> Vec<u8> {
        let options = Encode { format: crate::Format::Lzip, block_size: Some(1 << 20), ..Encode::default() };
        let settings = options.settings().unwrap();
        let mut encoder: Box<dyn Encoder> = Lzip.encoder(&settings).unwrap();
        let mut coded = vec![0; Lzip.coded_bound(&settings)];
        let len = encoder.encode(plain, &mut coded).unwrap();
        coded.truncate(len);
        coded
    }

    /// A member that is not decoded in one piece is decoded again as a stream, at twice the cost.
    #[test]
    fn members_at_hand_are_decoded_in_one_piece() {
        let mut decoder =
            MemberDecoder::new(Reading { share: 64 << 20, alone: 64 << 20, ..Reading::default() });
        for plain in [b"".to_vec(), b"x".to_vec(), b"three in the morning ".repeat(9000), vec![0; 1 << 20]] {
            let coded = member(&plain);
            assert_eq!(decoder.plain_len(&coded, 0), Some(plain.len()));
            let mut back = vec![1; plain.len()];
            assert!(decoder.whole(&coded, &mut back, 0), "{} bytes", plain.len());
            assert!(back == plain);
            assert!(!decoder.whole(&coded, &mut vec![0; plain.len() + 1], 0));
            for at in (0..coded.len()).rev().take(40).chain(0..10) {
                let mut damaged = coded.clone();
                damaged[at] ^= 0x41;
                let is_same = at == HEADER_LEN - 1;
                assert!(is_same || !decoder.whole(&damaged, &mut back, 0), "byte {at}");
            }
            let twice = [&coded[..], &coded].concat();
            assert_eq!(decoder.plain_len(&twice, 0), None);
            assert!(!decoder.whole(&twice, &mut back, 0));
            assert!(!decoder.whole(&coded[..coded.len() - 1], &mut back, 0));
        }
    }
}
