//! At a terminal: who may be asked is asked, and coded data is kept off it.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;

use crate::harness::{Folder, finish};
use crate::pty::terminal;
use crate::side::{SIDES, Side};

/// A folder in which `gzip c` meets a file that is there.
fn conflict() -> Folder {
    let folder = Folder::new();
    folder.write("c", "new\n");
    folder.write("c.gz", "old\n");
    folder
}

fn gzip(side: Side, folder: &Folder, args: &str) -> Command {
    let mut command = side.command("gzip", folder);
    command.args(args.split_whitespace());
    command
}

const QUESTION: &str = "gzip: c.gz already exists; do you wish to overwrite (y or n)? ";

#[test]
fn who_sits_at_a_terminal_is_asked() {
    for (answer, said, status, overwritten) in [
        ("y\n", "", 0, true),
        ("yes, please\n", "", 0, true),
        ("Y\n", "", 0, true),
        ("n\n", "\tnot overwritten\n", 2, false),
        ("\n", "\tnot overwritten\n", 2, false),
        ("no\n", "\tnot overwritten\n", 2, false),
    ] {
        for side in SIDES {
            let folder = conflict();
            let (user, program) = terminal();
            File::from(user.try_clone().unwrap()).write_all(answer.as_bytes()).unwrap();
            let run = finish(gzip(side, &folder, "c").stdin(program).spawn().unwrap());
            let found = (run.status.code(), run.stderr, folder.has("c"));
            assert_eq!(
                found,
                (Some(status), format!("{QUESTION}{said}"), !overwritten),
                "{side:?}: {answer:?}"
            );
            assert_eq!(folder.read("c.gz") == b"old\n", !overwritten, "{side:?}: {answer:?}");
        }
    }
}

#[test]
fn a_terminal_that_is_gone_is_a_no() {
    for side in SIDES {
        let folder = conflict();
        let (user, program) = terminal();
        drop(user);
        let run = finish(gzip(side, &folder, "c").stdin(program).spawn().unwrap());
        assert_eq!(run.status.code(), Some(2), "{side:?}: {}", run.stderr);
        assert_eq!(folder.read("c.gz"), b"old\n", "{side:?}");
        assert!(folder.has("c"), "{side:?}");
    }
}

#[test]
fn every_file_is_asked_about() {
    for side in SIDES {
        let folder = conflict();
        folder.write("d", "d");
        folder.write("d.gz", "old\n");
        let (user, program) = terminal();
        File::from(user.try_clone().unwrap()).write_all(b"n\ny\n").unwrap();
        let run = finish(gzip(side, &folder, "c d").stdin(program).spawn().unwrap());
        let said = format!("{QUESTION}\tnot overwritten\n{}", QUESTION.replace("c.gz", "d.gz"));
        assert_eq!((run.status.code(), run.stderr), (Some(2), said), "{side:?}");
        assert_eq!(folder.names(), ["c", "c.gz", "d.gz"], "{side:?}");
    }
}

#[test]
fn force_asks_nobody() {
    for side in SIDES {
        let folder = conflict();
        let (_user, program) = terminal();
        finish(gzip(side, &folder, "-f c").stdin(program).spawn().unwrap()).fine();
        assert_eq!(folder.names(), ["c.gz"], "{side:?}");
    }
}

#[test]
fn somebody_can_be_presumed() {
    for side in SIDES {
        let folder = conflict();
        let script = "echo y | gzip ---presume-input-tty c";
        let run = finish(side.shell(script, &folder).spawn().unwrap());
        assert_eq!((run.status.code(), run.stderr.as_str()), (Some(0), QUESTION), "{side:?}");
        assert_eq!(folder.names(), ["c.gz"], "{side:?}");
    }
}

#[test]
fn coded_data_is_not_written_to_a_terminal() {
    let refusal = "gzip: compressed data not written to a terminal. Use -f to force compression.\n\
                   For help, type: gzip -h\n";
    for side in SIDES {
        let folder = Folder::new();
        folder.write("a", "hello\n");
        for args in ["", "-"] {
            let (_user, program) = terminal();
            let run = finish(gzip(side, &folder, args).stdout(program).spawn().unwrap());
            assert_eq!((run.status.code(), run.stderr.as_str()), (Some(1), refusal), "{side:?}: {args:?}");
        }
        let (user, program) = terminal();
        finish(gzip(side, &folder, "-cf a").stdout(program).spawn().unwrap()).fine();
        let mut magic = [0; 2];
        File::from(user).read_exact(&mut magic).unwrap();
        assert_eq!(magic, [0x1f, 0x8b], "{side:?}");
    }
}

#[test]
fn coded_data_is_not_read_from_a_terminal() {
    let refusal = "gzip: compressed data not read from a terminal. Use -f to force decompression.\n\
                   For help, type: gzip -h\n";
    for side in SIDES {
        for args in ["-d", "-dc", "-t"] {
            let (_user, program) = terminal();
            let run = finish(gzip(side, &Folder::new(), args).stdin(program).spawn().unwrap());
            assert_eq!((run.status.code(), run.stderr.as_str()), (Some(1), refusal), "{side:?}: {args:?}");
        }
    }
}

#[test]
fn plain_data_and_tables_go_to_a_terminal() {
    for side in SIDES {
        let folder = Folder::new();
        let script = "printf x >x; gzip x";
        finish(side.shell(script, &folder).spawn().unwrap()).fine();
        for (args, begin) in [("-dc x.gz", b"x"), ("-l x.gz", b" "), ("-h", b"U"), ("-V", b"g")] {
            let (user, program) = terminal();
            finish(gzip(side, &folder, args).stdout(program).spawn().unwrap()).fine();
            let mut first = [0];
            File::from(user).read_exact(&mut first).unwrap();
            assert_eq!(&first, begin, "{side:?}: {args}");
        }
    }
}

#[test]
fn files_are_worked_on_at_a_terminal_without_a_word() {
    for side in SIDES {
        let folder = Folder::new();
        folder.write("a", "hello\n");
        for args in ["a", "-d a.gz"] {
            let (user, program) = terminal();
            let mut command = gzip(side, &folder, args);
            command.stdin(program.try_clone().unwrap()).stdout(program.try_clone().unwrap()).stderr(program);
            assert!(command.status().unwrap().success(), "{side:?}: {args}");
            drop(command);
            let mut said = String::new();
            // The end of a terminal is an error.
            let _ = File::from(user).read_to_string(&mut said);
            assert_eq!(said, "", "{side:?}: {args}");
        }
    }
}
