//! Members of tar archives whose lists, data or headers are damaged, forged or odd, and several versions of members.

use std::fs;

use super::tar::sh;
use crate::common::flipped;
use crate::harness::{Folder, noise, text};

/// An archive of files `m/0` to `m/99`, in frames of few members.
fn many(folder: &Folder) -> Vec<Vec<u8>> {
    let files: Vec<Vec<u8>> =
        (0..100).map(|number| noise(9000 + number * 600)[number * 600..].to_vec()).collect();
    fs::create_dir(folder.path("m")).unwrap();
    for (number, bytes) in files.iter().enumerate() {
        folder.write(&format!("m/{number:02}"), bytes);
    }
    sh(folder, "tar --sort=name -cf a.tar m");
    folder.run("-k -b 64K a.tar").fine();
    files
}

#[test]
fn a_hard_link_has_the_data_of_the_archive() {
    let folder = Folder::new();
    folder.write("a", text(20_000));
    folder.write("z", noise(20_000));
    sh(
        &folder,
        "ln a h; tar --sort=name -cf s.tar a h z; gzip -k s.tar; mkdir one two; echo EVIL | tee one/a > two/a",
    );
    folder.run("-k s.tar").fine();
    // With a list the data of the target is written.
    folder.run("-d --extract h --extract-to one s.tar.zst").fine();
    assert_eq!((folder.read("one/a"), folder.read("one/h")), (b"EVIL\n".to_vec(), text(20_000)));
    assert!(
        folder.run("-d --extract h --extract z s.tar.zst").fine() == [text(20_000), noise(20_000)].concat()
    );
    folder.run("-d --extract h -o out s.tar.zst").fine();
    assert_eq!(folder.read("out"), text(20_000));
    // Without one the target is named.
    folder
        .run("-d --extract h --extract-to two s.tar.gz")
        .says(1, &["h: is another name of 'a'", "extract 'a' too"]);
    assert!(!folder.has("two/h"));
    folder.run("-d --extract-to two s.tar.gz").says(1, &["a: exists already", "h: is another name of 'a'"]);
    assert!(!folder.has("two/h") && folder.has("two/z"));
    for name in ["s.tar.gz", "s.tar.zst"] {
        folder.run(&format!("-d --extract h --extract a --extract-to {name}.d {name}")).fine();
        assert_eq!(folder.read(&format!("{name}.d/h")), text(20_000));
        sh(&folder, &format!("test {name}.d/a -ef {name}.d/h"));
    }
}

