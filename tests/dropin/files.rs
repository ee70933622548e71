//! Files take each other's place: what they are called, which are left alone, what is kept of them.

use crate::case::{case, check};

#[test]
fn a_file_and_its_coded_form_take_each_others_place() {
    check(&[
        case("compressing", "echo a >a", "gzip a").leaves(&["a.gz:a\n"]),
        case("decompressing", "hello >a.gz", "gzip -d a.gz").leaves(&["a=hello\n"]),
        case("gunzip", "hello >a.gz", "gunzip a.gz").leaves(&["a=hello\n"]),
        case("zcat keeps", "hello >a.gz", "zcat a.gz").prints("hello\n"),
        case("-c keeps", "hello >a.gz", "gzip -cd a.gz").prints("hello\n"),
        case("-k keeps", "echo a >a", "gzip -k a").leaves(&["a", "a.gz:a\n"]),
        case("-dk keeps", "hello >a.gz", "gunzip -k a.gz").leaves(&["a=hello\n", "a.gz"]),
        case("several", "echo a >a; echo b >b", "gzip a b").leaves(&["a.gz:a\n", "b.gz:b\n"]),
        case("an empty file", ": >a", "gzip a").leaves(&["a.gz:"]),
        case("in folders", "mkdir d; echo a >d/a", "gzip ./d/../d/a").leaves(&["d/a.gz:a\n"]),
        case("a name that is an option", "echo a >-v", "gzip -- -v").leaves(&["-v.gz:a\n"]),
        case("- is standard input", "echo a >a; mkdir d; echo x >d/-", "cd d; gzip - <../a | zcat")
            .prints("a\n"),
        case("standard input among files", "echo a >a; echo b >b", "gzip -c a - <b | gzip -d")
            .prints("a\nb\n"),
    ]);
}

#[test]
fn what_is_there_stays_unless_forced() {
    check(&[
        case("compressing", "echo new >c; echo old >c.gz", "gzip c")
            .says(2, "gzip: c.gz already exists;\tnot overwritten\n"),
        case("decompressing", "hello >c.gz; echo old >c", "gzip -d c.gz")
            .says(2, "gzip: c already exists;\tnot overwritten\n"),
        case("quiet", "echo new >c; echo old >c.gz", "gzip -q c")
            .says(2, "gzip: c.gz already exists;\tnot overwritten\n"),
        case("forced", "echo new >c; echo old >c.gz", "gzip -f c").leaves(&["c.gz:new\n"]),
        case("forced, decompressing", "hello >c.gz; echo old >c", "gzip -df c.gz").leaves(&["c=hello\n"]),
        case("a link that leads nowhere", "echo new >c; ln -s nowhere c.gz", "gzip c")
            .says(2, "gzip: c.gz already exists;\tnot overwritten\n"),
        case("a link is replaced, not followed", "echo new >c; echo x >x; ln -s x c.gz", "gzip -f c")
            .leaves(&["c.gz:new\n", "x"]),
        case("the others are dealt with", "echo c >c; echo old >c.gz; echo d >d", "gzip c d")
            .says(2, "gzip: c.gz already exists;\tnot overwritten\n")
            .leaves(&["c", "c.gz", "d.gz:d\n"]),
    ]);
}

