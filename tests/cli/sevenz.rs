//! 7z archives on the command line.
//!
//! 7zz makes the archives that are right. The writer at the end makes those that 7z would not write: headers that say
//! anything, and LZMA2 in stored chunks.

use std::process::Stdio;

use libdeflater::crc32;

use crate::harness::{Folder, finish, text};

/// A folder with an archive `a.7z` of these files, which 7zz makes with these options.
fn packed(files: &[(&str, &[u8])], options: &[&str]) -> Folder {
    let folder = Folder::new();
    for (name, data) in files {
        std::fs::create_dir_all(folder.path(name).parent().unwrap()).unwrap();
        folder.write(name, data);
    }
    let mut command = folder.program("7zz", ["a", "-bd", "-bso0"]);
    command.args(options).args(["a.7z", "--"]).args(files.iter().map(|(name, _)| name));
    assert!(command.status().expect("7zz of the package 7zip").success());
    for (name, _) in files {
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    folder
}

fn two_files() -> Folder {
    packed(&[("one", b"first"), ("d/two", &text(90_000))], &["-mx=1"])
}

#[test]
fn a_7z_archive_is_listed_tested_and_read_by_name() {
    let folder = two_files();
    let table = String::from_utf8(folder.run("-lv a.7z").fine()).unwrap();
    for part in ["7z", "CRC32", "90005", "  d/two", "  one"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    folder.run("-t a.7z").fine();
    folder.run("-t --extract d/two a.7z").fine();
    assert!(folder.run("-dc --extract d/two a.7z").fine() == text(90_000));
    assert_eq!(folder.run("-dc --extract one a.7z").fine(), b"first");
    folder.run("-dc --extract two a.7z").says(1, &["holds no file 'two'; it holds: ", "d/two"]);
    for args in ["-dc --range 5-7", "-l --frames", "--index"] {
        folder
            .run(&format!("{args} a.7z"))
            .says(1, &["-d, -t, -l, --extract and --to read, and nothing else"]);
    }
    folder.run("-dc --salvage a.7z").says(1, &["--extract NAME gets each intact file"]);
    // To compress an archive is no work on its files.
    folder.run("a.7z").fine();
    assert!(folder.run("-dc a.7z.zst").fine() == folder.read("a.7z"));
    folder.run("--to zstd -o two.zst --extract d/two a.7z").fine();
    assert!(folder.run("-dc two.zst").fine() == text(90_000));
}

#[test]
fn of_several_files_the_first_is_taken_and_the_others_are_named() {
    let folder = two_files();
    folder.run("-dc a.7z").says(2, &["--extract NAME takes another of these 1: "]);
    folder.run("-d -f --rm a.7z").says(2, &["1 file of this archive not taken; not removed"]);
    assert!(folder.has("a.7z") && folder.has("a"));
}

#[test]
fn an_archive_needs_a_file_and_a_pipe_is_refused_with_the_reason() {
    let folder = packed(&[("one", &text(5_000))], &[]);
    let archive = folder.read("a.7z");
    folder.pipe("-d", &archive).says(1, &["stdin", "it is read from files only"]);
    let mut command = folder.command(["-d"]);
    command.stdin(std::fs::File::open(folder.path("a.7z")).unwrap()).stdout(Stdio::piped());
    assert!(finish(command.spawn().unwrap()).fine() == text(5_000));
}

#[test]
fn methods_that_are_not_read_are_refused_by_name() {
    for (options, name) in [
        (&["-m0=PPMd"][..], "PPMd"),
        (&["-m0=BCJ", "-m1=LZMA"], "BCJ x86"),
        (&["-psecret"], "encryption (AES-256)"),
    ] {
        let folder = packed(&[("one", &text(5_000))], options);
        folder.run("-d a.7z").says(1, &[name]);
        folder.run("-t a.7z").says(1, &[name]);
        assert!(!folder.has("a"), "{name}");
        folder.run("-l a.7z").fine();
    }
}

#[test]
fn a_file_without_a_checksum_is_not_called_verified() {
    const WARNING: &str = "decoded, not verified";
    let folder = Folder::new();
    folder.write("a.7z", archive(&text(900), &header(&[Packed::copy(900)], &[None])));
    let run = folder.run("-dc a.7z").says(0, &["a.7z", WARNING]);
    assert!(run.stdout == text(900));
    folder.run("-t a.7z").says(2, &[WARNING]);
    folder.write("a.7z", archive(&text(900), &header(&[Packed::copy(900)], &[Some(crc32(&text(900)))])));
    folder.run("-t a.7z").fine();
}

#[test]
fn extract_number_takes_a_file_of_a_7z_archive() {
    let folder = two_files();
    let table = String::from_utf8(folder.run("-lv a.7z").fine()).unwrap();
    let number = table.lines().skip(2).position(|row| row.ends_with("  d/two")).unwrap() + 1;
    assert!(folder.run(&format!("-dc --extract-number {number} a.7z")).fine() == text(90_000));
    folder.run("-dc --extract-number 3 a.7z").says(1, &["holds no file number 3, but 2 file(s)"]);
}

#[test]
fn every_method_of_7z_archives_is_decoded_and_its_damage_found() {
    let (long, short) = (text(5_000_000), text(70_000));
    for method in ["Copy", "LZMA", "LZMA2", "BZip2", "Deflate"] {
        for solid in ["-ms=on", "-ms=off"] {
            let files: [(&str, &[u8]); 3] = [("long", &long), ("a/short", &short), ("empty", b"")];
            let folder = packed(&files, &[&format!("-m0={method}"), solid, "-mf=off", "-mx=1"]);
            for (name, data) in files {
                let run = folder.run(&format!("-dc --extract {name} a.7z"));
                assert!(run.fine() == data, "{method} {solid}: {name}");
            }
            folder.run("-t a.7z").fine();
            let mut damaged = folder.read("a.7z");
            let middle = damaged.len() / 2;
            damaged[middle] ^= 0x10;
            folder.write("a.7z", &damaged);
            folder.run("-t a.7z").says(1, &["a.7z", "the 7z archive is damaged"]);
            folder.run("-d --extract long -o out a.7z").says(1, &["out was not made"]);
            folder.run("--to zstd -o out --extract long a.7z").says(1, &["the 7z archive is damaged"]);
            assert!(!folder.has("out"), "{method} {solid}");
            // Of a long file, what comes before the end is given out unverified.
            folder.run("-dc --extract long a.7z").says(1, &["the 7z archive is damaged"]);
        }
    }
}

#[test]
fn lengths_and_counts_in_7z_archives_that_lie_are_refused_in_little_memory() {
    let plain = text(1_000);
    let chunks = stored_lzma2(&plain, 100);
    let (len, crc) = (chunks.len() as u64, [Some(crc32(&plain))]);
    let folder = Folder::new();
    let refused = |coded: Vec<u8>, what: &str| {
        folder.write("a.7z", coded);
        let run = folder.run("-dc -M 64M a.7z");
        let is_right = run.status.code() == Some(0) && run.stdout == plain;
        let is_told = run.status.code() == Some(1) && run.stderr.contains("archive");
        assert!(is_right || is_told && plain.starts_with(&run.stdout), "{what}: {}", run.stderr);
    };
    let archive_of = |folder: Packed| archive(&chunks, &header(&[folder], &crc));
    // A window grows with the data only, so a long dictionary needs no memory. With -M it is refused.
    folder.write("a.7z", archive_of(Packed::lzma2(len, 1_000, 40)));
    assert!(folder.run("-dc a.7z").fine() == plain);
    folder.run("-dc -M 64M a.7z").says(1, &["needs more memory than is allowed", "-M"]);
    for (packed, what) in [
        (Packed::lzma2(len, 999, 18), "a plain length that is too short"),
        (Packed::lzma2(len, 1_001, 18), "a plain length that is too long"),
        (Packed::lzma2(len, u64::MAX, 18), "the longest plain length"),
        (Packed::lzma2(10, 1_000, 18), "coded data that ends inside a chunk"),
        (Packed::lzma2(0, 1_000, 18), "no coded data"),
        (Packed::lzma2(u64::MAX, 1_000, 18), "the longest coded data"),
        (Packed::lzma2(len, 1_000, 41), "a dictionary that does not exist"),
        (Packed::lzma(len, 1 << 63, u32::MAX), "a dictionary of 4 GiB"),
        (Packed::copy(len), "data that is not that of the file"),
    ] {
        refused(archive_of(packed), what);
    }
    let good = header(&[Packed::copy(1)], &[None]);
    for (offset, len) in [(1, u64::MAX), (u64::MAX, 10), (1 << 62, 1 << 62), (0, 1 << 40), (2, 200)] {
        refused(archive_stating(b"x", &good, offset, len), "a list somewhere else");
    }
    for plain_len in [1_u64 << 63, 1 << 42, 60 << 20] {
        refused(archive(&[0], &packed_header(Packed::lzma2(1, plain_len, 18))), "a packed list");
    }
    for count in [2, 1 << 20, 1 << 40, 1 << 63, u64::MAX] {
        for start in [vec![1, 5], [&[1, 4, 6][..], &number(0)].concat()] {
            refused(archive(b"x", &[&start[..], &number(count), &[0, 0, 0]].concat()), "a count");
        }
    }
    let whole = archive_of(Packed::lzma2(len, 1_000, 18));
    for len in (6..whole.len()).step_by(31) {
        refused(whole[..len].to_vec(), "a cut");
    }
}

#[test]
fn volumes_are_called_volumes_and_not_incomplete() {
    let folder = packed(&[("one", &text(50_000))], &["-mx=0", "-v20k"]);
    assert_eq!(folder.names(), ["a.7z.001", "a.7z.002", "a.7z.003"]);
    let told = "of an archive in several volumes, which are read only as a whole. Join them in their order, and read the \
                file that comes of it: cat 'a.7z'.[0-9]* > 'a.7z'";
    for args in ["-dc", "-d", "-t", "-l", "-d -o out"] {
        for volume in ["001", "002", "003"] {
            let run = folder
                .run(&format!("{args} a.7z.{volume}"))
                .says(1, &[told, &format!("is volume {volume} ")]);
            assert!(run.stdout.is_empty() && !run.stderr.contains("incomplete"), "{args}: {}", run.stderr);
        }
    }
    let whole: Vec<u8> = folder.names().iter().flat_map(|name| folder.read(name)).collect();
    folder.write("a.7z", whole);
    assert!(folder.run("-dc a.7z").fine() == text(50_000));
}

/// A folder of an archive.
#[derive(Clone)]
pub struct Packed {
    /// The identifier of its method, and the properties.
    pub method: Vec<u8>,
    pub properties: Vec<u8>,
    pub packed_len: u64,
    pub plain_len: u64,
}

impl Packed {
    pub fn copy(len: u64) -> Self {
        Self { method: vec![0], properties: Vec::new(), packed_len: len, plain_len: len }
    }

    /// A folder of LZMA2 with the dictionary that this number stands for.
    pub fn lzma2(packed_len: u64, plain_len: u64, dictionary: u8) -> Self {
        Self { method: vec![0x21], properties: vec![dictionary], packed_len, plain_len }
    }

    pub fn lzma(packed_len: u64, plain_len: u64, dictionary: u32) -> Self {
        let properties = [&[0x5d][..], &dictionary.to_le_bytes()].concat();
        Self { method: vec![3, 1, 1], properties, packed_len, plain_len }
    }
}

/// A number in its longest form.
pub fn number(value: u64) -> Vec<u8> {
    [&[0xff][..], &value.to_le_bytes()].concat()
}

/// A header with one file for each folder, named `f0`, `f1` and so on. A check is left out if there is none.
pub fn header(folders: &[Packed], checks: &[Option<u32>]) -> Vec<u8> {
    let count = number(folders.len() as u64);
    let mut bytes = streams(folders);
    bytes.splice(..0, [1, 4]);
    bytes.extend([8, 0x0a, 0]);
    let mut defined = vec![0; folders.len().div_ceil(8)];
    for at in (0..checks.len()).filter(|&at| checks[at].is_some()) {
        defined[at / 8] |= 0x80 >> (at % 8);
    }
    bytes.extend(defined);
    bytes.extend(checks.iter().flatten().flat_map(|crc| crc.to_le_bytes()));
    bytes.extend([0, 0, 5]);
    bytes.extend(count);
    let mut names = vec![0];
    for at in 0..folders.len() {
        names.extend(format!("f{at}\0").encode_utf16().flat_map(u16::to_le_bytes));
    }
    bytes.push(0x11);
    bytes.extend(number(names.len() as u64));
    bytes.extend(names);
    bytes.extend([0, 0]);
    bytes
}

/// A header that is packed in this folder.
pub fn packed_header(folder: Packed) -> Vec<u8> {
    [&[0x17][..], &streams(&[folder]), &[0]].concat()
}

fn streams(folders: &[Packed]) -> Vec<u8> {
    let count = number(folders.len() as u64);
    let mut bytes = [&[6][..], &number(0), &count, &[9]].concat();
    bytes.extend(folders.iter().flat_map(|folder| number(folder.packed_len)));
    bytes.extend([&[0, 7, 0x0b][..], &count, &[0]].concat());
    for folder in folders {
        let has_properties = if folder.properties.is_empty() { 0 } else { 0x20 };
        bytes.extend([1, has_properties | folder.method.len() as u8]);
        bytes.extend(&folder.method);
        if has_properties != 0 {
            bytes.extend(number(folder.properties.len() as u64));
            bytes.extend(&folder.properties);
        }
    }
    bytes.push(0x0c);
    bytes.extend(folders.iter().flat_map(|folder| number(folder.plain_len)));
    bytes.push(0);
    bytes
}

/// An archive of packed data and a header.
pub fn archive(packed: &[u8], header: &[u8]) -> Vec<u8> {
    archive_stating(packed, header, packed.len() as u64, header.len() as u64)
}

/// The same, but with these claims about the place of the header.
pub fn archive_stating(packed: &[u8], header: &[u8], offset: u64, len: u64) -> Vec<u8> {
    let place = [&offset.to_le_bytes()[..], &len.to_le_bytes(), &crc32(header).to_le_bytes()].concat();
    let start = [&b"7z\xbc\xaf\x27\x1c"[..], &[0, 4], &crc32(&place).to_le_bytes(), &place].concat();
    [&start[..], packed, header].concat()
}

/// LZMA2 in stored chunks of this length, each of which resets the dictionary.
pub fn stored_lzma2(plain: &[u8], chunk_len: usize) -> Vec<u8> {
    let mut coded = Vec::new();
    for chunk in plain.chunks(chunk_len) {
        coded.push(1);
        coded.extend((chunk.len() as u16 - 1).to_be_bytes());
        coded.extend(chunk);
    }
    coded.push(0);
    coded
}
