//! Streams of mydumper (`--stream`): [`decompress`] and [`recode`] code their members.
//!
//! ```text
//! newline  "-- "  name  space  size  newline  [ size bytes ]
//! ```
//!
//! The size stands in front of the bytes, and no member states the length of its plain data. So what is made of a
//! member waits in memory until it is whole (`Held`). A member in which no data is (`NO_STREAM` of mydumper) passes as
//! it is, as one that is not compressed. The last member of a stream is `metadata`, and another stream may follow.

use std::io::{self, Read, Write};
use std::time::Instant;

use super::members::{Bytes, Names, STEP, Sink, coded};
use super::recode::{CodedInput, recode as recode_member};
use crate::decompress::decompress_io;
use crate::error::{Error, Result, Size, hex};
use crate::format::Format;
use crate::options::{ArchiveEntry, Common, Decode, Encode, EntryChoice, SIDES};
use crate::printable::printable;
use crate::summary::Summary;
use crate::sweep::sweeping;
use engine::Taps;
use engine::io::{Input, Output, OutputStream};

/// The name of the format in errors.
const FORMAT: &str = "mydumper";

/// What a header begins with.
const MARK: &[u8] = b"\n-- ";

/// No header is longer: the mark, a name of a file, a space, a size and a newline.
const HEADER_MAX: usize = 4 + 255 + 1 + 19 + 1;

/// The suffixes of compressed members, which name their formats.
const COMPRESSED: [&str; 3] = [".zst", ".gz", ".lz4"];

/// The last member of a stream.
const LAST: &[u8] = b"metadata";

/// Without a limit, what waits for the end of its member has at most this much memory.
const HELD_MAX: u64 = 4 << 30;

/// Members of at most this length are coded in memory, which takes no thread.
const SHORT: u64 = 64 << 10;

/// So many members are listed.
const ENTRIES_MAX: usize = 1 << 16;

/// Reads a stream of mydumper, and writes one with plain members: those whose names end with `.zst`, `.gz` or `.lz4`
/// are decompressed and lose that suffix, and all others stay as they are. The plain data of a member is in memory
/// until its length is known: it may have half of the memory that the options allow, or 4 GiB. With [`Output::Nothing`]
/// all members are verified, and none is in memory.
///
/// In the summary, `plain_len` counts the bytes of the output, or of all plain data if there is none, `coded_len` those
/// of the input, and `frames` the members, which are listed in `entries`.
///
/// # Errors
/// [`Error::Member`] says which member is damaged. Errors of the stream itself name the format `mydumper`. After an
/// error the output ends inside a header, so that it is no whole stream.
///
/// ```
/// let stream = b"\n-- t.sql 2\n--\n-- metadata 0\n";
/// let mut plain = Vec::new();
/// let summary = pzcomp::mydumper::decompress(stream, &mut plain, &pzcomp::Decode::default())?;
/// assert_eq!((&plain[..], summary.frames), (&stream[..], 2));
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn decompress<'i, 'o>(
    input: impl Into<Input<'i>>,
    output: impl Into<Output<'o>>,
    options: &Decode,
) -> Result<Summary> {
    sweeping(input.into(), output.into(), options, |input, output, options| run(input, output, options, None))
}

/// Reads a stream of mydumper, and writes one whose compressed members are in the format of `to`, and have its suffix.
/// All else is as in [`decompress`]; what waits in memory is the coded data. The page cache and the progress are those
/// of `from`.
///
/// ```
/// use pzcomp::{Decode, Encode, mydumper};
///
/// let member = pzcomp::compress(b"three in the morning", &Encode::gzip(6).build()?)?;
/// let stream = [format!("\n-- t.sql.gz {}\n", member.len()).as_bytes(), &member].concat();
/// let mut recoded = Vec::new();
/// mydumper::recode(&stream, &mut recoded, &Decode::default(), &Encode::zstd(3).build()?)?;
/// assert!(recoded.starts_with(b"\n-- t.sql.zst "));
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn recode<'i, 'o>(
    input: impl Into<Input<'i>>,
    output: impl Into<Output<'o>>,
    from: &Decode,
    to: &Encode,
) -> Result<Summary> {
    sweeping(input.into(), output.into(), from, |input, output, from| run(input, output, from, Some(to)))
}

