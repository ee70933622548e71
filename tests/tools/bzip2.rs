//! bzip2.

use crate::case::{case, check};

#[test]
fn files_take_the_place_of_their_inputs() {
    check(&[
        case("line > a", "bzip2 a && bzip2 -d a.bz2 && cat a", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "bzip2 -k a && rm a && bunzip2 -k a.bz2", "a a.bz2"),
        case("line > a", "bzip2 -c a | bzcat", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "bzip2 -9 < a | bzip2 -dc", "a").prints("hello hello hello hello hello\n"),
        case("line | bzip2 > a.bz", "bunzip2 a.bz", "a"),
        case("line | bzip2 > a.tbz", "bunzip2 a.tbz", "a.tar"),
        case("line | bzip2 > a.tbz2", "bunzip2 a.tbz2", "a.tar"),
        case("line | bzip2 > a", "bzip2 -d a", "a.out")
            .says(0, "bzip2: Can't guess original name for a -- using a.out\n"),
        case("line | bzip2 > a", "bzip2 -dq a", "a.out"),
        case("line | bzip2 > a.BZ2", "bzip2 -d a.BZ2", "a.BZ2.out")
            .says(0, "bzip2: Can't guess original name for a.BZ2 -- using a.BZ2.out\n"),
        case("line > a", "BZIP2=-k bzip2 a", "a a.bz2"),
        case("line > a", "BZIP=-1c bzip2 a | head -c 4", "a").prints("BZh1"),
        case("line > a", "bzip2 -s -c a | head -c 4", "a").prints("BZh2"),
        case("line > a", "bzip2 -c a | head -c 4", "a").prints("BZh9"),
        case("line > a", "bzip2 --fast -c -- a | head -c 4", "a").prints("BZh1"),
        case("line > a", "bzip2 -zk9 a && bzip2 -df a.bz2", "a"),
        case("line > a; chmod 640 a; touch -d @1000000000 a", "bzip2 a; stat -c '%a %Y' a.bz2", "a.bz2")
            .prints("640 1000000000\n"),
    ]);
}

/// Readers that stop after the first stream are many: those of PHP and of old Java among them.
#[test]
fn one_stream_is_written() {
    const FIRST: &str = "python3 -c \"
import bz2, sys
decoder = bz2.BZ2Decompressor()
print(len(decoder.decompress(sys.stdin.buffer.read())), len(decoder.unused_data))\"";
    for (data, len) in [("seq 400000", "2688895"), ("true", "0"), ("yes", "3000000")] {
        let run = format!("{data} | head -c 3000000 | bzip2 | {FIRST}");
        check(&[case("", run.leak(), "").prints(format!("{len} 0\n").leak())]);
    }
}

#[test]
fn what_is_left_alone_is_told() {
    check(&[
        case("", "bzip2 nope", "").says(1, "bzip2: Can't open input file nope: No such file or directory.\n"),
        case("line > a; bzip2 -k a", "bzip2 a", "a a.bz2")
            .says(1, "bzip2: Output file a.bz2 already exists.\n"),
        case("line > a; bzip2 a", "bzip2 a.bz2", "a.bz2")
            .says(1, "bzip2: Input file a.bz2 already has .bz2 suffix.\n"),
        case("line > a; bzip2 a", "bzip2 -f a.bz2", "a.bz2")
            .says(1, "bzip2: Input file a.bz2 already has .bz2 suffix.\n"),
        case("mkdir d", "bzip2 d", "d").says(1, "bzip2: Input file d is a directory.\n"),
        case("mkdir d", "bzip2 -dc d", "d").says(1, "bzip2: Input file d is a directory.\n"),
        case("line > a; ln -s a l", "bzip2 l", "a l").says(1, "bzip2: Input file l is not a normal file.\n"),
        case("line > a; ln -s a l", "bzip2 -f l", "a l.bz2"),
        case("line > a; ln a b", "bzip2 a", "a b").says(1, "bzip2: Input file a has 1 other link.\n"),
        case("line > a; ln a b; ln a c", "bzip2 a", "a b c")
            .says(1, "bzip2: Input file a has 2 other links.\n"),
        case("line > a; ln a b", "bzip2 -f a", "a.bz2 b"),
        case("line > b", "bzip2 nope b", "b.bz2")
            .says(1, "bzip2: Can't open input file nope: No such file or directory.\n"),
        case("line > a", "bzip2 -c a > /dev/full", "a").tells(1, "No space left on device"),
    ]);
}

