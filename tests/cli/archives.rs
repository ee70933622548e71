//! qpress archives and xbstreams on the command line: `--extract`, `-l`, `--xbstream`, and the name `qpress`.

use std::fs::File;
use std::process::Stdio;

use crate::common::qpress::packets::{Mode, packet};
use crate::common::qpress::{Archive, archive, block, chunk, end, files, xbstream};
use crate::harness::{Folder, finish, text};

fn tree() -> Vec<u8> {
    Archive::new(1, 4096).file("one", b"first").down("d").file("two", &text(9_000)).up().bytes
}

#[test]
fn the_first_file_is_taken_and_the_others_are_named() {
    let folder = Folder::new();
    folder.write("a.qp", tree());
    let told = "only 'one', the first file of the archive, was taken; --extract NAME takes another of these 1: d/two";
    folder.run("-d a.qp").says(2, &[told]);
    assert_eq!(folder.read("a"), b"first");
    folder.run("-dcq a.qp").says(2, &[]);
    assert!(folder.run("-dc --extract d/two a.qp").fine() == text(9_000));
    folder.run("-dc --extract two a.qp").says(1, &["holds no file 'two'; it holds: one, d/two"]);
    // All files are verified, so there is nothing to warn of.
    folder.run("-t a.qp").fine();
    folder.run("-t --extract one a.qp").fine();
    let recoded = folder.run("--to xz -c --extract d/two a.qp").fine();
    assert!(folder.pipe("-d", &recoded).fine() == text(9_000));
    // Places are those of one file, with and without an index.
    let part = folder.run("-dc --range 100-300 --extract d/two a.qp").fine();
    assert!(part == text(9_000)[100..300]);
    assert_eq!(folder.run("-dc --range 2-5 a.qp").says(2, &[told]).stdout, b"rst");
    folder.run("--index a.qp").fine();
    assert_eq!(folder.run("-dc --range 2-5 a.qp").says(2, &[told]).stdout, b"rst");
    folder.run("-dcq --range 2-5 a.qp").says(2, &[]);
    folder.write("b.qp", archive(b"alone", 3, 4096));
    assert_eq!(folder.run("-dc b.qp").fine(), b"alone");
}

#[test]
fn an_archive_stays_while_some_of_its_files_are_only_there() {
    let folder = Folder::new();
    folder.write("a.qp", tree());
    for args in [
        "-d -f --rm",
        "-d -f --rm --extract d/two",
        "-d -f --rm -o one",
        "--to zstd -f --rm",
        "--to zstd -f --rm --verify",
    ] {
        folder
            .run(&format!("{args} a.qp"))
            .says(2, &["a.qp", "1 file of this archive not taken; not removed"]);
        assert_eq!(folder.read("a.qp"), tree(), "{args}");
    }
    folder.run("--to zstd -f a.qp").says(2, &["only 'one'"]);
    folder.write("b.qp", archive(b"alone", 3, 4096));
    folder.run("--to zstd --rm b.qp").fine();
    assert!(!folder.path("b.qp").exists());
}

#[test]
fn an_index_is_not_used_for_another_file_of_the_archive() {
    let folder = Folder::new();
    folder.write("a.qp", tree());
    folder.run("--index --extract d/two a.qp").says(1, &["--index", "--extract"]);
    folder.run("--index a.qp").fine();
    let part = folder.run("-dc --range 1-5 --extract d/two a.qp").fine();
    assert!(part == text(9_000)[1..5]);
}

#[test]
fn a_listing_has_a_row_for_each_file() {
    let folder = Folder::new();
    folder.write("a.qp", tree());
    let table = String::from_utf8(folder.run("-lv a.qp").fine()).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert_eq!((rows[1][0], rows[1][3], rows[1][5]), ("qpress", "9005", "Adler32"));
    let record: serde_json::Value = {
        folder.run("-l --json record a.qp").fine();
        serde_json::from_slice(&folder.read("record")).unwrap()
    };
    let files = &record["streams"][0]["files"];
    assert_eq!((&files[1]["name"], &files[1]["plain_bytes"]), (&"d/two".into(), &9000.into()));
    assert_eq!((rows[2][3], rows[2][7]), ("5", "one"));
    assert_eq!((rows[3][3], rows[3][7]), ("9000", "d/two"));
}

#[test]
fn damage_in_a_file_that_is_passed_over_is_found_by_t() {
    let folder = Folder::new();
    let mut coded = tree();
    let at = coded.len() - 100;
    coded[at] ^= 1;
    folder.write("a.qp", &coded);
    folder.run("-dc a.qp").says(2, &["only 'one'"]);
    folder.run("-t a.qp").says(1, &["has the Adler-32"]);
    folder.run("-d --salvage -c a.qp").says(2, &["only 'one'"]);
}

