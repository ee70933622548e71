//! Exit statuses: what scripts are told of an error, where a tool tells errors apart.
//!
//! The peers are the originals. Each test is a list of command lines, whose statuses must be the same; add a line, and
//! what it needs to what is given for its tool.

use crate::scene::{Scene, check, scene};

/// A script that prints the status of each command line.
fn statuses(guards: &'static str, given: &'static str, commands: &[&str]) -> Scene {
    let script: Vec<String> = commands.iter().map(|command| format!("status '{command}'")).collect();
    // Only the statuses matter here.
    scene(guards, given, format!("{}\nchmod -R u+rw .; rm -r *", script.join("\n")).leak()).unprivileged()
}

/// `g` has more than one block, `u` cannot be read, and nothing can be made in `ro`.
macro_rules! given {
    ($own:literal) => {
        concat!(
            "yes 'many lines that differ' | head -n 20000 | nl >g; echo hello >a; cp a u; mkdir d ro; cp a ro/a
            echo junk >n; : >e
            # Changes two bytes of a file at this offset.
            damage() { cp $1 $3; printf '\\252\\125' | dd of=$3 bs=1 seek=$2 conv=notrunc 2>/dev/null; }
            size() { stat -c %s $1; }\n",
            $own,
            "\nchmod 000 u u.*; chmod 555 ro"
        )
    };
}

const LZ4: &str = given!(
    "lz4 -q g g.lz4; lz4 -q -BX g bx.lz4; lz4 -q -l g l.lz4; cp g.lz4 u.lz4; cp g.lz4 ro/b.lz4; cp n n.lz4
    for n in 2 4 6 7 11 1000; do head -c $n g.lz4 >cut$n.lz4; done; cp cut1000.lz4 cut.lz4
    for n in 0 4 5 6 1000; do damage g.lz4 $n bad$n.lz4; done; damage g.lz4 $(($(size g.lz4) - 3)) bad_check.lz4
    damage bx.lz4 1000 bad_block.lz4
    cat g.lz4 n >junk.lz4"
);

const LZ4_LEGACY: &str = given!(
    "for n in 1 2 3; do cat g g g g; done >gg; lz4 -q -l gg l.lz4; lz4 -q g g.lz4; head -c 1000 g.lz4 >cut.lz4
    for n in 4 8 1000 100000; do head -c $n l.lz4 >cut$n.lz4; done; cat g.lz4 cut1000.lz4 >behind.lz4
    for n in 5 9 1000; do damage l.lz4 $n bad$n.lz4; done; cp l.lz4 u.lz4; rm gg"
);

#[test]
fn lz4() {
    check(&[
        statuses(
            "what is wrong with the data",
            LZ4,
            &[
                "lz4 -dc cut2.lz4",
                "lz4 -dc cut4.lz4",
                "lz4 -dc cut6.lz4",
                "lz4 -dc cut7.lz4",
                "lz4 -dc cut11.lz4",
                "lz4 -dc cut.lz4",
                "lz4 -t cut.lz4",
                "lz4 -d cut.lz4 o",
                "lz4 -dc bad0.lz4",
                "lz4 -dc bad4.lz4",
                "lz4 -dc bad5.lz4",
                "lz4 -dc bad6.lz4",
                "lz4 -dc bad1000.lz4",
                "lz4 -t bad_check.lz4",
                "lz4 -t bad_block.lz4",
                "lz4 -t junk.lz4",
                "lz4 -dc n.lz4",
                "lz4 -t n.lz4",
                "lz4 -dcf n.lz4",
                "lz4 -mt g.lz4 cut.lz4 g.lz4",
                "lz4 -mt n.lz4 g.lz4",
                "lz4 -dkm cut.lz4 g.lz4",
            ],
        ),
        statuses(
            "nothing at all is no error",
            LZ4,
            &["lz4 -dc </dev/null", "lz4 -dc e", "lz4 -t e", "lz4 -t </dev/null", "lz4 -d e o", "lz4cat e"],
        ),
        statuses(
            "what the system refuses",
            LZ4,
            &[
                "lz4 -c g >/dev/full",
                "lz4 -dc g.lz4 >/dev/full",
                "lz4 -dc l.lz4 >/dev/full",
                "lz4 -c u",
                "lz4 -dc u.lz4",
                "lz4 -t u.lz4",
                "lz4 -t nope",
                "lz4 -c d",
                "lz4 -f -m d a",
                "lz4 ro/a ro/o",
                "lz4 -d ro/b.lz4 ro/b",
                "lz4 a nodir/o",
                "lz4 -d g.lz4 nodir/o",
                "lz4 -f a d",
                "lz4 -q a g",
            ],
        ),
        statuses(
            "of several files it tells how many failed",
            LZ4,
            &["lz4 -m nope a g", "lz4 -m -d g.lz4 a", "lz4 -mt nope nope2 u.lz4", "lz4 -f -md g.lz4 a"],
        ),
        statuses(
            "frames of the old format have numbers of their own",
            LZ4_LEGACY,
            &[
                "lz4 -t cut4.lz4",
                "lz4 -t cut8.lz4",
                "lz4 -t cut1000.lz4",
                "lz4 -dc cut100000.lz4",
                "lz4 -d cut1000.lz4 o",
                "lz4 -t <cut1000.lz4",
                "lz4 -t behind.lz4",
                "lz4 -t bad5.lz4",
                "lz4 -t bad9.lz4",
                "lz4 -dc bad1000.lz4",
                "lz4 -t <bad1000.lz4",
                "lz4 -t l.lz4",
                "lz4 -t cut.lz4",
            ],
        ),
    ]);
}

