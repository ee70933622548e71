//! lzop: what it reads, and its exit statuses.
//!
//! The peer is lzop 1.04; add a command line to a list. Its words are not imitated. What pzcomp refuses, and the names
//! that Debian's package does not have, are in `tests/cli/old_formats.rs`. Two differences are not played: the original
//! warns about archives of several files, and leaves an empty file if the input is damaged.

use crate::scene::{all, check, scene};

const GIVEN: &str = "
echo 'hello hello hello hello hello' >a; cp a b; old a b; lzop a; lzop b; 
lzop -F -c a >nosum.lzo; head -c 60 a.lzo >cut.lzo; { cat a.lzo; echo garbage; } >trail.lzo; echo nothing >not.lzo
cp a.lzo bad.lzo; damage bad.lzo $(($(stat -c %s a.lzo) - 12)); cp a.lzo c.xyz; mkdir dir; : >nil.lzo; rm a b
";

#[test]
fn files_are_decompressed_where_the_original_puts_them() {
    check(&all(
        &[
            ["lzop -d a.lzo"],
            ["lzop -d a.lzo b.lzo"],
            ["lzop -d a"],
            ["lzop -dU a.lzo"],
            ["lzop -dUk a.lzo"],
            ["lzop -d -o out a.lzo"],
            ["lzop -d -o out a.lzo b.lzo"],
            ["lzop -d -pdir a.lzo"],
            ["lzop -d --path=dir a.lzo b.lzo"],
            ["lzop -dc a.lzo b.lzo"],
            ["lzop -d <a.lzo"],
            ["lzop -dc nosum.lzo"],
            ["old c.xyz; lzop -d -S .xyz c.xyz"],
            ["echo old >a; lzop -df a.lzo"],
            ["lzop -d dir"],
        ],
        |scene| scene.given(GIVEN),
    ));
}

#[test]
fn statuses_are_those_of_the_original() {
    let lines = [
        "lzop -t a.lzo",
        "lzop -t a.lzo b.lzo",
        "lzop -t <a.lzo",
        "lzop -t cut.lzo",
        "lzop -t bad.lzo",
        "lzop -t not.lzo",
        "lzop -t trail.lzo",
        "lzop -dc trail.lzo",
        "lzop -dc --ignore-warn trail.lzo",
        "lzop -t missing.lzo",
        "lzop -l a.lzo",
        "lzop -l not.lzo",
        "lzop --no-such-option",
        "lzop -V",
        "lzop --help",
        "lzop -L",
    ];
    let script: Vec<String> = lines.iter().map(|line| format!("status '{line}'")).collect();
    check(&[scene("statuses", GIVEN, script.join("\n").leak())]);
}
