//! The headers of every format, field by field: what the original refuses is refused here, and what it reads is read.
//!
//! The peers are the tools. A table takes a file of a tool or one made by hand, and changes each byte of its header in
//! turn; `mend` makes checksums of the header right again. `reason` has what differs by design. No tool in Debian reads
//! Snappy frames (`python3-snappy` 0.5 fails on each), so `specified_snappy` judges by the text of the format.

use std::ops::Range;

use libdeflater::crc32;

use crate::common::{pipe, run};
use pzcomp::{Decode, Format, Unknown};
use xxhash_rust::xxh32::xxh32;

/// The data of a file, if it is not refused.
type Judge = fn(&[u8]) -> Option<Vec<u8>>;

/// A file, and the bytes of it that are changed.
struct Table {
    name: &'static str,
    tool: &'static str,
    formats: &'static [Format],
    unknown: Unknown,
    bytes: Vec<u8>,
    changed: Range<usize>,
    /// Bytes that take all values, and not only some.
    flags: &'static [usize],
    mend: fn(&mut [u8]),
    /// Decodes or refuses instead of a tool.
    judge: Option<Judge>,
}

impl Table {
    fn new(
        name: &'static str,
        tool: &'static str,
        format: &'static [Format],
        bytes: Vec<u8>,
        changed: Range<usize>,
    ) -> Self {
        Self {
            name,
            tool,
            formats: format,
            unknown: Unknown::Refuse,
            bytes,
            changed,
            flags: &[],
            mend: |_| {},
            judge: None,
        }
    }

    fn unknown(self, unknown: Unknown) -> Self {
        Self { unknown, ..self }
    }

    fn flags(self, flags: &'static [usize]) -> Self {
        Self { flags, ..self }
    }

    fn mend(self, mend: fn(&mut [u8])) -> Self {
        Self { mend, ..self }
    }

    /// The values that a byte takes.
    fn values(&self, at: usize) -> Vec<u8> {
        let value = self.bytes[at];
        let bits = (0..8).map(|bit| value ^ 1 << bit);
        let mut values: Vec<u8> = match self.flags.contains(&at) {
            true => (0..=255).collect(),
            false => bits.chain([0, 255, value.wrapping_add(1), value.wrapping_sub(1)]).collect(),
        };
        values.sort_unstable();
        values.dedup();
        values.retain(|&other| other != value);
        values
    }

    /// The rows in which pzcomp and the original differ, without a reason.
    fn differences(&self) -> Vec<String> {
        let options =
            Decode::builder().accept(self.formats).unknown(self.unknown).threads(1).build().unwrap();
        let mut differences = Vec::new();
        let unchanged = [(0, self.bytes.first().copied().unwrap_or(0))];
        let changes =
            self.changed.clone().flat_map(|at| self.values(at).into_iter().map(move |value| (at, value)));
        for (at, value) in unchanged.into_iter().chain(changes) {
            let mut bytes = self.bytes.clone();
            bytes[at] = value;
            (self.mend)(&mut bytes);
            let (verdict, said) = match self.judge {
                Some(judge) => (judge(&bytes), String::new()),
                None => {
                    let original = run(self.tool, &bytes);
                    // gzip ends with 2 after a warning.
                    let is_read = matches!(original.status.code(), Some(0))
                        || self.name.starts_with("gzip") && original.status.code() == Some(2);
                    let said = String::from_utf8_lossy(&original.stderr).trim().to_owned();
                    (is_read.then_some(original.stdout), said)
                }
            };
            let ours = pzcomp::decompress(&bytes, &options);
            if ours.as_ref().ok() != verdict.as_ref() && reason(self.name, at, value).is_none() {
                differences.push(format!(
                    "{}: byte {at} is {value:#04x}: {} reads {:?} {said}, pzcomp {:?}",
                    self.name,
                    self.tool,
                    verdict.map(|plain| plain.len()),
                    ours.map(|plain| plain.len()),
                ));
            }
        }
        differences
    }
}

/// Why the verdict differs from that of the original.
fn reason(name: &str, at: usize, value: u8) -> Option<&'static str> {
    match (name, at) {
        ("zstd with a content size", 5) if value >> 3 > 20 => {
            Some("a window of more than 2 GiB, of which the short content needs little: it is read")
        }
        ("snappy", 10 | 65) if (0x80..0xff).contains(&value) => {
            Some("one wrong bit makes data a chunk that readers skip: it is refused if its checksum is right")
        }
        _ => None,
    }
}

fn plain() -> Vec<u8> {
    b"hello hello hello hello\n".repeat(20)
}

#[track_caller]
fn check(tables: &[Table]) {
    let differences: Vec<String> = tables.iter().flat_map(Table::differences).collect();
    assert!(differences.is_empty(), "{}\n{}", differences.len(), differences.join("\n"));
}

