//! `--salvage`: output, messages and exit status for damaged files.
//!
//! There is no peer: the tests make the files. What is kept and lost of every format is tested in `tests/damage/`.

use crate::harness::{Folder, text};

/// A file of ten frames, whose fourth one is damaged.
fn damaged(folder: &Folder, plain: &[u8]) {
    let mut coded = folder.pipe("-b 60K -p2", plain).fine();
    let frames = folder.pipe("-l", &coded).fine();
    assert!(!frames.is_empty());
    let at = coded.len() * 35 / 100;
    coded[at..at + 9].fill(0x55);
    folder.write("dump.zst", coded);
}

#[test]
fn everything_but_the_damaged_frame_is_written_and_the_status_is_2() {
    let (folder, plain) = (Folder::new(), text(600_000));
    damaged(&folder, &plain);
    folder
        .run("-t dump.zst")
        .says(1, &["corrupt zstd data", "dump.zst: pzcomp -d --salvage dump.zst gets what is intact"]);
    folder
        .run("-d dump.zst")
        .says(1, &["dump was not made; use -d --salvage to get everything that is intact"]);
    let expected = [&plain[..180 << 10], &plain[240 << 10..]].concat();
    let sums = "damaged: kept 9 of 10 frames with 526KiB, lost 1 range with 60KiB";
    let lost = "dump.zst: lost: coded bytes ";
    let plain_range =
        "plain bytes 184320-245760 (60KiB), at output offset 184320: the frame that begins there";

    let run = folder.run("-dc --salvage dump.zst");
    assert!(run.stdout == expected);
    run.says(2, &[lost, plain_range, sums]);
    folder.run("-d --salvage dump.zst").says(2, &[sums]);
    assert!(folder.read("dump") == expected, "a file of its own");
    folder.run("-d --salvage -o other dump.zst").says(2, &[sums]);
    assert!(folder.read("other") == expected, "a named file");
    assert!(folder.has("dump.zst"));
    let run = folder.run("-t --salvage dump.zst");
    assert!(run.stdout.is_empty());
    run.says(2, &[plain_range, sums]);
    let run = folder.run("-q -dc --salvage dump.zst");
    assert!(run.stderr.is_empty());
    run.says(2, &[]);
}

#[test]
fn fill_zeros_keeps_the_offsets() {
    let (folder, mut plain) = (Folder::new(), text(600_000));
    damaged(&folder, &plain);
    let run = folder.run("-dc --salvage --fill zero dump.zst");
    plain[180 << 10..240 << 10].fill(0);
    assert!(run.stdout == plain);
    run.says(2, &["zeros in output bytes 184320-245760", "filled 60KiB with zeros"]);
}

#[test]
fn a_stream_that_is_cut_off_behind_a_whole_block_is_reported() {
    let (folder, plain) = (Folder::new(), text(600_000));
    folder.write("a.xz", folder.pipe("-F xz -1 -b 100K", &plain).fine());
    folder.write("a.qp", crate::common::qpress::archive(&plain, 1, 100 << 10));
    for name in ["a.xz", "a.qp"] {
        let coded = folder.read(name);
        let file = std::fs::File::open(folder.path(name)).unwrap();
        let seekable = pzcomp::Seekable::with_options(file, &pzcomp::Decode::default()).unwrap();
        let third = seekable.frames().nth(2).unwrap();
        let end = (third.coded_offset + third.coded_len) as usize;
        folder.write("cut", &coded[..end]);
        folder.run("-dc cut").says(1, &["unexpected end"]);
        let run = folder.run("-dc --salvage cut");
        assert!(run.stdout == plain[..300 << 10], "{name}: {}", run.stdout.len());
        run.says(2, &["the input ends there, before the stream does"]);
        folder.run(&format!("-t --salvage {name}")).fine();
    }
}

#[test]
fn an_intact_file_gives_no_message_and_status_0() {
    let (folder, plain) = (Folder::new(), text(100_000));
    folder.write("fine.zst", folder.pipe("", &plain).fine());
    assert!(folder.run("-dc --salvage fine.zst").fine() == plain);
    folder.run("-t --salvage fine.zst").fine();
    folder.write("damaged.zst", "garbage");
    folder.run("-dc --salvage fine.zst damaged.zst").says(1, &["damaged.zst: not in a compressed format"]);
}