#[test]
fn what_is_lost_has_known_offsets() {
    let folder = Folder::new();
    let data = text(100_000);
    let mut coded = archive(&data, 1, 10_000);
    let starts: Vec<usize> = (0..coded.len()).filter(|&at| coded[at..].starts_with(b"NEWBNEWB")).collect();
    // A damaged packet, and the headers of two blocks.
    coded[starts[2] + 100] ^= 1;
    coded[starts[5]..starts[5] + 30].fill(0);
    coded[starts[6]..starts[6] + 30].fill(0);
    folder.write("a.qp", &coded);
    let told = ["plain bytes 20000-30000", "plain bytes 50000-70000", "kept 7 frames"];
    let outcome = folder.run("-dc --salvage --fill=zero a.qp");
    outcome.says(2, &told);
    let mut expected = data;
    expected[20_000..30_000].fill(0);
    expected[50_000..70_000].fill(0);
    folder.run("-d --salvage --fill=zero -o out a.qp").says(2, &told);
    assert!(folder.read("out") == expected);
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let folder = Folder::new();
    folder.write("a.qp", tree());
    folder.run("--extract one a.qp").says(1, &["--extract needs -d, -t or --to"]);
    folder.run("-dc --salvage --extract one a.qp").says(1, &["--salvage cannot be used with --extract"]);
    folder.run("-l --extract one a.qp").says(1, &["cannot be used with"]);
    folder.run("-F qpress -c a.qp").says(1, &["invalid value 'qpress'"]);
    folder.run("--xbstream a.qp").says(1, &["--xbstream needs -d, -t or -l"]);
    folder.run("-d --xbstream --range 0-1 -c a.qp").says(1, &["--xbstream cannot be used with"]);
    folder.run("-d --xbstream --salvage -c a.qp").says(1, &["--xbstream cannot be used with"]);
    folder.run("-d --xbstream --verify -c a.qp").says(1, &["cannot be used with"]);
}

