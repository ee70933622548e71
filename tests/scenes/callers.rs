//! How other programs call xz, bzip2, lzip and their relatives: tar, backups, packagers, and scripts of these tools.
//!
//! The peers are the originals, called in the same way. Add a row with the command line that the program uses. Callers
//! of gzip are in `gzip/callers.rs`.

use crate::scene::{check, said, same, scene};

#[test]
fn tar_finds_the_programs_by_name() {
    const GIVEN: &str = "mkdir d; seq 50000 >d/a; line >d/b; old d/* d";
    let create = |how: &str| -> &'static str {
        format!("tar {how} t d && mkdir e && cd e && tar -xf ../t && diff -r d ../d && echo same").leak()
    };
    same(&[
        [GIVEN, create("-cJf")],
        [GIVEN, create("-cjf")],
        [GIVEN, create("-I xz -cf")],
        [GIVEN, create("-I 'xz -9 -T2' -cf")],
        [GIVEN, create("-I bzip2 -cf")],
        [GIVEN, create("-I pbzip2 -cf")],
        [GIVEN, create("-I lbzip2 -cf")],
        [GIVEN, create("--lzip -cf")],
        [GIVEN, create("-I plzip -cf")],
        [GIVEN, "tar -cJf t d && mkdir e && tar -xJf t -C e && diff -r d e/d && echo same"],
        [GIVEN, "tar -cjf t d && mkdir e && tar -xjf t -C e && diff -r d e/d && echo same"],
        [GIVEN, "tar -cjf t d && mkdir e && tar -I 'bzip2 -k' -xf t -C e && diff -r d e/d && echo same"],
    ]);
}

/// Whether an empty input is an archive is for tar to hear from the decompressor.
#[test]
fn an_empty_archive_fails() {
    said(&[
        [": > t", "tar -I xz -xf t", "Child returned status 1"],
        [": > t", "tar -I bzip2 -xf t", "Child returned status 2"],
    ]);
}

#[test]
fn scripts_call_them_as_they_do() {
    same(&[
        // syncoid
        ["line > a", "xz < a | xz -d"],
        // dracut; the kernel knows no other check.
        ["line > a", "xz --check=crc32 --threads=0 -c a | od -An -tx1 -j 7 -N 1"],
        // Makefiles and packagers.
        ["line > a; line > b", "xz -9e -z -f -k -- a b && bzip2 -9 -f -k a b"],
        ["line > a; old a", "XZ_OPT=-e9 tar -cJf t a && tar -tf t"],
        ["line > a", "split --filter='xz > $FILE.xz' a p && xz -dc paa.xz"],
        ["seq 9 > a; xz -k a; bzip2 -k a", "xzgrep -c 7 a.xz && bzgrep -c 7 a.bz2"],
        ["seq 9 > a; xz -k a; bzip2 -k a", "xzdiff a a.xz && bzdiff a a.bz2"],
    ]);
}

/// Options behind a file name are file names for the programs that read their options by `getopt_long`.
#[test]
fn posixly_correct_ends_the_options_at_the_first_file() {
    const GIVEN: &str = "line >a; line >b; cp a -- -c";
    same(&[
        [GIVEN, "POSIXLY_CORRECT=1 gzip -k a -c"],
        [GIVEN, "POSIXLY_CORRECT=1 xz -k a -c"],
        [GIVEN, "POSIXLY_CORRECT= gzip -k a -- b"],
        [GIVEN, "POSIXLY_CORRECT= xz -k -- a -- b"],
        [GIVEN, "POSIXLY_CORRECT=1 gzip -k - --foo <a | gzip -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 lzip -k a -c | lzip -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 plzip -k a -c | lzip -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 pigz -k a -c | gzip -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 zstd -k a -c | zstd -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 lz4 -qk a -c | lz4 -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 bzip2 -k a -c | bzip2 -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 pbzip2 -k a -c | bzip2 -dc"],
        [GIVEN, "POSIXLY_CORRECT=1 lbzip2 -k a -c | bzip2 -dc"],
    ]);
    check(&[scene(
        "bgzip, of which Debian's takes the first file only",
        "line >a",
        "POSIXLY_CORRECT=1 bgzip -k a -c",
    )
    .ours(
        1,
        r#"stderr "[bgzip] No such file or directory: -c\n"
            a 644 links=1 inode=a now "hello hello hello hello hello\n"
            a.gz 644 links=1 inode=new now gzip "hello hello hello hello hello\n""#,
    )]);
}
