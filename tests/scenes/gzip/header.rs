//! The bytes: what claims to be gzip's output is one member with the header that gzip writes; and others read it.
//!
//! The peers are GNU gzip for the header, and pigz, bgzip and Python for the data, both ways. Add a command line to a
//! list of `headers`, or a reader or writer to the last tests.

use crate::scene::{check, same, scene};

/// `a` is an old file. `header COMMAND` runs that in a folder with a copy of it, and prints the ten bytes of the
/// header, the length and the name that it finds in the output, and whether the data is that of `a`.
const HEADER: &str = "
header() {
  rm -rf w; mkdir w; cp -p a w; (cd w; sh -c \"$1\") >m.gz
  echo \"$1\" $(head -c 10 m.gz | od -An -tx1) $(/usr/bin/gzip -lqN m.gz | awk '{ print $2, $4 }') \
    $(/usr/bin/gzip -dc m.gz | cmp - a && echo same)
}
";

/// Plays `header` for each command, where the length of `a` is that of `seq LEN`.
#[track_caller]
fn headers(len: u32, commands: &[&str]) {
    let lines: Vec<String> = commands.iter().map(|command| format!("header '{command}'\n")).collect();
    let run = format!("{HEADER}{}rm -rf w m.gz a", lines.concat());
    check(&[scene("headers", format!("seq {len} >a; old a").leak(), run.leak()).with_stderr()]);
}

#[test]
fn the_header_says_what_gzip_says() {
    headers(
        600,
        &[
            "gzip -c a",
            "gzip a; cat a.gz",
            "mkdir d; mv a d; gzip -c d/a",
            "mv a b; gzip -c b",
            "gzip -nc a",
            "gzip -Nc a",
            "gzip -nNc a",
            "gzip -Nnc a",
            "gzip -mc a",
            "gzip -mMc a",
            "gzip <a",
            "gzip - <a",
            "gzip -n <a",
            "cat a | gzip",
            "cat a | gzip -N",
            "gzip -1c a",
            "gzip --fast <a",
            "gzip -2c a",
            "gzip -8c a",
            "gzip -9c a",
            "gzip --best -c a",
            "gzip -91c a",
            "gzip -11c a",
            "gzip --rsyncable -c a",
            "touch -d @1 a; gzip -c a",
            "touch -d @4294967295 a; gzip -c a",
        ],
    );
}

#[test]
fn much_data_is_one_member_too() {
    let commands = ["gzip -c a", "cat a | gzip", "gzip -1 <a", "gzip -9 <a", "cat a | gzip --rsyncable"];
    headers(400_000, &commands);
}

#[test]
fn an_empty_input_is_a_member_of_twenty_bytes() {
    same(&[["gzip </dev/null | od -An -tx1; cat /dev/null | gzip | od -An -tx1"]]);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    same(&[[
        "seq 300000 >a",
        "for o in -nc -1nc -9nc '--rsyncable -nc'; do
           gzip $o a >first
           gzip $o a | cmp - first; gzip $o <a | cmp - first; taskset -c 0 gzip $o a | cmp - first
         done; rm first",
    ]]);
}

#[test]
fn a_time_out_of_range_is_left_out_with_a_warning() {
    same(&[
        [
            "before 1970",
            "echo a >a; touch -d @-5 a",
            "gzip -c a >m.gz; echo $?; head -c 8 m.gz | od -An -tx1",
        ],
        ["of 1970", "echo a >a; touch -d @0 a", "gzip -c a >m.gz; echo $?; head -c 8 m.gz | od -An -tx1"],
        [
            "of 2106",
            "echo a >a; touch -d @4294967296 a",
            "gzip -c a >m.gz; echo $?; head -c 8 m.gz | od -An -tx1",
        ],
        [
            "redirected",
            "echo a >a; touch -d @4294967296 a",
            "gzip <a >m.gz; echo $?; head -c 8 m.gz | od -An -tx1",
        ],
        [
            "quiet",
            "echo a >a; touch -d @4294967296 a",
            "gzip -qc a >m.gz; echo $?; head -c 8 m.gz | od -An -tx1",
        ],
        ["not asked for", "echo a >a; touch -d @4294967296 a", "gzip -nc a >m.gz && gzip -mc a >m.gz"],
    ]);
}

#[test]
fn what_v_says_is_how_much_smaller_the_data_is() {
    // Header, name and trailer are no data.
    same(&[[
        "seq 20000 >long_name",
        "gzip -vk long_name 2>said; plain=$(stat -c %s long_name); coded=$(($(stat -c %s long_name.gz) - 10 - 10 - 8))
         awk \"BEGIN { printf \\\"long_name:\\t%5.1f%% -- created long_name.gz\\n\\\", 100 * (1 - $coded / $plain) }\" | cmp - said
         rm said",
    ]]);
}

#[test]
fn others_read_what_we_write() {
    same(&[[
        "seq 300000 >a",
        "for o in '' -1 -9 -n --rsyncable; do
           gzip $o <a >b.gz; /usr/bin/gzip -t b.gz
           for reader in gzip pigz bgzip; do /usr/bin/$reader -dc <b.gz | cmp - a; done; /usr/bin/zcat <b.gz | cmp - a
           python3 -c 'import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.stdin.buffer).read())' <b.gz | cmp - a
         done; rm b.gz",
    ]]);
}

#[test]
fn others_find_the_name_and_the_time() {
    same(&[[
        "hello | gnu -d >a; old a",
        "gzip a; mv a.gz b.gz; /usr/bin/gzip -lvN b.gz | awk '{ print $1, $2, $3, $4, $5, $NF }'
         /usr/bin/pigz -lvN b.gz | tail -n 1 | awk '{ print $NF }'; /usr/bin/gzip -dN b.gz; stat -c %Y a",
    ]]);
}

#[test]
fn we_read_what_others_write() {
    same(&[[
        "seq 300000 >a",
        "read_back() {
           cat >b.gz; gzip -t b.gz; gzip -dc b.gz | cmp - a; cat b.gz | gzip -d | cmp - a; zcat b.gz | cmp - a
           gunzip -c <b.gz | cmp - a
         }
         /usr/bin/gzip -c a | read_back; /usr/bin/gzip -1 <a | read_back; /usr/bin/gzip --rsyncable <a | read_back
         /usr/bin/pigz -c a | read_back; /usr/bin/pigz -9 -c <a | read_back; /usr/bin/pigz -i <a | read_back
         /usr/bin/bgzip -c a | read_back
         python3 -c 'import gzip,sys; sys.stdout.buffer.write(gzip.compress(sys.stdin.buffer.read()))' <a | read_back
         rm b.gz",
    ]]);
}