fn run(input: Input, output: Output, from: &Decode, to: Option<&Encode>) -> Result<Summary> {
    let (started, progress) = (Instant::now(), from.progress());
    let memory = to.and_then(|to| to.memory).into_iter().chain(from.memory).min();
    let held = memory.map(|memory| memory / 2);
    let keeps_nothing = matches!(output, Output::Nothing);
    let mut input = CodedInput::new(input);
    let mut stream = Stream {
        bytes: Bytes::new(&mut input, progress.clone()),
        output: Sink { stream: OutputStream::new(output, false), progress, room: from.max_output },
        names: Names::default(),
        before: None,
        from: Decode { memory: held, progress: None, entry: EntryChoice::First, ..from.clone() },
        to: to.map(|to| Encode { memory: held, progress: None, ..to.clone() }),
        memory,
        held: (!keeps_nothing).then_some(held.unwrap_or(HELD_MAX)),
        entries: Vec::new(),
        members: 0,
        plain_len: 0,
    };
    let mut result = stream.run();
    if result.is_err() {
        // Whoever reads the output must not take it for whole. This error is the one that is reported.
        let _ = stream.output.write(MARK);
    }
    let ended = stream.output.stream.finish();
    if result.is_ok() {
        result = ended.map_err(Error::from);
    }
    let Stream { output, entries, members, bytes, plain_len, .. } = stream;
    let coded_len = bytes.offset();
    result.map(|()| Summary {
        plain_len: if keeps_nothing { plain_len } else { output.stream.written() },
        coded_len,
        frames: members,
        entries,
        threads: from.workers(),
        wall: started.elapsed(),
        ..Summary::default()
    })
}

/// The header of a member.
struct Header {
    start: u64,
    name: Vec<u8>,
    size: u64,
}

impl Header {
    fn bytes(name: &[u8], size: u64) -> Vec<u8> {
        [MARK, name, format!(" {size}\n").as_bytes()].concat()
    }

    fn of_member(&self, error: Error) -> Error {
        error.of_member(printable(&self.name), self.start)
    }
}

/// A stream that is read member by member.
struct Stream<'i, 'a> {
    bytes: Bytes<'i, 'a>,
    output: Sink<'a>,
    names: Names,
    /// The member before.
    before: Option<Header>,
    from: Decode,
    to: Option<Encode>,
    /// The memory of all together, of which what waits has half.
    memory: Option<u64>,
    /// The most memory for what waits, if it does not go to nowhere.
    held: Option<u64>,
    entries: Vec<ArchiveEntry>,
    members: u64,
    /// The plain data of all members.
    plain_len: u64,
}

impl Stream<'_, '_> {
    fn run(&mut self) -> Result<()> {
        while let Some(header) = self.header()? {
            let made = match coded(&header.name, &COMPRESSED) {
                Some(_) if header.size == 0 => None,
                made => made,
            };
            self.names.add(made.map_or(&header.name[..], |(plain, _)| plain), FORMAT, header.start)?;
            let plain_len = match made {
                Some((plain, format)) => {
                    self.member(&header, plain, format).map_err(|error| header.of_member(error))?
                }
                None => self.pass(&header).map_err(|error| header.of_member(error))?,
            };
            if header.name == LAST {
                self.names.forget();
            }
            if self.entries.len() < ENTRIES_MAX {
                let (name, coded_len) = (printable(&header.name), header.size);
                self.entries.push(ArchiveEntry { name, coded_len, plain_len, is_chosen: true });
            }
            (self.members, self.plain_len) = (self.members + 1, self.plain_len.saturating_add(plain_len));
            self.before = Some(header);
        }
        if self.members == 0 { Err(Error::Empty) } else { Ok(()) }
    }

    /// Reads the next header. `None` at the end of the stream.
    fn header(&mut self) -> Result<Option<Header>> {
        let (start, mut line) = (self.bytes.offset(), Vec::new());
        loop {
            let Some(&byte) = self.bytes.take(1)?.first() else {
                let offset = self.bytes.offset();
                let cut = Error::Truncated { format: FORMAT, frame: start, offset };
                return if line.is_empty() { Ok(None) } else { Err(cut) };
            };
            line.push(byte);
            if line.len() <= MARK.len() {
                if !MARK.starts_with(&line) {
                    return Err(self.no_header(start, &line));
                }
            } else if byte == b'\n' {
                break;
            } else if line.len() == HEADER_MAX {
                let what = format!("the header there is longer than {HEADER_MAX} bytes");
                return Err(Error::corrupt(FORMAT, start, what));
            }
        }
        let line = &line[MARK.len()..line.len() - 1];
        let (name, size) = match line.iter().position(|&byte| byte == b' ') {
            Some(at) => (&line[..at], Some(&line[at + 1..])),
            None => (line, None),
        };
        let shown = printable(name);
        let is_name = !name.is_empty()
            && name != b"."
            && name != b".."
            && !name.iter().any(|&byte| byte == b'/' || byte.is_ascii_control());
        if !is_name {
            let what =
                format!("the header there names a member '{shown}', which is no name of a file in a folder");
            return Err(Error::corrupt(FORMAT, start, what));
        }
        let Some(size) = size else {
            let what = format!(
                "the header of '{shown}' there states no size; old versions of mydumper write such streams, which \
                 only their myloader reads"
            );
            return Err(Error::unsupported(FORMAT, start, what));
        };
        let is_number = !size.is_empty() && size.iter().all(u8::is_ascii_digit);
        let number =
            str::from_utf8(size).ok().filter(|_| is_number).and_then(|size| size.parse::<i64>().ok());
        let Some(size) = number.and_then(|number| u64::try_from(number).ok()) else {
            let size = printable(size);
            let what =
                format!("the header of '{shown}' there states the size '{size}', expected less than 2^63");
            return Err(Error::corrupt(FORMAT, start, what));
        };
        Ok(Some(Header { start, name: name.to_vec(), size }))
    }

