//! bgzip: what it makes of files, its indexes, and its words for what is wrong.
//!
//! The peer is the bgzip of Debian. What begins with `CODED` has a line there, and what the tools make of it. Add a row
//! with a script; `said` for what both must say.

use crate::scene::{CODED, all, check, said, scene};

#[test]
fn files_take_the_place_of_others() {
    check(&all(
        &[
            ["bgzip a"],
            ["bgzip -k a"],
            ["bgzip -@ 2 -c a | bgzip -dc -@2"],
            ["bgzip -l 9 <a | gzip -dc"],
            ["bgzip -d ok.gz"],
            ["bgzip -dk ok.gz"],
            ["bgzip link"],
            ["bgzip ok.gz"],
            ["cp a a.gz; bgzip -f a; bgzip -dc a.gz"],
            ["bgzip -t ok.gz"],
        ],
        |scene| scene.given(CODED).silent(),
    ));
    check(&[
        scene("-o, which Debian's does not know", "echo hello >a", "bgzip -o o a; bgzip -dc o").ours(
            0,
            r#"stdout "hello\n"
            a 644 links=1 inode=a now "hello\n"
            o 644 links=1 inode=new now gzip "hello\n""#,
        ),
        scene("several files, which Debian's does not take", "echo hello >a; cp a b", "bgzip a b").ours(
            0,
            r#"a.gz 644 links=1 inode=new now gzip "hello\n"
            b.gz 644 links=1 inode=new now gzip "hello\n""#,
        ),
    ]);
}

#[test]
fn indexes_are_made_and_used() {
    check(&all(
        &[
            ["seq 99999 >n; bgzip -i n; bgzip -b 70000 -s 10 n.gz; bgzip -d -b 0 -s 4 n.gz; rm n.gz.gzi"],
            [
                "seq 99999 >n; bgzip -i -I x n; bgzip -r n.gz; cmp x n.gz.gzi; /usr/bin/bgzip -r -I y n.gz; cmp x y; rm x y n.gz.gzi",
            ],
            ["seq 99999 | bgzip -ci -I x >n.gz; /usr/bin/bgzip -b 70000 -s 5 -I x n.gz; rm x"],
            ["bgzip -I x a"],
        ],
        |scene| scene.given(CODED).silent(),
    ));
}

#[test]
fn troubles_are_told_in_its_words() {
    const CUT: &str = "seq 99999 | bgzip -c | head -c -28 >cut.gz";
    const NO_END: &str = "[W::bgzf_read_block] EOF marker is absent. The input may be truncated";
    said(&[
        [CUT, "bgzip -t cut.gz; echo $?", NO_END],
        [CUT, "bgzip -dc cut.gz | tail -n 1", NO_END],
        [CODED, "bgzip nope", "[bgzip] No such file or directory: nope"],
        [CODED, "cp a a.gz; bgzip a", "[bgzip] can't create a.gz: File exists"],
        [CODED, "bgzip -d not.gz", "[bgzip] not.gz: not a compressed file -- ignored"],
        [CODED, "bgzip -dc <empty", "[bgzip] stdin is not compressed -- ignored"],
        [CODED, "bgzip -t cut.gz", ""],
        [CODED, "bgzip -l 10 a", "[bgzip] Invalid compress-level: 10"],
        [CODED, "bgzip -x a", "bgzip: invalid option -- 'x'"],
        [CODED, "bgzip -b 6 ok.gz", "Could not load index: ok.gz.gzi"],
        [CODED, "bgzip -r nope", "nope"],
        [CODED, "bgzip -r", "Index file name expected when reading from stdin"],
    ]);
    check(&[
        scene(
            "the original says nothing of what is behind the data",
            "echo hello | bgzip -c >trail.gz; echo garbage >>trail.gz",
            "bgzip -dc trail.gz",
        )
        .says("")
        .ours(
            1,
            r#"stdout "hello\n"
            trail.gz 644 links=1 inode=trail.gz now gzip damaged "hello\n""#,
        ),
        scene("what is not supported is refused", "echo hello >a", "bgzip -g -I x a")
            .says("-g/--rebgzip is not supported")
            .ours(1, r#"a 644 links=1 inode=a now "hello\n""#),
    ]);
}