#[test]
fn what_is_no_ordinary_file_is_left_alone() {
    check(&[
        case("missing", "", "gzip nope").says(1, "gzip: nope: No such file or directory\n"),
        case("missing, decompressing: the name as it was given", "", "gzip -d nope")
            .says(1, "gzip: nope.gz: No such file or directory\n"),
        case("the others are dealt with", "echo b >b", "gzip nope b")
            .says(1, "gzip: nope: No such file or directory\n")
            .leaves(&["b.gz:b\n"]),
        case("a folder", "mkdir d; echo a >d/a", "gzip d").says(2, "gzip: d is a directory -- ignored\n"),
        case("a folder, -c", "mkdir d; echo a >d/a", "gzip -c d")
            .says(2, "gzip: d is a directory -- ignored\n"),
        case("a folder, quiet", "mkdir d", "gzip -q d").says(2, ""),
        case("an error outranks a warning", "mkdir d", "gzip nope d")
            .says(1, "gzip: nope: No such file or directory\ngzip: d is a directory -- ignored\n"),
        case("and behind it", "mkdir d", "gzip d nope")
            .says(1, "gzip: d is a directory -- ignored\ngzip: nope: No such file or directory\n"),
        case("a symbolic link", "echo a >a; ln -s a l", "gzip l")
            .says(1, "gzip: l: Too many levels of symbolic links\n"),
        case("a symbolic link, -k", "echo a >a; ln -s a l", "gzip -k l")
            .says(1, "gzip: l: Too many levels of symbolic links\n"),
        case("a symbolic link, -c", "echo a >a; ln -s a l", "gzip -c l | zcat").prints("a\n"),
        case("a symbolic link, -l", "hello >a.gz; ln -s a.gz l.gz", "gzip -lq l.gz")
            .prints("                 26                   6 -33.3% l\n"),
        case("a symbolic link, -t", "hello >a.gz; ln -s a.gz l.gz", "gzip -t l.gz"),
        case("a symbolic link, forced", "echo a >a; ln -s a l", "gzip -f l").leaves(&["a", "l.gz:a\n"]),
        case("a link to a folder", "mkdir d; echo a >d/a; ln -s d l", "gzip -c l")
            .says(2, "gzip: l is a directory -- ignored\n"),
        case("a hard link", "echo c >c; ln c c2", "gzip c")
            .says(2, "gzip: c has 1 other link -- file ignored\n"),
        case("two hard links", "echo c >c; ln c c2; ln c c3", "gzip c")
            .says(2, "gzip: c has 2 other links -- file ignored\n"),
        case("a hard link, forced", "echo c >c; ln c c2", "gzip -f c").leaves(&["c.gz:c\n", "c2"]),
        case("a hard link, -c", "echo c >c; ln c c2", "gzip -c c | zcat").prints("c\n"),
        case("a hard link, -k", "echo c >c; ln c c2", "gzip -k c")
            .says(2, "gzip: c has 1 other link -- file ignored\n"),
        case("a hard link, decompressing", "hello >c.gz; ln c.gz c2", "gzip -d c.gz")
            .says(2, "gzip: c.gz has 1 other link -- file ignored\n"),
        case("a fifo", "mkfifo p", "gzip p")
            .says(2, "gzip: p is not a directory or a regular file - ignored\n"),
        case("a fifo, forced", "mkfifo p", "gzip -f p")
            .says(2, "gzip: p is not a directory or a regular file - ignored\n"),
        case("a fifo, -c", "mkfifo p", "(echo a >p & gzip -c p) | zcat")
            .prints("a\n")
            .differs("do not wait for a writer"),
        case("a device", "", "gzip /dev/null")
            .says(2, "gzip: /dev/null is not a directory or a regular file - ignored\n"),
        case("a device, -c", "", "gzip -c /dev/null | zcat"),
    ]);
}

#[test]
fn special_rights_are_not_handed_on() {
    check(&[
        case("set-user-ID", "echo a >a; chmod 4755 a", "gzip a")
            .says(2, "gzip: a is set-user-ID on execution - ignored\n"),
        case("set-user-ID, forced", "echo a >a; chmod 4755 a", "gzip -f a")
            .says(2, "gzip: a is set-user-ID on execution - ignored\n"),
        case("set-user-ID, -c", "echo a >a; chmod 4755 a", "gzip -c a | zcat").prints("a\n"),
        case("set-group-ID", "echo a >a; chmod 2755 a", "gzip a")
            .says(2, "gzip: a is set-group-ID on execution - ignored\n"),
        case("set-group-ID, decompressing", "hello >a.gz; chmod 2755 a.gz", "gzip -d a.gz")
            .says(2, "gzip: a.gz is set-group-ID on execution - ignored\n"),
        case("sticky", "echo a >a; chmod 1644 a", "gzip a")
            .says(2, "gzip: a has the sticky bit set - file ignored\n"),
        case("sticky, forced", "echo a >a; chmod 1644 a", "gzip -f a; stat -c %a a.gz")
            .prints("644\n")
            .leaves(&["a.gz:a\n"]),
        case("quiet", "echo a >a; chmod 1644 a; echo b >b; chmod 2755 b", "gzip -q a b").says(2, ""),
    ]);
}

