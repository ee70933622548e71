//! The table of `gzip -l`, in the form of the original.
//!
//! [`table`] takes what was read from the inputs and returns the text.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use pzcomp::{Format, Member, printable};

use super::super::{Listed, sums};
use super::messages::percentage;
use crate::origin::overhead_of;
use crate::request::{Request, Source};
use crate::suffix::plain_path;

/// A heading, a line for each input, and totals if several inputs were named. With `-q` there is neither heading nor
/// total.
pub(super) fn table(listed: &[Listed], request: &Request) -> String {
    let (quiet, long) = (request.reporting.verbosity.quiet, request.reporting.verbosity.verbose > 0);
    let mut table = String::new();
    if !quiet && !listed.is_empty() {
        table.push_str(if long { "method  crc     date  time  " } else { "" });
        table.push_str("         compressed        uncompressed  ratio uncompressed_name\n");
    }
    let mut overhead = 0;
    for listed in listed {
        let (Listed { source, modified, member, listing, .. }, plain_len) = (listed, listed.plain_len());
        let member = member.as_ref();
        // The header cannot be read if the input is a pipe. It is then assumed to have the shortest length.
        overhead = match listing.formats.first() == Some(&Format::Gzip) {
            true => overhead_of(member.unwrap_or(&Member::default())),
            false => 0,
        };
        if long {
            let method = listing.formats.first().map_or("", |format| format.name());
            let method = if method == "gzip" { "defla" } else { method };
            let crc = listing.crc.unwrap_or(u32::MAX);
            let stored = member.map(|member| i64::from(member.modified)).filter(|&stored| stored != 0);
            let time = stored.filter(|_| request.origin.time).unwrap_or(*modified);
            table.push_str(&format!("{method:5.5} {crc:08x} {} ", date(time)));
        }
        let name = member.and_then(|member| member.name.as_deref()).filter(|_| request.origin.name);
        table.push_str(&line(listing.coded_len, plain_len, overhead));
        table.push_str(&format!("{}\n", plain_name(source, name, request)));
    }
    if !quiet && request.sources.len() > 1 && !listed.is_empty() {
        table.push_str(if long { "                            " } else { "" });
        let [coded_len, plain_len] = sums(listed.iter().map(|it| [it.listing.coded_len, it.plain_len()]));
        table.push_str(&line(coded_len, plain_len, overhead));
        table.push_str("(totals)\n");
    }
    table
}

fn line(coded_len: u64, plain_len: u64, overhead: u64) -> String {
    format!("{coded_len:19} {plain_len:19} {} ", percentage(plain_len, coded_len, overhead))
}

/// Seconds since 1970 as local time.
fn date(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    time.to_zoned(TimeZone::system()).strftime("%b %e %H:%M").to_string()
}

/// The name of the file after decompression.
pub(in super::super) fn plain_name(source: &Source, stored: Option<&[u8]>, request: &Request) -> String {
    let Source::Path(path) = source else {
        return "stdout".into();
    };
    let stored = stored.map(system::name::from_bytes);
    let name = match stored.as_deref().and_then(system::name::of_file) {
        Some(stored) => path.with_file_name(stored),
        None => plain_path(path, request).unwrap_or_else(|| path.clone()),
    };
    printable(name.as_os_str().as_encoded_bytes())
}
