//! 7z: what it writes to standard output, and its exit statuses.
//!
//! The peer is 7z of p7zip; add a command line to a list. Its words are not imitated. What pzcomp refuses, and where it
//! differs on purpose, is in `tests/cli/sevenz.rs`.

use crate::scene::{all, check, scene};

const GIVEN: &str = "
seq 1000 >a; mkdir d; seq 2000 3000 >d/b; : >nil; seq 7 >'*'; old a d/b d nil '*'
7z a -bso0 -bsp0 all.7z a d nil '*'; 7z a -bso0 -bsp0 one.7z a; 7z a -bso0 -bsp0 ppmd.7z -m0=PPMd a
head -c 200 all.7z >cut.7z; cp one.7z bad.7z; damage bad.7z 100; echo nothing >not.7z
gzip -c a >a.gz; xz -c a >a.xz; bzip2 -c a >a.bz2; { cat a.gz; echo garbage; } >trail.gz; rm a nil '*'
";

#[test]
fn data_goes_to_standard_output_as_the_original_writes_it() {
    check(&all(
        &[
            ["7z x -so one.7z"],
            ["7z e -so one.7z"],
            ["7z x -so all.7z"],
            ["7z x -so all.7z a"],
            ["7z x -so all.7z d/b"],
            ["7z x all.7z -so nil"],
            ["7z -so x all.7z d/b"],
            ["7z X -SO all.7z a"],
            ["7z x -so -bd -y -bso0 -bsp0 -bse2 -bb1 -mmt=2 -mmt4 -mmt -mmt=off all.7z"],
            ["7z x -so -- all.7z a"],
            ["7z x -so -i!a all.7z"],
            ["7z x -so -an -ai!one.7z"],
            ["7z x -so -spd all.7z '*'"],
            ["7z x -so -r- -ssc -sccUTF-8 -aoa all.7z a"],
            ["7z x -so -t7z one.7z"],
            ["7za x -so one.7z"],
            ["7z x -so a.gz"],
            ["7z x -so a.xz"],
            ["7z x -so -tbzip2 a.bz2"],
            ["7z x -so cut.7z"],
            ["7z x -so missing.7z"],
            ["7z x -so -bse0 missing.7z"],
        ],
        |scene| scene.given(GIVEN),
    ));
}

#[test]
fn statuses_are_those_of_the_original() {
    let lines = [
        "7z t one.7z",
        "7z t all.7z",
        "7z t -so all.7z a",
        "7z t -bso0 -bsp0 all.7z",
        "7z t bad.7z",
        "7z t cut.7z",
        "7z t not.7z",
        "7z t missing.7z",
        "7z t trail.gz",
        "7z t -tgzip one.7z",
        "7z l all.7z",
        "7z l ppmd.7z",
        "7z l cut.7z",
        "7z l missing.7z",
        "7z x -so",
        "7z x -so -an",
        "7z x -so -sox one.7z",
        "7z x -so -bso3 one.7z",
        "7z x -so --no-such-switch one.7z",
        "7z t -an one.7z",
        "7z nonsense one.7z",
        "7z",
        "7z -h",
        "7z --help",
    ];
    let script: Vec<String> = lines.iter().map(|line| format!("status '{line}'")).collect();
    check(&[scene("statuses", GIVEN, script.join("\n").leak())]);
}
