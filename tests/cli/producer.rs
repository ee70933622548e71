//! `--exec`, `--expect-tail` and `--expect-end`: a backup whose producer has failed must not look complete, neither as
//! a file nor to the program at the other end of a pipe.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::qpress::{chunk, end, sparse};
use crate::harness::{Folder, Run, feed, finish, send, text, wait_until};

/// Runs pzcomp with these arguments before `--`, and a shell script as the producer.
fn exec(folder: &Folder, args: &str, script: &str) -> Run {
    let args = args.split_whitespace().chain(["--", "sh", "-c", script]);
    finish(folder.command(args).stdin(Stdio::null()).spawn().unwrap())
}

/// What the tool of the format says of the bytes.
fn is_accepted(folder: &Folder, tool: &str, coded: &[u8]) -> bool {
    let received = std::fs::File::open(folder.write("received", coded)).unwrap();
    folder.program(tool, ["-t"]).stdin(received).output().unwrap().status.success()
}

const TOOLS: [(&str, &str); 6] =
    [("zstd", "zstd"), ("gzip", "gzip"), ("lz4", "lz4"), ("xz", "xz"), ("bzip2", "bzip2"), ("lzip", "lzip")];

#[test]
fn a_program_is_run_without_a_shell_and_its_output_is_compressed() {
    let folder = Folder::new();
    exec(&folder, "--exec -o b.zst", "echo one; echo two").fine();
    assert_eq!(folder.run("-dc b.zst").fine(), b"one\ntwo\n");
    let args = ["--exec", "-c", "--", "printf", "%s", "$HOME *"];
    let coded = finish(folder.command(args).spawn().unwrap()).fine();
    assert_eq!(folder.pipe("-d", coded).fine(), b"$HOME *");
    exec(&folder, "--exec -o empty.zst", "true").fine();
    assert_eq!(folder.run("-dc empty.zst").fine(), b"");
}

#[test]
fn options_of_the_program_are_not_those_of_exec() {
    let folder = Folder::new();
    folder.write("old.zst", "old");
    folder.run("--exec -o old.zst echo -f").says(1, &["old.zst: already exists"]);
    assert_eq!(folder.read("old.zst"), b"old");
    for words in ["-f", "-9 -T 2", "-la /", "--help=formats", "-d -S sock", "--no-tar -V", "-o old.zst -- -r"]
    {
        let coded = folder.run(&format!("--exec -c -9 echo {words}")).fine();
        assert_eq!(folder.pipe("-d", coded).fine(), format!("{words}\n").as_bytes());
    }
    folder.run("echo --exec -f").says(1, &["belong behind --exec"]);
    folder.run("--exec -o new.zst").says(1, &["--exec needs a program"]);
    folder.run("--exec -Z echo").says(1, &["unexpected argument '-Z'"]);
}

#[test]
fn a_producer_that_fails_leaves_no_file_and_the_old_one_stays() {
    let folder = Folder::new();
    folder.write("old.zst", "old");
    for (script, why) in [
        ("exit 3", "failed with exit status 3"),
        ("seq 1000000; exit 1", "failed with exit status 1"),
        ("echo begun; kill -9 $$", "was killed by signal 9"),
        ("seq 3000000; kill -TERM $$", "was killed by signal 15"),
    ] {
        let run = exec(&folder, "--exec -o new.zst", script);
        run.says(1, &["pzcomp: sh: ", why, "new.zst was not made"]);
        assert!(!folder.has("new.zst"), "{script}");
        exec(&folder, "--exec -f -o old.zst", script).says(1, &[why]);
        assert_eq!(folder.read("old.zst"), b"old", "{script}");
        assert_eq!(folder.names(), ["old.zst"]);
    }
    let args = ["--exec", "-o", "new.zst", "--", "/no/such/program"];
    finish(folder.command(args).spawn().unwrap())
        .says(1, &["/no/such/program: cannot run", "no such program", "check its name"]);
    assert!(!folder.has("new.zst"));
}

#[test]
fn the_receiver_of_a_failed_producer_fails_too() {
    let folder = Folder::new();
    for (format, tool) in TOOLS {
        for script in ["exit 3", "echo short; exit 3", "seq 300000; exit 3", "seq 200000; kill -9 $$"] {
            let run = exec(&folder, &format!("--exec -c -F {format} -p2"), script);
            assert_eq!(run.status.code(), Some(1), "{format} {script}");
            assert!(!is_accepted(&folder, tool, &run.stdout), "{tool} accepts {format} of {script}");
            assert!(!folder.pipe("-t", &run.stdout).status.success(), "{format} {script}");
        }
        let run = exec(&folder, &format!("--exec -c -F {format} -p2"), "seq 200000");
        assert!(is_accepted(&folder, tool, &run.fine()), "{format}");
    }
}

