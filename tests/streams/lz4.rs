//! lz4 and those around it.

use crate::case::{case, check};

#[test]
fn the_second_name_is_the_output() {
    check(&[
        case("lz4 -q a o; lz4 -dc o", "hello\n").changes("o"),
        case("lz4 -q ok.lz4 o; cat o", "hello\n").changes("o"),
        case("lz4 -q -z ok.lz4 o; lz4 -dc o | cmp - ok.lz4", "").changes("o"),
        case("lz4 -m a b", "").changes("a.lz4 b.lz4"),
        case("lz4 -m --rm a", "").changes("a.lz4 -a"),
        case("lz4 -dm ok.lz4", "").changes("ok"),
        case("lz4 -q -d --rm ok.lz4 o", "").changes("o -ok.lz4"),
        case("unlz4 -m ok.lz4; lz4cat ok.lz4 a", "hello\nhello\n").changes("ok"),
        case("lz4 -m link", "").changes("link.lz4"),
        case("lz4 -c a b", "").fails("b won't be used ! Do you want multiple input files (-m) ?"),
        case("lz4 ok.lz4 2>&1 >/dev/null | cut -c 1-40", "Warning : using stdout as default output\n"),
        case("lz4 -q a null; lz4 stdin stdout <a | lz4 -d", "hello\n"),
    ]);
}

#[test]
fn what_others_call_reads_back() {
    check(&[
        case("lz4 <a | lz4 -dc; lz4 -dc <ok.lz4", "hello\nhello\n"),
        case("lz4 -l -9 <a | lz4 -dc; lz4 -c -l a | head -c 4 | od -An -tx1", "hello\n 02 21 4c 18\n"),
        case(
            "for o in -1 -12 --best --fast=3 -B4 -B7 -BD -BX --no-frame-crc; do lz4 -q $o -c a | lz4 -d; done | uniq -c",
            "      9 hello\n",
        ),
        case("lz4 -dcf a; lz4cat not.lz4", "hello\nnothing\n"),
        case("lz4 -T2 -c a | lz4 -d", "hello\n").ours(),
        // FLG says that the length of the content follows BD.
        case("lz4 --content-size -c a | head -c 14 | tail -c 8 | od -An -td8 | tr -d ' '", "6\n"),
        case("lz4 --content-size -c a | lz4 -d; lz4 --content-size <a | lz4 -d", "hello\nhello\n"),
        case("tar -I lz4 -cf o a && rm a && tar -I lz4 -xf o && cat a", "hello\n").changes("o"),
        case(
            "lz4 --list ok.lz4 | head -1 | tr -s ' '",
            " Frames Type Block Compressed Uncompressed Ratio Filename\n",
        ),
    ]);
}

#[test]
fn troubles_are_told_in_its_words() {
    check(&[
        case("lz4 -m nope", "").fails("nope: No such file or directory"),
        case("lz4 -q a there", "").fails("there already exists; not overwritten"),
        case("lz4 a there", "").fails("there already exists; do you want to overwrite (y/N) ?"),
        case("lz4 -dm a", "")
            .fails("File extension doesn't match expected LZ4_EXTENSION (.lz4); will not process file: a"),
        case("lz4 -dc not.lz4", "").ends(44, "Unrecognized header : file cannot be decoded"),
        case("lz4 -d trail.lz4 o", "").fails("Stream followed by undecodable data at position").ours(),
        case("lz4 -dc trail.lz4", "hello\n").fails(""),
        case("lz4 -t cut.lz4", "").ends(68, "Unfinished stream"),
        case("lz4 -d <empty", ""),
        case("lz4 --foo a o", "").fails("Incorrect parameters"),
        case("lz4 -D a b o", "").fails("-D is not supported").ours(),
        case("lz4 -B3 a o", "").fails("Incorrect parameters"),
    ]);
}
