//! `--idle`: the workers run in the idle class of the scheduler, and the output is the same.

use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Folder, text};

/// `SCHED_IDLE`, `sched(7)`.
const IDLE: u32 = 5;

/// Whether a thread with this file `stat` is in the idle class. proc_pid_stat(5): field 41, and the first behind the
/// name is the third.
fn is_idle(stat: &str) -> bool {
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(41 - 3).unwrap().parse() == Ok(IDLE)
}

/// The names of the threads of a process, and whether they run in the idle class.
fn threads(child: &Child) -> Vec<(String, bool)> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    stats
        .map(|stat| {
            let name = stat.split_once('(').unwrap().1.rsplit_once(')').unwrap().0;
            (name.to_owned(), is_idle(&stat))
        })
        .collect()
}

#[test]
fn workers_are_in_the_idle_class_and_the_thread_of_the_caller_is_not() {
    // A test that runs in the idle class itself hands the class down to all threads.
    if is_idle(&std::fs::read_to_string("/proc/thread-self/stat").unwrap()) {
        return;
    }
    let folder = Folder::new();
    let data = text(3_000_000);
    folder.write("a.zst", folder.pipe("-b 256K", &data).fine());
    folder.write("a", &data);
    for args in ["--idle -p 2 -c", "--idle -p 2 -dc", "--idle -p 2 --to gzip -c", "-p 2 -c"] {
        let input = folder.read(if args == "--idle -p 2 -c" || args == "-p 2 -c" { "a" } else { "a.zst" });
        let mut child = folder.command(args.split(' ')).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The rest comes later, so that the threads are there meanwhile.
        let (first, rest) = input.split_at(input.len() / 2);
        stdin.write_all(&first[..first.len().min(60_000)]).unwrap();
        let started = Instant::now();
        let expected = args.contains("idle");
        loop {
            let threads = threads(&child);
            let workers = threads.iter().filter(|(name, _)| name == "worker").collect::<Vec<_>>();
            if !workers.is_empty() && workers.iter().all(|(_, idle)| *idle == expected) {
                assert!(
                    threads.iter().any(|(name, idle)| name.starts_with("pzcomp") && !idle),
                    "{threads:?}"
                );
                break;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "{args}: {threads:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let rest = [&first[first.len().min(60_000)..], rest].concat();
        let feeder = std::thread::spawn(move || stdin.write_all(&rest));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap().unwrap();
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
        let plain = folder.pipe(
            "-dc",
            if args.contains("-dc") { folder.pipe("", &output.stdout).fine() } else { output.stdout },
        );
        assert!(plain.fine() == data, "{args}");
    }
}

#[test]
fn idle_writes_the_same_output() {
    let folder = Folder::new();
    folder.write("a", text(3_000_000));
    for args in ["-b 256K -p 3", "-F gzip", "-F xz -1", "-F lz4 -p 1"] {
        let usual = folder.run(&format!("{args} -c a")).fine();
        assert!(folder.run(&format!("--idle {args} -c a")).fine() == usual, "{args}");
    }
}

#[test]
fn what_has_no_workers_of_this_kind_refuses_the_flag() {
    let folder = Folder::new();
    folder.write("a.zst", folder.pipe("", text(1000)).fine());
    for args in [
        "-d --range 0-10 -c a.zst",
        "--index a.zst",
        "-d --salvage -o b a.zst",
        "--protect a.zst",
        "--bench a.zst",
    ] {
        folder.run(&format!("--idle {args}")).says(1, &["cannot be used with"]);
    }
    assert_eq!(folder.names(), ["a.zst"]);
}
