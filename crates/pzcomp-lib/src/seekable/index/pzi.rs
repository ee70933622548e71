//! The bytes of a `.pzi`, our index beside a file. `docs/index-format.md` describes them.
//!
//! [`encode`] makes the front of the file: a header, and one record for each span. The windows follow it. [`parse`]
//! reads the front and checks it by itself: its checksum, its lengths, and that the records follow each other. It
//! trusts no number for memory: records are read as long as the file has them.

use xxhash_rust::xxh64::{Xxh64, xxh64};

use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::index_file::Fields;
use crate::format::restart::{RestartPart, StoredWindow};
use crate::options::Decode;
use crate::seekable::map::{Map, Span, SpanKind, spans_max, too_many_spans};
use engine::io::RandomAccess;

pub(super) const MAGIC: [u8; 8] = *b"\x89PZI\r\n\x1a\n";
/// An index without a list of members, and with one.
const VERSIONS: [u16; 2] = [1, 2];
const HEADER_LEN: usize = 128;
const RECORD_LEN: usize = 48;
/// Where the checksum is in the header. It covers the header before it, and all records.
const CHECKSUM_AT: usize = 120;
/// How many records are read at a time.
const READ_RECORDS: usize = 4096;
/// The window is not stored in the index.
const NO_WINDOW: u64 = u64::MAX;

/// Kinds of records.
const UNIT: u8 = 0;
const MEMBER: u8 = 1;
const BLOCK: u8 = 2;

/// How many samples of the coded file there are.
pub(super) const SAMPLES: usize = 8;

#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    pub(super) map: Map,
    /// XXH64 of parts of the coded file.
    pub(super) samples: [u64; SAMPLES],
    /// The length of the list of members behind the windows.
    pub(super) list_len: u64,
}

impl Front {
    /// Where the windows begin in the file of the index.
    pub(super) fn len(&self) -> u64 {
        (HEADER_LEN + self.map.spans.len() * RECORD_LEN) as u64
    }
}

/// The bytes before the windows, which have `windows_len` bytes, and a list of members of `list_len` bytes behind them.
/// `window_at` says where in the windows each of them is.
pub(super) fn encode(
    map: &Map,
    samples: &[u64; SAMPLES],
    (windows_len, list_len): (u64, u64),
    mut window_at: impl FnMut(StoredWindow) -> u64,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(HEADER_LEN + map.spans.len() * RECORD_LEN);
    bytes.extend(MAGIC);
    bytes.extend(VERSIONS[usize::from(list_len > 0)].to_le_bytes());
    bytes.extend((HEADER_LEN as u16).to_le_bytes());
    bytes.extend((RECORD_LEN as u32).to_le_bytes());
    for number in [map.coded_len, map.plain_end(), map.spans.len() as u64, windows_len] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    bytes.extend(list_len.to_le_bytes());
    // The checksum.
    bytes.resize(HEADER_LEN, 0);
    for span in &map.spans {
        let (kind, format, context, next, part) = match span.kind {
            SpanKind::Unit { format, context, next } => (UNIT, format, context, next, RestartPart::default()),
            SpanKind::Part { format, number } => {
                let missing = || Error::Internal("a span without its part".into());
                let part = *map.parts.get(number as usize).ok_or_else(missing)?;
                let kind = if part.header_len > 0 { MEMBER } else { BLOCK };
                (kind, format, part.bit, u8::from(part.crc.is_some()), part)
            }
        };
        let offset = part.window.map_or(NO_WINDOW, &mut window_at);
        let window = part.window.unwrap_or_default();
        for number in [span.coded, span.coded_len, span.plain] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(part.crc.unwrap_or(0).to_le_bytes());
        bytes.extend([kind, format.index() as u8, context, next]);
        bytes.extend(offset.to_le_bytes());
        bytes.extend(if kind == MEMBER { part.header_len } else { window.len }.to_le_bytes());
        bytes.extend(window.crc.unwrap_or(0).to_le_bytes());
    }
    let mut sum = Xxh64::new(0);
    sum.update(&bytes[..CHECKSUM_AT]);
    sum.update(&bytes[HEADER_LEN..]);
    bytes[CHECKSUM_AT..HEADER_LEN].copy_from_slice(&sum.digest().to_le_bytes());
    Ok(bytes)
}