/// Makes archives whose member `a` is a file of As, then something else, and whose member `h` is a hard link to `a`.
const VERSIONS: &str = r#"
import io, tarfile
def member(archive, name, kind, link="", data=b""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(data)
    archive.addfile(info, io.BytesIO(data))
for name, kind, link in (("symlink", tarfile.SYMTYPE, "x"), ("hard", tarfile.LNKTYPE, "c"), ("folder", tarfile.DIRTYPE, "")):
    with tarfile.open(name + ".tar", "w") as archive:
        member(archive, "a", tarfile.REGTYPE, data=b"A" * 30000)
        member(archive, "c", tarfile.REGTYPE, data=b"C" * 30000)
        member(archive, "a", kind, link)
        member(archive, "h", tarfile.LNKTYPE, "a")
"#;

/// Makes archives in which something has the name of a folder in a later version, or the other way round.
const KINDS: &str = r#"
import io, tarfile
D, S, L, P = tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE
x, after = ("d/x", b"x"), ("after", b"a" * 30000)
cases = dict(
    empty_file=[("d", D), ("d", b"f"), after], empty_link=[("d", D), ("d", S, "q"), after],
    empty_hard=[("a", b"a"), ("d", D), ("d", L, "a"), after], empty_pipe=[("d", D), ("d", P), after],
    full_file=[("d", D), x, ("d", b"f"), after], full_link=[("d", D), x, ("d", S, "q"), after],
    implicit=[x, ("d", b"f"), after], through=[("d", b"f"), x, after], file_folder=[("d", b"f"), ("d", D), x, after],
    link_folder=[("q", D), ("d", S, "q"), ("d", D), x, after], pipe_folder=[("d", P), ("d", D), x, after],
    twice=[("d/x", b"x"), ("d", D, "", 0o700), after], thrice=[("d", D), ("d", D, "", 0o700), ("d", D, "", 0o750), after],
    within=[("a/x", L, "a"), ("a", b"f"), after], linked=[("s", S, "a"), ("t", L, "s"), ("u/v", L, "s"), after],
    to_and_fro=[("d", D), ("d", b"f"), ("d", D), x, after], deep=[("a/b/c", D), ("a/b", b"x"), ("a/b/c", b"y"), after])
for name, members in cases.items():
    with tarfile.open(name + ".tar", "w") as archive:
        for path, kind, *more in members:
            info = tarfile.TarInfo(path)
            data = kind if len(kind) != 1 or kind == b"f" or kind == b"a" or kind == b"x" or kind == b"y" else b""
            info.type = tarfile.REGTYPE if data else kind
            info.mode, info.mtime = (more[1:] or [0o755])[0], 10 ** 9
            info.linkname, info.size = (more or [""])[0], len(data)
            archive.addfile(info, io.BytesIO(data))
print(*cases)
"#;

#[test]
fn folders_become_files_and_files_become_folders_as_with_tar() {
    let folder = Folder::new();
    folder.write("make.py", KINDS);
    let names = String::from_utf8(sh(&folder, "python3 make.py")).unwrap();
    let tree = "find . -mindepth 1 -type f -printf '%p %y %n %T@ %s\\n' -o -mindepth 1 -printf '%p %y %m %l\\n' | sort";
    for name in names.split_whitespace() {
        sh(&folder, &format!("mkdir {name}.t; tar -xf {name}.tar -C {name}.t 2> {name}.err || true"));
        folder.run(&format!("-k {name}.tar")).fine();
        let theirs = sh(&folder, &format!("cd {name}.t; {tree}"));
        for chosen in ["", "--extract * "] {
            let _ = fs::remove_dir_all(folder.path("ours"));
            let ours = folder.run(&format!("-d {chosen}--extract-to ours {name}.tar.zst"));
            let is_refused = !folder.read(&format!("{name}.err")).is_empty();
            assert_eq!(ours.status.code(), Some(i32::from(is_refused)), "{name}: {}", ours.stderr);
            assert_eq!(ours.stderr.lines().count(), usize::from(is_refused), "{name}: {}", ours.stderr);
            let ours = sh(&folder, &format!("cd ours; {tree}"));
            assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs), "{name}");
        }
    }
    // A folder that was there before is replaced with -f only.
    sh(&folder, "mkdir -p there/d");
    folder.run("-d --extract-to there full_file.tar.zst").says(1, &["d: is a folder already; use -f"]);
    folder
        .run("-df --extract-to there full_file.tar.zst")
        .says(1, &["d: is a folder already, which is not empty"]);
    sh(&folder, "rm -r there; mkdir -p there/after");
    folder.run("-d --extract-to there empty_file.tar.zst").says(1, &["after: is a folder already; use -f"]);
    folder.run("-df --extract-to there empty_file.tar.zst").fine();
    assert_eq!(folder.read("there/after").len(), 30_000);
}

#[test]
fn a_hard_link_never_has_an_older_version_of_its_target() {
    let folder = Folder::new();
    folder.write("make.py", VERSIONS);
    sh(&folder, "python3 make.py");
    for kind in ["symlink", "folder"] {
        folder.run(&format!("-k {kind}.tar")).fine();
        let taken = folder.run(&format!("-d --extract h {kind}.tar.zst"));
        assert_eq!((taken.status.code(), taken.stdout.len()), (Some(1), 0), "{kind}: {}", taken.stderr);
        folder
            .run(&format!("-d --extract h --extract-to {kind} {kind}.tar.zst"))
            .says(1, &["h: is another name of 'a'"]);
        assert!(!folder.has(&format!("{kind}/h")), "{kind}");
    }
    folder.run("-k hard.tar").fine();
    folder.run("-d --extract-to all hard.tar.zst").fine();
    assert_eq!(folder.read("all/h"), [b'C'; 30000]);
    assert_eq!(folder.run("-d --extract h hard.tar.zst").fine(), [b'C'; 30000]);
}

