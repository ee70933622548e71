//! gzip as bgzip writes it, with its index: bgzip itself is the judge.
//!
//! The tests write with `Layout::Bgzf` and have bgzip read it, whole and by ranges, and the other way round. `inputs`
//! has data of all lengths that matter; add another there.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Dribble, compress, compress_with, decompress, flipped, plain};
use pzcomp::bgzf::read_range;
use pzcomp::inspect::List;
use pzcomp::{Decode, Encode, EncodeBuilder, Error, Format, Input, Layout};

const BLOCK_LEN: usize = 0xff00;

fn options(level: i32) -> Encode {
    encode!(Encode::builder(Format::Gzip), level: level, threads: 3, layout: Layout::Bgzf)
}

fn inputs() -> Vec<Vec<u8>> {
    let mixed = [plain::text(700_000), plain::random(500_000), vec![0; 500_000], plain::text(9_000)].concat();
    let lens = [0, 1, BLOCK_LEN - 1, BLOCK_LEN, BLOCK_LEN + 1, 4 * BLOCK_LEN, 4 * BLOCK_LEN + 1, mixed.len()];
    lens.map(|len| mixed[..len].to_vec()).into_iter().chain([plain::random(300_000)]).collect()
}

/// A folder with `name` in it.
fn folder(name: &str, contents: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, contents).unwrap();
    (folder, path)
}

