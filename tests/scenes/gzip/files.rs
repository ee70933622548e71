//! Files take each other's place: what they are called, which are left alone, what is kept of them.
//!
//! The peer is GNU gzip. Add a row to `same`: what it is about, what is given, what is run. Modes, times, links and
//! contents are compared without being named.

use crate::scene::{check, same, scene};

#[test]
fn a_file_and_its_coded_form_take_each_others_place() {
    same(&[
        ["compressing", "echo a >a", "gzip a"],
        ["decompressing", "hello >a.gz", "gzip -d a.gz"],
        ["gunzip", "hello >a.gz", "gunzip a.gz"],
        ["zcat keeps", "hello >a.gz", "zcat a.gz"],
        ["-c keeps", "hello >a.gz", "gzip -cd a.gz"],
        ["-k keeps", "echo a >a", "gzip -k a"],
        ["-dk keeps", "hello >a.gz", "gunzip -k a.gz"],
        ["several", "echo a >a; echo b >b", "gzip a b"],
        ["an empty file", ": >a", "gzip a"],
        ["in folders", "mkdir d; echo a >d/a", "gzip ./d/../d/a"],
        ["a name that is an option", "echo a >-v", "gzip -- -v"],
        ["- is standard input", "echo a >a; mkdir d; echo x >d/-", "cd d; gzip - <../a | zcat"],
        ["standard input among files", "echo a >a; echo b >b", "gzip -c a - <b | gzip -d"],
    ]);
}

#[test]
fn what_is_there_stays_unless_forced() {
    same(&[
        ["compressing", "echo new >c; echo old >c.gz", "gzip c"],
        ["decompressing", "hello >c.gz; echo old >c", "gzip -d c.gz"],
        ["quiet", "echo new >c; echo old >c.gz", "gzip -q c"],
        ["forced", "echo new >c; echo old >c.gz", "gzip -f c"],
        ["forced, decompressing", "hello >c.gz; echo old >c", "gzip -df c.gz"],
        ["a link that leads nowhere", "echo new >c; ln -s nowhere c.gz", "gzip c"],
        ["a link is replaced, not followed", "echo new >c; echo x >x; ln -s x c.gz", "gzip -f c"],
        ["the others are dealt with", "echo c >c; echo old >c.gz; echo d >d", "gzip c d"],
    ]);
}

#[test]
fn what_is_no_ordinary_file_is_left_alone() {
    same(&[
        ["missing", "", "gzip nope"],
        ["missing, decompressing: the name as it was given", "", "gzip -d nope"],
        ["the others are dealt with", "echo b >b", "gzip nope b"],
        ["a folder", "mkdir d; echo a >d/a", "gzip d"],
        ["a folder, -c", "mkdir d; echo a >d/a", "gzip -c d"],
        ["a folder, quiet", "mkdir d", "gzip -q d"],
        ["an error outranks a warning", "mkdir d", "gzip nope d"],
        ["and behind it", "mkdir d", "gzip d nope"],
        ["a symbolic link", "echo a >a; ln -s a l", "gzip l"],
        ["a symbolic link, -k", "echo a >a; ln -s a l", "gzip -k l"],
        ["a symbolic link, -c", "echo a >a; ln -s a l", "gzip -c l | zcat"],
        ["a symbolic link, -l", "hello >a.gz; ln -s a.gz l.gz", "gzip -lq l.gz"],
        ["a symbolic link, -t", "hello >a.gz; ln -s a.gz l.gz", "gzip -t l.gz"],
        ["a symbolic link, forced", "echo a >a; ln -s a l", "gzip -f l"],
        ["a link to a folder", "mkdir d; echo a >d/a; ln -s d l", "gzip -c l"],
        ["a hard link", "echo c >c; ln c c2", "gzip c"],
        ["two hard links", "echo c >c; ln c c2; ln c c3", "gzip c"],
        ["a hard link, forced", "echo c >c; ln c c2", "gzip -f c"],
        ["a hard link, -c", "echo c >c; ln c c2", "gzip -c c | zcat"],
        ["a hard link, -k", "echo c >c; ln c c2", "gzip -k c"],
        ["a hard link, decompressing", "hello >c.gz; ln c.gz c2", "gzip -d c.gz"],
        ["a fifo", "mkfifo p", "gzip p"],
        ["a fifo, forced", "mkfifo p", "gzip -f p"],
        ["a device", "", "gzip /dev/null"],
        ["a device, -c", "", "gzip -c /dev/null | zcat"],
    ]);
    check(&[scene(
        "a fifo, -c: the original does not wait for a writer",
        "mkfifo p",
        "(echo a >p & gzip -c p) | zcat",
    )
    .ours(
        0,
        r#"stdout "a\n"
            p 644 links=1 inode=new now"#,
    )]);
}

