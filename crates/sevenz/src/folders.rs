//! Packed streams, the folders that unpack them, and the streams of plain data in the folders.
//!
//! A folder is a chain of coders. It has one stream of plain data, which is divided into streams: one for each file
//! that has data.

use crate::bytes::Bytes;
use crate::directory::id;
use crate::error::Error;
use crate::method::Method;

/// The most coders of a folder, and the most streams of a coder, as 7-Zip reads them.
const CODERS_MAX: u64 = 32;
const CODER_STREAMS_MAX: u64 = 32;

/// A coder of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coder {
    /// What it does.
    pub method: Method,
    /// What its decoder must know.
    pub properties: Vec<u8>,
}

/// A folder: packed data that is unpacked together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// The coders. Most folders have one.
    pub coders: Vec<Coder>,
    /// The offset of the packed data, from the end of the signature header.
    pub packed_offset: u64,
    /// The length of the packed data. If the folder has several packed streams, they follow each other.
    pub packed_len: u64,
    /// The number of packed streams.
    pub packed_streams: usize,
    /// The length of the plain data.
    pub plain_len: u64,
    /// The CRC-32 of the plain data, if it is stated.
    pub crc: Option<u32>,
    /// The plain data is divided into so many streams.
    pub streams: usize,
}

/// A stream of plain data in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Its length.
    pub plain_len: u64,
    /// Its CRC-32, if it is stated.
    pub crc: Option<u32>,
}

/// The packed streams: where the first begins, and their lengths.
#[derive(Default)]
struct PackedStreams {
    offset: u64,
    lens: Vec<u64>,
}

/// All folders and their streams, in the order of the archive.
#[derive(Default)]
pub(crate) struct Folders {
    pub(crate) folders: Vec<Folder>,
    pub(crate) streams: Vec<Stream>,
}

impl Folders {
    /// Parses the fields behind [`id::MAIN_STREAMS`] or [`id::PACKED_HEADER`].
    pub(crate) fn parse(bytes: &mut Bytes) -> Result<Self, Error> {
        let mut packed = PackedStreams::default();
        let mut all = Self::default();
        let mut field = bytes.number()?;
        if field == id::PACKED_STREAMS {
            packed = PackedStreams::parse(bytes)?;
            field = bytes.number()?;
        }
        if field == id::FOLDERS {
            all.folders = parse_folders(bytes)?;
            field = bytes.number()?;
        }
        packed.divide(&mut all.folders, bytes)?;
        if field == id::STREAMS {
            all.parse_streams(bytes)?;
            field = bytes.number()?;
        } else {
            bytes.pay::<Stream>(all.folders.len())?;
            all.streams = all.folders.iter().map(whole).collect();
        }
        if field != id::END {
            return Err(bytes.invalid("has an unknown field in the list of folders"));
        }
        Ok(all)
    }

    /// Parses how the plain data of each folder is divided.
    fn parse_streams(&mut self, bytes: &mut Bytes) -> Result<(), Error> {
        let mut field = bytes.number()?;
        if field == id::STREAM_COUNTS {
            for folder in &mut self.folders {
                // The last length of a folder is not stated, so a count may be one more than there is room for.
                let count = bytes.number()?;
                let most = bytes.left() as u64 + 1;
                folder.streams = count
                    .try_into()
                    .ok()
                    .filter(|_| count <= most)
                    .ok_or_else(|| bytes.invalid("states a number of streams that it has no room for"))?;
            }
            field = bytes.number()?;
        }
        let count: usize = self.folders.iter().map(|folder| folder.streams).fold(0, usize::saturating_add);
        bytes.pay::<Stream>(count)?;
        let states_lens = field == id::LENGTHS;
        for folder in &self.folders {
            let mut left = folder.plain_len;
            for _ in 1..folder.streams {
                if !states_lens {
                    return Err(bytes.invalid("does not state the lengths of the streams of a folder"));
                }
                let plain_len = bytes.number()?;
                let beyond = || bytes.invalid("states streams that are longer than their folder");
                left = left.checked_sub(plain_len).ok_or_else(beyond)?;
                self.streams.push(Stream { plain_len, crc: None });
            }
            match folder.streams {
                0 => {}
                1 => self.streams.push(whole(folder)),
                _ => self.streams.push(Stream { plain_len: left, crc: None }),
            }
        }
        if states_lens {
            field = bytes.number()?;
        }
        if field == id::CHECKS {
            // A folder that is one stream and has a CRC-32 is not listed again.
            let unknown = self.streams.iter().filter(|stream| stream.crc.is_none()).count();
            let mut checks = bytes.checks(unknown)?.into_iter();
            for stream in self.streams.iter_mut().filter(|stream| stream.crc.is_none()) {
                stream.crc = checks.next().flatten();
            }
            field = bytes.number()?;
        }
        if field != id::END {
            return Err(bytes.invalid("has an unknown field in the list of streams"));
        }
        Ok(())
    }
}

/// The stream that is all of a folder.
fn whole(folder: &Folder) -> Stream {
    Stream { plain_len: folder.plain_len, crc: folder.crc }
}

impl PackedStreams {
    fn parse(bytes: &mut Bytes) -> Result<Self, Error> {
        let offset = bytes.number()?;
        let count = bytes.count()?;
        bytes.pay::<u64>(count)?;
        let mut lens = Vec::with_capacity(count);
        loop {
            match bytes.number()? {
                id::END => break,
                id::LENGTHS if lens.is_empty() => {
                    for _ in 0..count {
                        lens.push(bytes.number()?);
                    }
                }
                // The plain data has a check of its own.
                id::CHECKS => drop(bytes.checks(count)?),
                _ => return Err(bytes.invalid("has an unknown field in the list of packed streams")),
            }
        }
        if lens.len() < count {
            return Err(bytes.invalid("does not state the lengths of the packed streams"));
        }
        Ok(Self { offset, lens })
    }

