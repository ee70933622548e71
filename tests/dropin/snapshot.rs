//! What is in a folder: to say that a run changed nothing but what it should.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::member::Member;

/// All that is in a folder, by its path in there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Snapshot(BTreeMap<String, Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    /// Permissions, owner, group, and the time of the last change in seconds and nanoseconds.
    metadata: (u32, u32, u32, i64, i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    File(Vec<u8>),
    Link(String),
    Fifo,
}

impl Snapshot {
    pub(crate) fn of(folder: &Path) -> Self {
        let mut entries = BTreeMap::new();
        collect(folder, "", &mut entries);
        Self(entries)
    }

    /// Says how `self` differs from what is demanded; see [`crate::case::Case::leaves`].
    pub(crate) fn compare(&self, before: &Self, demanded: &[&str]) -> Result<(), String> {
        let names: Vec<&str> = demanded.iter().map(|demand| name_of(demand)).collect();
        let found: Vec<&str> = self.0.keys().map(String::as_str).collect();
        if found != names {
            return Err(format!("left behind is {found:?}, not {names:?}"));
        }
        for demand in demanded {
            let name = name_of(demand);
            let entry = &self.0[name];
            let complaint = match (demand.as_bytes().get(name.len()), &entry.kind) {
                (None, _) if before.0.get(name) == Some(entry) => None,
                (None, _) => Some("changed".into()),
                (Some(b'='), Kind::File(bytes)) => differs(bytes, &demand[name.len() + 1..]),
                (Some(_), Kind::File(bytes)) => match Member::read(bytes) {
                    Ok(member) => differs(&member.plain, &demand[name.len() + 1..]),
                    Err(why) => Some(why),
                },
                _ => Some("is no file".into()),
            };
            if let Some(complaint) = complaint {
                return Err(format!("{name}: {complaint}"));
            }
        }
        Ok(())
    }

    /// All paths, sorted: a demand that everything stays as it is.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

fn name_of(demand: &str) -> &str {
    demand.split(['=', ':']).next().unwrap_or_default()
}

fn differs(found: &[u8], demanded: &str) -> Option<String> {
    (found != demanded.as_bytes()).then(|| format!("holds {:?}", String::from_utf8_lossy(found)))
}

fn collect(folder: &Path, prefix: &str, entries: &mut BTreeMap<String, Entry>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().display());
        let metadata = entry.metadata().unwrap();
        let kind = match metadata.file_type() {
            kind if kind.is_dir() => {
                collect(&entry.path(), &format!("{name}/"), entries);
                continue;
            }
            kind if kind.is_symlink() => {
                Kind::Link(fs::read_link(entry.path()).unwrap().display().to_string())
            }
            kind if kind.is_fifo() => Kind::Fifo,
            _ => Kind::File(fs::read(entry.path()).unwrap()),
        };
        let metadata =
            (metadata.mode(), metadata.uid(), metadata.gid(), metadata.mtime(), metadata.mtime_nsec());
        // Who writes to a fifo changes its time.
        let metadata = if kind == Kind::Fifo { (metadata.0, metadata.1, metadata.2, 0, 0) } else { metadata };
        entries.insert(name, Entry { kind, metadata });
    }
}
