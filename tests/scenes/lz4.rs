//! lz4: what the header says.
//!
//! The peer is lz4 1.9; add a command line to a list. What it makes of files, and its words, are in `lz4/usage.rs`.

mod usage;

use crate::scene::{check, scene};

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