#[test]
fn the_end_of_the_data_must_match() {
    let folder = Folder::new();
    let dump: Vec<u8> = [&vec![b'x'; 3 << 20][..], b"\n-- Dump completed on 2026-11-22\n"].concat();
    let expected = ["--expect-tail", "-- Dump completed"];
    folder.write("whole.sql", &dump);
    folder.write("cut.sql", &dump[..dump.len() - 40]);
    let run = |file: &str| finish(folder.command(expected.iter().chain(&[file])).spawn().unwrap());
    run("whole.sql").fine();
    assert_eq!(folder.run("-dc whole.sql.zst").fine(), dump);
    run("cut.sql")
        .says(1, &["the last 4096 bytes do not contain what is expected at the end", "was not made"]);
    assert!(!folder.has("cut.sql.zst"));
    for (format, tool) in TOOLS {
        let args = || expected.iter().copied().chain(["-F", format]);
        let coded = feed(&mut folder.command(args()), &dump).fine();
        assert!(is_accepted(&folder, tool, &coded), "{format}");
        for cut in [dump.len() - 40, 100, 0] {
            let run = feed(&mut folder.command(args()), &dump[..cut]);
            assert_eq!(run.status.code(), Some(1), "{format} {cut}");
            assert!(!is_accepted(&folder, tool, &run.stdout), "{tool} accepts {format} cut at {cut}");
        }
    }
    // The data is bytes, which need not be UTF-8.
    folder.write("bytes", b"\xff Dump COMPLETED on 2026-11-22\n");
    let pattern = r"(?i)^\xff.dump completed on \d{4}(-\d\d){2}\W$";
    finish(folder.command(["-c", "--expect-tail", pattern, "bytes"]).spawn().unwrap()).fine();
    folder.run("--expect-tail ( whole.sql").says(1, &["not a regular expression"]);
    folder.run("-d --expect-tail x whole.sql.zst").says(1, &["cannot be used with"]);
}

/// A file in an xbstream, in two chunks.
fn chunks(path: &str, data: &[u8]) -> Vec<u8> {
    [chunk(path, 0, &data[..9]), chunk(path, 9, &data[9..]), end(path)].concat()
}

