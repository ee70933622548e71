//! The table of `pigz -l`, in the form of the original.
//!
//! [`table`] takes what was read from the inputs and returns the text.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use pzcomp::{Member, printable};

use super::super::Listed;
use super::super::gzip::plain_name;
use crate::origin::overhead_of;
use crate::request::{Request, Source};

/// What stands for an unknown time.
const NO_TIME: &str = "------ -----";

/// A heading and a line for each input. The lengths are those of all members, found by decoding. pigz itself prints
/// the length that the last trailer states.
pub(super) fn table(listed: &[Listed], request: &Request) -> String {
    let long = request.reporting.verbosity.verbose > 0;
    let mut table = String::from(if long { "method    check    timestamp    " } else { "" });
    table.push_str("compressed   original reduced  name\n");
    for listed in listed {
        let Listed { source, member, listing, .. } = listed;
        let (format, member) = (listing.formats.first().map_or("", |format| format.name()), member.as_ref());
        if long {
            let check = listing.crc.map_or("--------".into(), |crc| format!("{crc:08x}"));
            // 8 is the number of DEFLATE in gzip headers.
            let method = if format == "lzw" { "" } else { "8" };
            table.push_str(&format!("{format:4.4} {method:1}  {check}  {}  ", time(member)));
        }
        let around = match format {
            "gzip" => overhead_of(member.unwrap_or(&Member::default())),
            // The header has two bytes, and the Adler-32 behind the stream has four.
            "zlib" => 6,
            _ => 0,
        };
        let (coded_len, plain_len) = (listing.coded_len.saturating_sub(around), listed.plain_len());
        // For empty data the result is minus infinity, as pigz prints it.
        let reduced = 100.0 * (plain_len as f64 - coded_len as f64) / plain_len as f64;
        let name = match (member.and_then(|member| member.name.as_deref()), source) {
            (Some(stored), _) => printable(stored),
            (None, Source::Stdin | Source::Command(_)) => "<stdin>".into(),
            (None, Source::Path(_)) => plain_name(source, None, request),
        };
        table.push_str(&format!("{coded_len:10} {plain_len:10}  {reduced:5.1}%  {name}\n"));
    }
    table
}

/// The stored time. If it is more than 180 days ago, the year takes the place of the time of day.
fn time(member: Option<&Member>) -> String {
    let Some(modified) = member.map(|member| member.modified).filter(|&modified| modified != 0) else {
        return NO_TIME.into();
    };
    let zoned = |time: Timestamp| time.to_zoned(TimeZone::system());
    let time = zoned(Timestamp::from_second(modified.into()).unwrap_or_default());
    let is_recent = zoned(Timestamp::now()).checked_sub(180.days()).is_ok_and(|then| time > then);
    time.strftime(if is_recent { "%b %e %H:%M" } else { "%b %e  %Y" }).to_string()
}
