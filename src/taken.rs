//! Whether everything that an input holds is in its output. Only then may the input be removed.
//!
//! `work` asks [`TakenWhole::of`] when the output of an input is complete, and `source` removes no input without the
//! [`TakenWhole`] that comes of it. There is no other way to make one, so a new reason to keep an input belongs here.

use pzcomp::Unknown;

use super::size::count;
use super::tool::{Done, Status};

/// Says that an input was taken whole.
#[derive(Debug)]
pub(super) struct TakenWhole(());

impl TakenWhole {
    /// Judges a stream that ended well. `told` is the worst of the messages about it. Fails with the reason to keep the
    /// input.
    pub(super) fn of(done: &Done, told: Status) -> Result<Self, String> {
        let Done { summary, request, salvaged, .. } = done;
        if salvaged.is_some_and(|report| !report.is_whole()) {
            return Err("not all of it was salvaged".into());
        }
        let left = summary.entries.iter().filter(|entry| !entry.is_chosen).count();
        if left > 0 {
            return Err(format!("{} of this archive not taken", count(left as u64, "file")));
        }
        let copies = match request.options.unknown {
            Unknown::Copy => true,
            // Garbage at offset 0 is the whole input.
            Unknown::CopyWhole => summary.trailing.garbage == Some(0),
            _ => false,
        };
        if summary.trailing.more.is_some() {
            return Err("only the first file of this archive was taken".into());
        }
        if let Some(offset) = summary.trailing.left_from(copies) {
            return Err(format!("the bytes from offset {offset} on were not taken"));
        }
        match told {
            Status::Fine => Ok(Self(())),
            // All of the data is there, although nothing has verified it.
            Status::Warning if summary.unverified && summary.trailing.zeros == 0 => Ok(Self(())),
            Status::Warning | Status::Error => Err("there was a warning about it".into()),
        }
    }
}