#[test]
fn suffixes() {
    check(&[
        case("there already", "hello >a.gz", "gzip a.gz")
            .says(0, "gzip: a.gz already has .gz suffix -- unchanged\n"),
        case("there already, quiet", "hello >a.gz", "gzip -q a.gz"),
        case("there already, verbose", "hello >a.gz", "gzip -v a.gz")
            .says(0, "gzip: a.gz already has .gz suffix -- unchanged\n"),
        case(
            "there already, other ones",
            "for s in z Z tgz taz GZ; do echo x >a.$s; done",
            "gzip a.z a.Z a.tgz a.taz a.GZ",
        )
        .says(
            0,
            "gzip: a.z already has .z suffix -- unchanged\n\
                      gzip: a.Z already has .Z suffix -- unchanged\n\
                      gzip: a.tgz already has .tgz suffix -- unchanged\n\
                      gzip: a.taz already has .taz suffix -- unchanged\n\
                      gzip: a.GZ already has .GZ suffix -- unchanged\n",
        ),
        case("there already, with a dash", "for s in -gz -z _z; do echo x >a$s; done", "gzip a-gz a-z a_z")
            .says(
                0,
                "gzip: a-gz already has -gz suffix -- unchanged\n\
                      gzip: a-z already has -z suffix -- unchanged\n\
                      gzip: a_z already has _z suffix -- unchanged\n",
            ),
        case("there already, forced", "hello >a.gz", "gzip -f a.gz; ls; zcat a.gz.gz | zcat; rm a.gz.gz")
            .prints("a.gz.gz\nhello\n")
            .leaves(&[]),
        case("there already, -c", "hello >a.gz", "gzip -c a.gz | zcat | zcat").prints("hello\n"),
        case("unknown", "hello >c", "gzip -d c").says(2, "gzip: c: unknown suffix -- ignored\n"),
        case("unknown, quiet", "hello >c", "gzip -dq c"),
        case("unknown, -c and -t", "hello >c", "gzip -dc c && gzip -t c").prints("hello\n"),
        case("unknown, forced", "hello >c", "gzip -df c").says(2, "gzip: c: unknown suffix -- ignored\n"),
        case("nothing but a suffix", "hello >.gz", "gzip -d .gz")
            .says(2, "gzip: .gz: unknown suffix -- ignored\n"),
        case(
            "all that are known",
            "for s in .gz .z .Z -gz -z _z; do hello >a$s; done",
            "for s in .gz .z .Z -gz -z _z; do gzip -d a$s && cat a && rm a; done",
        )
        .prints("hello\nhello\nhello\nhello\nhello\nhello\n")
        .leaves(&[]),
        case("in capitals", "hello >a.GZ; hello >B.TGZ", "gzip -d a.GZ B.TGZ")
            .leaves(&["B.tar=hello\n", "a=hello\n"]),
        case("of archives", "hello >a.tgz; hello >b.taz", "gzip -d a.tgz b.taz")
            .leaves(&["a.tar=hello\n", "b.tar=hello\n"]),
        case("tried behind the name", "hello >a.gz", "gzip -d a").leaves(&["a=hello\n"]),
        case("tried behind the name, all", "hello >a.z; hello >b-z; hello >c.Z; hello >d.gz", "zcat a b c d")
            .prints("hello\nhello\nhello\nhello\n"),
        case("tried behind the name, -t and -l", "hello >a.gz", "gzip -t a; gzip -lq a")
            .prints("                 26                   6 -33.3% a\n"),
        case("one's own", "echo a >a", "gzip -S .x a").leaves(&["a.x:a\n"]),
        case("one's own, taken off", "hello >a.x", "gzip -d -S .x a.x").leaves(&["a=hello\n"]),
        case("one's own, tried", "hello >a.x", "gzip -d -S .x a").leaves(&["a=hello\n"]),
        case("one's own, there already", "echo a >a.x", "gzip -S .x a.x")
            .says(0, "gzip: a.x already has .x suffix -- unchanged\n"),
        case("one's own, the usual ones too", "hello >a.gz", "gzip -d -S .x a.gz").leaves(&["a=hello\n"]),
        case("one's own, joined", "echo a >a", "gzip --suffix=.x a").leaves(&["a.x:a\n"]),
        case("without a dot", "echo a >a", "gzip -Sx a").leaves(&["ax:a\n"]),
        case("empty", "echo a >a", "gzip -S '' a").says(1, "gzip: invalid suffix ''\n"),
        case("with a folder", "echo a >a", "gzip -S x/y a")
            .says(1, "gzip: invalid suffix 'x/y'\n")
            .differs("makes a file in a folder of that name"),
        case("of 30 bytes", "echo a >a", "gzip -S .23456789012345678901234567890 a")
            .leaves(&["a.23456789012345678901234567890:a\n"]),
        case("of 31 bytes", "echo a >a", "gzip -S .234567890123456789012345678901 a")
            .says(1, "gzip: invalid suffix '.234567890123456789012345678901'\n"),
    ]);
}

