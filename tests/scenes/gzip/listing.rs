//! `-l`, and what `-v` says.
//!
//! The peer is GNU gzip, whose tables and words must be ours. Ratios of what is compressed are the encoder's: `ratios`
//! hides them. Add a row to `same`.

use crate::scene::{check, same, scene};

#[test]
fn the_table_is_that_of_gzip() {
    same(&[
        ["one file", "hello >a.gz", "gzip -l a.gz"],
        ["two files have a total", "hello >a.gz; hello >b.gz", "gzip -l a.gz b.gz"],
        ["quiet: neither head nor total", "hello >a.gz; hello >b.gz", "gzip -lq a.gz b.gz"],
        ["verbose", "hello >a.gz; old a.gz", "gzip -lv a.gz"],
        ["verbose, two", "hello >a.gz; hello >b.gz; old a.gz b.gz", "gzip -lv a.gz b.gz"],
        ["standard input", "hello >a.gz; old a.gz", "gzip -l <a.gz; gzip -lv - <a.gz"],
        ["a pipe", "hello >a.gz", "cat a.gz | gzip -lv"],
        ["an empty file", "gnu </dev/null >a.gz", "gzip -lq a.gz"],
        [
            "a stored name and time",
            "echo a >a; old a; gnu a; touch -d @1234567890 a.gz; mv a.gz b.gz",
            "gzip -lv b.gz; gzip -lvN b.gz",
        ],
        ["other suffixes", "hello >a.tgz; hello >b-z; hello >c", "gzip -lq a.tgz b-z c | awk '{ print $4 }'"],
        ["-c, -d and -t do not matter", "hello >a.gz", "gzip -lqc a.gz; gzip -lqd a.gz; gzip -lqt a.gz"],
    ]);
    check(&[scene(
        "many members: the original counts the last only",
        "(hello; hello) >a.gz",
        "gzip -l a.gz",
    )
    .ours(0, r#"stdout "         compressed        uncompressed  ratio uncompressed_name\n                 52                  12 -183.3% a\n"
            a.gz 644 links=1 inode=a.gz now gzip flags=0 members=2 "hello\nhello\n""#)]);
}

#[test]
fn the_table_when_something_is_wrong() {
    same(&[
        ["missing", "hello >a.gz", "gzip -l nope a.gz"],
        ["nothing to list", "", "gzip -l nope nope.gz"],
        ["a folder", "mkdir d; hello >a.gz", "gzip -lq d a.gz"],
        ["a CRC", "(hello | head -c 18; printf '\\001\\060\\072\\066\\006\\0\\0\\0') >a.gz", "gzip -lq a.gz"],
    ]);
    check(&[scene(
        "damage: the original stops at a file that is cut short",
        "hello | head -c 20 >a.gz; hello >b.gz",
        "gzip -lq a.gz b.gz",
    )
    .ours(
        1,
        r#"stdout "                 26                   6 -33.3% b\n"
            stderr "\ngzip: a.gz: unexpected end of file\n"
            a.gz 644 links=1 inode=a.gz now gzip damaged flags=0 members=0 "hello\n"
            b.gz 644 links=1 inode=b.gz now gzip "hello\n""#,
    )]);
}

#[test]
fn v_says_what_became_of_each_file() {
    same(&[
        ["compressing", "seq 1000 >a", "gzip -v a 2>said; echo $?; ratios <said; rm a.gz said"],
        ["compressing, -k", "seq 1000 >a", "gzip -vk a 2>said; echo $?; ratios <said; rm a.gz said"],
        ["compressing, -c", "seq 1000 >a", "gzip -vc a 2>&1 >/dev/null | ratios"],
        ["compressing standard input", "seq 1000 >a", "gzip -v <a 2>&1 >/dev/null | ratios"],
        ["compressing -", "seq 1000 >a", "cat a | gzip -v - 2>&1 >/dev/null | ratios"],
        ["nothing", ": >a", "gzip -v a"],
        ["decompressing", "hello >a.gz", "gzip -dv a.gz"],
        ["decompressing, -k", "hello >a.gz", "gzip -dkv a.gz"],
        ["decompressing, -c", "hello >a.gz", "zcat -v a.gz"],
        ["decompressing standard input", "hello >a.gz", "gzip -dv <a.gz"],
        ["testing", "hello >a.gz; hello >b.gz", "gzip -tv a.gz b.gz"],
        ["testing standard input", "hello >a.gz", "gzip -tv <a.gz"],
        ["the last of -q and -v wins", "hello >a.gz", "gzip -tvq a.gz; gzip -tqv a.gz"],
        ["several, one missing", "hello >a.gz", "gzip -tv nope a.gz"],
    ]);
    check(&[scene(
        "a time that the header has no room for: the original names the file before the warning",
        "seq 1000 >a; touch -d @4294967296 a",
        "gzip -v a 2>&1 | ratios; ls; rm a.gz",
    )
    .ours(0, r#"stdout "gzip: a: warning: file timestamp out of range for gzip format\na:\t #% -- replaced with a.gz\na.gz\n""#)]);
}