#[test]
fn a_hard_link_to_a_hard_link_leads_to_the_file() {
    let folder = Folder::new();
    let script = r#"
import io, tarfile
with tarfile.open("chain.tar", "w") as archive:
    def member(name, link="", data=b""):
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = tarfile.LNKTYPE if link else tarfile.REGTYPE, link, len(data)
        archive.addfile(info, io.BytesIO(data))
    member("a", data=b"A" * 30000)
    for number in range(1, 5):
        member(f"h{number}", "a" if number == 1 else f"./h{number - 1}")
    member("loop", "loop")
    member("a", data=b"new")
    member("z", "a")
"#;
    folder.write("make.py", script);
    sh(&folder, "python3 make.py");
    folder.run("-k chain.tar").fine();
    for name in ["h1", "h2", "h4"] {
        assert_eq!(folder.run(&format!("-d --extract {name} chain.tar.zst")).fine(), [b'A'; 30000], "{name}");
    }
    assert_eq!(folder.run("-d --extract z chain.tar.zst").fine(), b"new");
    folder.run("-d --extract loop chain.tar.zst").says(1, &["loop: is another name of 'loop'"]);
    // Names of one file stay names of one file if the file is made too.
    let links = |to: &str| {
        let counts = sh(&folder, &format!("cd {to}; find . -type f -printf '%f %n %s\\n' | sort"));
        String::from_utf8(counts).unwrap()
    };
    sh(&folder, "mkdir theirs; tar -xf chain.tar -C theirs a h1 h2 h3 h4 z");
    for args in ["--extract [!l]*", "--extract a --extract h* --extract z"] {
        let _ = fs::remove_dir_all(folder.path("ours"));
        folder.run(&format!("-d {args} --extract-to ours chain.tar.zst")).fine();
        assert_eq!(links("ours"), links("theirs"), "{args}");
    }
    // Without the file the first name is a copy of its data.
    folder.run("-d --extract h3 --extract h4 --extract-to some chain.tar.zst").fine();
    assert_eq!(links("some"), "h3 2 30000\nh4 2 30000\n");
}

#[test]
fn a_hard_link_to_a_lost_member_is_lost() {
    let folder = Folder::new();
    folder.write("a", b"old");
    folder.write("b", noise(100_000));
    sh(&folder, "tar -cf d.tar a b");
    folder.write("a", noise(90_000));
    sh(
        &folder,
        "tar -rf d.tar a; ln a h; tar -cf l.tar a h; dd if=l.tar bs=512 skip=177 count=1 of=link status=none",
    );
    let (tar, link) = (folder.read("d.tar"), folder.read("link"));
    let end = tar.iter().rposition(|&byte| byte != 0).unwrap() / 512 * 512 + 512;
    folder.write("e.tar", [&tar[..end], &link, &[0; 10_240]].concat());
    folder.run("-k -b 16K e.tar").fine();
    let mut coded = folder.read("e.tar.zst");
    let data = noise(90_000);
    let place = coded.windows(16).rposition(|bytes| bytes == &data[50_000..50_016]).unwrap();
    coded[place] ^= 1;
    folder.write("e.tar.zst", coded);
    let taken = folder.run("-d --extract-to x e.tar.zst");
    assert_eq!(taken.status.code(), Some(1));
    for words in ["a: is in data that is damaged", "h: is another name of 'a', which was lost"] {
        assert!(taken.stderr.contains(words), "{}", taken.stderr);
    }
    assert!(!folder.has("x/h"));
}