const PIGZ: &str = given!(
    "gzip -k g; cp g.gz u.gz; gzip -c a >ro/b.gz; cp n n.gz; cat g.gz n >junk.gz
    cp g.gz d; head -c 1000 g.gz >cut.gz; damage g.gz 1000 bad.gz; damage g.gz $(($(size g.gz) - 7)) check.gz"
);

/// What pigz says, as everybody who runs it with `-q` wants to know that it says nothing.
const PIGZ_COMMANDS: [&str; 27] = [
    "pigz -c g >/dev/full",
    "pigz -dc g.gz >/dev/full",
    "pigz -k u",
    "pigz -c u",
    "pigz -dc u.gz",
    "pigz -t u.gz",
    "pigz -l u.gz",
    "pigz ro/a",
    "pigz -dk ro/b.gz",
    "pigz -kf nope u a; test -e a.gz",
    "pigz nope",
    "pigz -k d",
    "pigz -dc cut.gz",
    "pigz -t bad.gz",
    "pigz -t check.gz cut.gz g.gz n.gz",
    "pigz -t junk.gz",
    "pigz -t n.gz",
    "pigz -c g.gz",
    "pigz -cf g.gz",
    "pigz -kr d",
    "pigz -df <n",
    "pigz -dcf <n",
    "pigz -dc </dev/null",
    "pigz --foo",
    "pigz -p",
    "pigz -b x a",
    "pigz -d a",
];

#[test]
fn pigz() {
    let quiet: Vec<String> = PIGZ_COMMANDS.iter().map(|line| format!("{line} -q")).collect();
    let quiet: Vec<&str> = quiet.iter().map(String::as_str).collect();
    check(&[
        statuses("it aborts with the number of the error", PIGZ, &PIGZ_COMMANDS),
        statuses("and with -q", PIGZ, &quiet),
        scene(
            "-q says nothing whatever happens",
            PIGZ,
            "pigz -q nope; pigz -q -c g >/dev/full; pigz -qk u; pigz -q -t bad.gz cut.gz n.gz; pigz -q ro/a
             pigz -q -dc </dev/null; pigz -q --foo; pigz -q -p; pigz -q -d a; pigz -q -l u.gz; chmod -R u+rw .; rm -r *",
        )
        .unprivileged()
        .with_stderr(),
    ]);
}

const BZIP2: &str = given!(
    "bzip2 -k g; cp g.bz2 u.bz2; bzip2 -c a >ro/b.bz2; cp n n.bz2; cp e e.bz2; cat g.bz2 n >junk.bz2
    head -c 1000 g.bz2 >cut.bz2; head -c 3 g.bz2 >cut3.bz2
    damage g.bz2 1000 bad.bz2; damage g.bz2 $(($(size g.bz2) - 3)) check.bz2"
);

