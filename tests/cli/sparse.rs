//! `--sparse`: holes where the data has zeros, and the same bytes as without it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;

use crate::harness::{Folder, appending, finish, text};

/// 16 MiB of which 1 MiB is not zero, with a hole at the end.
fn with_zeros() -> Vec<u8> {
    let mut data = vec![0; 16 << 20];
    for (at, len) in [(0, 5_000), (3_000_001, 900_000), (9_000_000, 1), (12_000_000, 100_000)] {
        data[at..at + len].copy_from_slice(&text(len));
    }
    data
}

fn allocated(file: &Folder, name: &str) -> u64 {
    file.path(name).metadata().unwrap().blocks() * 512
}

#[test]
fn zeros_become_holes_whatever_the_threads_and_the_format() {
    let folder = Folder::new();
    let data = with_zeros();
    for format in ["zstd", "gzip", "lz4", "xz", "bzip2", "lzip"] {
        folder.write("a", folder.pipe(&format!("-1 -F {format}"), &data).fine());
        for threads in [1, 2, 5] {
            folder.run(&format!("-d --sparse -p{threads} -fo b a")).fine();
            assert!(folder.read("b") == data, "{format} {threads}");
            assert!(allocated(&folder, "b") < 2 << 20, "{format} {threads}: {}", allocated(&folder, "b"));
        }
        folder.run("-d --sparse --verify -fo b a").fine();
        assert!(folder.read("b") == data && allocated(&folder, "b") < 2 << 20, "{format}");
        folder.run("-d -fo b a").fine();
        assert!(folder.read("b") == data && allocated(&folder, "b") >= 16 << 20, "{format}");
    }
}

#[test]
fn a_redirected_output_keeps_what_it_has() {
    let folder = Folder::new();
    let data = with_zeros();
    folder.write("a.zst", folder.pipe("", &data).fine());
    let run = |args: &str, file: File| {
        finish(folder.command(args.split(' ')).stdout(file).spawn().unwrap()).fine();
    };
    run("-dc --sparse a.zst", File::create(folder.path("new")).unwrap());
    assert!(folder.read("new") == data && allocated(&folder, "new") < 2 << 20);
    // Two outputs one after the other, as in (pzcomp -dc a; pzcomp -dc b) > file.
    let both = File::create(folder.path("both")).unwrap();
    (&both).write_all(b"first").unwrap();
    run("-dc --sparse a.zst a.zst", both.try_clone().unwrap());
    (&both).write_all(b"last").unwrap();
    assert!(folder.read("both") == [b"first", &data[..], &data, b"last"].concat());
    assert!(allocated(&folder, "both") < 4 << 20);
    // Zeros must replace data that is there.
    folder.write("old", vec![7; 20 << 20]);
    let mut old = File::options().read(true).write(true).open(folder.path("old")).unwrap();
    run("-dc --sparse a.zst", old.try_clone().unwrap());
    let (mut front, mut back) = (vec![0; data.len()], Vec::new());
    old.seek(SeekFrom::Start(0)).unwrap();
    old.read_exact(&mut front).unwrap();
    old.read_to_end(&mut back).unwrap();
    assert!(front == data && back == vec![7; 4 << 20]);
    // Appending.
    for _ in 0..2 {
        run("-dc --sparse a.zst", appending(&folder.path("more")));
    }
    assert!(folder.read("more") == data.repeat(2));
}

#[test]
fn data_of_zeros_only_is_one_hole() {
    let folder = Folder::new();
    folder.write("a.zst", folder.pipe("", vec![0; 5_000_001]).fine());
    for args in ["-d --sparse", "-d --sparse -p1 -f", "-d --no-sparse --sparse -f"] {
        folder.run(&format!("{args} a.zst")).fine();
        assert!(folder.read("a") == vec![0; 5_000_001] && allocated(&folder, "a") <= 4096, "{args}");
    }
    folder.run("-d --sparse --no-sparse -f a.zst").fine();
    assert!(allocated(&folder, "a") > 4_000_000);
}

#[test]
fn a_cut_input_leaves_the_data_before_the_cut() {
    let folder = Folder::new();
    let coded = folder.pipe("-F lz4 -b 1M", with_zeros()).fine();
    folder.write("cut", &coded[..coded.len() * 2 / 3]);
    let plain = folder.run("-dc cut").stdout;
    let mut command = folder.command(["-dc", "--sparse", "cut"]);
    let run = finish(command.stdout(File::create(folder.path("b")).unwrap()).spawn().unwrap());
    run.says(1, &["unexpected end of lz4 data"]);
    assert!(!plain.is_empty() && folder.read("b") == plain);
}