fn gzip_table(name: &'static str, flags: u8) -> Table {
    let mut bytes = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
    if flags & 4 != 0 {
        bytes.extend(b"\x06\0AB\x02\0xy");
    }
    if flags & 8 != 0 {
        bytes.extend(b"name\0");
    }
    if flags & 16 != 0 {
        bytes.extend(b"comment\0");
    }
    if flags & 2 != 0 {
        bytes.extend(&crc32(&bytes).to_le_bytes()[..2]);
    }
    let len = bytes.len();
    bytes.extend(&pipe("gzip -nc", &plain())[10..]);
    Table::new(name, "gzip -dc", &[Format::Gzip], bytes, 2..len).unknown(Unknown::IgnoreAsGzip).flags(&[3])
}

#[test]
fn gzip_and_zlib() {
    const PIGZ: [Format; 4] = [Format::Gzip, Format::Lzw, Format::Zip, Format::Zlib];
    let zlib = |changed| {
        Table::new("zlib", "pigz -dc", &PIGZ, pipe("pigz -zc", &plain()), changed).unknown(Unknown::Ignore)
    };
    check(&[
        gzip_table("gzip", 0),
        gzip_table("gzip with a name", 8),
        gzip_table("gzip with an extra field", 4),
        gzip_table("gzip with all fields", 4 | 8 | 16 | 2),
        zlib(0..2).flags(&[1]),
        zlib(0..1).flags(&[0]).mend(|bytes| {
            bytes[1] &= 0xe0;
            bytes[1] += (31 - u16::from_be_bytes([bytes[0], bytes[1]]) % 31) as u8 % 31;
        }),
    ]);
}

#[test]
fn bgzf() {
    // The size of a block that lies is of no account: the members are decoded as those of gzip.
    let bytes = pipe("bgzip -c", &plain());
    check(&[
        Table::new("gzip of bgzip", "gzip -dc", &[Format::Gzip], bytes, 2..18).unknown(Unknown::IgnoreAsGzip)
    ]);
}

