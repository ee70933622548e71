//! The record of a run: `--json FILE`, as docs/json.md describes it.
//!
//! `record` reads it as a program would. Times are not compared, only that they are there.

use std::process::Stdio;

use serde_json::Value;

use crate::harness::{Folder, Run, finish, text};

/// The record in this file.
fn record(folder: &Folder, name: &str) -> Value {
    let text = String::from_utf8(folder.read(name)).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["schema"], "pzcomp-record-1");
    assert_eq!(record["program"], "pzcomp");
    assert!(record["wall_seconds"].as_f64().unwrap() > 0.0);
    record
}

fn has_times(timed: &Value) {
    for end in ["source", "workers", "sink"] {
        assert!(timed["waits"][format!("for_{end}_seconds")].is_f64(), "{timed}");
        assert!(timed["waits"][format!("{end}_idle_seconds")].is_f64(), "{timed}");
    }
    assert!(["source", "workers", "sink"].contains(&timed["bottleneck"].as_str().unwrap()), "{timed}");
}

#[test]
fn a_record_says_what_a_run_did_in_every_mode() {
    let folder = Folder::new();
    let plain = text(3_000_000);
    folder.write("a", &plain);
    folder.run("--json r -7 a").fine();
    let coded_len = folder.read("a.zst").len();
    let made = record(&folder, "r");
    assert_eq!((&made["mode"], &made["status"]), (&"compress".into(), &0.into()));
    assert_eq!((&made["plain_bytes"], &made["coded_bytes"]), (&plain.len().into(), &coded_len.into()));
    let stream = &made["streams"][0];
    assert_eq!(
        (&stream["name"], &stream["output"], &stream["format"]),
        (&"a".into(), &"a.zst".into(), &"zstd".into())
    );
    assert_eq!((&stream["levels"][0], &stream["check"]["name"]), (&7.into(), &"XXH64".into()));
    assert_eq!(stream["check"]["verified"], false);
    has_times(&made);
    has_times(stream);
    for (args, mode) in [("-dc --json r a.zst", "decompress"), ("-t --json r a.zst", "test")] {
        folder.run(args).fine();
        let record = record(&folder, "r");
        assert_eq!((&record["mode"], &record["frames"]), (&mode.into(), &made["frames"]));
        assert_eq!(record["plain_bytes"], plain.len());
        assert_eq!(record["streams"][0]["check"]["verified"], true, "{mode}");
        has_times(&record);
    }
    folder.run("-l --json r a.zst").fine();
    let listed = record(&folder, "r");
    assert_eq!((&listed["mode"], &listed["streams"][0]["indexed"]), (&"list".into(), &true.into()));
    assert_eq!((&listed["plain_bytes"], &listed["frames"]), (&made["plain_bytes"], &made["frames"]));
}

#[test]
fn a_check_that_is_not_there_is_not_said_to_be_verified() {
    let folder = Folder::new();
    let mut coded = folder.pipe("--as zstd --no-check", "x").fine();
    coded = folder.pipe("-dc --json r", coded).fine();
    assert_eq!(coded, b"x");
    let check = &record(&folder, "r")["streams"][0]["check"];
    assert_eq!((&check["name"], &check["verified"]), (&Value::Null, &false.into()));
}

#[test]
fn a_record_is_written_when_the_run_fails() {
    let folder = Folder::new();
    let mut coded = folder.pipe("-F gzip", text(100_000)).fine();
    coded.truncate(coded.len() / 2);
    folder.write("cut.gz", &coded);
    let run = folder.run("-t --json r cut.gz missing.gz");
    let record = record(&folder, "r");
    assert_eq!((run.status.code(), &record["status"]), (Some(1), &1.into()));
    let errors: Vec<&str> =
        record["errors"].as_array().unwrap().iter().map(|error| error.as_str().unwrap()).collect();
    assert_eq!(errors, run.stderr.lines().collect::<Vec<_>>());
    assert_eq!(
        (&record["streams"][0]["name"], &record["streams"][0]["ok"]),
        (&"cut.gz".into(), &false.into())
    );
}

#[test]
fn warnings_are_in_the_record_also_if_they_are_not_printed() {
    let folder = Folder::new();
    folder.write("a.zst", "x");
    assert_eq!(folder.run("-q --json r a.zst").stderr, "");
    let record = record(&folder, "r");
    assert!(record["warnings"][0].as_str().unwrap().contains("a.zst"), "{record}");
    assert_eq!(record["status"], 2);
}

