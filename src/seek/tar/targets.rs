//! The regular files that chosen hard links lead to, as the list of an archive has them.
//!
//! A link to a link leads to the file of that link. What counts is the last version of a name before the link: what
//! stands further ahead is not the data that tar would give. A link whose target is no regular file then has none.

use std::collections::BTreeMap;

use pzcomp::Seekable;
use pzcomp::tar::{Kind as Of, Member};

use super::choice::{Choice, plain};
use crate::error::{CliError, Kind};
use crate::source::Rest;

/// The most memory for targets of hard links.
const TARGETS_MAX: usize = 64 << 20;

/// So many links may follow each other. Each of them takes another pass over the list.
const CHAIN_MAX: usize = 16;

/// Where a hard link leads to.
#[derive(Clone)]
pub(super) struct Target {
    /// The regular file.
    pub(super) file: Member,
    /// The links between the link and the file.
    pub(super) through: Vec<Member>,
}

impl Target {
    fn cost(&self) -> usize {
        let texts = |member: &Member| member.name.len() + member.user.len() + member.group.len();
        let members = self.through.iter().chain([&self.file]);
        members.map(|member| texts(member) + 2 * size_of::<Member>()).sum()
    }
}

/// The targets of the chosen hard links, by the offsets of the links.
pub(super) fn targets(
    seekable: &Seekable<Rest>,
    choice: &mut Choice,
) -> Result<BTreeMap<u64, Target>, CliError> {
    let mut names = BTreeMap::<Vec<u8>, Option<Target>>::new();
    let mut left = TARGETS_MAX;
    for member in seekable.members().map_err(Kind::Library)? {
        let member = member.map_err(Kind::Library)?;
        if member.kind() == Of::HardLink && choice.takes(&member.name) {
            let cost = member.link.len() + size_of::<Target>();
            let Some(rest) = left.checked_sub(cost) else { break };
            left = rest;
            names.entry(plain(&member.link).to_vec()).or_default();
        }
    }
    for _ in 0..CHAIN_MAX {
        if names.is_empty() {
            break;
        }
        let Found { targets, more } = find(seekable, choice, &mut names, left)?;
        if more.is_empty() {
            return Ok(targets);
        }
        // The targets of these links may be in front of them.
        names.extend(more.into_iter().map(|name| (name, None)));
        names.values_mut().for_each(|target| *target = None);
    }
    Ok(BTreeMap::new())
}

/// What a pass over the list finds.
struct Found {
    targets: BTreeMap<u64, Target>,
    /// Targets of links that other links lead to.
    more: Vec<Vec<u8>>,
}

/// Finds the files that have these names at each link.
fn find(
    seekable: &Seekable<Rest>,
    choice: &mut Choice,
    names: &mut BTreeMap<Vec<u8>, Option<Target>>,
    mut left: usize,
) -> Result<Found, CliError> {
    let mut found = Found { targets: BTreeMap::new(), more: Vec::new() };
    for member in seekable.members().map_err(Kind::Library)? {
        let member = member.map_err(Kind::Library)?;
        let (is_link, is_file) = (member.kind() == Of::HardLink, member.kind() == Of::File);
        let is_named = names.contains_key(plain(&member.name));
        let is_chosen_link = is_link && choice.takes(&member.name);
        if !is_named && !is_chosen_link {
            continue;
        }
        let target = match is_link {
            true => names.get(plain(&member.link)),
            false => None,
        };
        if is_link && target.is_none() {
            let cost = member.link.len() + size_of::<Target>();
            let Some(rest) = left.checked_sub(cost) else { break };
            left = rest;
            found.more.push(plain(&member.link).to_vec());
        }
        let target = target.cloned().flatten();
        if let Some(target) = target.as_ref().filter(|_| choice.takes(&member.name)) {
            let Some(rest) = left.checked_sub(target.cost()) else { break };
            left = rest;
            found.targets.insert(member.header, target.clone());
        }
        if let Some(version) = names.get_mut(plain(&member.name)) {
            *version = match target {
                Some(Target { file, mut through }) if through.len() < CHAIN_MAX => {
                    through.insert(0, member);
                    Some(Target { file, through })
                }
                _ => is_file.then(|| Target { file: member, through: Vec::new() }),
            };
        }
    }
    Ok(found)
}
