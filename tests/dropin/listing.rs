//! `-l`, and what `-v` says.

use crate::case::{Case, case, check};

#[test]
fn the_table() {
    check(&[
        case("one file", "hello >a.gz", "gzip -l a.gz").prints(
            "         compressed        uncompressed  ratio uncompressed_name\n                 \
             26                   6 -33.3% a\n",
        ),
        case("two files have a total", "hello >a.gz; hello >b.gz", "gzip -l a.gz b.gz").prints(
            "         compressed        uncompressed  ratio uncompressed_name\n                 \
             26                   6 -33.3% a\n                 \
             26                   6 -33.3% b\n                 \
             52                  12 -183.3% (totals)\n",
        ),
        case("quiet: neither head nor total", "hello >a.gz; hello >b.gz", "gzip -lq a.gz b.gz").prints(
            "                 26                   6 -33.3% a\n                 \
             26                   6 -33.3% b\n",
        ),
        case("verbose", "hello >a.gz; old a.gz", "gzip -lv a.gz").prints(
            "method  crc     date  time           compressed        uncompressed  ratio uncompressed_name\n\
             defla 363a3020 Feb  3 04:05                  26                   6 -33.3% a\n",
        ),
        case("verbose, two", "hello >a.gz; hello >b.gz; old a.gz b.gz", "gzip -lv a.gz b.gz").prints(
            "method  crc     date  time           compressed        uncompressed  ratio uncompressed_name\n\
             defla 363a3020 Feb  3 04:05                  26                   6 -33.3% a\n\
             defla 363a3020 Feb  3 04:05                  26                   6 -33.3% b\n                                             \
             52                  12 -183.3% (totals)\n",
        ),
        case("standard input", "hello >a.gz; old a.gz", "gzip -l <a.gz; gzip -lv - <a.gz").prints(
            "         compressed        uncompressed  ratio uncompressed_name\n                 \
             26                   6 -33.3% stdout\n\
             method  crc     date  time           compressed        uncompressed  ratio uncompressed_name\n\
             defla 363a3020 Feb  3 04:05                  26                   6 -33.3% stdout\n",
        ),
        case("a pipe", "hello >a.gz", "cat a.gz | gzip -lv").prints(
            "method  crc     date  time           compressed        uncompressed  ratio uncompressed_name\n\
             defla 363a3020 Jan  1 00:00                  26                   6 -33.3% stdout\n",
        ),
        case("an empty file", "gnu </dev/null >a.gz", "gzip -lq a.gz")
            .prints("                 20                   0   0.0% a\n"),
        case("a stored name and time", "echo a >a; old a; gnu a; touch -d @1234567890 a.gz; mv a.gz b.gz", "gzip -lv b.gz; gzip -lvN b.gz")
            .prints(
                "method  crc     date  time           compressed        uncompressed  ratio uncompressed_name\n\
                 defla ddeaa107 Feb 13 23:31                  24                   2 -100.0% b\n\
                 method  crc     date  time           compressed        uncompressed  ratio uncompressed_name\n\
                 defla ddeaa107 Feb  3 04:05                  24                   2 -100.0% a\n",
            ),
        case("other suffixes", "hello >a.tgz; hello >b-z; hello >c", "gzip -lq a.tgz b-z c | awk '{ print $4 }'")
            .prints("a.tar\nb\nc\n"),
        case("many members", "(hello; hello) >a.gz", "gzip -l a.gz").prints(
            "         compressed        uncompressed  ratio uncompressed_name\n                 \
             52                  12 -183.3% a\n",
        )
        .differs("count the last member only"),
        case("-c, -d and -t do not matter", "hello >a.gz", "gzip -lqc a.gz; gzip -lqd a.gz; gzip -lqt a.gz").prints(
            "                 26                   6 -33.3% a\n                 \
             26                   6 -33.3% a\n                 \
             26                   6 -33.3% a\n",
        ),
    ]);
}

