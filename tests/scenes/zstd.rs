//! zstd: limits of memory, checksums, several inputs, dictionaries, parameters.
//!
//! The peer is zstd 1.5; add a scene to the test that it is about. What zstd makes of files, and its words, are in
//! `zstd/usage.rs`.

mod usage;

use crate::scene::{Scene, check, same, scene};

/// A script whose files do not matter.
fn play(guards: &'static str, given: &'static str, run: &str) -> Scene {
    scene(guards, given, format!("{run}\nrm -r *").leak())
}

/// One scene of all the lines, whose files do not matter. What is said on standard error does.
fn lines(guards: &'static str, given: &'static str, lines: &[&str]) -> Scene {
    // zstd ends its sentences with a space.
    let lines: Vec<String> =
        lines.iter().map(|line| format!("{{ {line}; }} 2>&1 | sed \"s/ *$//\"")).collect();
    play(guards, given, &lines.join("\n"))
}

/// The same, and what is said does not matter.
fn quiet_lines(guards: &'static str, given: &'static str, lines: &[&str]) -> Scene {
    play(guards, given, &format!("exec 2>/dev/null\n{}", lines.join("\n")))
}

const DATA: &str = "
    yes 'many lines that differ' | head -n 20000 | nl >big; echo hello >a; echo world >b
    zstd -q a b big; zstd -q <big >pipe.zst; zstd -q --no-content-size big -o unsized.zst
    head -c 100000 big >some; zstd -q some
    size() { stat -c %s $1; }
    cp a.zst wrong.zst; printf '\\252' | dd of=wrong.zst bs=1 seek=$(($(size a.zst) - 1)) conv=notrunc 2>/dev/null
    cp big.zst wrong_big.zst
    printf '\\252' | dd of=wrong_big.zst bs=1 seek=$(($(size big.zst) - 1)) conv=notrunc 2>/dev/null
";

#[test]
fn the_limit_counts_the_window_that_a_frame_demands() {
    const LIMITS: &str = "for file in a big pipe unsized some; do for limit in 1K 2K 100KB 1M 2M 4M; do
        zstd -q -d -M$limit -c $file.zst | cksum; zstd -q -t --memory=$limit $file.zst 2>/dev/null; echo $?
        zstd -q -d -M$limit <$file.zst 2>/dev/null | cksum; done; done; rm -r *";
    check(&[
        scene("frames of all kinds", DATA, LIMITS),
        scene(
            "the window that would be written counts if no limit is named",
            DATA,
            "status 'zstd -q -d --long=12 -c pipe.zst'; status 'zstd -q -d --zstd=wlog=12 -c pipe.zst'
             status 'zstd -q -d --long=21 -c pipe.zst'; status 'zstd -q -d -M512 -c a.zst'
             status 'zstd -q -d --long=9 -c a.zst'; status 'zstd -q -d --long=32 -c a.zst'
             status 'zstd -q -d -M1K -c big.zst'; rm -r *",
        ),
    ]);
}

#[test]
fn what_is_not_compressed_passes_if_it_may() {
    check(&[quiet_lines(
        "pass-through",
        DATA,
        &[
            "echo x | zstd -dcf",
            "echo x | zstd -df",
            "printf x | zstd -dcf",
            "echo x | zstd -dc",
            "echo x | zstd -dcf --no-pass-through",
            "printf '' | zstd -dcf",
            "echo x | zstd -t -f",
            "echo x | zstdcat",
            "zstd -q -d -f a; echo $?",
            "cp a.zst x.zstd; zstd -q -d x.zstd; cat x",
            "zstd -q -d --output-dir-flat . a.zst -f; cat a",
        ],
    )]);
}

#[test]
fn checksums_can_be_ignored() {
    check(&[quiet_lines(
        "a checksum that is wrong",
        DATA,
        &[
            "zstd -q -dc wrong.zst; echo $?",
            "zstd -q -dc --no-check wrong.zst; echo $?",
            "zstd -q -t --no-check wrong.zst wrong_big.zst; echo $?",
            "zstd -q -t wrong_big.zst; echo $?",
            "zstd -q -dc --no-check <wrong_big.zst | cksum",
            "zstd -q -dc --no-check --check wrong.zst; echo $?",
            "zstdcat --no-check wrong.zst big.zst | cksum",
        ],
    )]);
}

