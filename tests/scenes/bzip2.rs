//! bzip2: what it makes of files, its figures, and its words for what is wrong.
//!
//! The peer is bzip2 1.0. Add a row of what is given and what is run to `same`; to `said`, with a part of the message,
//! where the original says more than we.

use crate::scene::{check, said, same, scene};

#[test]
fn files_take_the_place_of_their_inputs() {
    same(&[
        ["line > a", "bzip2 a && bzip2 -d a.bz2 && cat a"],
        ["line > a", "bzip2 -k a && rm a && bunzip2 -k a.bz2"],
        ["line > a", "bzip2 -c a | bzcat"],
        ["line > a", "bzip2 -9 < a | bzip2 -dc"],
        ["line | bzip2 > a.bz", "bunzip2 a.bz"],
        ["line | bzip2 > a.tbz", "bunzip2 a.tbz"],
        ["line | bzip2 > a.tbz2", "bunzip2 a.tbz2"],
        ["line | bzip2 > a", "bzip2 -d a"],
        ["line | bzip2 > a", "bzip2 -dq a"],
        ["line | bzip2 > a.BZ2", "bzip2 -d a.BZ2"],
        ["line > a", "BZIP2=-k bzip2 a"],
        ["line > a", "BZIP=-1c bzip2 a | head -c 4"],
        ["line > a", "bzip2 -s -c a | head -c 4"],
        ["line > a.bz2", "bzip2 -df a.bz2"],
        ["line > a.bz2", "bzip2 -dfk a.bz2"],
        ["line > a.bz2; line > a", "bunzip2 -f a.bz2"],
        ["line > a", "bunzip2 -f a"],
        ["line > a", "bunzip2 -f < a"],
        ["line > a", "bzip2 -c a | head -c 4"],
        ["line > a", "bzip2 --fast -c -- a | head -c 4"],
        ["line > a", "bzip2 -zk9 a && bzip2 -df a.bz2"],
        ["line > a; chmod 640 a; touch -d @1000000000 a", "bzip2 a; stat -c '%a %Y' a.bz2"],
    ]);
}

/// Readers that stop after the first stream are many: those of PHP and of old Java among them.
#[test]
fn one_stream_is_written() {
    const FIRST: &str = "python3 -c \"
import bz2, sys
decoder = bz2.BZ2Decompressor()
print(len(decoder.decompress(sys.stdin.buffer.read())), len(decoder.unused_data))\"";
    let first = |data: &str| -> &'static str { format!("{data} | head -c 3000000 | bzip2 | {FIRST}").leak() };
    same(&[[first("seq 400000")], [first("true")], [first("yes")]]);
}

#[test]
fn what_is_left_alone_is_told() {
    same(&[
        ["", "bzip2 nope"],
        ["line > a; bzip2 -k a", "bzip2 a"],
        ["line > a; bzip2 a", "bzip2 a.bz2"],
        ["line > a; bzip2 a", "bzip2 -f a.bz2"],
        ["mkdir d", "bzip2 d"],
        ["mkdir d", "bzip2 -dc d"],
        ["line > a; ln -s a l", "bzip2 l"],
        ["line > a; ln -s a l", "bzip2 -f l"],
        ["line > a; ln a b", "bzip2 a"],
        ["line > a; ln a b; ln a c", "bzip2 a"],
        ["line > a; ln a b", "bzip2 -f a"],
        ["line > b", "bzip2 nope b"],
    ]);
    said(&[["line > a", "bzip2 -c a > /dev/full", "No space left on device"]]);
}