#[test]
fn bad_input_is_never_good() {
    check(&[
        case("line > a.bz2", "bzip2 -t a.bz2", "a.bz2")
            .tells(2, "bzip2: a.bz2: bad magic number (file not created by bzip2)\n"),
        case("line > a.bz2", "bzip2 -d a.bz2", "a.bz2").tells(2, "a.bz2"),
        case("line | bzip2 | head -c 30 > a.bz2", "bzip2 -t a.bz2", "a.bz2")
            .tells(2, "bzip2: a.bz2: file ends unexpectedly\n"),
        case("line | bzip2 | head -c 30 > a.bz2", "bzip2 -d a.bz2", "a.bz2").tells(2, "ends unexpectedly"),
        case("", "bzip2 -t", "").tells(2, "bzip2: (stdin): file ends unexpectedly\n"),
        case("", "bzip2 -dc", "").tells(2, "ends unexpectedly"),
        case("line | bzip2 > a.bz2; damage a.bz2 24", "bzip2 -t a.bz2", "a.bz2")
            .tells(2, "bzip2: a.bz2: data integrity (CRC) error in data\n"),
        case("line | bzip2 > a.bz2; damage a.bz2 24", "bzip2 -d a.bz2", "a.bz2").tells(2, "integrity"),
        case("line | bzip2 > a.bz2; damage a.bz2 24", "bzip2 -tq a.bz2 nope", "a.bz2").tells(2, "nope"),
        case("line | bzip2 > a.bz2; line >> a.bz2", "bzip2 -t a.bz2", "a.bz2")
            .says(0, "bzip2: a.bz2: trailing garbage after EOF ignored\n"),
        case("line | bzip2 > a.bz2; line >> a.bz2", "bzip2 -d a.bz2", "a")
            .tells(0, "bzip2: a.bz2: trailing garbage after EOF ignored\n"),
        case("line | bzip2 > a.bz2; head -c 9 /dev/zero >> a.bz2", "bzip2 -dc a.bz2", "a.bz2")
            .tells(0, "bzip2: a.bz2: trailing garbage after EOF ignored\n")
            .prints("hello hello hello hello hello\n"),
        case("line > a", "bzip2 -dcf a", "a").prints("hello hello hello hello hello\n"),
        // bzip2 begins anew then, and copies what it has decoded.
        case("line | bzip2 > a.bz2; line >> a.bz2", "bzip2 -dcf a.bz2", "a.bz2")
            .tells(2, "integrity")
            .prints("hello hello hello hello hello\n")
            .ours(),
        case("line | gzip > a.gz", "bzip2 -dc a.gz", "a.gz").tells(2, "a.gz"),
    ]);
}

#[test]
fn figures_are_told_when_asked_for() {
    check(&[
        case("line > a", "bzip2 -v a", "a.bz2")
            .says(0, "  a:        0.625:1, 12.800 bits/byte, -60.00% saved, 30 in, 48 out.\n"),
        case("line > a", "bzip2 -v < a | cat > b", "a b")
            .says(0, "  (stdin):  0.625:1, 12.800 bits/byte, -60.00% saved, 30 in, 48 out.\n"),
        case(": > a", "bzip2 -v a", "a.bz2").says(0, "  a:        no data compressed.\n"),
        case("line > a; line > 'a longer name'", "bzip2 -v a a*e", "a longer name.bz2 a.bz2").says(
            0,
            "  a:              0.625:1, 12.800 bits/byte, -60.00% saved, 30 in, 48 out.\n  \
             a longer name:  0.625:1, 12.800 bits/byte, -60.00% saved, 30 in, 48 out.\n",
        ),
        case("line | bzip2 > a.bz2", "bzip2 -tv a.bz2", "a.bz2").says(0, "  a.bz2:   ok\n"),
        case("line | bzip2 > a.bz2", "bzip2 -dv a.bz2", "a").says(0, "  a.bz2:   done\n"),
        case("line | bzip2 > a.bz2", "bzip2 -dv < a.bz2", "a.bz2")
            .says(0, "  (stdin): done\n")
            .prints("hello hello hello hello hello\n"),
    ]);
}

#[test]
fn command_lines_that_are_not_understood_do_nothing() {
    check(&[
        case("line > a", "bzip2 --foo a", "a").tells(1, "bzip2: Bad flag '--foo'\n"),
        case("line > a", "bzip2 --comp a", "a").tells(1, "bzip2: Bad flag '--comp'\n"),
        case("line > a", "bzip2 -x a", "a").tells(1, "bzip2: Bad flag '-x'\n"),
        case("line > a", "bzip2 -0 a", "a").tells(1, "bzip2: Bad flag '-0'\n"),
        case("line > a", "BZIP=-x bzip2 a", "a").tells(1, "bzip2: Bad flag '-x'\n"),
        case("line > a", "bzip2 -tc a", "a").says(1, "bzip2: -c and -t cannot be used together.\n"),
        case("", "bzip2 --version 2>&1 < /dev/null | grep -c 'Version 1.0.8'", "").prints("1\n"),
        case("", "bzip2 --help 2>&1 | grep -c -e '-k,* --keep'", "").prints("1\n"),
    ]);
}