#[test]
fn the_table_when_something_is_wrong() {
    check(&[
        case("missing", "hello >a.gz", "gzip -l nope a.gz")
            .prints(
                "         compressed        uncompressed  ratio uncompressed_name\n                 \
                 26                   6 -33.3% a\n                 \
                 26                   6 -33.3% (totals)\n",
            )
            .says(1, "gzip: nope.gz: No such file or directory\n"),
        case("nothing to list", "", "gzip -l nope nope.gz")
            .says(1, "gzip: nope.gz: No such file or directory\ngzip: nope.gz: No such file or directory\n"),
        case("a folder", "mkdir d; hello >a.gz", "gzip -lq d a.gz")
            .prints("                 26                   6 -33.3% a\n")
            .says(2, ""),
        case("damage", "hello | head -c 20 >a.gz; hello >b.gz", "gzip -lq a.gz b.gz")
            .prints("                 26                   6 -33.3% b\n")
            .says(1, "\ngzip: a.gz: unexpected end of file\n")
            .differs("stop at a file that is cut short"),
        case(
            "a CRC",
            "(hello | head -c 18; printf '\\001\\060\\072\\066\\006\\0\\0\\0') >a.gz",
            "gzip -lq a.gz",
        )
        .says(1, "\ngzip: a.gz: invalid compressed data--crc error\n"),
    ]);
}

#[test]
fn verbose() {
    const CASES: &[Case] = &[
        case("compressing", "seq 1000 >a", "gzip -v a; rm a.gz")
            .says(0, "a:\t ##.#% -- replaced with a.gz\n")
            .leaves(&[]),
        case("compressing, -k", "seq 1000 >a", "gzip -vk a; rm a.gz").says(0, "a:\t ##.#% -- created a.gz\n"),
        case("compressing, -c", "seq 1000 >a", "gzip -vc a >/dev/null")
            .says(0, "a:\t ##.#% -- replaced with stdout\n"),
        case("compressing standard input", "seq 1000 >a", "gzip -v <a >/dev/null").says(0, " ##.#%\n"),
        case("compressing -", "seq 1000 >a", "cat a | gzip -v - >/dev/null").says(0, " ##.#%\n"),
        case("nothing", ": >a", "gzip -v a").says(0, "a:\t  0.0% -- replaced with a.gz\n").leaves(&["a.gz:"]),
        case(
            "a time that the header has no room for",
            "seq 1000 >a; touch -d @4294967296 a",
            "gzip -v a; ls; rm a.gz",
        )
        .prints("a.gz\n")
        .says(
            0,
            "gzip: a: warning: file timestamp out of range for gzip format\n\
                 a:\t ##.#% -- replaced with a.gz\n",
        )
        .leaves(&[])
        .differs("name the file before the warning"),
        case("decompressing", "hello >a.gz", "gzip -dv a.gz")
            .says(0, "a.gz:\t-33.3% -- replaced with a\n")
            .leaves(&["a=hello\n"]),
        case("decompressing, -k", "hello >a.gz", "gzip -dkv a.gz")
            .says(0, "a.gz:\t-33.3% -- created a\n")
            .leaves(&["a=hello\n", "a.gz"]),
        case("decompressing, -c", "hello >a.gz", "zcat -v a.gz")
            .prints("hello\n")
            .says(0, "a.gz:\t-33.3% -- replaced with stdout\n"),
        case("decompressing standard input", "hello >a.gz", "gzip -dv <a.gz").prints("hello\n"),
        case("testing", "hello >a.gz; hello >b.gz", "gzip -tv a.gz b.gz").says(0, "a.gz:\t OK\nb.gz:\t OK\n"),
        case("testing standard input", "hello >a.gz", "gzip -tv <a.gz").says(0, " OK\n"),
        case("the last of -q and -v wins", "hello >a.gz", "gzip -tvq a.gz; gzip -tqv a.gz")
            .says(0, "a.gz:\t OK\n"),
        case("several, one missing", "hello >a.gz", "gzip -tv nope a.gz")
            .says(1, "gzip: nope.gz: No such file or directory\na.gz:\t OK\n"),
    ];
    check(CASES);
}
