//! What pigz has and gzip has not.

use crate::harness::{Folder, finish};
use crate::member::Member;
use crate::side::Side;

/// Runs a script with our pigz, and checks that it ends well.
fn pigz(folder: &Folder, script: &str) -> String {
    std::fs::create_dir_all(folder.path("bin")).unwrap();
    let link = folder.path("bin/pigz");
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pzcomp"), link).unwrap();
    }
    let script = format!("PATH=$PWD/bin:$PATH; {script}");
    String::from_utf8(finish(Side::System.shell(&script, folder).spawn().unwrap()).fine()).unwrap()
}

fn text() -> String {
    (0..40_000).map(|row| format!("{row} a b a b {}\n", row * row % 97)).collect()
}

#[test]
fn strategies_find_less_and_the_system_reads_it() {
    let folder = Folder::new();
    let runs = ["a", "bbbbbbbbbbbbbbbbbbbb", "c", "ddddddddd"].concat().repeat(5000);
    for plain in [text(), runs, String::new(), "a".into()] {
        folder.write("a", &plain);
        for options in ["-H", "-U", "-H -p1", "-U -b 64", "-H -z", "-U -K", "-H -R"] {
            let reader = if options.contains("-K") { "/usr/bin/gzip -dc" } else { "/usr/bin/pigz -dc" };
            let read = pigz(&folder, &format!("pigz {options} <a >a.co; {reader} <a.co"));
            assert!(read == plain, "{options}, {} bytes", plain.len());
        }
    }
    folder.write("a", text());
    let lens = pigz(&folder, "for o in -H -U -1; do pigz $o <a | wc -c; done");
    let lens: Vec<u64> = lens.lines().map(|len| len.trim().parse().unwrap()).collect();
    assert!(lens[0] >= lens[1] && lens[1] > lens[2], "{lens:?}");
    // Without repetitions, what is left is the entropy of single bytes, the same as zlib's.
    let theirs: u64 = pigz(&folder, "/usr/bin/pigz -p1 -H <a | wc -c").trim().parse().unwrap();
    assert!(lens[0].abs_diff(theirs) < theirs / 100, "{} {theirs}", lens[0]);
}

#[test]
fn a_comment_is_in_the_header() {
    let folder = Folder::new();
    folder.write("a", "hello\n");
    assert_eq!(pigz(&folder, "pigz -C 'of Monday' a; gzip -dc a.gz; zcat <a.gz"), "hello\nhello\n");
    let coded = folder.read("a.gz");
    assert_eq!(coded[3], 8 | 16, "name and comment");
    assert!(coded[10..].starts_with(b"a\0of Monday\0"), "{coded:?}");
    pigz(&folder, "pigz -dc a.gz | pigz -K -A a -C 'of Monday' >a.zip; unzip -tq a.zip");
    assert!(folder.read("a.zip").windows(9).any(|nine| nine == b"of Monday"));
}

#[test]
fn the_table() {
    let folder = Folder::new();
    folder.write("a", "hello hello hello\n");
    // Of 2001, so that the year is shown.
    let ours = pigz(
        &folder,
        "touch -d 2001-02-03T04:05:06Z a; pigz -k a; pigz -l a.gz; pigz -lv a.gz; pigz -l <a.gz",
    );
    let theirs = pigz(&folder, "for o in -l -lv; do /usr/bin/pigz $o a.gz; done; /usr/bin/pigz -l <a.gz");
    assert_eq!(ours, theirs);
    let ours = pigz(&folder, "cat a.gz a.gz >b.gz; pigz -l b.gz | tail -n 1");
    assert!(ours.contains(" 36 ") && ours.ends_with('a') | ours.ends_with("a\n"), "{ours}");
}

#[test]
fn zlib_has_no_room_for_a_name() {
    let folder = Folder::new();
    folder.write("a", "hello\n");
    assert_eq!(
        pigz(&folder, "pigz -zk a; /usr/bin/pigz -dc a.zz; pigz -dc <a.zz; pigz -z <a | pigz -d"),
        "hello\n".repeat(3)
    );
}

#[test]
fn a_member_by_pigz_is_a_member() {
    let folder = Folder::new();
    folder.write("a", "hello\n");
    pigz(&folder, "pigz -H -n a");
    let Member { plain, name, .. } = Member::read(&folder.read("a.gz")).unwrap();
    assert_eq!((plain.as_slice(), name), (&b"hello\n"[..], None));
}
