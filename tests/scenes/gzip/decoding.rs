//! Good, bad and odd input: what is decoded, what is said, and which bytes are written all the same.
//!
//! The peer is GNU gzip, whose words must be ours. Add a row to `same`; `hello` in what is given is a member of 26
//! bytes, whose bytes can be changed where they are known.

use crate::scene::{check, same, scene};

#[test]
fn members_that_follow_each_other_are_all_decoded() {
    same(&[
        ["two", "hello >a.gz; hello >>a.gz", "zcat a.gz"],
        ["an empty one between", "(hello; gnu </dev/null; hello) >a.gz", "gzip -d <a.gz"],
        ["several files", "hello >a.gz; hello >b.gz", "zcat a.gz b.gz"],
        ["in place", "hello >a.gz; hello >>a.gz", "gzip -d a.gz"],
    ]);
}

#[test]
fn what_is_behind_the_last_member_is_judged_as_gzip_does() {
    same(&[
        ["garbage", "(hello; echo garbage) >a.gz", "gzip -dc a.gz"],
        ["garbage on a pipe", "(hello; echo garbage) >a.gz", "cat a.gz | gzip -d"],
        ["garbage, -t", "(hello; echo garbage) >a.gz", "gzip -t a.gz"],
        ["garbage, -tv", "(hello; echo garbage) >a.gz", "gzip -tv a.gz"],
        ["garbage, quiet", "(hello; echo garbage) >a.gz", "gzip -tq a.gz"],
        ["garbage, quiet, decompressing", "(hello; echo garbage) >a.gz", "zcat -q a.gz"],
        ["garbage, -l: no row", "(hello; echo garbage) >a.gz; hello >b.gz", "gzip -lq a.gz b.gz"],
        ["garbage, -l, and a word", "(hello; echo garbage) >a.gz", "gzip -l a.gz"],
        ["half a magic number", "(hello; printf '\\037') >a.gz", "zcat a.gz"],
        ["a byte that begins none", "(hello; echo) >a.gz", "cat a.gz | gzip -d"],
        ["a member behind garbage is garbage", "(hello; echo garbage; hello) >a.gz", "zcat a.gz"],
        ["zeros", "(hello; head -c 20 /dev/zero) >a.gz", "gzip -d a.gz"],
        ["zeros, -t", "(hello; head -c 2000 /dev/zero) >a.gz", "gzip -t a.gz"],
        ["zeros, -tv", "(hello; head -c 20 /dev/zero) >a.gz", "gzip -tv a.gz"],
        ["garbage behind zeros", "(hello; head -c 20 /dev/zero; echo garbage) >a.gz", "zcat a.gz"],
    ]);
    check(&[scene(
        "garbage, in place: the original removes the file, although the garbage is in no other",
        "(hello; echo garbage) >a.gz; old a.gz",
        "gzip -dq a.gz",
    )
    .ours(
        2,
        r#"a 644 links=1 inode=new old "hello\n"
            a.gz 644 links=1 inode=a.gz old gzip damaged "hello\n""#,
    )]);
    check(&[scene(
        "zeros, -l: the original has no row for it",
        "(hello; head -c 20 /dev/zero) >a.gz",
        "gzip -lq a.gz",
    )
    .ours(
        0,
        r#"stdout "                 46                   6 -366.7% a\n"
            a.gz 644 links=1 inode=a.gz now gzip "hello\n""#,
    )]);
}

#[test]
fn much_data_is_as_good_as_little() {
    // Of several parts, each of which has 256 KiB at least.
    let two = "(seq 600000 | gnu -1; seq 600001 650000 | gnu) >a.gz; seq 650000 | md5sum >m";
    let garbage = "(seq 600000 | gnu -1; echo garbage) >a.gz; seq 600000 | md5sum >m";
    let cut = "seq 600000 | gnu -1 | head -c 1100000 >a.gz; seq 450000 >b";
    same(&[
        ["members", two, "gzip -dc a.gz | md5sum | cmp - m; cat a.gz | zcat | md5sum | cmp - m"],
        ["garbage", garbage, "gzip -dc a.gz | md5sum | cmp - m"],
        ["garbage on a pipe", garbage, "cat a.gz | gzip -d | md5sum | cmp - m"],
        ["garbage that passes", garbage, "gzip -cdf a.gz | tail -n 1; cat a.gz | gzip -cdf | tail -n 1"],
        ["truncated", cut, "gzip -dc a.gz >c; head -n 450000 c | cmp - b; rm c"],
        ["truncated on a pipe", cut, "cat a.gz | gzip -d >c; head -n 450000 c | cmp - b; rm c"],
        ["truncated, in place: nothing is made", cut, "gzip -d a.gz; ls"],
    ]);
}