    /// The error of bytes that begin no header.
    fn no_header(&mut self, start: u64, line: &[u8]) -> Error {
        let mut found = line.to_vec();
        if let Ok(more) = self.bytes.take((2 * MARK.len() - line.len()) as u64) {
            found.extend(more);
        }
        let found = hex(&found);
        match &self.before {
            None => {
                let what = format!("the input is no stream of mydumper: it begins with {found}");
                Error::unsupported(FORMAT, start, what)
            }
            Some(before) => {
                let size = before.size;
                let what =
                    format!("no header is behind the {size} bytes that it states as its size, but {found}");
                before.of_member(Error::corrupt(FORMAT, start, what))
            }
        }
    }

    /// Passes a member on as it is. Returns its length.
    fn pass(&mut self, header: &Header) -> Result<u64> {
        self.output.write(&Header::bytes(&header.name, header.size))?;
        let mut left = header.size;
        while left > 0 {
            let bytes = self.bytes.take(left.min(STEP as u64))?;
            if bytes.is_empty() {
                return Err(cut(header, self.bytes.offset()));
            }
            left -= bytes.len() as u64;
            self.output.write(bytes)?;
        }
        Ok(header.size)
    }

    /// Codes a compressed member. Returns the length of its plain data.
    fn member(&mut self, header: &Header, plain: &[u8], format: Format) -> Result<u64> {
        let max_output = self.output.room;
        let from = Decode { accept: Some(vec![format]), max_output, ..self.from.clone() };
        let mut part = Part { bytes: &mut self.bytes, left: header.size, failure: None };
        let mut held = Held { pieces: Vec::new(), len: 0, most: self.held.unwrap_or(0), is_over: false };
        let mut short = Vec::new();
        let input = match header.size <= SHORT {
            true => {
                // An error is found below.
                let _ = part.read_to_end(&mut short);
                Input::Memory(&short)
            }
            false => Input::reader(&mut part),
        };
        let output = if self.held.is_some() { Output::writer(&mut held) } else { Output::Nothing };
        let done = match &self.to {
            None => decompress_io(input, output, &from),
            Some(to) => recode_member(input, output, (&from, to), Taps::default(), false)
                .map(|recoded| Summary { plain_len: recoded.read.plain_len, ..recoded.written }),
        };
        let done = done.map_err(|error| error.of_share(SIDES, self.memory));
        let Part { left, failure, .. } = part;
        if let Some(error) = failure {
            return Err(error);
        }
        if held.is_over {
            let what = format!(
                "what is made of it takes more than {}, which it may have in memory until its length is known",
                Size(held.most)
            );
            return Err(Error::unsupported(FORMAT, header.start, what));
        }
        if left > 0 && self.bytes.at_hand()?.is_empty() {
            return Err(cut(header, self.bytes.offset()));
        }
        let plain_len = done?.plain_len;
        if left > 0 {
            let what = format!("{left} bytes follow its compressed data");
            return Err(Error::corrupt(FORMAT, header.start, what));
        }
        if let Some(room) = &mut self.output.room {
            *room = room.saturating_sub(plain_len);
        }
        if self.held.is_some() {
            let suffix = self.to.as_ref().map_or("", |to| to.format.suffix());
            let name = [plain, suffix.as_bytes()].concat();
            self.output.write(&Header::bytes(&name, held.len))?;
            held.pieces.iter().try_for_each(|piece| self.output.write(piece))?;
        }
        Ok(plain_len)
    }
}

/// The error of a member that is not all there.
fn cut(header: &Header, offset: u64) -> Error {
    Error::Truncated { format: FORMAT, frame: header.start, offset }
}

/// The bytes of a member.
struct Part<'s, 'i, 'a> {
    bytes: &'s mut Bytes<'i, 'a>,
    left: u64,
    /// The error of the input.
    failure: Option<Error>,
}

impl Read for Part<'_, '_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.left.min(buffer.len() as u64);
        match self.bytes.take(most) {
            Ok(bytes) => {
                buffer[..bytes.len()].copy_from_slice(bytes);
                self.left -= bytes.len() as u64;
                Ok(bytes.len())
            }
            Err(error) => {
                self.failure = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    }
}

/// What is made of a member, until it is whole.
struct Held {
    /// All of one length, so that no byte is moved.
    pieces: Vec<Vec<u8>>,
    len: u64,
    most: u64,
    is_over: bool,
}

impl Write for Held {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pieces.last().is_none_or(|last| last.len() == STEP) {
            if (self.pieces.len() as u64).saturating_mul(STEP as u64) >= self.most {
                self.is_over = true;
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            let mut piece = Vec::new();
            piece.try_reserve_exact(STEP).map_err(|_| io::ErrorKind::OutOfMemory)?;
            self.pieces.push(piece);
        }
        let Some(last) = self.pieces.last_mut() else { return Ok(0) };
        let len = bytes.len().min(STEP - last.len());
        last.extend_from_slice(&bytes[..len]);
        self.len += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
