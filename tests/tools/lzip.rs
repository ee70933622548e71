//! lzip and plzip. What the system calls lzip may be either of them, so that beginnings of messages are
//! demanded under the name of plzip only.

use crate::case::{case, check};

#[test]
fn files_take_the_place_of_their_inputs() {
    check(&[
        case("line > a", "lzip a && lzip -d a.lz && cat a", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "plzip a && plzip -d a.lz && cat a", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "lzip -k a && rm a && lzip -dk a.lz", "a a.lz"),
        case("line > a", "lzip -c a | lzip -dc", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "plzip -9 -n2 -B 100KiB < a | plzip -d -n 2", "a")
            .prints("hello hello hello hello hello\n"),
        case("line | lzip > a.tlz", "lzip -d a.tlz", "a.tar"),
        case("line | lzip > a", "lzip -d a", "a.out"),
        case("line > a", "lzip --best a && lzip --decompress --keep a.lz", "a a.lz"),
        case("line > a", "lzip --fast -c a | head -c 5", "a").prints("LZIP\u{1}"),
        case("line > a", "lzip -o b.lz a", "a b.lz"),
        case("line > a", "lzip -o b < a", "a b.lz"),
        case("line > a", "lzip -k -o b a", "a b"),
        case("line | lzip > a.lz", "lzip -d -o b a.lz", "a.lz b"),
        case("line | lzip > a.lz", "lzip -d -o b < a.lz", "a.lz b"),
        case("line | lzip > a.lz", "lzip -F a.lz && lzip -dc a.lz.lz | lzip -d", "a.lz.lz")
            .prints("hello hello hello hello hello\n"),
        case("line > a; ln -s a l", "lzip -k l", "a l l.lz"),
        case("line > a; ln a b", "lzip a", "a.lz b"),
        case("line > a; chmod 640 a; touch -d @1000000000 a", "lzip a; stat -c '%a %Y' a.lz", "a.lz")
            .prints("640 1000000000\n"),
        case("line > a; line > b", "lzip a b && lzip -dc a.lz b.lz | wc -l", "a.lz b.lz").prints("2\n"),
    ]);
}

#[test]
fn what_is_left_alone_is_told() {
    check(&[
        case("", "plzip nope", "").says(1, "plzip: nope: Can't open input file: No such file or directory\n"),
        case("", "lzip -d nope.lz", "")
            .tells(1, "zip: nope.lz: Can't open input file: No such file or directory\n"),
        case("line > a; lzip -k a", "plzip a", "a a.lz")
            .says(1, "plzip: Output file 'a.lz' already exists, skipping.\n"),
        case("line > a; lzip -k a", "lzip -f a", "a.lz"),
        case("line | lzip > a.lz", "plzip a.lz", "a.lz")
            .says(1, "plzip: Input file 'a.lz' already has '.lz' suffix.\n"),
        case("line | lzip > a.lz", "lzip -f a.lz", "a.lz").tells(1, "already has '.lz' suffix.\n"),
        case("mkdir d", "plzip d", "d").says(1, "plzip: Input file 'd' is not a regular file.\n"),
        case("mkdir d", "plzip -c d", "d").says(1, "plzip: Input file 'd' is not a regular file.\n"),
        case("line > b", "lzip nope b", "b.lz").tells(1, "nope: Can't open"),
        case("line > a", "lzip -c a > /dev/full", "a").tells(1, "Write error: No space left on device\n"),
    ]);
}

#[test]
fn bad_input_is_never_good() {
    const EMPTY: &str = "plzip: (stdin): File ends unexpectedly at member header.\n";
    check(&[
        case("", "plzip -t", "").says(2, EMPTY),
        case("", "plzip -d", "").says(2, EMPTY),
        case("line > a.lz", "lzip -t a.lz", "a.lz").tells(2, "a.lz: "),
        case("seq 99 > a.lz", "plzip -t a.lz", "a.lz")
            .tells(2, "a.lz: Bad magic number (file not in lzip format).\n"),
        case("seq 99 > a.lz", "lzip -d a.lz", "a.lz").tells(2, "a.lz: "),
        case("seq 99 | lzip | head -c 30 > a.lz", "lzip -t a.lz", "a.lz").tells(2, "a.lz: "),
        case("seq 9999 | lzip > a.lz; truncate -s -7 a.lz", "lzip -d a.lz", "a.lz").tells(2, "a.lz: "),
        case("seq 999 | lzip > a.lz; damage a.lz 50", "lzip -t a.lz", "a.lz").tells(2, "a.lz: "),
        case("line | lzip > a.lz; damage a.lz 4", "lzip -t a.lz", "a.lz").tells(2, "not supported"),
        case("line | lzip > a.lz; damage a.lz 5", "lzip -t a.lz", "a.lz").tells(2, "ictionary"),
        case("line | lzip > a.lz; damage a.lz 25", "lzip -t a.lz", "a.lz").tells(2, "a.lz: "),
        case("line | lzip > a.lz; damage a.lz 25", "lzip -t a.lz", "a.lz").tells(2, "CRC mismatch").ours(),
        case("line | lzip > a.lz; damage a.lz 30", "lzip -t a.lz", "a.lz").tells(2, "Size mismatch").ours(),
        case("line | lzip > a.lz; damage a.lz 40", "lzip -d a.lz", "a.lz").tells(2, "a.lz: "),
        case("line | lzip > a.lz; damage a.lz 40", "lzip -tq a.lz", "a.lz").says(2, ""),
        case("line | lzip > a.lz; damage a.lz 40", "lzip -t nope a.lz", "a.lz").tells(2, "nope: Can't open"),
        case("line | gzip > a.gz", "lzip -dc a.gz", "a.gz").tells(2, "a.gz: "),
    ]);
}