#[test]
fn expect_end_of_a_kind_wants_whole_data_to_compress() {
    let folder = Folder::new();
    folder.write("t1.ibd", vec![0; 70_000]);
    folder.write("t2.ibd", vec![b'x'; 20_000]);
    folder.sh("tar --format=oldgnu -cf whole.tar t1.ibd t2.ibd").fine();
    let tar = folder.read("whole.tar");
    let dump = [&vec![b'x'; 100_000][..], b"\n-- Dump completed on 2026-11-28 20:00:00\n"].concat();
    let xbstream =
        [chunks("a", &dump), chunks("b.zst", &tar), sparse("c", 0, &[(7, b"x")]), end("c")].concat();
    let mydumper =
        [&dump[..], b"\n-- metadata 61\n# Started dump at: x\n# Finished dump at: 2026-11-28 20:00:00\n"];
    // Where the header of the second member is, in the middle of the zeros of the first one, behind one block of
    // zeros; inside a header.
    let end_of_tar = tar.len() - tar.iter().rev().take_while(|&&byte| byte == 0).count();
    let behind = end_of_tar.next_multiple_of(512);
    let cuts: [(&str, Vec<u8>, Vec<usize>); 4] = [
        ("tar", tar, vec![512, 40_448, behind, behind + 512, 100]),
        ("xbstream", xbstream.clone(), vec![5, 40, chunks("a", &dump).len() + 500, xbstream.len() - 15]),
        ("mysqldump", dump.clone(), vec![dump.len() - 43, 50_000]),
        ("mydumper", mydumper.concat(), vec![dump.len(), 50_000]),
    ];
    for (kind, whole, lens) in cuts {
        let option = format!("--expect-end={kind}");
        let run =
            |data: &[u8], args: &[&str]| feed(&mut folder.command([&option[..]].iter().chain(args)), data);
        assert!(is_accepted(&folder, "zstd", &run(&whole, &[]).fine()), "{kind}");
        run(&whole, &["-f", "-o", "whole.zst"]).fine();
        assert_eq!(folder.run("-dc whole.zst").fine(), whole, "{kind}");
        for len in lens.into_iter().chain([0]) {
            run(&whole[..len], &["-o", "cut.zst"]).says(1, &["cut.zst was not made"]);
            assert!(!folder.has("cut.zst"), "{kind} {len}");
            let run = run(&whole[..len], &[]);
            assert_eq!(run.status.code(), Some(1), "{kind} {len}");
            assert!(!is_accepted(&folder, "zstd", &run.stdout), "{kind} {len}");
        }
    }
    let whole_tar = folder.read("whole.tar");
    feed(&mut folder.command(["--expect-end=tar"]), b"no tar").says(1, &["is cut off at offset 6"]);
    feed(&mut folder.command(["--expect-end=tar"]), &dump).says(1, &["the data is no tar archive"]);
    feed(&mut folder.command(["--expect-end=xbstream"]), &dump)
        .says(1, &["the input is no xbstream: it begins with"]);
    let two = [&whole_tar[..], &whole_tar].concat();
    for more in [two, [&whole_tar[..], b"hello"].concat(), [&whole_tar[..], &dump].concat()] {
        feed(&mut folder.command(["--expect-end=tar"]), &more)
            .says(1, &["other data follows the two blocks"]);
    }
    let backup = chunks("t.ibd", &dump);
    feed(&mut folder.command(["--expect-end=xtrabackup"]), &backup).says(1, &["has no xtrabackup_info"]);
    feed(&mut folder.command(["--expect-end=xbstream"]), &backup).fine();
    for info in ["xtrabackup_info", "mariadb_backup_info", "xtrabackup_info.qp"] {
        let backup = [&backup[..], &chunks(info, b"uuid = 1234")].concat();
        feed(&mut folder.command(["--expect-end=xtrabackup"]), &backup).fine();
        feed(&mut folder.command(["--expect-end=xtrabackup"]), &backup[..backup.len() - 9]).says(1, &["t"]);
    }
    feed(&mut folder.command(["--expect-end=mysqldump"]), b"-- cut").says(
        1,
        &["the last 6 bytes do not contain what is expected at the end: a last line that begins with"],
    );
    folder.run("--expect-end whole.tar").says(1, &["to compress, it needs the kind"]);
    folder.run("-d --expect-end=tar whole.tar").says(1, &["is for compression"]);
}

