//! Damaged inputs of other works, which their recovery records mend in passing.
//!
//! `work.rs` and `seek/` ask [`rescue`] when an input could not be decompressed, and salvage begins with
//! [`for_salvage`]. The mended data is in a file without a name. The damaged file stays as it is.

use std::fs::File;
use std::io::Seek;
use std::path::Path;

use pzcomp::recovery::DamagedGroup;
use pzcomp::{Encode, Error, Format, Recovery};

use super::Work;
use crate::error::{CliError, Kind};
use crate::pending::PendingFiles;
use crate::request::{Mode, Request};
use crate::source::OpenInput;
use system::facts::Facts;
use system::folder::{Folder, folder_of};

/// What can be done about an input that could not be decompressed.
pub(crate) enum Rescue {
    /// Nothing: the failure is not about damage, or there are no recovery records.
    Nothing,
    /// The whole file can be had again, as these words say.
    Advice(&'static str),
    /// The mended file, which has no name.
    Mended(File),
}

/// What can be done about this failure. The mended file is made in `folder`, if it is wanted.
pub(crate) fn rescue(
    failure: &CliError,
    opened: &OpenInput,
    request: &Request,
    folder: Option<&Folder>,
) -> Rescue {
    let error = match &failure.kind {
        Kind::Library(error) | Kind::Discarded(error, _) => Some(error),
        // Reads of a range have errors of the system.
        Kind::Cannot(_, error) => error.get_ref().and_then(|error| error.downcast_ref()),
        _ => None,
    };
    let Some(error) = error else { return Rescue::Nothing };
    let is_damage = matches!(
        error,
        Error::Corrupt { .. }
            | Error::Truncated { .. }
            | Error::Unfinished { .. }
            | Error::NoEnd { .. }
            | Error::TrailingGarbage { .. }
            | Error::NotCompressed { .. }
            | Error::Unsupported { .. }
            | Error::Read { .. }
    );
    if !request.mends || !is_damage {
        return Rescue::Nothing;
    }
    if !opened.facts.is_file() {
        // What is no compressed data, or asks for something else, is rarely a damaged file. Not every format has room
        // for records.
        let takes_records =
            |format: &Format| Encode::builder(*format).recovery(Recovery::default()).build().is_ok();
        let has_none = match error {
            Error::Corrupt { format, .. } | Error::Truncated { format, .. } => {
                format.parse().ok().filter(takes_records).is_none()
            }
            error => matches!(error, Error::NotCompressed { .. } | Error::Unsupported { .. }),
        };
        if has_none {
            return Rescue::Nothing;
        }
        // Records stand behind the data that they protect, so they may not have been read.
        return Rescue::Advice(
            "if it was written with --recovery, it can be repaired: save it to a file, and pzcomp --repair that file",
        );
    }
    let Ok(rest) = opened.rest() else { return Rescue::Nothing };
    let work = Work { opened, rest, request, pending_files: &PendingFiles::default() };
    let Some((beside, _)) =
        work.examine().ok().filter(|(_, found)| found.is_mendable() && !found.is_intact())
    else {
        return without_records(error, opened, request);
    };
    match folder.and_then(|folder| work.mended(beside.as_ref().map(|(file, _)| file), folder)) {
        Some(file) if beside.is_some() && work.check_version(Some(&file)).is_err() => Rescue::Advice(
            "the records in the .pzr beside it are of another version of the file, and are not used",
        ),
        Some(file) => Rescue::Mended(file),
        None => Rescue::Advice("is damaged, and can be repaired: pzcomp --repair FILE"),
    }
}

/// What can be done about a damaged file that its recovery records do not mend.
fn without_records(error: &Error, opened: &OpenInput, request: &Request) -> Rescue {
    let is_named_coded = || {
        let path = opened.path.as_ref().and_then(|path| path.to_str()).unwrap_or_default();
        Format::readable().any(|format| path.ends_with(format.suffix()))
    };
    match error {
        Error::Corrupt { .. } if request.options.zstd.dictionary.is_some() => Rescue::Advice(
            "if it is not damaged, it was compressed with another dictionary: one without a number cannot be told from \
             another",
        ),
        Error::NotCompressed { .. } if is_named_coded() => {
            Rescue::Advice("if it was compressed, try pzcomp -d --salvage FILE")
        }
        Error::NotCompressed { .. } | Error::Unsupported { .. } | Error::NoEnd { .. } => Rescue::Nothing,
        // The error of -d says it, with the name of the output.
        _ if request.mode() == Mode::Test => Rescue::Advice("pzcomp -d --salvage FILE gets what is intact"),
        _ => Rescue::Nothing,
    }
}

/// A damaged file for salvage, as far as its recovery records mend it, and what was mended in words. It is made in the
/// folder of the output. There is no file if the records are not used, as the words say, and nothing at all if nothing
/// is to be mended.
pub(crate) fn for_salvage(
    opened: &OpenInput,
    request: &Request,
    output: Option<&Path>,
) -> Option<(Option<OpenInput>, String)> {
    if !opened.facts.is_file() {
        return None;
    }
    let rest = opened.rest().ok()?;
    let work = Work { opened, rest, request, pending_files: &PendingFiles::default() };
    let (beside, found) = work.examine().ok()?;
    if found.is_intact() || found.is_displaced {
        return None;
    }
    let is_lost = |group: &DamagedGroup| group.lacking > 0;
    if found.lost_groups as usize == found.damaged.len()
        && found.damaged.iter().all(is_lost)
        && found.moved_shards == 0
    {
        return None;
    }
    let folder = match output {
        Some(output) => folder_of(output).to_owned(),
        None => std::env::temp_dir(),
    };
    let made = Folder::open(&folder).ok();
    let made = made.and_then(|folder| work.mended(beside.as_ref().map(|(file, _)| file), &folder));
    let Some(file) = made else {
        let what = format!(
            "its recovery records are not used: the mended file cannot be made in {}",
            folder.display()
        );
        return Some((None, what));
    };
    if beside.is_some() && work.check_version(Some(&file)).is_err() {
        let what =
            "the records in the .pzr beside it are of another version of the file, and are not used".into();
        return Some((None, what));
    }
    let facts = Facts::of(&file).ok()?;
    let what = match (found.is_mendable(), found.lost_groups) {
        (true, _) => {
            "is damaged; its recovery records gave back what is missing. pzcomp --repair mends the file itself".into()
        }
        (false, 0) => {
            "its end is missing; the recovery records mended what is before. The offsets below count in the mended file".into()
        }
        (false, lost) => format!(
            "groups beyond repair: {lost}; the recovery records gave back the others. The offsets below count in the mended file"
        ),
    };
    Some((Some(OpenInput { file, facts, path: opened.path.clone(), producer: None }), what))
}

impl Work<'_> {
    /// The file as far as it can be mended, in a file without a name.
    fn mended(&self, beside: Option<&File>, folder: &Folder) -> Option<File> {
        let mut file = folder.unnamed().ok()?;
        let mut repair = self.repairer().ok()?;
        if let Some(beside) = beside {
            repair = repair.beside(beside);
        }
        let mended = repair.run(self.input(), &file).ok()?;
        file.rewind().ok()?;
        (mended.has_records() && !mended.is_displaced).then_some(file)
    }
}
