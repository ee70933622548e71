//! Hashes in passing: `--hash` and `--hash-file`. The peer is sha256sum.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Folder, feed, finish, noise, text};

/// What sha256sum says of these bytes.
fn sha256(bytes: &[u8]) -> String {
    let mut command = Command::new("sha256sum");
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let printed = String::from_utf8(feed(&mut command, bytes).fine()).unwrap();
    printed.split_whitespace().next().unwrap().to_owned()
}

/// Runs sha256sum -c in the folder.
fn check(folder: &Folder, list: &str, input: &[u8]) {
    let run = feed(&mut folder.program("sha256sum", ["--strict", "-c", list]), input);
    assert!(run.status.success(), "{}: {}", String::from_utf8_lossy(&run.stdout), run.stderr);
}

/// The hashes of the only stream in the record `r`: of the plain and of the coded data.
fn recorded(folder: &Folder) -> [String; 2] {
    let record: Value = serde_json::from_slice(&folder.read("r")).unwrap();
    ["plain", "coded"].map(|side| record["streams"][0]["hashes"][side]["sha256"].as_str().unwrap().to_owned())
}

#[test]
fn hashes_are_those_of_all_bytes_in_order_whatever_the_ends_are() {
    let folder = Folder::new();
    let plain = [text(700_000), noise(300_000)].concat();
    folder.write("plain", &plain);
    let plain_hash = sha256(&plain);
    // Each has several frames, or several parts of the member.
    for args in [
        "-Fzstd -b 300K",
        "-Fgzip -b 300K",
        "-Fxz -1 -b 300K",
        "-Flz4 -b 64K",
        "-Fbzip2 -1",
        "-Flzip -0 -b 300K",
        "-Fgzip --one-member -b 200K",
    ] {
        for threads in ["-p1", "-p3"] {
            // To a file, the workers write, each at its own offset, if there are several.
            folder.run(&format!("-f {args} {threads} --hash sha256 --json r -o coded plain")).fine();
            let coded = folder.read("coded");
            let hashes = [plain_hash.clone(), sha256(&coded)];
            assert_eq!(recorded(&folder), hashes, "{args} {threads} from a file to a file");
            let piped = folder.pipe(&format!("{args} {threads} --hash sha256 --json r"), &plain).fine();
            assert!(piped == coded, "{args}: the output is the same from a pipe");
            assert_eq!(recorded(&folder), hashes, "{args} {threads} from a pipe to a pipe");
            folder.run(&format!("-df {threads} --hash sha256 --json r -o back coded")).fine();
            assert!(folder.read("back") == plain);
            assert_eq!(recorded(&folder), hashes, "{args} {threads} back to a file");
            folder.pipe(&format!("-d {threads} --hash sha256 --json r"), &coded).fine();
            assert_eq!(recorded(&folder), hashes, "{args} {threads} back through pipes");
            folder.run(&format!("-t {threads} --hash sha256 --json r coded")).fine();
            assert_eq!(recorded(&folder), hashes, "{args} {threads} tested");
            folder.run(&format!("-f {args} {threads} --verify --hash sha256 --json r -o coded plain")).fine();
            assert_eq!(recorded(&folder), hashes, "{args} {threads} verified");
            folder.run(&format!("-df {threads} --verify --hash sha256 --json r -o back coded")).fine();
            assert_eq!(recorded(&folder), hashes, "{args} {threads} back and verified");
            for verify in ["", "--verify"] {
                folder
                    .run(&format!("-f --to lz4 {verify} {threads} --hash sha256 --json r -o new coded"))
                    .fine();
                let new = sha256(&folder.read("new"));
                assert_eq!(recorded(&folder), [plain_hash.clone(), new], "{args} {threads} {verify} to lz4");
            }
        }
    }
}

