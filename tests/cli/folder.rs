//! `-r`: whole directories, with links, suffixes and files that are left alone.
//!
//! There is no peer: each test makes a tree with `Folder::write`, runs pzcomp on it, and says what must be there
//! afterwards. `gzip -r` has its scenes in `tests/scenes/gzip/files.rs`.

use std::os::unix::fs::symlink;

use crate::harness::Folder;

fn tree() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("top/deep/deeper")).unwrap();
    for name in ["top/b", "top/a", "top/deep/c", "top/deep/deeper/d"] {
        folder.write(name, name);
    }
    folder
}

#[test]
fn directories_need_the_flag_r() {
    let folder = tree();
    folder.run("top").says(2, &["pzcomp: top: warning: is a directory", "-r"]);
    assert!(!folder.has("top/a.zst"));
}

#[test]
fn r_goes_into_directories_and_back() {
    let folder = tree();
    folder.run("-r --rm top").fine();
    for name in ["top/b", "top/a", "top/deep/c", "top/deep/deeper/d"] {
        assert!(!folder.has(name) && folder.has(&format!("{name}.zst")), "{name}");
    }
    folder.run("-rd --rm top").fine();
    for name in ["top/b", "top/a", "top/deep/c", "top/deep/deeper/d"] {
        assert_eq!(folder.read(name), name.as_bytes());
        assert!(!folder.has(&format!("{name}.zst")), "{name}");
    }
}

/// The outputs of an earlier run are in the folder.
#[test]
fn r_with_f_compresses_changed_files_again_and_no_output() {
    let folder = tree();
    folder.run("-r top").fine();
    folder.write("top/a", "changed");
    folder.run("-r top").says(2, &["top/a.zst: warning: already exists"]);
    folder.run("-rf top").fine();
    assert_eq!(folder.run("-dc top/a.zst").fine(), b"changed");
    assert!(!folder.has("top/a.zst.zst"));
    // A file that is named is compressed, whatever its name.
    folder.run("-kf top/a.zst").fine();
    assert!(folder.has("top/a.zst.zst"));
}

#[test]
fn r_goes_in_sorted_order() {
    let folder = tree();
    let coded = folder.run("-rc top").fine();
    assert_eq!(folder.pipe("-d", coded).fine(), b"top/atop/btop/deep/ctop/deep/deeper/d");
}

#[test]
fn r_passes_over_what_is_not_its_business_in_silence() {
    let folder = tree();
    folder.write("top/done.zst", "has the suffix");
    symlink("a", folder.path("top/link")).unwrap();
    symlink("..", folder.path("top/deep/up")).unwrap();
    folder.fifo("top/fifo");
    folder.run("-r top").fine();
    assert!(folder.has("top/a.zst") && !folder.has("top/done.zst.zst") && !folder.has("top/link.zst"));
    std::fs::remove_file(folder.path("top/done.zst")).unwrap();
    // The plain files are in the way of their own decompression; all others pass.
    folder.run("-rt top").fine();
    let listed = String::from_utf8(folder.run("-rl top").fine()).unwrap();
    assert!(listed.contains("(4 files)"), "{listed}");
    folder.run("-rv top").says(
        2,
        &[
            "top/link: a symbolic link; skipped",
            "top/a.zst: has the suffix",
            "top/a.zst: warning: already exists",
        ],
    );
}

#[test]
fn r_takes_files_as_well() {
    let folder = tree();
    folder.write("single", "x");
    folder.run("-r single top/deep").fine();
    assert!(folder.has("single.zst") && folder.has("top/deep/deeper/d.zst") && !folder.has("top/a.zst"));
}