/// A server that starts the command once for each of its threads, and appends the number of the thread.
#[test]
fn output_template_and_expect_end_serve_the_threads_of_a_server() {
    let folder = Folder::new();
    folder.write("t.ibd", text(3 << 20));
    folder.sh("tar --format=oldgnu -cf whole.tar t.ibd").fine();
    let tar = folder.read("whole.tar");
    let words = ["-p1", "--expect-end=tar", "--output-template", "base.{}.tar.zst"];
    let sent: Vec<&[u8]> = vec![&tar, &tar, &tar[..2 << 20], &[]];
    let runs: Vec<Run> = std::thread::scope(|scope| {
        let run = |(number, sent): (usize, &&[u8])| {
            let (folder, sent, number) = (&folder, sent.to_vec(), (number + 1).to_string());
            scope.spawn(move || feed(&mut folder.command(words.iter().chain(&[&number[..]])), &sent))
        };
        let threads: Vec<_> = sent.iter().enumerate().map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (number, (run, sent)) in runs.into_iter().zip(sent).enumerate() {
        let name = format!("base.{}.tar.zst", number + 1);
        if sent.len() == tar.len() {
            run.fine();
            assert_eq!(folder.run(&format!("-dc {name}")).fine(), tar, "{name}");
        } else {
            run.says(1, &["the tar archive is cut off", &format!("{name} was not made")]);
            assert!(!folder.has(&name), "{name}");
        }
    }
}

#[test]
fn output_template_takes_the_argument() {
    let folder = Folder::new();
    let run = |args: &[&str]| feed(&mut folder.command(args), b"data");
    let template = ["--output-template", "b/base.{}.tar.zst"];
    std::fs::create_dir(folder.path("b")).unwrap();
    for word in ["1", "-2", "x y"] {
        run(&[&template[..], &["--", word]].concat()).fine();
        let path = format!("b/base.{word}.tar.zst");
        assert_eq!(finish(folder.command(["-dc", &path]).spawn().unwrap()).fine(), b"data", "{word}");
    }
    run(&[&template[..], &["1"]].concat()).says(1, &["b/base.1.tar.zst", "already exists"]);
    for word in ["", "a/b", "..", "."] {
        run(&[&template[..], &[word]].concat()).says(1, &["cannot take the place of {}"]);
    }
    run(&template).says(1, &["needs exactly one argument"]);
    run(&[&template[..], &["1", "2"]].concat()).says(1, &["needs exactly one argument"]);
    run(&["--output-template", "b/base", "1"]).says(1, &["has no {}"]);
    run(&["--output-template", "{}", "--files", "list", "1"]).says(1, &["cannot be used with"]);
    // The suffix chooses the format, as that of -o.
    run(&["--output-template", "{}.gz", "1"]).fine();
    assert!(folder.read("1.gz").starts_with(b"\x1f\x8b"));
    run(&["--output-template", "{}", "-o", "x", "1"]).says(1, &["cannot be used with"]);
    assert_eq!(std::fs::read_dir(folder.path("b")).unwrap().count(), 3);
}

/// What pzcomp writes, and whether an index ends it.
const ENDS: [(&str, bool); 12] = [
    ("", true),
    ("-F gzip", true),
    ("-F lz4", true),
    ("-F xz", true),
    ("--recovery", true),
    ("--no-index", false),
    ("-F gzip --no-index", false),
    ("-F lz4 --no-index", false),
    ("-F gzip --one-member", false),
    ("-F bzip2", false),
    ("-F lzip", false),
    ("-F snappy", false),
];

#[test]
fn expect_end_demands_the_index() {
    let folder = Folder::new();
    let plain = text(300_000);
    for (args, has_end) in ENDS {
        let coded = folder.pipe(&format!("{args} -b 100K -p 2"), &plain).fine();
        folder.write("coded", &coded);
        let end = if has_end { "OK, ends with its index" } else { "OK, has no end mark" };
        folder.run("-tv coded").says(0, &[end]);
        for expecting in ["-d", "-t", "--to lz4", "-d -p 1", "-d -o made"] {
            let run = match expecting {
                "-d -o made" => folder.run("-d --expect-end -o made -f coded"),
                _ => folder.pipe(&format!("{expecting} --expect-end"), &coded),
            };
            match has_end {
                true => drop(run.fine()),
                false => {
                    let run = run.says(1, &["without the index that marks the end"]);
                    let is_whole = expecting.starts_with("--to") && is_accepted(&folder, "lz4", &run.stdout);
                    assert!(!is_whole && !folder.has("made"), "{args} {expecting}");
                }
            }
        }
        let _ = std::fs::remove_file(folder.path("made"));
    }
    // Short data has an end where it is written to a pipe, which may break. A file is whole or not there.
    folder.write("short", "three in the morning");
    for args in ["", "-F gzip", "-F lz4", "-F xz", "-p 1", "-p 2 --verify"] {
        for short in [&b""[..], b"three in the morning"] {
            let coded = folder.pipe(args, short).fine();
            assert_eq!(folder.pipe("-d --expect-end", &coded).fine(), short, "{args}");
        }
        let coded = folder.run(&format!("{args} -c short")).fine();
        folder.pipe("-t --expect-end", &coded).fine();
        let run = exec(&folder, &format!("{args} --exec"), "echo three");
        folder.pipe("-t --expect-end", run.fine()).fine();
        folder.run(&format!("{args} -f -o file short")).fine();
        let run = folder.run("-t --expect-end file");
        if args == "-F xz" { drop(run.fine()) } else { drop(run.says(1, &["files of less than 16 KiB"])) }
    }
    // Data behind an index, and the index of a stream before.
    let [indexed, bare] = ["", "--no-index"].map(|args| folder.pipe(args, &plain).fine());
    folder.pipe("-d --expect-end", [&indexed[..], &bare].concat()).says(1, &["without the index"]);
    folder.pipe("-t --expect-end", [&indexed[..], &indexed].concat()).fine();
    for args in ["", "-l", "-d --salvage", "--range 0-1 -d -c"] {
        folder.run(&format!("{args} --expect-end coded")).says(1, &["--expect-end"]);
    }
}

#[test]
fn a_killed_sender_is_an_error_at_a_receiver_that_expects_the_end() {
    let folder = Folder::new();
    let mut sender = folder.command(["-b", "64K", "-p", "1"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = sender.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, &text(1 << 20)).unwrap();
    let mut first = [0; 1000];
    std::io::Read::read_exact(sender.stdout.as_mut().unwrap(), &mut first).unwrap();
    kill_process(Pid::from_child(&sender), Signal::KILL).unwrap();
    let run = finish(sender);
    folder.pipe("-d --expect-end", [&first[..], &run.stdout].concat()).says(1, &["end"]);
}

#[test]
fn a_producer_is_stopped_when_its_output_is_not_wanted() {
    let folder = Folder::new();
    folder.write("taken.zst", "");
    let started = std::time::Instant::now();
    for quiet in ["", "-q "] {
        let run = exec(&folder, &format!("{quiet}--exec -o taken.zst"), "sleep 100");
        run.says(1, &["taken.zst: already exists, so the program was not run"]);
    }
    exec(&folder, "--exec -c -M 1", "exec sleep 100").says(1, &["memory"]);
    assert!(started.elapsed().as_secs() < 50);
}

/// Runs pzcomp without a terminal, if `setsid` is there, so that the program has a group of its own.
fn without_terminal(folder: &Folder, args: &[&str]) -> std::process::Command {
    let mut command = folder.program("setsid", ["-w", env!("CARGO_BIN_EXE_pzcomp")]);
    command.args(args);
    command
}

/// Whether the process with the number in this file runs. One that has ended and was not waited for does not.
fn runs(folder: &Folder, file: &str) -> bool {
    let pid = String::from_utf8(folder.read(file)).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

#[test]
fn what_a_failed_program_leaves_behind_is_not_waited_for() {
    for args in [&["--exec", "-o", "new.zst", "--"][..], &["--exec", "-c", "--"]] {
        let folder = Folder::new();
        let started = std::time::Instant::now();
        let script = "sleep 100 & echo $! >pid; echo begun; exit 3";
        let run = finish(without_terminal(&folder, &[args, &["sh", "-c", script]].concat()).spawn().unwrap());
        run.says(1, &["failed with exit status 3"]);
        assert!(started.elapsed().as_secs() < 50);
        wait_until("the end of the other", || !runs(&folder, "pid"));
        assert_eq!(folder.names(), ["pid"]);
        // One with a session of its own is not to be ended, and keeps the pipe open.
        let script = "setsid sleep 100 2>/dev/null & echo $! >pid; exit 4";
        let run = finish(without_terminal(&folder, &[args, &["sh", "-c", script]].concat()).spawn().unwrap());
        run.says(1, &["failed with exit status 4"]);
        assert!(started.elapsed().as_secs() < 50);
        let pid = String::from_utf8(folder.read("pid")).unwrap().trim().parse().unwrap();
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    }
}

#[test]
fn a_program_ends_with_its_reader() {
    for (signal, args) in [
        (Signal::TERM, &["--exec", "-o", "new.zst"][..]),
        (Signal::TERM, &["--exec", "-c"]),
        (Signal::INT, &["--exec", "-c"]),
        #[cfg(target_os = "linux")]
        (Signal::KILL, &["--exec", "-c"]),
    ] {
        let folder = Folder::new();
        // Says that it was asked to end, so that it could clean up.
        let script = "trap 'echo asked >asked; exit 1' TERM; echo $$ >pid.new; mv pid.new pid; while :; do sleep 0.1; done";
        let args = [args, &["--", "sh", "-c", script]].concat();
        let child = folder.command(args).spawn().unwrap();
        wait_until("the program", || folder.has("pid"));
        send(&child, signal);
        // The shell tells of the end of its own child.
        assert_eq!(finish(child).status.signal(), Some(signal.as_raw()));
        wait_until("the end of the program", || !runs(&folder, "pid"));
        wait_until("its last words", || folder.has("asked"));
        let left = folder.names();
        assert!(signal == Signal::KILL || left == ["asked", "pid"], "{left:?}");
    }
}

#[test]
fn a_program_gets_the_signals_of_the_caller() {
    const STATE: &str = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
    let folder = Folder::new();
    for caller in ["", "trap '' PIPE CHLD USR1 HUP; "] {
        let shell = |script: &str| {
            let script = format!("{caller}{script}");
            let args = ["-c", &script, env!("CARGO_BIN_EXE_pzcomp"), STATE];
            finish(folder.program("sh", args).spawn().unwrap())
        };
        let expected = shell("exec sh -c \"$1\"").fine();
        let coded = shell("exec \"$0\" --exec -c -- sh -c \"$1\"").fine();
        let found = folder.pipe("-dc", coded).fine();
        // The signals above 31 are those of the C library.
        let usual = |state: &[u8]| {
            let words = String::from_utf8_lossy(state).into_owned();
            let masks =
                words.lines().filter_map(|line| u64::from_str_radix(line.split('\t').nth(1)?, 16).ok());
            masks.map(|mask| mask & 0x7fff_ffff).collect::<Vec<_>>()
        };
        assert_eq!(usual(&found), usual(&expected), "{caller}");
        assert_eq!(usual(&found).len(), 2);
    }
}
