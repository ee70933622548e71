//! What is written is what those tools write: readers may stop after the first frame.

use std::process::Stdio;

use crate::case::{Side, shell};
use crate::harness::{Folder, feed, finish, text};

/// What `script` makes of `input`.
fn filter(script: &str, input: &[u8]) -> Vec<u8> {
    let folder = Folder::new();
    feed(shell(Side::Ours, script, &folder).stdin(Stdio::piped()), input).fine()
}

/// How many zstd frames the system's tool finds.
fn zstd_frames(coded: &[u8]) -> String {
    let folder = Folder::new();
    folder.write("o.zst", coded);
    let script = "zstd -l o.zst | tail -1 | awk '{ print $1, $2 }'";
    let counted = finish(shell(Side::System, script, &folder).spawn().unwrap());
    String::from_utf8(counted.fine()).unwrap()
}

#[test]
fn zstd_writes_one_frame_whatever_the_threads() {
    let plain = text(20 << 20);
    let expected = filter("zstd -1 -T1", &plain);
    for options in ["-1 -T1", "-1 -T0", "-1", "-1 --single-thread", "-1 -T5"] {
        let coded = filter(&format!("zstd {options}"), &plain);
        assert_eq!(zstd_frames(&coded), "1 0\n", "{options}");
        assert!(coded == expected, "{options}");
    }
    assert!(filter("/usr/bin/zstd -dc", &expected) == plain);
    assert!(filter("zstd -dc", &expected) == plain);
}

#[test]
fn rsyncable_frames_resemble_each_other() {
    let plain = text(40 << 20);
    let changed = [&plain[..1 << 20], b"inserted", &plain[1 << 20..]].concat();
    let [one, other] = [&plain, &changed].map(|plain| filter("zstd -1 --rsyncable", plain));
    let tail = 1 << 20;
    assert_eq!(zstd_frames(&one), "1 0\n");
    assert!(one[one.len() - tail..one.len() - 4] == other[other.len() - tail..other.len() - 4]);
}

#[test]
fn the_header_says_how_long_a_file_is() {
    let folder = Folder::new();
    folder.write("n", text(3 << 20));
    let script = "zstd -q n; /usr/bin/zstd -lv n.zst 2>/dev/null | grep '^Decompressed'; zstd -qf --no-content-size n; \
                  /usr/bin/zstd -lv n.zst 2>/dev/null | grep -c '^Decompressed'; zstd --stream-size=3145728 <n >n.zst; \
                  /usr/bin/zstd -lv n.zst 2>/dev/null | grep '^Decompressed'";
    let told = finish(shell(Side::Ours, script, &folder).spawn().unwrap()).fine();
    let size = "Decompressed Size: 3.00 MiB (3145728 B)\n";
    assert_eq!(String::from_utf8(told).unwrap(), format!("{size}0\n{size}"));
}

#[test]
fn lz4_writes_one_frame_of_independent_blocks_with_a_checksum() {
    let plain = text(9 << 20);
    let coded = filter("lz4 -T2", &plain);
    // Version 1, independent blocks, content checksum; 4 MiB.
    assert_eq!(coded[..6], [4, 0x22, 0x4d, 0x18, 0x64, 0x70]);
    assert!(filter("/usr/bin/lz4 -dc", &coded) == plain);
    assert!(filter("lz4 -dc", &coded) == plain);
}

#[test]
fn pzstd_reads_what_pzstd_writes() {
    let plain = text(20 << 20);
    let coded = filter("pzstd -p2", &plain);
    assert_eq!(coded[..8], [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]);
    assert!(filter("/usr/bin/pzstd -dc -p2", &coded) == plain);
}
