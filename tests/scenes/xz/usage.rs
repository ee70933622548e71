//! xz and lzma: what they make of files, options from the environment, figures, and words for what is wrong.
//!
//! The peer is xz 5.4. Add a row of what is given and what is run to `same`; to `said`, with a part of the message,
//! where the words changed with the versions.

use crate::scene::{all, check, said, same, scene};

#[test]
fn files_take_the_place_of_their_inputs() {
    same(&[
        ["line > a", "xz a && xz -d a.xz && cat a"],
        ["line > a", "xz -k a && rm a && unxz -k a.xz"],
        ["line > a", "xz -c a | xzcat"],
        ["line > a", "xz < a | xz -dc | cat"],
        ["line > a; xz a; mv a.xz a.txz", "xz -d a.txz"],
        ["line > a; lzma a; mv a.lzma a.tlz", "xz -d a.tlz"],
        ["line > a", "xz -S .foo a && xz -d -S .foo a.foo"],
        ["line > a; line > b", "xz -z a b"],
        ["line > a; line > b; printf 'a\\nb\\n' > n", "xz --files=n"],
        ["line > a; line > b; printf 'a\\0b\\0' > n", "xz -k --files0=n"],
        ["line > a", "echo a | xz --files"],
        ["line > a", "xz -9 -T0 a"],
        ["line > a", "xz -0 --threads=2 --block-size=64KiB --no-sparse -M 50% a"],
        ["line > a; chmod 640 a; touch -d @1000000000 a", "xz a; stat -c '%a %Y' a.xz"],
        ["line > a", "xz --block-size=0 a"],
        ["line > a", "xz --block-size=1 a"],
        ["line > a", "xz -T2 --block-size=1KiB a"],
        ["line > a", "xz --block-size=3GiB a"],
        ["line > a", "xz --block-size=9223372036854775807 a"],
    ]);
    said(&[["line > a", "xz --block-size=9223372036854775808 a", "in the range [0, 9223372036854775807]"]]);
}

#[test]
fn options_come_from_the_environment_too() {
    same(&[["line > a", "XZ_OPT=-k xz a"], ["line > a", "XZ_DEFAULTS=--keep XZ_OPT='-9 b' xz a"]]);
    check(&all(&[["line > a", "XZ_OPT=-oops xz a"]], |scene| scene.with_stderr().any_quotes()));
}

#[test]
fn what_is_left_alone_is_told() {
    same(&[
        ["", "xz nope"],
        ["", "unxz nope.xz"],
        ["line > a; xz -k a", "xz a"],
        ["line > a; xz a", "xz -q a.xz"],
        ["line > a; xz a", "xz -qQ a.xz"],
        ["line > a; xz a; mv a.xz a", "xz -d a"],
        ["line > a; xz a; mv a.xz a.XZ", "xz -d a.XZ"],
        ["mkdir d", "xz d"],
        ["line > a; ln -s a l", "xz l"],
        ["line > a; ln -s a l", "xz -k l"],
        ["line > a; ln a b", "xz a"],
        ["line > a; ln a b", "xz -k a"],
        ["line > a; chmod u+s a", "xz a"],
        ["line > a; chmod u+s a", "xz -f a"],
        ["line > a; chmod +t a", "xz a"],
        ["mkfifo p", "xz p"],
        ["line > b", "xz -qq nope b"],
        ["line > a", "xz -c a > /dev/full"],
    ]);
    check(&all(&[["line > a; xz a", "xz a.xz"], ["line > a; xz a", "xz -f a.xz"]], |scene| {
        scene.with_stderr().any_quotes()
    }));
}

#[test]
fn damaged_xz_is_never_reported_as_good() {
    same(&[
        ["line > a.xz", "xz -t a.xz"],
        ["line > a.xz", "xz -d a.xz"],
        ["", "xz -dc"],
        ["line | xz | head -c 40 > a.xz", "xz -d a.xz"],
        ["line | xz | head -c 40 > a.xz", "xz -t < a.xz"],
        ["line | xz > a.xz; damage a.xz 30", "xz -d a.xz"],
        ["line | xz > a.xz; damage a.xz 30", "xz -tqq a.xz"],
        ["line | xz > a.xz; head -c 8 /dev/zero >> a.xz", "xz -t a.xz"],
        ["line | xz > a.xz; cp a.xz b.xz; damage b.xz 30", "xz -dc a.xz b.xz a.xz"],
        ["line > a", "xz -dcf a"],
        ["line | xz > a.xz; line | lzma > b.lzma", "xz -dc a.xz b.lzma | wc -l"],
        ["line | lzip > a.lz", "xz -d a.lz && cat a"],
        ["line | lzip > a.lz", "xz -dc --format=lzip < a.lz"],
        ["line | lzip > a.lz; line >> a.lz", "xz -t --format=lzip a.lz"],
        ["line > a", "xz --format=lzip a"],
        ["line | lzip > a.lz", "xz -l a.lz"],
        ["line | lzma > a.lzma", "lzcat a.lzma"],
        ["line | gzip > a.gz", "xz -dc a.gz"],
    ]);
    said(&[
        ["line | xz > a.xz; seq 10 >> a.xz", "xz -d a.xz", "xz: a.xz: "],
        ["line | xz > a.xz; seq 10 >> a.xz", "xz -dcf a.xz", "xz: a.xz: "],
        ["line | xz > a.xz", "unlzma -c a.xz", "unlzma: a.xz: File format not recognized"],
    ]);
}

#[test]
fn figures_are_told_when_asked_for() {
    same(&[
        ["line | xz > a.xz", "xz -tv a.xz"],
        ["line | xz > a.xz", "xz -dcv < a.xz > b"],
        [": > a", "xz -v a"],
        ["line > a", "xz -qv nope a"],
    ]);
}

#[test]
fn command_lines_that_are_not_understood_do_nothing() {
    same(&[["line > a", "xz -C foo a"], ["line > a", "xz -F foo a"], ["line > a", "xz -S '' a"]]);
    said(&[
        ["line > a", "xz -T foo a", "xz: foo: "],
        ["line > a", "xz --files=nope a", "xz: nope: No such file or directory\n"],
        ["line > a", "xz -M 1KiB a", "emory"],
    ]);
    check(&[
        scene("what is not supported is refused, and names what to do", "line > a", "xz --block-list=1,2 a")
            .says("--block-size")
            .ours(1, r#"a 644 links=1 inode=a now "hello hello hello hello hello\n""#),
        scene("the same for the raw format", "line > a", "xz --format=raw -c a")
            .says("the xz of XZ Utils")
            .ours(1, r#"a 644 links=1 inode=a now "hello hello hello hello hello\n""#),
        scene("the same for the table of memory", "line > a", "xz --info-memory")
            .says("--info-memory")
            .ours(1, r#"a 644 links=1 inode=a now "hello hello hello hello hello\n""#),
    ]);
    check(&all(&[["line > a", "xz --foo a"]], |scene| scene.with_stderr().any_quotes()));
}

#[test]
fn versions_are_found_by_scripts() {
    same(&[
        ["", "xz --version | head -1 | cut -d. -f1"],
        ["", "xz --robot --version | grep -c '^XZ_VERSION=500'"],
        ["", "xz --help | grep -c -e '--threads=NUM'"],
    ]);
}
