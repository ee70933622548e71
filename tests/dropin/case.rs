//! A case: what there is, what is run, and what has to come of it. It is run with the system's gzip too,
//! so that the expectation itself is tested.

use crate::harness::{Folder, Run, finish};
use crate::side::{SIDES, Side};
use crate::snapshot::Snapshot;

/// Shell functions for what cases begin with. Coded files are made by the system's gzip, or are these
/// bytes, so that their lengths are known.
const PRELUDE: &str = r"
set -e
umask 022
# A member of 26 bytes that holds a line of 6.
hello() { printf '\037\213\010\0\0\0\0\0\0\003\313H\315\311\311\347\002\0\040\060\072\066\006\0\0\0'; }
# Gives files the time 2001-02-03 04:05:06 UTC, 981173106 s.
old() { touch -d 2001-02-03T04:05:06Z -- $*; }
gnu() { /usr/bin/gzip $*; }
";

/// See the module. Made by [`case`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    guards: &'static str,
    given: &'static str,
    run: &'static str,
    status: i32,
    stdout: &'static str,
    stderr: &'static str,
    leaves: Option<&'static [&'static str]>,
    differs: Option<&'static str>,
}

/// What is guarded, in words; shell commands that make the folder what it is; and the one to look at,
/// which should end well, say nothing, and leave the folder as it was.
pub(crate) const fn case(guards: &'static str, given: &'static str, run: &'static str) -> Case {
    Case { guards, given, run, status: 0, stdout: "", stderr: "", leaves: None, differs: None }
}

impl Case {
    /// What comes on standard output. Here and on standard error, ` ##.#%` is any ratio.
    pub(crate) const fn prints(self, stdout: &'static str) -> Self {
        Self { stdout, ..self }
    }

    /// The exit status, and what comes on standard error.
    pub(crate) const fn says(self, status: i32, stderr: &'static str) -> Self {
        Self { status, stderr, ..self }
    }

    /// All files that are there afterwards, sorted, each as `name`: as it was before; `name=content`; or
    /// `name:content`: one gzip member with this content.
    pub(crate) const fn leaves(self, files: &'static [&'static str]) -> Self {
        Self { leaves: Some(files), ..self }
    }

    /// GNU gzip as it is installed may do otherwise, and what: only our side is checked.
    pub(crate) const fn differs(self, how: &'static str) -> Self {
        Self { differs: Some(how), ..self }
    }

    fn check(&self, side: Side) -> Result<(), String> {
        let folder = Folder::new();
        let given = format!("{PRELUDE}{}", self.given);
        let run = finish(Side::System.shell(&given, &folder).spawn().unwrap());
        if !run.status.success() || !run.stderr.is_empty() {
            return Err(format!("cannot be set up: {run:?}"));
        }
        let before = Snapshot::of(&folder.path(""));
        let Run { status, stdout, stderr } = finish(side.shell(self.run, &folder).spawn().unwrap());
        let stdout = String::from_utf8_lossy(&stdout).into_owned();
        for (what, found, demanded) in [("stdout", stdout, self.stdout), ("stderr", stderr, self.stderr)] {
            let found = if demanded.contains(ANY_RATIO) { hide_ratios(&found) } else { found };
            if found != demanded {
                return Err(format!("{what} is {found:?}, not {demanded:?} ({status})"));
            }
        }
        if status.code() != Some(self.status) {
            return Err(format!("{status}, not {}", self.status));
        }
        let after = Snapshot::of(&folder.path(""));
        after.compare(&before, self.leaves.unwrap_or(&before.names()))
    }
}

/// Checks all cases on both sides, and tells of all that fail.
#[track_caller]
pub(crate) fn check(cases: &[Case]) {
    let mut failures = String::new();
    for case in cases {
        for side in SIDES {
            if side == Side::System && case.differs.is_some() {
                continue;
            }
            if let Err(why) = case.check(side) {
                failures.push_str(&format!("{side:?}: {}\n  $ {}\n  {why}\n", case.guards, case.run));
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

const ANY_RATIO: &str = " ##.#%";

/// Puts a sign in the place of every ratio, which is five characters and a percent sign.
fn hide_ratios(text: &str) -> String {
    let mut parts: Vec<String> = text.split('%').map(String::from).collect();
    let last = parts.len() - 1;
    for part in &mut parts[..last] {
        let at = part.len().saturating_sub(5);
        match part.get(at..).map(|number| number.trim_start().parse::<f64>()) {
            Some(Ok(_)) => part.replace_range(at.., ANY_RATIO.trim_end_matches('%')),
            _ => return text.into(),
        }
    }
    parts.join("%")
}