#[test]
fn damage_is_told_in_the_words_of_gzip() {
    same(&[
        ["truncated", "seq 1000 | gnu | head -c 1000 >a.gz", "gzip -t a.gz"],
        ["truncated, -tv", "seq 1000 | gnu | head -c 1000 >a.gz", "gzip -tv a.gz"],
        ["truncated, in place: nothing is made", "seq 1000 | gnu | head -c 1000 >a.gz", "gzip -d a.gz"],
        [
            "truncated, what was there stays",
            "seq 1000 | gnu | head -c 1000 >a.gz; echo old >a",
            "gzip -d a.gz",
        ],
        [
            "truncated: what could be decoded is written",
            "seq 9999 | gnu | head -c 5000 >a.gz; seq 9999 >b",
            "gzip -dc a.gz >c; head -n 2000 b >d; head -n 2000 c | cmp - d; rm c d",
        ],
        ["truncated on a pipe", "seq 1000 | gnu | head -c 1000 >a.gz", "cat a.gz | gzip -d >/dev/null"],
        ["truncated in the trailer", "hello | head -c 25 >a.gz", "gzip -t a.gz"],
        ["truncated in the second member", "(hello; hello | head -c 20) >a.gz", "gzip -t a.gz"],
        ["truncated, -l", "hello | head -c 20 >a.gz", "gzip -l a.gz"],
        ["CRC", "(hello | head -c 18; printf '\\001\\060\\072\\066\\006\\0\\0\\0') >a.gz", "gzip -d a.gz"],
        [
            "CRC on a pipe",
            "(hello | head -c 18; printf '\\001\\060\\072\\066\\006\\0\\0\\0') >a.gz",
            "cat a.gz | gzip -t",
        ],
        ["length", "(hello | head -c 22; printf '\\007\\0\\0\\0') >a.gz", "gzip -t a.gz"],
        ["both", "(hello | head -c 18; printf '\\001\\060\\072\\066\\007\\0\\0\\0') >a.gz", "gzip -t a.gz"],
        ["data", "(hello | head -c 10; printf '\\007xxxxxxxxxxxxx') >a.gz", "gzip -t a.gz"],
        [
            "an unknown method, in whatever words",
            "printf '\\037\\213\\007\\0\\0\\0\\0\\0\\0\\003' >a.gz",
            "gzip -t a.gz 2>&1 | grep -o 'method 7'; gzip -t a.gz 2>/dev/null; echo $?",
        ],
        [
            "unknown flags, in whatever words",
            "printf '\\037\\213\\010\\300\\0\\0\\0\\0\\0\\003xx' >a.gz",
            "gzip -t a.gz 2>&1 | grep -o 0xc0; gzip -t a.gz 2>/dev/null; echo $?",
        ],
        ["the others are dealt with", "echo bad >a.gz; hello >b.gz", "gzip -d a.gz b.gz"],
        ["-cd of several goes on behind a bad one", "echo bad >a.gz; hello >b.gz", "gzip -cd a.gz b.gz"],
    ]);
}

#[test]
fn short_and_foreign_input_is_refused() {
    same(&[
        ["empty", ": >a.gz", "gzip -t a.gz"],
        ["empty, in place", ": >a.gz", "gzip -d a.gz"],
        ["empty on standard input", "", "gzip -d"],
        ["empty on a pipe, -t", "", "cat /dev/null | gzip -t"],
        ["empty, quiet", "", "gzip -dq"],
        ["one byte", "printf '\\037' >a.gz", "gzip -t a.gz"],
        ["two bytes", "printf '\\037\\213' >a.gz", "gzip -t a.gz"],
        ["not compressed", "echo plain >a.gz", "gzip -d a.gz"],
        ["not compressed, -t", "echo plain >a", "gzip -t a"],
        ["not compressed, -l", "echo plain >a", "gzip -l a"],
        ["not compressed, on a pipe", "echo plain >a", "cat a | zcat"],
        ["not compressed, quiet", "echo plain >a", "zcat -q a"],
        ["forced, but not to standard output", "echo plain >a.gz", "gzip -df a.gz"],
        ["other formats", "printf '\\050\\265\\057\\375xxxxxxx' >a.gz", "gzip -t a.gz"],
    ]);
    check(&[scene("another byte: the original misses the second", "printf x >a.gz", "gzip -t a.gz").ours(
        1,
        r#"stderr "\ngzip: a.gz: not in gzip format\n"
            a.gz 644 links=1 inode=a.gz now "x""#,
    )]);
}

