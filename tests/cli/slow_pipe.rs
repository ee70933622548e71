//! Pipes whose ends are slow: `--flush-interval`, for readers that must not wait.
//!
//! No test measures a time. A test waits until something comes, or fails after half a minute.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use pzcomp::Format;

use crate::harness::{Folder, finish};

/// `pzcomp ARGS | pzcomp -d`, both at work.
struct Relay {
    coder: Child,
    decoder: Child,
    /// The input, which stays open.
    input: ChildStdin,
    /// The lines that come out at the other end.
    lines: Receiver<String>,
}

impl Relay {
    fn new(folder: &Folder, args: &str) -> Self {
        let mut command = folder.command(args.split_whitespace());
        let mut coder = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut decoder = folder
            .command(["-d"])
            .stdin(coder.stdout.take().unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let plain = BufReader::new(decoder.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            plain.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { input: coder.stdin.take().unwrap(), coder, decoder, lines }
    }

    /// Waits for the next line.
    #[track_caller]
    fn receive(&self, what: &str) -> String {
        self.lines.recv_timeout(Duration::from_secs(30)).unwrap_or_else(|_| panic!("{what}: no line came"))
    }

    /// Ends the input, and demands that all went well.
    fn end(self) {
        let Self { coder, decoder, input, .. } = self;
        drop(input);
        finish(coder).fine();
        finish(decoder).fine();
    }
}

#[test]
fn a_line_reaches_the_reader_while_the_pipe_stays_open() {
    let folder = Folder::new();
    let own = Format::all().map(|format| format!("-F {format} --flush-interval 20ms"));
    let others = ["-F gzip --one-member --flush-interval=0.02s", "--as xz -c --flush-timeout=20"];
    for args in own.chain(others.map(String::from)) {
        let mut relay = Relay::new(&folder, &args);
        for line in ["first", "second", "third"] {
            relay.input.write_all(format!("{line}\n").as_bytes()).unwrap();
            assert_eq!(relay.receive(&args), line, "{args}");
        }
        relay.end();
    }
}

#[test]
fn bytes_leave_in_time_though_others_follow_them_all_the_time() {
    let folder = Folder::new();
    let mut relay = Relay::new(&folder, "--flush-interval 50ms");
    let is_over = || relay.lines.try_recv().is_ok();
    // The pauses are shorter than the interval, and all bytes together are shorter than a frame.
    for number in 0..3000 {
        relay.input.write_all(format!("line {number}\n").as_bytes()).unwrap();
        if is_over() {
            return relay.end();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no line came while others followed it");
}

#[test]
fn flushed_frames_hold_the_bytes_of_the_input_and_no_others() {
    let folder = Folder::new();
    let plain = crate::harness::text(600_000);
    for format in Format::all() {
        let coded = folder.pipe(&format!("-F {format} --flush-interval 1ms"), &plain).fine();
        assert!(folder.pipe("-d", coded).fine() == plain, "{format}");
    }
}

#[test]
fn wrong_times_and_files_that_cannot_be_flushed_are_refused() {
    let folder = Folder::new();
    for wrong in ["200", "0ms", "fast", "-1s"] {
        folder.pipe(&format!("--flush-interval {wrong}"), "").says(1, &["such as 200ms"]);
    }
    let run = folder.pipe("--as lzma -c --flush-timeout=20", "");
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stderr.contains("incompatible with --flush-timeout"), "{}", run.stderr);
    assert!(folder.pipe("--as lzma -c --flush-timeout=0", "").status.success());
}
