//! `--fifos`: named pipes that one run compresses at the same time.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::Signal;

use super::harness::{Folder, finish, noise, send, text};

/// A folder with so many pipes `d/thread_0` and so on, an empty folder `out`, and the words that name the pipes.
fn pipes(count: usize) -> (Folder, Vec<String>) {
    let folder = Folder::new();
    for name in ["d", "out"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    let names: Vec<_> = (0..count).map(|number| format!("d/thread_{number}")).collect();
    for name in &names {
        folder.fifo(name);
    }
    (folder, names)
}

fn start(folder: &Folder, words: &str, names: &[String]) -> Child {
    let words = words.split_whitespace().map(String::from);
    folder
        .command(["--fifos".into(), "--output-dir=out".into()].into_iter().chain(words).chain(names.to_vec()))
        .spawn()
        .unwrap()
}

/// Opens a pipe as xtrabackup does: the reader has to come in time.
fn open(folder: &Folder, name: &str) -> File {
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
    let begun = Instant::now();
    loop {
        match options.open(folder.path(name)) {
            Ok(pipe) => {
                rustix::fs::fcntl_setfl(&pipe, OFlags::empty()).unwrap();
                return pipe;
            }
            Err(error) => assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// One thread writes to all pipes in turns, in small blocks, and waits at each until it is read.
#[test]
fn fifos_are_all_read_at_once_also_by_fewer_threads() {
    for words in ["-p1", "-p2 -M 96M", "-p3 -F gzip -q", "-p1 -F xz -1 -b 64K --expect-tail=end"] {
        let (folder, names) = pipes(5);
        let mode = |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode();
        folder.write("usual", "");
        let usual = mode("usual");
        let child = start(&folder, words, &names);
        // The last one is empty but for its end.
        let data: Vec<Vec<u8>> = (0..5_usize)
            .map(|number| {
                let len = if number == 4 { 0 } else { (number + 1) << 19 };
                let plain = if number % 2 == 0 { text(len) } else { noise(len) };
                [&plain[..], b"end"].concat()
            })
            .collect();
        let mut writers: Vec<_> = names.iter().map(|name| open(&folder, name)).collect();
        let mut blocks: Vec<_> = data.iter().map(|data| data.chunks(3000)).collect();
        let mut has_more = true;
        while has_more {
            has_more = false;
            for (pipe, blocks) in writers.iter_mut().zip(&mut blocks) {
                if let Some(block) = blocks.next() {
                    pipe.write_all(block).unwrap();
                    has_more = true;
                }
            }
        }
        drop(writers);
        finish(child).fine();
        let suffix = match words {
            _ if words.contains("gzip") => "gz",
            _ if words.contains("xz") => "xz",
            _ => "zst",
        };
        for (number, data) in data.iter().enumerate() {
            let plain = folder.run(&format!("-dc out/thread_{number}.{suffix}")).fine();
            assert!(plain == *data, "{words} {number}");
            // A pipe lends no rights, as standard input does not.
            assert_eq!(mode(&format!("out/thread_{number}.{suffix}")), usual, "{words} {number}");
        }
        assert_eq!(folder.names(), ["d", "out", "usual"]);
    }
}

/// The others are still being written, or nobody has opened them.
#[test]
fn fifos_end_all_at_the_first_error() {
    let no_output = |folder: &Folder| std::fs::read_dir(folder.path("out")).unwrap().next().is_none();
    let (folder, names) = pipes(3);
    let child = start(&folder, "--expect-end=xbstream", &names);
    let first = open(&folder, &names[0]);
    let mut second = open(&folder, &names[1]);
    second.write_all(b"XBSTCK01\0P\x01\0\0\0a").unwrap();
    drop(second);
    let run = finish(child);
    run.says(1, &["d/thread_1", "unexpected end of xbstream data", "no output was made"]);
    assert!(no_output(&folder));
    drop(first);

    // One that has ended well is no backup without the others.
    let (folder, names) = pipes(2);
    let child = start(&folder, "--expect-tail=end", &names);
    open(&folder, &names[0]).write_all(b"the end").unwrap();
    open(&folder, &names[1]).write_all(b"the e").unwrap();
    finish(child).says(1, &["d/thread_1", "do not contain"]);
    assert!(no_output(&folder));

    let (folder, names) = pipes(2);
    let child = start(&folder, "", &names);
    let writer = open(&folder, &names[0]);
    send(&child, Signal::TERM);
    finish(child).died_by(Signal::TERM);
    assert!(no_output(&folder));
    drop(writer);
}

#[test]
fn fifos_refuses_what_is_no_pipe_and_what_it_cannot_do() {
    let (folder, names) = pipes(2);
    folder.write("file", "data");
    let run = |words: &str, names: &[String]| finish(start(&folder, words, names));
    run("", &[names[0].clone(), "file".into()]).says(1, &["file", "is no named pipe"]);
    run("", &["-".into()]).says(1, &["--fifos needs the names of named pipes"]);
    run("", &[]).says(1, &["--fifos needs the names of named pipes"]);
    run("-M 1M", &names).says(1, &["memory"]);
    std::fs::create_dir(folder.path("e")).unwrap();
    folder.fifo("e/thread_0");
    run("-f", &[names[0].clone(), "e/thread_0".into()])
        .says(1, &["e/thread_0", "another pipe has the same output"]);
    folder.write("out/thread_1.zst", "there");
    run("", &names).says(1, &["out/thread_1.zst", "already exists", "no output was made"]);
    assert_eq!(folder.read("out/thread_1.zst"), b"there");
    for words in ["--verify", "-d", "-t", "--rm", "--recovery", "--hash=sha256", "-o x"] {
        finish(
            folder
                .command(["--fifos"].into_iter().chain(words.split(' ')).chain(["d/thread_0"]))
                .spawn()
                .unwrap(),
        )
        .says(1, &["cannot be used with"]);
    }
    assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 1);
}