#[test]
fn an_xbstream_is_decompressed_in_passing() {
    let folder = Folder::new();
    let data = text(2 << 20);
    let coded = archive(&data, 1, 65_536);
    let zstd = folder.pipe("", &data).fine();
    let stream = xbstream(&[("d/a.ibd.qp", &coded), ("b.zst", &zstd), ("c", b"plain")], 100_000);
    let expected =
        vec![("d/a.ibd".into(), data.clone()), ("b".into(), data), ("c".into(), b"plain".to_vec())];
    let sorted = |stream: &[u8]| {
        let mut files = files(stream).unwrap();
        files.sort_by_key(|file: &(String, Vec<u8>)| {
            ["d/a.ibd", "b", "c"].iter().position(|name| *name == file.0)
        });
        files
    };
    assert!(sorted(&folder.pipe("-d --xbstream -p 2", &stream).fine()) == expected);
    folder.write("s.xbstream", &stream);
    folder.run("-d --xbstream -o plain.xbstream s.xbstream").fine();
    assert!(sorted(&folder.read("plain.xbstream")) == expected);
    folder.run("-t --xbstream --expect-end=xbstream s.xbstream").fine();
    let incomplete = folder.run("-d --xbstream --expect-end=xtrabackup -o no s.xbstream");
    incomplete.says(1, &["cut off between two files: it has no xtrabackup_info"]);
    assert!(!folder.has("no"));
    // The list has the sizes of each member, also if all of the stream is compressed once more.
    let len = |coded: &[u8]| coded.len().to_string();
    let rows = [
        [len(&coded), "2097152".into(), "d/a.ibd.qp".into()],
        [len(&zstd), "2097152".into(), "b.zst".into()],
        ["5".into(), "5".into(), "c".into()],
    ];
    let check = |table: Vec<u8>| {
        let table = String::from_utf8(table).unwrap();
        let cells = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<String>>();
        let found: Vec<Vec<String>> = table.lines().map(cells).collect();
        assert_eq!(found[1][..2], ["xbstream", "3"], "{table}");
        for [coded, plain, name] in &rows {
            let is_row = |row: &Vec<String>| row[2..4] == [&coded[..], plain] && row.last() == Some(name);
            assert!(found[2..].iter().any(is_row), "{name} {coded} {plain}: {table}");
        }
        found[1][2].clone()
    };
    check(folder.run("-lv --xbstream s.xbstream").fine());
    let whole = check(folder.pipe("-lv --xbstream", &stream).fine());
    let mut redirected = folder.command(["-lv", "--xbstream"]);
    redirected
        .stdin(File::open(folder.path("s.xbstream")).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    assert_eq!(check(finish(redirected.spawn().unwrap()).fine()), whole);
    assert_eq!(whole, len(&stream));
    folder.run("s.xbstream").fine();
    check(folder.run("-lv --xbstream s.xbstream.zst").fine());
    check(folder.run("-lv --xbstream --json record s.xbstream").fine());
    let record: serde_json::Value = serde_json::from_slice(&folder.read("record")).unwrap();
    assert_eq!((&record["streams"][0]["format"], &record["mode"]), (&"xbstream".into(), &"list".into()));
    let files = record["streams"][0]["files"].as_array().unwrap();
    assert!(files.iter().any(|file| file["name"] == "c" && file["plain_bytes"] == 5), "{files:?}");
    // A file is not made of a damaged stream, and a pipe gets an end that mbstream refuses.
    let at = stream.len() / 2;
    let mut damaged = stream;
    damaged[at] ^= 1;
    folder.write("bad.xbstream", &damaged);
    folder.run("-d --xbstream -o no bad.xbstream").says(1, &["bad.xbstream: ", "has the CRC-32"]);
    assert!(!folder.names().contains(&"no".to_owned()));
    folder.run("-t --xbstream bad.xbstream").says(1, &["has the CRC-32"]);
    folder.run("-l --xbstream bad.xbstream").says(1, &["bad.xbstream: ", "has the CRC-32"]);
    folder.write("plain", text(1000));
    folder.run("-l --xbstream plain").says(1, &["plain: "]);
    let coded = folder.read("s.xbstream.zst");
    folder.write("cut.zst", &coded[..coded.len() / 2]);
    let told = folder.run("-l --xbstream cut.zst").says(1, &["cut.zst: unexpected end of zstd data"]);
    assert!(!told.stderr.contains("disk"), "{}", told.stderr);
    folder.run("-t s.xbstream").says(1, &["is an xbstream", "with --xbstream"]);
}

#[test]
fn mydumper_streams_are_decompressed_recoded_tested_and_listed() {
    let folder = Folder::new();
    let data = text(2 << 20);
    let member =
        |name: &str, data: &[u8]| [format!("\n-- {name} {}\n", data.len()).as_bytes(), data].concat();
    let zstd = member("shop.t.00000.sql.zst", &folder.pipe("", &data).fine());
    let last = member("metadata", b"# Finished dump at: 2026-11-29\n");
    let (stream, plain) = ([&zstd[..], &last].concat(), [member("shop.t.00000.sql", &data), last].concat());
    folder.write("dump", &stream);
    assert!(folder.pipe("-d --mydumper -p 2", &stream).fine() == plain);
    folder.run("-d --mydumper -p 1 -M 128M -o plain dump").fine();
    assert!(folder.read("plain") == plain);
    folder.run("-t --mydumper dump").fine();
    let gzip = folder.pipe("--to gzip --mydumper", &stream).fine();
    assert!(gzip.starts_with(b"\n-- shop.t.00000.sql.gz "));
    assert!(folder.pipe("-d --mydumper", &gzip).fine() == plain);
    let listed = String::from_utf8(folder.run("-lv --mydumper dump").fine()).unwrap();
    let lines: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        (lines.len(), lines[1][0], lines[1].last().copied()),
        (4, "mydumper", Some("dump")),
        "{listed}"
    );
    assert!(lines[2].contains(&"2097152") && lines[2].ends_with(&["shop.t.00000.sql.zst"]), "{listed}");
    assert!(lines[3].ends_with(&["metadata"]), "{listed}");
    folder.write("cut", &stream[..stream.len() - 3]);
    for words in ["-t", "-l", "-d -o no", "--to gzip -o no"] {
        folder.run(&format!("{words} --mydumper cut")).says(1, &["cut: ", "the member 'metadata'"]);
        assert!(!folder.has("no"), "{words}");
    }
    // Between two members only the missing end tells that it was cut.
    folder.write("cut", &zstd);
    for words in ["-t", "-d -o no", "--to gzip -o no"] {
        let words = format!("{words} --mydumper --expect-end=mydumper");
        folder.run(&format!("{words} cut")).says(1, &["cut: ", "\"# Finished dump at: \""]);
        assert!(!folder.has("no"), "{words}");
        folder.run(&format!("{words} dump")).fine();
        let _ = std::fs::remove_file(folder.path("no"));
    }
    folder.run("-t --mydumper --expect-end=tar dump").says(1, &["--expect-end=KIND is for compression"]);
    folder.run("--mydumper dump").says(1, &["--mydumper needs -d, -t, --to or -l"]);
    folder.run("-d --mydumper --xbstream dump").says(1, &["cannot be used with"]);
    folder.run("-d --mydumper --salvage -c dump").says(1, &["cannot be used with --salvage"]);
}

