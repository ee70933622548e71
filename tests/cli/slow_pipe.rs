//! Pipes whose ends are slow: `--flush-interval`, for readers that must not wait, and `--buffer`, for producers that
//! must not; and `--adapt`, for pipes that take less than the machine can give.
//!
//! No test measures a time. A test waits until something comes, or fails after half a minute.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use pzcomp::Format;

use crate::harness::{Folder, finish, noise, text};

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
    let plain = text(600_000);
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

/// Feeds a child, and reads its output only after it has taken all of the input.
fn fed_before_it_is_read(mut child: Child, input: &[u8]) -> Vec<u8> {
    let mut stdin = child.stdin.take().unwrap();
    let (sender, is_fed) = channel();
    let input = input.to_vec();
    std::thread::spawn(move || {
        stdin.write_all(&input).unwrap();
        drop(stdin);
        sender.send(())
    });
    is_fed.recv_timeout(Duration::from_secs(60)).expect("the producer was blocked");
    finish(child).fine()
}

#[test]
fn a_producer_is_not_blocked_though_the_consumer_takes_nothing_yet() {
    let folder = Folder::new();
    // Far more than all pipes and buffers hold otherwise.
    let plain = noise(48 << 20);
    let spawn = |args: &str| folder.command(args.split_whitespace()).stdin(Stdio::piped()).spawn().unwrap();
    let coded = fed_before_it_is_read(spawn("-1 -p1 --buffer 64M"), &plain);
    assert!(coded == folder.pipe("-1 -p1", &plain).fine(), "the bytes are the same");
    assert!(fed_before_it_is_read(spawn("-d -p1 --buffer 64M"), &coded) == plain);
}

#[test]
fn a_store_of_any_size_changes_no_byte() {
    let folder = Folder::new();
    let plain = text(2_500_000);
    folder.write("plain", &plain);
    let coded = folder.pipe("", &plain).fine();
    for size in ["0", "1", "1000", "300K", "1G"] {
        assert!(folder.pipe(&format!("--buffer {size}"), &plain).fine() == coded, "{size}");
        assert!(folder.pipe(&format!("-d --buffer {size}"), &coded).fine() == plain, "{size}");
        folder.run(&format!("-f --buffer {size} plain -o coded")).fine();
        assert!(folder.read("coded") == folder.run("-c plain").fine(), "{size}");
        folder.run(&format!("-df --buffer {size} coded -o restored")).fine();
        assert!(folder.read("restored") == plain, "{size}");
    }
}

#[test]
fn a_store_is_part_of_the_memory_limit() {
    let folder = Folder::new();
    folder.pipe("-M 512M --buffer 1G", "").says(1, &["and a buffer of 1"]);
    folder.pipe("-d -M 512M --buffer 1G", "").says(1, &["with a buffer of 1"]);
    folder.pipe("-M 512M --buffer 256M", "x").fine();
}

#[test]
fn errors_at_both_ends_of_a_store_are_reported() {
    let folder = Folder::new();
    let plain = text(3_000_000);
    let mut command = folder.command(["-0", "-F", "gzip", "--buffer", "64M"]);
    command.stdin(Stdio::piped()).stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
    crate::harness::feed(&mut command, &plain).says(1, &["stdout: ", "write"]);
    // A receiver that has gone ends pzcomp as it ends every filter.
    let mut child = folder.command(["--buffer", "64M"]).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let _ = child.stdin.take().unwrap().write_all(&noise(4_000_000));
    finish(child).died_by(rustix::process::Signal::PIPE);
    // What is damaged behind whole frames is found, and the frames come before the error.
    let mut coded = folder.pipe("-b 100K", &plain).fine();
    let cut = coded.len() / 2;
    coded.truncate(cut);
    let run = folder.pipe("-d --buffer 64M", &coded);
    assert_eq!(run.status.code(), Some(1));
    assert!(!run.stdout.is_empty() && plain.starts_with(&run.stdout));
    assert_eq!(run.stdout, folder.pipe("-d", &coded).stdout);
}

#[test]
fn levels_that_adapt_give_what_every_reader_takes() {
    let folder = Folder::new();
    let plain = [text(2_200_000), noise(800_000), vec![7; 2_000_000]].concat();
    let short = &plain[2_000_000..3_500_000];
    folder.write("plain", &plain);
    let has_levels = |format: &Format| format.levels().count() > 1;
    for format in Format::all().filter(has_levels) {
        for args in
            ["--adapt", "--adapt=min=1,max=3 --level 2 -b 100K", "--adapt --buffer 1M --flush-interval 5ms"]
        {
            let args = format!("{args} -F {format}");
            if format == Format::Xz || format == Format::Lzip {
                // The other levels take too long here.
                let coded = folder.pipe(&format!("{args} --adapt=max=2"), short).fine();
                assert!(folder.pipe("-d", coded).fine() == short, "{args}");
                continue;
            }
            let coded = folder.pipe(&args, &plain).fine();
            assert!(folder.pipe("-d", coded).fine() == plain, "{args}");
        }
        folder.run(&format!("--adapt=max=3 -f -F {format} -p3 plain -o coded")).fine();
        folder.run("-t coded").fine();
        assert!(folder.run("-dc coded").fine() == plain, "{format}");
    }
    for args in [
        "--adapt --long=20 -b 1M",
        "-F gzip --one-member --adapt",
        "-F bzip2 --adapt -b 2M",
        "--adapt=min=-20,max=-1",
    ] {
        let coded = folder.pipe(args, &plain).fine();
        assert!(folder.pipe("-d", coded).fine() == plain, "{args}");
    }
}

