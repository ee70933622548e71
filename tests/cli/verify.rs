//! `--verify`: the same output as without it, and an error when the file does not hold what was written.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::process::Stdio;

use crate::harness::{Folder, appending, finish, text};

#[test]
fn the_output_is_that_without_verify_wherever_it_goes() {
    let folder = Folder::new();
    let data = text(1_000_000);
    folder.write("a", &data);
    for format in ["zstd", "gzip", "lz4", "xz", "bzip2", "lzip"] {
        // Several frames.
        let options = format!("-1 -b 300K -F {format}");
        let args = format!("--verify {options}");
        let expected = folder.pipe(&options, &data).fine();
        assert!(folder.pipe(&args, &data).fine() == expected, "{format}");
        folder.run(&format!("{args} -o b.{format} a")).fine();
        assert!(folder.read(&format!("b.{format}")) == expected, "{format}");
        // A file that is redirected is open for writing only, or for appending.
        for name in ["whole", "more"] {
            let file = match name {
                "whole" => File::create(folder.path(name)).unwrap(),
                _ => appending(&folder.path(name)),
            };
            let before = file.metadata().unwrap().len() as usize;
            let mut command = folder.command(args.split_whitespace().chain(["-c", "a"]));
            finish(command.stdout(file).spawn().unwrap()).fine();
            assert!(folder.read(name)[before..] == expected, "{format} {name}");
        }
        folder.run(&format!("--verify -fo c.{format} --to {format} -1 -b 300K b.{format}")).fine();
        assert!(folder.read(&format!("c.{format}")) == expected, "{format}");
    }
    folder.run("-d --verify -o plain b.zstd").fine();
    assert!(folder.read("plain") == data);
    assert!(folder.run("-d --verify -c b.zstd").fine() == data);
}

#[test]
fn what_has_no_such_verification_refuses_the_flag() {
    let folder = Folder::new();
    folder.write("a.zst", folder.pipe("", text(1000)).fine());
    for flag in ["--verify", "--sparse", "--drop-cache"] {
        for args in ["-d --range 0-10 -c a.zst", "--index a.zst"] {
            folder.run(&format!("{flag} {args}")).says(1, &["cannot be used with --range or --index"]);
        }
    }
    folder.run("--verify --bench a.zst").says(1, &["cannot be used with"]);
    assert_eq!(folder.names(), ["a.zst"]);
}

#[test]
fn rm_removes_what_was_verified() {
    let folder = Folder::new();
    folder.write("a", text(100_000));
    folder.run("--verify --rm a").fine();
    assert_eq!(folder.names(), ["a.zst"]);
    folder.run("--verify -d --rm a.zst").fine();
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn a_file_that_another_program_damages_is_not_completed() {
    let folder = Folder::new();
    let mut command = folder.command(["--verify", "-F", "lz4", "-b", "64K", "-o", "b.lz4"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let block = text(1 << 20);
    // The file is cut again and again, until a cut is between a write and its verification. Then pzcomp closes the
    // pipe.
    while stdin.write_all(&block).is_ok() {
        let partial = folder.names().into_iter().find(|name| name.ends_with(".partial"));
        let Some(partial) = partial else { continue };
        if let Ok(file) = OpenOptions::new().write(true).open(folder.path(partial)) {
            file.set_len(0).unwrap();
        }
    }
    drop(stdin);
    finish(child).says(1, &["stdin: the output is wrong: ", "b.lz4 was not made"]);
    assert!(folder.names().is_empty());
}
