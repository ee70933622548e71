//! [`Fault`]: what is known of a loss, and how a report says it.

use crate::error::{Error, Size};
use crate::format::Format;
use crate::format::probe::Place;

/// What is known of a loss before the next place is found.
pub(super) struct Fault {
    pub(super) why: String,
    /// The plain length that the damaged unit states.
    pub(super) plain_len: Option<u64>,
    /// Where the header of the damaged unit says that it ends.
    pub(super) claim: Option<Place>,
    /// Whether the input seems to be cut off there.
    pub(super) is_cut: bool,
    /// The format of the damaged unit.
    pub(super) format: Option<Format>,
    /// A plain length that decoding has refuted. Whatever else states the same length is wrong too.
    pub(super) wrong_len: Option<u64>,
    /// How much memory must be allowed to decode the unit, which may be intact.
    pub(super) memory_needed: Option<Size>,
}

impl Fault {
    /// A loss of which only the reason is known.
    pub(super) fn of(why: &str) -> Self {
        Self {
            why: why.into(),
            plain_len: None,
            claim: None,
            is_cut: false,
            format: None,
            wrong_len: None,
            memory_needed: None,
        }
    }
}

/// What is wrong, without advice.
pub(super) fn why(error: &Error) -> String {
    match error {
        Error::Corrupt { what, .. } | Error::Unsupported { what, .. } => what.clone(),
        Error::Unfinished { .. } => {
            "the input ends there, and its recovery records say that more follows".into()
        }
        Error::Truncated { .. } => "the input ends inside the frame that begins there".into(),
        error => error.to_string(),
    }
}

/// The error of a format in which nothing can be found behind damage.
pub(super) fn undividable(format: Format) -> Error {
    let what = "its data is one stream that cannot be divided, so nothing behind the damage can be found; decompress it \
                without salvaging to get what is before the damage";
    Error::unsupported(format.name(), 0, what)
}
