//! [`Scan`]: finds the members of an archive in the plain bytes that a feeder passes on, and where chunks may end.
//!
//! The feeder shows the bytes in order, and may leave out those that the scan does not want: the data of members. A
//! stream is an archive if it begins with a right header. If anything is wrong behind that, the archive gets no list,
//! and the stream is compressed all the same, unless the caller demands a list.

use std::ops::RangeInclusive;

use pzcomp_tar::{BLOCK_LEN, Event, Parser};

use super::Listing;
use crate::error::{Error, Result};

/// Scans the plain bytes of a stream.
pub(crate) struct Scan {
    parser: Parser,
    listing: Option<Listing>,
    /// Whether it is an error if the stream is no archive.
    is_demanded: bool,
    /// Nothing more is wanted: the stream is no archive, or is wrong somewhere.
    is_off: bool,
    /// The last end of a member that is not behind the end of the longest chunk, and the next one.
    ends: [u64; 2],
    /// How long the headers of the last member were.
    headers_len: usize,
}

/// A scan at the start of a stream, and its listing if the output has room for a list.
pub(crate) fn begin(
    memory: Option<u64>,
    has_room: bool,
    is_demanded: bool,
) -> (Option<Listing>, Option<Scan>) {
    let listing = has_room.then(|| Listing::new(memory));
    (listing.clone(), Some(Scan::new(listing, is_demanded)))
}

impl Scan {
    /// At the start of a stream. Without a listing only the ends of chunks matter.
    pub(crate) fn new(listing: Option<Listing>, is_demanded: bool) -> Self {
        Self { parser: Parser::new(), listing, is_demanded, is_off: false, ends: [0; 2], headers_len: 0 }
    }

    /// Offset of the next byte that it wants to see. Nothing if it wants no more.
    pub(crate) fn wanted(&self) -> Option<u64> {
        (!self.is_off && !self.parser.is_over()).then(|| self.parser.offset() + self.parser.skippable())
    }

    /// Whether an archive begins with these bytes.
    pub(crate) fn begins_tar(bytes: &[u8]) -> bool {
        let mut parser = Parser::new();
        bytes.len() >= BLOCK_LEN && parser.feed(&bytes[..BLOCK_LEN]).is_ok() && parser.has_begun()
    }

    /// How many bytes before the wanted one are data of the last member.
    pub(crate) fn skippable(&self) -> u64 {
        self.parser.skippable()
    }

    /// How long the headers of the last member were.
    pub(crate) fn headers_len(&self) -> usize {
        self.headers_len
    }

    /// Whether the stream is an archive, as far as it was seen.
    pub(crate) fn is_tar(&self) -> bool {
        !self.is_off && self.parser.has_begun()
    }

    /// Sees these bytes, which begin at `start`. That is not behind the wanted one, unless the file has become shorter.
    pub(crate) fn see(&mut self, start: u64, bytes: &[u8]) -> Result<()> {
        let end = start + bytes.len() as u64;
        while let Some(wanted) = self.wanted().filter(|_| self.parser.offset() < end) {
            self.parser.skip(wanted.min(end) - self.parser.offset());
            if wanted >= end {
                break;
            }
            if wanted < start {
                return self.give_up(wanted, "its file has become shorter");
            }
            match self.parser.feed(&bytes[(wanted - start) as usize..]) {
                Ok((_, Some(Event::Member(member)))) => {
                    if let Some(listing) = &self.listing {
                        listing.push(&member);
                    }
                    self.parser.skip_data();
                    self.ends = [self.ends[1].max(member.header), member.end];
                    self.headers_len = usize::try_from(member.data - member.header).unwrap_or(usize::MAX);
                }
                Ok(_) => {}
                Err(error) => return self.give_up(error.offset, error.what),
            }
        }
        if !self.parser.has_begun() && self.parser.offset() >= BLOCK_LEN as u64 {
            return self.give_up(0, "it begins with zeros");
        }
        Ok(())
    }

    /// The end of a chunk that ends in this range: behind a member if a member ends there.
    pub(crate) fn cut(&mut self, range: RangeInclusive<u64>) -> u64 {
        let ends = self.ends.into_iter().filter(|end| range.contains(end));
        ends.max().unwrap_or(*range.end())
    }

    /// The stream ends, with this length, and all wanted bytes were seen.
    pub(crate) fn end(&mut self, len: u64) -> Result<()> {
        if self.is_off {
            return Ok(());
        }
        // The data of the last member may reach to the end.
        self.parser.skip(self.parser.skippable().min(len.saturating_sub(self.parser.offset())));
        if !self.parser.has_begun() || !self.parser.is_complete() {
            return self.give_up(self.parser.offset(), "it ends there");
        }
        self.is_off = true;
        if let Some(listing) = &self.listing {
            listing.complete();
        }
        Ok(())
    }

    /// The stream is no archive, or is wrong.
    fn give_up(&mut self, offset: u64, what: &str) -> Result<()> {
        self.is_off = true;
        if self.is_demanded {
            return Err(Error::Tar { offset, what: what.into() });
        }
        if let Some(listing) = self.listing.as_ref().filter(|_| self.parser.has_begun()) {
            listing.give_up(format!("{what}, at offset {offset}"));
        }
        Ok(())
    }
}
