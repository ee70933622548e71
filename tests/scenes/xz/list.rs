//! `xz -l`: the tables, and what is not listed.
//!
//! The peer is xz 5.4, which lists the same files with the same options. Add an option or a file to the loop, or a row
//! of what is refused.

use crate::scene::{said, same};

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
    same(&[[
        GIVEN,
        "for o in -l -lv '--robot -l' '--robot -lv' -lq '-l -F xz'; do
           xz $o blocks.xz none.xz sha.xz mixed.xz padded.xz empty.xz 'a name.xz'
           xz $o blocks.xz; xz $o empty.xz; xz $o mixed.xz padded.xz
         done; rm *",
    ]]);
}

#[test]
fn what_is_no_xz_file_is_not_listed() {
    same(&[
        ["line | lzma > a.lzma", "xz -l a.lzma"],
        ["line > a", "xz -l a"],
        ["", "xz -l"],
        ["line | xz > a.xz", "xz -l nope a.xz | head -1"],
    ]);
    said(&[["line | xz | head -c 50 > a.xz", "xz -l a.xz", "xz: a.xz: "]]);
}