#[test]
fn bzip2() {
    check(&[
        statuses(
            "data is damaged",
            BZIP2,
            &[
                "bzip2 -dc cut.bz2",
                "bzip2 -dk cut.bz2",
                "bzip2 -t cut.bz2",
                "bzip2 -t bad.bz2",
                "bzip2 -t check.bz2",
                "bzip2 -t junk.bz2",
                "bzip2 -t n.bz2",
                "bzip2 -dc n.bz2",
                "bzip2 -dk n.bz2",
                "bzip2 -dcf n.bz2",
                "bzip2 -dcf cut3.bz2",
                "pbzip2 -dcf n.bz2",
                "pbzip2 -dcf junk.bz2",
                "lbzip2 -dcf junk.bz2",
                "lbzip2 -dcf n.bz2 g.bz2",
                "lbzip2 -df <n",
                "lbzip2 -df </dev/null",
                "bzip2 -dcf junk.bz2",
                "bzip2 -dc </dev/null",
                "bzip2 -t e.bz2",
                "bzip2 -t nope u.bz2 bad.bz2 g.bz2",
                "bzip2 -dkf cut.bz2 g.bz2; rm g.bz2.out",
                "rm g; bzip2 -dkf cut.bz2 g.bz2; test -e g",
                "bzip2 -dk n.bz2 e.bz2 g.bz2; test -e g",
                "bzip2 -dk n.bz2 g.bz2; test -e g",
            ],
        ),
        statuses(
            "the system refuses something",
            BZIP2,
            &[
                "bzip2 -c g >/dev/full",
                "bzip2 -dc g.bz2 >/dev/full",
                "bzip2 -k u",
                "bzip2 -dc u.bz2",
                "bzip2 -t u.bz2",
                "bzip2 ro/a",
                "bzip2 -dk ro/b.bz2",
                "bzip2 nope",
                "bzip2 d",
                "bzip2 -k g",
                "bzip2 g.bz2",
                "bzip2 --foo",
                "bzip2 -c g.bz2",
                "bzip2 -cf g.bz2",
                "bzip2 -c <g.bz2",
                "bzip2 -c nope.bz2",
                "lbzip2 -cf g.bz2",
                "pbzip2 -cf g.bz2",
                "bzip2 -c d",
                "bzip2 -c u.bz2",
            ],
        ),
    ]);
}

#[test]
fn lbzip2() {
    check(&[statuses(
        "4 for what it skips, 1 for what ends it",
        BZIP2,
        &[
            "lbzip2 -c g >/dev/full",
            "lbzip2 -dc g.bz2 >/dev/full",
            "lbzip2 -k u",
            "lbzip2 -c u",
            "lbzip2 -t u.bz2",
            "lbzip2 ro/a",
            "lbzip2 -k ro/a",
            "lbzip2 -dk ro/b.bz2",
            "lbzip2 nope",
            "lbzip2 d",
            "lbzip2 -k g",
            "lbzip2 g.bz2",
            "lbzip2 -dc cut.bz2",
            "lbzip2 -t bad.bz2",
            "lbzip2 -t u.bz2 bad.bz2",
            "lbzip2 -t junk.bz2",
            "lbzip2 -dc n.bz2",
            "lbzip2 -dcf n.bz2",
            "lbzip2 -dc </dev/null",
            "lbzip2 --foo",
            "rm g; lbzip2 -dk cut.bz2 g.bz2; test -e g",
            "lbzip2 -dk nope u.bz2 g.bz2; test -e g",
            "lbzip2 -c d",
            "lbzip2 -c d a",
            "lbzip2 -dc d g.bz2",
            "lbzip2 -t d",
            "lbzip2 -t g.bz2 d",
            "lbzip2 -kf d a",
            "lbzip2 -k d a; test -e a.bz2",
            "lbzcat d",
        ],
    )]);
}

#[test]
fn pbzip2() {
    check(&[statuses(
        "2 for what fails a test, 1 for the rest",
        BZIP2,
        &[
            "pbzip2 -c g >/dev/full",
            "pbzip2 -dc <g.bz2 >/dev/full",
            "pbzip2 -k u",
            "pbzip2 -dc u.bz2",
            "pbzip2 -t u.bz2",
            "pbzip2 -t nope",
            "pbzip2 -t cut.bz2",
            "pbzip2 -t n.bz2 g.bz2",
            "pbzip2 -t bad.bz2",
            "pbzip2 -t e.bz2",
            "pbzip2 -t junk.bz2",
            "pbzip2 -dc cut.bz2",
            "pbzip2 -dc n.bz2",
            "pbzip2 -dc e.bz2",
            "pbzip2 nope",
            "pbzip2 d",
            "pbzip2 -k g",
            "pbzip2 g.bz2",
            "rm g; pbzip2 -dk cut.bz2 g.bz2; test -e g",
            "pbzip2 -dk nope g.bz2; test -e g",
        ],
    )]);
}

