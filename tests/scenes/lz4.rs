//! lz4: what the header says.
//!
//! The peer is lz4 1.9; add a command line to a list. What it makes of files, and its words, are in the last tests.

use crate::scene::{CODED, all, check, said, scene};

#[test]
fn the_length_of_a_file_is_stored_wherever_it_comes_from() {
    // The flags say whether there is a length, which is behind the next byte.
    const FLAGS: &str = "flags() { od -An -tx1 -j4 -N1; }; length() { od -An -tx1 -j6 -N8; }\n";
    let lines = [
        "lz4 -q -c --content-size <a | flags; lz4 -q -c --content-size <a | length; lz4 -c --content-size <a | lz4 -dc",
        "lz4 -q -c --content-size a | flags; lz4 -q -c --content-size a | length; lz4 -c --content-size a | lz4 -dc",
        "lz4 -q -c --content-size --no-content-size <a | flags; lz4 -c <a | flags; cat a | lz4 --content-size | flags",
    ];
    check(&lines.map(|line| {
        scene("the length", "echo 'hello hello hello' >a", format!("{FLAGS}{line}; rm a").leak())
    }));
}

#[test]
fn unknown_data_is_copied_only_where_c_says_so() {
    const JUNK: &str = "echo hello there >n.lz4; lz4 -q -z n.lz4 w.lz4; cat w.lz4 n.lz4 >wn.lz4";
    let lines = [
        "lz4 -f n.lz4 | cat",
        "lz4 -df n.lz4 - | cat",
        "lz4 -d n.lz4 stdout -f",
        "lz4 -df <n.lz4",
        "lz4 -df - stdout <n.lz4",
        "unlz4 -f n.lz4 | cat",
        "lz4 -f wn.lz4 | cat",
        "lz4 -tf wn.lz4",
        "lz4 -dcf n.lz4",
        "lz4 -f -c n.lz4",
        "lz4 -dc -f - <n.lz4",
        "lz4 -dcfm n.lz4 w.lz4",
        "lz4 -dc n.lz4",
        "lz4 -dcf --no-force n.lz4",
        "lz4cat n.lz4 wn.lz4",
        "lz4cat <n.lz4",
        "lz4cat --no-force n.lz4",
        "unlz4 -cf n.lz4",
    ];
    let script: Vec<String> =
        lines.iter().map(|line| format!("bash -o pipefail -c \"{line}\" 2>/dev/null; echo $?")).collect();
    check(&[scene("junk", JUNK, format!("{}\nrm *", script.join("\n")).leak())]);
}

#[test]
fn fast_levels_have_the_acceleration_of_the_original() {
    // The data is one block of a few kilobytes, so that both cut it alike.
    const DATA: &str = "seq 1 3000 >a";
    let script =
        "for o in -1 --fast --fast=1 --fast=2 --fast=9 --fast=70000; do lz4 -q -c $o <a | wc -c; done; rm a";
    check(&[scene("the sizes are the same", DATA, script)]);
}

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
fn each_command_line_of_lz4_reads_back() {
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
            0,
            r#"stdout "hello\n"
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
        .ours(1, r#"trail.lz4 644 links=1 inode=trail.lz4 now lz4 damaged "hello\n""#),
        scene("dictionaries are not supported", "echo hello >a; cp a b", "lz4 -D a b o")
            .says("-D is not supported")
            .ours(
                1,
                r#"a 644 links=1 inode=a now "hello\n"
            b 644 links=1 inode=b now "hello\n""#,
            ),
    ]);
}
