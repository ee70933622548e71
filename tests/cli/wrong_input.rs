//! Input that is not what it should be gets a sentence and a status.
//!
//! There is no peer: cut, damaged, foreign and empty input is made here and piped through pzcomp, and `Run::says`
//! demands the status and the parts of the sentence.

use std::fs::File;

use pzcomp::Format;

use crate::harness::{Folder, appending, finish, is_root, text};

/// Salvage reads an input again and again. Nobody waits for the writer of a pipe that is refused.
#[test]
fn salvage_refuses_a_fifo_at_once() {
    let folder = Folder::new();
    folder.fifo("p");
    for args in ["-d --salvage -c p", "-t --salvage p"] {
        folder.run(args).says(1, &["p: is not a regular file", "is read more than once"]);
    }
}

#[test]
fn what_is_not_compressed_is_refused() {
    let folder = Folder::new();
    folder.write("a.zst", "this is plain text");
    for args in ["-dc a.zst", "-t a.zst", "-d a.zst"] {
        let run = folder
            .run(args)
            .says(1, &["pzcomp: a.zst: not in a compressed format", "74 68 69 73", "pzcomp(1)"]);
        assert_eq!(run.stdout, b"");
    }
    assert_eq!(folder.names(), ["a.zst"]);
}

#[test]
fn frames_of_old_zstd_are_refused_with_the_program_that_reads_them() {
    let folder = Folder::new();
    for (name, number) in [("0.1", 0x1E), ("0.5", 0x25), ("0.7", 0x27)] {
        folder.write("old.zst", [number, 0xB5, 0x2F, 0xFD, 0, 0, 0]);
        folder.run("-t old.zst").says(1, &["frame of zstd 0.1 to 0.7", "zstd -d"]);
        let said = folder.run("--as zstd -t old.zst");
        assert_eq!(said.status.code(), Some(1), "{name}");
        assert!(
            said.stderr.contains("unsupported format: it begins a frame of zstd 0.1 to 0.7"),
            "{}",
            said.stderr
        );
    }
}

#[test]
fn nothing_at_all_is_not_compressed_data() {
    let folder = Folder::new();
    folder.write("empty.zst", "");
    for args in ["-d empty.zst", "-t empty.zst", "-dc empty.zst"] {
        folder.run(args).says(1, &["pzcomp: empty.zst: unexpected end of file", "empty"]);
    }
    folder.pipe("-d", "").says(1, &["pzcomp: stdin: unexpected end of file"]);
    assert_eq!(folder.names(), ["empty.zst"]);
}

#[test]
fn trailing_garbage_is_an_error_behind_the_data() {
    let folder = Folder::new();
    for format in Format::all() {
        let coded = folder.pipe(&format!("-F{format}"), "data").fine();
        let run = folder.pipe("-d", [&coded, &b"garbage"[..]].concat());
        let offset = format!("offset {}", coded.len());
        assert_eq!(
            run.says(1, &["pzcomp: stdin: trailing garbage", &offset, "67 61 72"]).stdout,
            b"data",
            "{format}"
        );
    }
}

#[test]
fn what_is_whole_before_a_cut_is_written() {
    let folder = Folder::new();
    let plain = text(1_000_000);
    for format in Format::all() {
        let coded = folder.pipe(&format!("-F{format} -b 200K --no-index"), &plain).fine();
        let run =
            folder.pipe("-d", &coded[..coded.len() * 3 / 4]).says(1, &["unexpected end of", format.name()]);
        assert!(plain.starts_with(&run.stdout), "{format}");
        assert!(run.stdout.len() >= 400 << 10, "{format}: {}", run.stdout.len());
    }
}

#[test]
fn what_is_whole_before_the_damage_is_written() {
    let folder = Folder::new();
    let plain = text(1_000_000);
    for format in Format::all() {
        let mut coded = folder.pipe(&format!("-F{format} -b 200K --no-index"), &plain).fine();
        let at = coded.len() * 3 / 4;
        coded[at] ^= 0x10;
        let run = folder.pipe("-d", &coded).says(1, &["pzcomp: stdin: ", "offset"]);
        assert!(plain.starts_with(&run.stdout), "{format}");
        assert!(run.stdout.len() >= 400 << 10, "{format}: {}", run.stdout.len());
        folder.pipe("-t", &coded).says(1, &["pzcomp: stdin: "]);
    }
}

#[test]
fn of_a_damaged_file_no_half_is_made() {
    let folder = Folder::new();
    let coded = folder.pipe("-b 200K", text(1_000_000)).fine();
    folder.write("a.zst", &coded[..coded.len() / 2]);
    folder.run("-d a.zst").says(1, &["pzcomp: a.zst: unexpected end of zstd data", "a was not made;", "-c"]);
    folder.run("-o out -d a.zst").says(1, &["out was not made;", "pzcomp: out: was not made"]);
    assert_eq!(folder.names(), ["a.zst"]);
}

#[test]
fn missing_files_are_named() {
    let folder = Folder::new();
    for args in ["missing", "-d missing.zst", "-t missing.zst", "-l missing.zst", "-c missing"] {
        let run = folder.run(args).says(1, &["pzcomp: missing", "cannot open: No such file"]);
        assert_eq!((run.stdout.len(), run.stderr.lines().count()), (0, 1));
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn unreadable_files_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.write("secret", "x");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if !is_root() {
        folder.run("secret").says(1, &["pzcomp: secret: cannot open: Permission denied"]);
    }
    // Nothing is secret to root; but nobody reads a directory as a stream.
    let child = folder.command([""; 0]).stdin(File::open(folder.path("")).unwrap()).spawn().unwrap();
    finish(child).says(1, &["pzcomp: stdin: cannot read at offset 0: Is a directory"]);
}

#[test]
fn a_file_is_not_written_over_itself() {
    let folder = Folder::new();
    let path = folder.write("a", "precious");
    folder.run("-o a a").says(1, &["pzcomp: a: is both input and output", "the file is unchanged"]);
    folder.run("-f -o a a").says(1, &["is both input and output"]);
    folder.run("-f -o ./a a").says(1, &["is both input and output"]);
    std::fs::hard_link(&path, folder.path("b")).unwrap();
    folder.run("-f -o b a").says(1, &["is both input and output"]);
    folder.write("other", "x");
    folder.run("-f -o a other a").says(1, &["pzcomp: a: is both input and output"]);
    assert_eq!(folder.read("a"), b"precious");
    assert_eq!(folder.names(), ["a", "b", "other"]);
}

#[test]
fn standard_output_on_the_input_is_seen() {
    let folder = Folder::new();
    let path = folder.write("a", "precious");
    let child = folder.command(["-c", "a"]).stdout(appending(&path)).spawn().unwrap();
    finish(child).says(1, &["pzcomp: a: is both input and output"]);
    let child =
        folder.command([""; 0]).stdin(File::open(&path).unwrap()).stdout(appending(&path)).spawn().unwrap();
    finish(child).says(1, &["pzcomp: stdin: is both input and output"]);
    assert_eq!(folder.read("a"), b"precious");
    // Devices are no files.
    folder
        .command(["-c", "/dev/null"])
        .stdout(std::process::Stdio::null())
        .status()
        .map(|status| assert!(status.success()))
        .unwrap();
}

#[test]
fn a_file_that_vanishes_between_naming_and_reading_is_an_error() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("nowhere", folder.path("dangling")).unwrap();
    folder.run("-c dangling").says(1, &["pzcomp: dangling: cannot open: No such file"]);
}
