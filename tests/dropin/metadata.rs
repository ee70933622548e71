//! Rights and owners, for root and for an ordinary user.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use crate::harness::{Folder, Run, finish, is_root};
use crate::side::{SIDES, Side, link_names};

/// An ordinary user: `nobody`, if root runs the tests, and else who does.
struct Ordinary {
    /// Holds our names, where that user can reach them.
    names: Folder,
}

const NOBODY: u32 = 65534;

impl Ordinary {
    fn new() -> Self {
        let names = Folder::new();
        open_up(&names);
        // Copied by another process: a file that is open for writing, if only in a child of another test that
        // is just being forked, cannot be executed.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_pzcomp")).arg(names.path("pzcomp")).status();
        assert!(copied.unwrap().success());
        link_names(&names.path(""), Path::new("pzcomp"));
        Self { names }
    }

    /// A folder that is that user's.
    fn folder(&self) -> Folder {
        let folder = Folder::new();
        open_up(&folder);
        if is_root() {
            chown(folder.path(""), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        folder
    }

    fn run(&self, side: Side, script: &str, folder: &Folder) -> Run {
        let mut command: Command = match is_root() {
            true => {
                let mut command = side.command("setpriv", folder);
                let ids = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
                command.args(ids).args(["--clear-groups", "timeout", "60", "sh", "-c", script]);
                command
            }
            false => side.shell(script, folder),
        };
        if side == Side::Ours {
            command.env("PATH", format!("{}:/usr/bin:/bin", self.names.path("").display()));
        }
        finish(command.spawn().unwrap())
    }
}

fn open_up(folder: &Folder) {
    std::fs::set_permissions(folder.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a script that is for root, without a word.
fn as_root(side: Side, script: &str, folder: &Folder) -> String {
    String::from_utf8(finish(side.shell(script, folder).spawn().unwrap()).fine()).unwrap()
}

#[test]
fn users_keep_mode_and_times() {
    let user = Ordinary::new();
    for side in SIDES {
        let folder = user.folder();
        let script = "echo a >a; chmod 640 a; touch -d @981173106 a; stat -c '%a %u %g %Y' a; \
                      gzip a; stat -c '%a %u %g %Y' a.gz; chmod 444 a.gz; gzip -d a.gz; stat -c '%a %u %g %Y' a";
        let told = String::from_utf8(user.run(side, script, &folder).fine()).unwrap();
        let lines: Vec<&str> = told.lines().collect();
        assert!(lines[0].starts_with("640 ") && lines[0].ends_with(" 981173106"), "{side:?}: {told}");
        assert_eq!(lines[1], lines[0], "{side:?}");
        assert_eq!(lines[2], lines[0].replacen("640", "444", 1), "{side:?}");
    }
}

#[test]
fn users_are_told_what_they_may_not() {
    if is_root() {
        let user = Ordinary::new();
        for side in SIDES {
            let folder = user.folder();
            let setup = "echo a >a; chmod 600 a; mkdir d; echo b >d/b; chmod 666 d/b; /usr/bin/gzip -k d/b";
            as_root(side, setup, &folder);
            for (script, stderr) in [
                ("gzip a", "gzip: a: Permission denied\n"),
                ("gzip -c a", "gzip: a: Permission denied\n"),
                ("gzip -f d/b", "gzip: d/b.gz: Permission denied\n"),
                ("rm -f d/c; gzip -S .x d/b", "gzip: d/b.x: Permission denied\n"),
            ] {
                let run = user.run(side, script, &folder);
                assert_eq!(run.status.code(), Some(1), "{side:?}: {script}");
                // We name the folder that takes no file, they the file that it does not take.
                let names = side == Side::System || !script.contains("d/b");
                let end = if names { stderr } else { ": Permission denied\n" };
                assert!(run.stderr.ends_with(end), "{side:?}: {script}: {}", run.stderr);
            }
            assert_eq!(as_root(side, "cat a d/b; ls d", &folder), "a\nb\nb\nb.gz\n", "{side:?}");
        }
    } else {
        eprintln!("skipped: only root can make files that others may not read");
    }
}

#[test]
fn what_was_others_becomes_the_users_and_no_more_open() {
    if is_root() {
        let user = Ordinary::new();
        for side in SIDES {
            for mode in ["644", "604"] {
                let folder = user.folder();
                as_root(side, &format!("echo a >a; chmod {mode} a"), &folder);
                let told = user.run(side, "gzip a; stat -c '%a %u' a.gz", &folder).fine();
                assert_eq!(String::from_utf8_lossy(&told), format!("{mode} {NOBODY}\n"), "{side:?}");
                assert_eq!(folder.names(), ["a.gz"], "{side:?}");
            }
        }
    } else {
        eprintln!("skipped: only root can make files that are somebody else's");
    }
}

#[test]
fn root_keeps_owner_and_group() {
    if is_root() {
        for side in SIDES {
            let folder = Folder::new();
            let script = "echo a >a; chown 12:34 a; chmod 640 a; gzip a; stat -c '%a %u %g' a.gz; \
                          gzip -d a.gz; stat -c '%a %u %g' a";
            assert_eq!(as_root(side, script, &folder), "640 12 34\n640 12 34\n", "{side:?}");
        }
    } else {
        eprintln!("skipped: only root can give files away");
    }
}