#[test]
fn a_record_replaces_records_and_no_other_file() {
    let folder = Folder::new();
    folder.write("backup.sql", "CREATE TABLE");
    folder.pipe("--json backup.sql", "x").says(1, &["backup.sql", "is not a record", "-f"]);
    assert_eq!(folder.read("backup.sql"), b"CREATE TABLE");
    folder.write("r", "");
    for _ in 0..2 {
        folder.pipe("--json r", "x").fine();
        record(&folder, "r");
    }
    folder.pipe("-f --json backup.sql", "x").fine();
    record(&folder, "backup.sql");
}

#[test]
fn a_refused_command_line_leaves_no_record_of_an_earlier_run() {
    let folder = Folder::new();
    folder.write("other", "CREATE TABLE");
    for args in ["--json r --no-such", "--json=r -d -o", "-e --json r", "--json none -e", "--json other -e"] {
        folder.pipe("--json r", "x").fine();
        let run = folder.run(args);
        assert_eq!(run.status.code(), Some(1), "{args}");
        if !args.contains("none") && !args.contains("other") {
            let record = record(&folder, "r");
            assert_eq!((&record["status"], &record["mode"]), (&1.into(), &Value::Null), "{args}");
            assert_eq!(record["errors"][0].as_str().unwrap(), run.stderr.trim_end(), "{args}");
        }
    }
    assert_eq!(folder.read("other"), b"CREATE TABLE");
    assert!(!folder.has("none"));
}

#[test]
fn a_record_says_which_work_was_done_and_which_file_was_made() {
    let folder = Folder::new();
    folder.write("a", text(300_000));
    folder.run("a").fine();
    let mut damaged = folder.read("a.zst");
    let len = damaged.len();
    for (args, mode, output) in [
        ("--protect a.zst", "protect", Some("a.zst.pzr")),
        ("-o made a.zst -d", "decompress", Some("made")),
        ("--index a.zst", "index", None),
        ("--repair a.zst", "repair", Some("a.zst")),
        ("-d --salvage -o saved a.zst", "salvage", Some("saved")),
    ] {
        if mode == "repair" {
            damaged[1000] ^= 1;
            folder.write("a.zst", &damaged);
        }
        folder.run(&format!("--json r {args}"));
        let record = record(&folder, "r");
        assert_eq!((&record["mode"], &record["status"]), (&mode.into(), &0.into()), "{args}: {record}");
        let Some(output) = output else { continue };
        assert_eq!(record["streams"][0]["output"], output, "{args}: {record}");
        assert_eq!(record["coded_bytes"], len, "{args}: {record}");
    }
}

#[test]
fn a_record_that_cannot_be_opened_is_an_error_before_the_work() {
    let folder = Folder::new();
    folder.write("a", "x");
    folder.run("--json none/r a").says(1, &["none/r", "cannot open"]);
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn a_dash_writes_the_record_to_standard_error() {
    let folder = Folder::new();
    let Run { stdout, stderr, .. } = folder.pipe("--json -", "x");
    assert_eq!(folder.pipe("-d", stdout).fine(), b"x");
    assert!(
        stderr.starts_with("{\"schema\":\"pzcomp-record-1\",") && stderr.lines().count() == 1,
        "{stderr}"
    );
}

#[test]
fn a_run_that_a_broken_pipe_ends_leaves_a_record() {
    let folder = Folder::new();
    folder.write("a", crate::harness::noise(10_000_000));
    let mut child = folder.command(["-c", "--json", "r", "a"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    finish(child);
    let record = record(&folder, "r");
    assert_eq!((&record["status"], &record["streams"][0]["ok"]), (&141.into(), &false.into()));
}

/// Threads that code slices of the only Block count as workers. Without them the workers have about half of the time.
#[test]
fn the_workers_have_the_time_of_threads_that_help_with_a_block() {
    let folder = Folder::new();
    folder.write("a", text(17 << 20));
    folder.run("-F xz -4 -b 32M -p 2 --json r a").fine();
    let record = record(&folder, "r");
    let seconds = |value: &Value| value.as_f64().unwrap();
    let (workers, process) =
        (seconds(&record["cpu_seconds"]["workers"]), seconds(&record["process_cpu_seconds"]));
    assert!(workers > 0.75 * process, "{workers} of {process}");
}
