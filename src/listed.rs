//! Compares the list of the members of a tar archive, which a file has of itself, with the data, for `-t`.
//!
//! The plain data comes in order, while it is decoded. Only its headers are looked at.

use std::sync::Arc;

use pzcomp::tar::{Member, Members};
use pzcomp::{EntryChoice, Error, ReadAt, Seekable};
use pzcomp_tar::{Event, Parser};

use super::error::{CliError, Kind};
use super::request::{Request, Task};
use super::source::{OpenInput, Rest};

/// The plain data of an input whose own list is to be compared with it.
pub(super) fn to_compare(opened: &OpenInput, request: &Request) -> Option<Seekable<Rest>> {
    if request.task != Task::Test || !opened.facts.is_file() {
        return None;
    }
    with_list(opened.again()?.rest().ok()?, request)
}

/// Whether this input has a list of its own.
pub(super) fn has_list(coded: &Arc<Vec<u8>>, request: &Request) -> bool {
    request.task == Task::Test && with_list(Arc::clone(coded), request).is_some()
}

fn with_list<T: ReadAt + 'static>(coded: T, request: &Request) -> Option<Seekable<T>> {
    let mut options = request.options.clone();
    options.entry = EntryChoice::First;
    // An error is found again when the data is decoded.
    let seekable = Seekable::with_options(coded, &options.decode().ok()?).ok()?;
    let is_listed = seekable.members().is_ok_and(|members| members.is_listed());
    is_listed.then_some(seekable)
}

/// Compares a list with the plain data, which comes in order.
pub(super) struct Comparison<'a> {
    listed: Members<'a, Rest>,
    parser: Parser,
    wrong: Option<String>,
}

/// What is wrong with a list.
const OTHER: &str = "the list of its members is that of other data, or is forged";

impl<'a> Comparison<'a> {
    pub(super) fn new(seekable: &'a Seekable<Rest>) -> Option<Self> {
        Some(Self { listed: seekable.members().ok()?, parser: Parser::new(), wrong: None })
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.wrong.is_none() {
            let skippable = usize::try_from(self.parser.skippable()).unwrap_or(usize::MAX).min(bytes.len());
            self.parser.skip(skippable as u64);
            bytes = &bytes[skippable..];
            match self.parser.feed(bytes) {
                Ok((read, event)) => {
                    bytes = &bytes[read..];
                    if let Some(Event::Member(member)) = event {
                        self.parser.skip_data();
                        self.compare(Some(*member));
                    }
                }
                Err(_) => self.wrong = Some(OTHER.into()),
            }
        }
    }

    fn compare(&mut self, member: Option<Member>) {
        self.wrong = match (self.listed.next(), member) {
            (Some(Err(error)), _) => {
                let what = match error {
                    Error::Index { what, .. } => what,
                    error => error.to_string(),
                };
                Some(format!("{what}, so -l --tar and --extract decode all of the data"))
            }
            (Some(Ok(listed)), Some(member)) if listed == member => None,
            (None, None) => None,
            _ => Some(OTHER.into()),
        };
    }

    /// The data is at its end, and is whole.
    pub(super) fn end(mut self) -> Result<(), CliError> {
        if self.wrong.is_none() {
            self.compare(None);
        }
        match self.wrong {
            None if self.parser.is_complete() => Ok(()),
            wrong => {
                let wrong = wrong.unwrap_or_else(|| OTHER.into());
                let what = format!(
                    "the data is whole, but {wrong}; pzcomp --index makes a right one beside the file, and --repair mends \
                     it if there are recovery records"
                );
                Err(Kind::Failed(what).into())
            }
        }
    }
}
