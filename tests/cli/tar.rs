//! Members of tar archives: `-l --tar`, `--extract`, `--extract-to`, `--extract-tar` and `--align`.
//!
//! The peers are GNU tar, bsdtar and Python's tarfile, which make archives, and GNU tar, which lists and extracts them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::harness::{Folder, Run, finish, noise, text};

/// Runs a script in the folder, with a plain locale and time zone.
pub(crate) fn sh(folder: &Folder, script: &str) -> Vec<u8> {
    let mut bash = folder.program("bash", ["-euc", script]);
    let run = finish(bash.env("LC_ALL", "C.UTF-8").env("TZ", "Europe/Berlin").spawn().unwrap());
    assert!(run.status.success(), "{script}: {}", run.stderr);
    run.stdout
}

/// pzcomp in the same time zone.
fn run(folder: &Folder, args: &str) -> Run {
    finish(folder.command(args.split(' ')).env("TZ", "Europe/Berlin").spawn().unwrap())
}

/// A tree with files of all kinds that a normal user can make.
fn tree(folder: &Folder) {
    fs::create_dir_all(folder.path("tree/d/empty")).unwrap();
    for (name, bytes) in [
        ("tree/one", text(30_000)),
        ("tree/d/two", noise(200_000)),
        ("tree/d/none", Vec::new()),
        ("tree/with space", b"a".to_vec()),
        ("tree/d/ümlaut", b"b".to_vec()),
    ] {
        folder.write(name, bytes);
    }
    let long = format!("tree/{}", "long".repeat(40));
    folder.write(&long, b"a long name");
    sh(
        folder,
        "ln -s d/two tree/link; ln tree/one tree/hard; mkfifo tree/fifo; chmod 2750 tree/d; chmod 4711 tree/one
        printf 'x\\\\\\ny\\t' > $'tree/odd\\n\\\\name\\x01'; truncate -s 1M tree/sparse
        printf abc | dd of=tree/sparse bs=1 seek=500000 conv=notrunc status=none
        touch -d '2001-02-03 04:05:06.789' tree/one; touch -d '1960-01-01 00:00' 'tree/with space'
        touch -hd 2010-01-01 tree/link; touch -d 2020-05-05 tree/d tree",
    );
}

/// Archives that other programs make of the tree: a name, and the script that makes it.
fn archives() -> Vec<(&'static str, &'static str)> {
    let mut archives = vec![
        ("gnu.tar", "tar --format=gnu -cf gnu.tar tree"),
        ("sparse.tar", "tar --format=gnu -S -cf sparse.tar tree"),
        ("pax.tar", "tar --format=pax -cf pax.tar tree"),
        ("pax00.tar", "tar --format=pax -S --sparse-version=0.0 -cf pax00.tar tree"),
        ("pax01.tar", "tar --format=pax -S --sparse-version=0.1 -cf pax01.tar tree"),
        ("pax10.tar", "tar --format=pax -S --sparse-version=1.0 -cf pax10.tar tree"),
        (
            "numbers.tar",
            "tar --format=gnu --owner=nobody:3000000 --group=3000000 --numeric-owner -cf numbers.tar tree",
        ),
        (
            "global.tar",
            "tar --format=pax --pax-option=globexthdr.name=g,uname=me,comment=x -cf global.tar tree",
        ),
        ("ustar.tar", "tar --format=ustar -cf ustar.tar tree/d tree/one tree/hard tree/link"),
        ("v7.tar", "tar --format=v7 -cf v7.tar tree/d tree/one tree/hard tree/link"),
        ("two.tar", "tar -cf two.tar tree/d; tar -cf - tree/one >> two.tar"),
        ("dot.tar", "tar -C tree -cf dot.tar ."),
        (
            "py.tar",
            "python3 -c \"import tarfile; t = tarfile.open('py.tar', 'w'); t.add('tree'); t.close()\"",
        ),
        (
            "pyustar.tar",
            "python3 -c \"import tarfile; t = tarfile.open('pyustar.tar', 'w', format=tarfile.USTAR_FORMAT); t.add('tree/d'); t.close()\"",
        ),
    ];
    if Command::new("bsdtar").arg("--version").output().is_ok() {
        archives.push(("bsd.tar", "bsdtar -cf bsd.tar tree"));
        archives.push(("bsdpax.tar", "bsdtar --format=pax -cf bsdpax.tar tree"));
        archives.push(("bsdgnu.tar", "bsdtar --format=gnutar -cf bsdgnu.tar tree"));
    }
    archives
}

