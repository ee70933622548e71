//! A writer of qpress archives and of xbstreams. No tool that is packaged writes archives with several files or
//! folders.

#[path = "../../crates/quicklz/tests/common/mod.rs"]
pub mod packets;

use packets::{Mode, packet};

/// The Adler-32 of `bytes` (RFC 1950).
pub fn adler32(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}

/// An archive that is being written.
pub struct Archive {
    pub bytes: Vec<u8>,
    level: u8,
    chunk_len: usize,
}

impl Archive {
    /// An archive without files, whose blocks hold `chunk_len` bytes.
    pub fn new(level: u8, chunk_len: usize) -> Self {
        let bytes = [&b"qpress10"[..], &(chunk_len as u64).to_le_bytes()].concat();
        Self { bytes, level, chunk_len }
    }

    fn name(mut self, letter: u8, name: &str) -> Self {
        self.bytes.push(letter);
        self.bytes.extend((name.len() as u32).to_le_bytes());
        self.bytes.extend(name.bytes().chain([0]));
        self
    }

    /// Enters a folder.
    pub fn down(self, name: &str) -> Self {
        self.name(b'D', name)
    }

    /// Leaves a folder.
    pub fn up(mut self) -> Self {
        self.bytes.push(b'U');
        self
    }

    /// Adds a file. Every fourth block is stored.
    pub fn file(self, name: &str, plain: &[u8]) -> Self {
        let (level, chunk_len) = (self.level, self.chunk_len);
        let mut archive = self.name(b'F', name);
        for (at, chunk) in plain.chunks(chunk_len).enumerate() {
            let mode = if at % 4 == 3 { Mode::Stored } else { Mode::Compressed };
            archive.bytes.extend(block((at * chunk_len) as u64, &packet(chunk, level, mode)));
        }
        archive.bytes.extend(b"ENDSENDS\0\0\0\0\0\0\0\0");
        archive
    }
}

/// A block with this packet.
pub fn block(offset: u64, packet: &[u8]) -> Vec<u8> {
    [&b"NEWBNEWB"[..], &offset.to_le_bytes(), &adler32(packet).to_le_bytes(), packet].concat()
}

/// An archive of one file.
pub fn archive(plain: &[u8], level: u8, chunk_len: usize) -> Vec<u8> {
    Archive::new(level, chunk_len).file("file", plain).bytes
}

/// A chunk of an xbstream: a payload of a file at this offset.
pub fn chunk(path: &str, offset: usize, payload: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(payload);
    let mut chunk = begin(b'P', path);
    chunk.extend((payload.len() as u64).to_le_bytes());
    chunk.extend((offset as u64).to_le_bytes());
    chunk.extend(crc.sum().to_le_bytes());
    chunk.extend(payload);
    chunk
}

/// A chunk of an xbstream with holes: before each payload of the file, so many bytes are left out.
pub fn sparse(path: &str, offset: usize, entries: &[(usize, &[u8])]) -> Vec<u8> {
    let number = |number: usize| (number as u32).to_le_bytes();
    let map: Vec<u8> =
        entries.iter().flat_map(|(skip, bytes)| [number(*skip), number(bytes.len())].concat()).collect();
    let payload = entries.iter().map(|entry| entry.1).collect::<Vec<_>>().concat();
    let mut crc = flate2::Crc::new();
    crc.update(&map);
    crc.update(&payload);
    let (len, offset) = ((payload.len() as u64).to_le_bytes(), (offset as u64).to_le_bytes());
    let head = [&number(entries.len())[..], &len, &offset, &crc.sum().to_le_bytes()].concat();
    [begin(b'S', path), head, map, payload].concat()
}

/// The end of a file in an xbstream.
pub fn end(path: &str) -> Vec<u8> {
    begin(b'E', path)
}

fn begin(kind: u8, path: &str) -> Vec<u8> {
    let len = (path.len() as u32).to_le_bytes();
    [&b"XBSTCK01\0"[..], &[kind], &len, path.as_bytes()].concat()
}

/// An xbstream of these files, in chunks of `chunk_len` bytes, one of each file in turns.
pub fn xbstream(files: &[(&str, &[u8])], chunk_len: usize) -> Vec<u8> {
    let mut stream = Vec::new();
    let mut left: Vec<_> =
        files.iter().map(|(path, data)| (path, data.chunks(chunk_len).enumerate())).collect();
    while !left.is_empty() {
        left.retain_mut(|(path, chunks)| {
            match chunks.next() {
                Some((at, payload)) => stream.extend(chunk(path, at * chunk_len, payload)),
                None => {
                    stream.extend(end(path));
                    return false;
                }
            }
            true
        });
    }
    stream
}

/// The files in an xbstream, as a reader puts them together, with zeros for holes; nothing if the stream is not right.
pub fn files(mut stream: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut files: Vec<(String, Vec<u8>, bool)> = Vec::new();
    while !stream.is_empty() {
        let rest = stream.strip_prefix(b"XBSTCK01\0")?;
        let (&kind, rest) = rest.split_first()?;
        let (len, rest) = rest.split_first_chunk()?;
        let (path, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        let path = String::from_utf8(path.to_vec()).ok()?;
        let at = files.iter().position(|file| file.0 == path).unwrap_or_else(|| {
            files.push((path, Vec::new(), false));
            files.len() - 1
        });
        let file = &mut files[at];
        if file.2 {
            return None;
        }
        stream = rest;
        if kind == b'E' {
            file.2 = true;
            continue;
        }
        let (entries, rest) = match kind {
            b'S' => {
                rest.split_first_chunk().map(|(count, rest)| (u32::from_le_bytes(*count) as usize, rest))?
            }
            _ => (0, rest),
        };
        let (len, rest) = rest.split_first_chunk()?;
        let (offset, rest) = rest.split_first_chunk()?;
        let (crc, rest) = rest.split_first_chunk()?;
        let (map, rest) = rest.split_at_checked(entries.checked_mul(8)?)?;
        let (mut payload, rest) = rest.split_at_checked(u64::from_le_bytes(*len) as usize)?;
        let mut sum = flate2::Crc::new();
        sum.update(map);
        sum.update(payload);
        if u64::from_le_bytes(*offset) != file.1.len() as u64 || u32::from_le_bytes(*crc) != sum.sum() {
            return None;
        }
        for entry in map.chunks(8) {
            let number =
                |at| entry[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
            let part = payload.split_off(..number(4))?;
            file.1.resize(file.1.len() + number(0), 0);
            file.1.extend(part);
        }
        file.1.extend(payload);
        stream = rest;
    }
    files.iter().all(|file| file.2).then(|| files.into_iter().map(|(path, data, _)| (path, data)).collect())
}
