//! Options: how they are spelled, and what is wrong with them.

use crate::case::{case, check};

#[test]
fn spelling() {
    check(&[
        case("clusters", "hello >a.gz", "gzip -kdc a.gz").prints("hello\n"),
        case("behind files", "hello >a.gz", "gzip a.gz -dc").prints("hello\n"),
        case("abbreviated", "hello >a.gz", "gzip --decomp --std a.gz").prints("hello\n"),
        case("abbreviated, as short as can be", "hello >a.gz", "gzip --to --un a.gz").prints("hello\n"),
        case(
            "other words for the same",
            "hello >a.gz",
            "gzip --uncompress --to-stdout --silent --force a.gz",
        )
        .prints("hello\n"),
        case("of Makefiles", "echo a >a", "gzip -n -f -9 <a | zcat; gzip -cn a | zcat").prints("a\na\n"),
        case("of archives of the source", "echo a >a", "gzip --best --no-name --stdout a | zcat")
            .prints("a\n"),
        case("only for speed or safety", "echo a >a", "gzip --rsyncable --synchronous a")
            .leaves(&["a.gz:a\n"]),
        case("-b of the past", "echo a >a", "gzip -b 12 --bits=9 a").leaves(&["a.gz:a\n"]),
        case(
            "levels by letter and by word",
            "echo a >a",
            "for l in 1 2 3 4 5 6 7 8 9 11 -fast -best; do gzip -$l <a | zcat; done | uniq -c",
        )
        .prints("     12 a\n"),
        case("-- ends them", "echo a >-c", "gzip -- -c").leaves(&["-c.gz:a\n"]),
        case("-t is not hindered by -c", "hello >a.gz", "gzip -tc a.gz"),
        case("--ascii has no meaning here", "echo a >a", "gzip -a a")
            .leaves(&["a.gz:a\n"])
            .differs("say that it is ignored"),
        case("decompressing, levels do not matter", "hello >a.gz", "gzip -9dc a.gz").prints("hello\n"),
        case(
            "gunzip and zcat take the same",
            "hello >a.gz",
            "gunzip -c a.gz; zcat -f a.gz; gunzip -t a.gz; zcat -lq a.gz",
        )
        .prints("hello\nhello\n                 26                   6 -33.3% a\n"),
        case("without files", "hello >a.gz", "gunzip <a.gz; zcat <a.gz; gzip -d <a.gz; zcat - <a.gz")
            .prints("hello\nhello\nhello\nhello\n"),
    ]);
}

#[test]
fn misuse() {
    check(&[
        case("unknown letter", "echo a >a", "gzip -x a")
            .says(1, "gzip: invalid option -- 'x'\nTry `gzip --help' for more information.\n"),
        case("a question mark", "echo a >a", "gzip '-?' a")
            .says(1, "Try `gzip --help' for more information.\n"),
        case("-0", "echo a >a", "gzip -0 a")
            .says(1, "gzip: invalid option -- '0'\nTry `gzip --help' for more information.\n"),
        case("pigz's -p", "echo a >a", "gzip -p3 a")
            .says(1, "gzip: invalid option -- 'p'\nTry `gzip --help' for more information.\n"),
        case("unknown word", "echo a >a", "gzip --foo a")
            .says(1, "gzip: unrecognized option '--foo'\nTry `gzip --help' for more information.\n"),
        case("ambiguous", "echo a >a", "gzip --s a").says(
            1,
            "gzip: option '--s' is ambiguous; possibilities: '--stdout' '--silent' '--synchronous' '--suffix'\n\
             Try `gzip --help' for more information.\n",
        ),
        case("ambiguous, one the beginning of another", "echo a >a", "gzip --n a").says(
            1,
            "gzip: option '--n' is ambiguous; possibilities: '--no-name' '--name'\n\
             Try `gzip --help' for more information.\n",
        ),
        case("ambiguous with -Z", "echo a >a", "gzip --l a").says(
            1,
            "gzip: option '--l' is ambiguous; possibilities: '--list' '--license' '--lzw'\n\
             Try `gzip --help' for more information.\n",
        ),
        case("a value too much", "echo a >a", "gzip --force=1 a")
            .says(1, "gzip: option '--force' doesn't allow an argument\nTry `gzip --help' for more information.\n"),
        case("a value missing", "", "gzip --suffix")
            .says(1, "gzip: option '--suffix' requires an argument\nTry `gzip --help' for more information.\n"),
        case("a value missing behind a letter", "", "gzip -S")
            .says(1, "gzip: option requires an argument -- 'S'\nTry `gzip --help' for more information.\n"),
        case("-Z", "echo a >a", "gzip -Z a")
            .says(1, "gzip: -Z not supported in this version\nTry `gzip --help' for more information.\n"),
        case("-b of no number", "echo a >a", "gzip -b x a")
            .says(1, "gzip: -b operand is not an integer\nTry `gzip --help' for more information.\n"),
        case("gunzip speaks as gzip", "", "gunzip -x")
            .says(1, "gzip: invalid option -- 'x'\nTry `gzip --help' for more information.\n"),
        case("zcat too", "", "zcat -x")
            .says(1, "gzip: invalid option -- 'x'\nTry `gzip --help' for more information.\n"),
    ]);
}

