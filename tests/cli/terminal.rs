//! Terminals neither get nor give compressed data, unless by force.
//!
//! `harness::terminal` makes a terminal: the side of the user and the side of the program. What gzip does at one is in
//! `tests/scenes/gzip/terminal.rs`.

use std::fs::File;
use std::io::Read;

use crate::harness::{Folder, finish, terminal};

#[test]
fn compressed_data_is_not_written_to_a_terminal() {
    let folder = Folder::new();
    folder.write("plain", "x");
    for args in ["", "-c plain", "-o -"] {
        let (_user, program) = terminal();
        let child = folder.command(args.split_whitespace()).stdout(program).spawn().unwrap();
        finish(child).says(1, &["pzcomp: stdout: compressed data is not written to a terminal", "-f"]);
    }
}

#[test]
fn force_writes_compressed_data_to_a_terminal() {
    let folder = Folder::new();
    folder.write("plain", "x");
    let (user, program) = terminal();
    finish(folder.command(["-cf", "plain"]).stdout(program).spawn().unwrap()).fine();
    let mut magic = [0; 4];
    File::from(user).read_exact(&mut magic).unwrap();
    assert_eq!(magic, [0x28, 0xB5, 0x2F, 0xFD]);
}

#[test]
fn c_of_zstd_and_lz4_writes_compressed_data_to_a_terminal() {
    let folder = Folder::new();
    folder.write("plain", "x");
    for tool in ["zstd", "lz4"] {
        let (_user, program) = terminal();
        finish(folder.command(["--as", tool, "-qc", "plain"]).stdout(program).spawn().unwrap()).fine();
    }
}

#[test]
fn plain_data_and_help_are_written_to_a_terminal() {
    let folder = Folder::new();
    folder.write("a.zst", folder.pipe("", "plain").fine());
    let (user, program) = terminal();
    finish(folder.command(["-dc", "a.zst"]).stdout(program).spawn().unwrap()).fine();
    let mut plain = [0; 5];
    File::from(user).read_exact(&mut plain).unwrap();
    assert_eq!(&plain, b"plain");
    let (_user, program) = terminal();
    finish(folder.command(["-V"]).stdout(program).spawn().unwrap()).fine();
}

#[test]
fn compressed_data_is_not_read_from_a_terminal() {
    let folder = Folder::new();
    for args in ["-d", "-t", "-l", "-dc -"] {
        let (_user, program) = terminal();
        let child = folder.command(args.split_whitespace()).stdin(program).spawn().unwrap();
        finish(child).says(1, &["pzcomp: stdin: compressed data is not read from a terminal", "-f"]);
    }
}

#[test]
fn files_need_no_terminal_to_be_redirected() {
    let folder = Folder::new();
    folder.write("plain", "x");
    let (_user, program) = terminal();
    let stdin = program.try_clone().unwrap();
    finish(folder.command(["plain"]).stdin(stdin).stdout(program).spawn().unwrap()).fine();
    assert!(folder.has("plain.zst"));
}
