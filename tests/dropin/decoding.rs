//! Good, bad and odd input: what is decoded, what is said, and which bytes are written all the same.

use crate::case::{case, check};

#[test]
fn members_follow_each_other() {
    check(&[
        case("two", "hello >a.gz; hello >>a.gz", "zcat a.gz").prints("hello\nhello\n"),
        case("an empty one between", "(hello; gnu </dev/null; hello) >a.gz", "gzip -d <a.gz")
            .prints("hello\nhello\n"),
        case("several files", "hello >a.gz; hello >b.gz", "zcat a.gz b.gz").prints("hello\nhello\n"),
        case("in place", "hello >a.gz; hello >>a.gz", "gzip -d a.gz").leaves(&["a=hello\nhello\n"]),
    ]);
}

#[test]
fn what_is_behind_the_last_member() {
    check(&[
        case("garbage", "(hello; echo garbage) >a.gz", "gzip -dc a.gz")
            .prints("hello\n")
            .says(2, "\ngzip: a.gz: decompression OK, trailing garbage ignored\n"),
        case("garbage on a pipe", "(hello; echo garbage) >a.gz", "cat a.gz | gzip -d")
            .prints("hello\n")
            .says(2, "\ngzip: stdin: decompression OK, trailing garbage ignored\n"),
        case(
            "garbage, in place: the file is made and the other removed",
            "(hello; echo garbage) >a.gz",
            "gzip -d a.gz",
        )
        .says(2, "\ngzip: a.gz: decompression OK, trailing garbage ignored\n")
        .leaves(&["a=hello\n"]),
        case("garbage, -t", "(hello; echo garbage) >a.gz", "gzip -t a.gz")
            .says(2, "\ngzip: a.gz: decompression OK, trailing garbage ignored\n"),
        case("garbage, -tv", "(hello; echo garbage) >a.gz", "gzip -tv a.gz")
            .says(2, "a.gz:\t\ngzip: a.gz: decompression OK, trailing garbage ignored\n OK\n"),
        case("garbage, quiet", "(hello; echo garbage) >a.gz", "gzip -tq a.gz").says(2, ""),
        case("garbage, quiet, decompressing", "(hello; echo garbage) >a.gz", "zcat -q a.gz")
            .prints("hello\n")
            .says(2, ""),
        case("garbage, -l: no row", "(hello; echo garbage) >a.gz; hello >b.gz", "gzip -lq a.gz b.gz")
            .prints("                 26                   6 -33.3% b\n")
            .says(2, ""),
        case("garbage, -l, and a word", "(hello; echo garbage) >a.gz", "gzip -l a.gz")
            .says(2, "\ngzip: a.gz: decompression OK, trailing garbage ignored\n"),
        case("half a magic number", "(hello; printf '\\037') >a.gz", "zcat a.gz")
            .prints("hello\n")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("a byte that begins none", "(hello; echo) >a.gz", "cat a.gz | gzip -d")
            .prints("hello\n")
            .says(1, "\ngzip: stdin: unexpected end of file\n"),
        case("a member behind garbage is garbage", "(hello; echo garbage; hello) >a.gz", "zcat a.gz")
            .prints("hello\n")
            .says(2, "\ngzip: a.gz: decompression OK, trailing garbage ignored\n"),
        case("zeros", "(hello; head -c 20 /dev/zero) >a.gz", "gzip -d a.gz").leaves(&["a=hello\n"]),
        case("zeros, -t", "(hello; head -c 2000 /dev/zero) >a.gz", "gzip -t a.gz"),
        case("zeros, -tv", "(hello; head -c 20 /dev/zero) >a.gz", "gzip -tv a.gz")
            .says(2, "a.gz:\t\ngzip: a.gz: decompression OK, trailing zero bytes ignored\n OK\n"),
        case("zeros, -l", "(hello; head -c 20 /dev/zero) >a.gz", "gzip -lq a.gz")
            .prints("                 46                   6 -366.7% a\n")
            .differs("leave out the row"),
        case("garbage behind zeros", "(hello; head -c 20 /dev/zero; echo garbage) >a.gz", "zcat a.gz")
            .prints("hello\n")
            .says(2, "\ngzip: a.gz: decompression OK, trailing garbage ignored\n"),
    ]);
}

