//! Progress: on a terminal, as JSON, and on SIGUSR1; and that nobody sees any of it who did not ask.
//!
//! A stream is held open by a pipe until what a test waits for has been shown, so no test depends on speed.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Folder, feed, finish, noise, send, terminal, text};

/// Starts a compression of a pipe to the file `made`, and gives it some bytes.
fn start(folder: &Folder, args: &str) -> (Child, std::process::ChildStdin) {
    let args = args.split_whitespace().chain(["-o", "made"]);
    start_command(folder.command(args))
}

fn start_command(mut command: Command) -> (Child, std::process::ChildStdin) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&text(100_000)).unwrap();
    (child, stdin)
}

/// The first line of standard error.
fn first_line(child: &mut Child) -> (String, BufReader<std::process::ChildStderr>) {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    (line, stderr)
}

/// Whether SIGUSR1 is in this set of signals of a process.
fn is_in(child: &Child, field: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let found = status.lines().find_map(|line| line.strip_prefix(field)?.trim().to_owned().into());
    let mask = found.and_then(|mask: String| u64::from_str_radix(&mask, 16).ok()).unwrap_or_default();
    mask >> (Signal::USR1.as_raw() - 1) & 1 == 1
}

#[test]
fn the_signal_does_not_end_a_measurement() {
    let folder = Folder::new();
    let args = "--bench --bench-seconds 0 --bench-sample 64K --bench-formats zstd --bench-levels 1 -";
    let mut child =
        folder.command(args.split(' ')).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    // The measurement reads its sample first, so it does not end before the test writes.
    for _ in 0..1000 {
        if is_in(&child, "SigBlk:") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    send(&child, Signal::USR1);
    child.stdin.take().unwrap().write_all(text(100_000).as_ref()).unwrap();
    let run = finish(child);
    assert!(run.status.success(), "{run:?}");
}

/// The signal must not end a process that is only about to answer it.
#[test]
fn the_signal_may_come_before_the_work() {
    let folder = Folder::new();
    let mut was_early = false;
    for _ in 0..50 {
        let mut child = folder.command(["-c"]).stdin(Stdio::piped()).spawn().unwrap();
        while !is_in(&child, "SigBlk:") && !is_in(&child, "SigCgt:") {}
        was_early |= !is_in(&child, "SigCgt:");
        send(&child, Signal::USR1);
        drop(child.stdin.take());
        let run = finish(child);
        assert!(run.status.success(), "{run:?}");
        if was_early {
            return;
        }
    }
    panic!("the signal was never blocked before it was caught");
}

#[test]
fn a_signal_prints_one_line_and_nothing_else_does() {
    let folder = Folder::new();
    let (mut child, stdin) = start(&folder, "");
    // Before it is ready, the signal would end the process; its temporary file shows that it is.
    crate::harness::wait_until("the output is begun", || {
        folder.names().iter().any(|name| name.ends_with(".partial"))
    });
    send(&child, Signal::USR1);
    let (line, mut stderr) = first_line(&mut child);
    for part in ["pzcomp: stdin: ", " in, ", " out, ", " MB/s, ", " s"] {
        assert!(line.contains(part), "{part:?} is not in {line:?}");
    }
    drop(stdin);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert!(finish(child).status.success());
    assert_eq!(folder.run("-dc made").fine(), text(100_000));
}

#[test]
fn a_terminal_sees_a_bar_or_a_line_that_is_gone_at_the_end() {
    let folder = Folder::new();
    for (args, shown) in [("--size-hint 1M", " 0 %"), ("", " MB/s")] {
        let (user, program) = terminal();
        let mut command = folder.command(args.split_whitespace().chain(["-f", "-o", "made"]));
        command.env("TERM", "xterm").stderr(program);
        let (child, stdin) = start_command(command);
        let mut screen = File::from(user);
        let mut seen = String::new();
        while !seen.contains(shown) {
            let mut bytes = [0; 4096];
            let len = screen.read(&mut bytes).unwrap();
            seen.push_str(&String::from_utf8_lossy(&bytes[..len]));
        }
        assert!(seen.contains("stdin"), "{seen:?}");
        drop(stdin);
        assert!(finish(child).status.success());
    }
}

#[test]
fn a_dumb_terminal_sees_lines_by_progress() {
    let folder = Folder::new();
    let (user, program) = terminal();
    let mut command = folder.command(["--progress", "-f", "-o", "made"]);
    command.env("TERM", "dumb").stderr(program);
    let (child, stdin) = start_command(command);
    let mut first = [0; 4096];
    let len = File::from(user).read(&mut first).unwrap();
    let shown = String::from_utf8_lossy(&first[..len]);
    assert!(shown.contains("stdin") && shown.contains("MB/s") && !shown.contains('\x1b'), "{shown:?}");
    drop(stdin);
    assert!(finish(child).status.success());
}

#[test]
fn nothing_is_shown_on_a_terminal_if_data_goes_to_a_pipe_or_nobody_wants_it() {
    let folder = Folder::new();
    let plain = folder.write("plain", text(100_000));
    for args in ["-c plain", "--as zstd -c plain", "-kf -q plain", "-f --no-progress plain"] {
        let (user, program) = terminal();
        let run = finish(folder.command(args.split_whitespace()).stderr(program).spawn().unwrap());
        assert!(run.status.success());
        // The side of the program is closed, so the user reads what was shown, and then an error.
        let mut shown = Vec::new();
        let _ = File::from(user).read_to_end(&mut shown);
        assert_eq!(String::from_utf8_lossy(&shown), "", "{args}");
    }
    assert!(plain.exists());
}

/// Judges lines of JSON, of which the last one says that the stream has ended.
fn check_lines(lines: &str, bytes_in: u64) {
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, earlier) = lines.split_last().unwrap();
    assert!(lines.iter().all(|line| line["schema"] == "pzcomp-progress-1" && line["name"] == "stdin"));
    assert!(earlier.iter().all(|line| line["ended"] == false && line["ok"].is_null()), "{lines:?}");
    assert_eq!((&last["ended"], &last["ok"]), (&true.into(), &true.into()));
    assert_eq!(last["bytes_in"], bytes_in);
    assert!(last["for_source_seconds"].is_f64() && last["elapsed_seconds"].is_f64(), "{last}");
}

