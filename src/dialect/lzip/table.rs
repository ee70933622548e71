//! The table of `lzip -l`, in the form of the original, and the members that it shows.
//!
//! [`table`] takes what was read from the inputs and returns the text.

use std::fmt::Write;
use std::fs::File;

use pzcomp::Error;
use pzcomp::inspect::{Listing, LzipMember, lzip_members};

use super::super::{Details, Listed, in_parentheses};
use super::messages::percent_saved;

const HEADING: &str = "  uncompressed     compressed   saved  name\n";
/// The columns in front of the heading with `-v`.
const VERBOSE_HEADING: &str = "   dict   memb  trail ";
const VERBOSE_GAP: &str = "                      ";
const MEMBERS: &str = " member      data_pos      data_size     member_pos    member_size\n";

/// A line for each input, and totals. With `-v` there are more columns, and with `-vv` a row for each member.
pub(super) fn table(listed: &[Listed], verbose: u8) -> String {
    let mut table = String::new();
    let (mut plain_len, mut coded_len) = (0_u64, 0_u64);
    let mut is_headed = false;
    for listed in listed {
        if !is_headed {
            table.push_str(if verbose > 0 { VERBOSE_HEADING } else { "" });
            table.push_str(HEADING);
            is_headed = true;
        }
        let (plain, coded) = (listed.plain_len(), end(&listed.listing));
        // A trailer may claim any length, so sums stop at the largest number.
        plain_len = plain_len.saturating_add(plain);
        coded_len = coded_len.saturating_add(coded);
        let members = match &listed.details {
            Details::Lzip(members) => Some(members),
            _ => None,
        };
        if verbose > 0 {
            table.push_str(&members.map_or(VERBOSE_GAP.into(), columns));
        }
        line(&mut table, plain, coded, in_parentheses(&listed.source.name()));
        if let Some(members) = members.filter(|members| verbose > 1 && members.all.len() > 1) {
            rows(&mut table, members);
            is_headed = false;
        }
    }
    if listed.len() > 1 {
        table.push_str(if verbose > 0 { VERBOSE_GAP } else { "" });
        line(&mut table, plain_len, coded_len, "(totals)");
    }
    table
}

fn line(table: &mut String, plain_len: u64, coded_len: u64, name: &str) {
    let saved =
        percent_saved(plain_len, coded_len).map_or_else(|| "  -INF%".into(), |saved| format!("{saved:6.2}%"));
    // Writing to a string does not fail.
    let _ = writeln!(table, "{plain_len:14} {coded_len:14} {saved}  {name}");
}

fn columns(members: &Members) -> String {
    format!("{} {:5} {:6} ", size(members.dictionary_len()), members.all.len(), members.trailing)
}

fn rows(table: &mut String, members: &Members) {
    table.push_str(MEMBERS);
    let mut plain_at = 0_u64;
    for (index, member) in members.all.iter().enumerate() {
        let (number, plain_len) = (index + 1, member.plain_len);
        // Writing to a string does not fail.
        let _ = writeln!(
            table,
            "{number:6} {plain_at:14} {plain_len:14} {:14} {:14}",
            member.offset, member.coded_len
        );
        plain_at = plain_at.saturating_add(plain_len);
    }
}

/// The length of a dictionary in the largest unit that leaves a whole number.
fn size(bytes: u32) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{:4} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{:4} KiB", bytes >> 10),
        _ => format!("  {bytes:4} B"),
    }
}

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
