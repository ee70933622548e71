//! An input is removed only if all that it holds is in the output, under every name.
//!
//! The tables have the command lines that remove their input, and the ways in which an input is not taken whole. Add a
//! row to either. What the originals do beyond that is in `tests/scenes/`.

use crate::common::flipped;
use crate::harness::{Folder, Run, text};

/// What is run, and the format and the suffix of the input.
const COMMANDS: [(&str, &str, &str); 22] = [
    ("-d -f --rm", "zstd", ".zst"),
    ("-d -f --rm --verify", "gzip", ".gz"),
    ("-d -f --rm -o x", "lz4", ".lz4"),
    ("-d -f --rm --hash sha256 --hash-file sums", "bzip2", ".bz2"),
    ("-d -f --rm -q", "lzip", ".lz"),
    ("--to lz4 -f --rm", "xz", ".xz"),
    ("--as gzip -d", "gzip", ".gz"),
    ("--as gunzip -f", "gzip", ".gz"),
    ("--as pigz -d", "gzip", ".gz"),
    ("--as igzip -d --rm", "gzip", ".gz"),
    ("--as bgzip -d", "gzip", ".gz"),
    ("--as zstd -d --rm", "zstd", ".zst"),
    ("--as zstd -df --rm", "gzip", ".gz"),
    ("--as lz4 -d --rm -m", "lz4", ".lz4"),
    ("--as xz -d", "xz", ".xz"),
    ("--as bzip2 -d", "bzip2", ".bz2"),
    ("--as bzip2 -df", "bzip2", ".bz2"),
    ("--as lbzip2 -d", "bzip2", ".bz2"),
    ("--as pbzip2 -d", "bzip2", ".bz2"),
    ("--as lzip -d", "lzip", ".lz"),
    ("--as lzip -d --loose-trailing", "lzip", ".lz"),
    ("--as plzip -d", "lzip", ".lz"),
];

/// Runs a command on an input with this content. Returns what came of it, and whether the input is still there, as it
/// was.
fn play(command: &str, suffix: &str, content: &[u8]) -> (Run, bool, Folder) {
    let folder = Folder::new();
    let name = format!("x{suffix}");
    folder.write(&name, content);
    let run = folder.run(&format!("{command} {name}"));
    let stays = folder.has(&name);
    assert!(!stays || folder.read(&name) == content, "{command} has changed its input");
    (run, stays, folder)
}

fn coded(format: &str, plain: &[u8]) -> Vec<u8> {
    Folder::new().pipe(&format!("-F {format} --no-index"), plain).fine()
}

#[test]
fn an_input_that_was_not_taken_whole_stays() {
    for (command, format, suffix) in COMMANDS {
        let one = coded(format, &text(3_000));
        let behind = |tail: &[u8]| [&one, tail].concat();
        let (run, stays, folder) = play(command, suffix, &behind(&one));
        assert!(run.status.success() && !stays, "{command} does not remove a sound input: {run:?}");
        assert!(folder.names().iter().any(|name| name.starts_with('x')), "{command}");
        let other_magic = flipped(&one, 0, 1);
        let mut damaged = one.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        for (kind, content) in [
            ("garbage", behind(b"garbage that begins nothing")),
            ("garbage behind zeros", behind(b"\0\0\0\0garbage")),
            ("a second frame without its magic number", behind(&other_magic)),
            ("a damaged second frame", behind(&damaged)),
            ("a second frame that is cut off", behind(&one[..one.len() / 2])),
        ] {
            let (run, stays, _) = play(command, suffix, &content);
            assert!(stays, "{command} removes an input with {kind}: {run:?}");
        }
        // Tapes have zeros there. They are no loss, but some tools take them for an error.
        let (run, stays, _) = play(command, suffix, &behind(&[0; 100]));
        assert_eq!(run.status.success(), !stays, "{command} with zeros: {run:?}");
    }
}

#[test]
fn rm_tells_which_input_stays() {
    let damaged = [&coded("gzip", b"plain")[..], b"garbage"].concat();
    let (run, ..) = play("--as bzip2 -d", ".bz2", &[&coded("bzip2", b"plain")[..], b"garbage"].concat());
    // A script that goes by the status sees what the original gives.
    assert_eq!(run.status.code(), Some(0));
    assert!(run.stderr.contains("bzip2: x.bz2: the bytes from offset"), "{}", run.stderr);
    let (run, ..) = play("--as gzip -d", ".gz", &damaged);
    assert!(run.stderr.contains("on were not taken; not removed"), "{}", run.stderr);
    let (run, ..) = play("-d --rm", ".zst", &[&coded("zstd", b"plain")[..], &[0; 9]].concat());
    run.says(2, &["9 zero bytes", "there was a warning about it; not removed"]);
}

