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
        "gzip -V | grep -q ^Copyright; echo $?; gzip -V | head -n 1 | cut -c 1-5",
    )]);
}