#[test]
fn forced_to_standard_output_other_bytes_pass() {
    same(&[
        ["plain", "echo plain >a", "gzip -cdf a"],
        ["plain, zcat", "echo plain >a", "zcat -f a"],
        ["plain on a pipe", "echo plain >a", "cat a | gzip -cdf"],
        ["plain on standard input, no -c", "echo plain >a", "gzip -df <a"],
        ["plain and not", "echo plain >a; hello >b.gz", "gzip -cdfq -- a b.gz"],
        ["empty", ": >a", "gzip -cdf a"],
        ["one byte", "printf x >a", "gzip -cdf a"],
        ["half a magic number", "printf '\\037' >a", "gzip -cdf a"],
        ["behind a member", "(hello; echo plain) >a.gz", "gzip -cdf a.gz"],
        ["zeros behind a member", "(hello; head -c 3 /dev/zero) >a.gz", "gzip -cdf a.gz"],
        ["much", "seq 100000 >a", "gzip -cdf a | cmp - a"],
        ["much, on a pipe", "seq 100000 >a", "cat a | gzip -cdf | cmp - a"],
        ["damage is damage", "hello | head -c 20 >a.gz", "gzip -cdf a.gz"],
    ]);
}

#[test]
fn the_formats_before_gzip_are_read() {
    let lzw = "seq 5000 >a; compress -c a >a.Z; rm a; seq 5000 | md5sum >m";
    // An archive holds the times of its files.
    let zip = "seq 5000 >a; touch -d @1000000000 a; zip -q a.zip a; rm a; seq 5000 | md5sum >m";
    let stored = "echo a >a; touch -d @1000000000 a; zip -q0 a.zip a; rm a";
    let two = "echo a >a; echo b >b; touch -d @1000000000 a b; zip -q a.zip a b; rm a b";
    same(&[
        ["compress", lzw, "gzip -cd a.Z | md5sum | cmp - m"],
        ["compress on a pipe", lzw, "cat a.Z | zcat | md5sum | cmp - m"],
        ["compress, in place", "echo a >a; compress -f a; test -e a.Z", "gzip -d a.Z"],
        ["compress, -t", lzw, "gzip -tv a.Z"],
        ["zip", zip, "gzip -cd a.zip | md5sum | cmp - m"],
        ["zip, -S", stored, "gzip -d -S .zip a.zip"],
        ["zip on a pipe", zip, "cat a.zip | gzip -d | md5sum | cmp - m"],
        ["zip with two entries", two, "gzip -cd a.zip"],
    ]);
}

/// Two files of one letter each, as zip stores them, and the first of them alone.
const ZIP: &str = r"
entry() { printf 'PK\003\004\012\0\0\0\0\0\0\0\041\0%b\001\0\0\0\001\0\0\0\001\0\0\0%s%s' $1 $2 $2; }
a() { entry '\0103\0276\0267\0350' a; }; b() { entry '\0371\0357\0276\0161' b; }
{ a; b; } >two.gz; a >one.gz
";

#[test]
fn an_archive_of_several_files_is_left_as_it_is() {
    same(&[
        [ZIP, "gzip -d one.gz"],
        [ZIP, "gzip -d two.gz"],
        [ZIP, "gunzip -f two.gz"],
        [ZIP, "gzip -dk two.gz"],
        [ZIP, "gzip -dv two.gz"],
        [ZIP, "gzip -dq two.gz"],
        [ZIP, "gzip -dc two.gz"],
        [ZIP, "gzip -d <two.gz"],
        [ZIP, "gzip -t two.gz"],
        [ZIP, "gzip -tv two.gz"],
    ]);
}
