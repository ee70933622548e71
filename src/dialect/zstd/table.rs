//! The tables of `zstd -l`, in the form of the original, and the sums of the headers that they show.
//!
//! [`table`] takes what was read from the inputs and returns the text.

use std::fmt::Write;
use std::fs::File;

use pzcomp::Error;
use pzcomp::inspect::zstd_frames;

use super::super::{Details, Listed, sums};
use super::messages::{scaled, size};

/// The only check of the format.
const CHECK: &str = "XXH64";

/// A line for each input, and a line of totals if there are several. With `-v` a paragraph for each input, and with
/// `-vv` all sizes in it are bytes.
pub(super) fn table(listed: &[Listed], verbose: u8) -> String {
    let mut table = String::new();
    if verbose > 0 {
        let size = if verbose > 1 { |bytes| format!("{bytes} B") } else { size };
        for listed in listed {
            table.push_str(&paragraph(listed, size));
        }
        return table;
    }
    table.push_str("Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
    let mut sum = Total::default();
    for (at, listed) in listed.iter().enumerate() {
        let one = Total::of(listed);
        table.push_str(&one.line(&listed.source.name()));
        sum = if at == 0 { one } else { sum.plus(one) };
    }
    if sum.check != CHECK {
        // The totals name a check only if all inputs have it.
        sum.check = "";
    }
    if listed.len() > 1 {
        table.push_str("----------------------------------------------------------------- \n");
        table.push_str(&sum.line(&format!("{} files", listed.len())));
    }
    table
}

/// The paragraph for one input.
fn paragraph(listed: &Listed, size: fn(u64) -> String) -> String {
    let Total { numbers: [frames, skips, coded_len, plain_len], check } = Total::of(listed);
    let mut text = format!("{} \n# Zstandard Frames: {}\n", listed.source.name(), frames - skips);
    // Writing to a string does not fail.
    if skips > 0 {
        let _ = writeln!(text, "# Skippable Frames: {skips}");
    }
    let mut checksum = String::new();
    if let Details::Zstd(found) = &listed.details {
        let Frames { window, dictionary, .. } = *found;
        let _ = writeln!(text, "DictID: {dictionary}\nWindow Size: {} ({window} B)", size(window));
        if let Some(found) = found.checksum.filter(|_| found.count == 1) {
            checksum = format!(" {found:08x}");
        }
    }
    let (coded, plain) = (size(coded_len), size(plain_len));
    let ratio = ratio(coded_len, plain_len);
    let _ = write!(
        text,
        "Compressed Size: {coded} ({coded_len} B)\nDecompressed Size: {plain} ({plain_len} B)\n\
         Ratio: {ratio:.4}\nCheck: {check}{checksum}\n\n"
    );
    text
}

/// The plain length divided by the coded length.
fn ratio(coded_len: u64, plain_len: u64) -> f64 {
    if coded_len == 0 { 0.0 } else { plain_len as f64 / coded_len as f64 }
}

/// Totals of one or more inputs.
#[derive(Clone, Copy, Default)]
struct Total {
    /// All frames, skippable ones included; the skippable ones; the coded and the plain length.
    numbers: [u64; 4],
    check: &'static str,
}

impl Total {
    fn of(listed: &Listed) -> Self {
        let listing = &listed.listing;
        let (frames, skips, has_check) = match &listed.details {
            Details::Zstd(found) => (found.count, found.skippable, found.checksum.is_some()),
            // The frames of a pipe are not read again. The only skippable frame that is known is then the index.
            _ => (listed.frames(), u64::from(listing.is_indexed), listing.check != "-"),
        };
        let numbers = [frames + skips, skips, listing.coded_len, listed.plain_len()];
        Self { numbers, check: if has_check { CHECK } else { "None" } }
    }

    fn plus(self, other: Self) -> Self {
        let check = if self.check == other.check { other.check } else { "" };
        Self { numbers: sums([self.numbers, other.numbers]), check }
    }

    fn line(&self, name: &str) -> String {
        let Self { numbers: [frames, skips, coded_len, plain_len], check } = *self;
        let ((coded, coded_unit), (plain, plain_unit)) = (scaled(coded_len), scaled(plain_len));
        let ratio = ratio(coded_len, plain_len);
        format!(
            "{frames:6}  {skips:5}  {coded:>6} {coded_unit:>3}  {plain:>8} {plain_unit:>3}  {ratio:5.3}  {check:>5}  {name}\n"
        )
    }
}

/// What the frames of a file have in their headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frames {
    /// The number of frames that are not skippable.
    pub(super) count: u64,
    /// The number of skippable frames.
    pub(super) skippable: u64,
    /// The window of the last frame in bytes.
    pub(super) window: u64,
    /// The number of the dictionary that all frames need. It is 0 if they need different ones.
    pub(super) dictionary: u32,
    /// The checksum of the last frame that has one.
    pub(super) checksum: Option<u32>,
}

impl Frames {
    /// Adds up the frames of a file. Fails if the file cannot be read or ends within a frame.
    pub(super) fn of(file: &File) -> Result<Self, Error> {
        let mut frames = Self::default();
        for frame in zstd_frames(file) {
            let frame = frame?;
            if frame.is_skippable {
                frames.skippable += 1;
                continue;
            }
            let is_same = frames.dictionary == 0 || frames.dictionary == frame.dictionary_id;
            frames.dictionary = if is_same { frame.dictionary_id } else { 0 };
            frames.window = frame.window_len;
            frames.checksum = frame.checksum.or(frames.checksum);
            frames.count += 1;
        }
        Ok(frames)
    }
}
