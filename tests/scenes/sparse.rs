//! Holes in decompressed files: where zstd, lz4 and xz make them, and where not.
//!
//! Each scene says of its files whether they take less room than their length. The tools find holes of different
//! lengths, so the number of blocks is not compared.

use crate::scene::{check, scene};

/// Data with far more zeros than anything else, and a function that says whether a file has holes.
const DATA: &str = "\
{ echo hello; head -c 8388608 /dev/zero; echo hello; } >a; sum=$(cksum <a)
";
const HOLES: &str = "\
holes() {
  for file; do
    [ $(($(stat -c %b $file) * 512)) -lt 4194304 ] && what=holes || what=full
    echo $file $what $(tail -c 8388620 $file | cksum | cut -d' ' -f2) $(cksum <$file)
  done
  rm -f \"$@\"
}
";

#[test]
fn holes_are_where_the_original_makes_them() {
    let lines = [
        ("zstd", "zst", "zstd -q -d a.zst; holes a"),
        (
            "zstd",
            "zst",
            "zstd -q -d a.zst -o b; zstd -q -d --sparse a.zst -o c; zstd -q -d --no-sparse a.zst -o d; holes b c d",
        ),
        (
            "zstd",
            "zst",
            "zstd -q -dc a.zst >b; zstd -q -dc --sparse a.zst >c; zstd -q -d --no-sparse <a.zst >d; holes b c d",
        ),
        (
            "zstd",
            "zst",
            "zstd -q -d --sparse <a.zst >b; echo before >c; zstd -q -dc a.zst >>c; zstdcat a.zst >d; unzstd -q a.zst -o e; holes b c d e",
        ),
        (
            "lz4",
            "lz4",
            "lz4 -q -d a.lz4 b; lz4 -q -d --sparse a.lz4 c; lz4 -q -d --no-sparse a.lz4 d; holes b c d",
        ),
        (
            "lz4",
            "lz4",
            "lz4 -q -dc a.lz4 >b; lz4 -q -dc --sparse a.lz4 >c; lz4cat a.lz4 >d; unlz4 -q a.lz4 e; holes b c d e",
        ),
        (
            "xz",
            "xz",
            "xz -dk a.xz; xz -dc a.xz >b; xz -dc --no-sparse a.xz >c; xz -d <a.xz >d; xzcat a.xz >e; holes a b c d e",
        ),
        ("xz", "xz", "{ echo before; xz -dc a.xz; xz -dc a.xz; echo behind; } >b; holes b"),
        (
            "xz",
            "xz",
            "head -c 9000000 /dev/urandom >b; xz -dc a.xz 1<>b; head -c 8388620 b >c; stat -c %s b; rm b; holes c",
        ),
        ("gzip", "gz", "gzip -dk a.gz; gzip -dc a.gz >b; holes a b"),
        ("bzip2", "bz2", "bzip2 -dk a.bz2; bzip2 -dc a.bz2 >b; holes a b"),
    ];
    let scenes = lines.map(|(tool, suffix, line)| {
        let before = format!("{DATA}{tool} -q -c a >a.{suffix}; rm a");
        scene("holes", before.leak(), format!("{HOLES}{line}").leak())
    });
    check(&scenes);
}
