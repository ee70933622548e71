//! pbzip2 and lbzip2: what they make of files, and their words for what is wrong.
//!
//! The peers are the originals. Add a row of what is given and what is run to `same`; to `said`, with a part of the
//! message, where the original says more than we.

use crate::scene::{check, said, same, scene};

#[test]
fn pbzip2_is_obeyed() {
    same(&[
        ["line > a", "pbzip2 a && pbzip2 -d a.bz2 && cat a"],
        ["line > a", "pbzip2 -k -p2 -b15vk a 2>b && bzip2 -t a.bz2; s=$?; rm b; exit $s"],
        ["line > a", "pbzip2 -c -m500 -r -S64 -l a | pbzip2 -dc | cat"],
        ["line > a", "pbzip2 -1c a | head -c 4"],
        ["line | bzip2 > a", "pbzip2 -d a"],
        ["line | bzip2 > a.bz2; line >> a.bz2", "pbzip2 -t a.bz2"],
        ["line > a; ln a b", "pbzip2 a"],
        ["line > a; ln a b", "pbzip2 -k a"],
        ["line > a; ln -s a l", "pbzip2 l"],
        ["line | bzip2 > a.bz2; ln -s a.bz2 l.bz2", "pbzip2 -d l.bz2"],
        ["line | bzip2 > a.bz2; ln a.bz2 b.bz2", "pbzip2 -d b.bz2"],
        // Whether the original writes an empty stream and what it says differs from run to run.
        ["line > a", "pbzip2 -dcf < a > b 2>&1; s=$?; rm b; exit $s"],
    ]);
    said(&[
        ["", "pbzip2 nope", "pbzip2: *ERROR: File [nope] NOT found!  Skipping...\n"],
        [
            "line > a; bzip2 -k a",
            "pbzip2 a",
            "*ERROR: Output file [a.bz2] already exists!  Use -f to overwrite...\n",
        ],
        [
            "line | bzip2 > a.bz2",
            "pbzip2 a.bz2",
            "*ERROR: Input file [a.bz2] already has a .bz2 extension!  Skipping...\n",
        ],
        ["mkdir d", "pbzip2 d", "*ERROR: File [d] is a directory!  Skipping...\n"],
        ["line > a.bz2", "pbzip2 -d a.bz2", "*ERROR: File [a.bz2] is NOT a valid bzip2!  Skipping...\n"],
        ["line | bzip2 | head -c 30 > a.bz2", "pbzip2 -d a.bz2", "File ends unexpectedly!  Skipping...\n"],
        [
            "line | bzip2 > a.bz2; damage a.bz2 24",
            "pbzip2 -d a.bz2",
            "Data integrity (CRC) error in data!  Skipping...\n",
        ],
        ["line > a", "pbzip2 -p0 a", "*ERROR: "],
    ]);
    check(&[scene("the original goes on", "line > a", "pbzip2 --foo a")
        .says("*ERROR: ")
        .ours(1, r#"a 644 links=1 inode=a now "hello hello hello hello hello\n""#)]);
}

/// pbzip2 decodes side by side only what it has cut itself: into streams.
#[test]
fn pbzip2_writes_a_stream_for_each_block() {
    said(&[["seq 400000 > a", "pbzip2 -c a | grep -ao BZh91AY | wc -l", ""]]);
}

#[test]
fn lbzip2_is_obeyed() {
    same(&[
        ["line > a", "lbzip2 a && lbunzip2 a.bz2 && cat a"],
        ["line > a", "lbzip2 -n 2 -u -S -s -q -c a 2> b | lbzcat"],
        ["line > a", "LBZIP2=-k lbzip2 -n2 a"],
        ["line | bzip2 > a", "lbzip2 -d a"],
        ["line | bzip2 > a.tz2", "lbzip2 -d a.tz2"],
        ["line | bzip2 > a.bz2", "lbzip2 a.bz2"],
        ["mkdir d", "lbzip2 d"],
        ["line > a; ln a b", "lbzip2 a"],
        ["line > a; ln a b", "lbzip2 -k a"],
        ["line > a", "lbzip2 -t a"],
        ["", "lbzip2 -dc"],
        ["line | bzip2 > a.bz2; line >> a.bz2", "lbzip2 -dk a.bz2"],
        ["line > a", "lbzip2 -dcf a"],
        ["line > a", "lbzip2 -kv a"],
        ["line > a", "lbzip2 --foo a"],
    ]);
    said(&[
        ["", "lbzip2 nope", "lbzip2: skipping \"nope\": "],
        ["line > a; bzip2 -k a", "lbzip2 a", "File exists"],
        [
            "line | bzip2 | head -c 30 > a.bz2",
            "lbzip2 -d a.bz2",
            "lbzip2: \"a.bz2\": compressed data error: ",
        ],
        ["line > a", "lbzip2 -n0 a", "lbzip2: failed to parse \"0\" from \"-n\" as an integer"],
    ]);
}
