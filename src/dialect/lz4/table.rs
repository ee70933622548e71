//! The table of `lz4 --list`, in the form of the original.
//!
//! [`table`] takes what was read from the inputs and returns the text.

use super::super::Listed;

/// A heading and a line for each input.
pub(super) fn table(listed: &[Listed]) -> String {
    let mut table =
        String::from("    Frames           Type Block  Compressed  Uncompressed     Ratio   Filename\n");
    for listed in listed {
        let (coded, plain) = (listed.listing.coded_len, listed.plain_len());
        let ratio = match plain {
            0 => "-".into(),
            _ => format!("{:.2}%", 100.0 * coded as f64 / plain as f64),
        };
        let (frames, name) = (listed.frames(), listed.source.name());
        table.push_str(&format!(
            "{frames:>10} {:>14} {:>5} {:>11} {:>13} {ratio:>9}   {name}\n",
            "LZ4Frame",
            "-",
            scaled(coded),
            scaled(plain)
        ));
    }
    table
}

/// A number of bytes with two decimals and the initial of its unit.
fn scaled(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];
    let power = (bytes.checked_ilog2().unwrap_or(0) / 10) as usize;
    format!("{:.2}{}", bytes as f64 / (1_u64 << (10 * power)) as f64, UNITS[power])
}
