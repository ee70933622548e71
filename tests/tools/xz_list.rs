//! `xz -l`, whose tables are compared with the system's for the same files.

use crate::case::{case, check, ours, shell};
use crate::harness::{Folder, finish};

const GIVEN: &str = "
    seq 200000 > a
    xz -T2 --block-size=100KiB -c a > blocks.xz
    xz --check=none -c a > none.xz
    xz --check=sha256 -0 -c a > sha.xz
    cat none.xz blocks.xz sha.xz > mixed.xz
    (cat sha.xz; head -c 8 /dev/zero; cat none.xz; head -c 4 /dev/zero) > padded.xz
    xz < /dev/null > empty.xz
    cp blocks.xz 'a name.xz'
";

#[test]
fn tables_are_those_of_xz() {
    let folder = Folder::new();
    finish(shell(GIVEN, "/usr/bin:/bin", &folder).spawn().unwrap()).fine();
    let files = "blocks.xz none.xz sha.xz mixed.xz padded.xz empty.xz 'a name.xz'";
    for options in ["-l", "-lv", "--robot -l", "--robot -lv", "-lq", "-l -F xz"] {
        for file in [files, "blocks.xz", "empty.xz", "mixed.xz padded.xz"] {
            let script = format!("xz {options} {file}");
            let listed = |path: &str| finish(shell(&script, path, &folder).spawn().unwrap()).fine();
            let (found, demanded) = (listed(&ours()), listed("/usr/bin:/bin"));
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(text(&found), text(&demanded), "{script}");
        }
    }
}

#[test]
fn what_is_no_xz_file_is_not_listed() {
    const HEADING: &str = "Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n";
    check(&[
        case("line | lzma > a.lzma", "xz -l a.lzma", "a.lzma")
            .says(1, "xz: a.lzma: File format not recognized\n"),
        case("line > a", "xz -l a", "a").says(1, "xz: a: File format not recognized\n"),
        case("", "xz -l", "").says(1, "xz: --list does not support reading from standard input\n"),
        case("line | xz | head -c 50 > a.xz", "xz -l a.xz", "a.xz").tells(1, "xz: a.xz: "),
        case("line | xz > a.xz", "xz -l nope a.xz | head -1", "a.xz")
            .says(0, "xz: nope: No such file or directory\n")
            .prints(HEADING),
    ]);
}
