//! Files that list the members of their tar archives: only the chosen members are read.
//!
//! A member in data that is damaged is told, and the others are taken all the same. A hard link whose target is not
//! taken gets the data of the target, which the list finds.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use pzcomp::tar::{Kind as Of, Member};
use pzcomp::{EntryChoice, Error, Seekable, printable};

use super::super::{open, open_alone};
use super::choice::{Choice, plain};
use super::extractor::{As, Extractor, Nothing, Take};
use super::targets::{Target, targets};
use crate::error::{CliError, Kind};
use crate::request::{Mode, Request};
use crate::source::{OpenInput, Rest};
use crate::tool::Status;

/// How much of the data of a member is read at a time.
const PART_LEN: usize = 1 << 20;

/// The most memory for names of members that were lost.
const LOST_MAX: usize = 16 << 20;

/// Whether a list has the members of an input.
pub(super) enum Listed {
    Whole(Seekable<Rest>),
    /// There is a list, and it cannot be read.
    Damaged(Error),
    /// There is no list, or headers in other places say something of the members.
    No,
}

/// The plain data of an input whose members a list has. Of `-l` it is not known yet whether the list is whole. `warn`
/// gets a name and a warning.
pub(super) fn listed(
    opened: &OpenInput,
    request: &Request,
    warn: &mut dyn FnMut(&str, String),
) -> Result<Listed, CliError> {
    let again = || opened.again().filter(|_| opened.facts.is_file());
    let Some(first) = again() else { return Ok(Listed::No) };
    // The names are those of members, and not of entries of a 7z or qpress archive.
    let mut of_all = request.clone();
    of_all.options.entry = EntryChoice::First;
    let seekable = match (open(first, &of_all), again()) {
        // The index is of an earlier state of the file, for example, and members are found without it.
        (Err(CliError { kind: Kind::Library(Error::Index { what, .. }), about, .. }), Some(again)) => {
            let name = about.unwrap_or_else(|| opened.name());
            warn(
                &name,
                format!(
                    "{what}, so this index is not used; make it again with pzcomp -f --index, or remove it"
                ),
            );
            open_alone(again, &of_all)?
        }
        (opened, _) => opened?,
    };
    let members = seekable.members().map_err(Kind::Library)?;
    if !members.is_listed() {
        return Ok(Listed::No);
    }
    if request.mode() == Mode::List {
        return Ok(Listed::Whole(seekable));
    }
    for member in members {
        match member {
            Ok(member) if member.is_global => return Ok(Listed::No),
            Ok(_) => {}
            Err(error) => return Ok(Listed::Damaged(error)),
        }
    }
    Ok(Listed::Whole(seekable))
}

/// The warning that a list cannot be read. Other errors are errors.
pub(super) fn without_list(error: Error) -> Result<String, CliError> {
    match error {
        Error::Index { what, .. } => Ok(format!(
            "{what}, so all of the data is decoded. pzcomp --index makes a new list beside the file"
        )),
        error => Err(Kind::Library(error).into()),
    }
}

/// Puts the chosen members into `to` whose first headers are at `from` or behind it.
pub(super) fn take(
    seekable: &Seekable<Rest>,
    choice: &mut Choice,
    from: u64,
    to: &mut dyn Take,
) -> Result<(), CliError> {
    let targets = match to.wants_archive() {
        true => BTreeMap::new(),
        false => targets(seekable, choice)?,
    };
    let (mut buffer, mut failed, mut lost) = (vec![0; PART_LEN], Ok(()), Lost::default());
    for member in seekable.members().map_err(Kind::Library)? {
        let member = member.map_err(Kind::Library)?;
        if member.header < from || !choice.takes(&member.name) {
            continue;
        }
        if member.kind() == Of::HardLink && !to.wants_archive() && lost.has(&member.link) {
            // The folder may have an older version of the target.
            let target = printable(&member.link);
            to.problem(Status::Error, &member.name, format!("is another name of '{target}', which was lost"));
            lost.add(&member.name);
            continue;
        }
        let target = targets.get(&member.header).filter(|_| !to.has_target(&member));
        let copied = match target {
            None => copy(seekable, &member, &mut *to, &mut buffer)?,
            // The headers of all links are compared with the list too.
            Some(Target { file, through }) => {
                let mut links = iter::once(&member).chain(through);
                let compared = links.try_fold(Ok(()), |right: Result<(), CliError>, link| match right {
                    Ok(()) => copy(seekable, link, &mut Nothing, &mut buffer),
                    wrong => Ok(wrong),
                })?;
                match compared {
                    Ok(()) => copy(seekable, file, &mut As { to: &mut *to, link: &member }, &mut buffer)?,
                    failure => failure,
                }
            }
        };
        if copied.is_ok() {
            lost.remove(&member.name);
        } else if let Err(failure) = copied {
            if !to.give_up() {
                return Err(failure);
            }
            to.problem(
                Status::Error,
                &member.name,
                "is in data that is damaged, and was not extracted".into(),
            );
            lost.add(&member.name);
            failed = failed.and(Err(failure));
        }
    }
    failed
}

/// Names whose last version was lost.
#[derive(Default)]
struct Lost {
    names: BTreeSet<Vec<u8>>,
    cost: usize,
}

impl Lost {
    /// Beyond the most memory every name counts as lost.
    fn has(&self, name: &[u8]) -> bool {
        self.cost > LOST_MAX || self.names.contains(plain(name))
    }

    fn add(&mut self, name: &[u8]) {
        if self.cost <= LOST_MAX && self.names.insert(plain(name).to_vec()) {
            self.cost += name.len() + size_of::<Vec<u8>>();
        }
    }

    fn remove(&mut self, name: &[u8]) {
        self.names.remove(plain(name));
    }
}

/// Reads a member. The inner error is that of data that cannot be read.
fn copy(
    seekable: &Seekable<Rest>,
    member: &Member,
    to: &mut dyn Take,
    buffer: &mut [u8],
) -> Result<Result<(), CliError>, CliError> {
    let mut extractor = Extractor::of(member, to);
    let mut at = member.header;
    while at < member.end && extractor.wants_more() {
        let len = buffer.len().min(usize::try_from(member.end - at).unwrap_or(usize::MAX));
        // Nothing of a short member is written before all of it is read.
        let mut filled = 0;
        while filled < len {
            match seekable.read_at(&mut buffer[filled..len], at + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) => return Ok(Err(CliError::cannot("read the member")(error))),
            }
        }
        if filled == 0 {
            break;
        }
        extractor.feed(&buffer[..filled])?;
        at += filled as u64;
    }
    extractor.end().map(Ok)
}
