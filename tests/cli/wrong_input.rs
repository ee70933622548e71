//! Input that is not what it should be gets a sentence and a status.
//!
//! There is no peer: cut, damaged, foreign and empty input is made here and piped through pzcomp, and `Run::says`
//! demands the status and the parts of the sentence.

use std::fs::File;

use pzcomp::Format;

use crate::harness::{Folder, appending, feed, finish, is_root, text};

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

/// With `-f` too. `A` is the data of the first file and `B` the data of the second.
#[test]
fn force_replaces_no_other_input_and_no_dictionary_of_the_run() {
    // The files with A and with B, compressed if their names say so; a symbolic link and where it leads; the command.
    let rows = [
        ("a", "a.zst", "", "-f --rm a a.zst"),
        ("x.gz.gz", "x.gz", "", "-d -f --rm x.gz.gz x.gz"),
        ("a", "a.gz", "", "--as gzip -f a a.gz"),
        ("d/a", "e/b", "o/d/a.zst ../../e/b", "-f --rm -r --output-dir o d e"),
        ("d/a.zst", "e/b.zst", "d/a ../e/b.zst", "-d -f --rm -r d e"),
        ("a", "b", "a.pzr b", "--protect -f a b"),
        ("a.zst", "b.zst", "a.zst.pzi b.zst", "--index -f a.zst b.zst"),
        ("a", "b", "a.gz.gzi b", "--as bgzip -f -k -i a b"),
        ("f", "x.sql", "lnk f.zst", "-f --rm --hash-file lnk f x.sql"),
        ("f", "x.sql", "lnk x.sql.zst", "-f --rm -r --hash-file lnk ."),
    ];
    for (first, second, link, command) in rows {
        let folder = Folder::new();
        for name in ["d", "e", "o/d", "o/e"] {
            std::fs::create_dir_all(folder.path(name)).unwrap();
        }
        let plain = [text(30_000), [text(20_000), b"B".to_vec()].concat()];
        for (name, plain) in [first, second].into_iter().zip(&plain) {
            let mut data = plain.clone();
            let coded = |data: &[u8], format| feed(&mut folder.command(["-F", format]), data).fine();
            for suffix in name.split('.').skip(1) {
                data = match suffix {
                    "zst" => coded(&data, "zstd"),
                    "gz" => coded(&data, "gzip"),
                    _ => data,
                };
            }
            folder.write(name, data);
        }
        if let Some((link, target)) = link.split_once(' ') {
            std::os::unix::fs::symlink(target, folder.path(link)).unwrap();
        }
        let run = folder.run(command);
        assert_eq!(run.status.code(), Some(1), "{command}: {run:?}");
        // All data is somewhere, if need be behind several compressions.
        let mut found = [false; 2];
        for place in ["", "d", "e", "o/d", "o/e"] {
            for entry in std::fs::read_dir(folder.path(place)).unwrap() {
                let path = entry.unwrap().path();
                let mut data = if path.is_file() { std::fs::read(&path).unwrap() } else { continue };
                for _ in 0..4 {
                    found[0] |= data == plain[0];
                    found[1] |= data == plain[1];
                    let run = feed(&mut folder.command(["-dc"]), &data);
                    data = if run.status.success() { run.stdout } else { break };
                }
            }
        }
        assert_eq!(found, [true; 2], "{command}: {run:?}");
    }
    let folder = Folder::new();
    for number in 0..100 {
        folder.write(&format!("sample{number}"), format!("{{\"id\":{number},\"name\":\"user {number}\"}}"));
    }
    let samples: Vec<_> = (0..100).map(|number| format!("sample{number}")).collect();
    folder.run(&format!("--train -o dict {}", samples.join(" "))).fine();
    let dictionary = folder.read("dict");
    for flag in ["-o", "--hash-file", "--json"] {
        folder.run(&format!("-f --rm -D dict {flag} dict sample1")).says(1, &["dict: is"]);
        assert_eq!(folder.read("dict"), dictionary, "{flag}");
        assert!(folder.has("sample1"), "{flag}");
    }
}

/// A run over a folder is repeated: what the first one made is no input, or is passed over.
#[test]
fn force_replaces_the_outputs_of_the_run_before() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    folder.write("d/a", "a");
    for command in [
        "-f -r --exclude-compressed d",
        "-f d/a",
        "-d -f -r d",
        "-d -f d/a.zst d/a",
        "--protect -f d/a d/a.pzr",
    ] {
        for _ in 0..2 {
            let run = folder.run(command);
            assert!(!run.stderr.contains("both input and output"), "{command}: {run:?}");
        }
    }
    assert_eq!(folder.run("-dc d/a.zst").fine(), b"a");
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
