//! lzip and plzip: members of version 0, and what follows members.
//!
//! Debian's `lzip` may be plzip; where both originals are installed, their statuses are the same here. Add a scene,
//! with `with_stderr` only under the name plzip. What lzip makes of files, and its words, are in `lzip/usage.rs`.

mod usage;

use crate::scene::{check, scene};

/// `hello` in a member of version 0, which does not say how long it is, and in one of version 1.
const OLD: &str = r"printf 'LZIP\000\014\000\064\031\111\356\215\335\075\072\337\377\377\335\022\000\000\040\060\072\066\006\000\000\000\000\000\000\000' >old.lz
    echo hello | lzip >new.lz; cat old.lz old.lz new.lz old.lz >all.lz; cat new.lz old.lz new.lz >mixed.lz";

#[test]
fn version_0_is_read_by_xz_and_refused_by_lzip() {
    check(&[
        scene("xz", OLD, "for f in *.lz; do xz -dc $f; xz -dc --format=lzip <$f; xz -t $f; echo $?; done; rm *").with_stderr(),
        scene("xz, to a file", OLD, "xz -d old.lz").with_stderr(),
        scene("xz, cut short", OLD, "for n in 5 6 20 30 33; do head -c $n old.lz | xz -t; echo $?; done; rm *"),
        scene("xz, with another CRC-32", OLD, r"printf '\001' | dd of=old.lz bs=1 seek=22 conv=notrunc 2>/dev/null
            xz -t old.lz; s=$?; rm *; exit $s"),
        scene("lzip", OLD, "rm all.lz; lzip -dc old.lz; echo $?; lzip -t mixed.lz; echo $?; lzip -l old.lz 2>/dev/null; echo $?; rm *"),
        scene("plzip, in its words", OLD, "plzip -t all.lz; s=$?; rm *; exit $s").with_stderr(),
        scene("pzcomp", OLD, "for f in *.lz; do pzcomp -dc $f; pzcomp -l $f | awk 'NR > 1 { print $1, $2 }' | wc -l; done; rm *").ours(0, r#"stdout "hello\nhello\nhello\nhello\n1\nhello\nhello\nhello\n1\nhello\n1\nhello\n1\n""#),
    ]);
}

/// Each of these comes behind a member.
const TAILS: &str = r"printf x >t1; printf garbage >t2; printf '\0\0\0' >t3; printf 'Lxxxfoo' >t4; printf LZIQ >t5
    printf 'LZxxabcd' >u1; printf 'xxIPfoo' >u2; printf 'LXIP\001\014a' >u3; printf 'LXIP\001\014' >v4; printf 'LZIP\002\014aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' >u4
    printf 'LZIP\001\003aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' >u5; printf L >u6; printf LZI >u7; printf LZIP >u8; printf 'LZIP\001' >u9
    echo hello | lzip >first; (cat first; printf foo) >v1; cp first v2; : >v3";

#[test]
fn what_follows_a_member_is_judged_as_lzip_does() {
    let play = |options: &str| -> &'static str {
        format!("for t in t? u? v?; do cat first $t | plzip -t {options} 2>/dev/null; echo $t $?; done; rm *")
            .leak()
    };
    check(&[
        scene("as a rule", TAILS, play("")),
        scene("-a", TAILS, play("-a")),
        scene("--trailing-error", TAILS, play("--trailing-error")),
        scene("--loose-trailing", TAILS, play("--loose-trailing")),
        scene("--loose-trailing -a", TAILS, play("--loose-trailing -a")),
        scene(
            "data is written",
            TAILS,
            "for t in t? v?; do cat first $t | plzip -dc; done; cat first u1 | plzip -dc --loose-trailing; rm *",
        ),
        scene("a damaged header", TAILS, "cat first u1 | plzip -t; s=$?; rm *; exit $s").with_stderr(),
        scene("a wrong dictionary", TAILS, "cat first u5 | plzip -t; s=$?; rm *; exit $s").with_stderr(),
        scene("an unknown version", TAILS, "cat first u4 | plzip -t; s=$?; rm *; exit $s").with_stderr(),
    ]);
}

#[test]
fn a_large_dictionary_is_no_trouble() {
    check(&[scene(
        "512 MiB",
        r"echo hello | lzip >a.lz; printf '\035' | dd of=a.lz bs=1 seek=5 conv=notrunc 2>/dev/null",
        "lzip -dc a.lz; xz -dc a.lz; rm a.lz",
    )]);
}

/// The files behind a damaged one stay as they are, and nothing is made of a file that is not there.
#[test]
fn an_input_that_cannot_be_decompressed_ends_the_run() {
    const GIVEN: &str = "echo hello >a; lzip -k a; echo nothing >no.lz; cp a.lz b.lz; rm a";
    check(&[
        scene("in place", GIVEN, "plzip -d no.lz b.lz 2>/dev/null"),
        scene("to standard output", GIVEN, "plzip -dc a.lz no.lz b.lz 2>/dev/null"),
        scene("a file that is not there is passed over", GIVEN, "plzip -d missing.lz b.lz 2>/dev/null"),
        scene("testing goes on", GIVEN, "plzip -t a.lz no.lz b.lz 2>/dev/null"),
        scene("no output without input", GIVEN, "plzip -d -q -o out missing.lz; plzip -q -o out.lz missing"),
        scene("lzip", GIVEN, "lzip -d no.lz b.lz 2>/dev/null"),
    ]);
}

#[test]
fn standard_input_is_read_once() {
    const FILE: &str = "echo hello >a; lzip a";
    check(&[
        scene(
            "-dc",
            FILE,
            "lzip -dc - - <a.lz; lzip -dc - a.lz - <a.lz; lzip -dc a.lz - - </dev/null; echo $?; rm *",
        ),
        scene("-t", FILE, "lzip -t - - <a.lz; echo $?; plzip -l - - <a.lz; rm *"),
        scene("compressing", FILE, "echo hello | lzip -c - - | wc -c; rm *"),
        scene("to a file", FILE, "plzip -d -o out - - <a.lz; rm a.lz"),
    ]);
}

#[test]
fn what_has_the_suffix_is_not_compressed_again() {
    const FILE: &str = "echo hello >a; lzip -k a; cp a.lz b.tlz";
    let lines = [
        "-c a.lz",
        "-cf a.lz",
        "-c a a.lz",
        "-c b.tlz",
        "-k a.lz",
        "-f a.lz",
        "-o out a.lz",
        "-cF a.lz",
        "-c <a.lz",
    ];
    check(&lines.map(|line| {
        let run = format!(
            "lzip {line} | wc -c; lzip {line} >/dev/null 2>err; echo $?; sed 's/^p*lzip: //' err; ls"
        );
        scene("lzip", FILE, format!("{run}; rm *").leak())
    }));
}

#[test]
fn an_option_without_its_value_is_an_error() {
    const FILE: &str = "echo hello >a; lzip -k a";
    check(&[
        scene(
            "compressing",
            FILE,
            "lzip --output= a 2>/dev/null; echo $?; lzip -o '' a 2>/dev/null; echo $?; ls; rm *",
        ),
        scene(
            "decompressing",
            FILE,
            "lzip -d --output= a.lz 2>/dev/null; echo $?; lzip -d -o '' a.lz 2>/dev/null; echo $?; ls; rm *",
        ),
        scene(
            "numbers",
            FILE,
            "plzip --threads= a 2>/dev/null; echo $?; plzip -n '' a 2>/dev/null; echo $?; ls; rm *",
        ),
        scene("what is said", FILE, "plzip --output= a; rm *").with_stderr(),
    ]);
}

#[test]
fn an_input_that_is_missing_makes_no_output() {
    const FILES: &str = "echo hello >a; lzip -k a; echo precious >there";
    check(&[
        scene("compressing", FILES, "plzip -q -o out nope; echo $?; ls; rm *"),
        scene("decompressing", FILES, "plzip -q -d -o out nope.lz; echo $?; ls; rm *"),
        scene("a file that is there stays", FILES, "plzip -q -f -o there nope; echo $?; cat there; rm *"),
        scene("no folder either", FILES, "lzip -q -o d/e/out nope; echo $?; ls; rm *"),
    ]);
}

/// As of lzip 1.24 and plzip 1.11.
#[test]
fn folders_on_the_way_to_the_output_are_made() {
    const FILES: &str = "echo hello >a; lzip -k a; old *";
    check(&[
        scene("compressing", FILES, "lzip -o d/e/out a; plzip -o d/f/g <a; rm a a.lz").ours(
            0,
            r#"d/e/out 644 links=1 inode=new old lzip "hello\n"
            d/f/g.lz 644 links=1 inode=new now lzip "hello\n""#,
        ),
        scene("decompressing", FILES, "plzip -d -o d/e/out a.lz; rm a a.lz")
            .ours(0, r#"d/e/out 644 links=1 inode=new old "hello\n""#),
        scene("they cannot be made", FILES, "lzip -q -o a/e/out a; s=$?; rm *; exit $s").ours(1, ""),
    ]);
}

#[test]
fn a_long_list_has_what_the_members_say() {
    const FILES: &str =
        "echo hello >a; seq 1 20000 >b; lzip -k -0 a; lzip -k -9 b; cat a.lz b.lz a.lz >c.lz; : >e; lzip e
        (cat c.lz; echo this is no member) >t.lz; (cat a.lz; printf '\\0\\0\\0') >z.lz; rm a b";
    let mut scenes: Vec<_> = ["", "v", "vv", "vvv"]
        .into_iter()
        .flat_map(|verbose| {
            ["a.lz", "c.lz", "*.lz", "a.lz c.lz b.lz", "- <c.lz", "<t.lz", "nope a.lz"].map(|files| {
                scene(
                    "the table",
                    FILES,
                    format!("plzip -l{verbose} {files} 2>/dev/null; echo $?; rm *").leak(),
                )
            })
        })
        .collect();
    scenes.push(scene("one line for a test", FILES, "plzip -tvv c.lz a.lz t.lz; rm *").with_stderr());
    scenes.push(scene("-a", FILES, "plzip -la t.lz; echo $?; plzip -la z.lz; echo $?; rm *"));
    check(&scenes);
}

#[test]
fn a_list_tells_data_between_members_from_what_is_behind_them() {
    const FILES: &str =
        "echo hello >a; lzip a; (cat a.lz; echo data between two; cat a.lz) >m.lz; cat a.lz a.lz m.lz >n.lz
        (cat a.lz; head -c 41 a.lz) >o.lz";
    check(&[scene("the status", FILES, "for f in *; do plzip -l $f 2>/dev/null; echo $?; done; rm *")]);
}

/// The original makes no folders in this version; newer ones make those on the way to a file.
#[test]
fn a_name_that_ends_with_a_slash_is_no_output() {
    const GIVEN: &str = "line >a; lzip -k a; mkdir d";
    let is_refused = |program: &str| -> &'static str {
        format!(
            "for o in b/c/d/ b/ d/; do
               {program} -d a.lz -o $o 2>/dev/null; echo $?; {program} -k a -o $o 2>/dev/null; echo $?
             done; find . | sort"
        )
        .leak()
    };
    check(&[scene("lzip", GIVEN, is_refused("lzip")), scene("plzip", GIVEN, is_refused("plzip"))]);
    check(&[scene("in its words", GIVEN, "plzip -k a -o d/").with_stderr()]);
}