#[test]
fn special_rights_are_not_handed_on() {
    same(&[
        ["set-user-ID", "echo a >a; chmod 4755 a", "gzip a"],
        ["set-user-ID, forced", "echo a >a; chmod 4755 a", "gzip -f a"],
        ["set-user-ID, -c", "echo a >a; chmod 4755 a", "gzip -c a | zcat"],
        ["set-group-ID", "echo a >a; chmod 2755 a", "gzip a"],
        ["set-group-ID, decompressing", "hello >a.gz; chmod 2755 a.gz", "gzip -d a.gz"],
        ["sticky", "echo a >a; chmod 1644 a", "gzip a"],
        ["sticky, forced", "echo a >a; chmod 1644 a", "gzip -f a; stat -c %a a.gz"],
        ["quiet", "echo a >a; chmod 1644 a; echo b >b; chmod 2755 b", "gzip -q a b"],
    ]);
}

#[test]
fn suffixes_are_added_taken_off_and_tried() {
    same(&[
        ["there already", "hello >a.gz", "gzip a.gz"],
        ["there already, quiet", "hello >a.gz", "gzip -q a.gz"],
        ["there already, verbose", "hello >a.gz", "gzip -v a.gz"],
        [
            "there already, other ones",
            "for s in z Z tgz taz GZ; do echo x >a.$s; done",
            "gzip a.z a.Z a.tgz a.taz a.GZ",
        ],
        ["there already, with a dash", "for s in -gz -z _z; do echo x >a$s; done", "gzip a-gz a-z a_z"],
        ["there already, forced", "hello >a.gz", "gzip -f a.gz; ls; zcat a.gz.gz | zcat; rm a.gz.gz"],
        ["there already, -c", "hello >a.gz", "gzip -c a.gz | zcat | zcat"],
        ["unknown", "hello >c", "gzip -d c"],
        ["unknown, quiet", "hello >c", "gzip -dq c"],
        ["unknown, -c and -t", "hello >c", "gzip -dc c && gzip -t c"],
        ["unknown, forced", "hello >c", "gzip -df c"],
        ["nothing but a suffix", "hello >.gz", "gzip -d .gz"],
        [
            "all that are known",
            "for s in .gz .z .Z -gz -z _z; do hello >a$s; done",
            "for s in .gz .z .Z -gz -z _z; do gzip -d a$s && cat a && rm a; done",
        ],
        ["in capitals", "hello >a.GZ; hello >B.TGZ", "gzip -d a.GZ B.TGZ"],
        ["of archives", "hello >a.tgz; hello >b.taz", "gzip -d a.tgz b.taz"],
        ["tried behind the name", "hello >a.gz", "gzip -d a"],
        ["tried behind the name, all", "hello >a.z; hello >b-z; hello >c.Z; hello >d.gz", "zcat a b c d"],
        ["tried behind the name, -t and -l", "hello >a.gz", "gzip -t a; gzip -lq a"],
        ["one's own", "echo a >a", "gzip -S .x a"],
        ["one's own, taken off", "hello >a.x", "gzip -d -S .x a.x"],
        ["one's own, tried", "hello >a.x", "gzip -d -S .x a"],
        ["one's own, there already", "echo a >a.x", "gzip -S .x a.x"],
        ["one's own, the usual ones too", "hello >a.gz", "gzip -d -S .x a.gz"],
        ["one's own, joined", "echo a >a", "gzip --suffix=.x a"],
        ["without a dot", "echo a >a", "gzip -Sx a"],
        ["empty", "echo a >a", "gzip -S '' a"],
        ["of 30 bytes", "echo a >a", "gzip -S .23456789012345678901234567890 a"],
        ["of 31 bytes", "echo a >a", "gzip -S .234567890123456789012345678901 a"],
    ]);
    check(&[scene(
        "with a folder: the original makes a file in a folder of that name",
        "echo a >a",
        "gzip -S x/y a",
    )
    .ours(
        1,
        r#"stderr "gzip: invalid suffix 'x/y'\n"
            a 644 links=1 inode=a now "a\n""#,
    )]);
}

