//! zstd and those around it.

use crate::case::{case, check};

#[test]
fn files_are_kept_unless_rm_is_given() {
    check(&[
        case("zstd a", "").changes("a.zst"),
        case("zstd -q -k a && zstd -dc a.zst", "hello\n").changes("a.zst"),
        case("zstd --rm a", "").changes("a.zst -a"),
        case("zstd --rm -c a | zstd -d", "hello\n"),
        case("zstd --rm a -o o", "").changes("o -a"),
        case("zstd -d --rm ok.zst", "").changes("ok -ok.zst"),
        case("unzstd ok.zst", "").changes("ok"),
        case("zstdmt -T0 a", "").changes("a.zst"),
        case("pzstd -p 2 a && pzstd -dc a.zst", "hello\n").changes("a.zst").ours(),
        case("zstd ok.zst", "").changes("ok.zst.zst"),
        case("cp ok.zst x.tzst; zstd -d x.tzst", "").changes("x.tar x.tzst"),
        case("mkdir o; zstd a b --output-dir-flat o; ls o", "a.zst\nb.zst\n").changes("o"),
        case("cp a dir; zstd -r dir --output-dir-mirror=o; find o -type f", "o/dir/a.zst\n").changes("o"),
        case("echo a >list; zstd --filelist=list", "").changes("a.zst list"),
    ]);
}

#[test]
fn what_others_call_reads_back() {
    check(&[
        // mydumper, syncoid, btrbk, Galera, dracut.
        case("zstd -c --rsyncable <a | zstd -c -d", "hello\n"),
        case("zstdmt -3 <a | zstdmt -dc; zstd -19 <a | zstd -dc", "hello\nhello\n"),
        case("zstd -c -3 --long=27 -T4 --adapt <a | zstd -d -c", "hello\n"),
        case("zstd -1 -T2 <a | zstd -d --single-thread", "hello\n"),
        case("zstd -15 -q -T0 <a | zstdcat", "hello\n"),
        case("zstd -T2q --ultra -22 -c a | unzstd", "hello\n"),
        case("zstd --fast=5 --no-check --no-progress --no-dictID -B4K -c a | zstd -d", "hello\n"),
        case("ZSTD_CLEVEL=19 ZSTD_NBTHREADS=2 zstd -c a | zstd -d", "hello\n"),
        case("zstd --long=30 -c a | zstd -d --memory=1024MB", "hello\n"),
        case("tar -I zstd -cf o.tar.zst a && rm a && tar -I 'zstd -T0' -xf o.tar.zst && cat a", "hello\n")
            .changes("o.tar.zst"),
        case("tar --zstd -cf o.tar.zst a && rm a && tar -xf o.tar.zst && cat a", "hello\n")
            .changes("o.tar.zst"),
        case(
            "for f in gzip xz lzma lz4; do zstd --format=$f -c a | zstd -dc; done",
            "hello\nhello\nhello\nhello\n",
        ),
        case("zstd --format=gzip -c a | gzip -dc; zstd --format=lzma -c a | xz -dc", "hello\nhello\n"),
        case("zstdcat ok.zst a; zstd -dcf a ok.gz", "hello\nhello\nhello\nhello\n"),
        case("zstd -l ok.zst | head -1", "Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n"),
        case(
            "zstd -c a >o; zstd -l o | tail -1",
            "     1      0      19   B         6   B  0.316  XXH64  o\n",
        )
        .changes("o"),
    ]);
}

#[test]
fn troubles_are_told_in_its_words() {
    check(&[
        case("zstd nope", "").fails("zstd: can't stat nope : No such file or directory -- ignored"),
        case("zstd -q nope a", "").fails("can't stat nope").changes("a.zst"),
        case("zstd dir", "").fails("zstd: dir is a directory -- ignored"),
        case("zstd link", "").fails("Warning : link is a symbolic link, ignoring"),
        case("zstd a -o there", "").fails("zstd: there already exists; overwrite (y/n) ? Not overwritten"),
        case("zstd -q a -o there", "").fails("zstd: there already exists; not overwritten"),
        case("echo y | zstd -d ok.zst -o there 2>/dev/null; cat there", "hello\n"),
        case("zstd -f a -o a", "")
            .fails("Refusing to open an output file which will overwrite the input file"),
        case("zstd -d a", "")
            .fails("zstd: a: unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected)"),
        case("zstd -d not.zst", "").fails("zstd: not.zst: unsupported format"),
        case("zstd -dc trail.zst", "hello\n").fails("zstd: trail.zst: unsupported format"),
        case("zstd -dc nil.zst", "").fails("zstd: nil.zst: unexpected end of file"),
        case("zstd -dcf <empty", "").fails("zstd: /*stdin*\\: unexpected end of file"),
        case("zstd -t cut.zst", "").fails("cut.zst : Read error (39) : premature end"),
        case("zstd -q -d cut.zst", "").fails("cut.zst : Read error (39) : premature end"),
        // zstd meets the error of so short an output as late as when it closes the file.
        case("zstd -c a >/dev/full", "").ends(70, "No space left on device").ours(),
        case("zstd --foo a", "").fails("Incorrect parameter"),
        case("zstd -o", "").fails("missing command argument"),
        case("zstd -o -c a", "").fails("command cannot be separated from its argument"),
        case("zstd -l <ok.zst", "").fails("zstd: --list does not support reading from standard input"),
        case("zstd -q a b -o o", "").fails("Concatenating multiple processed inputs"),
        case("zstd -D dir b", "").ends(32, "Dictionary dir must be a regular file.").ours(),
        case("zstd -b1 a", "").fails("pzcomp --bench").ours(),
        case("zstd --stream-size=5 -c <a", "").ends(11, "says another length").ours(),
    ]);
}
