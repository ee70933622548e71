//! `xz -l`: the tables, and what is not listed.
//!
//! The peer is xz 5.4, which lists the same files with the same options. Add an option or a file to the loop, or a row
//! of what is refused.

use crate::scene::{check, said, same, scene};

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

/// Files whose Indexes state 2^63 - 1 bytes for the first Block, and one byte for a second Block, if there is one. In
/// the last file the sums of two Streams are as large.
const HUGE: &str = r#"
    python3 -c '
import struct, zlib
def crc(part): return part + struct.pack("<I", zlib.crc32(part))
def stream(plain):
    records = b"".join(b"\x18" + size for size in plain)
    index = b"\0" + bytes([len(plain)]) + records
    index = crc(index + bytes(-len(index) % 4))
    tail = struct.pack("<I", len(index) // 4 - 1) + b"\0\0"
    footer = struct.pack("<I", zlib.crc32(tail)) + tail + b"YZ"
    return b"\xfd7zXZ\0" + b"\0\0" + struct.pack("<I", zlib.crc32(b"\0\0")) + bytes([1] * 24 * len(plain)) + index + footer
most = b"\xff" * 8 + b"\x7f"
open("one.xz", "wb").write(stream([most]))
open("two.xz", "wb").write(stream([most, b"\x01"]))
open("both.xz", "wb").write(stream([most]) + stream([b"\x01"]))
'
"#;

#[test]
fn what_is_no_xz_file_is_not_listed() {
    same(&[
        ["line | lzma > a.lzma", "xz -l a.lzma"],
        ["line > a", "xz -l a"],
        ["", "xz -l"],
        ["line | xz > a.xz", "xz -l nope a.xz | head -1"],
        [
            HUGE,
            "for f in one.xz two.xz both.xz; do xz -l $f >l; echo $? $(wc -l <l); done; xz -lv two.xz >l 2>&1; echo $? $(grep -c corrupt l); rm *",
        ],
    ]);
    check(&[scene(
        "xz prints totals that are wrong",
        HUGE,
        "xz -l one.xz one.xz one.xz >l; s=$?; wc -l <l; rm *; exit $s",
    )
    .ours(
        r#"exit status: 1
            stdout "0\n"
            stderr "xz: (totals): The sizes are too large to be added\n""#,
    )]);
    said(&[["line | xz | head -c 50 > a.xz", "xz -l a.xz", "xz: a.xz: "]]);
}