#[test]
fn programs_get_lines_of_json_while_the_stream_runs() {
    let folder = Folder::new();
    let (mut child, stdin) = start(&folder, "--progress=json --size-hint 1M");
    let (first, mut rest) = first_line(&mut child);
    assert_eq!(serde_json::from_str::<Value>(&first).unwrap()["total_bytes_in"], 1 << 20);
    drop(stdin);
    let mut lines = first;
    rest.read_to_string(&mut lines).unwrap();
    check_lines(&lines, 100_000);
    assert!(finish(child).status.success());
}

/// The last of these lines of progress.
fn last(lines: &str) -> Value {
    serde_json::from_str(lines.lines().last().unwrap()).unwrap()
}

#[test]
fn progress_does_not_count_input_that_was_only_read_ahead() {
    let folder = Folder::new();
    folder.write("plain", noise(8 << 20));
    folder.run("-k -b 1M plain").fine();
    for args in ["plain", "-d plain.zst", "--to lz4 plain.zst"] {
        // Nobody reads the output, so only what the pipe takes can be done.
        let args = format!("-c -b 1M -p 4 --progress-fd 2 --json record.json -f {args}");
        let mut child = folder.command(args.split_whitespace()).stdout(Stdio::piped()).spawn().unwrap();
        let (line, stderr) = first_line(&mut child);
        let done = last(&line)["bytes_in"].as_u64().unwrap();
        assert!(done <= 3 << 20, "{args}: {line}");
        drop(child.stdout.take());
        drop(stderr);
        child.wait().unwrap();
        let record: Value = serde_json::from_slice(&folder.read("record.json")).unwrap();
        let record = &record["streams"][0];
        let side = if args.contains("-d") { "coded_bytes" } else { "plain_bytes" };
        assert!(record[side].as_u64().unwrap() <= 3 << 20, "{args}: {record}");
    }
    for args in ["plain", "-d plain.zst", "--to lz4 plain.zst"] {
        let run = folder.run(&format!("-c --progress=json -f {args}"));
        let (line, len) =
            (last(&run.stderr), std::fs::metadata(folder.path(args.rsplit(' ').next().unwrap())));
        assert_eq!(line["bytes_in"], len.unwrap().len(), "{args}: {line}");
    }
    // The last line has the whole lengths, with the index and recovery records, also if a hint was wrong.
    folder.write("short", "three");
    for args in
        ["plain", "-F gzip plain", "-d plain.zst", "-d --salvage plain.zst", "--to lz4 plain.zst", "short"]
    {
        let records = if args.contains("-d") { "" } else { "--recovery" };
        let run = folder.run(&format!("-c --progress=json {records} --size-hint 1G -f {args}"));
        let line = last(&run.stderr);
        let len = std::fs::metadata(folder.path(args.rsplit(' ').next().unwrap())).unwrap().len();
        assert_eq!(
            (&line["bytes_in"], &line["total_bytes_in"]),
            (&len.into(), &len.into()),
            "{args}: {line}"
        );
        assert_eq!(
            (&line["bytes_out"], &line["left_seconds"]),
            (&run.stdout.len().into(), &0.0.into()),
            "{args}"
        );
    }
    let run = folder.run("-c --progress -f plain");
    let text = run.stderr.lines().last().unwrap();
    assert!(text.starts_with("pzcomp: plain: 100 % of 8.0 MiB, 8.0 MiB in, 1.00x, "), "{text}");
    assert!(text.ends_with(", 0s left"), "{text}");
}