#[test]
fn the_last_version_of_a_member_stays() {
    let folder = Folder::new();
    fs::create_dir(folder.path("f")).unwrap();
    folder.write("f/a", noise(30_000));
    sh(
        &folder,
        "ln -s a f/l; tar -cf d.tar f; echo new > f/a; ln -sf b f/l; tar -rf d.tar f/a f/l; gzip -k d.tar",
    );
    folder.run("-k d.tar").fine();
    for args in
        ["--extract-to x1 d.tar.gz", "--extract-to x2 d.tar.zst", "--extract f --extract-to x3 d.tar.zst"]
    {
        folder.run(&format!("-d {args}")).fine();
        let to = args.split(' ').rev().nth(1).unwrap();
        assert_eq!(folder.read(&format!("{to}/f/a")), b"new\n", "{args}");
        assert_eq!(fs::read_link(folder.path(format!("{to}/f/l"))).unwrap().as_os_str(), "b");
    }
    // What was there before stays.
    folder.write("x1/f/a", b"mine");
    folder.run("-d --extract-to x1 d.tar.zst").says(1, &["f/a: exists already"]);
    assert_eq!(folder.read("x1/f/a"), b"mine");
    assert!(folder.run("-d --extract f/a d.tar.zst").fine() == [&noise(30_000)[..], b"new\n"].concat());
}

#[test]
fn a_list_is_compared_with_the_data_and_not_needed() {
    let folder = Folder::new();
    let files = many(&folder);
    folder.run("-t a.tar.zst").fine();
    let mut damaged = folder.read("a.tar.zst");
    let list = damaged.windows(5).position(|bytes| bytes == b"\x9bPZR\x03").unwrap();
    damaged[list + 100] ^= 1; // In the columns. The record is short if all files are of one second.
    folder.write("flip.zst", &damaged);
    folder
        .run("-t flip.zst")
        .says(1, &["the data is whole, but the list of the members of the tar archive is damaged at offset"]);
    let listed = folder.run("-l --tar flip.zst");
    assert_eq!((listed.status.code(), &listed.stdout), (Some(2), &folder.run("-l --tar a.tar.zst").fine()));
    let taken = folder.run("-d --extract m/07 flip.zst");
    assert!(taken.status.code() == Some(2) && taken.stdout == files[7], "{}", taken.stderr);
    assert!(taken.stderr.contains("flip.zst: warning: the list of the members"), "{}", taken.stderr);
    // The list of an archive of the same length, in which a member has another name.
    sh(&folder, "tar --sort=name --transform s,m/50,m/5x, -cf b.tar m");
    let [one, other] =
        ["a.tar", "b.tar"].map(|name| folder.pipe("-0 -F gzip -b 64K", folder.read(name)).fine());
    let start = |coded: &[u8]| coded.windows(5).position(|bytes| bytes == b"\x9bPZR\x03").unwrap() - 24;
    folder.write("forged.gz", [&one[..start(&one)], &other[start(&other)..]].concat());
    folder.run("-t forged.gz").says(1, &["the data is whole, but the list", "is forged"]);
}

#[test]
fn members_outside_of_damage_are_extracted() {
    let folder = Folder::new();
    let files = many(&folder);
    let mut damaged = folder.read("a.tar.zst");
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8].fill(7);
    folder.write("dam.zst", damaged);
    for (to, chosen) in [("x1", ""), ("x2", "--extract m ")] {
        let taken = folder.run(&format!("-d {chosen}--extract-to {to} dam.zst"));
        assert_eq!(taken.status.code(), Some(1), "{}", taken.stderr);
        let mut missing = 0;
        for (number, bytes) in files.iter().enumerate() {
            let name = format!("m/{number:02}");
            if folder.has(&format!("{to}/{name}")) {
                assert!(folder.read(&format!("{to}/{name}")) == *bytes);
            } else {
                missing += 1;
                assert!(
                    taken.stderr.contains(&format!("{name}: is in data that is damaged")),
                    "{}",
                    taken.stderr
                );
            }
        }
        assert!((1..20).contains(&missing), "{missing}");
        assert_eq!(fs::read_dir(folder.path(format!("{to}/m"))).unwrap().count(), 100 - missing);
    }
    // The archive of the members that are left.
    let archive = folder.run("-d --extract m --extract-tar dam.zst");
    assert_eq!(archive.status.code(), Some(1));
    folder.write("left.tar", archive.stdout);
    let names = sh(&folder, "tar -tf left.tar");
    assert!(names.ends_with(b"m/99\n"), "{}", String::from_utf8_lossy(&names));
}

