//! [`Extractor`]: finds the chosen members in plain data that comes in order, and puts them where they are to go.

use std::ops::Range;

use pzcomp::Error;
use pzcomp::tar::Member;
use pzcomp_tar::{Event, Parser};

use super::choice::Choice;
use crate::error::{CliError, Kind};
use crate::tool::Status;

/// The most bytes of the headers of a member that are copied.
const HEADERS_MAX: usize = 64 << 20;

/// Where members go.
pub(super) trait Take: Send {
    /// Whether the bytes of the archive are wanted, and not the data of files.
    fn wants_archive(&self) -> bool {
        false
    }

    /// A chosen member begins. Returns whether its data is wanted.
    fn begin(&mut self, member: &Member) -> Result<bool, CliError>;

    /// The next bytes of its data.
    fn data(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        let _ = bytes;
        Ok(())
    }

    /// So many zeros that were not stored.
    fn hole(&mut self, len: u64) -> Result<(), CliError> {
        let _ = len;
        Ok(())
    }

    /// The member is complete.
    fn end(&mut self) -> Result<(), CliError> {
        Ok(())
    }

    /// The rest of the member that has begun cannot be read. Returns whether other members can follow all the same.
    fn give_up(&mut self) -> bool {
        true
    }

    /// Whether this hard link can be made, so that the data of its target is not needed.
    fn has_target(&self, link: &Member) -> bool {
        let _ = link;
        true
    }

    /// Something is wrong with a single member.
    fn problem(&mut self, status: Status, name: &[u8], what: String) {
        let _ = (status, name, what);
    }
}

/// Passes a member by.
pub(super) struct Nothing;

impl Take for Nothing {
    fn begin(&mut self, _: &Member) -> Result<bool, CliError> {
        Ok(false)
    }
}

/// Takes a member under the name of a hard link to it.
pub(super) struct As<'a> {
    pub(super) to: &'a mut dyn Take,
    pub(super) link: &'a Member,
}

impl Take for As<'_> {
    fn begin(&mut self, member: &Member) -> Result<bool, CliError> {
        self.to.begin(&Member { name: self.link.name.clone(), ..member.clone() })
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.to.data(bytes)
    }

    fn hole(&mut self, len: u64) -> Result<(), CliError> {
        self.to.hole(len)
    }

    fn end(&mut self) -> Result<(), CliError> {
        self.to.end()
    }
}

/// What is taken.
enum Wanted<'a, 'n> {
    /// The members that are chosen.
    Chosen(&'a mut Choice<'n>),
    /// The member that a list has at this place, and whether it has come.
    Listed(&'a Member, bool),
}

/// Takes plain data in order.
pub(super) struct Extractor<'a, 'n> {
    parser: Parser,
    wanted: Wanted<'a, 'n>,
    to: &'a mut dyn Take,
    /// Whether the data of a member is wanted that has begun.
    is_open: bool,
    /// Where the first header is of a member that has begun and is not complete.
    begun: Option<u64>,
    /// The last member that has come, from its first header to its end.
    last: Range<u64>,
    /// How many of the next bytes are of a member whose bytes are wanted.
    raw: u64,
    /// The bytes of headers, of which it is not known yet whether they are wanted.
    headers: Vec<u8>,
}

impl<'a, 'n> Extractor<'a, 'n> {
    /// At the start of the data. It takes all members that are chosen.
    pub(super) fn new(choice: &'a mut Choice<'n>, to: &'a mut dyn Take) -> Self {
        Self {
            parser: Parser::new(),
            wanted: Wanted::Chosen(choice),
            to,
            is_open: false,
            begun: None,
            last: 0..0,
            raw: 0,
            headers: Vec::new(),
        }
    }

    /// At the first header of a member that a list has. It takes that member alone.
    pub(super) fn of(member: &'a Member, to: &'a mut dyn Take) -> Self {
        let parser = Parser::at(member.header);
        Self {
            parser,
            wanted: Wanted::Listed(member, false),
            to,
            is_open: false,
            begun: None,
            last: 0..0,
            raw: 0,
            headers: Vec::new(),
        }
    }

