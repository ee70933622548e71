//! lzip and plzip: what they make of files, what follows a member, figures, and words for what is wrong.
//!
//! What the system calls lzip may be either of them, so that beginnings of messages are demanded under the name of
//! plzip only. Add a row to `same`, or to `said` with a part of the message.

use crate::scene::{all, check, said, same, scene};

#[test]
fn files_take_the_place_of_their_inputs() {
    same(&[
        ["line > a", "lzip a && lzip -d a.lz && cat a"],
        ["line > a", "plzip a && plzip -d a.lz && cat a"],
        ["line > a", "lzip -k a && rm a && lzip -dk a.lz"],
        ["line > a", "lzip -c a | lzip -dc"],
        ["line > a", "plzip -9 -n2 -B 100KiB < a | plzip -d -n 2"],
        ["line | lzip > a.tlz", "lzip -d a.tlz"],
        ["line | lzip > a", "lzip -d a"],
        ["line > a", "lzip --best a && lzip --decompress --keep a.lz"],
        ["line > a", "lzip --fast -c a | head -c 5"],
        ["line > a", "lzip -o b.lz a"],
        ["line > a", "lzip -o b < a"],
        ["line > a", "lzip -k -o b a"],
        ["line | lzip > a.lz", "lzip -d -o b a.lz"],
        ["line | lzip > a.lz", "lzip -d -o b < a.lz"],
        ["line | lzip > a.lz", "lzip -F a.lz && lzip -dc a.lz.lz | lzip -d"],
        ["line > a; ln -s a l", "lzip -k l"],
        ["line > a; ln a b", "lzip a"],
        ["line > a; chmod 640 a; touch -d @1000000000 a", "lzip a; stat -c '%a %Y' a.lz"],
        ["line > a; line > b", "lzip a b && lzip -dc a.lz b.lz | wc -l"],
    ]);
}

#[test]
fn what_is_left_alone_is_told() {
    same(&[
        ["", "plzip nope"],
        ["line > a; lzip -k a", "plzip a"],
        ["line | lzip > a.lz", "plzip a.lz"],
        ["mkdir d", "plzip d"],
        ["mkdir d", "plzip -c d"],
    ]);
    said(&[
        ["", "lzip -d nope.lz", "zip: nope.lz: Can't open input file: No such file or directory\n"],
        ["line | lzip > a.lz", "lzip -f a.lz", "already has '.lz' suffix.\n"],
        ["line > b", "lzip nope b", "nope: Can't open"],
        ["line > a", "lzip -c a > /dev/full", "Write error: No space left on device\n"],
    ]);
    check(&all(&[["line > a; lzip -k a", "lzip -f a"]], |scene| scene.with_stderr().any_inode()));
}