#[test]
fn verbose_prints_the_share_of_each_level_and_what_they_cost() {
    let folder = Folder::new();
    let run = folder.pipe("-v --adapt=min=2,max=2", text(3_000_000)).says(
        0,
        &["share of each level: 2: 100.0 %\n", "first level alone: 0.0 % shorter, 1.0 x the CPU time ("],
    );
    assert_eq!(folder.pipe("-d", &run.stdout).fine(), text(3_000_000));
    assert!(!folder.pipe("-v", text(10_000)).stderr.contains("share"));
    assert!(!folder.pipe("-v --adapt", "").stderr.contains("share"), "nothing was compressed");
}

#[test]
fn adapt_behind_a_slow_reader_is_not_longer_than_the_first_level() {
    let folder = Folder::new();
    let plain = text(40 << 20);
    folder.write("plain", &plain);
    let first = folder.run("-3 -c plain").fine().len();
    let mut child = folder.command(["--adapt", "-c", "plain"]).stdin(Stdio::null()).spawn().unwrap();
    let mut reader = child.stdout.take().unwrap();
    let (mut coded, mut part) = (Vec::new(), vec![0; first / 100]);
    // About three seconds long, the sink is the bottleneck.
    loop {
        let len = reader.read(&mut part).unwrap();
        if len == 0 {
            break;
        }
        coded.extend_from_slice(&part[..len]);
        std::thread::sleep(Duration::from_millis(30));
    }
    assert!(child.wait().unwrap().success());
    assert!(coded.len() <= first + first / 1000, "{} and {first} bytes", coded.len());
    assert!(folder.pipe("-d", &coded).fine() == plain);
}

#[test]
fn levels_that_cannot_adapt_are_refused() {
    let folder = Folder::new();
    folder.pipe("--adapt=min=23", "").says(1, &["zstd has no level 23"]);
    folder.pipe("--adapt=min=9,max=1", "").says(1, &["lowest level above the highest"]);
    folder.pipe("--adapt=least=1", "").says(1, &["expected levels such as min=1,max=15"]);
    folder.pipe("--adapt=min=1,min=2", "").says(1, &["min is given twice"]);
    folder.pipe("--adapt=max=9,min=1,max=9", "").says(1, &["max is given twice"]);
    // There must be memory for the highest level.
    folder.pipe("-M 80M -p1 --adapt", "").says(1, &["zstd levels up to 19", "memory"]);
    folder.pipe("-M 80M -p1 --adapt=max=9", "x").fine();
    let single = folder.pipe("--as zstd -c --adapt --single-thread", "");
    assert!(single.stderr.contains("not compatible with single thread"), "{}", single.stderr);
    assert!(folder.pipe("--as zstd -c --adapt=min=9,max=1", "").stderr.contains("Incorrect parameter"));
    let coded = folder.pipe("--as zstd -c --adapt=min=1,max=4", text(100_000)).fine();
    assert_eq!(folder.pipe("--as zstd -dc", coded).fine(), text(100_000));
}

#[test]
fn a_first_level_that_does_not_adapt_is_refused() {
    let folder = Folder::new();
    for (args, said) in [
        ("-5 --adapt=min=1,max=3", "level 5 is none of the levels of --adapt, of which 3 is the highest"),
        ("-5 --adapt=min=6", "of which 6 is the lowest; begin with another level, or use --adapt=min=5"),
        ("--best --adapt=max=9", "level 19"),
        ("--level 22 --adapt", "of which 19 is the highest"),
        ("-F bzip2 -1 --adapt=min=2", "level 1"),
    ] {
        folder.pipe(args, "x").says(1, &[said]);
    }
    for args in [
        "-5 --adapt=min=5,max=5",
        "--adapt=min=9",
        "--adapt=max=2",
        "--fast=5 --adapt=min=-5",
        "--level 22 --adapt=min=20 -M 8G",
        "-F xz --level 0 --adapt=max=1",
        "--best -F lz4 --adapt",
        "--fast=5 --adapt",
        "-F gzip -0 --adapt",
    ] {
        let coded = folder.pipe(args, "x").fine();
        assert_eq!(folder.pipe("-d --adapt -5", coded).fine(), b"x", "{args}");
    }
}