#[test]
fn data_behind_the_last_member_is_passed_over_unless_it_was_a_header() {
    check(&[
        case("line | lzip > a.lz; line >> a.lz", "lzip -d a.lz", "a"),
        case("line | lzip > a.lz; line >> a.lz", "lzip -d < a.lz", "a.lz")
            .prints("hello hello hello hello hello\n"),
        case("line | lzip > a.lz; head -c 9 /dev/zero >> a.lz", "lzip -t a.lz", "a.lz"),
        case("line | lzip > a.lz; head -c 9 /dev/zero >> a.lz", "lzip -ta a.lz", "a.lz")
            .tells(2, "Trailing data not allowed.\n"),
        case("line | lzip > a.lz; line >> a.lz", "lzip -ta a.lz", "a.lz")
            .tells(2, "Trailing data not allowed.\n"),
        case("line | lzip > a.lz; printf LZIx23456789 >> a.lz", "lzip -t a.lz", "a.lz").tells(2, "eader"),
        case("line | lzip > a.lz; printf LZI >> a.lz", "lzip -t < a.lz", "a.lz").tells(2, "(stdin): "),
        case("line | lzip > a.lz; cat a.lz a.lz > b.lz; truncate -s -3 b.lz", "lzip -t b.lz", "a.lz b.lz")
            .tells(2, "b.lz: "),
        case("line | lzip > a.lz; cat a.lz a.lz > b.lz", "lzip -dc b.lz | wc -l", "a.lz b.lz").prints("2\n"),
        case(": | lzip > a.lz; (cat a.lz a.lz; line | lzip; cat a.lz) > b.lz", "lzip -dc b.lz", "a.lz b.lz")
            .prints("hello hello hello hello hello\n"),
    ]);
}

#[test]
fn figures_are_told_when_asked_for() {
    const TABLE: &str = "  uncompressed     compressed   saved  name\n";
    let table = |lines: &str| -> &'static str { format!("{TABLE}{lines}").leak() };
    check(&[
        // The lengths of coded data are their encoder's.
        case(": > e", "lzip -v e", "e.lz").says(0, "  e:  no data compressed.\n").ours(),
        case("seq 9999 > a", "lzip -v a 2> b; grep -cE '^  a: +[0-9.]+:1, +[0-9.]+% ratio, [0-9.]+% saved, 48888 in, [0-9]+ out.$' b", "a.lz b")
            .prints("1\n"),
        case("line | lzip > a.lz", "lzip -tv a.lz", "a.lz").says(0, "  a.lz: ok\n"),
        case("line | lzip > a.lz", "lzip -dv a.lz", "a").says(0, "  a.lz: done\n"),
        case("line | lzip > a.lz", "lzip -tvv a.lz", "a.lz")
            .tells(0, "  a.lz:  0.667:1, 150.00% ratio, -50.00% saved. ok\n"),
        case("line | lzip > a.lz; cp a.lz longer.lz", "lzip -dv a.lz longer.lz", "a longer")
            .says(0, "  a.lz:      done\n  longer.lz: done\n"),
        case("line | lzip > a.lz", "lzip -l a.lz", "a.lz")
            .prints(table("            30             45 -50.00%  a.lz\n")),
        case("line | lzip > a.lz; : | lzip > e.lz", "lzip -l e.lz a.lz", "a.lz e.lz").prints(table(
            "             0             36   -INF%  e.lz\n            30             45 -50.00%  a.lz\n            \
             30             81 -170.00%  (totals)\n",
        )),
        case("line | lzip > a.lz", "lzip -l < a.lz", "a.lz")
            .prints(table("            30             45 -50.00%  (stdin)\n")),
    ]);
}

#[test]
fn command_lines_that_are_not_understood_do_nothing() {
    const TRY: &str = "\nTry 'plzip --help' for more information.\n";
    let hint = |what: &str| -> &'static str { format!("plzip: {what}{TRY}").leak() };
    check(&[
        case("line > a", "plzip --foo a", "a").says(1, hint("unrecognized option '--foo'")),
        case("line > a", "plzip -x a", "a").says(1, hint("invalid option -- 'x'")),
        case("line > a", "plzip -dt a", "a").says(1, hint("Only one operation can be specified.")),
        case("line > a", "plzip -B 1 a", "a")
            .says(1, "plzip: Numerical argument out of limits [8Ki,1Gi] in option '-B'.\n"),
        case("line > a", "plzip -B x a", "a")
            .says(1, "plzip: Bad or missing numerical argument in option '-B'.\n"),
        case("line > a", "plzip -n0 a", "a").tells(1, "plzip: Numerical argument out of limits [1,"),
        case("line > a", "lzip -S 100k a", "a").tells(1, "cut it with split").ours(),
        case("line > a", "lzip -s 1MiB a", "a").tells(1, "the level, -0 to -9, sets it").ours(),
        case("", "lzip --help | grep -c -e '-k, --keep'", "").prints("1\n"),
        case("", "plzip --version | grep -c '^plzip 1\\.'", "").prints("1\n"),
    ]);
}