#[test]
fn the_memory_for_an_xbstream_can_be_limited() {
    let folder = Folder::new();
    let data = text(1 << 20);
    let stream = [chunk("a.qp", 0, &archive(&data, 1, 65_536)), end("a.qp")].concat();
    let limited = folder.pipe("-d --xbstream -M 100M", &stream).fine();
    assert!(limited == folder.pipe("-d --xbstream", &stream).fine());
    folder.pipe("-d --xbstream -M 1M", &stream).says(1, &["allow more with -M"]);
}

#[test]
fn the_name_qpress_decompresses_to_standard_output() {
    let folder = Folder::new();
    folder.write("a.qp", tree());
    let all = [&b"first"[..], &text(9_000)].concat();
    assert!(folder.run("--as qpress -do a.qp").fine() == all);
    assert!(folder.run("--as qpress -dofT4 a.qp").fine() == all);
    assert!(folder.pipe("--as qpress -dio", tree()).fine() == all);
    for (args, told) in [
        ("-d a.qp .", "qpress: without -o the files would be extracted"),
        ("a.qp b.qp", "reads qpress archives but does not write them"),
        ("-rL3 a.qp b.qp", "does not write them"),
        ("-R a.qp .", "--salvage"),
        ("-do", "no archive is named"),
        ("-do a b", "more than one archive"),
        ("-dio a", "-i reads standard input"),
        ("-doT0 a.qp", "-T expects a number"),
    ] {
        let run = folder.run(&format!("--as qpress {args}"));
        assert_eq!(run.status.code(), Some(1), "{args}");
        assert!(run.stderr.starts_with("qpress: ") && run.stderr.contains(told), "{args}: {}", run.stderr);
    }
}

/// Two members of 64 MiB whose chunks alternate. What the process holds does not grow with them.
#[cfg(target_os = "linux")]
#[test]
fn an_xbstream_takes_bounded_memory() {
    const BLOCK: usize = 64 << 10;
    let plain = text(BLOCK);
    let mut coded = Archive::new(1, BLOCK).file("f", b"").bytes;
    coded.truncate(coded.len() - 16);
    for at in 0..1024 {
        coded.extend(block((at * BLOCK) as u64, &packet(&plain, 1, Mode::Stored)));
    }
    coded.extend(b"ENDSENDS\0\0\0\0\0\0\0\0");
    let stream = xbstream(&[("a.qp", &coded), ("b.qp", &coded)], 10 << 20);
    let run = Folder::new().pipe("-t --xbstream -p 2 -v", &stream);
    assert!(run.status.success(), "{}", run.stderr);
    let peak = run.stderr.split("peak memory ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(peak.parse::<f64>().unwrap() < 100.0, "{}", run.stderr);
}

#[test]
fn a_file_is_taken_by_its_number_whatever_its_name_is() {
    let folder = Folder::new();
    let names = ["same", "same", "a\nb\u{202e}c\u{2028}d"];
    let archive =
        (0..3).fold(Archive::new(1, 4096), |archive, at| archive.file(names[at], &[b'0' + at as u8]));
    folder.write("a.qp", archive.bytes);
    let table = String::from_utf8(folder.run("-l a.qp").fine()).unwrap();
    assert!(table.ends_with("  a\u{fffd}b\u{fffd}c\u{fffd}d\n") && table.lines().count() == 5, "{table:?}");
    for number in 1..=3 {
        let taken = folder.run(&format!("-dc --extract-number {number} a.qp")).fine();
        assert_eq!(taken, [b'0' + number - 1]);
        folder.run(&format!("-t --extract-number {number} a.qp")).fine();
    }
    assert_eq!(folder.run("-dc --range 0- --extract-number 2 a.qp").fine(), b"1");
    let told = ["holds no file number 4, but 3 file(s): same, same, a\u{fffd}b"];
    folder.run("-dc --extract-number 4 a.qp").says(1, &told);
    folder.run("-dc --extract-number 0 a.qp").says(1, &["--extract-number"]);
    folder.run("-dc --extract-number 1 --extract same a.qp").says(1, &["cannot be used with"]);
    folder.run("--extract-number 1 a.qp").says(1, &["needs -d, -t or --to"]);
    folder.run("-dc --extract no\u{202e}ne a.qp").says(1, &["no file 'no\u{fffd}ne'"]);
    folder.write("b", folder.pipe("", "plain").fine());
    folder.run("-dc --extract-number 1 b").says(1, &["no archive of files"]);
}
