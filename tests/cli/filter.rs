//! From standard input to standard output, in all formats and through pipes of all kinds.
//!
//! `Folder::pipe` runs pzcomp with input on a pipe. There is no peer: what is compressed must come back. Add a case as
//! a command line there; what other tools read is in `tests/formats/interop.rs`.

use std::fs::File;
use std::process::Stdio;

use pzcomp::Format;

use crate::harness::{Folder, appending, finish, noise, text};

#[test]
fn every_format_round_trips_through_pipes() {
    let folder = Folder::new();
    for format in Format::all() {
        for plain in [Vec::new(), b"x".to_vec(), text(700_000), noise(300_000)] {
            let coded = folder.pipe(&format!("-F {format} -b 200K"), &plain).fine();
            assert_ne!(coded, plain, "{format}");
            assert!(folder.pipe("-d", &coded).fine() == plain, "{format}");
        }
    }
}

#[test]
fn formats_are_known_by_their_suffix_too() {
    let folder = Folder::new();
    for format in Format::all() {
        let short = format.suffix().trim_start_matches('.');
        assert_eq!(
            folder.pipe(&format!("-F {short}"), "x").fine(),
            folder.pipe(&format!("--format={format}"), "x").fine()
        );
    }
}

#[test]
fn zstd_is_the_default() {
    let folder = Folder::new();
    assert!(folder.pipe("", "x").fine().starts_with(&[0x28, 0xB5, 0x2F, 0xFD]));
}

#[test]
fn a_dash_is_standard_input_also_among_files() {
    let folder = Folder::new();
    folder.write("one", "one,");
    let coded = folder.pipe("-c one - one", "two,").fine();
    assert_eq!(folder.pipe("-d -", coded).fine(), b"one,two,one,");
}

#[test]
fn redirected_files_are_read_and_written_where_they_stand() {
    let folder = Folder::new();
    let plain = text(2_500_000);
    folder.write("plain", &plain);
    let mut command = folder.command([""; 0]);
    command.stdin(File::open(folder.path("plain")).unwrap());
    command.stdout(File::create(folder.path("coded")).unwrap());
    finish(command.spawn().unwrap()).fine();

    let before = folder.write("restored", "before");
    let mut command = folder.command(["-d"]);
    command.stdin(File::open(folder.path("coded")).unwrap()).stdout(appending(&before));
    finish(command.spawn().unwrap()).fine();
    assert!(folder.read("restored") == [b"before", &plain[..]].concat());
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let folder = Folder::new();
    let plain = text(2_500_000);
    let one = folder.pipe("-p1", &plain).fine();
    for threads in ["-p2", "-p 3", "-T4", "-T0", "--threads=2", "--threads 5"] {
        assert!(folder.pipe(threads, &plain).fine() == one, "{threads}");
    }
}

#[test]
fn decompression_takes_streams_one_after_the_other_in_any_format() {
    let folder = Folder::new();
    let coded: Vec<u8> =
        Format::all().flat_map(|format| folder.pipe(&format!("-F{format}"), format.name()).fine()).collect();
    let names: String = Format::all().map(Format::name).collect();
    assert_eq!(folder.pipe("-d", coded).fine(), names.as_bytes());
}

#[test]
fn closed_standard_input_is_no_hang() {
    let folder = Folder::new();
    let mut command = folder.command(["-d"]);
    command.stdin(Stdio::null());
    finish(command.spawn().unwrap()).says(1, &["pzcomp: stdin: ", "empty"]);
}
