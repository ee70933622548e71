//! xz and lzma.

use crate::case::{case, check};

#[test]
fn files_take_the_place_of_their_inputs() {
    check(&[
        case("line > a", "xz a && xz -d a.xz && cat a", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "xz -k a && rm a && unxz -k a.xz", "a a.xz"),
        case("line > a", "xz -c a | xzcat", "a").prints("hello hello hello hello hello\n"),
        case("line > a", "xz < a | xz -dc | cat", "a").prints("hello hello hello hello hello\n"),
        case("line > a; xz a; mv a.xz a.txz", "xz -d a.txz", "a.tar"),
        case("line > a; lzma a; mv a.lzma a.tlz", "xz -d a.tlz", "a.tar"),
        case("line > a", "xz -S .foo a && xz -d -S .foo a.foo", "a"),
        case("line > a; line > b", "xz -z a b", "a.xz b.xz"),
        case("line > a; line > b; printf 'a\\nb\\n' > n", "xz --files=n", "a.xz b.xz n"),
        case("line > a; line > b; printf 'a\\0b\\0' > n", "xz -k --files0=n", "a a.xz b b.xz n"),
        case("line > a", "echo a | xz --files", "a.xz"),
        case("line > a", "xz -9 -T0 a", "a.xz"),
        case("line > a", "xz -0 --threads=2 --block-size=64KiB --no-sparse -M 50% a", "a.xz"),
        case("line > a; chmod 640 a; touch -d @1000000000 a", "xz a; stat -c '%a %Y' a.xz", "a.xz")
            .prints("640 1000000000\n"),
    ]);
}

#[test]
fn options_come_from_the_environment_too() {
    check(&[
        case("line > a", "XZ_OPT=-k xz a", "a a.xz"),
        case("line > a", "XZ_DEFAULTS=--keep XZ_OPT='-9 b' xz a", "a a.xz"),
        case("line > a", "XZ_OPT=-oops xz a", "a")
            .says(1, "xz: invalid option -- 'o'\nxz: Try 'xz --help' for more information.\n"),
    ]);
}

#[test]
fn what_is_left_alone_is_told() {
    check(&[
        case("", "xz nope", "").says(1, "xz: nope: No such file or directory\n"),
        case("", "unxz nope.xz", "").says(1, "unxz: nope.xz: No such file or directory\n"),
        case("line > a; xz -k a", "xz a", "a a.xz").says(1, "xz: a.xz: File exists\n"),
        case("line > a; xz a", "xz a.xz", "a.xz")
            .says(2, "xz: a.xz: File already has '.xz' suffix, skipping\n"),
        case("line > a; xz a", "xz -f a.xz", "a.xz")
            .says(2, "xz: a.xz: File already has '.xz' suffix, skipping\n"),
        case("line > a; xz a", "xz -q a.xz", "a.xz").says(2, ""),
        case("line > a; xz a", "xz -qQ a.xz", "a.xz"),
        case("line > a; xz a; mv a.xz a", "xz -d a", "a")
            .says(2, "xz: a: Filename has an unknown suffix, skipping\n"),
        case("line > a; xz a; mv a.xz a.XZ", "xz -d a.XZ", "a.XZ")
            .says(2, "xz: a.XZ: Filename has an unknown suffix, skipping\n"),
        case("mkdir d", "xz d", "d").says(2, "xz: d: Is a directory, skipping\n"),
        case("line > a; ln -s a l", "xz l", "a l").says(2, "xz: l: Is a symbolic link, skipping\n"),
        case("line > a; ln -s a l", "xz -k l", "a l l.xz"),
        case("line > a; ln a b", "xz a", "a b")
            .says(2, "xz: a: Input file has more than one hard link, skipping\n"),
        case("line > a; ln a b", "xz -k a", "a a.xz b"),
        case("line > a; chmod u+s a", "xz a", "a")
            .says(2, "xz: a: File has setuid or setgid bit set, skipping\n"),
        case("line > a; chmod u+s a", "xz -f a", "a.xz"),
        case("line > a; chmod +t a", "xz a", "a").says(2, "xz: a: File has sticky bit set, skipping\n"),
        case("mkfifo p", "xz p", "p").says(2, "xz: p: Not a regular file, skipping\n"),
        case("line > b", "xz -qq nope b", "b.xz").says(1, ""),
        case("line > a", "xz -c a > /dev/full", "a")
            .says(1, "xz: (stdout): Write error: No space left on device\n"),
    ]);
}