const ZSTD: &str = given!(
    "zstd -q -k g; cp g.zst u.zst; zstd -q a -o ro/b.zst; cp n n.zst; head -c 1000 g.zst >cut.zst
    damage g.zst 1000 bad.zst; cat g.zst n >junk.zst"
);

#[test]
fn zstd() {
    check(&[statuses(
        "the number of the error that ends it, else 1",
        ZSTD,
        &[
            "zstd -c g >/dev/full",
            "zstd -dc g.zst >/dev/full",
            "zstd -c u",
            "zstd -dc u.zst",
            "zstd nope",
            "zstd -q nope a g; test -e a.zst",
            "zstd d",
            "zstd -t cut.zst",
            "zstd -t bad.zst g.zst",
            "zstd -t junk.zst",
            "zstd -dc n.zst",
            "zstd -dc </dev/null",
            "zstd --long=9 -c g",
            "zstd --long=32 -c g",
            "zstd -c --stream-size=5 <g",
            "zstd --foo",
            "zstd -T-1 -c a",
        ],
    )]);
}

/// What the originals only warn of, or skip, for each tool `X` with the suffix `.E`. Each line has a folder of its own.
const WARNINGS: [&str; 39] = [
    "X -k link",
    "X d",
    "X -f -k h",
    "X su",
    "X -k st",
    "X a.E",
    "X -k a.E there",
    "X -dc junk.E",
    "X -t junk.E",
    "X -dk junk.E",
    "X -q -t junk.E",
    "X -dc zeros.E",
    "X -t zeros.E",
    "X -dc one.E",
    "X -t one.E",
    "X -dc junk.E a.E",
    "X -t junk.E a.E",
    "X -q d a",
    "X d a",
    "X -c d a",
    "X -k old",
    "X -c new",
    "X -t empty",
    "X -dc empty a.E",
    "X -k exists",
    "X -dk link.E",
    "X -t two.E",
    "X -dc - <junk.E",
    "X -k a nope h",
    "X -dk a",
    "X -dkf a",
    "X -dk plain.E",
    "X -t plain.E",
    "X -dc cut.E",
    "X -t cut.E a.E",
    "X -dc nope.E a.E",
    "X -dk a.E.foo",
    "X -k d/a",
    "X -dk d/a.E",
];

#[test]
fn warnings_count_as_they_do_for_the_original() {
    const TOOLS: [(&str, &str); 6] =
        [("gzip", "gz"), ("pigz", "gz"), ("zstd", "zst"), ("lz4", "lz4"), ("xz", "xz"), ("bzip2", "bz2")];
    let scenes = TOOLS.map(|(tool, suffix)| {
        let given = format!(
            "mkdir w; cd w; echo hello >a; echo other >there; ln -s a link; mkdir d; cp a h; ln h h2; cp a su; cp a st
             chmod u+s su; chmod +t st; : >empty; cp a old; cp a new; touch -d @-100 old; touch -d @5000000000 new
             c() {{ {tool} -c <a; }}; e={suffix}
             c >a.$e; (c; echo garbage garbage) >junk.$e; (c; head -c 600 /dev/zero) >zeros.$e; (c; printf x) >one.$e
             (c; c) >two.$e; cp a exists; c >exists.$e; ln -s a.$e link.$e; echo plain >plain.$e; cp a.$e a.$e.foo
             head -c 15 a.$e >cut.$e; cp a a.$e d; chmod 555 d; cd .."
        );
        let lines = WARNINGS.map(|line| line.replacen('X', tool, 1).replace(".E", &format!(".{suffix}")));
        let script: Vec<String> = lines
            .iter()
            .map(|line| format!("cp -a w v; (cd v; status '{line}'); chmod -R u+rw v; rm -r v"))
            .collect();
        let script = format!("{}\nchmod -R u+rw w; rm -r w", script.join("\n"));
        scene("warnings", given.leak(), script.leak()).unprivileged()
    });
    check(&scenes);
}