#[test]
fn programs_choose_the_descriptor_of_the_lines() {
    let folder = Folder::new();
    let run = feed(&mut folder.shell("exec $0 --progress-fd 3 3>lines"), b"three in the morning");
    assert_eq!(folder.pipe("-d", run.fine()).fine(), b"three in the morning");
    check_lines(&String::from_utf8(folder.read("lines")).unwrap(), 20);
    folder.pipe("--progress-fd 99", "x").says(1, &["--progress-fd 99", "99>FILE"]);
}

#[test]
fn a_reader_of_progress_that_reads_nothing_does_not_stop_the_stream() {
    let folder = Folder::new();
    // Nobody reads the pipe behind descriptor 3, and it is full.
    let script = "mkfifo full; exec 3<>full; dd if=/dev/zero of=full bs=64K count=1 oflag=nonblock 2>/dev/null; \
                  exec $0 --progress-fd 3";
    let run = feed(&mut folder.shell(script), b"three in the morning");
    assert_eq!(folder.pipe("-d", run.fine()).fine(), b"three in the morning");
}

#[test]
#[cfg(target_os = "linux")]
fn the_name_of_a_line_is_cut_where_the_line_would_not_fit_its_pipe() {
    let folder = Folder::new();
    // In JSON each of these characters takes six bytes.
    let path = ["\u{1}".repeat(250).as_str(); 3].join("/");
    std::fs::create_dir_all(folder.path(&path)).unwrap();
    let path = format!("{path}/plain");
    folder.write(&path, "three in the morning");
    // Nobody reads the pipe, and it has one page.
    let (reader, writer) = std::io::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&writer, 4096).unwrap();
    let mut command = folder.command(["--progress=json", "-c", &path]);
    let run = finish(command.stderr(writer).spawn().unwrap());
    assert!(run.status.success());
    // It has the other end of the pipe.
    drop(command);
    let line: Value = serde_json::from_reader(reader).unwrap();
    let name = line["name"].as_str().unwrap();
    assert!(name.starts_with("..") && name.len() > 500 && path.ends_with(&name[2..]), "{line}");
}

#[test]
fn progress_that_is_asked_for_is_text_where_there_is_no_terminal() {
    let folder = Folder::new();
    for (args, program) in
        [("--progress", "pzcomp"), ("--as zstd --progress", "zstd"), ("--as zstd -q --progress", "zstd")]
    {
        let run = folder.pipe(args, "three in the morning");
        assert!(run.status.success());
        assert!(run.stderr.starts_with(&format!("{program}: stdin: 20 B in, ")), "{}", run.stderr);
    }
    for args in [
        "--progress --no-progress",
        "--as zstd",
        "--as zstd --progress --no-progress",
        "--as zstd --size-hint=1G",
    ] {
        folder.pipe(args, "x").fine();
    }
}
