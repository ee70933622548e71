//! What pigz has and gzip has not: strategies, comments, zlib and zip, its table.
//!
//! The peer is pigz 2.6; what it writes wrongly is said where it is left out. Add a row to `same`, or a scene with
//! `ours` where it does otherwise.

use crate::scene::{all, check, same, scene};

#[test]
fn strategies_find_less_and_the_system_reads_it() {
    // What the original makes with -U -K, gzip does not read.
    check(&[scene(
        "what is read is what was there",
        "seq 40000 | awk '{ print $1, \"a b a b\", $1 * $1 % 97 }' >a; : >empty; printf a >one
         yes abbbbbbbbbbbbbbbbbbbbbcddddddddd | tr -d '\\n' | head -c 155000 >runs",
        "for plain in a empty one runs; do
           for o in -H -U '-H -p1' '-U -b 64' '-H -z' '-H -R'; do pigz $o <$plain | /usr/bin/pigz -dc | cmp - $plain; done
           pigz -U -K <$plain | /usr/bin/gzip -dc | cmp - $plain
         done; rm *",
    )
    .ours(0, "")]);
}

#[test]
fn without_repetitions_the_entropy_of_bytes_is_left_as_zlib_has_it() {
    same(&[[
        "seq 40000 | awk '{ print $1, \"aaaaaa b\", $1 * $1 % 97 }' >a",
        "len() { pigz $1 <a | wc -c; }
         test $(len -H) -ge $(len -U) && test $(len -U) -gt $(len -1) && echo in this order
         zlib=$(/usr/bin/pigz -p1 -H <a | wc -c); off=$(($(len -H) - zlib)); test ${off#-} -lt $((zlib / 100)) && echo near",
    ]]);
}

#[test]
fn a_single_byte_behind_a_member_is_no_other_member() {
    same(&[[
        "(echo hello | /usr/bin/pigz; printf x) >a.gz",
        "pigz -dc a.gz; pigz -dc <a.gz; cat a.gz | unpigz; pigz -t a.gz",
    ]]);
}

#[test]
fn what_is_behind_a_stream_is_judged_as_pigz_does() {
    const HOW: &str =
        "for o in -dc -dcq -t -tq -tv -vdc; do pigz $o a.zz; echo $?; done; cat a.zz | pigz -d; echo $?";
    const MADE: &str = "z() { echo hello | /usr/bin/pigz -z; }; k() { echo hello | /usr/bin/pigz -K; };";
    let zlib = [
        ["(z; echo garbage) >a.zz"],
        ["(z; printf '\\0') >a.zz"],
        ["(z; head -c 2000 /dev/zero) >a.zz"],
        ["(z; z) >a.zz"],
        ["(z; hello) >a.zz"],
        ["(z; printf x) >a.zz"],
        ["(z; printf '\\170\\234') >a.zz"],
        ["(z; z | head -c 8) >a.zz"],
        ["(hello; z) >a.zz"],
        ["(hello; z; z) >a.zz"],
        ["(hello; k) >a.zz"],
        ["(hello; echo garbage) >a.zz"],
        ["(hello; head -c 20 /dev/zero) >a.zz"],
        ["(hello; printf x) >a.zz"],
    ];
    let rows = zlib.map(|[given]| ["what follows", &*format!("{MADE} {given}").leak(), HOW]);
    same(&rows);
    // What is damaged is told in other words.
    check(&all(
        &[["damage follows", "(hello; echo hello | /usr/bin/pigz -z | head -c 8) >a.gz", "pigz -t a.gz"]],
        |scene| scene,
    ));
    check(&[scene(
        "in place the original removes the file",
        "(echo hello | /usr/bin/pigz -z; echo garbage) >a.zz",
        "pigz -dq a.zz; rm a.zz; echo $?",
    )
    .ours(
        0,
        r#"stdout "0\n"
            a 644 links=1 inode=new now "hello\n""#,
    )]);
}

#[test]
fn a_comment_is_in_the_header() {
    check(&[scene(
        "behind the name, and in zip files too",
        "echo hello >a",
        "pigz -C 'of Monday' a; gzip -dc a.gz; zcat <a.gz; head -c 22 a.gz | od -An -tx1 -j3 -N1; head -c 22 a.gz | tail -c 12
         pigz -dc a.gz | pigz -K -A a -C 'of Monday' >a.zip; unzip -tq a.zip; grep -c 'of Monday' a.zip; rm a.zip",
    )
    .ours(0, r#"stdout "hello\nhello\n 18\na\0of Monday\0No errors detected in compressed data of a.zip.\n1\n"
            a.gz 644 links=1 inode=new now gzip flags=24 members=1 "hello\n""#)]);
}

#[test]
fn the_table_is_that_of_pigz() {
    // Of 2001, so that the year is shown.
    same(&[[
        "echo hello hello hello >a; old a; /usr/bin/pigz a",
        "pigz -l a.gz; pigz -lv a.gz; pigz -l <a.gz",
    ]]);
    check(&[scene(
        "several members: the original counts the last only",
        "echo hello hello hello >a; /usr/bin/pigz -k a; cat a.gz a.gz >b.gz; rm a*",
        "pigz -l b.gz | tail -n 1 | awk '{ print $2, $NF }'; rm b.gz",
    )
    .ours(0, r#"stdout "36 a\n""#)]);
}

#[test]
fn zlib_has_no_room_for_a_name() {
    same(&[[
        "echo hello >a",
        "pigz -zk a; /usr/bin/pigz -dc a.zz; pigz -dc <a.zz; pigz -z <a | pigz -d; rm a.zz",
    ]]);
}

#[test]
fn a_member_by_pigz_is_a_member() {
    same(&[["echo hello >a", "pigz -H -n a; head -c 4 a.gz | od -An -tx1"]]);
}

#[test]
fn command_lines_that_are_not_understood_do_nothing() {
    same(&[
        ["line >a", "pigz -b99999999 a"],
        ["line >a", "pigz -b 524289 a"],
        ["line >a", "pigz -b 524288 -c a | gzip -dc"],
        ["line >a", "pigz -b 31 a"],
        ["line >a", "pigz -p 0 a; pigz -p 2147483648 a; pigz -p 4294967296 a; pigz -p 99999999999 a"],
        ["line >a", "pigz -p 1073741824 a"],
        ["line >a", "pigz --dec a"],
        ["line >a", "pigz --block 64 a"],
        ["line >a", "pigz --std a"],
        ["line >a", "pigz --processes 2 --stdout a | gzip -dc"],
    ]);
}
