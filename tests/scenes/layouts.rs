//! What is written is what zstd, lz4 and pzstd write: readers may stop after the first frame.
//!
//! The peers are the originals, which count the frames, read the header, and decode. Add a scene that prints what a
//! reader finds, and removes the large files.

use crate::scene::{check, same, scene};

#[test]
fn zstd_writes_one_frame_whatever_the_threads() {
    // With --single-thread the original makes other blocks.
    check(&[scene(
        "one frame, the same bytes",
        "seq 2600000 >a",
        "zstd -1 -T1 <a >first
         for o in '-1 -T1' '-1 -T0' -1 '-1 --single-thread' '-1 -T5'; do
           zstd $o <a >b.zst; /usr/bin/zstd -l b.zst | tail -n 1 | awk '{ print $1, $2 }'; cmp b.zst first
         done
         /usr/bin/zstd -dc <first | cmp - a; zstd -dc <first | cmp - a; rm *",
    )
    .ours(0, r#"stdout "1 0\n1 0\n1 0\n1 0\n1 0\n""#)]);
}

#[test]
fn rsyncable_frames_resemble_each_other() {
    same(&[[
        "seq 5000000 >a; (head -c 1048576 a; printf inserted; tail -c +1048577 a) >b",
        "zstd -1 --rsyncable <a >a.zst; zstd -1 --rsyncable <b >b.zst; zstd -l a.zst | tail -n 1 | awk '{ print $1, $2 }'
         # All but the checksum at the end.
         for f in a b; do tail -c 1048576 $f.zst | head -c -4 >$f.end; done; cmp a.end b.end; rm *",
    ]]);
}

#[test]
fn the_header_says_how_long_a_file_is() {
    same(&[[
        "seq 400000 | head -c 2000000 >n",
        "said() { /usr/bin/zstd -lv n.zst 2>/dev/null | grep '^Decompressed'; }
         zstd -q n; said; zstd -qf --no-content-size n; said; zstd -q --stream-size=2000000 <n >n.zst; said; rm *",
    ]]);
}

#[test]
fn lz4_writes_one_frame_of_independent_blocks_with_a_checksum() {
    // Version 1, independent blocks, content checksum; 4 MiB. Debian's lz4 has no threads.
    check(&[scene(
        "whatever the threads",
        "seq 1300000 >a",
        "lz4 -T2 <a >b.lz4; head -c 6 b.lz4 | od -An -tx1; /usr/bin/lz4 -dc b.lz4 | cmp - a; lz4 -dc <b.lz4 | cmp - a; rm *",
    )
    .ours(0, r#"stdout " 04 22 4d 18 64 70\n""#)]);
}

#[test]
fn pzstd_reads_what_pzstd_writes() {
    same(&[[
        "seq 2600000 >a",
        "pzstd -q -p2 <a >b.zst; head -c 8 b.zst | od -An -tx1; /usr/bin/pzstd -q -dc -p2 <b.zst | cmp - a; rm *",
    ]]);
}