#[test]
fn damaged_lzip_is_never_reported_as_good() {
    same(&[["", "plzip -t"], ["", "plzip -d"], ["line | lzip > a.lz; damage a.lz 40", "lzip -tq a.lz"]]);
    said(&[
        ["line > a.lz", "lzip -t a.lz", "a.lz: "],
        ["seq 99 > a.lz", "plzip -t a.lz", "a.lz: Bad magic number (file not in lzip format).\n"],
        ["seq 99 > a.lz", "lzip -d a.lz", "a.lz: "],
        ["seq 99 | lzip | head -c 30 > a.lz", "lzip -t a.lz", "a.lz: "],
        ["seq 9999 | lzip > a.lz; truncate -s -7 a.lz", "lzip -d a.lz", "a.lz: "],
        ["seq 999 | lzip > a.lz; damage a.lz 50", "lzip -t a.lz", "a.lz: "],
        ["line | lzip > a.lz; damage a.lz 4", "lzip -t a.lz", "not supported"],
        ["line | lzip > a.lz; damage a.lz 5", "lzip -t a.lz", "ictionary"],
        ["line | lzip > a.lz; damage a.lz 25", "lzip -t a.lz", "a.lz: "],
        ["line | lzip > a.lz; damage a.lz 40", "lzip -d a.lz", "a.lz: "],
        ["line | lzip > a.lz; damage a.lz 40", "lzip -t nope a.lz", "nope: Can't open"],
        ["line | gzip > a.gz", "lzip -dc a.gz", "a.gz: "],
    ]);
    check(&[
        scene("words for a wrong sum or size", "line | lzip > a.lz; damage a.lz 25", "lzip -t a.lz")
            .says("CRC mismatch")
            .ours(2, r#"a.lz 644 links=1 inode=a.lz now lzip damaged """#),
        scene("words for a wrong sum or size", "line | lzip > a.lz; damage a.lz 30", "lzip -t a.lz")
            .says("Size mismatch")
            .ours(2, r#"a.lz 644 links=1 inode=a.lz now lzip damaged """#),
    ]);
}

#[test]
fn data_behind_the_last_member_is_passed_over_unless_it_was_a_header() {
    same(&[
        ["line | lzip > a.lz; line >> a.lz", "lzip -dk a.lz"],
        ["line | lzip > a.lz; line >> a.lz", "lzip -d < a.lz"],
        ["line | lzip > a.lz; head -c 9 /dev/zero >> a.lz", "lzip -t a.lz"],
        ["line | lzip > a.lz; cat a.lz a.lz > b.lz", "lzip -dc b.lz | wc -l"],
        [": | lzip > a.lz; (cat a.lz a.lz; line | lzip; cat a.lz) > b.lz", "lzip -dc b.lz"],
    ]);
    said(&[
        ["line | lzip > a.lz; head -c 9 /dev/zero >> a.lz", "lzip -ta a.lz", "Trailing data not allowed.\n"],
        ["line | lzip > a.lz; line >> a.lz", "lzip -ta a.lz", "Trailing data not allowed.\n"],
        ["line | lzip > a.lz; printf LZIx23456789 >> a.lz", "lzip -t a.lz", "eader"],
        ["line | lzip > a.lz; printf LZI >> a.lz", "lzip -t < a.lz", "(stdin): "],
        ["line | lzip > a.lz; cat a.lz a.lz > b.lz; truncate -s -3 b.lz", "lzip -t b.lz", "b.lz: "],
        // A lost sector. plzip takes no member for trailing data.
        ["line | lzip > b; { cat b; head -c 4096 /dev/zero; cat b; } > a.lz", "plzip -t a.lz", "a.lz: "],
        ["line | lzip > b; { cat b; head -c 4096 /dev/zero; cat b; } > a.lz", "plzip -d a.lz", "a.lz: "],
    ]);
}

#[test]
fn figures_are_told_when_asked_for() {
    same(&[
        [
            "seq 9999 > a",
            "lzip -v a 2> b; grep -cE '^  a: +[0-9.]+:1, +[0-9.]+% ratio, [0-9.]+% saved, 48888 in, [0-9]+ out.$' b; rm b",
        ],
        ["line | lzip > a.lz", "lzip -tv a.lz"],
        ["line | lzip > a.lz", "lzip -dv a.lz"],
        ["line | lzip > a.lz; cp a.lz longer.lz", "lzip -dv a.lz longer.lz"],
        ["line | lzip > a.lz", "lzip -l a.lz"],
        ["line | lzip > a.lz; : | lzip > e.lz", "lzip -l e.lz a.lz"],
        ["line | lzip > a.lz", "lzip -l < a.lz"],
    ]);
    said(&[["line | lzip > a.lz", "lzip -tvv a.lz", "  a.lz:  0.667:1, 150.00% ratio, -50.00% saved. ok\n"]]);
    check(&[scene("the original may be plzip, whose words differ", ": > e", "lzip -v e").ours(
        0,
        r#"stderr "  e:  no data compressed.\n"
            e.lz 644 links=1 inode=new now lzip """#,
    )]);
}

#[test]
fn command_lines_that_are_not_understood_do_nothing() {
    same(&[
        ["line > a", "plzip --foo a"],
        ["line > a", "plzip -x a"],
        ["line > a", "plzip -dt a"],
        ["line > a", "plzip -B 1 a"],
        ["line > a", "plzip -B x a"],
        ["", "lzip --help | grep -c -e '-k, --keep'"],
        ["", "plzip --version | grep -c '^plzip 1\\.'"],
    ]);
    said(&[["line > a", "plzip -n0 a", "plzip: Numerical argument out of limits [1,"]]);
    check(&[
        scene("volumes are refused, with what to do", "line > a", "lzip -S 100k a")
            .says("cut it with split")
            .ours(1, r#"a 644 links=1 inode=a now "hello hello hello hello hello\n""#),
        scene("the size of the dictionary is refused, with what to do", "line > a", "lzip -s 1MiB a")
            .says("the level, -0 to -9, sets this value")
            .ours(1, r#"a 644 links=1 inode=a now "hello hello hello hello hello\n""#),
    ]);
}
