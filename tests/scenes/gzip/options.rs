//! Options: how they are spelled, what is wrong with them, and what becomes of outputs that fail.
//!
//! The peer is GNU gzip, whose words must be ours. Add a row to `same`; where the installed gzip does otherwise, a
//! scene with `ours`.

use crate::scene::{check, same, scene};

#[test]
fn options_are_understood_however_they_are_spelled() {
    same(&[
        ["clusters", "hello >a.gz", "gzip -kdc a.gz"],
        ["behind files", "hello >a.gz", "gzip a.gz -dc"],
        ["abbreviated", "hello >a.gz", "gzip --decomp --std a.gz"],
        ["abbreviated, as short as can be", "hello >a.gz", "gzip --to --un a.gz"],
        ["other words for the same", "hello >a.gz", "gzip --uncompress --to-stdout --silent --force a.gz"],
        ["of Makefiles", "echo a >a", "gzip -n -f -9 <a | zcat; gzip -cn a | zcat"],
        ["of archives of the source", "echo a >a", "gzip --best --no-name --stdout a | zcat"],
        ["only for speed or safety", "echo a >a", "gzip --rsyncable --synchronous a"],
        ["-b of the past", "echo a >a", "gzip -b 12 --bits=9 a"],
        [
            "levels by letter and by word",
            "echo a >a",
            "for l in 1 2 3 4 5 6 7 8 9 11 -fast -best; do gzip -$l <a | zcat; done | uniq -c",
        ],
        ["-- ends them", "echo a >-c", "gzip -- -c"],
        ["-t is not hindered by -c", "hello >a.gz", "gzip -tc a.gz"],
        ["decompressing, levels do not matter", "hello >a.gz", "gzip -9dc a.gz"],
        [
            "gunzip and zcat take the same",
            "hello >a.gz",
            "gunzip -c a.gz; zcat -f a.gz; gunzip -t a.gz; zcat -lq a.gz",
        ],
        ["without files", "hello >a.gz", "gunzip <a.gz; zcat <a.gz; gzip -d <a.gz; zcat - <a.gz"],
    ]);
    check(&[scene(
        "--ascii has no meaning here: the original says that it is ignored",
        "echo a >a",
        "gzip -a a",
    )
    .ours(0, r#"a.gz 644 links=1 inode=new now gzip "a\n""#)]);
}

#[test]
fn misuse_is_told_in_the_words_of_gzip() {
    same(&[
        ["unknown letter", "echo a >a", "gzip -x a"],
        ["a question mark", "echo a >a", "gzip '-?' a"],
        ["-0", "echo a >a", "gzip -0 a"],
        ["pigz's -p", "echo a >a", "gzip -p3 a"],
        ["unknown word", "echo a >a", "gzip --foo a"],
        ["ambiguous", "echo a >a", "gzip --s a"],
        ["ambiguous, one the beginning of another", "echo a >a", "gzip --n a"],
        ["ambiguous with -Z", "echo a >a", "gzip --l a"],
        ["a value too much", "echo a >a", "gzip --force=1 a"],
        ["a value missing", "", "gzip --suffix"],
        ["a value missing behind a letter", "", "gzip -S"],
        ["-Z", "echo a >a", "gzip -Z a"],
        ["-b of no number", "echo a >a", "gzip -b x a"],
        ["gunzip speaks as gzip", "", "gunzip -x"],
        ["zcat too", "", "zcat -x"],
    ]);
}

#[test]
fn the_variable_that_holds_options() {
    same(&[["empty", "echo a >a", "GZIP= gzip a"]]);
    check(&[
        scene("levels act", "", "GZIP=-9 gzip </dev/null | od -An -tx1 -j8 -N1").ours(0, r#"stdout " 02\n""#),
        scene("the command line wins", "", "GZIP=-9 gzip -1 </dev/null | od -An -tx1 -j8 -N1")
            .ours(0, r#"stdout " 04\n""#),
        scene("words for levels", "", "GZIP='--synchronous --fast' gzip </dev/null | od -An -tx1 -j8 -N1")
            .ours(0, r#"stdout " 04\n""#),
        scene("others do not", "echo a >a", "GZIP='-c -d --foo b' gzip a")
            .ours(0, r#"a.gz 644 links=1 inode=new now gzip "a\n""#),
    ]);
}

#[test]
fn help_names_all_options_and_the_version() {
    same(&[
        [
            "names all options",
            "",
            "for o in best decompress fast force help keep license list name no-name quiet recursive rsyncable stdout \
             suffix synchronous test verbose version; do gzip --help | grep -q -e --$o || echo $o; done",
        ],
        ["by letters", "", "gzip -h | head -n 1; gzip -H | head -n 1"],
        [
            "the version comes first",
            "",
            "for o in -V --version -L --license; do gzip $o | head -n 1 | cut -c 1-7; done",
        ],
    ]);
}

#[test]
fn outputs_and_inputs_that_fail_are_told() {
    same(&[
        ["a full disk", "echo a >a", "gzip -c a >/dev/full"],
        ["a full disk, decompressing", "hello >a.gz", "gzip -cd a.gz >/dev/full"],
        ["a full disk, quiet", "hello >a.gz", "zcat -q a.gz >/dev/full"],
        ["a reader that is gone", "seq 300000 >a", "(gzip -c a; echo $? >s) | :; cat s; rm s"],
        [
            "a reader that is gone, decompressing",
            "seq 3000000 | gnu >a.gz",
            "(zcat a.gz; echo $? >s) | head -n 1; cat s; rm s",
        ],
    ]);
    check(&[
        scene(
            "a reader that is gone, SIGPIPE ignored: the original ends with 1 before 1.14",
            "seq 300000 >a",
            "(trap '' PIPE; gzip -c a 2>e; echo $? >s) | :; cat e s; rm e s a",
        )
        .ours(0, r#"stdout "\ngzip: stdout: Broken pipe\n2\n""#),
        scene("closed standard output: the original begins another line first", "echo a >a", "gzip -c a >&-")
            .ours(
                1,
                r#"stderr "gzip: stdout: Bad file descriptor\n"
            a 644 links=1 inode=a now "a\n""#,
            ),
        scene("closed standard output, decompressing: the same", "hello >a.gz", "zcat a.gz >&-").ours(
            1,
            r#"stderr "gzip: stdout: Bad file descriptor\n"
            a.gz 644 links=1 inode=a.gz now gzip "hello\n""#,
        ),
        scene("closed standard input: the original calls it standard input", "", "gzip <&- >b; cat b; rm b")
            .ours(0, r#"stderr "gzip: stdin: Bad file descriptor\n""#),
        scene(
            "a closed standard output for a table: the original says only what the system does",
            "hello >a.gz",
            "gzip -l a.gz >&-; echo $? >&2",
        )
        .ours(
            0,
            r#"stderr "gzip: stdout: cannot write: Bad file descriptor\n1\n"
            a.gz 644 links=1 inode=a.gz now gzip "hello\n""#,
        ),
    ]);
}
