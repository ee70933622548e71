//! bgzip.

use crate::case::{case, check};

#[test]
fn files_take_the_place_of_others() {
    check(&[
        case("bgzip a", "").changes("a.gz -a"),
        case("bgzip -k a", "").changes("a.gz"),
        case("bgzip -@ 2 -c a | bgzip -dc -@2", "hello\n"),
        case("bgzip -l 9 <a | gzip -dc", "hello\n"),
        case("bgzip -d ok.gz", "").changes("ok -ok.gz"),
        case("bgzip -dk ok.gz", "").changes("ok"),
        case("bgzip link", "").changes("link.gz -link"),
        case("bgzip ok.gz", "").changes("ok.gz.gz -ok.gz"),
        case("cp a a.gz; bgzip -f a; bgzip -dc a.gz", "hello\n").changes("a.gz -a"),
        case("bgzip -o o a; bgzip -dc o", "hello\n").changes("o").ours(),
        case("bgzip a b", "").changes("a.gz b.gz -a -b").ours(),
        case("bgzip -t ok.gz", ""),
    ]);
}

#[test]
fn indexes_are_made_and_used() {
    check(&[
        case("seq 99999 >n; bgzip -i n; bgzip -b 70000 -s 10 n.gz; bgzip -d -b 0 -s 4 n.gz", "8\n13519\n131\n2\n")
            .changes("n.gz n.gz.gzi"),
        case("seq 99999 >n; bgzip -i -I x n; bgzip -r n.gz; cmp x n.gz.gzi; /usr/bin/bgzip -r -I y n.gz; cmp x y", "")
            .changes("n.gz n.gz.gzi x y"),
        case("seq 99999 | bgzip -ci -I x >n.gz; /usr/bin/bgzip -b 70000 -s 5 -I x n.gz", "8\n135").changes("n.gz x"),
        case("bgzip -I x a", "").changes("a.gz -a"),
    ]);
}

#[test]
fn troubles_are_told_in_its_words() {
    check(&[
        case("bgzip nope", "").fails("[bgzip] No such file or directory: nope"),
        case("cp a a.gz; bgzip a", "").fails("[bgzip] can't create a.gz: File exists").changes("a.gz"),
        case("bgzip -d not.gz", "").fails("[bgzip] not.gz: not a compressed file -- ignored"),
        case("bgzip -dc <empty", "").fails("[bgzip] stdin is not compressed -- ignored"),
        case("bgzip -t cut.gz", "").fails(""),
        case("bgzip -dc trail.gz", "hello\n").fails("").ours(),
        case("bgzip -l 10 a", "").fails("[bgzip] Invalid compress-level: 10"),
        case("bgzip -x a", "").fails("bgzip: invalid option -- 'x'"),
        case("bgzip -b 6 ok.gz", "").fails("Could not load index: ok.gz.gzi"),
        case("bgzip -r nope", "").fails("nope"),
        case("bgzip -r", "").fails("Index file name expected when reading from stdin"),
        case("bgzip -g -I x a", "").fails("-g/--rebgzip is not supported").ours(),
    ]);
}
