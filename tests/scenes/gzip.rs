//! gzip and pigz: links that lead nowhere, special files, versions, damage.
//!
//! The peers are GNU gzip and pigz. The modules have what they are about in their names; add a scene to one of them, or
//! here if it is about none.

mod callers;
mod decoding;
mod files;
mod header;
mod kill;
mod listing;
mod options;
mod owners;
mod pigz;
mod terminal;

use crate::scene::{check, scene};

#[test]
fn a_link_that_leads_nowhere_is_no_file_unless_links_matter() {
    const LINK: &str = "echo hello >a; gzip -c a >q.gz; ln -s nowhere q";
    check(&[
        scene("gunzip -c", LINK, "gunzip -c q; zcat q; gzip -dcf q; gzip -t q; echo $?"),
        scene("in place it is a link", LINK, "gunzip q"),
        scene("without the other file it is missed", "ln -s nowhere q", "gunzip -c q"),
        scene("compressing it is missed", LINK, "gzip -c q"),
    ]);
}

#[test]
fn pigz_compresses_what_has_special_rights() {
    const SPECIAL: &str = "echo hello >s; cp s g; chmod 4755 s; chmod 2755 g; old s g";
    check(&[
        scene("and the copy has none", SPECIAL, "pigz -k s g"),
        scene("gzip does not", SPECIAL, "gzip -kf s g"),
    ]);
}

#[test]
fn a_broken_code_table_is_a_violation_though_the_stream_is_cut() {
    check(&[scene(
        "bytes of the first table are changed",
        "seq 1 20000 | gzip -c | head -c 400 >cut.gz
         for at in 10 11 12 14 16 20 24 30; do for byte in 000 377 125; do
         cp cut.gz $at.$byte.gz; printf \"\\\\$byte\" | dd of=$at.$byte.gz bs=1 seek=$at conv=notrunc 2>/dev/null
         done; done",
        "for file in *.gz; do gzip -t $file; gzip -dc <$file | wc -c; done; rm *",
    )
    .with_stderr()]);
}

#[test]
fn the_version_says_whose_it_is() {
    check(&[scene(
        "scripts look for this line",
        "",
        "gzip -V | grep -q ^Copyright; echo $?; gzip -V | head -n 1 | cut -c 1-5
         gzip --version | head -n 1 | grep -c '^gzip [0-9.]*$'",
    )]);
    check(&[scene("and it names pzcomp", "", "gzip --version | grep -c '^This is pzcomp [0-9]'")
        .ours(0, r#"stdout "1\n""#)]);
}

#[test]
fn an_empty_code_of_code_lengths_is_a_violation_wherever_the_stream_ends() {
    check(&[scene(
        "three zeros behind the counts",
        r"printf '\037\213\010\000\060\060\060\060\060\060\144\000\000\000' >a.gz; cp a.gz b.gz; head -c 400 /dev/zero >>b.gz",
        "for f in *.gz; do gzip -t $f; echo $?; gzip -d <$f; echo $?; done; rm *",
    )
    .with_stderr()]);
}

/// As of pigz 2.7. Debian 12 has 2.6, which removes what has other names.
#[test]
fn pigz_keeps_what_has_other_names() {
    const LINKED: &str = "echo hello >a; old a; ln a b; gzip -c a >z.gz; ln z.gz y.gz; old z.gz";
    check(&[
        scene("compressing", LINKED, "rm ?.gz; pigz a").ours(
            1,
            r#"stderr "pigz: a has hard links -- not unlinking\n"
            a 644 links=2 inode=a old "hello\n"
            a.gz 644 links=1 inode=new old gzip "hello\n"
            b 644 links=2 inode=a old "hello\n""#,
        ),
        scene("decompressing", LINKED, "rm a b; pigz -d z.gz 2>/dev/null; echo $?; cat z; ls; rm *")
            .ours(0, r#"stdout "1\nhello\ny.gz\nz\nz.gz\n""#),
        scene("-q says nothing", LINKED, "pigz -q a; s=$?; rm *; exit $s").ours(1, ""),
        scene("-f removes it", LINKED, "pigz -f a z.gz 2>/dev/null"),
        scene("-k is content", LINKED, "pigz -k a; pigz -dk z.gz"),
        scene("-c is content", LINKED, "pigz -c a | pigz -dc"),
    ]);
}

#[test]
fn pigz_copies_the_sticky_bit() {
    const STICKY: &str = "echo hello >a; cp a b; cp a c; gzip c; chmod 1644 a c.gz; chmod 1600 b; old *";
    check(&[
        scene("pigz", STICKY, "pigz -k a b; pigz -d c.gz"),
        scene("gzip does not", STICKY, "gzip -f a b; gzip -df c.gz"),
    ]);
}

#[test]
fn a_gzip_file_that_is_compressed_again_keeps_its_time() {
    const TIMES: &str = "echo hello >a; touch -d @1000000000 a; gzip -k a; cp a.gz b.gz; old a.gz b.gz";
    check(&[scene("gzip", TIMES, "gzip -f a.gz"), scene("pigz", TIMES, "pigz -f a.gz; rm b.gz")]);
}
