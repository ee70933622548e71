//! [`decompress`] decompresses the members of an xbstream in passing.
//!
//! xbstream is the format in which xtrabackup and mariadb-backup stream a backup: chunks of many files, in turns. A
//! chunk comes in (`chunk.rs`). If its file is compressed, the payload goes to the decompression of that file
//! (`member.rs`), and what comes out there is written as chunks of the plain file, with the holes of page-compressed
//! tables (`holes.rs`). All other chunks are passed on as they are, after their checksum was compared. A [`Follower`]
//! says whether an xbstream that passes is whole.
//!
//! The decompressions share the threads of one crew, and the memory limit. The thread of the caller stands between
//! input, decompressions and output. Before it turns to another file, it takes all output of the current one. So the
//! output depends on the input only. One decompression at a time decodes; the others keep the windows and blocks of
//! frames that have not ended.

mod chunk;
mod follower;
mod holes;
mod member;

use std::collections::BTreeMap;
use std::time::Instant;

use self::chunk::{ChunkHeader, ChunkReader, FORMAT, Kind, MAGIC};
pub use self::follower::Follower;
use self::member::Member;
use super::Pool;
use super::members::{Names, STEP, Sink, coded};
use super::recode::CodedInput;
use crate::error::{Damage, Error, Result, Size};
use crate::format::crc32;
use crate::options::{ArchiveEntry, Decode, EntryChoice};
use crate::printable::printable;
use crate::summary::Summary;
use crate::sweep::sweeping;
use engine::io::{Input, Output, OutputStream};

/// The suffixes of compressed members, which name their formats. A name ends with one of them only if it is longer.
const COMPRESSED: [&str; 3] = [".qp", ".zst", ".lz4"];

/// No more compressed members can be open at the same time, because each takes a thread and memory. A backup has one
/// for each of its threads.
const OPEN_MAX: usize = 256;

/// No more members of any kind can be open.
const NAMES_MAX: usize = 1 << 10;

/// So many members are named in the summary.
const LISTED_MAX: usize = 1 << 16;

/// Reads an xbstream, and writes an xbstream of plain files: members whose names end with `.qp`, `.zst` or `.lz4` are
/// decompressed and lose that suffix, and all others stay as they are. The members may be interleaved. The number of
/// threads makes no difference to the output.
///
/// In the summary, `plain_len` counts the bytes of the output, `coded_len` those of the input, and `frames` the
/// members. `entries` has the name of each member in the input, and the sizes of its file there and in the output.
///
/// # Errors
/// [`Error::Member`] says which member is damaged. Errors of the chunks themselves name the format `xbstream`. After an
/// error the output ends inside a chunk, so that its reader fails too.
///
/// ```
/// // A member without data: a chunk of the kind E ends it.
/// let stream = b"XBSTCK01\0E\x05\0\0\0empty";
/// let mut plain = Vec::new();
/// let output = pzcomp::Output::Writer(Box::new(&mut plain));
/// pzcomp::xbstream::decompress(pzcomp::Input::Memory(stream), output, &pzcomp::Decode::default())?;
/// assert_eq!(plain, stream);
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn decompress<'i, 'o>(
    input: impl Into<Input<'i>>,
    output: impl Into<Output<'o>>,
    options: &Decode,
) -> Result<Summary> {
    sweeping(input.into(), output.into(), options, run)
}

fn run(input: Input, output: Output, options: &Decode) -> Result<Summary> {
    let started = Instant::now();
    let pool = Pool::of(options);
    let progress = options.progress.clone().unwrap_or_default();
    let member_options = Decode { progress: None, entry: EntryChoice::First, ..options.clone() };
    let mut coded = CodedInput::new(input);
    let mut stream = Demultiplexer {
        reader: ChunkReader::new(&mut coded, progress.clone()),
        output: Sink { stream: OutputStream::new(output, false), progress, room: options.max_output },
        open: BTreeMap::new(),
        names: Names::default(),
        current: None,
        waiting: 0,
        pool,
        options: member_options,
        members: 0,
        entries: Vec::new(),
    };
    let result = stream.run();
    let (written, members, threads) = (stream.output.stream.written(), stream.members, stream.pool.threads());
    let ended = match &result {
        Ok(()) => stream.output.stream.finish(),
        Err(Error::Write { .. }) => Ok(()),
        Err(_) => {
            // The reader of the output must not take it for complete. This error is the one that is reported.
            let _ = stream.output.stream.write_all(&MAGIC);
            let _ = stream.output.stream.finish();
            Ok(())
        }
    };
    let entries = std::mem::take(&mut stream.entries);
    drop(stream);
    result.and(Ok(ended?))?;
    Ok(Summary {
        plain_len: written,
        coded_len: coded.offset(),
        frames: members,
        entries,
        check: Some("CRC32"),
        threads,
        wall: started.elapsed(),
        ..Summary::default()
    })
}

