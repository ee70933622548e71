//! 7z archives on the command line.
//!
//! 7zz makes the archives that are right, and `common::sevenz` those that 7z would not write.

use std::process::{Command, Stdio};

use pzcomp_sevenz::crc32;

use crate::common::sevenz::{self, archive, header};
use crate::harness::{Folder, finish, text};

/// A folder with an archive `a.7z` of these files, which 7zz makes with these options.
fn packed(files: &[(&str, &[u8])], options: &[&str]) -> Folder {
    let folder = Folder::new();
    for (name, data) in files {
        std::fs::create_dir_all(folder.path(name).parent().unwrap()).unwrap();
        folder.write(name, data);
    }
    let mut command = Command::new("7zz");
    command.args(["a", "-bd", "-bso0"]).args(options).args(["a.7z", "--"]);
    command.args(files.iter().map(|(name, _)| name)).current_dir(folder.path(""));
    assert!(command.status().expect("7zz of the package 7zip").success());
    for (name, _) in files {
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    folder
}

fn two_files() -> Folder {
    packed(&[("one", b"first"), ("d/two", &text(90_000))], &["-mx=1"])
}

#[test]
fn an_archive_is_listed_tested_and_read_by_name_and_by_range() {
    let folder = two_files();
    let table = String::from_utf8(folder.run("-lv a.7z").fine()).unwrap();
    for part in ["7z", "CRC32", "90005", "  d/two", "  one"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    folder.run("-t a.7z").fine();
    folder.run("-t --extract d/two a.7z").fine();
    assert!(folder.run("-dc --extract d/two a.7z").fine() == text(90_000));
    assert_eq!(folder.run("-dc --extract one a.7z").fine(), b"first");
    folder.run("-dc --extract two a.7z").says(1, &["holds no file 'two'; it holds: ", "d/two"]);
    let part = folder.run("-dc --range 500-700 --extract d/two a.7z").fine();
    assert!(part == text(90_000)[500..700]);
    folder.run("--to zstd -o two.zst --extract d/two a.7z").fine();
    assert!(folder.run("-dc two.zst").fine() == text(90_000));
}

#[test]
fn of_several_files_the_first_is_taken_and_the_others_are_named() {
    let folder = two_files();
    folder.run("-dc a.7z").says(2, &["--extract NAME takes another of these 1: "]);
    folder.run("-d -f --rm a.7z").says(2, &["1 file of this archive not taken; not removed"]);
    assert!(folder.has("a.7z") && folder.has("a"));
}

#[test]
fn an_archive_needs_a_file_and_a_pipe_is_refused_with_the_reason() {
    let folder = packed(&[("one", &text(5_000))], &[]);
    let archive = folder.read("a.7z");
    folder.pipe("-d", &archive).says(1, &["stdin", "it is read from files only"]);
    let mut command = folder.command(["-d"]);
    command.stdin(std::fs::File::open(folder.path("a.7z")).unwrap()).stdout(Stdio::piped());
    assert!(finish(command.spawn().unwrap()).fine() == text(5_000));
}

#[test]
fn methods_that_are_not_read_are_refused_by_name() {
    for (options, name) in [
        (&["-m0=PPMd"][..], "PPMd"),
        (&["-m0=BCJ", "-m1=LZMA"], "BCJ x86"),
        (&["-psecret"], "encryption (AES-256)"),
    ] {
        let folder = packed(&[("one", &text(5_000))], options);
        folder.run("-d a.7z").says(1, &[name]);
        folder.run("-t a.7z").says(1, &[name]);
        assert!(!folder.has("a"), "{name}");
        folder.run("-l a.7z").fine();
    }
}

#[test]
fn a_file_without_a_checksum_is_not_called_verified() {
    const WARNING: &str = "decoded, not verified";
    let folder = Folder::new();
    folder.write("a.7z", archive(&text(900), &header(&[sevenz::Folder::copy(900)], &[None])));
    let run = folder.run("-dc a.7z").says(0, &["a.7z", WARNING]);
    assert!(run.stdout == text(900));
    folder.run("-t a.7z").says(2, &[WARNING]);
    folder.write(
        "a.7z",
        archive(&text(900), &header(&[sevenz::Folder::copy(900)], &[Some(crc32(&text(900)))])),
    );
    folder.run("-t a.7z").fine();
}

#[test]
fn a_file_is_taken_by_its_number_and_a_range_says_of_which_file_it_is() {
    let folder = two_files();
    let table = String::from_utf8(folder.run("-lv a.7z").fine()).unwrap();
    let number = table.lines().skip(2).position(|row| row.ends_with("  d/two")).unwrap() + 1;
    assert!(folder.run(&format!("-dc --extract-number {number} a.7z")).fine() == text(90_000));
    folder.run("-dc --extract-number 3 a.7z").says(1, &["holds no file number 3, but 2 file(s)"]);
    folder.run("-dc --range 0-2 a.7z").says(2, &["--extract NAME takes another of these 1: "]);
}

#[test]
fn volumes_are_called_volumes_and_not_incomplete() {
    let folder = packed(&[("one", &text(50_000))], &["-mx=0", "-v20k"]);
    assert_eq!(folder.names(), ["a.7z.001", "a.7z.002", "a.7z.003"]);
    let told = "of an archive in several volumes, which are read only as a whole. Join them in their order, and read the \
                file that comes of it: cat 'a.7z'.[0-9]* > 'a.7z'";
    for args in ["-dc", "-d", "-t", "-l", "-d -o out", "-dc --range 0-5"] {
        for volume in ["001", "002", "003"] {
            let run = folder
                .run(&format!("{args} a.7z.{volume}"))
                .says(1, &[told, &format!("is volume {volume} ")]);
            assert!(run.stdout.is_empty() && !run.stderr.contains("incomplete"), "{args}: {}", run.stderr);
        }
    }
    let whole: Vec<u8> = folder.names().iter().flat_map(|name| folder.read(name)).collect();
    folder.write("a.7z", whole);
    assert!(folder.run("-dc a.7z").fine() == text(50_000));
}
