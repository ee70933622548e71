//! lz4 and those around it: which file is the output, what others call, and its words for what is wrong.
//!
//! The peer is lz4 1.9. Add a row with a script; all begin with `CODED`, a line and what the tools make of it. `said`
//! is for what both must say.

use crate::scene::{CODED, all, check, said, scene};

#[test]
fn the_second_name_is_the_output() {
    check(&all(
        &[
            ["lz4 -q a o; lz4 -dc o"],
            ["lz4 -q ok.lz4 o; cat o"],
            ["lz4 -q -z ok.lz4 o; lz4 -dc o | cmp - ok.lz4"],
            ["lz4 -m a b"],
            ["lz4 -m --rm a"],
            ["lz4 -dm ok.lz4"],
            ["lz4 -q -d --rm ok.lz4 o"],
            ["unlz4 -m ok.lz4; lz4cat ok.lz4 a"],
            ["lz4 -m link"],
            ["lz4 ok.lz4 2>&1 >/dev/null | cut -c 1-40"],
            ["lz4 -q a null; lz4 stdin stdout <a | lz4 -d"],
        ],
        |scene| scene.given(CODED).silent(),
    ));
    said(&[[CODED, "lz4 -c a b", "b won't be used ! Do you want multiple input files (-m) ?"]]);
}

#[test]
fn what_others_call_reads_back() {
    check(&all(
        &[
            ["lz4 <a | lz4 -dc; lz4 -dc <ok.lz4"],
            ["lz4 -l -9 <a | lz4 -dc; lz4 -c -l a | head -c 4 | od -An -tx1"],
            [
                "for o in -1 -12 --best --fast=3 -B4 -B7 -BD -BX --no-frame-crc; do lz4 -q $o -c a | lz4 -d; done | uniq -c",
            ],
            ["lz4 -dcf a; lz4cat not.lz4"],
            // FLG says that the length of the content follows BD.
            ["lz4 --content-size -c a | head -c 14 | tail -c 8 | od -An -td8 | tr -d ' '"],
            ["lz4 --content-size -c a | lz4 -d; lz4 --content-size <a | lz4 -d"],
            ["old a; tar -I lz4 -cf o a && rm a && tar -I lz4 -xf o && cat a"],
            ["lz4 --list ok.lz4 | head -1 | tr -s ' '"],
        ],
        |scene| scene.given(CODED).silent(),
    ));
    check(&[scene("the original of Debian knows no threads", "echo hello >a", "lz4 -T2 -c a | lz4 -d")
        .ours(
            r#"exit status: 0
            stdout "hello\n"
            a 644 links=1 inode=a now "hello\n""#,
        )]);
}

#[test]
fn troubles_are_told_in_its_words() {
    check(&all(&[["lz4 -d <empty"]], |scene| scene.given(CODED).silent()));
    said(&[
        [CODED, "lz4 -m nope", "nope: No such file or directory"],
        [CODED, "lz4 -q a there", "there already exists; not overwritten"],
        [CODED, "lz4 a there", "there already exists; do you want to overwrite (y/N) ?"],
        [
            CODED,
            "lz4 -dm a",
            "File extension doesn't match expected LZ4_EXTENSION (.lz4); will not process file: a",
        ],
        [CODED, "lz4 -dc not.lz4", "Unrecognized header : file cannot be decoded"],
        [CODED, "lz4 -dc trail.lz4", ""],
        [CODED, "lz4 -t cut.lz4", "Unfinished stream"],
        [CODED, "lz4 --foo a o", "Incorrect parameters"],
        [CODED, "lz4 -B3 a o", "Incorrect parameters"],
    ]);
    check(&[
        scene(
            "the position differs",
            "echo hello | lz4 -c >trail.lz4; echo garbage >>trail.lz4",
            "lz4 -d trail.lz4 o",
        )
        .says("Stream followed by undecodable data at position")
        .ours(
            r#"exit status: 1
            trail.lz4 644 links=1 inode=trail.lz4 now lz4 damaged "hello\n""#,
        ),
        scene("dictionaries are not supported", "echo hello >a; cp a b", "lz4 -D a b o")
            .says("-D is not supported")
            .ours(
                r#"exit status: 1
            a 644 links=1 inode=a now "hello\n"
            b 644 links=1 inode=b now "hello\n""#,
            ),
    ]);
}
