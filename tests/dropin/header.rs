//! The bytes: what claims to be gzip's output is one member with the header that gzip writes; and others
//! read it.

use crate::harness::{Folder, Run, feed, finish, text};
use crate::member::Member;
use crate::side::{SIDES, Side};

/// FNAME.
const NAMED: u8 = 8;
const BEST: u8 = 2;
const FASTEST: u8 = 4;
const UNIX: u8 = 3;

/// 2001-02-03 04:05:06 UTC.
const OLD: u32 = 981_173_106;

/// Runs `script` where `a` is a file of that time, and reads what it prints.
fn member(side: Side, script: &str, plain: &[u8]) -> Member {
    let folder = Folder::new();
    folder.write("a", plain);
    let script = format!("touch -d @{OLD} a; {script}");
    let coded = finish(side.shell(&script, &folder).spawn().unwrap()).fine();
    let member = Member::read(&coded).unwrap_or_else(|why| panic!("{side:?}: {script}: {why}"));
    assert!(member.plain == plain, "{side:?}: {script}: other content");
    member
}

#[test]
fn the_header_says_what_gzip_says() {
    let plain = text(3_000);
    let a = || Some("a".to_owned());
    for (script, name, modified, effort) in [
        ("gzip -c a", a(), OLD, 0),
        ("gzip a; cat a.gz", a(), OLD, 0),
        ("mkdir d; mv a d; gzip -c d/a", a(), OLD, 0),
        ("mv a b; gzip -c b", Some("b".to_owned()), OLD, 0),
        ("gzip -nc a", None, 0, 0),
        ("gzip -Nc a", a(), OLD, 0),
        ("gzip -nNc a", a(), OLD, 0),
        ("gzip -Nnc a", None, 0, 0),
        ("gzip -mc a", a(), 0, 0),
        ("gzip -mMc a", a(), OLD, 0),
        ("gzip <a", None, OLD, 0),
        ("gzip - <a", None, OLD, 0),
        ("gzip -n <a", None, 0, 0),
        ("cat a | gzip", None, 0, 0),
        ("cat a | gzip -N", None, 0, 0),
        ("gzip -1c a", a(), OLD, FASTEST),
        ("gzip --fast <a", None, OLD, FASTEST),
        ("gzip -2c a", a(), OLD, 0),
        ("gzip -8c a", a(), OLD, 0),
        ("gzip -9c a", a(), OLD, BEST),
        ("gzip --best -c a", a(), OLD, BEST),
        ("gzip -91c a", a(), OLD, FASTEST),
        ("gzip -11c a", a(), OLD, FASTEST),
        ("gzip --rsyncable -c a", a(), OLD, 0),
        ("touch -d @1 a; gzip -c a", a(), 1, 0),
        ("touch -d @4294967295 a; gzip -c a", a(), u32::MAX, 0),
    ] {
        for side in SIDES {
            let flags = if name.is_some() { NAMED } else { 0 };
            let found = Member { plain: Vec::new(), ..member(side, script, &plain) };
            let name = name.clone();
            let demanded = Member { flags, modified, effort, system: UNIX, name, plain: Vec::new() };
            assert_eq!(found, demanded, "{side:?}: {script}");
        }
    }
}

#[test]
fn much_data_is_one_member_too() {
    let plain = text(5_000_000);
    for script in ["gzip -c a", "cat a | gzip", "gzip -1 <a", "gzip -9 <a", "cat a | gzip --rsyncable"] {
        member(Side::Ours, script, &plain);
    }
}

