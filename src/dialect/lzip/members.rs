//! The members of an lzip file, for `lzip -l`.
//!
//! [`Members::of`] takes a file and its listing, and collects what the library reads from the headers and trailers.
//! `table` prints the result.

use std::fs::File;

use pzcomp::Error;
use pzcomp::inspect::{Listing, LzipMember, lzip_members};

/// The members of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members {
    /// In the order of the file.
    pub(super) all: Vec<LzipMember>,
    /// The number of bytes behind the last member.
    pub(super) trailing: u64,
}

impl Members {
    /// Reads the members of a file that the library has listed without an error. Fails if the file cannot be read, or
    /// if there is data between two members.
    pub(super) fn of(file: &File, listing: &Listing) -> Result<Self, Error> {
        let last = lzip_members(file, listing.coded_len).next().transpose()?;
        if let (Some(offset), Some(last)) = (listing.trailing.garbage, last)
            && last.offset >= offset
        {
            return Err(Error::corrupt("lzip", offset, "there is data between two members"));
        }
        let end = end(listing);
        let mut all = lzip_members(file, end).collect::<Result<Vec<_>, _>>()?;
        all.reverse();
        Ok(Self { all, trailing: listing.coded_len - end })
    }

    /// The length of the largest dictionary in bytes.
    pub(super) fn dictionary_len(&self) -> u32 {
        self.all.iter().map(|member| member.dictionary_len).max().unwrap_or(0)
    }
}

/// The offset at which the last member ends.
pub(super) fn end(listing: &Listing) -> u64 {
    let trailing = &listing.trailing;
    trailing.garbage.unwrap_or(listing.coded_len.saturating_sub(trailing.zeros))
}
