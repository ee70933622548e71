//! `--exec` and `--expect-tail`: a backup whose producer has failed must not look complete, neither as a file nor to
//! the program at the other end of a pipe.

use std::process::Stdio;

use crate::harness::{Folder, Run, feed, finish};

/// Runs pzcomp with these arguments before `--`, and a shell script as the producer.
fn exec(folder: &Folder, args: &str, script: &str) -> Run {
    let args = args.split_whitespace().chain(["--", "sh", "-c", script]);
    finish(folder.command(args).stdin(Stdio::null()).spawn().unwrap())
}

/// What the tool of the format says of the bytes.
fn is_accepted(folder: &Folder, tool: &str, coded: &[u8]) -> bool {
    let received = std::fs::File::open(folder.write("received", coded)).unwrap();
    let mut command = std::process::Command::new(tool);
    command.arg("-t").stdin(received).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap().success()
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
        .says(1, &["the last 4096 bytes do not contain what --expect-tail asks for", "was not made"]);
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
    folder.run("--expect-tail ( whole.sql").says(1, &["not a regular expression"]);
    folder.run("-d --expect-tail x whole.sql.zst").says(1, &["cannot be used with"]);
}

#[test]
fn a_producer_is_stopped_when_its_output_is_not_wanted() {
    let folder = Folder::new();
    folder.write("taken.zst", "");
    let started = std::time::Instant::now();
    exec(&folder, "--exec -o taken.zst", "sleep 100").says(2, &["exists"]);
    exec(&folder, "--exec -c -M 1", "exec sleep 100").says(1, &["memory"]);
    assert!(started.elapsed().as_secs() < 50);
}