#[test]
fn recursion() {
    let tree = "mkdir -p d/s; echo x >d/x; echo y >d/s/y; hello >d/z.gz";
    check(&[
        case("compressing", tree, "gzip -r d").leaves(&["d/s/y.gz:y\n", "d/x.gz:x\n", "d/z.gz"]),
        case("decompressing passes over the rest", tree, "gzip -rd d").leaves(&[
            "d/s/y",
            "d/x",
            "d/z=hello\n",
        ]),
        case("-rc", "mkdir d; echo x >d/x", "gzip -rc d | zcat").prints("x\n"),
        case("-rt", "mkdir d; hello >d/z.gz", "gzip -rt d"),
        case("-rl", "mkdir d; hello >d/z.gz", "gzip -rl d").prints(
            "         compressed        uncompressed  ratio uncompressed_name\n                 \
             26                   6 -33.3% d/z\n",
        ),
        case("a file", "echo a >a", "gzip -r a").leaves(&["a.gz:a\n"]),
        case("an empty folder", "mkdir d", "gzip -r d"),
        case("the folder itself", "mkdir d; echo a >d/a", "cd d; gzip -r .").leaves(&["d/a.gz:a\n"]),
        case("a slash at the end", "mkdir d; hello >d/a.gz", "gzip -rdv d/")
            .says(0, "d/a.gz:\t-33.3% -- replaced with d/a\n")
            .leaves(&["d/a=hello\n"]),
        case("links are not followed", "mkdir d e; echo a >e/a; ln -s ../e d/l", "gzip -r d")
            .says(1, "gzip: d/l: Too many levels of symbolic links\n"),
        case("what cannot be done does not stop it", "mkdir d; echo a >d/a; mkfifo d/p", "gzip -r d")
            .says(2, "gzip: d/p is not a directory or a regular file - ignored\n")
            .leaves(&["d/a.gz:a\n", "d/p"]),
        case("nothing named", "mkdir d; echo a >d/a", "gzip -r <d/a | zcat").prints("a\n"),
    ]);
}

#[test]
fn times_and_modes_are_kept() {
    check(&[
        case("compressing", "echo a >a; chmod 640 a; old a", "gzip a; stat -c '%a %Y' a.gz")
            .prints("640 981173106\n")
            .leaves(&["a.gz:a\n"]),
        case(
            "decompressing: the file's time, not the stored one",
            "echo a >a; old a; gnu a; chmod 604 a.gz; touch -d @1234567890 a.gz",
            "gzip -d a.gz; stat -c '%a %Y' a",
        )
        .prints("604 1234567890\n")
        .leaves(&["a=a\n"]),
        case("-k", "echo a >a; chmod 400 a; old a", "gzip -k a; stat -c '%a %Y' a.gz")
            .prints("400 981173106\n")
            .leaves(&["a", "a.gz:a\n"]),
        case(
            "nanoseconds",
            "echo a >a; touch -d 2001-02-03T04:05:06.123456789Z a",
            "gzip a; stat -c %.9Y a.gz",
        )
        .prints("981173106.123456789\n")
        .leaves(&["a.gz:a\n"]),
        case("the time of access", "echo a >a", "touch -ad @1234567890 a; gzip a; stat -c %X a.gz")
            .prints("1234567890\n")
            .leaves(&["a.gz:a\n"]),
        case("the umask takes nothing away", "echo a >a; chmod 664 a", "umask 077; gzip a; stat -c %a a.gz")
            .prints("664\n")
            .leaves(&["a.gz:a\n"]),
    ]);
}

#[test]
fn names_and_times_are_stored_and_restored() {
    check(&[
        case("-N restores both", "echo a >a; old a; gnu a; touch a.gz; mv a.gz b.gz", "gzip -dN b.gz; stat -c %Y a")
            .prints("981173106\n")
            .leaves(&["a=a\n"]),
        case("the last of -n and -N wins", "echo a >a; old a; gnu a; mv a.gz b.gz", "gzip -dnN b.gz")
            .leaves(&["a=a\n"]),
        case("without -N neither", "echo a >a; gnu a; mv a.gz b.gz", "gzip -d b.gz").leaves(&["b=a\n"]),
        case("-N without a stored name", "hello >b.gz; old b.gz", "gzip -dN b.gz; stat -c %Y b")
            .prints("981173106\n")
            .leaves(&["b=hello\n"]),
        case("-N says what it makes", "echo a >a; gnu a; mv a.gz b.gz", "gzip -dvN b.gz")
            .says(0, "b.gz:\t-100.0% -- replaced with a\n")
            .leaves(&["a=a\n"]),
        case("-N does not write over what is there", "echo a >a; gnu -k a; mv a.gz b.gz", "gzip -dN b.gz")
            .says(2, "gzip: a already exists;\tnot overwritten\n"),
        case("-N stays in the folder", "mkdir d; echo a >a; gnu a; mv a.gz d/b.gz", "gzip -dN d/b.gz")
            .leaves(&["d/a=a\n"]),
        case(
            "a stored path is only its last part",
            "mkdir d; printf '\\037\\213\\010\\010\\0\\0\\0\\0\\0\\003../../x\\0' >d/b.gz; hello | tail -c 16 >>d/b.gz",
            "gzip -dN d/b.gz",
        )
        .leaves(&["d/x=hello\n"]),
        case("-l shows the name in place of the stored one", "echo a >a; gnu a; mv a.gz b.gz", "for o in -lq -lqN; do gzip $o b.gz | awk '{ print $4 }'; done")
            .prints("b\na\n"),
    ]);
}