#[test]
fn much_data_is_as_good_as_little() {
    let two = "(seq 900000 | gnu; seq 900001 950000 | gnu -1) >a.gz; seq 950000 | md5sum >m";
    let garbage = "(seq 900000 | gnu; echo garbage) >a.gz; seq 900000 | md5sum >m";
    let cut = "seq 900000 | gnu | head -c 1700000 >a.gz; seq 700000 >b";
    check(&[
        case("members", two, "gzip -dc a.gz | md5sum | cmp - m; cat a.gz | zcat | md5sum | cmp - m"),
        case("garbage", garbage, "gzip -dc a.gz | md5sum | cmp - m")
            .says(0, "\ngzip: a.gz: decompression OK, trailing garbage ignored\n"),
        case("garbage on a pipe", garbage, "cat a.gz | gzip -d | md5sum | cmp - m")
            .says(0, "\ngzip: stdin: decompression OK, trailing garbage ignored\n"),
        case("garbage that passes", garbage, "gzip -cdf a.gz | tail -n 1; cat a.gz | gzip -cdf | tail -n 1")
            .prints("garbage\ngarbage\n"),
        case("truncated", cut, "gzip -dc a.gz >c; head -n 700000 c | cmp - b; rm c")
            .says(0, "\ngzip: a.gz: unexpected end of file\n"),
        case("truncated on a pipe", cut, "cat a.gz | gzip -d >c; head -n 700000 c | cmp - b; rm c")
            .says(0, "\ngzip: stdin: unexpected end of file\n"),
        case("truncated, in place: nothing is made", cut, "gzip -d a.gz; ls")
            .prints("a.gz\nb\n")
            .says(0, "\ngzip: a.gz: unexpected end of file\n"),
    ]);
}