    /// Gives each folder its packed streams.
    fn divide(self, folders: &mut [Folder], bytes: &Bytes) -> Result<(), Error> {
        let (mut offset, mut lens) = (self.offset, self.lens.into_iter());
        for folder in folders {
            folder.packed_offset = offset;
            for _ in 0..folder.packed_streams {
                let len = lens.next().ok_or_else(|| bytes.invalid("lists too few packed streams"))?;
                let beyond = || bytes.invalid("lists packed streams that are too long");
                folder.packed_len = folder.packed_len.checked_add(len).ok_or_else(beyond)?;
                offset = offset.checked_add(len).ok_or_else(beyond)?;
            }
        }
        Ok(())
    }
}

/// Parses the folders with their lengths and checks.
fn parse_folders(bytes: &mut Bytes) -> Result<Vec<Folder>, Error> {
    if bytes.number()? != id::FOLDER {
        return Err(bytes.invalid("has no list of folders"));
    }
    let count = bytes.count()?;
    if bytes.byte()? != 0 {
        return Err(bytes.unsupported("keeps a list in another stream"));
    }
    bytes.pay::<(Folder, FolderEnd)>(count)?;
    let mut ends = Vec::with_capacity(count);
    let mut folders = Vec::with_capacity(count);
    for _ in 0..count {
        let (folder, end) = parse_folder(bytes)?;
        folders.push(folder);
        ends.push(end);
    }
    if bytes.number()? != id::FOLDER_LENGTHS {
        return Err(bytes.invalid("does not state the lengths of the folders"));
    }
    for (folder, end) in folders.iter_mut().zip(&ends) {
        for output in 0..end.outputs {
            let len = bytes.number()?;
            if output == end.last {
                folder.plain_len = len;
            }
        }
    }
    loop {
        match bytes.number()? {
            id::END => return Ok(folders),
            id::CHECKS => {
                let checks = bytes.checks(count)?;
                for (folder, crc) in folders.iter_mut().zip(checks) {
                    folder.crc = crc;
                }
            }
            _ => return Err(bytes.invalid("has an unknown field behind the folders")),
        }
    }
}

/// The outputs of all coders of a folder, and which of them is the plain data.
struct FolderEnd {
    outputs: u64,
    last: u64,
}

/// Parses a folder: its coders, and how they are connected.
fn parse_folder(bytes: &mut Bytes) -> Result<(Folder, FolderEnd), Error> {
    let count = bytes.number()?;
    if !(1..=CODERS_MAX).contains(&count) {
        return Err(bytes.invalid("has a folder of no coders or too many"));
    }
    bytes.pay::<Coder>(count as usize)?;
    let mut coders = Vec::with_capacity(count as usize);
    let (mut inputs, mut outputs) = (0, 0);
    for _ in 0..count {
        /// The parts of the first byte of a coder.
        const ID_LEN: u8 = 0x0f;
        const IS_COMPLEX: u8 = 0x10;
        const HAS_PROPERTIES: u8 = 0x20;
        const RESERVED: u8 = 0xc0;
        let flags = bytes.byte()?;
        if flags & RESERVED != 0 || flags & ID_LEN > 8 {
            return Err(bytes.unsupported("has a coder of an unknown form"));
        }
        let id = bytes.slice((flags & ID_LEN).into())?;
        let method = Method(id.iter().fold(0, |id, &byte| id << 8 | u64::from(byte)));
        let (mut ins, mut outs) = (1, 1);
        if flags & IS_COMPLEX != 0 {
            (ins, outs) = (bytes.number()?, bytes.number()?);
            if ins > CODER_STREAMS_MAX || outs != 1 {
                return Err(bytes.unsupported("has a coder with an unusual number of streams"));
            }
        }
        (inputs, outputs) = (inputs + ins, outputs + outs);
        let mut properties = Vec::new();
        if flags & HAS_PROPERTIES != 0 {
            let len = bytes.number()?;
            let slice = bytes.slice(len)?;
            bytes.pay::<u8>(slice.len())?;
            properties = slice.to_vec();
        }
        coders.push(Coder { method, properties });
    }
    // Each pair connects the output of a coder with the input of another.
    let pairs = outputs - 1;
    let mut is_bound = vec![false; outputs as usize];
    let packed_streams = inputs.checked_sub(pairs).filter(|&packed| packed > 0);
    let packed_streams =
        packed_streams.ok_or_else(|| bytes.invalid("has a folder without packed streams"))?;
    for _ in 0..pairs {
        let (input, output) = (bytes.number()?, bytes.number()?);
        let bound = usize::try_from(output).ok().and_then(|output| is_bound.get_mut(output));
        let bound = bound.filter(|bound| !**bound && input < inputs);
        *bound.ok_or_else(|| bytes.invalid("has a folder whose coders are wrongly connected"))? = true;
    }
    if packed_streams > 1 {
        for _ in 0..packed_streams {
            if bytes.number()? >= inputs {
                return Err(bytes.invalid("has a folder whose coders are wrongly connected"));
            }
        }
    }
    let last = is_bound.iter().position(|bound| !bound).unwrap_or(0) as u64;
    let folder = Folder { coders, packed_streams: packed_streams as usize, streams: 1, ..Folder::default() };
    Ok((folder, FolderEnd { outputs, last }))
}