fn zstd_table(name: &'static str, descriptor: u8, fields: &[u8]) -> Table {
    let plain = plain();
    let mut bytes = [&[0x28, 0xB5, 0x2F, 0xFD, descriptor], fields].concat();
    let len = bytes.len();
    bytes.extend(&((plain.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    bytes.extend(plain);
    Table::new(name, "zstd -dc", &[Format::Zstd], bytes, 4..len + 1).flags(&[4])
}

#[test]
fn zstd() {
    let len = plain().len() as u32;
    check(&[
        zstd_table("zstd with a window", 0, &[0x50]).flags(&[4, 5]),
        zstd_table("zstd in one segment", 0x60, &(len - 256).to_le_bytes()[..2]),
        zstd_table("zstd with a content size", 0x80, &[&[0x50], &len.to_le_bytes()[..]].concat())
            .flags(&[4, 5]),
        zstd_table("zstd with a dictionary of no id", 1, &[0x50, 0]),
    ]);
}

fn lz4_table(name: &'static str, flags: u8, fields: &[u8]) -> Table {
    let plain = plain();
    let mut bytes = [&[0x04, 0x22, 0x4D, 0x18, flags, 0x40], fields, &[0]].concat();
    let len = bytes.len();
    lz4_header_check(&mut bytes);
    bytes.extend((plain.len() as u32 | 1 << 31).to_le_bytes());
    bytes.extend(&plain);
    let sum = xxh32(&plain, 0).to_le_bytes();
    bytes.extend(if flags & 0x10 != 0 { &sum[..] } else { &[] });
    bytes.extend([0; 4]);
    bytes.extend(if flags & 4 != 0 { &sum[..] } else { &[] });
    Table::new(name, "lz4 -dc", &[Format::Lz4], bytes, 4..len - 1).flags(&[4, 5]).mend(lz4_header_check)
}

/// Makes the checksum of a header right, whose flags say how long it is.
fn lz4_header_check(bytes: &mut [u8]) {
    let end = 6 + 8 * usize::from(bytes[4] >> 3 & 1) + 4 * usize::from(bytes[4] & 1);
    if end < bytes.len() {
        bytes[end] = (xxh32(&bytes[4..end], 0) >> 8) as u8;
    }
}

#[test]
fn lz4() {
    let len = (plain().len() as u64).to_le_bytes();
    check(&[
        lz4_table("lz4 of independent blocks", 0x60, &[]),
        lz4_table("lz4 of linked blocks", 0x40, &[]),
        lz4_table("lz4 with checksums of blocks", 0x70, &[]),
        lz4_table("lz4 with a checksum", 0x64, &[]),
        lz4_table("lz4 with a content size", 0x68, &len),
        lz4_table("lz4 of linked blocks with a content size", 0x48, &len),
        lz4_table("lz4 with a content size of 0", 0x68, &[0; 8]),
        lz4_table("lz4 of linked blocks with a content size of 0", 0x48, &[0; 8]),
    ]);
}

#[test]
fn xz_and_lzma() {
    let xz = |name, command: &str, changed| {
        Table::new(name, "xz -dc", &[Format::Xz], pipe(command, &plain()), changed)
    };
    let stream = |bytes: &mut [u8]| {
        let crc = crc32(&bytes[6..8]).to_le_bytes();
        bytes[8..12].copy_from_slice(&crc);
    };
    let block = |bytes: &mut [u8]| {
        let end = 12 + (usize::from(bytes[12]) + 1) * 4 - 4;
        if end + 4 <= bytes.len() {
            let crc = crc32(&bytes[12..end]).to_le_bytes();
            bytes[end..end + 4].copy_from_slice(&crc);
        }
    };
    let footer = |bytes: &mut [u8]| {
        let at = bytes.len() - 12;
        let crc = crc32(&bytes[at + 4..at + 10]).to_le_bytes();
        bytes[at..at + 4].copy_from_slice(&crc);
    };
    let len = pipe("xz -c", &plain()).len();
    let alone = pipe("xz -c --format=lzma", &plain());
    let mut sized = alone.clone();
    sized[5..13].copy_from_slice(&(plain().len() as u64).to_le_bytes());
    let lzma = |name, bytes| Table::new(name, "xz -dc --format=lzma", &[Format::Lzma], bytes, 0..13);
    check(&[
        xz("the Stream Header of xz", "xz -c", 6..8).mend(stream),
        xz("the Stream Header of xz without a Check", "xz -c -Cnone", 6..8).mend(stream),
        xz("the Block Header of xz", "xz -c", 12..20).mend(block),
        xz("the Block Header of xz with lengths", "xz -T2 -c", 12..32).mend(block),
        xz("the Stream Footer of xz", "xz -c", len - 8..len).mend(footer),
        lzma("lzma", alone).flags(&[0]),
        lzma("lzma with a length", sized),
    ]);
}

#[test]
fn bzip2_and_lzip() {
    check(&[
        Table::new("bzip2", "bzip2 -dc", &[Format::Bzip2], pipe("bzip2 -c", &plain()), 2..18).flags(&[3]),
        Table::new("lzip", "lzip -dc", &[Format::Lzip], pipe("lzip -c", &plain()), 4..6).flags(&[4, 5]),
    ]);
}

/// What `framing_format.txt` of the snappy project says of a file: the plain data, or nothing if a reader must refuse
/// it.
fn specified_snappy(mut bytes: &[u8]) -> Option<Vec<u8>> {
    const IDENTIFIER: &[u8] = b"\xff\x06\0\0sNaPpY";
    let (mut plain, mut is_begun) = (Vec::new(), false);
    while let Some((&kind, rest)) = bytes.split_first() {
        let (len, rest) = rest.split_first_chunk::<3>()?;
        let (chunk, behind) =
            rest.split_at_checked(u32::from_le_bytes([len[0], len[1], len[2], 0]) as usize)?;
        match kind {
            0xff if bytes.starts_with(IDENTIFIER) && chunk.len() == 6 => is_begun = true,
            _ if !is_begun => return None,
            0 | 1 => {
                let (sum, data) = chunk.split_first_chunk::<4>()?;
                let data = if kind == 0 {
                    snap::raw::Decoder::new().decompress_vec(data).ok()?
                } else {
                    data.to_vec()
                };
                let found = crc32c::crc32c(&data).rotate_right(15).wrapping_add(0xa282_ead8);
                if data.len() > 65536 || found != u32::from_le_bytes(*sum) {
                    return None;
                }
                plain.extend(data);
            }
            0x80..0xff => {}
            _ => return None,
        }
        bytes = behind;
    }
    is_begun.then_some(plain)
}

#[test]
fn snappy() {
    // A coded chunk, a skippable one, a stored one, and a second identifier.
    let mut bytes = pzcomp::compress(&plain(), &pzcomp::Encode::snappy().build().unwrap()).unwrap();
    let coded = 10..18;
    let skippable = bytes.len()..bytes.len() + 7;
    bytes.extend(b"\x80\x03\0\0abc");
    let stored = bytes.len()..bytes.len() + 8;
    let sum = crc32c::crc32c(b"as it is").rotate_right(15).wrapping_add(0xa282_ead8);
    bytes.extend([&b"\x01\x0c\0\0"[..], &sum.to_le_bytes(), b"as it is"].concat());
    let again = bytes.len()..bytes.len() + 10;
    bytes.extend_from_within(..10);
    let table = |changed: Range<usize>, flags: &'static [usize]| {
        let table = Table::new("snappy", "the format", &[Format::Snappy], bytes.clone(), changed);
        Table { judge: Some(specified_snappy), ..table }.flags(flags)
    };
    check(&[
        table(0..10, &[0]),
        table(coded, &[10]),
        table(skippable, &[]),
        table(stored, &[]),
        table(again, &[]),
    ]);
}