#[test]
fn an_index_of_an_earlier_state_is_passed_over() {
    let folder = Folder::new();
    let files = many(&folder);
    sh(&folder, "gzip -k a.tar; cp a.tar.zst b.zst");
    folder.run("--index a.tar.gz").fine();
    fs::copy(folder.path("a.tar.gz.pzi"), folder.path("b.zst.pzi")).unwrap();
    for name in ["a.tar.gz", "b.zst"] {
        let mut changed = folder.read(name);
        match name {
            // The list in this file leads to the member all the same.
            "b.zst" => {
                let middle = changed.len() / 2;
                changed[middle..middle + 30].fill(7);
            }
            _ => changed.push(0),
        }
        folder.write(name, changed);
        let taken = folder.run(&format!("-d --extract m/07 {name}"));
        assert!(taken.status.code() == Some(2) && taken.stdout == files[7], "{name}: {}", taken.stderr);
        let warning = format!("{name}.pzi: warning: it is for a file of");
        assert!(taken.stderr.contains(&warning), "{}", taken.stderr);
        folder.run(&format!("-dc --range 0-9 {name}")).says(1, &["make it again", "or remove it"]);
    }
    // An index that is damaged itself.
    sh(&folder, "rm *.pzi; cp a.tar c.tar; gzip c.tar");
    folder.run("--index c.tar.gz").fine();
    let mut index = folder.read("c.tar.gz.pzi");
    let record = index.windows(5).rposition(|bytes| bytes == b"\x9bPZR\x03").unwrap();
    index[record + 20] ^= 1;
    folder.write("c.tar.gz.pzi", index);
    let taken = folder.run("-d --extract m/07 c.tar.gz");
    assert!(taken.status.code() == Some(2) && taken.stdout == files[7], "{}", taken.stderr);
    folder.run("-t --index c.tar.gz").says(1, &["the list of the members of the tar archive is damaged"]);
    folder.run("-l --tar c.tar.gz").says(2, &["warning: "]);
}

