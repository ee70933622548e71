//! Files: what the output is called, what becomes of the input, and what is left alone.
//!
//! This is pzcomp by its own name, which has no original to compare with: each test says what must be there afterwards.
//! `Folder::run` runs a command line, `fine` and `says` judge it, `Folder::names` shows what is left.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use pzcomp::Format;

use crate::harness::{Folder, feed, is_root, text};

#[test]
fn a_file_gets_a_coded_one_beside_it_and_stays() {
    let folder = Folder::new();
    let plain = text(700_000);
    for format in Format::all() {
        let name = format!("{format}.txt");
        let coded = format!("{name}{}", format.suffix());
        folder.write(&name, &plain);
        folder.run(&format!("-F{format} -b200K {name}")).fine();
        assert!(folder.read(&name) == plain);
        std::fs::remove_file(folder.path(&name)).unwrap();
        folder.run(&format!("-d {coded}")).fine();
        assert!(folder.read(&name) == plain, "{format}");
        assert!(folder.has(&coded), "{format}");
    }
}

#[test]
fn every_suffix_is_taken_off_in_capitals_or_not() {
    let folder = Folder::new();
    for format in Format::all() {
        let coded = folder.pipe(&format!("-F{format}"), format.name()).fine();
        for (suffix, plain) in format.suffixes() {
            for suffix in [suffix.to_string(), suffix.to_uppercase()] {
                folder.write(&format!("file{suffix}"), &coded);
                folder.run(&format!("-df file{suffix}")).fine();
                assert_eq!(folder.read(&format!("file{plain}")), format.name().as_bytes(), "{suffix}");
                std::fs::remove_file(folder.path(format!("file{plain}"))).unwrap();
            }
        }
    }
}

#[test]
fn the_format_is_known_by_bytes_and_not_by_name() {
    let folder = Folder::new();
    let others = || Format::all().filter(|format| *format != Format::Zstd);
    for other in others() {
        folder.write(&format!("a{}", other.suffix()), folder.pipe("", other.name()).fine());
        folder.run(&format!("-df a{}", other.suffix())).fine();
        assert_eq!(folder.read("a"), other.name().as_bytes());
    }
}

#[test]
fn unknown_suffixes_are_skipped_with_advice() {
    let folder = Folder::new();
    let coded = folder.pipe("", "x").fine();
    for name in ["plain", "a.txt", ".zst", "zst"] {
        folder.write(name, &coded);
        folder
            .run(&format!("-d {name}"))
            .says(2, &[&format!("pzcomp: {name}: warning: has an unknown suffix"), "-o", "-c"]);
    }
    assert_eq!(folder.names(), [".zst", "a.txt", "plain", "zst"]);
    assert_eq!(folder.run("-dc plain").fine(), b"x");
    folder.run("-d plain -o named").fine();
    assert_eq!(folder.read("named"), b"x");
}

#[test]
fn a_suffix_of_ones_own_is_put_on_and_taken_off() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.run("-S .packed a").fine();
    std::fs::remove_file(folder.path("a")).unwrap();
    folder.run("-d --suffix=.packed a.packed").fine();
    assert_eq!(folder.read("a"), b"a");
    folder.run("-S .packed a.packed").says(2, &["has the suffix"]);
}

#[test]
fn files_that_exist_are_overwritten_by_force_only() {
    let folder = Folder::new();
    folder.write("a", "new");
    folder.write("a.zst", "precious");
    folder.write("b", "precious");
    folder.run("a").says(2, &["pzcomp: a.zst: warning: already exists; not overwritten", "-f"]);
    folder.run("-o b a").says(2, &["pzcomp: b: warning: already exists"]);
    // What comes through a pipe is lost then.
    for line in ["-o b", "--output-template {} b"] {
        feed(&mut folder.command(line.split(' ')), b"piped")
            .says(1, &["b: already exists, so the input was not read"]);
    }
    folder.run("--output-template {} -").says(1, &["gives the name -"]);
    assert_eq!((folder.read("a.zst"), folder.read("b")), (b"precious".to_vec(), b"precious".to_vec()));
    folder.run("-f a").fine();
    folder.run("--force -o b a").fine();
    assert_eq!(
        (folder.run("-dc a.zst").fine(), folder.run("-dc b").fine()),
        (b"new".to_vec(), b"new".to_vec())
    );
    folder.write("a", "newer");
    folder.run("-d a.zst").says(2, &["pzcomp: a: warning: already exists"]);
    assert_eq!(folder.read("a"), b"newer");
}

#[test]
fn rm_removes_the_input_and_only_when_there_is_an_output() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.run("--rm a").fine();
    assert_eq!(folder.names(), ["a.zst"]);
    folder.run("-d --rm a.zst").fine();
    assert_eq!(folder.names(), ["a"]);
    folder.run("--rm -o b a").fine();
    assert_eq!(folder.names(), ["b"]);
    // What went to a pipe may be lost on its way.
    folder.run("-dc --rm b").fine();
    folder.run("-t --rm b").fine();
    folder.run("-l --rm b").fine();
    assert_eq!(folder.names(), ["b"]);
}

