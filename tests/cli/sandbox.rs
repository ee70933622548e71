//! The sandbox: what code that has taken over a decoder cannot do, and that nothing else changes.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::os::unix::process::ExitStatusExt;

use crate::harness::{Folder, Run};

const PLAIN: &[u8] = b"three in the morning";

/// A folder with inputs, and with what hostile code goes for.
fn prey() -> Folder {
    let folder = Folder::new();
    folder.write("plain", PLAIN);
    folder.run("-k plain").fine();
    folder.write("long", vec![7; 9 << 20]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    folder.write("secret", "x");
    folder
}

/// Runs pzcomp with hostile code in the place of a decoder, which goes for this file too.
fn taken_over(folder: &Folder, source: &str, args: &str) -> Run {
    let mut command = folder.command(args.split(' '));
    crate::harness::feed(command.env("PZCOMP_TEST_HOSTILE", source), PLAIN)
}

#[test]
fn hostile_code_reaches_nothing_in_a_run_whose_files_are_open() {
    let folder = prey();
    crate::tar::sh(&folder, "tar -cf tar plain");
    folder.run("tar").fine();
    let before = folder.names();
    for args in [
        "-c plain",
        "-c long",
        "-c",
        "-dc plain.zst",
        "-t plain.zst",
        "-c --to lz4 plain.zst",
        "--as gzip -c plain",
        "-c --verify plain",
        "-c --exec -- cat plain",
        "-l plain.zst",
        "-l --frames plain.zst",
        "-l --tar tar.zst",
        "-dc --range 3+2 plain.zst",
        "-d --extract plain tar.zst",
        "-d --extract-tar tar.zst",
    ] {
        let run = taken_over(&folder, "plain", args);
        assert!(run.status.success(), "{args}: {}", run.stderr);
        assert_eq!(run.stderr, "hostile: has tried\n", "{args}");
        assert_eq!(folder.names(), before, "{args}");
        assert_eq!(folder.read("plain"), PLAIN, "{args}");
    }
}

#[test]
fn hostile_code_reaches_no_file_but_the_output_of_a_run_that_makes_one() {
    for (args, input, made) in [
        ("-k plain", "plain", "plain.zst"),
        ("plain", "plain", "plain.zst"),
        ("--sync plain", "plain", "plain.zst"),
        ("-k long", "long", "long.zst"),
        ("-k --verify long", "long", "long.zst"),
        ("-p1 -k long", "long", "long.zst"),
        ("--as gzip plain", "plain", "plain.gz"),
        ("--as xz plain", "plain", "plain.xz"),
        ("--to lz4 -k plain.zst", "plain.zst", "plain.lz4"),
        ("-o out plain", "plain", "out"),
        ("-kfo out plain", "plain", "out"),
        ("-fo secret plain", "plain", "secret"),
        ("-o out -", "-", "out"),
        ("-do folder/out plain.zst", "plain.zst", "folder/out"),
        ("--as zstd -df plain.zst", "plain.zst", "plain"),
        ("-d --rm -f plain.zst", "plain.zst", "plain"),
        ("--output-dir folder -k plain", "plain", "folder/plain.zst"),
        ("-o out --exec -- cat plain", "plain", "out"),
    ] {
        let folder = prey();
        if made == "plain.zst" {
            std::fs::remove_file(folder.path(made)).unwrap();
        }
        let before = folder.names();
        let run = taken_over(&folder, input, args);
        assert!(run.status.success(), "{args}: {}", run.stderr);
        assert_eq!(run.stderr, "hostile: has tried\n", "{args}");
        let plain = if input == "long" { vec![7; 9 << 20] } else { PLAIN.to_vec() };
        assert!(folder.run(&format!("-dcf {made}")).fine() == plain, "{args}");
        let mut after = before.clone();
        after.extend((!made.starts_with("folder/")).then(|| made.into()));
        let is_removed = !args.contains("-k") && !folder.has(input);
        after.retain(|name| !(is_removed && name == input));
        after.sort();
        after.dedup();
        assert_eq!(folder.names(), after, "{args}");
    }
}

#[test]
fn hostile_code_reaches_files_but_no_network_and_no_program_in_a_run_that_opens_more() {
    for args in [
        "-k plain long",
        "-kr deep plain",
        "-k --json record plain",
        "-k --hash-file hashes --hash xxh3 plain",
        "--salvage -dc plain.zst",
        "-c --idle plain",
        "-l plain.zst plain.zst",
        "--as zstd -l plain.zst",
        "-l --frames -o table plain.zst",
    ] {
        let folder = prey();
        std::fs::rename(folder.path("plain.zst"), folder.path("folder/plain.zst")).unwrap();
        std::fs::create_dir(folder.path("deep")).unwrap();
        folder.write("deep/inner", PLAIN);
        let args = args.replace("plain.zst", "folder/plain.zst");
        let run = taken_over(&folder, "secret", &args);
        let could: Vec<_> =
            run.stderr.lines().filter_map(|line| line.strip_prefix("hostile: could ")).collect();
        assert!(run.status.success() && could.contains(&"read: Ok(())"), "{args}: {}", run.stderr);
        for power in ["connect", "listen", "start", "signal"] {
            assert!(!could.iter().any(|could| could.starts_with(power)), "{args}: {}", run.stderr);
        }
    }
}

#[test]
fn no_sandbox_keeps_all_rights_also_from_the_variable() {
    let folder = prey();
    for args in ["-c --no-sandbox plain", "-kf --no-sandbox plain"] {
        let run = taken_over(&folder, "folder", args);
        assert!(run.stderr.contains("could start: Ok(())"), "{args}: {}", run.stderr);
    }
    let mut gzip = folder.command(["--as", "gzip", "-c", "plain"]);
    let run = crate::harness::feed(gzip.env("PZCOMP_TEST_HOSTILE", "x").env("PZCOMP", "--no-sandbox"), b"");
    assert!(run.stderr.contains("could start: Ok(())"), "{}", run.stderr);
}

#[test]
fn vv_says_which_sandbox_is_in_force() {
    let folder = prey();
    let says = |args: &str, what: &str| {
        let run = folder.pipe(args, PLAIN);
        assert!(run.stderr.contains(what), "{args}: {}", run.stderr);
    };
    says("-vv", "sandbox: no more files");
    says("-vvkf plain", "sandbox: no files but the output");
    says("-vvkf plain long", "sandbox: all files, but no network");
    assert!(!folder.pipe("-vv --no-sandbox", PLAIN).stderr.contains("sandbox"));
}

#[test]
fn an_abort_in_the_sandbox_leaves_no_part_of_an_output() {
    let folder = prey();
    let before = folder.names();
    let run = taken_over(&folder, "abort", "-ko out plain");
    assert_eq!(run.status.signal(), Some(6), "{}", run.stderr);
    assert_eq!(folder.names(), before, "{}", run.stderr);
}

/// The system also knows the peak of the program that has started pzcomp.
#[test]
fn the_peak_of_memory_in_the_sandbox_is_that_of_pzcomp() {
    let folder = prey();
    let much = std::hint::black_box(vec![1_u8; 300 << 20]);
    let run = folder.run("-vvc plain");
    let peak = run.stderr.split("peak memory ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(run.stderr.contains("sandbox: no more files") && much.len() > 1 << 20, "{}", run.stderr);
    assert!(peak.parse::<f64>().unwrap() < 200.0, "{}", run.stderr);
}

#[test]
fn one_named_pipe_of_fifos_is_compressed_in_the_sandbox() {
    let folder = prey();
    folder.fifo("pipe");
    let pipe = folder.path("pipe");
    std::thread::spawn(move || std::fs::write(pipe, PLAIN));
    let run = folder.run("-vvk --fifos pipe");
    assert!(run.status.success() && run.stderr.contains("sandbox: all files"), "{}", run.stderr);
}

/// The list of a 7z archive may be compressed.
#[test]
fn the_list_of_a_7z_archive_is_read_in_the_sandbox() {
    let folder = prey();
    folder.write("bad.7z", [&b"7z\xbc\xaf\x27\x1c\0\x04"[..], &[1; 64]].concat());
    for args in ["-vvt bad.7z", "-vvdc bad.7z", "-vvl bad.7z", "-vvd --extract x bad.7z"] {
        let run = folder.run(args);
        assert!(!run.status.success() && run.stderr.contains("sandbox: "), "{args}: {}", run.stderr);
    }
}
