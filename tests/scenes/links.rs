//! How the program comes by its names: links that it makes itself, `--as`, and what it is by any other name.
//!
//! No original does this, so each scene says what pzcomp must come to.

use crate::scene::{check, scene};

#[test]
fn links_of_all_names_are_installed_where_one_wants_them() {
    check(&[scene(
        "twice, which is as good as once",
        "mkdir bin",
        "pzcomp --install-links bin >told; pzcomp --install-links bin >/dev/null
         head -n 1 share/man/man1/gunzip.1
         for name in gzip gunzip zcat pigz unpigz; do
           grep -oE \"man1/$name.1|bin/$name -> \" told | cut -d / -f 2
           test bin/$name -ef $(command -v pzcomp) || echo $name is another
         done
         PATH=$PWD/bin:$PATH; echo a | gzip -9 | zcat; rm -r bin share told",
    )
    .ours(0, r#"stdout ".so man1/gzip.1\ngzip -> \ngzip.1\ngunzip -> \ngunzip.1\nzcat -> \nzcat.1\npigz -> \npigz.1\nunpigz -> \nunpigz.1\na\n""#)]);
}

#[test]
fn the_name_qpress_is_only_for_links_made_by_hand() {
    check(&[
        scene(
            "--install-links leaves it out",
            "mkdir bin",
            "pzcomp --install-links bin | grep -oE 'bin/(qpress|lzop|7z|snzip|lzma) ' | sort
             find share -name '*lzop*' -o -name '7z*' -o -name 'qpress*'; rm -r bin share",
        )
        .ours(0, r#"stdout "bin/lzma \nbin/snzip \n""#),
        scene(
            "a link by hand",
            "",
            "ln -s $(command -v pzcomp) qpress; ./qpress a b 2>said; s=$?; grep -c 'package qpress' said; rm said qpress; exit $s",
        )
        .ours(1, r#"stdout "1\n""#),
    ]);
}

#[test]
fn what_is_there_under_a_name_is_left_alone() {
    check(&[
        scene(
            "a file",
            "echo mine >gzip",
            "pzcomp --install-links . 2>said >/dev/null; s=$?; grep -c '^pzcomp: .*gzip.*is unchanged' said
             find . -type l -delete; rm -r said man; exit $s",
        )
        .ours(
            1, r#"stdout "1\n"
            gzip 644 links=1 inode=gzip now "mine\n""#,
        ),
        scene(
            "a folder is made",
            "",
            "pzcomp --install-links is/made >/dev/null; test -L is/made/gzip; s=$?; rm -r is; exit $s",
        )
        .ours(0, ""),
        scene(
            "a man page",
            "mkdir -p is/made/man/man1; echo mine >is/made/man/man1/xz.1",
            "pzcomp --install-links is/made 2>said >/dev/null; s=$?; grep -c '^pzcomp: .*man1/xz.1.*is unchanged' said
             cat is/made/man/man1/xz.1; rm -r is said; exit $s",
        )
        .ours(1, r#"stdout "1\nmine\n""#),
        scene(
            "links before and behind a name that is taken",
            "mkdir bin; echo mine >bin/xz",
            "pzcomp --install-links bin 2>said >told; s=$?; grep -c 'bin/[gu]*zip -> ' told; grep -c -e man1/xz.1 -e man1/zstd.1 told
             test -L bin/zstd || echo none; rm -r bin share told said; exit $s",
        )
        .ours(1, r#"stdout "1\n1\n""#),
        scene(
            "no folder for the man pages",
            "mkdir bin; echo mine >share",
            "pzcomp --install-links bin 2>said >told; s=$?; grep -c 'bin/zstdcat -> ' told
             grep -c '^pzcomp: .*/share/man/man1: .*man pages' said; test -L bin/zstdcat || echo none
             rm -r bin told said; exit $s",
        )
        .ours(
            1, r#"stdout "1\n1\n"
            share 644 links=1 inode=share now "mine\n""#,
        ),
        scene("a file is no folder", "echo mine >gzip", "pzcomp --install-links gzip")
            .says("pzcomp: gzip: ")
            .ours(
                1, r#"gzip 644 links=1 inode=gzip now "mine\n""#,
            ),
    ]);
}

#[test]
fn without_a_link_the_name_is_said() {
    check(&[
        scene("gzip", "echo hello >a", "pzcomp --as gzip -n a; pzcomp --as zcat a.gz").ours(
            0,
            r#"stdout "hello\n"
            a.gz 644 links=1 inode=new now gzip "hello\n""#,
        ),
        scene("gzip's words", "", "pzcomp --as gzip -x")
            .ours(1, r#"stderr "gzip: invalid option -- 'x'\nTry `gzip --help' for more information.\n""#),
    ]);
}

#[test]
fn a_name_that_is_none_is_refused() {
    check(&[
        scene("unknown", "", "pzcomp --as gzap a")
            .says("pzcomp: --as gzap: pzcomp has no such name; expected one of gzip")
            .ours(1, ""),
        scene("missing", "", "pzcomp --as").says("pzcomp: --as needs").ours(1, ""),
    ]);
}

#[test]
fn by_any_other_name_it_is_itself() {
    const LINK: &str = "ln -s $(command -v pzcomp) gzap";
    let play = |run: &str| -> &'static str { format!("{LINK}; {run}; rm gzap").leak() };
    check(&[
        scene("there and back", "", play("echo a | ./gzap | ./gzap -d")).ours(0, r#"stdout "a\n""#),
        scene("its own words", "", play("./gzap --nonsense 2>&1 | cut -c 1-8"))
            .ours(0, r#"stdout "pzcomp: \n""#),
    ]);
}