/// Without a limit, the members that wait for their next chunk have at most this much memory.
const WAITING_MEMORY: u64 = 4 << 30;

/// So many members keep their buffers while they wait, if there is no limit.
const BUFFERED: usize = 8;

/// A file of which a chunk has come, and not yet its end.
enum Open {
    Plain {
        /// Where its first chunk begins.
        start: u64,
        /// How much of the file has come.
        len: u64,
    },
    Compressed {
        member: Box<Member>,
        /// The most memory that it has while it waits for its next chunk.
        memory: u64,
    },
}

/// Takes the stream apart, and puts it together again.
struct Demultiplexer<'i, 'a> {
    reader: ChunkReader<'i, 'a>,
    output: Sink<'a>,
    open: BTreeMap<Vec<u8>, Open>,
    names: Names,
    /// The compressed member that may still have output.
    current: Option<Vec<u8>>,
    /// The most memory of the members that wait for their next chunk.
    waiting: u64,
    pool: Pool,
    options: Decode,
    members: u64,
    /// The first members that have ended.
    entries: Vec<ArchiveEntry>,
}

impl Demultiplexer<'_, '_> {
    fn run(&mut self) -> Result<()> {
        let mut is_empty = true;
        while let Some(header) = self.reader.header()? {
            is_empty = false;
            self.chunk(header)?;
        }
        if is_empty {
            return Err(Error::Empty);
        }
        let end = self.reader.offset();
        let first = self.open.iter().map(|(path, open)| (open.start(), path)).min();
        if let Some((start, path)) = first {
            let error = Error::Truncated { format: FORMAT, frame: start, offset: end };
            return Err(error.of_member(printable(path), start));
        }
        Ok(())
    }

    /// Handles one chunk, whose header has been read.
    fn chunk(&mut self, header: ChunkHeader) -> Result<()> {
        if self.current.as_ref().is_some_and(|current| *current != header.path) {
            self.settle()?;
        }
        if !self.open.contains_key(&header.path) {
            self.begin(&header)?;
        }
        let is_compressed = matches!(self.open.get(&header.path), Some(Open::Compressed { .. }));
        match header.kind {
            Kind::End => {
                self.members += 1;
                let (coded_len, plain_len) = match self.open.remove(&header.path) {
                    Some(Open::Compressed { mut member, memory }) => {
                        self.current = None;
                        self.waiting = self.waiting.saturating_sub(memory);
                        let lens = member.finish(&mut self.output);
                        lens.map_err(|error| error.of_member(header.name(), member.start()))?
                    }
                    Some(Open::Plain { len, .. }) => {
                        self.output.write(&header.bytes)?;
                        (len, len)
                    }
                    None => return Err(Error::Internal("a member was lost".into())),
                };
                if self.entries.len() < LISTED_MAX {
                    let name = header.name();
                    self.entries.push(ArchiveEntry { name, coded_len, plain_len, is_chosen: true });
                }
                Ok(())
            }
            Kind::Payload if is_compressed => {
                let is_new_turn = self.current.is_none();
                let Some(Open::Compressed { member, memory }) = self.open.get_mut(&header.path) else {
                    return Err(Error::Internal("a member was lost".into()));
                };
                let mut result = Ok(());
                if is_new_turn {
                    self.waiting = self.waiting.saturating_sub(std::mem::take(memory));
                    if self.options.memory.is_some() {
                        result = member.share_with(self.waiting);
                    }
                }
                let result = result.and_then(|()| member.feed(&header, &mut self.reader, &mut self.output));
                let start = member.start();
                self.current = Some(header.path.clone());
                result.map_err(|error| error.of_member(header.name(), start))
            }
            Kind::Sparse if is_compressed => {
                let what = "the chunk there has holes, which no compressed data has";
                Err(Error::corrupt(FORMAT, header.start, what).of_member(header.name(), header.start))
            }
            Kind::Payload | Kind::Sparse => {
                if let Some(Open::Plain { len, .. }) = self.open.get_mut(&header.path) {
                    header.follows(*len)?;
                    *len = len.saturating_add(header.len).saturating_add(header.skipped);
                }
                self.pass(&header)
            }
            Kind::Ignorable => self.pass(&header),
        }
    }