    /// Whether more data of a member that a list has is wanted.
    pub(super) fn wants_more(&self) -> bool {
        self.is_open || self.raw > 0 || matches!(self.wanted, Wanted::Listed(_, false))
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<(), CliError> {
        while !bytes.is_empty() {
            let skippable = usize::try_from(self.parser.skippable()).unwrap_or(usize::MAX).min(bytes.len());
            if skippable > 0 {
                let (here, rest) = bytes.split_at(skippable);
                // What fills up the data of a header belongs to the headers of its member.
                if self.to.wants_archive() && self.parser.pending() < self.parser.offset() {
                    self.headers.extend_from_slice(here);
                }
                self.parser.skip(skippable as u64);
                if self.raw > 0 {
                    self.raw -= skippable as u64;
                    self.to.data(here)?;
                    if self.raw == 0 {
                        self.begun = None;
                        self.to.end()?;
                    }
                }
                bytes = rest;
                continue;
            }
            let fed = self.parser.feed(bytes);
            let (read, event) = fed.map_err(|error| self.wrong(error.offset, error.what))?;
            let (here, rest) = bytes.split_at(read);
            bytes = rest;
            if self.to.wants_archive() {
                self.headers.extend_from_slice(here);
            }
            match event {
                Some(event) => self.event(event)?,
                None => self.trim()?,
            }
        }
        // Holes and the end of a file come without bytes.
        while self.is_open {
            let fed = self.parser.feed(&[]);
            match fed.map_err(|error| self.wrong(error.offset, error.what))? {
                (_, Some(event)) => self.event(event)?,
                (_, None) => break,
            }
        }
        Ok(())
    }

    /// Where the member begins that was not taken to its end, or the next one.
    pub(super) fn reached(&self) -> u64 {
        self.begun.unwrap_or_else(|| self.parser.pending())
    }

    /// The error of data that is no tar archive, or is damaged.
    fn wrong(&self, offset: u64, what: &str) -> CliError {
        let mut what = self.at(offset, what);
        if self.parser.has_begun() {
            what += "; tar may take what follows: pzcomp -dc FILE | tar -xi";
        }
        Kind::Failed(what).into()
    }

    /// What is wrong at an offset, and in which member.
    fn at(&self, offset: u64, what: &str) -> String {
        let start = match self.last.contains(&offset) {
            true => self.last.start,
            false => self.reached().min(offset),
        };
        let member = match self.parser.has_begun() {
            true => format!(", in the member that begins at offset {start}"),
            false => String::new(),
        };
        format!("the data is not a whole tar archive: {what} at offset {offset} of the plain data{member}")
    }

    fn event(&mut self, event: Event) -> Result<(), CliError> {
        match event {
            Event::Member(member) => {
                if let Some(what) = self.parser.doubt()
                    && !self.to.wants_archive()
                    && self.is_chosen(&member)
                {
                    self.to.problem(Status::Warning, &member.name, format!("its header has {what}"));
                }
                self.member(&member)?;
            }
            Event::Data(data) if self.is_open => self.to.data(data)?,
            Event::Hole(len) if self.is_open => self.to.hole(len)?,
            Event::End if self.is_open => {
                (self.is_open, self.begun) = (false, None);
                self.to.end()?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Drops what is before the headers that have come and belong to no member yet.
    fn trim(&mut self) -> Result<(), CliError> {
        let len = usize::try_from(self.parser.offset() - self.parser.pending()).unwrap_or(usize::MAX);
        self.headers.drain(..self.headers.len().saturating_sub(len));
        match self.headers.len() {
            0..=HEADERS_MAX => Ok(()),
            _ => Err(self.wrong(self.parser.offset(), "a member has headers of more than 64 MiB")),
        }
    }

    fn is_chosen(&mut self, member: &Member) -> bool {
        match &mut self.wanted {
            Wanted::Chosen(choice) => choice.takes(&member.name),
            Wanted::Listed(..) => true,
        }
    }

    fn member(&mut self, member: &Member) -> Result<(), CliError> {
        let headers = std::mem::take(&mut self.headers);
        let is_wanted = match &mut self.wanted {
            Wanted::Chosen(choice) => choice.takes(&member.name),
            Wanted::Listed(listed, has_come) => {
                if **listed != *member {
                    let what = format!(
                        "the list of the members says something else than the header at offset {} of the plain data; the \
                         file was changed, or its list is forged",
                        member.header
                    );
                    return Err(Kind::Failed(what).into());
                }
                *has_come = true;
                true
            }
        };
        self.last = member.header..member.end;
        self.is_open = is_wanted && self.to.begin(member)?;
        self.begun = self.is_open.then_some(member.header);
        if !self.is_open {
            self.parser.skip_data();
        } else if self.to.wants_archive() {
            self.parser.skip_data();
            self.is_open = false;
            self.raw = member.end - member.data;
            // Zeros between archives may be before them.
            let start = usize::try_from(member.data - member.header)
                .ok()
                .and_then(|len| headers.len().checked_sub(len))
                .ok_or_else(|| Kind::Library(Error::Internal("headers of a member are missing".into())))?;
            self.to.data(&headers[start..])?;
            if self.raw == 0 {
                self.begun = None;
                self.to.end()?;
            }
        }
        Ok(())
    }

    /// The data ends.
    pub(super) fn end(&mut self) -> Result<(), CliError> {
        let is_whole = match &self.wanted {
            Wanted::Chosen(_) => self.parser.is_complete(),
            Wanted::Listed(_, has_come) => *has_come && !self.is_open && self.raw == 0,
        };
        match is_whole {
            true => Ok(()),
            false => Err(Kind::Failed(self.at(self.parser.offset(), "it ends")).into()),
        }
    }
}