/// What bgzip puts out.
fn bgzip(args: &[&str], path: &Path) -> Vec<u8> {
    let output = Command::new("bgzip").args(args).arg(path).output().unwrap();
    assert!(output.status.success(), "bgzip {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// What `bgzip -r` makes of a file.
fn reindexed(path: &Path) -> Vec<u8> {
    bgzip(&["-r"], path);
    let mut gzi = path.as_os_str().to_owned();
    gzi.push(".gzi");
    std::fs::read(gzi).unwrap()
}

#[test]
fn bgzip_reads_it_and_agrees_on_the_index() {
    for input in inputs() {
        let (coded, summary) = compress_with(&input[..], &options(6)).unwrap();
        let (_folder, path) = folder("a.gz", &coded);
        bgzip(&["-t"], &path);
        assert!(bgzip(&["-dc"], &path) == input, "{} bytes", input.len());
        let sidecar = summary.sidecar.unwrap();
        assert!(
            sidecar == pzcomp::bgzf::index(&File::open(&path).unwrap()).unwrap(),
            "{} bytes",
            input.len()
        );
        // Of an empty file bgzip says that it has 2^64 - 1 blocks more.
        if !input.is_empty() {
            assert!(sidecar == reindexed(&path), "{} bytes", input.len());
        }
    }
}

#[test]
fn blocks_are_those_of_bgzip() {
    let input = plain::text(200_000);
    let coded = compress(&input, &options(6));
    let (_folder, path) = folder("a", &input);
    let theirs = bgzip(&["-c"], &path);
    // Up to BSIZE, and the end marker.
    assert_eq!(coded[..16], theirs[..16]);
    assert_eq!(coded[coded.len() - 28..], theirs[theirs.len() - 28..]);
    let listing = |coded: &[u8]| List::default().run(Input::Memory(coded)).unwrap();
    assert_eq!(listing(&coded).frames, listing(&theirs).frames);
    assert_eq!(compress(b"", &options(6)).len(), 28);
}

#[test]
fn every_level_comes_back() {
    for level in 1..=12 {
        for input in inputs() {
            let (coded, summary) = compress_with(&input[..], &options(level)).unwrap();
            assert!(decompress(&coded).unwrap() == input, "-{level}, {} bytes", input.len());
            let frames = input.len().div_ceil(BLOCK_LEN) as u64 + 1;
            assert_eq!((summary.frames, summary.plain_len), (frames, input.len() as u64));
        }
    }
}

#[test]
fn output_depends_on_neither_threads_nor_the_pace_of_the_input() {
    let input = plain::text(900_000);
    let coded = compress(&input, &options(1));
    for threads in [1, 2, 8] {
        let options = encode!(options(1), threads);
        assert!(compress(&input, &options) == coded);
        assert!(compress_with(Dribble::new(&input, 777), &options).unwrap().0 == coded);
    }
}

#[test]
fn an_index_is_made_of_whatever_bgzip_wrote() {
    let (_folder, path) = folder("a", &plain::text(400_000));
    let coded = bgzip(&["-c"], &path);
    // A second file behind the first: an empty block in the middle.
    let twice = [&coded[..], &coded].concat();
    for coded in [coded, twice] {
        let (_folder, path) = folder("a.gz", &coded);
        assert!(pzcomp::bgzf::index(&File::open(&path).unwrap()).unwrap() == reindexed(&path));
    }
}

#[test]
fn any_range_is_read_from_any_place() {
    let input = plain::text(500_000);
    let (coded, summary) = compress_with(&input[..], &options(1)).unwrap();
    let gzi = summary.sidecar.unwrap();
    let (folder, path) = folder("a.gz", &coded);
    std::fs::write(folder.path().join("a.gz.gzi"), &gzi).unwrap();
    let file = File::open(&path).unwrap();
    let len = input.len();
    let starts = [0, 1, BLOCK_LEN - 1, BLOCK_LEN, BLOCK_LEN + 1, 3 * BLOCK_LEN, len - 1, len, len + 9];
    for start in starts {
        for count in [0, 1, 100, BLOCK_LEN, BLOCK_LEN + 1, 2 * BLOCK_LEN, len] {
            let expected = &input[start.min(len)..(start + count).min(len)];
            let mut found = Vec::new();
            let range = start as u64..(start + count) as u64;
            let read = read_range(&file, &gzi, range, &mut found, &Decode::default()).unwrap();
            assert!(found == expected && read == expected.len() as u64, "{count} from {start}");
            if start < len && count > 0 {
                let args = ["-c", "-b", &start.to_string(), "-s", &count.to_string()];
                assert!(bgzip(&args, &path) == expected, "bgzip: {count} from {start}");
            }
        }
    }
}

#[test]
fn an_index_of_another_file_is_found_out() {
    let (coded, summary) = compress_with(&plain::text(500_000)[..], &options(1)).unwrap();
    let gzi = summary.sidecar.unwrap();
    let (_folder, path) = folder("a.gz", &coded);
    let file = File::open(path).unwrap();
    let read = |gzi: &[u8], start: u64| {
        read_range(&file, gzi, start..start + 100, Vec::new(), &Decode::default()).unwrap_err().to_string()
    };
    let shifted = flipped(&gzi, 8, 1);
    assert!(read(&shifted, 70_000).contains("no block begins there"), "{}", read(&shifted, 70_000));
    let stretched = flipped(&gzi, 8 + 16 + 8, 1);
    assert!(read(&stretched, 70_000).contains("do not have the length that the .gzi states"));
    let mut long = gzi.clone();
    long[14] = 1;
    assert!(read(&gzi[..gzi.len() - 1], 0).contains("not a valid .gzi"), "cut short");
    assert!(read(&long, 70_000).contains("not a valid .gzi"), "offsets that fall");
    let (_, other) = compress_with(&plain::random(900_000)[..], &options(1)).unwrap();
    assert!(read(&other.sidecar.unwrap(), 800_000).contains("the file ends before the blocks"));
}

#[test]
fn what_is_not_bgzf_has_no_index() {
    let input = plain::text(100_000);
    let coded = compress(&input, &options(1));
    let index = |coded: &[u8]| {
        let (_folder, path) = folder("a.gz", coded);
        pzcomp::bgzf::index(&File::open(path).unwrap()).unwrap_err()
    };
    assert!(matches!(index(b""), Error::Empty));
    let members = compress(&input, &encode!(options(1), layout: Layout::Frames));
    assert!(matches!(index(&members), Error::Unsupported { offset: 0, .. }));
    assert!(
        matches!(index(&[&coded[..], b"garbage"].concat()), Error::Unsupported { offset, .. } if offset == coded.len() as u64)
    );
    assert!(matches!(index(&coded[..coded.len() - 1]), Error::Truncated { .. }));
    assert!(matches!(index(&coded[..1000]), Error::Truncated { frame: 0, offset: 1000, .. }));
}

#[test]
fn the_index_is_made_only_where_it_is_wanted() {
    let without = encode!(options(1), index: false);
    let (coded, summary) = compress_with(&b"x"[..], &without).unwrap();
    assert!(summary.sidecar.is_none() && coded == compress(b"x", &options(1)));
}

#[test]
fn other_formats_and_block_sizes_are_refused() {
    let error = |options: EncodeBuilder| options.build().unwrap_err().to_string();
    assert!(error(Encode::zstd(1).bgzf()).starts_with("zstd cannot be written as BGZF;"));
    let blocks = EncodeBuilder::from(options(1)).block_size(4096);
    assert!(error(blocks).starts_with("gzip cannot be written as BGZF with a block size"));
}