#[test]
fn rm_keeps_the_input_if_anything_is_wrong() {
    let folder = Folder::new();
    let mut coded = folder.pipe("", text(100_000)).fine();
    coded[5000] ^= 1;
    folder.write("a.zst", &coded);
    folder.run("-d --rm a.zst").says(1, &["pzcomp: a.zst: corrupt"]);
    folder.write("b", "b");
    folder.write("b.zst", "in the way");
    folder.run("--rm b").says(2, &["already exists"]);
    assert_eq!(folder.names(), ["a.zst", "b", "b.zst"]);
}

#[test]
fn several_inputs_to_one_output_are_joined_in_order() {
    let folder = Folder::new();
    folder.write("a", "first,");
    folder.write("b", "second");
    folder.run("-o both.zst a b").fine();
    folder.run("-d both.zst").fine();
    assert_eq!(folder.read("both"), b"first,second");
    folder.run("a b").fine();
    folder.run("-d a.zst b.zst -o joined --rm").fine();
    assert_eq!(folder.read("joined"), b"first,second");
    assert_eq!(folder.names(), ["a", "b", "both", "both.zst", "joined"]);
}

#[test]
fn an_output_of_several_inputs_is_made_only_if_all_are_fine() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.run("-o out --rm a missing").says(1, &["pzcomp: missing: cannot open", "pzcomp: out: "]);
    assert_eq!(folder.names(), ["a"]);
}

#[test]
fn an_error_in_one_file_does_not_stop_the_others() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.write("c", "c");
    std::fs::create_dir(folder.path("d")).unwrap();
    let run = folder
        .run("a missing d c")
        .says(1, &["pzcomp: missing: cannot open: No such file", "pzcomp: d: warning: is a directory"]);
    assert!(!run.stderr.contains("(os error"), "{}", run.stderr);
    assert_eq!(folder.names(), ["a", "a.zst", "c", "c.zst", "d"]);
}

#[test]
fn an_error_wins_over_a_warning_in_either_order() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    folder.run("d").says(2, &["directory"]);
    folder.run("d missing").says(1, &["directory", "missing"]);
    folder.run("missing d").says(1, &["directory", "missing"]);
}

#[test]
fn what_has_the_suffix_already_is_skipped_but_by_force() {
    let folder = Folder::new();
    folder.write("a.zst", "a");
    folder.write("b.TZST", "b");
    folder
        .run("a.zst b.TZST")
        .says(2, &["pzcomp: a.zst: warning: has the suffix", "pzcomp: b.TZST: warning: has the suffix"]);
    assert_eq!(folder.names(), ["a.zst", "b.TZST"]);
    folder.run("-f a.zst").fine();
    assert_eq!(folder.run("-dc a.zst.zst").fine(), b"a");
    // Where the output goes elsewhere, its name does not matter.
    assert_eq!(folder.pipe("-d", folder.run("-c a.zst").fine()).fine(), b"a");
}

#[test]
fn mode_and_times_are_kept_both_ways() {
    let folder = Folder::new();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    for (number, mode) in [0o600, 0o644, 0o751, 0o444].into_iter().enumerate() {
        let path = folder.write(&format!("a{number}"), "a");
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(long_ago).unwrap();
        file.set_permissions(std::fs::Permissions::from_mode(mode)).unwrap();
        if mode & 0o400 == 0 && !is_root() {
            continue;
        }
        let kept = |name: &str| {
            let metadata = std::fs::metadata(folder.path(name)).unwrap();
            assert_eq!((metadata.mode() & 0o7777, metadata.modified().unwrap()), (mode, long_ago), "{name}");
        };
        folder.run(&format!("a{number}")).fine();
        kept(&format!("a{number}.zst"));
        folder.run(&format!("a{number} -o b{number}")).fine();
        kept(&format!("b{number}"));
        folder.run(&format!("-df a{number}.zst")).fine();
        kept(&format!("a{number}"));
    }
}

#[test]
fn owner_and_group_are_kept_where_that_is_allowed() {
    let folder = Folder::new();
    let path = folder.write("a", "a");
    if is_root() {
        std::os::unix::fs::chown(&path, Some(12), Some(34)).unwrap();
    }
    folder.run("a").fine();
    let owner = |name: &str| {
        std::fs::metadata(folder.path(name)).map(|metadata| (metadata.uid(), metadata.gid())).unwrap()
    };
    assert_eq!(owner("a.zst"), owner("a"));
}

#[test]
fn what_comes_from_a_pipe_has_the_usual_rights() {
    let folder = Folder::new();
    folder.pipe("-o out", "x").fine();
    std::fs::write(folder.path("usual"), "").unwrap();
    let mode = |name: &str| std::fs::metadata(folder.path(name)).unwrap().mode();
    assert_eq!(mode("out"), mode("usual"));
}