#[test]
fn damaged_bzip2_is_never_reported_as_good() {
    same(&[["line | bzip2 > a.bz2; line >> a.bz2", "bzip2 -t a.bz2"], ["line > a", "bzip2 -dcf a"]]);
    said(&[
        ["line > a.bz2", "bzip2 -t a.bz2", "bzip2: a.bz2: bad magic number (file not created by bzip2)\n"],
        ["line > a.bz2", "bzip2 -d a.bz2", "a.bz2"],
        ["line | bzip2 | head -c 30 > a.bz2", "bzip2 -t a.bz2", "bzip2: a.bz2: file ends unexpectedly\n"],
        ["line | bzip2 | head -c 30 > a.bz2", "bzip2 -d a.bz2", "ends unexpectedly"],
        ["", "bzip2 -t", "bzip2: (stdin): file ends unexpectedly\n"],
        ["", "bzip2 -dc", "ends unexpectedly"],
        [
            "line | bzip2 > a.bz2; damage a.bz2 24",
            "bzip2 -t a.bz2",
            "bzip2: a.bz2: data integrity (CRC) error in data\n",
        ],
        ["line | bzip2 > a.bz2; damage a.bz2 24", "bzip2 -d a.bz2", "integrity"],
        ["line | bzip2 > a.bz2; damage a.bz2 24", "bzip2 -tq a.bz2 nope", "nope"],
        [
            "line | bzip2 > a.bz2; head -c 9 /dev/zero >> a.bz2",
            "bzip2 -dc a.bz2",
            "bzip2: a.bz2: trailing garbage after EOF ignored\n",
        ],
        ["line | gzip > a.gz", "bzip2 -dc a.gz", "a.gz"],
        // A stream behind the first one that is cut off or damaged in its head is no garbage.
        ["line | bzip2 > b; { cat b; head -c 1 b; } > a.bz2", "bzip2 -t a.bz2", "file ends unexpectedly"],
        ["line | bzip2 > b; { cat b; head -c 4 b; } > a.bz2", "bzip2 -d a.bz2", "file ends unexpectedly"],
        ["line | bzip2 > b; { cat b; head -c 9 b; } > a.bz2", "bzip2 -dc a.bz2", "file ends unexpectedly"],
        ["line | bzip2 > b; cp b a.bz2; damage b 4; cat b >> a.bz2", "bzip2 -d a.bz2", "integrity"],
        ["line | bzip2 > b; cp b a.bz2; damage b 9; cat b >> a.bz2", "bzip2 -tq a.bz2", "integrity"],
        ["line | bzip2 > b; cp b a.bz2; damage b 9; cat b >> a.bz2", "lbzip2 -d a.bz2", "a.bz2"],
        ["line | bzip2 > b; { cat b; head -c 4 b; } > a.bz2", "pbzip2 -d a.bz2", "nds unexpectedly"],
        // Without the magic number of a stream it is.
        [
            "line | bzip2 > b; cp b a.bz2; damage b 1; cat b >> a.bz2",
            "bzip2 -dc a.bz2",
            "bzip2: a.bz2: trailing garbage after EOF ignored\n",
        ],
    ]);
    // Only data of another kind is copied.
    said(&[
        ["echo BZh9x > a.bz2", "bzip2 -df a.bz2", "bzip2: "],
        [": > a.bz2", "bzip2 -df a.bz2", "file ends unexpectedly"],
        ["line | bzip2 > a.bz2; damage a.bz2 5", "bzip2 -df a.bz2", "bzip2: "],
        ["line > a.bz2", "bzip2 -tf a.bz2", "bad magic number"],
        ["line > a.bz2", "lbzip2 -df a.bz2", "not a valid bzip2 file"],
    ]);
    check(&[scene(
        "bzip2 begins anew at the garbage, and copies all of the input behind the data",
        "line | bzip2 > a.bz2; line >> a.bz2",
        "bzip2 -dcf a.bz2",
    )
    .says("trailing garbage after EOF ignored")
    .ours(
        0,
        r#"stdout "hello hello hello hello hello\n"
            a.bz2 644 links=1 inode=a.bz2 now bzip2 "hello hello hello hello hello\n""#,
    )]);
}

#[test]
fn figures_are_told_when_asked_for() {
    same(&[
        ["line > a", "bzip2 -v a"],
        ["line > a", "bzip2 -v < a | cat > b"],
        [": > a", "bzip2 -v a"],
        ["line > a; line > 'a longer name'", "bzip2 -v a a*e"],
        ["line | bzip2 > a.bz2", "bzip2 -tv a.bz2"],
        ["line | bzip2 > a.bz2", "bzip2 -dv a.bz2"],
        ["line | bzip2 > a.bz2", "bzip2 -dv < a.bz2"],
    ]);
}

#[test]
fn command_lines_that_are_not_understood_do_nothing() {
    same(&[
        ["line > a", "bzip2 -tc a"],
        ["", "bzip2 --version 2>&1 < /dev/null | grep -c 'Version 1.0.8'"],
        ["", "bzip2 --help 2>&1 | grep -c -e '-k,* --keep'"],
    ]);
    said(&[
        ["line > a", "bzip2 --foo a", "bzip2: Bad flag '--foo'\n"],
        ["line > a", "bzip2 --comp a", "bzip2: Bad flag '--comp'\n"],
        ["line > a", "bzip2 -x a", "bzip2: Bad flag '-x'\n"],
        ["line > a", "bzip2 -0 a", "bzip2: Bad flag '-0'\n"],
        ["line > a", "BZIP=-x bzip2 a", "bzip2: Bad flag '-x'\n"],
    ]);
}