#[test]
fn bad_input_is_never_good() {
    check(&[
        case("line > a.xz", "xz -t a.xz", "a.xz").says(1, "xz: a.xz: File format not recognized\n"),
        case("line > a.xz", "xz -d a.xz", "a.xz").says(1, "xz: a.xz: File format not recognized\n"),
        case("", "xz -dc", "").says(1, "xz: (stdin): File format not recognized\n"),
        case("line | xz | head -c 40 > a.xz", "xz -d a.xz", "a.xz")
            .says(1, "xz: a.xz: Unexpected end of input\n"),
        case("line | xz | head -c 40 > a.xz", "xz -t < a.xz", "a.xz")
            .says(1, "xz: (stdin): Unexpected end of input\n"),
        case("line | xz > a.xz; damage a.xz 30", "xz -d a.xz", "a.xz")
            .says(1, "xz: a.xz: Compressed data is corrupt\n"),
        case("line | xz > a.xz; damage a.xz 30", "xz -tqq a.xz", "a.xz").says(1, ""),
        case("line | xz > a.xz; seq 10 >> a.xz", "xz -d a.xz", "a.xz").tells(1, "xz: a.xz: "),
        case("line | xz > a.xz; seq 10 >> a.xz", "xz -dcf a.xz", "a.xz")
            .tells(1, "xz: a.xz: ")
            .prints("hello hello hello hello hello\n"),
        case("line | xz > a.xz; head -c 8 /dev/zero >> a.xz", "xz -t a.xz", "a.xz"),
        case("line | xz > a.xz; cp a.xz b.xz; damage b.xz 30", "xz -dc a.xz b.xz a.xz", "a.xz b.xz")
            .says(1, "xz: b.xz: Compressed data is corrupt\n")
            .prints("hello hello hello hello hello\nhello hello hello hello hello\n"),
        case("line > a", "xz -dcf a", "a").prints("hello hello hello hello hello\n"),
        case("line | xz > a.xz; line | lzma > b.lzma", "xz -dc a.xz b.lzma | wc -l", "a.xz b.lzma")
            .prints("2\n"),
        case("line | xz > a.xz", "unlzma -c a.xz", "a.xz")
            .tells(1, "unlzma: a.xz: File format not recognized"),
        case("line | lzip > a.lz", "xz -d a.lz && cat a", "a").prints("hello hello hello hello hello\n"),
        case("line | lzip > a.lz", "xz -dc --format=lzip < a.lz", "a.lz")
            .prints("hello hello hello hello hello\n"),
        case("line | lzip > a.lz; line >> a.lz", "xz -t --format=lzip a.lz", "a.lz"),
        case("line > a", "xz --format=lzip a", "a")
            .says(1, "xz: Compression of lzip files (.lz) is not supported\n"),
        case("line | lzip > a.lz", "xz -l a.lz", "a.lz").says(1, "xz: a.lz: File format not recognized\n"),
        case("line | lzma > a.lzma", "lzcat a.lzma", "a.lzma").prints("hello hello hello hello hello\n"),
        case("line | gzip > a.gz", "xz -dc a.gz", "a.gz").says(1, "xz: a.gz: File format not recognized\n"),
    ]);
}

#[test]
fn figures_are_told_when_asked_for() {
    check(&[
        case("line | xz > a.xz", "xz -tv a.xz", "a.xz").says(0, "a.xz: 76 B / 30 B = 2.533\n"),
        case("line | xz > a.xz", "xz -dcv < a.xz > b", "a.xz b").says(0, "(stdin): 76 B / 30 B = 2.533\n"),
        case(": > a", "xz -v a", "a.xz").says(0, "a: 32 B / 0 B > 9.999\n"),
        case("line > a", "xz -qv nope a", "a.xz").says(1, "xz: nope: No such file or directory\n"),
    ]);
}

#[test]
fn command_lines_that_are_not_understood_do_nothing() {
    check(&[
        case("line > a", "xz --foo a", "a")
            .says(1, "xz: unrecognized option '--foo'\nxz: Try 'xz --help' for more information.\n"),
        case("line > a", "xz -C foo a", "a").says(1, "xz: foo: Unsupported integrity check type\n"),
        case("line > a", "xz -F foo a", "a").says(1, "xz: foo: Unknown file format type\n"),
        case("line > a", "xz -T foo a", "a").tells(1, "xz: foo: "),
        case("line > a", "xz -S '' a", "a").says(1, "xz: : Invalid filename suffix\n"),
        case("line > a", "xz --files=nope a", "a").tells(1, "xz: nope: No such file or directory\n"),
        case("line > a", "xz -M 1KiB a", "a").tells(1, "emory"),
        // What is not supported is refused, and names what to do.
        case("line > a", "xz --block-list=1,2 a", "a").tells(1, "--block-size").ours(),
        case("line > a", "xz --format=raw -c a", "a").tells(1, "the xz of XZ Utils").ours(),
        case("line > a", "xz --info-memory", "a").tells(1, "--info-memory").ours(),
    ]);
}

#[test]
fn versions_are_found_by_scripts() {
    check(&[
        case("", "xz --version | head -1 | cut -d. -f1", "").prints("xz (XZ Utils) 5\n"),
        case("", "xz --robot --version | grep -c '^XZ_VERSION=500'", "").prints("1\n"),
        case("", "xz --help | grep -c -e '--threads=NUM'", "").prints("1\n"),
    ]);
}
