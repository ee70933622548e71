//! The warning about an archive of several files of which one was taken, and the names of formats in lists.
//!
//! Decompression and `--range` print the warning, because the user may have expected all of the files, or another one.

use pzcomp::inspect::Listing;
use pzcomp::{ArchiveEntry, EntryChoice};

/// So many files are named.
const NAMED_MAX: usize = 10;

/// Which file was taken, and what the others are called. Nothing if there are no others, or if the user has chosen.
pub(crate) fn others(entries: &[ArchiveEntry], choice: &EntryChoice) -> Option<String> {
    if *choice != EntryChoice::First {
        return None;
    }
    let taken = entries.iter().position(|entry| entry.is_chosen)?;
    let others = entries.iter().filter(|entry| !entry.is_chosen);
    let others: Vec<&str> = others.map(|entry| entry.name.as_str()).collect();
    if others.is_empty() {
        return None;
    }
    let named = others[..others.len().min(NAMED_MAX)].join(", ");
    let more = if others.len() > NAMED_MAX { ", …" } else { "" };
    let which = if taken == 0 { "the first file" } else { "the first file with data" };
    Some(format!(
        "only '{}', {which} of the archive, was taken; --extract NAME takes another of these {}: {named}{more}",
        entries[taken].name,
        others.len()
    ))
}

/// The formats of what is listed. The library has no names for 7z archives, which have an index, for xbstreams, which
/// have checks, and for streams of mydumper.
pub(crate) fn formats(listing: &Listing) -> Vec<&'static str> {
    match &listing.formats[..] {
        [] if listing.is_indexed => vec!["7z"],
        [] if listing.check == "-" => vec!["mydumper"],
        [] => vec!["xbstream"],
        formats => formats.iter().map(|format| format.name()).collect(),
    }
}
