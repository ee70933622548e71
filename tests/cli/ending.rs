//! How it ends when the world does not play along: closed pipes, full disks, signals.
//!
//! The real binary is started in a folder of its own; `send` gives it a signal, `wait_until` waits for what must come,
//! and `died_by` and `says` judge the end. What gzip and the others do there is in `tests/scenes/`.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::Signal;

use crate::harness::{Folder, finish, noise, send, text, wait_until};

/// A run that has begun to write the file `out` and waits for more input from a pipe.
fn waiting(folder: &Folder, args: &str) -> (Child, File) {
    folder.fifo("input");
    let child = folder.command(args.split_whitespace()).spawn().unwrap();
    let mut input = File::options().write(true).open(folder.path("input")).unwrap();
    input.write_all(&noise(100_000)).unwrap();
    wait_until("the partial file", || has_partial(folder));
    (child, input)
}

fn has_partial(folder: &Folder) -> bool {
    folder.names().iter().any(|name| name.ends_with(".partial"))
}

#[test]
fn signals_remove_the_partial_output_and_nothing_else() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::XCPU] {
        let folder = Folder::new();
        folder.write("bystander", "x");
        let (child, _input) = waiting(&folder, "-o out input");
        send(&child, signal);
        finish(child).died_by(signal);
        assert_eq!(folder.names(), ["bystander", "input"], "{signal:?}");
    }
}

#[test]
fn a_signal_leaves_the_file_that_was_to_be_overwritten() {
    let folder = Folder::new();
    folder.write("out", "precious");
    let (child, _input) = waiting(&folder, "-f -o out input");
    send(&child, Signal::TERM);
    finish(child).died_by(Signal::TERM);
    assert_eq!(folder.read("out"), b"precious");
    assert_eq!(folder.names(), ["input", "out"]);
}

/// A file that has other names is written in place where the original does so. Half of it would look like all of it.
#[test]
fn a_signal_empties_the_file_that_is_written_in_place() {
    let folder = Folder::new();
    folder.write("out", "of no use any more");
    std::fs::hard_link(folder.path("out"), folder.path("other")).unwrap();
    let args = ["--as", "lz4", "-q", "-f", "-", "out"];
    let mut child = folder.command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than what waits in buffers, so that some of it is written.
    input.write_all(&noise(16_000_000)).unwrap();
    wait_until("the first output", || folder.read("out").starts_with(b"\x04\x22\x4d\x18"));
    send(&child, Signal::TERM);
    finish(child).died_by(Signal::TERM);
    drop(input);
    assert_eq!((folder.read("out"), folder.read("other")), (Vec::new(), Vec::new()));
    assert_eq!(folder.names(), ["other", "out"]);
}

#[test]
fn a_filter_dies_by_signals_as_filters_do() {
    let folder = Folder::new();
    let child = folder.command([""; 0]).stdin(Stdio::piped()).spawn().unwrap();
    send(&child, Signal::INT);
    finish(child).died_by(Signal::INT);
}

#[test]
fn signals_that_the_caller_ignores_stay_ignored() {
    let folder = Folder::new();
    folder.fifo("input");
    let child = folder.shell("trap '' HUP INT; exec $0 -o out input").spawn().unwrap();
    let mut input = File::options().write(true).open(folder.path("input")).unwrap();
    wait_until("the partial file", || has_partial(&folder));
    send(&child, Signal::HUP);
    send(&child, Signal::INT);
    input.write_all(b"to the end").unwrap();
    drop(input);
    finish(child).fine();
    assert_eq!(folder.run("-dc out").fine(), b"to the end");
}

#[test]
fn files_beyond_the_limit_of_their_size_are_not_left_behind() {
    let folder = Folder::new();
    folder.write("input", noise(1_000_000));
    let run = folder.sh("ulimit -f 8; exec $0 --rm input");
    run.says(1, &["pzcomp: input.zst: cannot write", "File too large"]);
    assert_eq!(folder.names(), ["input"]);
    // The shell has made this one.
    let run = folder.sh("ulimit -f 8; exec $0 -c input >out");
    run.says(1, &["pzcomp: stdout: cannot write", "File too large"]);
}

#[test]
fn whose_reader_is_gone_dies_by_sigpipe() {
    let folder = Folder::new();
    folder.write("plain", noise(4_000_000));
    folder.run("plain").fine();
    for args in ["-c plain", "-dc plain.zst", "-l plain.zst", "--help", "-c plain plain"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        finish(folder.command(args.split_whitespace()).stdout(writer).spawn().unwrap()).died_by(Signal::PIPE);
    }
    assert_eq!(folder.names(), ["plain", "plain.zst"]);
}

#[test]
fn a_full_disk_is_a_sentence_and_status_1() {
    let folder = Folder::new();
    folder.write("plain", text(3_000_000));
    folder.run("plain").fine();
    for args in ["-c plain", "-dc plain.zst", "-l plain.zst", "--help"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let child = folder.command(args.split_whitespace()).stdout(full).spawn().unwrap();
        let run = finish(child).says(1, &["pzcomp: stdout: cannot write", "No space left"]);
        assert_eq!(run.stderr.lines().count(), 1, "{args}: {}", run.stderr);
    }
    folder.run("-o /dev/full plain").says(1, &["pzcomp: /dev/full: cannot write", "No space left"]);
}

#[test]
fn a_full_standard_output_stops_the_files_that_follow() {
    let folder = Folder::new();
    folder.write("plain", noise(100_000));
    let full = File::options().write(true).open("/dev/full").unwrap();
    let run = finish(folder.command(["-c", "plain", "plain", "missing"]).stdout(full).spawn().unwrap());
    assert_eq!(run.says(1, &["No space left"]).stderr.lines().count(), 1);
}

#[test]
fn a_closed_standard_error_changes_nothing() {
    let folder = Folder::new();
    folder.write("plain", "x");
    let mut child = folder.command(["-v", "plain", "missing"]).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(folder.has("plain.zst"));
}

#[test]
fn an_output_in_a_folder_that_takes_no_files_is_named() {
    let folder = Folder::new();
    // Nobody creates files there, not even root.
    if Path::new("/proc/self").exists() {
        let run = folder.pipe("-o /proc/out", "x");
        run.says(1, &["pzcomp: /proc/out: cannot create a file in its folder"]);
    }
}
