//! pbzip2 and lbzip2.

use crate::case::{case, check};

#[test]
fn pbzip2_is_obeyed() {
    check(&[
        case("line > a", "pbzip2 a && pbzip2 -d a.bz2 && cat a", "a")
            .prints("hello hello hello hello hello\n"),
        case("line > a", "pbzip2 -k -p2 -b15vk a 2> b && bzip2 -t a.bz2", "a a.bz2 b"),
        case("line > a", "pbzip2 -c -m500 -r -S64 -l a | pbzip2 -dc | cat", "a")
            .prints("hello hello hello hello hello\n"),
        case("line > a", "pbzip2 -1c a | head -c 4", "a").prints("BZh1"),
        case("line | bzip2 > a", "pbzip2 -d a", "a.out"),
        case("", "pbzip2 nope", "").tells(1, "pbzip2: *ERROR: File [nope] NOT found!  Skipping...\n"),
        case("line > a; bzip2 -k a", "pbzip2 a", "a a.bz2")
            .tells(1, "*ERROR: Output file [a.bz2] already exists!  Use -f to overwrite...\n"),
        case("line | bzip2 > a.bz2", "pbzip2 a.bz2", "a.bz2")
            .tells(1, "*ERROR: Input file [a.bz2] already has a .bz2 extension!  Skipping...\n"),
        case("mkdir d", "pbzip2 d", "d").tells(1, "*ERROR: File [d] is a directory!  Skipping...\n"),
        case("line > a.bz2", "pbzip2 -d a.bz2", "a.bz2")
            .tells(1, "*ERROR: File [a.bz2] is NOT a valid bzip2!  Skipping...\n"),
        case("line | bzip2 | head -c 30 > a.bz2", "pbzip2 -d a.bz2", "a.bz2")
            .tells(1, "File ends unexpectedly!  Skipping...\n"),
        case("line | bzip2 > a.bz2; damage a.bz2 24", "pbzip2 -d a.bz2", "a.bz2")
            .tells(1, "Data integrity (CRC) error in data!  Skipping...\n"),
        case("line | bzip2 > a.bz2; line >> a.bz2", "pbzip2 -t a.bz2", "a.bz2")
            .says(0, "pbzip2: *WARNING: Trailing garbage after EOF ignored!\n"),
        case("line > a", "pbzip2 -p0 a", "a").tells(1, "*ERROR: "),
        case("line > a", "pbzip2 --foo a", "a").tells(1, "*ERROR: ").ours(),
    ]);
}

/// pbzip2 decodes side by side only what it has cut itself: into streams.
#[test]
fn pbzip2_writes_a_stream_for_each_block() {
    check(&[case("seq 400000 > a", "pbzip2 -c a | grep -ao BZh91AY | wc -l", "a")
        .tells(0, "")
        .prints("3\n")]);
}

#[test]
fn lbzip2_is_obeyed() {
    check(&[
        case("line > a", "lbzip2 a && lbunzip2 a.bz2 && cat a", "a")
            .prints("hello hello hello hello hello\n"),
        case("line > a", "lbzip2 -n 2 -u -S -s -q -c a 2> b | lbzcat", "a b")
            .prints("hello hello hello hello hello\n"),
        case("line > a", "LBZIP2=-k lbzip2 -n2 a", "a a.bz2"),
        case("line | bzip2 > a", "lbzip2 -d a", "a.out"),
        case("line | bzip2 > a.tz2", "lbzip2 -d a.tz2", "a.tar"),
        case("", "lbzip2 nope", "").tells(4, "lbzip2: skipping \"nope\": "),
        case("line > a; bzip2 -k a", "lbzip2 a", "a a.bz2").tells(4, "File exists"),
        case("line | bzip2 > a.bz2", "lbzip2 a.bz2", "a.bz2")
            .says(4, "lbzip2: skipping \"a.bz2\": compressed suffix\n"),
        case("mkdir d", "lbzip2 d", "d").says(4, "lbzip2: skipping \"d\": not a regular file\n"),
        case("line > a; ln a b", "lbzip2 a", "a b").says(4, "lbzip2: skipping \"a\": more than one links\n"),
        case("line > a; ln a b", "lbzip2 -k a", "a a.bz2 b"),
        case("line > a", "lbzip2 -t a", "a").says(1, "lbzip2: \"a\": not a valid bzip2 file\n"),
        case("", "lbzip2 -dc", "").says(1, "lbzip2: stdin: not a valid bzip2 file\n"),
        case("line | bzip2 | head -c 30 > a.bz2", "lbzip2 -d a.bz2", "a.bz2")
            .tells(1, "lbzip2: \"a.bz2\": compressed data error: "),
        case("line | bzip2 > a.bz2; line >> a.bz2", "lbzip2 -d a.bz2", "a"),
        case("line > a", "lbzip2 -dcf a", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "lbzip2 -kv a", "a a.bz2").says(
            0,
            "lbzip2: compressing \"a\" to \"a.bz2\"\n\
             lbzip2: \"a\": compression ratio is 1.600:1, space savings is -60.00%\n",
        ),
        case("line > a", "lbzip2 -n0 a", "a")
            .tells(1, "lbzip2: failed to parse \"0\" from \"-n\" as an integer"),
        case("line > a", "lbzip2 --foo a", "a")
            .says(1, "lbzip2: unknown option \"--foo\", specify \"-h\" for help\n"),
    ]);
}
