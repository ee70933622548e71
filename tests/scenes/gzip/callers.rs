//! Those who call gzip: archivers, backups, log rotation, and gzip's own scripts.
//!
//! The peer is GNU gzip, called in the same way. Add a row with the command line that the program uses. What archives
//! hold must have an old time (`old`), or else no two runs make the same.

use crate::scene::same;

#[test]
fn tar_calls_it_both_ways_and_hears_of_damage() {
    let folder = "mkdir d; seq 1000 >d/a; old d/a d";
    let archive = "mkdir d; seq 1000 >d/a; old d/a d; tar -czf t.tgz d; rm -r d";
    same(&[
        [
            "tar -z both ways",
            folder,
            "tar -czf t.tgz d; rm -r d; tar -tzf t.tgz; tar -xzf t.tgz; seq 1000 | cmp - d/a; rm -r d t.tgz",
        ],
        ["tar that finds out itself", archive, "tar -xf t.tgz; seq 1000 | cmp - d/a; rm -r d"],
        ["tar -I", archive, "tar -I gzip -xf t.tgz; seq 1000 | cmp - d/a; rm -r d"],
        [
            "tar -I with options",
            folder,
            "tar -I 'gzip -9 -n' -cf t.tgz d; tar -I 'gzip -9 -n' -tf t.tgz; rm t.tgz",
        ],
        [
            "tar and pipes",
            folder,
            "tar -cf - d | gzip >t.tgz; gzip -t t.tgz && gzip -dc <t.tgz | tar -tf -; rm t.tgz",
        ],
        [
            "an archive that is cut short",
            "seq 300000 >a; old a; tar -czf t.tgz a; rm a; truncate -s 300000 t.tgz",
            "tar -xzf t.tgz 2>/dev/null; echo $?; rm a",
        ],
        ["an archive that is no archive", "echo x >t.tgz", "tar -xzf t.tgz 2>/dev/null; echo $?"],
        ["an archive of nothing", ": >t.tgz", "tar -I gzip -xf t.tgz 2>/dev/null; echo $?"],
        [
            "tar stops reading before the end",
            "mkdir d; echo a >d/a; seq 300000 >d/b; old d/*; tar -czf t.tgz d/a d/b; rm -r d",
            "tar --occurrence=1 -xzOf t.tgz d/a",
        ],
    ]);
}

#[test]
fn backups_get_whole_data_and_true_statuses() {
    same(&[
        [
            "a dump in a pipe",
            "",
            "(seq 1 9999; sleep 0.1; seq 10000 99999) | gzip >a.gz; zcat a.gz | md5sum >b; seq 99999 | md5sum | cmp - b; rm a.gz b",
        ],
        [
            "a dump that is read back",
            "seq 99999 | gnu >a.gz",
            "gunzip -c a.gz | tail -n 1; gunzip <a.gz | tail -n 1; zcat a.gz | tail -n 1",
        ],
        [
            "levels of the callers",
            "",
            "for o in -3 --fast -9n '-n -9 --rsyncable' -c; do seq 9999 | gzip $o | zcat | tail -n 1; done",
        ],
        ["initramfs-tools asks for --rsyncable", "", "gzip --help | grep -q rsyncable && echo there"],
        [
            "automysqlbackup",
            "echo a >a.sql; echo old >a.sql.gz",
            "gzip -f a.sql; echo $?; gzip -l a.sql.gz | awk 'NR == 2 { print $2, $4 }'",
        ],
        [
            "split",
            "",
            "seq 99999 | split -b 100K --filter='gzip >$FILE.gz' - p.; ls | wc -l; cat p.*.gz | zcat | md5sum >b; seq 99999 | md5sum | cmp - b; rm p.* b",
        ],
        [
            "a status that aborts",
            "seq 9999 | gnu | head -c 9000 >a.gz",
            "bash -o pipefail -c 'gzip -dc a.gz 2>/dev/null | cat >/dev/null'; echo $?",
        ],
        [
            "several at once",
            "for n in 1 2 3 4 5 6 7 8; do seq $n >f$n; done",
            "ls f* | xargs -n 2 -P 4 gzip; cat f*.gz | zcat | wc -l; rm f*",
        ],
        [
            "find",
            "mkdir -p d/s; echo a >d/a.log; echo b >d/s/b.log",
            "find d -name '*.log' -exec gzip -9 {} +",
        ],
    ]);
}

#[test]
fn log_rotation_sees_no_byte_on_standard_error() {
    same(&[
        [
            "compressing",
            "seq 9999 >log",
            "gzip <log >log.1.gz 2>err; echo $? $(wc -c <err); zcat log.1.gz | cmp - log; rm log.1.gz err",
        ],
        [
            "compressing, with options",
            "seq 9999 >log",
            "gzip -9 <log >log.1.gz 2>err; echo $? $(wc -c <err); rm log.1.gz err",
        ],
        ["an empty log", ": >log", "gzip <log >log.1.gz 2>err; echo $? $(wc -c <err); rm log.1.gz err"],
        [
            "decompressing",
            "seq 9999 | gnu >log.1.gz",
            "gunzip <log.1.gz >log 2>err; echo $? $(wc -c <err); seq 9999 | cmp - log; rm log err",
        ],
    ]);
}

#[test]
fn the_scripts_of_gzip_itself_work_with_it() {
    let two = "seq 100 >a; (seq 50; seq 52 100) >b; gnu -k a b";
    same(&[
        ["zgrep", two, "zgrep -n 51 a.gz; zgrep -c 5 a.gz b; zgrep -l 51 a.gz b.gz; zgrep 51 b.gz; echo $?"],
        ["zgrep on a pipe", two, "cat a.gz | zgrep 51"],
        [
            "zgrep and damage",
            "seq 9999 | gnu | head -c 9000 >a.gz",
            "zgrep nothing a.gz 2>/dev/null; echo $?",
        ],
        ["zdiff", two, "zdiff a.gz b.gz; echo $?; zdiff a.gz a; echo $?; zdiff a b.gz | head -n 1"],
        ["zcmp", two, "zcmp a.gz a && zcmp -s a.gz b.gz || echo differ"],
        ["zless", two, "zless a.gz | tail -n 1; zless b | tail -n 1"],
        ["less with its helper", two, "LESSOPEN='|lesspipe %s' less a.gz | tail -n 1"],
        ["zforce", "hello >a; echo b >b", "zforce a b 2>/dev/null; ls; mv a.gz a"],
        ["znew", "seq 1000 >a; compress a", "znew a.Z; zcat a.gz | tail -n 1; rm a.gz"],
        [
            "gzexe",
            "printf '#!/bin/sh\\necho I run: $1\\n' >a; chmod 755 a",
            // What it makes leaves a process that removes a folder in five seconds, and nobody waits for its output.
            "gzexe a >/dev/null 2>&1; ./a well >said 2>&1; cat said; rm a a~ said",
        ],
    ]);
}
