//! The commands about the formats of lzop, Snappy and LZF: the warning about data without a checksum, and the name
//! `snzip`.
//!
//! There is no peer here. `common::old` writes the files that pzcomp does not write.

use crate::common::old::{self, Lzop};
use crate::common::plain;
use crate::harness::Folder;

#[test]
fn data_without_a_checksum_is_decoded_with_a_warning_and_a_test_of_it_exits_with_2() {
    const WARNING: &str = "decoded, not verified";
    let data = plain::text(50_000);
    let lzop = Lzop { flags: 0, ..Lzop::default() };
    for (name, coded) in [("data.lzf", old::lzf(&data, 5000)), ("data.lzo", lzop.file(&data))] {
        let folder = Folder::new();
        folder.write(name, &coded);
        let run = folder.run(&format!("-dc {name}")).says(0, &[name, WARNING]);
        assert!(run.stdout == data);
        folder.run(&format!("-t {name}")).says(2, &[name, WARNING]);
        let quiet = folder.run(&format!("-tq {name}"));
        assert_eq!((quiet.status.code(), quiet.stderr.as_str()), (Some(2), ""));
        folder.run(&format!("--to zstd {name}")).says(0, &[name, WARNING]);
        assert!(folder.run("-dc data.zst").fine() == data);
        let listed = String::from_utf8(folder.run(&format!("-l {name}")).fine()).unwrap();
        assert!(listed.contains(" -  "), "{listed}");
    }
    // With a checksum nothing is said.
    let folder = Folder::new();
    folder.write("data.lzo", Lzop::default().file(&data));
    folder.run("-t data.lzo").fine();
}

#[test]
fn old_files_become_new_ones_and_are_read_by_range() {
    let data = plain::text(300_000);
    for (name, coded) in [("data.lzf", old::lzf(&data, 60_000)), ("data.lzo", Lzop::default().file(&data))] {
        let folder = Folder::new();
        folder.write(name, &coded);
        let range = folder.run(&format!("-dcq --range 123456+1000 {name}")).fine();
        assert!(range == data[123_456..124_456], "{name}");
        let frames = String::from_utf8(folder.run(&format!("-l --frames {name}")).fine()).unwrap();
        assert!(frames.lines().count() > 4, "{frames}");
        folder.run(&format!("-q --to xz {name}")).fine();
        assert!(folder.run("-dc data.xz").fine() == data, "{name}");
        folder.run(&format!("-q -d {name}")).fine();
        assert!(folder.read("data") == data && folder.has(name), "{name}");
    }
    let folder = Folder::new();
    folder.write("data", &data);
    folder.run("-F snappy data").fine();
    assert!(folder.run("-dc data.sz").fine() == data);
}

#[test]
fn a_damaged_block_of_lzop_is_left_out_by_salvage() {
    // The blocks are stored as they are, so the damage is in the data and its length is known.
    let data = plain::random(50_000);
    let mut coded = Lzop::default().file(&data);
    let middle = coded.len() / 2;
    coded[middle] ^= 1;
    let folder = Folder::new();
    folder.write("data.lzo", &coded);
    folder.run("-d data.lzo").says(1, &["data.lzo", "Adler-32", "data was not made"]);
    let run = folder.run("-dc --salvage --fill zero data.lzo").says(2, &["lost"]);
    assert_eq!(run.stdout.len(), data.len());
    let wrong = run.stdout.iter().zip(&data).filter(|(found, expected)| found != expected).count();
    assert!((1..=5000).contains(&wrong), "{wrong} bytes");
}

#[test]
fn snzip_compresses_and_decompresses_files_in_their_places() {
    let data = plain::text(200_000);
    let folder = Folder::new();
    folder.write("data", &data);
    folder.run("--as snzip data").fine();
    assert_eq!(folder.names(), ["data.sz"]);
    folder.run("--as snzip -dk data.sz").fine();
    assert_eq!(folder.names(), ["data", "data.sz"]);
    assert!(folder.read("data") == data);
    assert!(folder.run("--as snzip -dc data.sz").fine() == data);
    folder.run("--as snzip -k -s snappy data").fine();
    assert!(folder.has("data.snappy"));
    let coded = folder.pipe("--as snzip", &data).fine();
    assert!(folder.pipe("--as snzip -d -t framing2", coded).fine() == data);
    for kind in ["raw", "hadoop-snappy", "framing"] {
        let run = folder.run(&format!("--as snzip -t {kind} data"));
        assert!(run.status.code() == Some(1) && run.stderr.contains(kind), "{}", run.stderr);
    }
}

#[test]
fn the_list_of_a_file_that_is_cut_off_says_so() {
    let data = plain::random(200_000);
    let folder = Folder::new();
    let lzop = Lzop { block_len: 60_000, ..Lzop::default() };
    let coded = [
        ("lzo", lzop.file(&data)),
        ("lzf", old::lzf(&data, 60_000)),
        ("sz", folder.pipe("-F snappy", &data).fine()),
        ("qp", crate::common::qpress::archive(&data, 1, 60_000)),
        ("zst", folder.pipe("-b 60000 --no-index", &data).fine()),
        ("xz", folder.pipe("-F xz -b 60000", &data).fine()),
    ];
    for (suffix, coded) in coded {
        let name = format!("cut.{suffix}");
        folder.write(&name, &coded);
        folder.run(&format!("-l {name}"));
        folder.write(&name, &coded[..100_000]);
        let run = folder.run(&format!("-l {name}")).says(1, &[&name, "The file is incomplete"]);
        assert!(run.stdout.is_empty(), "{suffix}");
    }
}
