//! A writer of 7z archives for the tests: headers that say anything, and LZMA2 in stored chunks.
//!
//! 7z itself makes the archives that are right. The archives here have lengths and checks that 7z would not write.

use pzcomp_sevenz::crc32;

/// A folder of an archive.
#[derive(Clone)]
pub struct Folder {
    /// The identifier of its method, and the properties.
    pub method: Vec<u8>,
    pub properties: Vec<u8>,
    pub packed_len: u64,
    pub plain_len: u64,
}

impl Folder {
    pub fn copy(len: u64) -> Self {
        Self { method: vec![0], properties: Vec::new(), packed_len: len, plain_len: len }
    }

    /// A folder of LZMA2 with the dictionary that this number stands for.
    pub fn lzma2(packed_len: u64, plain_len: u64, dictionary: u8) -> Self {
        Self { method: vec![0x21], properties: vec![dictionary], packed_len, plain_len }
    }

    pub fn lzma(packed_len: u64, plain_len: u64, dictionary: u32) -> Self {
        let properties = [&[0x5d][..], &dictionary.to_le_bytes()].concat();
        Self { method: vec![3, 1, 1], properties, packed_len, plain_len }
    }
}

/// A number in its longest form.
pub fn number(value: u64) -> Vec<u8> {
    [&[0xff][..], &value.to_le_bytes()].concat()
}

/// A header with one file for each folder, named `f0`, `f1` and so on. A check is left out if there is none.
pub fn header(folders: &[Folder], checks: &[Option<u32>]) -> Vec<u8> {
    let count = number(folders.len() as u64);
    let mut bytes = streams(folders);
    bytes.splice(..0, [1, 4]);
    bytes.extend([8, 0x0a, 0]);
    let mut defined = vec![0; folders.len().div_ceil(8)];
    for at in (0..checks.len()).filter(|&at| checks[at].is_some()) {
        defined[at / 8] |= 0x80 >> (at % 8);
    }
    bytes.extend(defined);
    bytes.extend(checks.iter().flatten().flat_map(|crc| crc.to_le_bytes()));
    bytes.extend([0, 0, 5]);
    bytes.extend(count);
    let mut names = vec![0];
    for at in 0..folders.len() {
        names.extend(format!("f{at}\0").encode_utf16().flat_map(u16::to_le_bytes));
    }
    bytes.push(0x11);
    bytes.extend(number(names.len() as u64));
    bytes.extend(names);
    bytes.extend([0, 0]);
    bytes
}

/// A header that is packed in this folder.
pub fn packed_header(folder: Folder) -> Vec<u8> {
    [&[0x17][..], &streams(&[folder]), &[0]].concat()
}

/// The packed streams and the folders.
fn streams(folders: &[Folder]) -> Vec<u8> {
    let count = number(folders.len() as u64);
    let mut bytes = [&[6][..], &number(0), &count, &[9]].concat();
    bytes.extend(folders.iter().flat_map(|folder| number(folder.packed_len)));
    bytes.extend([&[0, 7, 0x0b][..], &count, &[0]].concat());
    for folder in folders {
        let has_properties = if folder.properties.is_empty() { 0 } else { 0x20 };
        bytes.extend([1, has_properties | folder.method.len() as u8]);
        bytes.extend(&folder.method);
        if has_properties != 0 {
            bytes.extend(number(folder.properties.len() as u64));
            bytes.extend(&folder.properties);
        }
    }
    bytes.push(0x0c);
    bytes.extend(folders.iter().flat_map(|folder| number(folder.plain_len)));
    bytes.push(0);
    bytes
}

/// An archive of packed data and a header.
pub fn archive(packed: &[u8], header: &[u8]) -> Vec<u8> {
    archive_stating(packed, header, packed.len() as u64, header.len() as u64)
}

/// The same, but with these claims about the place of the header.
pub fn archive_stating(packed: &[u8], header: &[u8], offset: u64, len: u64) -> Vec<u8> {
    let place = [&offset.to_le_bytes()[..], &len.to_le_bytes(), &crc32(header).to_le_bytes()].concat();
    let start = [&pzcomp_sevenz::SIGNATURE[..], &[0, 4], &crc32(&place).to_le_bytes(), &place].concat();
    [&start[..], packed, header].concat()
}

/// LZMA2 in stored chunks of this length, each of which resets the dictionary.
pub fn stored_lzma2(plain: &[u8], chunk_len: usize) -> Vec<u8> {
    let mut coded = Vec::new();
    for chunk in plain.chunks(chunk_len) {
        coded.push(1);
        coded.extend((chunk.len() as u16 - 1).to_be_bytes());
        coded.extend(chunk);
    }
    coded.push(0);
    coded
}
