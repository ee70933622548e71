//! [`Parser`]: the members of an archive, from bytes that come in pieces.
//!
//! ```text
//!            ┌──────────────◀─────────────┐
//! Header ────┼─▶ Name, Pax ─▶ Fill ───────┤   headers in front of the one of a member
//!    │       └─▶ More ─▶ Member ─▶ Map ─▶ Data ─▶ Fill
//!    └─▶ zeros ─▶ Header of an archive behind this one, or Over
//! ```
//!
//! A header without zeros before it must be right. Behind zeros the archive is complete, so what follows them is another
//! archive if it begins with a right header, and otherwise nothing that matters.

use crate::header::{Header, is_zero, text};
use crate::member::{Kind, Member};
use crate::pax::{Attributes, Records};
use crate::sparse::{MapText, SparseMap, is_full};
use crate::{BLOCK_LEN, Error, NAME_MAX};

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
    /// The map of it, if it is sparse.
    map: SparseMap,
    /// Whether the map is in the data.
    map_in_data: bool,
    /// Whether there were zeros behind the last member.
    zeros: bool,
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
    /// A pax header.
    Pax { is_global: bool, records: Box<Records>, left: u64, fill: u64 },
    /// More blocks of the map of a sparse member of GNU tar.
    More,
    /// The member is to be reported.
    Ready,
    /// The map at the start of the data.
    Map { text: Box<MapText>, left: u64 },
    /// The data: what is left of the block of the map before it, the number of the part of the map, how much of the part is
    /// passed, and the place in the file.
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
            zeros: false,
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
        let is_behind = is_between && (self.zeros || self.begun && self.filled == 0);
        self.failed.is_none() && (is_behind || self.is_over())
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

    /// What the headers of the last member have that is not valid and harms no data: rights, an owner or a time. They count
    /// as not stated. It is told once.
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

    /// Takes some of the next bytes. Returns how many, and what was found. If nothing was found, all bytes are taken. After an
    /// error it gives the same error again.
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
            State::Pax { is_global, records, left, .. } => {
                let here = len_of(*left, bytes);
                let to = if *is_global { &mut self.global } else { &mut self.front.pax };
                records.feed(&bytes[..here], to).map_err(wrong)?;
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

    /// Takes a part of a block, and the block when it is complete.
    fn take_block<'a>(&mut self, bytes: &'a [u8]) -> Result<(usize, Next<'a>), Error> {
        let here = bytes.len().min(BLOCK_LEN - self.filled);
        self.block[self.filled..self.filled + here].copy_from_slice(&bytes[..here]);
        self.filled += here;
        if self.filled < BLOCK_LEN {
            return Ok((here, Next::Wait));
        }
        self.filled = 0;
        let (block, behind) = (self.block, self.offset + here as u64);
        match self.state {
            State::More => self.more(&block, behind)?,
            _ => self.header(&block, behind)?,
        }
        // A member is reported without more bytes.
        Ok((here, if matches!(self.state, State::Ready) { Next::Go } else { Next::Wait }))
    }

    /// Takes a block with more entries of the map of a sparse member, which ends at `behind`.
    fn more(&mut self, block: &[u8; BLOCK_LEN], behind: u64) -> Result<(), Error> {
        if !self.map.take_entries(&block[..504]) || is_full(Some(&self.map)) {
            return Err(Error { offset: behind - BLOCK, what: "the map of a sparse member is not valid" });
        }
        if block[504] == 0 { self.check_map(behind) } else { Ok(()) }
    }

    /// The map of GNU tar is complete, and so are the headers.
    fn check_map(&mut self, behind: u64) -> Result<(), Error> {
        let misfit =
            Error { offset: behind - BLOCK, what: "the map of a sparse member does not fit the member" };
        let Some(member) = &mut self.member else { return Ok(()) };
        let len = member.end - member.data;
        member.data = behind;
        member.end = behind.checked_add(len).filter(|&end| end <= i64::MAX as u64).ok_or(misfit)?;
        if self.map.end() > member.size || self.map.stored() > len {
            return Err(misfit);
        }
        self.state = State::Ready;
        Ok(())
    }

    /// Takes a header, or a block of zeros, which ends at `behind`.
    fn header(&mut self, block: &[u8; BLOCK_LEN], behind: u64) -> Result<(), Error> {
        let offset = behind - BLOCK;
        let wrong = |what| Error { offset, what };
        if is_zero(block) {
            if self.front.is_owned {
                return Err(wrong("the archive ends behind a header that belongs to a member"));
            }
            self.front = Front::default();
            self.zeros = true;
            return Ok(());
        }
        let Some(header) = Header::parse(block) else {
            // Behind the end of the archive anything may follow.
            if self.zeros && self.begun {
                self.state = State::Over;
                return Ok(());
            }
            return Err(wrong("there is no tar header, or its checksum is wrong"));
        };
        self.begun = true;
        if std::mem::take(&mut self.zeros) {
            // Another archive begins.
            self.global = Attributes::default();
        }
        let start = *self.front.start.get_or_insert(offset);
        let stated = header.size().ok_or(wrong("a header states a length that is no number"))?;
        let fill = stated.wrapping_neg() % BLOCK;
        match header.flag() {
            flag @ (b'L' | b'K') => {
                if stated > NAME_MAX as u64 {
                    return Err(wrong("a header states a name that is too long"));
                }
                self.front.is_owned = true;
                self.state = State::Name { is_link: flag == b'K', bytes: Vec::new(), left: stated, fill };
            }
            flag @ (b'x' | b'X' | b'g') => {
                self.front.is_owned |= flag != b'g';
                let records = Box::default();
                self.state = State::Pax { is_global: flag == b'g', records, left: stated, fill };
            }
            _ => return self.begin_member(&header, start, stated, behind),
        }
        Ok(())
    }

    /// Takes the header of a member, which ends at `behind`.
    fn begin_member(&mut self, header: &Header, start: u64, stated: u64, behind: u64) -> Result<(), Error> {
        let wrong = |what| Error { offset: behind - BLOCK, what };
        let too_long = wrong("a header states a length that does not fit into 63 bits");
        let mut front = std::mem::take(&mut self.front);
        let mut member = Member {
            name: front.name.take().unwrap_or_else(|| header.name()),
            link: front.link.take().unwrap_or_else(|| header.link()),
            flag: header.flag(),
            mode: header.mode(),
            uid: header.uid(),
            gid: header.gid(),
            user: header.user(),
            group: header.group(),
            size: stated,
            mtime: header.mtime(),
            device: header.device(),
            header: start,
            data: behind,
            is_global: !self.global.is_empty(),
            ..Member::default()
        };
        [&self.global, &front.pax].into_iter().for_each(|said| said.apply(&mut member));
        let said = [&self.global, &front.pax];
        let has = |is_said: fn(&Attributes) -> bool| said.iter().any(|said| is_said(said));
        let has_time = has(|said| said.mtime.is_some());
        let doubt = header.doubt(has(|said| said.uid.is_some()), has(|said| said.gid.is_some()), has_time);
        self.doubt = front.pax.doubt.or(self.global.doubt).or(doubt);
        if matches!(member.flag, b'1'..=b'6') {
            member.size = 0;
        }
        if !matches!(member.kind(), Kind::HardLink | Kind::Symlink) {
            member.link.clear();
        }
        if !matches!(member.kind(), Kind::CharDevice | Kind::BlockDevice) {
            member.device = (0, 0);
        }
        let stored = member.size;
        let end = stored.checked_next_multiple_of(BLOCK).and_then(|len| behind.checked_add(len));
        member.end = end.filter(|&end| end <= i64::MAX as u64).ok_or(too_long)?;
        let sparse = &mut front.pax.sparse;
        self.map = sparse.map.take().unwrap_or_default();
        self.map_in_data = sparse.major == Some(1) && member.kind() == Kind::File;
        self.state = State::Ready;
        if member.flag == b'S' {
            (self.map, self.map_in_data) = (SparseMap::default(), false);
            (member.is_sparse, member.size) = (true, header.real_size().ok_or(too_long)?);
            self.member = Some(Box::new(member));
            if !self.map.take_entries(header.sparse()) {
                return Err(wrong("the map of a sparse member is not valid"));
            }
            self.state = State::More;
            return if header.sparse_goes_on() { Ok(()) } else { self.check_map(behind) };
        }
        if self.map_in_data || self.map != SparseMap::default() {
            (member.is_sparse, member.size) = (true, sparse.size.unwrap_or(stored));
            member.name = sparse.name.take().unwrap_or(member.name);
            if self.map.end() > member.size || self.map.stored() > stored {
                return Err(wrong("the map of a sparse member does not fit the member"));
            }
        }
        self.member = Some(Box::new(member));
        Ok(())
    }
}

impl Attributes {
    /// Puts what is said into a member.
    fn apply(&self, member: &mut Member) {
        let set = |field: &mut Vec<u8>, value: &Option<Vec<u8>>| {
            value.iter().for_each(|value| field.clone_from(value))
        };
        set(&mut member.name, &self.path);
        set(&mut member.link, &self.link);
        set(&mut member.user, &self.user);
        set(&mut member.group, &self.group);
        member.size = self.size.unwrap_or(member.size);
        member.uid = self.uid.unwrap_or(member.uid);
        member.gid = self.gid.unwrap_or(member.gid);
        (member.mtime, member.mtime_nanos) = self.mtime.unwrap_or((member.mtime, member.mtime_nanos));
    }
}

/// How many of these bytes are among the next `left` ones.
fn len_of(left: u64, bytes: &[u8]) -> usize {
    usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len())
}