#[test]
fn levels_out_of_range_are_taken_as_by_zstd() {
    const LINES: [&str; 12] = [
        "zstd -0 -c a | zstd -dc",
        "zstd -q -20 -c a | zstd -dc",
        "zstd -c --ultra -23 -q a | zstd -dc",
        "zstd --fast=131073 -c a | zstd -dc",
        "zstd --fast=4294967295 -c a | zstd -dc",
        "zstd --fast=4294967296 -c a; echo $?",
        "zstd --fast=0 -c a; echo $?",
        "zstd --fast= -c a; echo $?",
        "zstd --fast=x -c a; echo $?",
        "ZSTD_CLEVEL=-200000 zstd -c a | zstd -dc",
        "zstd --format=gzip --fast=3 -c a 2>/dev/null; echo $?",
        "zstd --format=xz --fast=3 -c a | xz -dc; zstd --format=lz4 --fast=3 -c a | lz4 -dc",
    ];
    check(&[quiet_lines("levels", DATA, &LINES)]);
}

#[test]
fn several_inputs_into_one_output_want_a_yes() {
    const INPUTS: &str =
        "echo hello >a; echo world >b; zstd -q a b; mkdir d e; cp a d; cp b e; echo old >there";
    let mut scenes = Vec::new();
    for options in ["", "-q", "-qq", "-f", "--rm", "-q --rm", "-f --rm", "-q -f --rm", "-v"] {
        for (before, inputs) in
            [("", "a b"), ("echo y |", "a b"), ("echo y |", "a b -"), ("", "-d a.zst b.zst")]
        {
            let run = format!("{before} zstd {options} {inputs} -o c 2>/dev/null");
            scenes.push(scene("-o", INPUTS, run.leak()));
        }
    }
    for run in [
        "zstd -q -r d e -o c",
        "echo y | zstd -r d e -o c 2>/dev/null",
        "zstd -q a b -o /dev/null",
        "zstd -q a -o c",
        "zstd -q -t a.zst b.zst -o c",
        "echo y | zstd -q -f a b -o there",
        "zstd -q -c --rm a b | zstd -dc",
    ] {
        scenes.push(scene("other ways", INPUTS, run));
    }
    scenes.push(scene("the question", INPUTS, "zstd a b -o c").with_stderr());
    scenes.push(scene("the question, with --rm", INPUTS, "zstd --rm a b -o c").with_stderr());
    scenes.push(scene("no question", INPUTS, "zstd -q a b -o c").with_stderr());
    check(&scenes);
}

