//! [`Parser`]: the members of an archive, from bytes that come in pieces.
//!
//! ```text
//!            ┌──────────────◀─────────────┐
//! Header ────┼─▶ Name, Pax ─▶ Fill ───────┤   headers in front of the one of a member
//!    │       └─▶ More ─▶ Member ─▶ Map ─▶ Data ─▶ Fill
//!    └─▶ zeros ─▶ Header of an archive behind this one, or Over
//! ```
//!
//! This file takes the bytes and reports. `blocks.rs` takes the headers of members and the blocks of maps.
//!
//! A header without zeros before it must be right. Behind zeros the archive is complete, so what follows them is
//! another archive if it begins with a right header, and otherwise nothing that matters.

mod blocks;

use crate::header::text;
use crate::member::Member;
use crate::pax::{Attributes, Records};
use crate::sparse::{MapText, SparseMap};
use crate::{BLOCK_LEN, Error};

const BLOCK: u64 = BLOCK_LEN as u64;

/// What the parser has found.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A member begins. Its data follows.
    Member(Box<Member>),
    /// The next bytes of its file.
    Data(&'a [u8]),
    /// So many zeros are the next bytes of its file, which are not stored.
    Hole(u64),
    /// Its file is complete.
    End,
}

/// Parses an archive.
#[derive(Debug)]
pub struct Parser {
    /// Offset of the next byte.
    offset: u64,
    state: State,
    block: [u8; BLOCK_LEN],
    /// How much of the block has come.
    filled: usize,
    /// What is said in front of the header of the next member.
    front: Front,
    /// What global headers say.
    global: Attributes,
    /// The member that is being passed.
    member: Option<Box<Member>>,
    map: SparseMap,
    map_in_data: bool,
    /// How many blocks of zeros there were behind the last member.
    zeros: u64,
    /// Whether another archive has begun behind the end of one.
    resumed: bool,
    /// Whether an archive has begun.
    begun: bool,
    failed: Option<Error>,
    /// What the headers of the last member have that is not valid, and was passed over.
    doubt: Option<&'static str>,
}

/// What is said in front of the header of a member.
#[derive(Debug, Default)]
struct Front {
    /// Offset of the first header.
    start: Option<u64>,
    /// Whether a header belongs to the next member alone.
    is_owned: bool,
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    pax: Attributes,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Header,
    /// A long name of GNU tar, or the target of a link.
    Name { is_link: bool, bytes: Vec<u8>, left: u64, fill: u64 },
    /// A pax header, which begins at this offset.
    Pax { start: u64, is_global: bool, records: Box<Records>, left: u64, fill: u64 },
    /// More blocks of the map of a sparse member of GNU tar.
    More,
    /// The member is to be reported.
    Ready,
    /// The map at the start of the data.
    Map { text: Box<MapText>, left: u64 },
    /// The data: what is left of the block of the map before it, the number of the part of the map, how much of the
    /// part is passed, and the place in the file.
    Data { lead: u64, part: usize, passed: u64, at: u64 },
    /// Bytes that are passed over.
    Fill(u64),
    /// Nothing that follows matters.
    Over,
}

