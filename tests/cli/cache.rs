//! `--drop-cache`: after a run the system keeps no pages of the files. `fincore` of util-linux counts them.
//!
//! Some file systems keep all their data in memory, as tmpfs. There the pages cannot be dropped, and nothing is tested.

use std::fs::File;
use std::process::Command;

use rustix::fs::{Advice, fadvise, fdatasync};

use crate::harness::{Folder, noise};

/// Bytes of the file in the page cache.
fn cached(folder: &Folder, name: &str) -> u64 {
    let output = Command::new("fincore").args(["-b", "-n", "-o", "RES"]).arg(folder.path(name)).output();
    let output = output.expect("fincore is part of util-linux");
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// Whether pages of files here can be dropped. The file is on the disk afterwards, and in the cache.
fn can_drop(folder: &Folder, name: &str) -> bool {
    let file = File::open(folder.path(name)).unwrap();
    fdatasync(&file).unwrap();
    fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    let is_gone = cached(folder, name) == 0;
    folder.read(name);
    is_gone && cached(folder, name) > 0
}

/// The system does not drop pages that it holds itself at this moment, as while it moves them. They are at most a few
/// large ones, of 2 MiB.
const HELD: u64 = 4 << 20;

fn assert_dropped<const N: usize>(folder: &Folder, names: [&str; N], what: &str) {
    let cached = names.map(|name| cached(folder, name));
    assert!(cached.into_iter().all(|bytes| bytes <= HELD), "{what}: {cached:?} bytes of {names:?}");
}

#[test]
fn no_pages_of_the_files_stay_where_they_can_be_dropped() {
    let folder = Folder::new();
    let data = noise(40_000_001);
    folder.write("a", &data);
    if !can_drop(&folder, "a") {
        return;
    }
    for args in ["", "--verify", "-F gzip -1 -p1"] {
        folder.read("a");
        folder.run(&format!("{args} -fo b a")).fine();
        assert!(cached(&folder, "a") > 39_000_000 && cached(&folder, "b") > 39_000_000, "{args}");
        folder.run(&format!("--drop-cache {args} -fo b a")).fine();
        assert_dropped(&folder, ["a", "b"], args);
        folder.run("-d --drop-cache -fo c b").fine();
        assert_dropped(&folder, ["b", "c"], args);
        assert!(folder.read("c") == data, "{args}");
        folder.read("b");
        folder.run("-t --drop-cache b").fine();
        assert_dropped(&folder, ["b"], args);
    }
    folder.read("b");
    folder.run("--to lz4 --drop-cache -o d b").fine();
    assert_dropped(&folder, ["b", "d"], "--to");
    folder.run("-d --sparse --verify --drop-cache -fo c d").fine();
    assert_dropped(&folder, ["c", "d"], "--sparse");
    assert!(folder.read("c") == data);
}