/// A zip archive of entries, with what stands between two of them.
fn zip(entries: &[&[u8]], between: &[u8], behind: &[u8]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for plain in entries {
        let alone = Folder::new().pipe("--as pigz -K -c", plain).fine();
        let at = alone.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        let end = alone.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").unwrap();
        let start = archive.len() as u32;
        archive.extend_from_slice(&alone[..at]);
        archive.extend_from_slice(between);
        directory.extend_from_slice(&alone[at..end]);
        let len = directory.len();
        directory[len - (end - at) + 42..][..4].copy_from_slice(&start.to_le_bytes());
    }
    let end = [0, 0, 0, 0, entries.len() as u8, 0, entries.len() as u8, 0];
    let (directory_len, start) =
        ((directory.len() as u32).to_le_bytes(), (archive.len() as u32).to_le_bytes());
    [&archive, &directory, &b"PK\x05\x06"[..], &end, &directory_len, &start, &[0, 0], behind].concat()
}

#[test]
fn an_archive_of_several_files_stays() {
    let (one, two): (&[u8], &[u8]) = (b"one", b"the second file");
    for name in ["gzip", "gunzip", "pigz", "unpigz"] {
        let command = format!("--as {name} -d");
        let (run, stays, folder) = play(&command, ".gz", &zip(&[one], b"", b""));
        assert!(run.status.success() && !stays, "{name}: {run:?}");
        assert_eq!(folder.read("x"), one);
        for (kind, archive) in [
            ("two files", zip(&[one, two], b"", b"")),
            ("two files with a gap between them", zip(&[one, two], b"gap", b"")),
            ("something behind it", zip(&[one], b"", b"something")),
            ("another archive behind it", zip(&[one], b"", &zip(&[two], b"", b""))),
        ] {
            for more in ["", " -f", " -q", " -k", " -v"] {
                let (run, stays, _) = play(&format!("{command}{more}"), ".gz", &archive);
                assert!(stays, "{name}{more} removes an archive with {kind}: {run:?}");
            }
        }
    }
    // The original does not take one file for all of them.
    let (run, _, folder) = play("--as gzip -d", ".gz", &zip(&[one, two], b"", b""));
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(run.stderr, "gzip: x.gz has more than one entry -- unchanged\n");
    assert_eq!(folder.names(), ["x.gz"]);
}

#[test]
fn an_error_makes_no_output_and_removes_nothing() {
    let zeros = [&coded("lzip", b"plain")[..], &[0; 100]].concat();
    for (command, suffix, content) in
        [("--as lzip -da", ".lz", &zeros[..]), ("--as zstd -d --rm --pass-through", ".zst", b"")]
    {
        let (run, stays, folder) = play(command, suffix, content);
        assert!(!run.status.success() && stays, "{command}: {run:?}");
        assert_eq!(folder.names(), [format!("x{suffix}")], "{command}");
    }
}

#[test]
fn the_only_copy_of_a_removed_input_is_not_overwritten() {
    for command in ["-d -f --rm a.gz a.zst", "--as gzip -d -f a.gz a.z", "--as zstd -d -f --rm a.zst a.gz"] {
        let folder = Folder::new();
        let [first, second] = [0, 1].map(|at| {
            let name = command.split(' ').rev().nth(1 - at).unwrap();
            let format = if name.ends_with("zst") { "zstd" } else { "gzip" };
            folder.write(name, coded(format, name.as_bytes()));
            name
        });
        let run = folder.run(command);
        assert_eq!(run.status.code(), Some(1), "{command}: {run:?}");
        assert!(run.stderr.contains("made in this run"), "{command}: {}", run.stderr);
        assert!(folder.read("a") == first.as_bytes() && folder.names() == ["a", second], "{command}");
    }
    // Without a removal nothing is lost.
    let folder = Folder::new();
    folder.write("a.gz", coded("gzip", b"one"));
    folder.write("a.zst", coded("zstd", b"two"));
    folder.run("-d -f a.gz a.zst").fine();
    assert_eq!(folder.read("a"), b"two");
}

#[test]
fn an_index_does_not_take_the_place_of_the_data() {
    for index in ["a", "a.gz"] {
        let folder = Folder::new();
        folder.write("a", "precious");
        let run = folder.run(&format!("--as bgzip -i -I {index} a"));
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        assert_eq!(folder.read("a"), b"precious", "{index}");
        assert_eq!(folder.run("-dc a.gz").fine(), b"precious", "{index}");
    }
}
