//! The limits that the system sets: CPUs, threads, the pace of a pipe.
//!
//! The binary runs under `taskset` and `ulimit`. What it writes must not depend on them. The memory that it takes is in
//! `memory.rs`.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::harness::{Folder, noise, text};

#[test]
fn threads_are_those_that_the_process_may_use() {
    let folder = Folder::new();
    folder.write("input", text(10_000));
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let one = allowed.split([',', '-']).next().unwrap();
    let said = folder.sh(&format!("taskset -c {one} $0 -vc input")).stderr;
    assert!(said.contains(", 1 thread;"), "{said}");
}

#[test]
fn where_no_more_threads_can_be_had_there_is_an_error_or_the_work_is_done_but_no_hang() {
    let folder = Folder::new();
    folder.write("input", text(10_000));
    for limit in [60_000, 120_000, 200_000, 400_000] {
        let mut shell = folder.shell(&format!("ulimit -v {limit}; exec $0 -p 64 -c input"));
        let mut child = shell.stdout(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "it hangs at {limit} KiB");
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(status.success() || !said.is_empty(), "{limit} KiB: {status}, and nothing said");
    }
}

#[test]
fn without_memory_there_is_an_error_in_words_and_no_partial_file() {
    let folder = Folder::new();
    let plain = text(3 << 20);
    folder.write("plain", &plain);
    let mut commands = Vec::new();
    for format in ["zstd", "gzip", "xz", "bzip2"] {
        folder.run(&format!("-F {format} -b 1M -o plain.{format} plain")).fine();
        commands.push((format!("-p 8 -F {format} -f -o out plain"), "-d -o back out".to_owned()));
        commands.push((format!("-p 8 -d -f -o back plain.{format}"), String::new()));
    }
    let mut failed = 0;
    for limit in ["v 30000", "v 50000", "v 90000", "v 200000", "d 20000"] {
        for (command, back) in &commands {
            let run = folder.sh(&format!("ulimit -{limit}; exec $0 {command}"));
            let of = format!("{command} with {limit}: {run:?}");
            assert!(!folder.names().iter().any(|name| name.ends_with(".partial")), "{of}");
            if !run.status.success() {
                assert!(run.status.code() == Some(1) && run.stderr.contains("pzcomp: "), "{of}");
                failed += 1;
                continue;
            }
            if !back.is_empty() {
                folder.run(&format!("-f {back}")).fine();
            }
            assert!(folder.read("back") == plain, "{of}");
        }
    }
    assert!(failed > 0, "no limit was too low");
}

/// Two threads may find no memory at once. Neither ends the process before the user is told.
#[test]
fn each_run_that_ends_without_memory_tells_the_user() {
    let folder = Folder::new();
    folder.write("plain", text(3 << 20));
    let mut failed = 0;
    for limit in (27_000..30_500).step_by(50) {
        let run = folder.sh(&format!("ulimit -v {limit}; exec $0 -p 8 -F gzip -f -o out plain"));
        failed += usize::from(!run.status.success());
        let is_told = run.stderr.lines().any(|line| !line.contains(": note: "));
        assert!(run.status.success() || is_told, "{limit}: {run:?}");
        assert!(!folder.names().iter().any(|name| name.ends_with(".partial")), "{limit}: {run:?}");
    }
    assert!(failed > 0, "no limit was too low");
}

#[test]
fn decompression_says_that_the_limit_may_be_too_low() {
    let folder = Folder::new();
    // Longer than what is decompressed without threads.
    folder.write("a.zst", folder.pipe("-c", noise(100_000)).fine());
    let run = folder.sh("ulimit -v 60000; exec $0 -dc -p 8 a.zst");
    assert!(run.stderr.contains("note: one thread takes up to"), "{run:?}");
    assert!(run.stderr.contains("the limit of the address space (ulimit -v) leaves"), "{run:?}");
}