#[test]
fn links_are_skipped_in_place_and_followed_elsewhere() {
    let folder = Folder::new();
    folder.write("a", "a");
    symlink("a", folder.path("link")).unwrap();
    folder.run("link").says(2, &["pzcomp: link: warning: is a symbolic link", "-f"]);
    assert!(!folder.has("link.zst"));
    assert_eq!(folder.pipe("-d", folder.run("-c link").fine()).fine(), b"a");
    folder.run("-f link").fine();
    assert!(folder.has("link.zst"));
}

#[test]
fn a_link_in_the_place_of_the_output_stays_and_its_target_is_replaced() {
    let folder = Folder::new();
    folder.write("a", "new");
    folder.write("target", "old");
    symlink("target", folder.path("a.zst")).unwrap();
    folder.run("a").says(2, &["already exists"]);
    folder.run("-f a").fine();
    assert!(std::fs::symlink_metadata(folder.path("a.zst")).unwrap().is_symlink());
    assert_eq!(folder.run("-dc target").fine(), b"new");
}

#[test]
fn rm_spares_files_of_several_names() {
    let folder = Folder::new();
    folder.write("a", "a");
    std::fs::hard_link(folder.path("a"), folder.path("b")).unwrap();
    folder.run("--rm a").says(2, &["pzcomp: a: warning: has 2 names"]);
    assert_eq!(folder.names(), ["a", "b"]);
    folder.run("a").fine();
    folder.run("-f --rm a").fine();
    assert_eq!(folder.names(), ["a.zst", "b"]);
}

#[test]
fn devices_and_pipes_are_read_elsewhere_only() {
    let folder = Folder::new();
    folder.run("/dev/null").says(2, &["pzcomp: /dev/null: warning: is not a regular file", "-c"]);
    assert_eq!(folder.pipe("-d", folder.run("-c /dev/null").fine()).fine(), b"");
    folder.run("-o out /dev/null").fine();
    assert_eq!(folder.run("-dc out").fine(), b"");
    folder.fifo("fifo");
    folder.run("fifo").says(2, &["is not a regular file"]);
}

#[test]
fn output_can_be_a_device_that_is_there() {
    let folder = Folder::new();
    folder.pipe("-o /dev/null", text(100_000)).fine();
    assert_eq!(folder.pipe("-d -o /dev/stdout", folder.pipe("", "x").fine()).fine(), b"x");
    folder.run("-o . /dev/null").says(1, &["-o .: is a directory", "--output-dir"]);
    folder.run("-f -o . /dev/null").says(1, &["-o .: is a directory"]);
    folder
        .run("-o missing/out /dev/null")
        .says(1, &["pzcomp: missing/out: cannot create a file in its folder, which does not exist"]);
}

#[test]
fn names_that_are_no_text_work() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    std::fs::write(folder.path(name), "odd").unwrap();
    crate::harness::finish(folder.command([name]).spawn().unwrap()).fine();
    let coded = std::ffi::OsStr::from_bytes(b"caf\xe9.zst");
    let run = crate::harness::finish(folder.command([std::ffi::OsStr::new("-dc"), coded]).spawn().unwrap());
    assert_eq!(run.fine(), b"odd");
}

#[test]
fn names_of_full_length_work() {
    let folder = Folder::new();
    let name = "n".repeat(251);
    folder.write(&name, "long");
    folder.run(&name).fine();
    assert_eq!(folder.run(&format!("-dc {name}.zst")).fine(), b"long");
    let too_long = "n".repeat(255);
    folder.write(&too_long, "longer");
    folder.run(&too_long).says(1, &["too long"]);
    assert_eq!(folder.names().len(), 3);
}

#[test]
fn what_gzip_reads_of_old_is_read_too() {
    let folder = Folder::new();
    let plain = text(300_000);
    for (command, coded) in
        [("compress -c a > a.Z", "a.Z"), ("zip -q a.zip a", "a.zip"), ("xz -k --format=lzma a", "a.lzma")]
    {
        folder.write("a", &plain);
        folder.sh(command).fine();
        std::fs::remove_file(folder.path("a")).unwrap();
        folder.run(&format!("-t {coded}")).fine();
        folder.run(&format!("-d {coded}")).fine();
        assert!(folder.read("a") == plain, "{coded}");
    }
    // pack: "ab", two codes of two bits and one of one, the end.
    folder.write("b.z", [0x1f, 0x1e, 0, 0, 0, 2, 2, 1, 0, b'a', b'b', 0b1000_1000]);
    folder.run("-d b.z").fine();
    assert_eq!(folder.read("b"), b"ab");
}

#[test]
fn an_archive_of_more_than_one_file_is_no_file_and_stays() {
    let folder = Folder::new();
    folder.write("a", "this is a");
    folder.write("b", "this is b");
    folder.sh("zip -q both.zip a b").fine();
    folder.run("-d --rm both.zip").says(1, &["pzcomp: both.zip: unsupported zip data", "another entry"]);
    assert_eq!(folder.names(), ["a", "b", "both.zip"]);
    let run = folder.run("-dc both.zip").says(1, &["another entry begins there"]);
    assert_eq!(run.stdout, b"this is a");
}
