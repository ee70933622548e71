//! How the program comes by its names.

use std::os::unix::fs::symlink;

use crate::harness::{Folder, finish};
use crate::side::Side;

/// Runs the program by its own name.
fn own(folder: &Folder, args: &[&str]) -> crate::harness::Run {
    finish(folder.command(args).spawn().unwrap())
}

#[test]
fn links_of_all_names_are_installed_where_one_wants_them() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("bin")).unwrap();
    let told = String::from_utf8(own(&folder, &["--install-links", "bin"]).fine()).unwrap();
    let page = folder.read("share/man/man1/gunzip.1");
    assert!(page.starts_with(b".so man1/gzip.1"), "{}", String::from_utf8_lossy(&page));
    for name in ["gzip", "gunzip", "zcat", "pigz", "unpigz"] {
        assert!(told.contains(&format!("man1/{name}.1")), "{name} is not in: {told}");
        assert!(told.contains(&format!("bin/{name} -> ")), "{name} is not in: {told}");
        let target = std::fs::canonicalize(folder.path("bin").join(name)).unwrap();
        assert_eq!(target, std::fs::canonicalize(env!("CARGO_BIN_EXE_pzcomp")).unwrap());
    }
    // Once more is as good.
    own(&folder, &["--install-links", "bin"]).fine();
    let script = "PATH=$PWD/bin:$PATH; echo a | gzip -9 | zcat";
    assert_eq!(finish(Side::System.shell(script, &folder).spawn().unwrap()).fine(), b"a\n");
}

#[test]
fn what_is_there_under_a_name_is_left_alone() {
    let folder = Folder::new();
    folder.write("gzip", "mine");
    own(&folder, &["--install-links", "."]).says(1, &["gzip", "left alone"]);
    assert_eq!(folder.read("gzip"), b"mine");
    own(&folder, &["--install-links", "is/made"]).fine();
    assert!(folder.has("is/made/gzip"));
    folder.write("is/made/man/man1/xz.1", "mine");
    own(&folder, &["--install-links", "is/made"]).says(1, &["man1/xz.1", "left alone"]);
    assert_eq!(folder.read("is/made/man/man1/xz.1"), b"mine");
    own(&folder, &["--install-links", "is/made/gzip"]).says(1, &["is/made/gzip"]);
}

#[test]
fn without_a_link_the_name_is_said() {
    let folder = Folder::new();
    folder.write("a", "hello\n");
    own(&folder, &["--as", "gzip", "-n", "a"]).fine();
    assert_eq!(folder.names(), ["a.gz"]);
    assert_eq!(own(&folder, &["--as", "zcat", "a.gz"]).fine(), b"hello\n");
    let run = own(&folder, &["--as", "gzip", "-x"]);
    let said = "gzip: invalid option -- 'x'\nTry `gzip --help' for more information.\n";
    assert_eq!((run.status.code(), run.stderr.as_str()), (Some(1), said));
}

#[test]
fn a_name_that_is_none_is_refused() {
    let folder = Folder::new();
    own(&folder, &["--as", "gzap", "a"]).says(1, &["gzap", "gzip"]);
    own(&folder, &["--as"]).says(1, &["--as"]);
}

#[test]
fn by_any_other_name_it_is_itself() {
    let folder = Folder::new();
    symlink(env!("CARGO_BIN_EXE_pzcomp"), folder.path("gzap")).unwrap();
    let run = finish(Side::System.shell("echo a | ./gzap | ./gzap -d", &folder).spawn().unwrap());
    assert_eq!(run.fine(), b"a\n");
    let run = finish(Side::System.shell("./gzap --nonsense", &folder).spawn().unwrap());
    assert!(run.stderr.starts_with("pzcomp: "), "{}", run.stderr);
}