#[test]
fn the_header_says_the_length_or_not() {
    // The third bit of the flags and the highest two tell of the length.
    const FLAGS: &str = "flags() { head -c 5 | tail -c 1 | od -An -tu1 | tr -d ' '; }\n";
    let lines = [
        "zstd -c a",
        "zstd -c --no-content-size a",
        "zstd -c --no-content-size big",
        "zstd -c --no-content-size --content-size a",
        "zstd -c --stream-size=6 <a",
        "zstd -c --stream-size=6 --no-content-size <a",
        "zstd -c --stream-size=60 a",
        "zstd -c --no-check a",
    ];
    check(&lines.map(|line| play("the length", DATA, &format!("{FLAGS}{line} | flags"))));
    check(&[play(
        "pzstd",
        DATA,
        "pzstd -q --no-content-size -c a | tail -c +13 | head -c 5 | tail -c 1 | od -An -tu1",
    )
    .ours(0, r#"stdout "   4\n""#)]);
}

#[test]
fn formats_follow_each_other() {
    const MIXED: &str = "echo hello >a; z() { zstd -q -c a; }; l() { xz --format=lzma -c a; }; x() { xz -c a; }
        g() { gzip -c a; }; f() { lz4 -q -c a; }; known() { xz --format=lzma -c <a; }
        { z; x; l; z; } >zxlz; { l; g; f; l; x; } >lgflx; { g; l; } >gl; { z; l; l; } >zll; { l; echo junk; } >junk";
    check(&[quiet_lines(
        "in one input",
        MIXED,
        &[
            "zstd -q -dc zxlz; echo $?",
            "zstd -q -dc <zxlz; echo $?",
            "zstd -q -dc lgflx; echo $?",
            "zstd -q -dc gl zll; echo $?",
            "zstd -q -t zxlz lgflx gl zll; echo $?",
            "zstd -q -dc junk; echo $?",
            "zstd -q -dcf junk; echo $?",
        ],
    )]);
}

const DICTIONARIES: &str = "
    for n in $(seq 1 300); do echo \"line $n of text, common words here $((n * 7919 % 1000)), foo bar $n$n\" >s$n; done
    zstd -q --train s* -o dict --maxdict=2048 2>/dev/null; zstd -q --train s1* -o other --maxdict=2048 2>/dev/null
    echo 'line 7 of text, common words here 5, foo bar' >a; cat s* >raw; cat s* a >b; : >nil; mkdir d
    zstd -q -D dict a b; zstd -q -D raw b -o raw.zst; zstd -q -D dict --no-dictID a -o unnamed.zst
    zstd -q a -o plain.zst; head -c 100 dict >damaged; head -c 33M /dev/zero >huge; rm s*
";

#[test]
fn a_dictionary_that_is_trained_here_is_as_good_as_that_of_the_original() {
    const SAMPLES: &str = "
        for n in $(seq 1 1000); do echo \"{'id': $n, 'city': 'place $((n % 17))', 'name': 'user $((n * 7919 % 1000))'}\" >s$n; done";
    check(&[play(
        "1,000 files",
        SAMPLES,
        "zstd -q --train s* -o ours --maxdict=4KB; echo $?; zstd --train s* --maxdict 4096 2>/dev/null; cmp ours dictionary
         /usr/bin/zstd -q --train s* -o theirs --maxdict=4096 2>/dev/null; test $(stat -c %s ours) -le 4096 || echo long
         set=$(for n in $(seq 1 1000); do /usr/bin/zstd -q -D ours -c s$n; done | wc -c)
         of=$(for n in $(seq 1 1000); do /usr/bin/zstd -q -D theirs -c s$n; done | wc -c)
         test $((set * 100)) -le $((of * 101)) || echo $set is more than $of; zstd -D ours -c s7 | zstd -D ours -dc
         zstd --train-cover=k=50 s* -o other 2>/dev/null; echo $?; zstd -q --train s1 -o other 2>/dev/null; echo $?",
    )
    .ours(0, r#"stdout "0\n{'id': 7, 'city': 'place 7', 'name': 'user 433'}\n1\n1\n""#)]);
}

#[test]
fn dictionaries_are_used_both_ways() {
    check(&[quiet_lines(
        "right ones",
        DICTIONARIES,
        &[
            "zstd -D dict -dc a.zst b.zst | cksum",
            "zstd -D dict -dc <b.zst | cksum",
            "zstd -D raw -dc raw.zst | cksum",
            "zstd -D dict -dc unnamed.zst plain.zst",
            "zstd -D dict -q -t a.zst b.zst plain.zst; echo $?",
            "zstd -D dict -c a b | /usr/bin/zstd -D dict -dc | cksum",
            "zstd -D raw -c b | /usr/bin/zstd -D raw -dc | cksum",
            "zstd -D dict -19 -c b | /usr/bin/zstd -D dict -dc | cksum",
            "zstd -D dict --fast=5 -T3 -c b | /usr/bin/zstd -D dict -dc | cksum",
            "zstd -D dict --zstd=strategy=7,wlog=17 -c b | /usr/bin/zstd -D dict -dc | cksum",
            "zstd -D nil -c a | zstd -dc",
            "zstd -D dict -c <a | zstd -D dict -dc",
            "zstd -cD dict a | /usr/bin/zstd -D dict -dc",
            "zstd -D other -D dict -dc a.zst",
            "zstd -D dict --format=gzip -c a | gzip -dc",
            "echo x | zstd -D dict -dcf",
            // The id is behind the window, or where that would be.
            "zstd -D dict -c a | od -An -tx1 -j5 -N4",
            "zstd -D dict --no-dictID -c a | od -An -tx1 -j4 -N2",
            "zstd -D raw -c a | od -An -tx1 -j4 -N2",
            "zstd -D dict -M1K -dc a.zst",
            "zstd -q -D dict -l a.zst >/dev/null; echo $?",
        ],
    )]);
    check(&[
        play(
            "the frames of pzstd",
            DICTIONARIES,
            "cat b b b b b b b b >c; cat c c c c c c c c >big; pzstd -q -D dict -c big >o; pzstd -p4 -q -D dict -dc o | cmp - big
             /usr/bin/zstd -D dict -dc o | cmp - big; zstd -dc o 2>/dev/null | head -c 1 | wc -c",
        )
        .ours(0, r#"stdout "0\n""#),
    ]);
}

#[test]
fn wrong_dictionaries_are_errors() {
    check(&[
        quiet_lines(
            "wrong ones",
            DICTIONARIES,
            &[
                "zstd -D dict -dc raw.zst; echo $?",
                "zstd -dc raw.zst; echo $?",
                "zstd -D other -dc unnamed.zst; echo $?",
                "zstd -D damaged -c a; echo $?",
                "zstd -D damaged -dc a.zst; echo $?",
                "zstd -D other -dc a.zst plain.zst; echo $?",
                "zstd -D a -c a; echo $?",
                "zstd -D nope -c a; echo $?",
                "zstd -D d -c a; echo $?",
                "zstd -D huge -c a; echo $?",
                "zstd -D nope -t a.zst; echo $?",
            ],
        ),
        lines(
            "what is said of them",
            DICTIONARIES,
            &[
                "zstd -D nope -c a",
                "zstd -D d -c a",
                "zstd -D /dev/null -c a",
                "zstd -D huge -c a",
                "zstd -D nope -dc a.zst",
                "zstd -qq -D nope -dc a.zst",
                "zstd -D a -c a",
                // Behind the first line pzcomp tells more.
                "zstd -dc a.zst 2>&1 | head -n 1",
                "zstd -D raw -dc a.zst 2>&1 | head -n 1",
                "zstd -D other -dc a.zst 2>&1 | head -n 1",
            ],
        ),
    ]);
}

#[test]
fn parameters_reach_the_encoder() {
    check(&[quiet_lines(
        "--zstd",
        DATA,
        &[
            "zstd --zstd=wlog=12 -c <big | od -An -tx1 -j5 -N1",
            "zstd --zstd=windowLog=20,chainLog=18,hashLog=17,searchLog=2,minMatch=4,targetLength=16,strategy=6 -c big | zstd -dc | cksum",
            "zstd --zstd=wlog=20,clog=18,hlog=17,slog=2,mml=4,tlen=16,strat=9,ovlog=3 -c big | zstd -dc | cksum",
            "zstd --long=20 --zstd=lhlog=18,lmml=32,lblog=3,lhrlog=5 -c big | zstd -dc | cksum",
            "zstd --zstd=wlog=0 -c a | zstd -dc",
            "zstd --zstd=wlog=9 -c a 2>/dev/null; echo $?",
            "zstd --zstd=wlog=99 -c a 2>/dev/null; echo $?",
            "zstd --zstd=foo=1 -c a 2>/dev/null; echo $?",
            "zstd --zstd=wlog -c a 2>/dev/null; echo $?",
            "zstd --zstd -c a 2>/dev/null; echo $?",
            "zstd --target-compressed-block-size=2000 -c big | zstd -dc | cksum",
            "zstd --size-hint=1000 -c <big | zstd -dc | cksum",
            "zstd --auto-threads=logical -c a | zstd -dc",
            "zstd --auto-threads=physical -c a | zstd -dc",
        ],
    )]);
}

#[test]
fn what_is_called_compressed_can_be_left_out() {
    const FILES: &str = "for f in a a.gz a.GZ a.tar.xz a.tar .gz; do echo $f >$f; done; mkdir d; cp a a.gz d";
    check(&[
        scene("files", FILES, "zstd -q --exclude-compressed a a.gz a.GZ a.tar.xz a.tar .gz"),
        play(
            "files that only newer ones leave out",
            FILES,
            "cp a a.jpg; cp a a.zip; zstd -q --exclude-compressed a*; ls *.zst; rm .gz",
        )
        .ours(0, r#"stdout "a.GZ.zst\na.tar.zst\na.zst\n""#),
        scene("folders", FILES, "zstd -q -r --exclude-compressed d"),
        scene("to standard output", FILES, "zstd -q -c --exclude-compressed a.gz a | zstd -dc"),
        scene(
            "it is no matter of decompression",
            FILES,
            "zstd -q a.tar; zstd -q -d -f --exclude-compressed a.tar.zst",
        ),
    ]);
}

#[test]
fn a_list_notices_files_that_are_cut_short() {
    const CUT: &str =
        "seq 1 100000 >a; zstd -q a; seq 1 100000 | zstd -q >pipe.zst; cat a.zst pipe.zst >two.zst
        printf '\\120\\052\\115\\030\\144\\0\\0\\0abc' >skip.zst; cat a.zst skip.zst >behind.zst
        for n in 5 20 1000 74077 74080 80000 148158; do head -c $n two.zst >cut$n.zst; done";
    check(&[
        scene(
            "the status",
            CUT,
            "for f in *.zst; do zstd -l $f >/dev/null 2>&1; echo $? $f; done; zstd -l a.zst cut1000.zst >/dev/null 2>&1; echo $?
             zstd -lv cut1000.zst >/dev/null 2>&1; echo $?; rm *",
        ),
        scene("a sentence says so", CUT, "zstd -l cut1000.zst 2>&1 >/dev/null | grep -c cut1000.zst; rm *")
            .ours(0, r#"stdout "1\n""#),
    ]);
}

#[test]
fn a_long_list_has_what_the_headers_say() {
    const FRAMES: &str = "seq 1 100000 >a; zstd -q a; zstd -q --no-check a -o nc.zst; zstd -q --fast=3 --zstd=wlog=18 a -o w.zst
        for n in $(seq 1 300); do echo \"line $n of text, common words here $((n * 7919 % 1000)), foo bar $n$n\" >s$n; done
        zstd -q --train s* -o dict --maxdict=2048 2>/dev/null; zstd -q -D dict s1; rm s?*[0-9]
        printf '\\120\\052\\115\\030\\003\\0\\0\\0abc' >skip; cat skip a.zst skip s1.zst >all.zst; cat a.zst w.zst >two.zst
        zstd -q --long=24 --no-content-size a -o long.zst; : >e; zstd -q e; pzstd -q a -o p.zst; rm dict e skip";
    check(&[
        scene(
            "each file",
            FRAMES,
            "for f in a nc w s1 two e; do zstd -lv $f.zst 2>/dev/null; zstd -l $f.zst; done; zstd -lv a.zst s1.zst nc.zst 2>/dev/null; zstd -lvv a.zst two.zst 2>/dev/null; rm *",
        ),
        scene(
            "pzcomp knows the length if the header does not",
            FRAMES,
            "for f in all long p; do zstd -lv $f.zst 2>/dev/null | grep -v -e ^Decomp -e ^Ratio; done; rm *",
        ),
        scene(
            "columns",
            FRAMES,
            "zstd -l a.zst all.zst nc.zst; zstd -l all.zst; zstd -l p.zst | awk '{ print $1, $2 }'; rm *",
        ),
    ]);
}

#[test]
fn a_dictionary_among_the_inputs_is_left_out() {
    check(&[
        quiet_lines(
            "and the others are compressed",
            DICTIONARIES,
            &[
                "rm *.zst; zstd -D dict dict a b; echo $?; ls",
                "zstd -D dict -c a dict b | zstd -D dict -dc | cksum",
                "zstd -f -D dict dict; echo $?",
                "cp a d; ln dict d; zstd -r -D dict d; echo $?; ls d",
                "ln -s dict link; zstd -f -D dict link a; echo $?; ls",
                "zstd -D dict -c <dict | zstd -D dict -dc | cmp - dict; echo $?",
                "zstd -f -D dict dict -o z; echo $?; ls",
                "cp dict dict.zst; zstd -D dict -t dict a.zst; echo $?",
            ],
        ),
        lines("what is said of it", DICTIONARIES, &["zstd -q -D dict dict a", "zstd -q -f -D dict ./dict a"]),
    ]);
}

/// As of 1.5.7.
#[test]
fn max_names_the_highest_level() {
    check(&[play(
        "it is no longer than level 19, and needs no option of the decoder where a file is its window",
        DATA,
        "zstd -q --max big -o max.zst; zstd -q -19 big -o 19.zst; test $(wc -c <max.zst) -le $(wc -c <19.zst); echo $?
        /usr/bin/zstd -dc max.zst | cmp - big; zstd -q --max -c <a | /usr/bin/zstd -dc --long=31",
    )
    .ours(0, r#"stdout "0\nhello\n""#)]);
}

#[test]
fn a_level_of_more_than_32_bits_is_refused() {
    check(&[quiet_lines(
        "in every place where a number stands",
        DATA,
        &["zstd -5000000000 -f a; echo $?", "zstd --fast -4294967296 a -o z; echo $?", "ls"],
    )]);
    same(&[
        [DATA, "zstd -5000000000 -c a"],
        [DATA, "zstd --fast=4294967296 -c a"],
        [DATA, "zstd -T4294967296 -c a"],
        [DATA, "zstd --fast -4294967296 -c a"],
        [DATA, "zstd -18446744073709551617 -c a"],
        [DATA, "zstd -q --fast -4294967295 -c a | zstd -dc"],
        [DATA, "zstd -4294967295 -c a | zstd -dc"],
    ]);
}