#[test]
fn the_variable_that_holds_options() {
    let how = "obey most of the options in GZIP, and say that it is deprecated";
    check(&[
        case("empty", "echo a >a", "GZIP= gzip a").leaves(&["a.gz:a\n"]),
        case("levels act", "", "GZIP=-9 gzip </dev/null | od -An -tx1 -j8 -N1").prints(" 02\n").differs(how),
        case("the command line wins", "", "GZIP=-9 gzip -1 </dev/null | od -An -tx1 -j8 -N1")
            .prints(" 04\n")
            .differs(how),
        case("words for levels", "", "GZIP='--synchronous --fast' gzip </dev/null | od -An -tx1 -j8 -N1")
            .prints(" 04\n")
            .differs(how),
        case("others do not", "echo a >a", "GZIP='-c -d --foo b' gzip a").leaves(&["a.gz:a\n"]).differs(how),
    ]);
}

#[test]
fn help() {
    check(&[
        case(
            "names all options",
            "",
            "for o in best decompress fast force help keep license list \
             name no-name quiet recursive rsyncable stdout suffix synchronous test verbose version; do \
             gzip --help | grep -q -e --$o || echo $o; done",
        )
        .prints(""),
        case("by letters", "", "gzip -h | head -n 1; gzip -H | head -n 1")
            .prints("Usage: gzip [OPTION]... [FILE]...\nUsage: gzip [OPTION]... [FILE]...\n"),
        case(
            "the version comes first",
            "",
            "for o in -V --version -L --license; do gzip $o | head -n 1 | cut -c 1-7; done",
        )
        .prints("gzip 1.\ngzip 1.\ngzip 1.\ngzip 1.\n"),
    ]);
}

#[test]
fn outputs_and_inputs_that_fail() {
    check(&[
        case("a full disk", "echo a >a", "gzip -c a >/dev/full")
            .says(1, "\ngzip: stdout: No space left on device\n"),
        case("a full disk, decompressing", "hello >a.gz", "gzip -cd a.gz >/dev/full")
            .says(1, "\ngzip: stdout: No space left on device\n"),
        case("a full disk, quiet", "hello >a.gz", "zcat -q a.gz >/dev/full")
            .says(1, "\ngzip: stdout: No space left on device\n"),
        case("a reader that is gone", "seq 300000 >a", "(gzip -c a; echo $? >s) | :; cat s; rm s")
            .prints("141\n"),
        case(
            "a reader that is gone, decompressing",
            "seq 3000000 | gnu >a.gz",
            "(zcat a.gz; echo $? >s) | head -n 1; cat s; rm s",
        )
        .prints("1\n141\n"),
        case(
            "a reader that is gone, SIGPIPE ignored",
            "seq 300000 >a",
            "(trap '' PIPE; gzip -c a 2>e; echo $? >s) | :; cat e s; rm e s",
        )
        .prints("\ngzip: stdout: Broken pipe\n2\n")
        .differs("exit with 1 before 1.14"),
        case("closed standard output", "echo a >a", "gzip -c a >&-")
            .says(1, "gzip: stdout: Bad file descriptor\n")
            .differs("begin another line first"),
        case("closed standard output, decompressing", "hello >a.gz", "zcat a.gz >&-")
            .says(1, "gzip: stdout: Bad file descriptor\n")
            .differs("begin another line first"),
        case("closed standard input", "", "gzip <&- >b; cat b; rm b")
            .says(0, "gzip: stdin: Bad file descriptor\n")
            .differs("call it standard input"),
        case("a closed standard output for a table", "hello >a.gz", "gzip -l a.gz >&-; echo $? >&2")
            .says(0, "gzip: stdout: cannot write: Bad file descriptor (os error 9)\n1\n")
            .differs("say only what the system does"),
    ]);
}
