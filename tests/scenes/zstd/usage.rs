//! zstd and those around it: which files are kept, what others call, and its words for what is wrong.
//!
//! The peer is zstd 1.5. Add a row with a script; all begin with `CODED`, a line and what the tools make of it. `said`
//! is for what both must say.

use crate::scene::{CODED, all, check, said, scene};

#[test]
fn files_are_kept_unless_rm_is_given() {
    check(&all(
        &[
            ["zstd a"],
            ["zstd -q -k a && zstd -dc a.zst"],
            ["zstd --rm a"],
            ["zstd --rm -c a | zstd -d"],
            ["zstd --rm a -o o"],
            ["zstd -d --rm ok.zst"],
            ["unzstd ok.zst"],
            ["zstdmt -T0 a"],
            ["zstd ok.zst"],
            ["cp ok.zst x.tzst; zstd -d x.tzst"],
            ["mkdir o; zstd a b --output-dir-flat o; ls o"],
            ["cp a dir; zstd -r dir --output-dir-mirror=o; find o -type f"],
            ["echo a >list; zstd --filelist=list"],
        ],
        |scene| scene.given(CODED).silent(),
    ));
    check(&[scene("the original is talkative", "echo hello >a", "pzstd -p 2 a && pzstd -dc a.zst").ours(
        0,
        r#"stdout "hello\n"
            a 644 links=1 inode=a now "hello\n"
            a.zst 644 links=1 inode=new now zstd "hello\n""#,
    )]);
}

#[test]
fn each_command_line_of_zstd_reads_back() {
    check(&all(
        &[
            // mydumper, syncoid, btrbk, Galera, dracut.
            ["zstd -c --rsyncable <a | zstd -c -d"],
            ["zstdmt -3 <a | zstdmt -dc; zstd -19 <a | zstd -dc"],
            ["zstd -c -3 --long=27 -T4 --adapt <a | zstd -d -c"],
            ["zstd -1 -T2 <a | zstd -d --single-thread"],
            ["zstd -15 -q -T0 <a | zstdcat"],
            ["zstd -T2q --ultra -22 -c a | unzstd"],
            ["zstd --fast=5 --no-check --no-progress --no-dictID -B4K -c a | zstd -d"],
            ["ZSTD_CLEVEL=19 ZSTD_NBTHREADS=2 zstd -c a | zstd -d"],
            ["zstd --long=30 -c a | zstd -d --memory=1024MB"],
            ["old a; tar -I zstd -cf o.tar.zst a && rm a && tar -I 'zstd -T0' -xf o.tar.zst && cat a"],
            ["old a; tar --zstd -cf o.tar.zst a && rm a && tar -xf o.tar.zst && cat a"],
            ["for f in gzip xz lzma lz4; do zstd --format=$f -c a | zstd -dc; done"],
            ["zstd --format=gzip -c a | gzip -dc; zstd --format=lzma -c a | xz -dc"],
            ["zstdcat ok.zst a; zstd -dcf a ok.gz"],
            ["zstd -l ok.zst | head -1"],
            ["zstd -c a >o; zstd -l o | tail -1"],
        ],
        |scene| scene.given(CODED).silent(),
    ));
}

#[test]
fn troubles_are_told_in_its_words() {
    check(&all(&[["echo y | zstd -d ok.zst -o there 2>/dev/null; cat there"]], |scene| {
        scene.given(CODED).silent()
    }));
    said(&[
        [CODED, "zstd nope", "zstd: can't stat nope : No such file or directory -- ignored"],
        [CODED, "zstd -q nope a", "can't stat nope"],
        [CODED, "zstd dir", "zstd: dir is a directory -- ignored"],
        [CODED, "zstd link", "Warning : link is a symbolic link, ignoring"],
        [CODED, "zstd a -o there", "zstd: there already exists; overwrite (y/n) ? Not overwritten"],
        [CODED, "zstd -q a -o there", "zstd: there already exists; not overwritten"],
        [CODED, "zstd -f a -o a", "Refusing to open an output file which will overwrite the input file"],
        [
            CODED,
            "zstd -d a",
            "zstd: a: unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected)",
        ],
        [CODED, "zstd -d not.zst", "zstd: not.zst: unsupported format"],
        [CODED, "zstd -dc trail.zst", "zstd: trail.zst: unsupported format"],
        [CODED, "zstd -dc nil.zst", "zstd: nil.zst: unexpected end of file"],
        [CODED, "zstd -dcf <empty", "zstd: /*stdin*\\: unexpected end of file"],
        [CODED, "zstd -t cut.zst", "cut.zst : Read error (39) : premature end"],
        [CODED, "zstd -q -d cut.zst", "cut.zst : Read error (39) : premature end"],
        [CODED, "zstd --foo a", "Incorrect parameter"],
        [CODED, "zstd -o", "missing command argument"],
        [CODED, "zstd -o -c a", "command cannot be separated from its argument"],
        [CODED, "zstd -l <ok.zst", "zstd: --list does not support reading from standard input"],
        [CODED, "zstd -q a b -o o", "Concatenating multiple processed inputs"],
    ]);
    check(&[
        scene(
            "zstd meets the error of so short an output as late as when it closes the file",
            "echo hello >a",
            "zstd -c a >/dev/full",
        )
        .says("No space left on device")
        .ours(70, r#"a 644 links=1 inode=a now "hello\n""#),
        scene("the original has other words for this", "echo hello >b; mkdir dir", "zstd -D dir b")
            .says("Dictionary dir must be a regular file.")
            .ours(32, r#"b 644 links=1 inode=b now "hello\n""#),
        scene("measuring is left to pzcomp", "echo hello >a", "zstd -b1 a")
            .says("pzcomp --bench")
            .ours(1, r#"a 644 links=1 inode=a now "hello\n""#),
        scene(
            "the original of Debian has other words for this",
            "echo hello >a",
            "zstd --stream-size=5 -c <a",
        )
        .says("states another length")
        .ours(11, r#"a 644 links=1 inode=a now "hello\n""#),
    ]);
}