/// Reads the front of an index of `len` bytes.
pub(super) fn parse(place: RandomAccess, len: u64, options: &Decode) -> Result<Front> {
    let mut header = [0; HEADER_LEN];
    if place.read_at(&mut header, 0)? < HEADER_LEN {
        return Err(Error::index("it is cut off in its header"));
    }
    let mut fields = Fields(&header[MAGIC.len()..]);
    let (version, header_len, record_len) = (fields.u16(), fields.u16(), fields.u32());
    if !VERSIONS.contains(&version) {
        let what = format!("it has version {version}, and this pzcomp reads versions 1 and 2");
        return Err(Error::index(what));
    }
    if usize::from(header_len) != HEADER_LEN || record_len as usize != RECORD_LEN {
        return Err(Error::index(format!(
            "its header states a length of {header_len} bytes and records of {record_len}, expected {HEADER_LEN} and \
             {RECORD_LEN}"
        )));
    }
    let [coded_len, plain_len, count, windows_len] = [fields.u64(), fields.u64(), fields.u64(), fields.u64()];
    let samples = std::array::from_fn(|_| fields.u64());
    // Version 1 has zeros here.
    let list_len = if version == 1 { 0 } else { fields.u64() };
    let stated_sum = Fields(&header[CHECKSUM_AT..]).u64();
    let front_len = count.checked_mul(RECORD_LEN as u64).and_then(|len| len.checked_add(HEADER_LEN as u64));
    let expected = front_len.and_then(|front| front.checked_add(windows_len)?.checked_add(list_len));
    if count > spans_max(options) as u64 {
        return Err(too_many_spans(options));
    }
    if expected != Some(len) {
        return Err(Error::index(format!("it has {len} bytes, which is not the length that it states")));
    }
    let mut sum = Xxh64::new(0);
    sum.update(&header[..CHECKSUM_AT]);
    let mut map = Map { coded_len, ..Map::default() };
    let (mut at, mut left) = (HEADER_LEN as u64, count as usize);
    let mut records = Vec::new();
    while left > 0 {
        records.resize(left.min(READ_RECORDS) * RECORD_LEN, 0);
        if place.read_at(&mut records, at)? < records.len() {
            return Err(Error::index("it is cut off in its records"));
        }
        sum.update(&records);
        for record in records.chunks_exact(RECORD_LEN) {
            let span = read_record(record, &mut map.parts, windows_len);
            map.spans.push(span.ok_or_else(|| Error::index("a record in it is not valid"))?);
        }
        at += records.len() as u64;
        left -= records.len() / RECORD_LEN;
    }
    if sum.digest() != stated_sum {
        return Err(Error::index("its checksum is wrong, so it is damaged"));
    }
    super::file::fill_lengths(&mut map, plain_len)?;
    Ok(Front { map, samples, list_len })
}

/// The span of a record, without its plain length.
fn read_record(record: &[u8], parts: &mut Vec<RestartPart>, windows_len: u64) -> Option<Span> {
    let mut fields = Fields(record);
    let [coded, coded_len, plain] = [fields.u64(), fields.u64(), fields.u64()];
    let crc = fields.u32();
    let [kind, format, context, next] = fields.take::<4>();
    let (offset, len, window_crc) = (fields.u64(), fields.u32(), fields.u32());
    let format = *Format::EVERY.get(usize::from(format))?;
    let crc = (next == 1).then_some(crc);
    if kind != UNIT && format.codec().places().restarts().is_none() {
        return None;
    }
    let part = match kind {
        UNIT if format.codec().places().may_begin(coded, context, next) => {
            let kind = SpanKind::Unit { format, context, next };
            return Some(Span { coded, coded_len, plain, plain_len: 0, kind });
        }
        MEMBER if len > 0 => RestartPart { header_len: len, bit: 0, window: None, crc },
        BLOCK if context < 8 => {
            let window = match offset {
                NO_WINDOW => None,
                _ => {
                    offset.checked_add(len.into()).filter(|&end| end <= windows_len)?;
                    Some(StoredWindow { offset, len, crc: Some(window_crc) })
                }
            };
            RestartPart { header_len: 0, bit: context, window, crc }
        }
        _ => return None,
    };
    let number = u32::try_from(parts.len()).ok()?;
    parts.push(part);
    Some(Span { coded, coded_len, plain, plain_len: 0, kind: SpanKind::Part { format, number } })
}