/// All below a folder: name, kind, content or target, mode without special bits, and time.
fn contents(root: &Path) -> Vec<(String, String, Vec<u8>, u32, i64)> {
    fn walk(root: &Path, at: &Path, found: &mut Vec<(String, String, Vec<u8>, u32, i64)>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let kind = metadata.file_type();
            let content = match kind {
                kind if kind.is_symlink() => {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                kind if kind.is_file() => fs::read(&path).unwrap(),
                _ => Vec::new(),
            };
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let mode = if kind.is_symlink() { 0 } else { metadata.mode() & 0o777 };
            // Some archives have no header of this folder, so it is as old as its extraction.
            let time = if name == "tree" { 0 } else { metadata.mtime() };
            found.push((name, format!("{kind:?}"), content, mode, time));
            if kind.is_dir() {
                walk(root, &path, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(root, root, &mut found);
    found.sort();
    found
}

#[test]
fn lists_are_those_of_gnu_tar() {
    let folder = Folder::new();
    tree(&folder);
    for (name, script) in archives() {
        sh(&folder, script);
        let expected = sh(&folder, &format!("tar -itvf {name}"));
        for (format, suffix) in [("zstd", "zst"), ("gzip", "gz"), ("lz4", "lz4"), ("xz", "xz")] {
            folder.run(&format!("-k -F {format} -b 64K {name}")).fine();
            let coded = format!("{name}.{suffix}");
            assert!(folder.run(&format!("-dc {coded}")).fine() == folder.read(name), "{coded}");
            let listed = run(&folder, &format!("-l --tar {coded}")).fine();
            let [listed, wanted] =
                [&listed, &expected].map(|text| String::from_utf8_lossy(text).into_owned());
            assert_eq!(listed, wanted, "{coded}");
            // Other tools read it.
            if format != "lz4" {
                assert!(sh(&folder, &format!("tar -itvf {coded}")) == expected, "{coded}");
            }
        }
        // Without a list, from a pipe, and with an index.
        sh(&folder, &format!("gzip -k -f {name}"));
        let gz = format!("{name}.gz");
        assert!(run(&folder, &format!("-l --tar {gz}")).fine() == expected, "{gz}");
        let mut piped = folder.command(["-l", "--tar"]);
        piped.env("TZ", "Europe/Berlin");
        assert!(crate::harness::feed(&mut piped, &folder.read(&gz)).fine() == expected, "{gz} on a pipe");
        folder.run(&format!("--index {gz}")).fine();
        assert_eq!(folder.read(&format!("{gz}.pzi"))[8], 2);
        assert!(run(&folder, &format!("-l --tar {gz}")).fine() == expected, "{gz} with an index");
        folder.run(&format!("-t --index {gz}")).fine();
    }
}

#[test]
fn odd_members_are_listed_as_by_gnu_tar() {
    let folder = Folder::new();
    let script = r#"
import tarfile
def block(name, kind=b'0', time=10 ** 9, link=''):
    info = tarfile.TarInfo(name)
    info.linkname = link
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))[-512:]
    block[136:148] = (b'\x80' if time >= 0 else b'\xff') + (time % (1 << 88)).to_bytes(11, 'big')
    block[156:157] = kind
    block[148:156] = b' ' * 8
    block[148:156] = b'%06o\0 ' % sum(block)
    return bytes(block)
with open('odd.tar', 'wb') as out:
    for kind in b"ZAN789q\xc3~\"'\\ \x01VD":
        out.write(block('kind', bytes([kind])))
    far = 253402300800
    for time in [far - 90000, far - 1, far, far + 366 * 86400, far + 40 * 10 ** 9, 10 ** 13, 2 ** 62, -1, -far,
                 -62167219200, -62167222801, -10 ** 12, -3 * 10 ** 11, -2 ** 60]:
        out.write(block('time', time=time))
    for link in ['/etc/passwd', 'a\\b', 'a\nb', '//x//y/', '../x', 'a/../b/..', './a/', 'x/', '/', '..', 'a..', '\u00fc']:
        out.write(block('link', b'2', link=link) + block('hard', b'1', link=link))
    out.write(bytes(20480))
"#;
    folder.write("make.py", script);
    let expected = sh(&folder, "python3 make.py; tar -tvf odd.tar 2> err");
    folder.run("-k odd.tar").fine();
    let listed = run(&folder, "-l --tar odd.tar.zst").fine();
    let [listed, expected] = [listed, expected].map(|lines| String::from_utf8(lines).unwrap());
    for (ours, theirs) in listed.lines().zip(expected.lines()) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(listed.lines().count(), expected.lines().count());
}

#[test]
fn the_record_of_a_list_has_the_members() {
    let folder = Folder::new();
    tree(&folder);
    let script = r#"
import json, sys, tarfile
kinds = {b"0": "file", b"\0": "file", b"S": "file", b"1": "hardlink", b"2": "symlink", b"5": "directory", b"6": "fifo"}
for name in sys.argv[1:]:
    record = json.load(open("record"))
    (stream,) = record["streams"]
    archive = tarfile.open(name, encoding="utf-8")
    members = archive.getmembers()
    assert stream["ok"] and record["mode"] == "list" and len(stream["members"]) == len(members) > 8
    for ours, theirs in zip(stream["members"], members):
        assert ours["name"].rstrip("/") == theirs.name, ours
        assert ours["type"] == kinds[theirs.type], ours
        assert ours["bytes"] == theirs.size or theirs.sparse, ours
        assert ours["mode"] == theirs.mode & 0o7777 and ours["modified_unix"] == int(theirs.mtime // 1), ours
        assert (ours["uid"], ours["gid"]) == (theirs.uid, theirs.gid), ours
        assert (ours["user"], ours["group"]) == (theirs.uname, theirs.gname), ours
        assert ours.get("link", "") == theirs.linkname, ours
        assert ours["data_offset"] == theirs.offset_data or theirs.sparse, ours
        assert ours["header_offset"] == theirs.offset, ours
    print(stream["listed"])
"#;
    folder.write("check.py", script);
    for name in ["gnu.tar", "pax.tar"] {
        let make = archives().into_iter().find(|(archive, _)| *archive == name).unwrap().1;
        sh(&folder, make);
        folder.run(&format!("-k {name}")).fine();
        sh(&folder, &format!("gzip -k {name}"));
        for (suffix, is_listed) in [("zst", "True\n"), ("gz", "False\n")] {
            run(&folder, &format!("-l --tar --json record {name}.{suffix}")).fine();
            let told = sh(&folder, &format!("python3 check.py {name}"));
            assert_eq!(String::from_utf8_lossy(&told), is_listed, "{name}.{suffix}");
        }
    }
    // Names that are no Unicode, and more text than is kept in memory.
    sh(
        &folder,
        "mkdir many; cd many; touch $(seq -f 'a-rather-long-name-of-a-file-%g' 6000) $'\\xff'; tar -cf ../m.tar .",
    );
    folder.run("-k m.tar").fine();
    run(&folder, "-l --tar --json record m.tar.zst m.tar.zst").fine();
    let count = "import json; r = json.load(open('record'))['streams']; print([len(s['members']) for s in r], \
                 [m['name_hex'] for m in r[1]['members'] if 'name_hex' in m])";
    let told = sh(&folder, &format!("python3 -c \"{count}\""));
    assert_eq!(String::from_utf8_lossy(&told), "[6002, 6002] ['2e2fff']\n");
    folder.write("cut.tar", &folder.read("gnu.tar")[..40_000]);
    folder.run("-k cut.tar").fine();
    let cut = run(&folder, "-l --tar --json record cut.tar.zst");
    assert_eq!(cut.status.code(), Some(1), "{}", cut.stderr);
    assert!(String::from_utf8_lossy(&folder.read("record")).contains("],\"ok\":false}"));
}

#[test]
fn members_are_extracted_as_tar_extracts_them() {
    let folder = Folder::new();
    tree(&folder);
    for (name, script) in archives() {
        sh(&folder, script);
        sh(
            &folder,
            &format!(
                "umask 027; rm -rf theirs; mkdir theirs; tar -ixf {name} -C theirs --no-same-owner --no-same-permissions"
            ),
        );
        let theirs = contents(&folder.path("theirs"));
        for coder in ["pzcomp -k -b 64K", "gzip -kf"] {
            let suffix = if coder.starts_with("pzcomp") { "zst" } else { "gz" };
            match suffix {
                "zst" => drop(folder.run(&format!("-k -b 64K {name}")).fine()),
                _ => drop(sh(&folder, &format!("{coder} {name}"))),
            }
            // All of it in one pass, and by the list if there is one.
            for chosen in ["", " --extract *"] {
                let _ = fs::remove_dir_all(folder.path("ours"));
                let args = format!("-d{chosen} --extract-to ours {name}.{suffix}");
                folder.sh(&format!("umask 027; set -f; exec $0 {args}")).fine();
                assert_eq!(contents(&folder.path("ours")), theirs, "{name}.{suffix}{chosen}");
            }
            // An archive of some members.
            let theirs = sh(&folder, &format!("tar -ixOf {name} --wildcards '*two' '*mlaut'"));
            let ours = folder.run(&format!("-d --extract *two --extract *mlaut {name}.{suffix}")).fine();
            assert!(ours == theirs, "{name}.{suffix}");
            let archive = folder
                .run(&format!("-d --extract *two --extract *mlaut --extract-tar {name}.{suffix}"))
                .fine();
            folder.write("some.tar", archive);
            let lines = |name: &str| {
                let lines = sh(&folder, &format!("tar -itvf {name} --wildcards '*two' '*mlaut'"));
                String::from_utf8(lines).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
            };
            assert_eq!(lines("some.tar"), lines(name));
            assert!(sh(&folder, "tar -xOf some.tar") == theirs);
        }
    }
}

#[test]
fn one_member_is_read_without_the_others() {
    let folder = Folder::new();
    fs::create_dir(folder.path("m")).unwrap();
    // No member repeats another one, so where frames end does not matter to the size.
    let all = noise(300 * 20_400);
    let member = |number: usize| &all[number * 20_400..][..20_000 + number];
    for number in 0..300 {
        folder.write(&format!("m/{number}"), member(number));
    }
    sh(&folder, "tar --sort=name -cf a.tar m");
    folder.run("-k -b 64K --recovery a.tar").fine();
    let coded = folder.read("a.tar.zst");
    assert!(
        coded.len() as f64
            <= folder.pipe("-b 64K --recovery --no-tar", folder.read("a.tar")).fine().len() as f64 * 1.01
    );
    assert!(folder.run("-d --extract m/250 a.tar.zst").fine() == member(250));
    // What is not needed may be damaged, and is.
    let mut damaged = coded.clone();
    damaged[100_000..100_100].fill(7);
    folder.write("damaged.tar.zst", &damaged);
    assert!(folder.run("-d --extract m/250 damaged.tar.zst").fine() == member(250));
    folder.run("--repair damaged.tar.zst").says(0, &["is repaired"]);
    assert!(folder.read("damaged.tar.zst") == coded);
    // Recovery records cover the list.
    let mut damaged = coded.clone();
    let list = coded.windows(5).position(|bytes| bytes == b"\x9bPZR\x03").unwrap();
    damaged[list + 200] ^= 1;
    folder.write("damaged.tar.zst", &damaged);
    folder
        .run("-l --tar damaged.tar.zst")
        .says(2, &["the list of the members of the tar archive is damaged"]);
    folder.run("-f --rm --repair damaged.tar.zst").says(0, &["is repaired"]);
    assert!(folder.read("damaged.tar.zst") == coded);
    folder
        .run("-d --extract no --extract m/1 a.tar.zst")
        .says(1, &["no: no member of the tar archive in a.tar.zst"]);
    // Several files are one archive: a name that one of them has is not missing, and one end ends them all.
    folder.write("b", text(300_000));
    sh(&folder, "tar -cf b.tar b");
    folder.run("b.tar").fine();
    assert!(folder.run("-d --extract m/250 b.tar.zst a.tar.zst b.tar.zst").fine() == member(250));
    folder
        .run("-d --extract no --extract m/1 a.tar.zst b.tar.zst")
        .says(1, &["no: no member of the 2 tar archives has this name"]);
    let joined =
        folder.run("-d --extract-tar --extract m/1 --extract b b.tar.zst a.tar.zst b.tar.zst").fine();
    folder.write("joined.tar", joined);
    assert_eq!(sh(&folder, "tar -tf joined.tar"), b"b\nm/1\nb\n");
    folder.run("-d --extract m/1 --extract-to out a.tar.zst").fine();
    folder.run("-d --extract m/1 --extract-to out a.tar.zst").says(1, &["m/1: exists already; use -f"]);
    folder.run("-d -f --extract m/1 --extract-to out a.tar.zst").fine();
    assert_eq!(fs::read_dir(folder.path("out/m")).unwrap().count(), 1);
}

/// With `-f` too.
#[test]
fn extract_to_replaces_no_archive_that_it_reads() {
    let folder = Folder::new();
    for name in ["a.tar.zst", "b.tar.zst"] {
        folder.write(name, "a member");
    }
    sh(&folder, "tar -cf t.tar a.tar.zst b.tar.zst");
    let archive = folder.run("-c t.tar").fine();
    for name in ["a.tar.zst", "b.tar.zst"] {
        folder.write(name, &archive);
    }
    folder
        .run("-d -f --extract-to . a.tar.zst b.tar.zst")
        .says(1, &["a.tar.zst: is an input of this run", "b.tar.zst: is an input of this run"]);
    assert!(folder.read("a.tar.zst") == archive && folder.read("b.tar.zst") == archive);
}

#[test]
fn a_list_of_other_data_is_refused() {
    let folder = Folder::new();
    folder.write("a", text(30_000));
    folder.write("b", noise(30_000));
    sh(&folder, "tar -cf a.tar a; tar -cf b.tar --transform s/b/a/ b");
    let [one, other] = ["a.tar", "b.tar"].map(|name| folder.pipe("-F gzip", folder.read(name)).fine());
    let start = |coded: &[u8]| coded.windows(5).position(|bytes| bytes == b"\x9bPZR\x03").unwrap() - 24;
    // The data of one, and the list of the other with the length of the one.
    let forged = [&one[..start(&one)], &other[start(&other)..]].concat();
    folder.write("forged.tar.gz", forged);
    let _ = run(&folder, "-l --tar forged.tar.gz");
    let taken = folder.run("-d --extract a forged.tar.gz");
    assert!(!taken.status.success() || taken.stdout == text(30_000), "{}", taken.stderr);
}

#[test]
fn hostile_members_stay_in_the_folder() {
    let folder = Folder::new();
    let script = r#"
import io, tarfile
with tarfile.open('evil.tar', 'w') as tar:
    def add(name, kind=tarfile.REGTYPE, link='', data=b'evil'):
        member = tarfile.TarInfo(name)
        member.type, member.linkname, member.size = kind, link, len(data) if kind == tarfile.REGTYPE else 0
        tar.addfile(member, io.BytesIO(data))
    add('../up')
    add('a/../../up')
    add('/tmp/pzcomp-absolute')
    add('out', tarfile.SYMTYPE, '..')
    add('out/through')
    add('root', tarfile.SYMTYPE, '/')
    add('in', tarfile.SYMTYPE, 'd')
    add('d/file')
    add('in/through')
    add('d/deep/link', tarfile.SYMTYPE, '../..')
    add('moved', tarfile.LNKTYPE, 'd/deep/link')
    add('hard', tarfile.LNKTYPE, '../secret')
    add('harder', tarfile.LNKTYPE, '/etc/passwd')
    add('device', tarfile.CHRTYPE)
    add('mine/through')
    add('fine')
    add('twice', data=b'one')
    add('twice', data=b'two')
"#;
    folder.write("make.py", script);
    sh(&folder, "python3 make.py; mkdir other into; echo secret > secret");
    symlink("../other", folder.path("into/mine")).unwrap();
    folder.run("-k evil.tar").fine();
    let expected = [
        "../up: has '..'",
        "a/../../up: has '..'",
        "out: is a link to '..', which leads out",
        "root: is a link to '/'",
        "in/through: 'in' on its way is a symbolic link",
        "moved: is another name of a link to '../..', which leads out",
        "hard: has '..'",
        "harder: is another name of '/etc/passwd', which was not extracted",
        "device: is a device",
        "mine/through: 'mine' on its way",
        "note: the slash at the start of names",
        "note: if the archive is trusted",
    ];
    folder.run("-d --extract-to into evil.tar.zst").says(1, &expected);
    let names: Vec<String> = contents(&folder.path("into")).into_iter().map(|entry| entry.0).collect();
    let inside = [
        "d",
        "d/deep",
        "d/deep/link",
        "d/file",
        "fine",
        "in",
        "mine",
        "out",
        "out/through",
        "tmp",
        "tmp/pzcomp-absolute",
        "twice",
    ];
    assert_eq!(names, inside);
    assert_eq!(fs::read_dir(folder.path("other")).unwrap().count(), 0);
    assert!(!folder.has("up") && !Path::new("/tmp/pzcomp-absolute").exists());
    assert_eq!((folder.read("into/fine"), folder.read("into/twice")), (b"evil".to_vec(), b"two".to_vec()));
    // With -f files are replaced, and folders and what is outside are not.
    fs::set_permissions(folder.path("into/fine"), fs::Permissions::from_mode(0o400)).unwrap();
    let again = folder
        .run("-d -f --extract twice --extract in --extract d --extract fine --extract-to into evil.tar.zst");
    assert!(again.stderr.contains("in/through: 'in' on its way"), "{}", again.stderr);
    assert_eq!(folder.read("into/twice"), b"two");
}

#[test]
fn data_that_is_no_archive_or_is_damaged_gets_no_list() {
    let folder = Folder::new();
    folder.write("a", noise(50_000));
    sh(&folder, "tar -cf a.tar a");
    let (archive, plain) = (folder.read("a.tar"), text(100_000));
    assert!(folder.pipe("", &plain).fine() == folder.pipe("--no-tar", &plain).fine());
    assert!(folder.pipe("", &archive).fine() != folder.pipe("--no-tar", &archive).fine());
    folder.pipe("--tar", &plain).says(1, &["the data is not a whole tar archive"]);
    folder.pipe("--tar", b"").says(1, &["the data is not a whole tar archive"]);
    folder.pipe("--tar", &archive[..40_000]).says(1, &["it ends there"]);
    folder.pipe("--tar -F xz", &archive).says(1, &["xz cannot be written with a list of the members"]);
    folder
        .pipe("--tar -F gzip --one-member", &archive)
        .says(1, &["gzip cannot be written in this layout with a list of the members"]);
    // The last of two options that contradict each other counts.
    assert!(folder.pipe("--tar --no-tar", &archive).fine() == folder.pipe("--no-tar", &archive).fine());
    folder.pipe("--no-tar --tar", &plain).says(1, &["the data is not a whole tar archive"]);
    // Cut off: the data is kept, and what is wrong is told to those who ask.
    let cut = folder.pipe("-v", &archive[..40_000]);
    assert!(
        cut.status.success() && cut.stderr.contains("gets no list of its members: it ends there"),
        "{}",
        cut.stderr
    );
    assert!(folder.pipe("-d", &cut.stdout).fine() == archive[..40_000]);
    folder.write("cut.tar.zst", &cut.stdout);
    folder
        .run("-l --tar cut.tar.zst")
        .says(1, &["it ends at offset 40000 of the plain data, in the member that begins at offset 0"]);
    folder.write("plain.zst", folder.pipe("", &plain).fine());
    folder.run("-l --tar plain.zst").says(1, &["there is no tar header"]);
    folder.run("-d --extract a plain.zst").says(1, &["there is no tar header"]);
    // An archive may end with its last member.
    let bare = archive[..512 + 50_176].to_vec();
    let listed = folder.pipe("--tar", &bare).fine();
    folder.write("bare.tar", &bare);
    assert!(listed == folder.run("-c --tar bare.tar").fine());
    folder.write("bare.tar.zst", &listed);
    folder.run("-l --tar bare.tar.zst").fine();
    folder.pipe("--tar", &bare[..50_000]).says(1, &["it ends there, at offset 50000"]);
    // Threads and the kind of input make no difference.
    let one = folder.pipe("-p1 -b 16K", &archive).fine();
    assert!(one == folder.pipe("-p4 -b 16K", &archive).fine());
    assert!(one == folder.run("-c -p3 -b 16K a.tar").fine());
    // Under the name of another tool the bytes are as they were.
    for tool in ["zstd", "gzip", "lz4", "pigz"] {
        let theirs = folder.pipe(&format!("--as {tool} -c"), &archive).fine();
        assert!(!theirs.windows(4).any(|bytes| bytes == b"\x9bPZR"), "{tool}");
    }
}

#[test]
fn frames_end_behind_members_and_lines() {
    let folder = Folder::new();
    fs::create_dir(folder.path("m")).unwrap();
    for number in 0..200 {
        folder.write(&format!("m/{number:03}"), noise(3000));
    }
    sh(&folder, "tar --sort=name -cf a.tar m");
    folder.run("-k -b 64K a.tar").fine();
    let starts = |name: &str| {
        let table = String::from_utf8(folder.run(&format!("-l --frames {name}")).fine()).unwrap();
        let cell = |line: &str, at: usize| line.split_whitespace().nth(at)?.parse::<usize>().ok();
        let rows = table.lines().filter_map(|line| Some((cell(line, 3)?, cell(line, 4)?)));
        rows.filter(|(_, len)| *len > 0).map(|(start, _)| start).collect::<Vec<_>>()
    };
    let archive = folder.read("a.tar");
    let found = starts("a.tar.zst");
    assert!(found.len() > 9);
    for start in found {
        assert!(start % 512 == 0 && archive[start..].starts_with(b"m/"), "{start}");
    }
    let lines = text(500_000);
    folder.write("lines", &lines);
    for args in ["-k -f -b 64K --align newline lines", "-f -b 64K --align newline -o lines.zst"] {
        let run = if args.contains("-o") { folder.pipe(args, &lines) } else { folder.run(args) };
        run.fine();
        assert!(folder.run("-dc lines.zst").fine() == lines);
        let found = starts("lines.zst");
        assert!(found.len() > 7);
        assert!(found[1..].iter().all(|&start| lines[start - 1] == b'\n'), "{args}");
    }
    folder.pipe("--align newline -b 4K", noise(20_000)).fine();
    folder
        .pipe("--align newline --tar", &lines)
        .says(1, &["cannot be written with frames that end behind lines"]);
    folder.pipe("--align tabs", b"").says(1, &["newline"]);
}