#[test]
fn odd_headers_and_files_that_cannot_be_written_do_not_stop_others() {
    let folder = Folder::new();
    let script = r#"
import io, tarfile
def block(name, size, change=lambda block: None, kind=b'0'):
    block = bytearray(tarfile.TarInfo(name).tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b'%011o ' % size
    block[156:157] = kind
    change(block)
    block[148:156] = b' ' * 8
    block[148:156] = b'%06o\0 ' % sum(block)
    return bytes(block)
def data(bytes): return bytes + b'\0' * (-len(bytes) % 512)
def pax(text): return block('p', len(text), kind=b'x') + data(text)
def mode(block): block[100:108] = b'garbage\0'
def sparse(block):
    block[386:410] = b'00000000000\x0000000000001\0'
    block[483:495] = b'\x80' + (1 << 62).to_bytes(11, 'big')
out = open('odd.tar', 'wb')
out.write(pax(b'13 mtime=abc\n') + block('time', 1) + data(b't'))
out.write(pax(b'10 uid=-2\n') + block('owner', 1) + data(b'o'))
out.write(block('rights', 1, mode) + data(b'r'))
out.write(block('long', 1, sparse, b'S') + data(b'l'))
out.write(block('n' * 99, 1) + data(b'n'))
out.write(block('after', 30000) + data(b'a' * 30000) + b'\0' * 1024)
"#;
    folder.write("make.py", script);
    sh(&folder, "python3 make.py; gzip -k odd.tar");
    folder.run("-k odd.tar").fine();
    for name in ["odd.tar.zst", "odd.tar.gz"] {
        let taken = folder.run(&format!("-d --extract-to {name}.d {name}"));
        assert_eq!(taken.status.code(), Some(1), "{}", taken.stderr);
        for what in [
            "time: warning: its header has a time that is not valid",
            "owner: warning: its header has an owner",
            "rights: warning: its header has rights",
            "long: cannot write",
        ] {
            assert!(taken.stderr.contains(what), "{what}: {}", taken.stderr);
        }
        assert_eq!(folder.read(&format!("{name}.d/after")).len(), 30_000);
        assert!(!folder.has(&format!("{name}.d/long")));
        folder.run(&format!("-d --extract time --extract-to {name}.t {name}")).says(2, &["time: warning"]);
    }
}

#[test]
fn names_without_data_and_options_without_meaning_are_told() {
    let folder = Folder::new();
    fs::create_dir(folder.path("f")).unwrap();
    folder.write("f/a", noise(30_000));
    sh(&folder, "ln -s a f/l; tar -cf d.tar f; tar -C f -cf dot.tar .; tar -Pcf abs.tar $PWD/f/a");
    folder.run("-k d.tar dot.tar abs.tar").fine();
    folder.run("-d --extract f/l d.tar.zst").says(1, &["f/l: is a symbolic link to 'a', and has no data"]);
    assert!(folder.run("-d --extract f d.tar.zst").fine() == noise(30_000));
    for all in [".", "./"] {
        assert!(folder.run(&format!("-d --extract {all} dot.tar.zst")).fine() == noise(30_000));
    }
    let name = folder.path("f/a").to_str().unwrap().to_owned();
    assert!(folder.run(&format!("-d --extract {} abs.tar.zst", &name[1..])).fine() == noise(30_000));
    let taken = folder.run("-d --extract-to abs abs.tar.zst");
    assert_eq!(taken.status.code(), Some(0), "{}", taken.stderr);
    assert_eq!(taken.stderr.matches("the slash at the start of names").count(), 1, "{}", taken.stderr);
    assert!(folder.has(&format!("abs{name}")));
    folder
        .run("-d --extract f/a --range 0-9 -c d.tar.zst")
        .says(1, &["--range cannot be used with --extract"]);
    folder.run("-d --extract f/a --rm d.tar.zst").says(1, &["--rm"]);
    // Nothing is written before a refusal.
    let refused = folder.run("--to gzip -c --extract f/a d.tar.zst").says(1, &["it is no archive of files"]);
    assert_eq!(refused.stdout, b"");
    // A variable that is not set names nothing.
    for name in ["--extract=", "--extract=/"] {
        let refused =
            folder.run(&format!("-d {name} d.tar.zst")).says(1, &["--extract needs the name of a member"]);
        assert_eq!(refused.stdout, b"");
    }
    let mut command = folder.command(["--tar", "-k", "-c", "d.tar"]);
    let listed = crate::harness::finish(command.env("PZCOMP", "--no-tar").spawn().unwrap()).fine();
    assert!(listed.windows(4).any(|bytes| bytes == b"\x9bPZR"));
    // A name may begin with a hyphen.
    sh(&folder, "cp f/a ./-dash; tar -cf dash.tar -- -dash");
    folder.run("-k dash.tar").fine();
    for args in ["-d --extract -dash", "-d --extract=-dash"] {
        assert!(folder.run(&format!("{args} dash.tar.zst")).fine() == noise(30_000));
    }
    folder.run("-d --extract f/a --hash sha256 d.tar.zst").says(1, &["--hash"]);
    // A folder that was made for nothing is removed.
    folder.write("none", noise(2000));
    folder.run("-k none").fine();
    folder.run("-d --extract-to none.dir none.zst").says(1, &["there is no tar header"]);
    assert!(!folder.has("none.dir"));
    assert!(folder.has("d.tar.zst"));
}

#[test]
fn a_flip_anywhere_in_a_list_is_told() {
    let folder = Folder::new();
    folder.write("a", text(30_000));
    folder.write("b", noise(3000));
    sh(&folder, "tar -cf a.tar a b");
    for (format, before, behind) in [("zstd", 8, 0), ("lz4", 8, 0), ("gzip", 24, 10)] {
        let coded = folder.pipe(&format!("-F {format}"), folder.read("a.tar")).fine();
        let record = coded.windows(5).position(|bytes| bytes == b"\x9bPZR\x03").unwrap();
        let len = 18 + usize::from(u16::from_le_bytes([coded[record + 8], coded[record + 9]]));
        let mut names = Vec::new();
        let end = record + len;
        for at in (record - before..record + 90).chain(end - 2..end + behind) {
            let damaged = flipped(&coded, at, 1 << (at % 8));
            names.push(format!("{format}-{at}"));
            folder.write(names.last().unwrap(), damaged);
        }
        let mut args = vec!["-t"];
        args.extend(names.iter().map(String::as_str));
        let tested = crate::harness::finish(folder.command(args).spawn().unwrap());
        for name in &names {
            let told = tested.stderr.lines().find(|line| line.contains(&format!("{name}: ")));
            assert!(told.is_some(), "{name} is good");
        }
        // The data is read all the same.
        for at in [0, 4, 6, 9, 12, 20, 70, 81, 89] {
            let taken = folder.run(&format!("-d --extract b {format}-{}", record + at));
            assert!(taken.status.code() == Some(2) && taken.stdout == noise(3000), "{at}: {}", taken.stderr);
            assert!(taken.stderr.contains("the list of the members of the tar archive is damaged at offset"));
        }
    }
    // A frame of another program that readers skip, and that the seek table lists, is no damaged list.
    let coded = folder.pipe("", folder.read("a.tar")).fine();
    let record = coded.windows(5).position(|bytes| bytes == b"\x9bPZR\x03").unwrap();
    let len = 18 + usize::from(u16::from_le_bytes([coded[record + 8], coded[record + 9]]));
    let mut foreign = coded.clone();
    foreign[record..record + len].copy_from_slice(&text(len));
    folder.write("foreign.zst", &foreign);
    folder.run("-t foreign.zst").fine();
    folder.run("-d --extract b foreign.zst").fine();
}

/// A label, and members of all types that POSIX does not define.
const TYPES: &str = r#"
import io, tarfile
archive = tarfile.open("types.tar", "w", format=tarfile.GNU_FORMAT)
label = tarfile.TarInfo("a/label")
label.type = b"V"
archive.addfile(label)
for kind in b"89ABINPQRTUWYZabz":
    info = tarfile.TarInfo("type " + chr(kind))
    info.type, info.size = bytes([kind]), 5
    header = info.tobuf(tarfile.GNU_FORMAT)
    archive.fileobj.write(header + b"data\n".ljust(512, b"\0"))
archive.close()
"#;

#[test]
fn labels_are_passed_over_and_unknown_types_are_regular_files() {
    let folder = Folder::new();
    folder.write("types.py", TYPES);
    sh(
        &folder,
        "python3 types.py; mkdir tar; tar -xf types.tar -C tar 2>/dev/null; ls tar | wc -l | grep -qx 17",
    );
    for args in ["-k types.tar", "-k --no-tar -F gzip types.tar"] {
        folder.run(args).fine();
    }
    for name in ["types.tar.zst", "types.tar.gz"] {
        let said = folder
            .run(&format!("-d --extract-to {name}.d {name}"))
            .says(0, &["type 8: note: is of the unknown type '8'"]);
        assert_eq!(said.stderr.lines().count(), 17, "{}", said.stderr);
        sh(&folder, &format!("diff -r tar {name}.d"));
        folder.run(&format!("-q -d --extract-to {name}.q {name}")).fine();
    }
}

#[test]
fn the_second_of_two_pax_headers_counts_alone() {
    let folder = Folder::new();
    let record = |text: &str| format!("{} {text}\n", text.len() + 4).into_bytes();
    let member = |name: &str, kind: u8, data: &[u8]| {
        let mut header = vec![0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
        header[136..147].copy_from_slice(b"00000001750");
        header[156] = kind;
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        header.extend(data);
        header.resize(header.len().next_multiple_of(512), 0);
        header
    };
    let archive = [
        member("x", b'x', &record("path=first")),
        member("x", b'x', &record("mtime=77")),
        member("plain", b'0', b"abc"),
        vec![0; 1024],
    ];
    folder.write("a.tar", archive.concat());
    folder.run("a.tar").fine();
    folder.run("-d --extract-to o a.tar.zst").fine();
    sh(
        &folder,
        "mkdir t; tar -xf a.tar -C t; diff -r t o; test $(stat -c %Y t/plain) = $(stat -c %Y o/plain)",
    );
}