#[test]
fn a_frame_is_out_while_its_pipe_still_pauses() {
    let folder = Folder::new();
    let plain = text(5_000);
    // The end of a bzip2 stream is known by what follows it.
    for format in ["zstd", "gzip", "lz4", "xz"] {
        let coded =
            folder.command(["-F", format, "-c"]).arg(folder.write("plain", &plain)).output().unwrap().stdout;
        let mut child = folder.command(["-d"]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&coded).unwrap();
        // The input is not closed: without the promise this waits for ever.
        let mut back = vec![0; plain.len()];
        child.stdout.as_mut().unwrap().read_exact(&mut back).unwrap();
        assert!(back == plain, "{format}");
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_frame_is_out_while_half_of_the_next_has_come() {
    const LEN: usize = 300 << 10;
    let folder = Folder::new();
    let plain = noise(2 * LEN);
    for format in ["zstd", "gzip", "lz4", "xz"] {
        let coded = folder.pipe(&format!("-F {format} -1 -b 300K"), &plain).fine();
        let (first, rest) = coded.split_at(coded.len() * 3 / 4);
        for threads in ["-p1", "-p3"] {
            let mut child = folder.command(["-d", threads]).stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let stdout = child.stdout.as_mut().unwrap();
            stdin.write_all(first).unwrap();
            let mut back = vec![0; LEN];
            stdout.read_exact(&mut back).unwrap();
            stdin.write_all(rest).unwrap();
            drop(stdin);
            stdout.read_to_end(&mut back).unwrap();
            assert!(back == plain, "{format} {threads}");
            assert!(child.wait().unwrap().success());
        }
    }
}

/// One file for each format with a window or dictionary of 2^`log` bytes.
fn with_windows(folder: &Folder, log: u32) -> Vec<&'static str> {
    folder.write("input", text(9_000));
    let xz = |args: &str| folder.sh(&format!("xz {args} -c input")).fine();
    folder.write("a.xz", xz(&format!("--lzma2=preset=1,dict={}", 1_u32 << log)));
    folder.write(
        "b.xz",
        xz(&format!("--x86 --arm --delta=dist=9 --lzma2=preset=1,lc=0,lp=4,dict={}", 1_u32 << log)),
    );
    folder.write("a.lzma", xz(&format!("--format=lzma --lzma1=preset=1,dict={}", 1_u32 << log)));
    let mut lzip = folder.run("-F lzip -c input").fine();
    lzip[5] = log as u8;
    folder.write("a.lz", lzip);
    // A raw block.
    let plain = text(9_000);
    let header = (plain.len() as u32) << 3 | 1;
    let window = (log as u8 - 10) << 3;
    let frame = [&[0x28, 0xB5, 0x2F, 0xFD, 0, window], &header.to_le_bytes()[..3], &plain[..]].concat();
    folder.write("a.zst", frame);
    vec!["a.xz", "b.xz", "a.lzma", "a.lz", "a.zst"]
}

const READINGS: [&str; 9] = [
    "-dc -p1",
    "-dc -p2",
    "-dc -p4",
    "-t",
    "-dc --salvage",
    "-t --salvage",
    "--to gzip -c",
    "-dc --range 0-9",
    "-f --index -o index",
];

#[test]
fn a_window_of_exactly_the_limit_is_read_whatever_the_mode() {
    let (folder, plain) = (Folder::new(), text(9_000));
    for name in with_windows(&folder, 27) {
        for args in READINGS {
            if name == "a.lzma" && args.contains("--index") {
                continue;
            }
            let run = folder.run(&format!("{args} {name}"));
            assert!(run.status.success() && run.stderr.is_empty(), "{args} {name}: {}", run.stderr);
            let expected = match args {
                "-dc --range 0-9" => &plain[..9],
                args if args.starts_with("-dc") => &plain,
                _ => continue,
            };
            assert!(run.stdout == expected, "{args} {name}");
        }
        assert!(folder.run(&format!("-l {name}")).status.success(), "{name}");
    }
}

#[test]
fn a_longer_window_needs_more_memory_and_is_never_damage() {
    let folder = Folder::new();
    for name in with_windows(&folder, 28) {
        for args in READINGS {
            if name == "a.lzma" && args.contains("--index") {
                continue;
            }
            let run = folder.run(&format!("{args} {name}"));
            if run.status.success() {
                // Where the header states a short length, or nothing is decoded.
                continue;
            }
            let said = run.says(1, &["of memory, but only"]).stderr;
            for word in ["damage", "lost", "corrupt", "salvage"] {
                assert!(!said.contains(word), "{args} {name}: {said}");
            }
            // What cannot be read of a range is told without this advice.
            let advice = |said: &str| Some(said.rsplit_once("allow more with -M ")?.1.trim().to_owned());
            let Some(enough) = advice(&said) else { continue };
            let again = folder.run(&format!("-M {enough} {args} {name}"));
            // --index decodes one frame first, and then all of them. Each step says what it needs.
            match advice(&again.stderr).filter(|_| args.contains("--index")) {
                Some(enough) => folder.run(&format!("-M {enough} {args} {name}")).fine(),
                None => again.fine(),
            };
        }
    }
    // Frames that fit are written, and the report does not call the file damaged.
    let small = folder.pipe("--no-index", text(9_000)).fine();
    folder.write("mixed.zst", [&small[..], &folder.read("a.zst"), &small].concat());
    let run = folder.run("-dc --salvage mixed.zst");
    assert!(run.stdout == text(9_000).repeat(2));
    let said =
        run.says(2, &["mixed.zst: not decoded: coded bytes ", "mixed.zst: not whole: kept 2 frames"]).stderr;
    assert!(!said.contains("damage"), "{said}");
    let enough = said.lines().next().unwrap().rsplit("-M ").next().unwrap().trim();
    assert!(folder.run(&format!("-M {enough} -dc --salvage mixed.zst")).fine() == text(9_000).repeat(3));
}