#[test]
fn sha256sum_checks_the_files_that_were_made() {
    let folder = Folder::new();
    folder.write("a", text(3_000_000));
    folder.write("b c", text(100));
    folder.write("odd\\\nname", "x");
    let run = finish(folder.command(["--hash-file", "sums", "a", "b c", "odd\\\nname"]).spawn().unwrap());
    run.fine();
    assert_eq!(String::from_utf8(folder.read("sums")).unwrap().lines().count(), 3);
    check(&folder, "sums", b"");
    folder.run("-d -f --hash-file plain.sums a.zst").fine();
    assert!(folder.read("plain.sums").ends_with(b"  a\n"));
    check(&folder, "plain.sums", b"");
    folder.run("-t --hash-file tested.sums a.zst").fine();
    check(&folder, "tested.sums", b"");
    // All inputs together make one output.
    folder.run("-o all.zst --hash-file all.sums a a").fine();
    check(&folder, "all.sums", b"");
    let coded = folder.pipe("--hash-file piped.sums", text(50_000)).fine();
    check(&folder, "piped.sums", &coded);
}

#[test]
fn outputs_that_fail_are_not_in_the_hash_file() {
    let folder = Folder::new();
    folder.write("a", text(1000));
    folder.run("a").fine();
    folder.write("cut.zst", &folder.read("a.zst")[..50]);
    folder.run("-df --hash-file sums a.zst cut.zst").says(1, &["cut.zst"]);
    check(&folder, "sums", b"");
    assert!(folder.read("sums").ends_with(b"  a\n"));
    folder.run("-df --hash-file none -o all a.zst cut.zst").says(1, &["cut.zst"]);
    assert!(!folder.has("none") && !folder.has("all"));
    folder.run("-d -f --hash-file sums cut.zst").says(1, &["cut.zst"]);
    assert!(folder.read("sums").ends_with(b"  a\n"), "the old file stays");
}

#[test]
fn hashes_go_to_standard_output_if_no_data_does() {
    let folder = Folder::new();
    folder.write("a", text(1000));
    let sums = folder.run("--hash-file - a").fine();
    assert!(sums.ends_with(b"  a.zst\n"));
    folder.write("sums", sums);
    check(&folder, "sums", b"");
    let tested = folder.run("-t --hash-file - a.zst").fine();
    assert_eq!(tested, folder.read("sums"));
    assert_eq!(folder.run("-o b.zst --hash-file - a").fine().len(), 64 + "  b.zst\n".len());
    for args in ["-c --hash-file - a", "--hash-file -", "-o - --hash-file - a"] {
        let run = folder.pipe(args, "x").says(1, &["-: is the file for --hash-file", "carries the data"]);
        assert!(run.stdout.is_empty(), "{args}");
    }
    assert_eq!(folder.names(), ["a", "a.zst", "b.zst", "sums"], "no file is called -");
}

#[test]
fn a_hash_file_in_a_missing_folder_is_refused_before_anything_is_done() {
    let folder = Folder::new();
    folder.write("a", "x");
    let run = folder.run("--hash-file missing/sums a");
    run.says(
        1,
        &[
            "pzcomp: missing/sums: cannot create a file in its folder, which does not exist",
            "make the folder",
        ],
    );
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn a_hash_file_is_overwritten_by_force_only() {
    let folder = Folder::new();
    folder.write("a", "x");
    folder.write("sums", "precious");
    folder.run("--hash-file sums a").says(1, &["sums", "-f"]);
    assert_eq!(folder.names(), ["a", "sums"], "nothing was done");
    folder.run("-f --hash-file sums a").fine();
    check(&folder, "sums", b"");
}

#[test]
fn hashes_are_printed_if_no_file_has_them() {
    let folder = Folder::new();
    let run = folder.pipe("--hash sha256,blake3,xxh3", "three in the morning");
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 6, "{}", run.stderr);
    assert_eq!(
        lines[0],
        format!("pzcomp: stdin: sha256 of the plain data: {}", sha256(b"three in the morning"))
    );
    assert_eq!(lines[3], format!("pzcomp: stdin: sha256 of the coded data: {}", sha256(&run.stdout)));
    for (line, kind) in [(1, "blake3"), (2, "xxh3")] {
        assert!(
            lines[line].starts_with(&format!("pzcomp: stdin: {kind} of the plain data: ")),
            "{}",
            lines[line]
        );
    }
    folder.pipe("--hash sha256,xxh3 --hash-file sums", "x").says(1, &["--hash-file takes one kind"]);
    folder.pipe("--hash md5", "x").says(1, &["md5", "sha256"]);
    folder.run("-l --hash sha256 a").says(1, &["--hash"]);
}