#[test]
fn nothing_is_twenty_bytes() {
    for side in SIDES {
        let coded = feed(&mut side.command("gzip", &Folder::new()), b"").fine();
        assert_eq!(coded, b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0", "{side:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let plain = text(3_000_000);
    let folder = Folder::new();
    folder.write("a", &plain);
    for options in ["-nc", "-1nc", "-9nc", "--rsyncable -nc"] {
        let script = format!("gzip {options} a");
        let bytes = |script: &str| finish(Side::Ours.shell(script, &folder).spawn().unwrap()).fine();
        let first = bytes(&script);
        assert!(first == bytes(&script), "{script}: twice");
        assert!(first == bytes(&format!("gzip {options} <a")), "{script}: standard input");
        assert!(first == bytes(&format!("taskset -c 0 gzip {options} a")), "{script}: one processor");
    }
}

#[test]
fn a_time_out_of_range_is_left_out_with_a_warning() {
    let folder = Folder::new();
    folder.write("a", "a");
    let warning = |name| format!("gzip: {name}: warning: file timestamp out of range for gzip format\n");
    for (time, script, stderr) in [
        ("-5", "gzip -c a", warning("a")),
        ("0", "gzip -c a", warning("a")),
        ("4294967296", "gzip -c a", warning("a")),
        ("4294967296", "gzip <a", warning("stdin")),
        ("4294967296", "gzip -qc a", String::new()),
    ] {
        for side in SIDES {
            let script = format!("touch -d @{time} a; {script}");
            let Run { status, stdout, stderr: said } = finish(side.shell(&script, &folder).spawn().unwrap());
            assert_eq!((status.code(), said.as_str()), (Some(2), stderr.as_str()), "{side:?}: {script}");
            assert_eq!(Member::read(&stdout).unwrap().modified, 0, "{side:?}: {script}");
        }
    }
    for side in SIDES {
        let script = "touch -d @4294967296 a; gzip -nc a >/dev/null; gzip -mc a";
        finish(side.shell(script, &folder).spawn().unwrap()).fine();
    }
}

#[test]
fn what_v_says_is_how_much_smaller_the_data_is() {
    for side in SIDES {
        let folder = Folder::new();
        let plain = text(100_000);
        folder.write("long_name", &plain);
        let run = finish(side.command("gzip", &folder).args(["-vk", "long_name"]).spawn().unwrap());
        let coded = folder.read("long_name.gz").len() - 10 - "long_name\0".len() - 8;
        let ratio = 100.0 * (1.0 - coded as f64 / plain.len() as f64);
        assert_eq!(run.stderr, format!("long_name:\t{ratio:5.1}% -- created long_name.gz\n"), "{side:?}");
    }
}

#[test]
fn others_read_what_we_write() {
    let plain = text(3_000_000);
    let folder = Folder::new();
    folder.write("a", &plain);
    let python = "import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.stdin.buffer).read())";
    for options in ["", "-1", "-9", "-n", "--rsyncable"] {
        let script = format!("gzip {options} <a >b.gz && /usr/bin/gzip -t b.gz");
        finish(Side::Ours.shell(&script, &folder).spawn().unwrap()).fine();
        for reader in
            ["/usr/bin/gzip -dc", "pigz -dc", "bgzip -dc", "zcat", &format!("python3 -c '{python}'")]
        {
            let read =
                finish(Side::System.shell(&format!("{reader} <b.gz"), &folder).spawn().unwrap()).fine();
            assert!(read == plain, "{options}: {reader}");
        }
    }
}

#[test]
fn others_find_the_name_and_the_time() {
    let folder = Folder::new();
    folder.write("a", "hello\n");
    let script = format!("touch -d @{OLD} a; gzip a; mv a.gz b.gz");
    finish(Side::Ours.shell(&script, &folder).spawn().unwrap()).fine();
    let script = "gzip -lvN b.gz; pigz -lvN b.gz | tail -n 1; gzip -dN b.gz; stat -c %Y a";
    let told = finish(Side::System.shell(script, &folder).spawn().unwrap()).fine();
    let told = String::from_utf8(told).unwrap();
    let lines: Vec<Vec<&str>> = told.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[1][..5], ["defla", "363a3020", "Feb", "3", "04:05"]);
    assert_eq!(lines[1].last(), Some(&"a"));
    assert_eq!(lines[2].last(), Some(&"a"), "{told}");
    assert_eq!(lines[3], ["981173106"]);
}

#[test]
fn we_read_what_others_write() {
    let plain = text(3_000_000);
    let folder = Folder::new();
    folder.write("a", &plain);
    let python = "import gzip,sys; sys.stdout.buffer.write(gzip.compress(sys.stdin.buffer.read()))";
    for writer in [
        "/usr/bin/gzip -c a",
        "/usr/bin/gzip -1 <a",
        "/usr/bin/gzip --rsyncable <a",
        "pigz -c a",
        "pigz -9 -c <a",
        "pigz -i <a",
        "bgzip -c a",
        &format!("python3 -c '{python}' <a"),
    ] {
        finish(Side::System.shell(&format!("{writer} >b.gz"), &folder).spawn().unwrap()).fine();
        for reader in ["gzip -dc b.gz", "cat b.gz | gzip -d", "zcat b.gz", "gunzip -c <b.gz"] {
            let read = finish(Side::Ours.shell(reader, &folder).spawn().unwrap()).fine();
            assert!(read == plain, "{writer}: {reader}");
        }
        finish(Side::Ours.shell("gzip -t b.gz", &folder).spawn().unwrap()).fine();
    }
}
