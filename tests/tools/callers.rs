//! How other programs call them.

use crate::case::{case, check};

#[test]
fn tar_finds_them() {
    const GIVEN: &str = "mkdir d; seq 50000 > d/a; line > d/b";
    const BACK: &str = "mkdir e && cd e && tar -xf ../t && diff -r d ../d";
    for create in [
        "-cJf",
        "-cjf",
        "-I xz -cf",
        "-I 'xz -9 -T2' -cf",
        "-I bzip2 -cf",
        "-I pbzip2 -cf",
        "-I lbzip2 -cf",
        "--lzip -cf",
        "-I plzip -cf",
    ] {
        let run = format!("tar {create} t d && {BACK}");
        check(&[case(GIVEN, run.leak(), "d e t")]);
    }
    for (create, extract) in [("-cJf", "-xJf"), ("-cjf", "-xjf"), ("-cf", "-I 'bzip2 -k' -xf")] {
        let run = match create {
            "-cf" => format!("tar -cjf t d && mkdir e && tar {extract} t -C e && diff -r d e/d"),
            _ => format!("tar {create} t d && mkdir e && tar {extract} t -C e && diff -r d e/d"),
        };
        check(&[case(GIVEN, run.leak(), "d e t")]);
    }
}

/// Whether an empty input is an archive is for tar to hear from the decompressor.
#[test]
fn an_empty_archive_fails() {
    check(&[
        case(": > t", "tar -I xz -xf t", "t").tells(2, "Child returned status 1"),
        case(": > t", "tar -I bzip2 -xf t", "t").tells(2, "Child returned status 2"),
    ]);
}

#[test]
fn scripts_call_them_as_they_do() {
    check(&[
        // syncoid
        case("line > a", "xz < a | xz -d", "a").prints("hello hello hello hello hello\n"),
        // dracut; the kernel knows no other check.
        case("line > a", "xz --check=crc32 --threads=0 -c a | od -An -tx1 -j 7 -N 1", "a").prints(" 01\n"),
        // Makefiles and packagers.
        case(
            "line > a; line > b",
            "xz -9e -z -f -k -- a b && bzip2 -9 -f -k a b",
            "a a.bz2 a.xz b b.bz2 b.xz",
        ),
        case("line > a", "XZ_OPT=-e9 tar -cJf t a && tar -tf t", "a t").prints("a\n"),
        case("line > a", "split --filter='xz > $FILE.xz' a p && xz -dc paa.xz", "a paa.xz")
            .prints("hello hello hello hello hello\n"),
        case("seq 9 > a; xz -k a; bzip2 -k a", "xzgrep -c 7 a.xz && bzgrep -c 7 a.bz2", "a a.bz2 a.xz")
            .prints("1\n1\n"),
        case("seq 9 > a; xz -k a; bzip2 -k a", "xzdiff a a.xz && bzdiff a a.bz2", "a a.bz2 a.xz"),
    ]);
}