/// The samples of a coded file of `len` bytes: its first and last 64 KiB, and six times 4 KiB at even distances.
pub(super) fn samples(place: RandomAccess, len: u64) -> Result<[u64; SAMPLES]> {
    const END_LEN: u64 = 64 << 10;
    const INNER_LEN: u64 = 4 << 10;
    let mut samples = [0; SAMPLES];
    let mut bytes = Vec::new();
    for (number, sample) in samples.iter_mut().enumerate() {
        let (at, sample_len) = match number {
            0 => (0, END_LEN),
            7 => (len.saturating_sub(END_LEN), END_LEN),
            // The product of a length of 63 bits and 6 may have 66 bits.
            inner => (len / 7 * inner as u64, INNER_LEN),
        };
        bytes.resize(sample_len.min(len - at.min(len)) as usize, 0);
        let read = place.read_at(&mut bytes, at)?;
        *sample = xxh64(&bytes[..read], 0);
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front() -> Front {
        let mut map = Map { coded_len: 1000, ..Map::default() };
        let window = StoredWindow { offset: 5, len: 20, crc: Some(0x0403_0201) };
        let part = RestartPart { header_len: 0, bit: 3, window: Some(window), crc: Some(0xddcc_bbaa) };
        map.parts = vec![RestartPart { header_len: 18, ..RestartPart::default() }, part];
        assert!(map.push(0..301, 70_000, SpanKind::Part { format: Format::Gzip, number: 0 }));
        assert!(map.push(300..800, 5000, SpanKind::Part { format: Format::Gzip, number: 1 }));
        assert!(map.push(900..990, 3, SpanKind::Unit { format: Format::Bzip2, context: 75, next: 76 }));
        Front { map, samples: [1, 2, 3, 4, 5, 6, 7, 8], ..Front::default() }
    }

    fn encoded() -> Vec<u8> {
        let Front { map, samples, .. } = front();
        encode(&map, &samples, (25, 0), |window| window.offset).unwrap()
    }

    #[test]
    fn the_bytes_are_those_of_the_document() {
        let bytes = encoded();
        assert_eq!(bytes.len(), 128 + 3 * 48);
        assert_eq!(bytes[..16], *b"\x89PZI\r\n\x1a\n\x01\0\x80\0\x30\0\0\0");
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!([16, 24, 32, 40, 48, 104, 112].map(number), [1000, 75_003, 3, 25, 1, 8, 0]);
        assert_eq!(number(120), xxh64(&[&bytes[..120], &bytes[128..]].concat(), 0));
        // The part that begins in the middle of the last byte of the part before.
        let second = &bytes[128 + 48..128 + 96];
        assert_eq!([176, 184, 192].map(number), [300, 500, 70_000]);
        assert_eq!(second[24..32], [0xaa, 0xbb, 0xcc, 0xdd, 2, 1, 3, 1]);
        assert_eq!((number(176 + 32), &second[40..]), (5, &[20, 0, 0, 0, 1, 2, 3, 4][..]));
        let third = &bytes[128 + 96..];
        assert_eq!((&third[28..32], number(224 + 32)), (&[0, 4, 75, 76][..], NO_WINDOW));
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let mut bytes = encoded();
        bytes.resize(bytes.len() + 25, b'w');
        let read = |bytes: &[u8]| parse(RandomAccess::Memory(bytes), bytes.len() as u64, &Decode::default());
        let found = read(&bytes).unwrap();
        assert_eq!(found.map.spans, front().map.spans);
        assert_eq!((found.map.parts, found.samples), (front().map.parts, front().samples));
        for bit in 64..8 * (bytes.len() - 25) {
            let mut wrong = bytes.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&wrong).is_err(), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "{len} bytes");
        }
    }
}
