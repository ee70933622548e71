//! `--to`: names, messages and ends of a recoding, for files and for filters.

use std::io::{Read, Write};

use crate::harness::{Folder, finish, noise, text};

#[test]
fn the_suffix_is_replaced_and_the_input_kept_unless_asked() {
    let folder = Folder::new();
    let data = text(1 << 20);
    for (from, name) in [("lz4", "a.lz4"), ("gzip", "b.tgz"), ("bzip2", "c.bz2")] {
        let coded = folder.pipe(&format!("-F {from}"), &data).fine();
        folder.write(name, coded);
    }
    folder.run("--to xz -0 a.lz4 b.tgz").fine();
    folder.run("--to zstd --rm c.bz2").fine();
    assert_eq!(folder.names(), ["a.lz4", "a.xz", "b.tar.xz", "b.tgz", "c.zst"]);
    assert!(folder.run("-dc -F xz a.xz").fine() == data && folder.run("-dc c.zst").fine() == data);
    assert!(folder.read("a.xz") == folder.pipe("-F xz -0", &data).fine());
    folder.run("--to lz4 -o d.any a.xz").fine();
    assert!(folder.run("-dc d.any").fine() == data);
    // The environment does not overrule --to.
    let mut command = folder.command(["--to", "lz4", "-c", "a.xz"]);
    let coded = finish(command.env("PZCOMP", "-F gzip").spawn().unwrap()).fine();
    assert!(coded == folder.read("d.any"));
}

#[test]
fn a_filter_takes_any_formats_with_and_without_d() {
    let folder = Folder::new();
    let data = text(3 << 20);
    let coded = [folder.pipe("-F lz4", &data).fine(), folder.pipe("-F xz -0", &data).fine()].concat();
    let expected = folder.pipe("-F zstd -5 -p1", data.repeat(2)).fine();
    assert!(folder.pipe("-d --to zstd -5", &coded).fine() == expected);
    assert!(folder.pipe("--to zstd -5 -p4", &coded).fine() == expected);
}

#[test]
fn inputs_that_cannot_be_recoded_are_named() {
    let folder = Folder::new();
    folder.write("plain", "no compressed data");
    folder.write("a.zst", folder.pipe("", text(1000)).fine());
    folder.run("--to xz plain").says(2, &["pzcomp: plain: warning: has an unknown suffix"]);
    folder.run("--to zstd a.zst").says(2, &["a.zst: warning: has the suffix"]);
    folder.run("--to zstd -f a.zst").says(1, &["a.zst: is both input and output"]);
    folder.pipe("--to xz", "plain text").says(1, &["stdin: not in a compressed format"]);
    folder.run("--to xz -t a.zst").says(1, &["cannot be used with"]);
    folder.run("--to xz --exec -- true").says(1, &["cannot be used with"]);
    folder.run("-d --to xz --range 0-1 -c a.zst").says(1, &["--to cannot be used with"]);
    assert_eq!(folder.names(), ["a.zst", "plain"]);
}

#[test]
fn damage_leaves_no_file_and_a_pipe_that_its_reader_refuses() {
    let folder = Folder::new();
    let data = noise(3 << 20);
    let mut coded = folder.pipe("-F lz4", &data).fine();
    let at = coded.len() / 2;
    coded[at] ^= 1;
    folder.write("a.lz4", &coded);
    folder.run("--to xz -0 --rm a.lz4").says(1, &["corrupt lz4 data at offset", "a.xz was not made"]);
    assert_eq!(folder.names(), ["a.lz4"]);
    for to in ["zstd", "gzip", "lz4", "xz", "bzip2", "lzip"] {
        let run = folder.pipe(&format!("--to {to} -1"), &coded);
        assert_eq!(run.status.code(), Some(1), "{to}");
        assert!(!folder.pipe("-t", &run.stdout).status.success(), "{to}");
    }
    // Zeros behind the last frame are a warning, as with -d.
    let padded = [folder.pipe("-F lz4", &data).fine(), vec![0; 512]].concat();
    let run = folder.pipe("--to zstd", padded).says(2, &["512 zero bytes after the last frame"]);
    assert!(folder.pipe("-d", &run.stdout).fine() == data);
}

#[test]
fn what_is_coded_leaves_while_the_input_pauses() {
    let folder = Folder::new();
    let coded = folder.pipe("-F lz4 -b 64K", noise(1 << 20)).fine();
    let mut command = folder.command(["--to", "zstd", "-b", "64K"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    stdin.write_all(&coded[..coded.len() - 100]).unwrap();
    stdin.flush().unwrap();
    // Of sixteen frames one is not complete.
    let mut early = vec![0; 14 << 16];
    stdout.read_exact(&mut early).unwrap();
    stdin.write_all(&coded[coded.len() - 100..]).unwrap();
    drop(stdin);
    stdout.read_to_end(&mut early).unwrap();
    finish(child).fine();
    assert!(folder.pipe("-d", early).fine() == noise(1 << 20));
}
