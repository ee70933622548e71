//! The members of a tar archive: [`Seekable::members`].
//!
//! A list in the file, or in the index beside it, gives them without reading the data. Otherwise the headers are read
//! from the data, in order.

use std::vec::IntoIter;

use pzcomp_tar::{Event, Member, Parser};

use super::Seekable;
use super::find::{listed_frames, listed_map};
use crate::error::{Error, Result};
use crate::tar_list::Walk;
use engine::io::{RandomAccess, ReadAt};

/// How much plain data is read at a time, if members are short.
const READ_LEN: usize = 4 << 20;

/// How much is read behind a member that is longer than [`LONG`]: its header, and what may stand in front of it.
const HEADER_LEN: usize = 4 << 10;

/// The data of a longer member is left out.
const LONG: u64 = 256 << 10;

impl<R: ReadAt + 'static> Seekable<R> {
    /// The members of the tar archive that the plain data is, in their order.
    ///
    /// If the file lists them ([`EncodeBuilder::tar`](crate::EncodeBuilder::tar)), or the index of [`Self::with_index`]
    /// does, the list is read and no data is decoded. A list is a claim of the file, which states where members are and
    /// what their headers say. Without a list the headers are read from the data, up to the end of the archive.
    ///
    /// The data of a member that is not sparse is that from [`Member::data`](crate::tar::Member::data) on, which
    /// [`Self::read_at`] reads.
    ///
    /// It is an error if the file cannot be read. Each item is an error if the list is damaged, or if the data is no
    /// archive; nothing follows an error.
    ///
    /// ```
    /// # fn archive() -> Vec<u8> {
    /// #     let mut archive = vec![0; 512];
    /// #     archive[..5].copy_from_slice(b"a.txt");
    /// #     archive[124..128].copy_from_slice(b"0005");
    /// #     archive[156] = b'0';
    /// #     let sum = archive.iter().map(|&byte| u32::from(byte)).sum::<u32>() + 8 * 32;
    /// #     archive[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    /// #     archive.extend(b"three");
    /// #     archive.resize(20480, 0);
    /// #     archive
    /// # }
    /// use pzcomp::{Compress, Encode, Seekable, Tar};
    ///
    /// let mut coded = Vec::new();
    /// Compress::new(&Encode::zstd(3).tar(Tar::Auto).build()?).run(&archive(), &mut coded)?;
    ///
    /// let seekable = Seekable::new(coded)?;
    /// let members = seekable.members()?;
    /// assert!(members.is_listed());
    /// let members = members.collect::<Result<Vec<_>, _>>()?;
    /// let mut data = vec![0; members[0].size as usize];
    /// seekable.read_at(&mut data, members[0].data)?;
    /// assert_eq!((&members[0].name[..], &data[..]), (&b"a.txt"[..], &b"three"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn members(&self) -> Result<Members<'_, R>> {
        let list = self.list()?;
        Ok(Members {
            seekable: self,
            list,
            parser: Parser::new(),
            buffer: Vec::new(),
            read: 0,
            found: Vec::new().into_iter(),
            is_over: false,
        })
    }

    /// The list of the members, and whether it is in the index.
    fn list(&self) -> Result<Option<(Walk, bool)>> {
        if let Some(list) = &self.core.list {
            return Ok(Some((list.clone(), true)));
        }
        let place = RandomAccess::Source(&self.core.source);
        let own = &self.core.map;
        // An index beside the file has no frames without data.
        let other;
        let map = match own.spans.last().is_some_and(|last| last.plain_len == 0) {
            true => own,
            false => match listed_map(place, own.coded_len, &self.core.options)? {
                Some(map) => {
                    other = map;
                    &other
                }
                None => return Ok(None),
            },
        };
        let Some(last) = map.spans.last().filter(|last| last.plain_len == 0 && map.rest.is_none()) else {
            return Ok(None);
        };
        // The span may be many frames.
        let Some(frames) = listed_frames(place, map.coded_len, &self.core.options)? else { return Ok(None) };
        let at_end = frames.map(|frame| frame.coded).filter(|coded| coded.start >= last.coded);
        Ok(Walk::in_frames(place, at_end, map.plain_end())?.map(|list| (list, false)))
    }
}

/// The members of an archive, from [`Seekable::members`].
pub struct Members<'a, R> {
    seekable: &'a Seekable<R>,
    /// The list, and whether it is in the index.
    list: Option<(Walk, bool)>,
    parser: Parser,
    /// Plain data for the parser, and how much of it the parser has taken.
    buffer: Vec<u8>,
    read: usize,
    /// Members that were found.
    found: IntoIter<Member>,
    is_over: bool,
}

impl<R: ReadAt + 'static> Members<'_, R> {
    /// Whether a list has them, so that no data is decoded.
    pub fn is_listed(&self) -> bool {
        self.list.is_some()
    }

    fn find(&mut self) -> Result<Option<Member>> {
        if let Some((list, is_in_index)) = &mut self.list {
            if let Some(member) = self.found.next() {
                return Ok(Some(member));
            }
            let core = &self.seekable.core;
            let place = match is_in_index {
                true => RandomAccess::Source(&*core.windows),
                false => RandomAccess::Source(&core.source),
            };
            self.found = list.next(place)?.into_iter();
            return Ok(self.found.next());
        }
        loop {
            let skippable = self.parser.skippable();
            if self.read == self.buffer.len() || skippable > 0 {
                let here =
                    usize::try_from(skippable).unwrap_or(usize::MAX).min(self.buffer.len() - self.read);
                self.read += here;
                self.parser.skip(here as u64);
                if self.read == self.buffer.len() && !self.fill()? {
                    return self.end();
                }
            }
            let fed = self.parser.feed(&self.buffer[self.read..]);
            let (read, event) =
                fed.map_err(|error| Error::Tar { offset: error.offset, what: error.what.into() })?;
            self.read += read;
            match event {
                Some(Event::Member(member)) => {
                    self.parser.skip_data();
                    return Ok(Some(*member));
                }
                _ if self.parser.is_over() => return Ok(None),
                _ => {}
            }
        }
    }

    /// Reads more plain data. False at its end.
    fn fill(&mut self) -> Result<bool> {
        let skippable = self.parser.skippable();
        // Data that no span holds is decoded in order, so nothing is left out of it.
        let is_in_spans = self.parser.offset() + skippable < self.seekable.core.map.plain_end();
        let len = if skippable > LONG && is_in_spans { HEADER_LEN } else { READ_LEN };
        if is_in_spans {
            self.parser.skip(skippable);
        }
        let at = self.parser.offset();
        self.buffer.resize(len, 0);
        let read = self.seekable.read_at(&mut self.buffer, at);
        let read = read.map_err(|source| Error::Read { offset: at, source });
        self.buffer.truncate(*read.as_ref().unwrap_or(&0));
        self.read = 0;
        Ok(read? > 0)
    }

    /// The data is at its end.
    fn end(&self) -> Result<Option<Member>> {
        match self.parser.is_complete() {
            true => Ok(None),
            false => Err(Error::Tar { offset: self.parser.offset(), what: "it ends there".into() }),
        }
    }
}

impl<R: ReadAt + 'static> Iterator for Members<'_, R> {
    type Item = Result<Member>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let found = self.find().transpose();
        self.is_over = !matches!(found, Some(Ok(_)));
        found
    }
}

impl<R> std::fmt::Debug for Members<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Members").field("is_listed", &self.list.is_some()).finish_non_exhaustive()
    }
}