/// What comes behind a step.
enum Next<'a> {
    /// Another step, perhaps without more bytes.
    Go,
    /// More bytes are needed.
    Wait,
    Report(Event<'a>),
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// At the start of an archive.
    pub fn new() -> Self {
        Self::at(0)
    }

    /// At a header inside an archive.
    pub fn at(offset: u64) -> Self {
        Self {
            offset,
            state: State::Header,
            block: [0; BLOCK_LEN],
            filled: 0,
            front: Front::default(),
            global: Attributes::default(),
            member: None,
            map: SparseMap::default(),
            map_in_data: false,
            zeros: 0,
            resumed: false,
            begun: false,
            failed: None,
            doubt: None,
        }
    }

    /// Offset of the next byte that it takes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Offset of the first byte of headers that have come and belong to no member that was reported.
    pub fn pending(&self) -> u64 {
        let ready = self.member.as_ref().filter(|_| matches!(self.state, State::Ready | State::More));
        match (ready, self.front.start) {
            (Some(member), _) => member.header,
            (None, Some(start)) => start,
            (None, None) => self.offset - self.filled as u64,
        }
    }

    /// Whether the archive may end here: behind a member, or behind zeros.
    pub fn is_complete(&self) -> bool {
        let is_between = matches!(self.state, State::Header) && !self.front.is_owned;
        let is_behind = is_between && (self.zeros > 0 || self.begun && self.filled == 0);
        self.failed.is_none() && (is_behind || self.is_over())
    }

    /// Whether two blocks of zeros have come behind the last member, which every writer puts there. An archive that was
    /// cut off between two members lacks them.
    pub fn has_end(&self) -> bool {
        self.is_complete() && self.zeros >= 2
    }

    /// Whether anything but zeros stands behind the end of an archive: another archive, or what is none.
    pub fn has_more(&self) -> bool {
        let rest = &self.block[..self.filled];
        self.is_over() || self.resumed || self.has_end() && rest.iter().any(|&byte| byte != 0)
    }

    /// Whether a header has come. An archive without members has none.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether nothing that follows matters: it stands behind the end of the archive, and is none.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// Passes over the rest of the data of a member, which is not reported then.
    pub fn skip_data(&mut self) {
        if let Some(member) =
            self.member.take_if(|_| matches!(self.state, State::Data { .. } | State::Map { .. }))
        {
            self.fill(member.end - self.offset);
        }
    }

    /// What the headers of the last member have that is not valid and harms no data: rights, an owner or a time. They
    /// count as not stated. It is told once.
    pub fn doubt(&mut self) -> Option<&'static str> {
        self.doubt.take()
    }

    /// How many of the next bytes need not be seen. Before a member is passed over, its data must be seen.
    pub fn skippable(&self) -> u64 {
        match self.state {
            State::Fill(left) => left,
            State::Over => i64::MAX as u64 - self.offset,
            _ => 0,
        }
    }

    /// Passes so many bytes, at most [`Self::skippable`], without seeing them.
    pub fn skip(&mut self, len: u64) {
        match &mut self.state {
            State::Fill(left) => {
                let len = len.min(*left);
                *left -= len;
                self.offset += len;
                if *left == 0 {
                    self.state = State::Header;
                }
            }
            State::Over => self.offset = self.offset.saturating_add(len),
            _ => debug_assert_eq!(len, 0),
        }
    }

    /// Takes some of the next bytes. Returns how many, and what was found. If nothing was found, all bytes are taken.
    /// After an error it gives the same error again.
    pub fn feed<'a>(&mut self, bytes: &'a [u8]) -> Result<(usize, Option<Event<'a>>), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut read = 0;
        loop {
            let (taken, next) = self.step(&bytes[read..]).inspect_err(|error| self.failed = Some(*error))?;
            read += taken;
            self.offset += taken as u64;
            match next {
                Next::Report(event) => return Ok((read, Some(event))),
                Next::Wait if read == bytes.len() => return Ok((read, None)),
                _ => {}
            }
        }
    }

    /// Takes some of the bytes, and returns how many. They are not counted yet.
    fn step<'a>(&mut self, bytes: &'a [u8]) -> Result<(usize, Next<'a>), Error> {
        let offset = self.offset;
        let wrong = |what| Error { offset, what };
        match &mut self.state {
            State::Header | State::More => self.take_block(bytes),
            State::Name { left: 0, .. } | State::Pax { left: 0, .. } => {
                self.end_front()?;
                Ok((0, Next::Go))
            }
            State::Name { bytes: name, left, .. } => {
                let here = len_of(*left, bytes);
                name.extend_from_slice(&bytes[..here]);
                *left -= here as u64;
                Ok((here, if *left == 0 { Next::Go } else { Next::Wait }))
            }
            State::Pax { start, is_global, records, left, .. } => {
                let start = *start;
                let here = len_of(*left, bytes);
                let to = if *is_global { &mut self.global } else { &mut self.front.pax };
                records.feed(&bytes[..here], to).map_err(|what| Error { offset: start, what })?;
                *left -= here as u64;
                Ok((here, if *left == 0 { Next::Go } else { Next::Wait }))
            }
            State::Ready => {
                let Some(member) = self.member.clone() else {
                    self.state = State::Header;
                    return Ok((0, Next::Go));
                };
                self.state = match self.map_in_data {
                    true => State::Map { text: Box::default(), left: member.end - member.data },
                    false => State::Data { lead: 0, part: 0, passed: 0, at: 0 },
                };
                Ok((0, Next::Report(Event::Member(member))))
            }
            State::Map { left: 0, .. } => Err(wrong("the map of a sparse member is longer than the member")),
            State::Map { text, left } => {
                let here = len_of(*left, bytes);
                *left -= here as u64;
                for (before, &byte) in bytes[..here].iter().enumerate() {
                    let wrong = |what| Error { offset: offset + before as u64, what };
                    if text.take(byte).map_err(wrong)? {
                        self.begin_data(offset + before as u64 + 1)?;
                        return Ok((before + 1, Next::Go));
                    }
                }
                Ok((here, if *left == 0 { Next::Go } else { Next::Wait }))
            }
            State::Data { .. } => Ok(self.take_data(bytes)),
            State::Fill(left) => {
                let here = len_of(*left, bytes);
                *left -= here as u64;
                if *left == 0 {
                    self.state = State::Header;
                }
                Ok((here, Next::Wait))
            }
            State::Over => Ok((bytes.len(), Next::Wait)),
        }
    }

    /// A name or a pax header in front of a member is complete.
    fn end_front(&mut self) -> Result<(), Error> {
        match std::mem::take(&mut self.state) {
            State::Name { is_link, bytes, fill, .. } => {
                let name = Some(text(&bytes).to_vec());
                match is_link {
                    true => self.front.link = name,
                    false => self.front.name = name,
                }
                self.fill(fill);
            }
            State::Pax { records, fill, .. } => {
                if !records.is_complete() {
                    return Err(Error { offset: self.offset, what: "a pax header ends inside a record" });
                }
                self.fill(fill);
            }
            _ => {}
        }
        Ok(())
    }

    /// The map at the start of the data ends at `offset`. The data begins with the next block.
    fn begin_data(&mut self, offset: u64) -> Result<(), Error> {
        let (State::Map { text, .. }, Some(member)) = (&mut self.state, &self.member) else { return Ok(()) };
        let map = std::mem::take(&mut text.map);
        let start = member.data + (offset - member.data).next_multiple_of(BLOCK);
        if map.end() > member.size || start.saturating_add(map.stored()) > member.end {
            return Err(Error { offset, what: "the map of a sparse member does not fit the member" });
        }
        self.map = map;
        self.state = State::Data { lead: start - offset, part: 0, passed: 0, at: 0 };
        Ok(())
    }

    /// Reports data and holes of the member, and its end.
    fn take_data<'a>(&mut self, bytes: &'a [u8]) -> (usize, Next<'a>) {
        let (State::Data { lead, part, passed, at }, Some(member)) = (&mut self.state, &self.member) else {
            return (0, Next::Wait);
        };
        if *lead > 0 {
            let here = len_of(*lead, bytes);
            *lead -= here as u64;
            return (here, if *lead == 0 { Next::Go } else { Next::Wait });
        }
        let next = match member.is_sparse {
            true => self.map.part(*part),
            false => (*part == 0).then_some((0, member.size)),
        };
        let (start, len) = next.unwrap_or((member.size, 0));
        if start > *at {
            let hole = start - *at;
            *at = start;
            return (0, Next::Report(Event::Hole(hole)));
        }
        if *passed < len {
            let here = len_of(len - *passed, bytes);
            *passed += here as u64;
            *at += here as u64;
            return (here, if here > 0 { Next::Report(Event::Data(&bytes[..here])) } else { Next::Wait });
        }
        if next.is_some() {
            (*part, *passed) = (*part + 1, 0);
            return (0, Next::Go);
        }
        let left = member.end - self.offset;
        self.member = None;
        self.fill(left);
        (0, Next::Report(Event::End))
    }

    /// Passes over so many bytes, and takes the next header behind them.
    fn fill(&mut self, len: u64) {
        self.state = if len == 0 { State::Header } else { State::Fill(len) };
        self.filled = 0;
    }
}

/// How many of these bytes are among the next `left` ones.
fn len_of(left: u64, bytes: &[u8]) -> usize {
    usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len())
}
