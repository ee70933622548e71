//! The blocks of headers: what they say of the next member, and where its data is.
//!
//! [`Parser::take_block`] gets the bytes of a block. When it is complete, it is a header, zeros, or more entries of the
//! map of a sparse member. All numbers are claims: none of them leads to an offset of more than 63 bits.

use super::{BLOCK, Front, Next, Parser, State};
use crate::header::{Header, is_zero};
use crate::member::{Kind, Member};
use crate::pax::Attributes;
use crate::sparse::{SparseMap, is_full};
use crate::{BLOCK_LEN, Error, NAME_MAX};

impl Parser {
    /// Takes a part of a block, and the block when it is complete.
    pub(super) fn take_block<'a>(&mut self, bytes: &'a [u8]) -> Result<(usize, Next<'a>), Error> {
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
            self.zeros += 1;
            return Ok(());
        }
        let Some(header) = Header::parse(block) else {
            // Behind the end of the archive anything may follow.
            if self.zeros > 0 && self.begun {
                self.state = State::Over;
                return Ok(());
            }
            return Err(wrong("there is no tar header, or its checksum is wrong"));
        };
        self.resumed |= self.begun && self.zeros >= 2;
        self.begun = true;
        if std::mem::take(&mut self.zeros) > 0 {
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
                if flag != b'g' {
                    // Of two such headers in front of a member the second counts alone, as for GNU tar.
                    self.front.pax = Attributes::default();
                }
                let records = Box::default();
                self.state =
                    State::Pax { start: offset, is_global: flag == b'g', records, left: stated, fill };
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
        // A file that is one hole has no parts.
        let is_hole = stored == 0 && sparse.size.is_some() && member.kind() == Kind::File;
        if self.map_in_data || self.map != SparseMap::default() || is_hole {
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