    /// Takes all output that the current member has so far.
    fn settle(&mut self) -> Result<()> {
        let Some(path) = self.current.take() else { return Ok(()) };
        let is_tight = self.options.memory.is_some() || self.open.len() > BUFFERED;
        let Some(Open::Compressed { member, memory }) = self.open.get_mut(&path) else { return Ok(()) };
        let start = member.start();
        let settled = member.settle(&mut self.output);
        if is_tight {
            *memory = member.rest();
            self.waiting = self.waiting.saturating_add(*memory);
        }
        let result = settled.and_then(|()| match self.waiting > WAITING_MEMORY {
            true if self.options.memory.is_none() => {
                let (needed, limit) = (Size(self.waiting), Size(WAITING_MEMORY));
                let what = "decompression of so many streams at the same time".into();
                Err(Error::Memory { what, needed, limit })
            }
            _ => Ok(()),
        });
        result.map_err(|error| error.of_member(printable(&path), start))
    }

    /// Notes a file whose first chunk has come.
    fn begin(&mut self, header: &ChunkHeader) -> Result<()> {
        let start = header.start;
        let path = &header.path;
        let too_many = |what: &str| {
            Error::unsupported(
                FORMAT,
                start,
                format!("more than {what} begin there before the others have ended"),
            )
        };
        if self.open.len() == NAMES_MAX {
            return Err(too_many("1024 files"));
        }
        let suffix = coded(path, &COMPRESSED);
        self.names.add(suffix.map_or(&path[..], |(plain, _)| plain), FORMAT, start)?;
        let open = match suffix {
            None => Open::Plain { start, len: 0 },
            Some((plain, format)) => {
                let compressed = self.open.values().filter(|open| matches!(open, Open::Compressed { .. }));
                if compressed.count() == OPEN_MAX {
                    return Err(too_many("256 compressed files"));
                }
                let options = Decode { accept: Some(vec![format]), ..self.options.clone() };
                let member = Member::new(plain.to_vec(), start, &options, &self.pool);
                let member = member.map_err(|error| error.of_member(printable(path), start))?;
                Open::Compressed { member: Box::new(member), memory: 0 }
            }
        };
        self.open.insert(path.clone(), open);
        Ok(())
    }

    /// Passes a chunk on as it is. Its checksum is compared at its end; the reader of the output compares it too.
    fn pass(&mut self, header: &ChunkHeader) -> Result<()> {
        self.output.write(&header.bytes)?;
        let (mut left, mut crc) = (header.len, header.map_crc);
        while left > 0 {
            let bytes = self.reader.payload(left.min(STEP as u64), header)?;
            crc = crc32(crc, bytes);
            left -= bytes.len() as u64;
            self.output.write(bytes)?;
        }
        header.verify(crc)
    }
}

impl Open {
    fn start(&self) -> u64 {
        match self {
            Self::Plain { start, .. } => *start,
            Self::Compressed { member, .. } => member.start(),
        }
    }
}

impl ChunkHeader {
    /// It is an error if the payload does not belong behind so many bytes of its file.
    fn follows(&self, len: u64) -> Result<()> {
        if self.offset == len {
            return Ok(());
        }
        let what = format!(
            "the chunk of '{}' that begins there has the offset {} in its file, expected {len}: chunks are missing or in \
             another order",
            self.name(),
            self.offset
        );
        Err(Error::corrupt(FORMAT, self.start, what))
    }

    /// It is an error if the payload has another checksum than the header states.
    fn verify(&self, crc: u32) -> Result<()> {
        if crc == self.crc {
            return Ok(());
        }
        let what = format!(
            "the chunk of '{}' that begins there has the CRC-32 {crc:08x}, expected {:08x}",
            self.name(),
            self.crc
        );
        Err(Error::corrupt(FORMAT, self.start, what).by(Damage::Check))
    }
}