#[test]
fn unverified_data_is_written_only_if_that_is_wanted() {
    let (folder, plain) = (Folder::new(), text(300_000));
    let mut coded = folder.pipe("--no-index -b 1M", &plain).fine();
    // The checksum of the only frame.
    *coded.last_mut().unwrap() ^= 1;
    folder.write("one.zst", coded);
    let run = folder.run("-dc --salvage one.zst");
    assert!(run.stdout.is_empty());
    run.says(
        2,
        &["kept 0 frames with 0B, lost 1 range with 293KiB", "--keep-unverified would also write 293KiB"],
    );
    let run = folder.run("-dc --salvage --keep-unverified one.zst");
    assert!(run.stdout == plain);
    run.says(
        2,
        &[
            "not verified: coded bytes 0-",
            "output bytes 0-300000: the frame that begins there has the checksum",
        ],
    );
}

#[test]
fn what_cannot_be_salvaged_is_an_error() {
    let (folder, plain) = (Folder::new(), text(200_000));
    damaged(&folder, &plain);
    let coded = folder.read("dump.zst");
    folder
        .pipe("-dc --salvage", &coded)
        .says(1, &["stdin: is not a regular file", "save it to a file first"]);
    folder.run("--salvage dump.zst").says(1, &["--salvage needs -d, or -t"]);
    folder.run("-d --fill zero dump.zst").says(1, &["--salvage"]);
    folder.run("-d --salvage --rm dump.zst").says(1, &["--rm cannot be used with --salvage"]);
    folder.run("-dc --salvage --range 0-1 dump.zst").says(1, &["--salvage cannot be used with"]);
    let mut alone = folder.run("--as xz --format=lzma -c dump.zst").fine();
    let middle = alone.len() / 2;
    alone[middle..].fill(0x55);
    folder.write("dump.lzma", alone);
    folder.run("-dc --salvage dump.lzma").says(1, &["one stream that cannot be divided"]);
}

#[test]
fn the_record_has_the_lost_ranges_and_does_not_call_the_data_verified() {
    let (folder, plain) = (Folder::new(), text(600_000));
    damaged(&folder, &plain);
    folder.run("-dc --salvage --json r dump.zst").says(2, &[]);
    let record: serde_json::Value = serde_json::from_slice(&folder.read("r")).unwrap();
    let stream = &record["streams"][0];
    assert_eq!(record["status"], 2);
    assert_eq!(stream["check"]["verified"], false);
    let (salvage, lost) = (&stream["salvage"], &stream["salvage"]["lost"][0]);
    assert_eq!((&salvage["lost_bytes"], &salvage["unverified_bytes"]), (&61_440.into(), &0.into()));
    assert_eq!((&lost["plain_offset"], &lost["plain_bytes"]), (&184_320.into(), &61_440.into()));
    assert!(record["warnings"].as_array().is_some_and(|warnings| warnings.len() == 2), "{record}");

    folder.run("-dc --salvage --hash sha256 dump.zst").says(1, &["--hash and --hash-file cannot be used"]);
    folder.run("-dc --salvage --buffer 1M dump.zst").says(1, &["--buffer has no use"]);
}

#[test]
fn bytes_in_which_the_search_is_cut_short_are_named() {
    let folder = Folder::new();
    // Headers of chunks of Snappy that all state 64 KiB and a checksum that is wrong.
    let coded = [&b"\xff\x06\0\0sNaPpY"[..], &b"\x01\xff\xff\0".repeat(60_000)].concat();
    folder.write("dump.sz", coded);
    let untried = "not tried: some places in coded bytes ";
    folder
        .run("-t --salvage --json r dump.sz")
        .says(2, &[untried, "-240010: so much there looks like frames"]);
    let record: serde_json::Value = serde_json::from_slice(&folder.read("r")).unwrap();
    assert_eq!(record["streams"][0]["salvage"]["untried"][0][1], 240_010, "{record}");
}
