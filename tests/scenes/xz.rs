//! xz: limits of memory, unknown checks, what follows the data, filters.
//!
//! The peer is xz 5.4; files that it does not write are given as bytes. What xz makes of files, and its words, are in
//! `xz/usage.rs`, its tables in `xz/list.rs`.

mod usage;

use crate::scene::{check, said, same, scene};

/// A Stream whose Check has ID 5, which nobody knows, with eight bytes of it.
const UNKNOWN: &str = r"printf '\375\067\172\130\132\000\000\005\160\346\263\061\002\000\041\001\026\000\000\000\164\057\345\243\001\000\005\150\145\154\154\157\012\000\000\000\245\140\227\361\224\366\375\340\000\001\036\006\301\057\244\035\211\206\364\012\001\000\000\000\000\005\131\132' >a.xz; echo hello >b; xz b";

#[test]
fn an_unknown_check_is_a_warning() {
    check(&[
        scene("-dc", UNKNOWN, "xz -dc a.xz").with_stderr(),
        scene("from a pipe", UNKNOWN, "cat a.xz | unxz").with_stderr(),
        scene("xzcat", UNKNOWN, "xzcat a.xz").with_stderr(),
        scene("-t", UNKNOWN, "xz -t a.xz").with_stderr(),
        scene("a file is decompressed and removed", UNKNOWN, "unxz a.xz").with_stderr(),
        scene("-q", UNKNOWN, "xz -dcq a.xz").with_stderr(),
        scene("-q -q", UNKNOWN, "xz -dc -q -q a.xz").with_stderr(),
        scene("-Q", UNKNOWN, "xz -dcQ a.xz").with_stderr(),
        scene("-q -Q", UNKNOWN, "xz -dcqQ a.xz").with_stderr(),
        scene("an error is worse", UNKNOWN, "xz -dc a.xz nope").with_stderr(),
        scene("others beside it", UNKNOWN, "xz -dc b.xz a.xz b.xz").with_stderr(),
        scene("Streams behind it", UNKNOWN, "cat a.xz b.xz | xz -dc").with_stderr(),
        scene("--ignore-check", UNKNOWN, "xz -dc --ignore-check a.xz").with_stderr(),
        scene("-l", UNKNOWN, "xz -l a.xz"),
        scene("--robot -lv", UNKNOWN, "xz --robot -lv a.xz"),
        scene(
            "pzcomp itself refuses it",
            UNKNOWN,
            "pzcomp -dc a.xz 2>err; s=$?; grep -c Check err; rm *; exit $s",
        )
        .ours(1, r#"stdout "1\n""#),
    ]);
}

#[test]
fn checks_can_be_ignored() {
    // The first byte of the CRC64 of 6 bytes of data.
    const DAMAGED: &str =
        "echo hello >a; xz a; printf '\\0' | dd of=a.xz bs=1 seek=36 conv=notrunc 2>/dev/null";
    check(&[
        scene("the check is wrong", DAMAGED, "xz -t a.xz"),
        scene("and ignored", DAMAGED, "xz -dc --ignore-check a.xz; xz -t --ignore-check a.xz").with_stderr(),
    ]);
}

/// Each of these comes behind a file; what is shown is what is decoded, and the status.
const TAILS: &str = r"printf garbage >t1; printf 'more than twelve bytes of it' >t2; printf '\0' >t3; printf '\0\0\0\0' >t4
    printf '\0\0\0\0\0' >t5; printf '\0\0\0\0x' >t6; printf LZI >t7; printf LZIP >t8; printf 'LZxP\001\014and so on' >t9
    printf 'LZIP\002\014and so on' >u1; echo more >x; xz -c x >u2; lzip -c x >u3; xz -c --format=lzma x >u4; : >u5; rm x
    printf '\0\0\0\0' | cat - u2 >u6; printf '\0\0\0' | cat - u2 >u7";
const PLAY: &str = "for t in t? u?; do cat first $t | xz -dc 2>/dev/null; echo $t $?; done
    for t in t? u?; do cat first $t | xz -dc --single-stream 2>/dev/null; echo $t $?; done; rm *";

#[test]
fn what_follows_the_data_is_judged_by_its_format() {
    let given = |coder: &str| -> &'static str { format!("{TAILS}; echo hello | {coder} >first").leak() };
    check(&[
        scene("xz", given("xz"), PLAY),
        scene("lzma", given("xz --format=lzma"), PLAY),
        scene("lzip", given("lzip"), PLAY),
        scene(
            "lzip, named",
            given("lzip"),
            "for t in t? u?; do cat first $t | xz -dc --format=lzip 2>/dev/null; echo $?; done; rm *",
        ),
        scene(
            "lzma, named",
            given("xz -F lzma"),
            "for t in t? u?; do cat first $t | unlzma 2>/dev/null; echo $?; done; rm *",
        ),
        scene(
            "copied as it is",
            given("xz"),
            "for t in t? u?; do cat first $t | xz -dcf 2>/dev/null; echo $?; done; rm *",
        ),
    ]);
}

/// xz is content with any number of threads, and so are we.
#[test]
fn the_limit_is_what_the_decoder_needs() {
    const FILES: &str = "seq 1 100000 >a; xz -6 -T1 -k a; mv a.xz f6; xz -1 -T1 -k a; mv a.xz f1; lzip -6 -k a; mv a.lz fl; xz --format=lzma -6 a; mv a.lzma fa";
    check(&[
        scene(
            "limits",
            FILES,
            "for f in f?; do for l in 64KiB 5MiB 8MiB 10MiB; do for t in 1 4; do
                xz -dc --memlimit-decompress=$l -T$t <$f 2>/dev/null | cksum; echo $f $l $t
            done; done; xz -t -M 5MiB -T0 $f 2>/dev/null; echo $?; done; rm f?",
        ),
        scene(
            "what is needed is said",
            FILES,
            "xz -dc -T1 -M 5MiB <f6; s=$?; rm f?; exit $s",
        )
        .ours(
            1, "stderr \"xz: (stdin): Memory usage limit reached\\nxz: 9 MiB of memory is required. The limit is 5 MiB.\\n\"",
        ),
        scene("-q says it as well, -q -q does not", FILES, "xz -tq -M 5MiB f6 2>err; wc -l <err; xz -tqq -M 5MiB f6; s=$?; rm f? err; exit $s"),
        scene("a limit for compression is none for decompression", FILES, "xz -dc --memlimit-compress=1MiB <f6 | cksum; rm f?"),
        scene(
            "a dictionary beyond 128 MiB is no trouble",
            "seq 1 1000 >a; xz -T1 --lzma2=preset=0,dict=200MiB a",
            "xz -dc a.xz | cksum; xz -dc -M 150MiB a.xz 2>/dev/null; s=$?; rm a.xz; exit $s",
        ),
    ]);
}

#[test]
fn compression_is_made_to_fit_its_limit() {
    const LINE: &str = "echo hello >a";
    check(&[
        scene("a shorter dictionary", LINE, "xz -T1 -M 20MiB a").with_stderr(),
        scene("one thread, and a shorter dictionary", LINE, "xz -T2 -M 20MiB a").with_stderr(),
        scene("one thread", LINE, "xz -T2 -M 100MiB a").with_stderr(),
        scene("fewer threads", LINE, "xz -T4 -M 400MiB a").with_stderr(),
        scene("nothing said", LINE, "xz -q -T2 -M 20MiB a").with_stderr(),
        scene("no trouble", LINE, "xz -T2 -M 400MiB a").with_stderr(),
        scene("chosen filters", LINE, "xz -T2 -M 100MiB --x86 --lzma2=dict=64MiB a").with_stderr(),
        scene(".lzma", LINE, "xz -M 20MiB --format=lzma a; xz -dc a.lzma; rm a.lzma").with_stderr(),
        scene("too little for anything", LINE, "xz -q -T2 -M 1MiB a").with_stderr(),
        scene("too little, without a word", LINE, "xz -qq -T2 -M 1MiB a").with_stderr(),
        scene("nothing may be adjusted", LINE, "xz -T1 --no-adjust -M 20MiB a").with_stderr(),
        scene("not even threads to one Block", LINE, "xz -T2 --no-adjust -M 20MiB a"),
        scene("one thread may be one Block", LINE, "xz -T1 --no-adjust -M 100MiB a").with_stderr(),
        scene("a limit of decompression is none", LINE, "xz --memlimit-decompress=1MiB a").with_stderr(),
    ]);
}

/// A file of instructions and one of text; `/usr/bin/xz` is the original on both sides.
const DATA: &str = "head -c 300000 /bin/sh >a; seq 1 20000 >>a; cksum <a >sum";

#[test]
fn filters_are_written_and_read() {
    const FILTERS: &str = "for f in --x86 --arm --armthumb --arm64 --powerpc --ia64 --sparc --delta --delta=dist=4 \
        --x86=start=4096 --ia64=start=16 '--x86 --arm --delta'; do";
    let play = |run: &str| -> &'static str { format!("{FILTERS} {run} done; rm a sum").leak() };
    check(&[
        scene("ours, by the original", DATA, play("xz -c $f --lzma2=preset=0 a | /usr/bin/xz -dc | cksum;")),
        scene("ours, by ours", DATA, play("xz -c -T4 --block-size=50KiB $f --lzma2=preset=0 a | xz -dc -T4 | cksum;")),
        scene("small Blocks", DATA, play("xz -c -T4 --block-size=50KiB $f --lzma2=preset=0 a | /usr/bin/xz -dc | cksum;")),
        scene("one thread", DATA, play("xz -c -T1 --block-size=50KiB $f --lzma2=preset=0 a | /usr/bin/xz -dc | cksum;")),
        scene("theirs, by ours", DATA, play("/usr/bin/xz -c -T1 $f --lzma2=preset=0 a | xz -dc | cksum;")),
        scene("theirs in small Blocks", DATA, play("/usr/bin/xz -c -T2 --block-size=50KiB $f --lzma2=preset=0 a | xz -dc -T4 | cksum;")),
        scene("empty input", DATA, play("xz $f --lzma2 </dev/null | /usr/bin/xz -t;")),
        scene("the newest filter", DATA, "xz -c -T4 --block-size=50KiB --riscv --lzma2=preset=0 a | xz -dc -T4 | cksum | cmp - sum; rm a sum")
            .ours(0, ""),
    ]);
}

#[test]
fn the_command_lines_of_the_linux_kernel_are_understood() {
    check(&[
        scene("scripts/xz_wrap.sh", DATA, "xz --check=crc32 --x86 --lzma2=dict=32MiB <a | /usr/bin/xz -dc | cksum; rm a sum"),
        scene("for arm64", DATA, "xz --check=crc32 --arm64 --lzma2=,dict=128MiB <a | /usr/bin/xz -dc | cksum; rm a sum"),
        scene("modules", DATA, "xz --check=crc32 --lzma2=dict=1MiB -f a && xz -dc a.xz | cksum; rm a.xz sum"),
        scene(
            "options of LZMA2",
            DATA,
            "xz -c --lzma2=preset=1,dict=4KiB,lc=0,lp=4,pb=0,mode=fast,nice=2,mf=bt2,depth=9 a | /usr/bin/xz -dc | cksum
            xz -c --lzma2=preset=9e,mf=hc3 a | /usr/bin/xz -dc | cksum; rm a sum",
        ),
        scene("options of LZMA1", DATA, "xz -c --format=lzma --lzma1=preset=0,lc=1 a | /usr/bin/lzcat | cksum; lzma -c --lzma1 a | lzcat | cksum; rm a sum"),
        scene("a level forgets them", "echo hello >a", "xz --lzma1 -6 a"),
        scene("and so does -e", "echo hello >a", "xz --lzma1 --delta -e a"),
        scene("XZ_OPT", "echo hello >a", "XZ_OPT='--delta --lzma2=dict=4KiB' xz a"),
        scene("--filters", "echo hello >a", "xz --filters='delta:dist=2 lzma2:dict=1MiB' -c a | xz -dc; xz --filters 6e -c a | xz -dc; rm a").ours(0, r#"stdout "hello\nhello\n""#),
    ]);
}

#[test]
fn filters_that_make_no_sense_are_refused() {
    const LINE: &str = "echo hello >a";
    check(&[
        scene("unknown option", LINE, "xz --lzma2=foo=1 a").with_stderr(),
        scene("sum of lc and lp", LINE, "xz --lzma2=lc=4,lp=1 a").with_stderr(),
        scene("unknown match finder", LINE, "xz --lzma2=mf=xx a").with_stderr(),
        scene("unknown preset", LINE, "xz --lzma2=preset=10 a").with_stderr(),
        scene("five filters", LINE, "xz --x86 --arm --delta --delta --lzma2 a").with_stderr(),
        scene("LZMA1 in .xz", LINE, "xz --lzma1 a").with_stderr(),
        scene("LZMA2 in .lzma", LINE, "xz --format=lzma --lzma2 a").with_stderr(),
        scene("two in .lzma", LINE, "xz --format=lzma --delta --lzma1 a").with_stderr(),
        scene("nothing at the end", LINE, "xz --x86 a"),
        scene("LZMA2 before others", LINE, "xz --lzma2 --x86 a"),
        scene("alignment", LINE, "xz -k --arm=start=3 --lzma2 a"),
        scene(
            "too large",
            LINE,
            "xz --lzma2=dict=4GiB a; xz --delta=dist=257 --lzma2 a; xz --lzma2=nice=1 a",
        ),
        scene("no matter when decompressing", "echo hello >a; xz a", "xz -dc --x86 a.xz; xz -l --lzma1 a.xz")
            .with_stderr(),
    ]);
}

#[test]
fn memory_needs_of_xz_are_told() {
    check(&[
        scene(
            "the chain and its memory",
            "echo hello >a",
            "xz -vv -T1 --x86 --lzma2=dict=64MiB -c a 2>err >/dev/null; grep -e chain -e Decompression err; rm a err",
        ),
        scene(
            "the limit",
            "echo hello >a",
            "xz -vv -T1 -6 -c -M 2GiB a 2>err >/dev/null; grep -c 'The limit is 2048 MiB' err; rm a err",
        ),
    ]);
}

/// What is in the Blocks themselves is not read.
#[test]
fn a_list_believes_the_index() {
    const LYING: &str = r"seq 1 1000 >a; xz --check=crc32 -k a
        xz -c --check=crc32 --block-size=1000 a >b.xz; cat a.xz b.xz >ab.xz; (cat a.xz; printf '\0\0\0\0') >pad.xz
        damage() { cp $1 $3; printf '\252\125' | dd of=$3 bs=1 seek=$2 conv=notrunc 2>/dev/null; }
        damage a.xz 14 header.xz; damage a.xz 100 data.xz; damage b.xz 40 block.xz; damage ab.xz 14 two.xz
        damage a.xz $(($(stat -c %s a.xz) - 20)) index.xz; damage a.xz $(($(stat -c %s a.xz) - 6)) footer.xz
        head -c 300 a.xz >cut.xz; tail -c 300 a.xz >late.xz";
    // An Index that lists more than 5 EiB.
    const HUGE: &str = r"printf '\375\067\172\130\132\000\000\000\377\022\331\101\002\000\041\001\010\000\000\000\330\017\043\023\001\000\014\110\145\154\154\157\012\127\157\162\154\144\041\012\000\000\000\000\000\001\040\052\324\041\333\320\006\162\236\172\001\000\000\000\000\000\131\132' >a.xz";
    check(&[
        scene(
            "damage elsewhere",
            LYING,
            "for f in *.xz; do xz -l $f 2>/dev/null && xz -lv $f; echo $?; done; rm *",
        ),
        scene("for programs", LYING, "xz --robot -lv *.xz 2>/dev/null; s=$?; rm *; exit $s"),
        scene("another file", HUGE, "xz -l a.xz; rm a.xz"),
    ]);
}

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
fn the_tables_of_xz_list_are_the_same() {
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
        1,
        r#"stdout "0\n"
            stderr "xz: (totals): The sizes are too large to be added\n""#,
    )]);
    said(&[["line | xz | head -c 50 > a.xz", "xz -l a.xz", "xz: a.xz: "]]);
}