#[test]
fn folders_are_worked_through_with_r() {
    let tree = "mkdir -p d/s; echo x >d/x; echo y >d/s/y; hello >d/z.gz";
    same(&[
        ["compressing", tree, "gzip -r d"],
        ["decompressing passes over the rest", tree, "gzip -rd d"],
        ["-rc", "mkdir d; echo x >d/x", "gzip -rc d | zcat"],
        ["-rt", "mkdir d; hello >d/z.gz", "gzip -rt d"],
        ["-rl", "mkdir d; hello >d/z.gz", "gzip -rl d"],
        ["a file", "echo a >a", "gzip -r a"],
        ["an empty folder", "mkdir d", "gzip -r d"],
        ["the folder itself", "mkdir d; echo a >d/a", "cd d; gzip -r ."],
        ["a slash at the end", "mkdir d; hello >d/a.gz", "gzip -rdv d/"],
        ["links are not followed", "mkdir d e; echo a >e/a; ln -s ../e d/l", "gzip -r d"],
        ["what cannot be done does not stop it", "mkdir d; echo a >d/a; mkfifo d/p", "gzip -r d"],
        ["nothing named", "mkdir d; echo a >d/a", "gzip -r <d/a | zcat"],
    ]);
}

#[test]
fn times_and_modes_are_kept() {
    same(&[
        ["compressing", "echo a >a; chmod 640 a; old a", "gzip a; stat -c '%a %Y' a.gz"],
        [
            "decompressing: the file's time, not the stored one",
            "echo a >a; old a; gnu a; chmod 604 a.gz; touch -d @1234567890 a.gz",
            "gzip -d a.gz; stat -c '%a %Y' a",
        ],
        ["-k", "echo a >a; chmod 400 a; old a", "gzip -k a; stat -c '%a %Y' a.gz"],
        ["nanoseconds", "echo a >a; touch -d 2001-02-03T04:05:06.123456789Z a", "gzip a; stat -c %.9Y a.gz"],
        ["the time of access", "echo a >a", "touch -ad @1234567890 a; gzip a; stat -c %X a.gz"],
        ["the umask takes nothing away", "echo a >a; chmod 664 a", "umask 077; gzip a; stat -c %a a.gz"],
    ]);
}

#[test]
fn names_and_times_are_stored_and_restored() {
    same(&[
        [
            "-N restores both",
            "echo a >a; old a; gnu a; touch a.gz; mv a.gz b.gz",
            "gzip -dN b.gz; stat -c %Y a",
        ],
        ["the last of -n and -N wins", "echo a >a; old a; gnu a; mv a.gz b.gz", "gzip -dnN b.gz"],
        ["without -N neither", "echo a >a; gnu a; mv a.gz b.gz", "gzip -d b.gz"],
        ["-N without a stored name", "hello >b.gz; old b.gz", "gzip -dN b.gz; stat -c %Y b"],
        ["-N says what it makes", "echo a >a; gnu a; mv a.gz b.gz", "gzip -dvN b.gz"],
        ["-N does not write over what is there", "echo a >a; gnu -k a; mv a.gz b.gz", "gzip -dN b.gz"],
        ["-N stays in the folder", "mkdir d; echo a >a; gnu a; mv a.gz d/b.gz", "gzip -dN d/b.gz"],
        [
            "a stored path is only its last part",
            "mkdir d; printf '\\037\\213\\010\\010\\0\\0\\0\\0\\0\\003../../x\\0' >d/b.gz; hello | tail -c 16 >>d/b.gz",
            "gzip -dN d/b.gz",
        ],
        [
            "-l shows the name in place of the stored one",
            "echo a >a; gnu a; mv a.gz b.gz",
            "for o in -lq -lqN; do gzip $o b.gz | awk '{ print $4 }'; done",
        ],
    ]);
}