#[test]
fn damaged_input() {
    check(&[
        case("truncated", "seq 1000 | gnu | head -c 1000 >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("truncated, -tv", "seq 1000 | gnu | head -c 1000 >a.gz", "gzip -tv a.gz")
            .says(1, "a.gz:\t\ngzip: a.gz: unexpected end of file\n"),
        case("truncated, in place: nothing is made", "seq 1000 | gnu | head -c 1000 >a.gz", "gzip -d a.gz")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case(
            "truncated, what was there stays",
            "seq 1000 | gnu | head -c 1000 >a.gz; echo old >a",
            "gzip -d a.gz",
        )
        .says(2, "gzip: a already exists;\tnot overwritten\n"),
        case(
            "truncated: what could be decoded is written",
            "seq 9999 | gnu | head -c 5000 >a.gz; seq 9999 >b",
            "gzip -dc a.gz >c; head -n 2000 b >d; head -n 2000 c | cmp - d; rm c d",
        )
        .says(0, "\ngzip: a.gz: unexpected end of file\n"),
        case("truncated on a pipe", "seq 1000 | gnu | head -c 1000 >a.gz", "cat a.gz | gzip -d >/dev/null")
            .says(1, "\ngzip: stdin: unexpected end of file\n"),
        case("truncated in the trailer", "hello | head -c 25 >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("truncated in the second member", "(hello; hello | head -c 20) >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("truncated, -l", "hello | head -c 20 >a.gz", "gzip -l a.gz")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case(
            "CRC",
            "(hello | head -c 18; printf '\\001\\060\\072\\066\\006\\0\\0\\0') >a.gz",
            "gzip -d a.gz",
        )
        .says(1, "\ngzip: a.gz: invalid compressed data--crc error\n"),
        case(
            "CRC on a pipe",
            "(hello | head -c 18; printf '\\001\\060\\072\\066\\006\\0\\0\\0') >a.gz",
            "cat a.gz | gzip -t",
        )
        .says(1, "\ngzip: stdin: invalid compressed data--crc error\n"),
        case("length", "(hello | head -c 22; printf '\\007\\0\\0\\0') >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: invalid compressed data--length error\n"),
        case(
            "both",
            "(hello | head -c 18; printf '\\001\\060\\072\\066\\007\\0\\0\\0') >a.gz",
            "gzip -t a.gz",
        )
        .says(
            1,
            "\ngzip: a.gz: invalid compressed data--crc error\n\n\
             gzip: a.gz: invalid compressed data--length error\n",
        ),
        case("data", "(hello | head -c 10; printf '\\007xxxxxxxxxxxxx') >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: invalid compressed data--format violated\n"),
        case(
            "an unknown method, in whatever words",
            "printf '\\037\\213\\007\\0\\0\\0\\0\\0\\0\\003' >a.gz",
            "gzip -t a.gz 2>&1 | grep -o 'method 7'; gzip -t a.gz 2>/dev/null; echo $?",
        )
        .prints("method 7\n1\n"),
        case(
            "unknown flags, in whatever words",
            "printf '\\037\\213\\010\\300\\0\\0\\0\\0\\0\\003xx' >a.gz",
            "gzip -t a.gz 2>&1 | grep -o 0xc0; gzip -t a.gz 2>/dev/null; echo $?",
        )
        .prints("0xc0\n1\n"),
        case("the others are dealt with", "echo bad >a.gz; hello >b.gz", "gzip -d a.gz b.gz")
            .says(1, "\ngzip: a.gz: not in gzip format\n")
            .leaves(&["a.gz", "b=hello\n"]),
        case("-cd of several goes on behind a bad one", "echo bad >a.gz; hello >b.gz", "gzip -cd a.gz b.gz")
            .prints("hello\n")
            .says(1, "\ngzip: a.gz: not in gzip format\n"),
    ]);
}

#[test]
fn short_and_foreign_input() {
    check(&[
        case("empty", ": >a.gz", "gzip -t a.gz").says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("empty, in place", ": >a.gz", "gzip -d a.gz").says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("empty on standard input", "", "gzip -d").says(1, "\ngzip: stdin: unexpected end of file\n"),
        case("empty on a pipe, -t", "", "cat /dev/null | gzip -t")
            .says(1, "\ngzip: stdin: unexpected end of file\n"),
        case("empty, quiet", "", "gzip -dq").says(1, "\ngzip: stdin: unexpected end of file\n"),
        case("one byte", "printf '\\037' >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("another byte", "printf x >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: not in gzip format\n")
            .differs("miss the second byte"),
        case("two bytes", "printf '\\037\\213' >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
        case("not compressed", "echo plain >a.gz", "gzip -d a.gz")
            .says(1, "\ngzip: a.gz: not in gzip format\n"),
        case("not compressed, -t", "echo plain >a", "gzip -t a").says(1, "\ngzip: a: not in gzip format\n"),
        case("not compressed, -l", "echo plain >a", "gzip -l a").says(1, "\ngzip: a: not in gzip format\n"),
        case("not compressed, on a pipe", "echo plain >a", "cat a | zcat")
            .says(1, "\ngzip: stdin: not in gzip format\n"),
        case("not compressed, quiet", "echo plain >a", "zcat -q a")
            .says(1, "\ngzip: a: not in gzip format\n"),
        case("forced, but not to standard output", "echo plain >a.gz", "gzip -df a.gz")
            .says(1, "\ngzip: a.gz: not in gzip format\n"),
        case("other formats", "printf '\\050\\265\\057\\375xxxxxxx' >a.gz", "gzip -t a.gz")
            .says(1, "\ngzip: a.gz: not in gzip format\n"),
    ]);
}

#[test]
fn forced_to_standard_output_other_bytes_pass() {
    check(&[
        case("plain", "echo plain >a", "gzip -cdf a").prints("plain\n"),
        case("plain, zcat", "echo plain >a", "zcat -f a").prints("plain\n"),
        case("plain on a pipe", "echo plain >a", "cat a | gzip -cdf").prints("plain\n"),
        case("plain on standard input, no -c", "echo plain >a", "gzip -df <a").prints("plain\n"),
        case("plain and not", "echo plain >a; hello >b.gz", "gzip -cdfq -- a b.gz").prints("plain\nhello\n"),
        case("empty", ": >a", "gzip -cdf a"),
        case("one byte", "printf x >a", "gzip -cdf a").prints("x"),
        case("half a magic number", "printf '\\037' >a", "gzip -cdf a").prints("\x1f"),
        case("behind a member", "(hello; echo plain) >a.gz", "gzip -cdf a.gz").prints("hello\nplain\n"),
        case("zeros behind a member", "(hello; head -c 3 /dev/zero) >a.gz", "gzip -cdf a.gz")
            .prints("hello\n\0\0\0"),
        case("much", "seq 100000 >a", "gzip -cdf a | cmp - a"),
        case("much, on a pipe", "seq 100000 >a", "cat a | gzip -cdf | cmp - a"),
        case("damage is damage", "hello | head -c 20 >a.gz", "gzip -cdf a.gz")
            .prints("hello\n")
            .says(1, "\ngzip: a.gz: unexpected end of file\n"),
    ]);
}

#[test]
fn the_formats_before_gzip() {
    let lzw = "seq 5000 >a; compress -c a >a.Z; rm a; seq 5000 | md5sum >m";
    let zip = "seq 5000 >a; zip -q a.zip a; rm a; seq 5000 | md5sum >m";
    let stored = "echo a >a; zip -q0 a.zip a; rm a";
    check(&[
        case("compress", lzw, "gzip -cd a.Z | md5sum | cmp - m"),
        case("compress on a pipe", lzw, "cat a.Z | zcat | md5sum | cmp - m"),
        case("compress, in place", "echo a >a; compress -f a; test -e a.Z", "gzip -d a.Z").leaves(&["a=a\n"]),
        case("compress, -t", lzw, "gzip -tv a.Z").says(0, "a.Z:\t OK\n"),
        case("zip", zip, "gzip -cd a.zip | md5sum | cmp - m"),
        case("zip, -S", stored, "gzip -d -S .zip a.zip").leaves(&["a=a\n"]),
        case("zip on a pipe", zip, "cat a.zip | gzip -d | md5sum | cmp - m"),
        case("zip with two entries", "echo a >a; echo b >b; zip -q a.zip a b; rm a b", "gzip -cd a.zip")
            .prints("a\n")
            .says(2, "gzip: a.zip has more than one entry--rest ignored\n"),
    ]);
}
