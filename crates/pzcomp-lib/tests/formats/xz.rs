//! xz against the `xz` tool and others, both ways, and against damage.
//!
//! `assert_decompresses` decodes on several numbers of threads, from a file and in drops. Tools read with `pipe`; a
//! missing one is a failure. Add a command line of a writer to the table of the test that reads what others write.

use std::io::{Seek, Write};

use pzcomp::inspect::{XzStream, xz_streams};
use pzcomp::{Decode, Decompress, Encode, Error, Format, Input, Result};

use crate::common::outcome::{Outcome, dribbled, from_file};
use crate::common::{
    Dribble, compress, decompress_from, flipped, is_exhaustive, pipe, places, plain, run, small,
};

/// Options for small Blocks, so that small files have many.
fn options(threads: usize, block_size: usize) -> Encode {
    encode!(Encode::builder(Format::Xz), threads, block_size: block_size)
}

/// What came out, and how it ended.
fn decompress(coded: &[u8], threads: usize) -> Outcome {
    dribbled(coded, threads, usize::MAX)
}

/// Decompresses in every way, which must all yield `plain`.
fn assert_decompresses(coded: &[u8], plain: &[u8], what: &str) {
    for threads in [1, 2, 4] {
        let (found, result) = decompress(coded, threads);
        result.unwrap_or_else(|error| panic!("{what}, {threads} threads: {error}"));
        assert!(found == plain, "{what}, {threads} threads");
    }
    let (found, result) = from_file(coded, 2);
    result.unwrap_or_else(|error| panic!("{what}, from a file: {error}"));
    assert!(found == plain, "{what}, from a file");
    if coded.len() < 100_000 {
        let found = decompress_from(Dribble::new(coded, 3), &Decode::default()).unwrap();
        assert!(found == plain, "{what}, in drops");
    }
}

// ---- What we write ----

#[test]
fn any_length_is_read_by_xz_and_by_us() {
    for len in [0, 1, 2, 3, 4, 5, 4095, 4096, 4097, 8192, 100_000] {
        for plain in [plain::text(len), plain::random(len), vec![0; len]] {
            let coded = compress(&plain, &options(2, 4096));
            assert_eq!(coded, compress(&plain, &options(1, 4096)), "{len} bytes: the same with one thread");
            assert_decompresses(&coded, &plain, &format!("{len} bytes"));
            for command in ["xz -dc", "xz -dcT2"] {
                assert!(pipe(command, &coded) == plain, "{len} bytes by {command}");
            }
        }
    }
}

#[test]
fn every_level_is_read_by_xz() {
    let plain = [plain::text(300_000), plain::random(100_000)].concat();
    for level in 0..=9 {
        let coded = compress(&plain, &encode!(options(2, 150_000), level: level));
        assert_decompresses(&coded, &plain, &format!("level {level}"));
        assert!(pipe("xz -dc", &coded) == plain, "level {level}");
    }
}

/// Most of the levels that our encoder codes.
#[test]
fn blocks_of_our_encoder_are_read_by_xz_and_7zip_and_do_not_depend_on_threads_or_limits() {
    let plain = [plain::text(350_000), plain::random(100_000), plain::text(450_000)].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("coded.xz");
    let levels = [(4, false), (5, true), (6, false), (6, true), (7, false), (9, false), (9, true)];
    for (number, (level, extreme)) in levels.into_iter().enumerate() {
        let with = |threads| encode!(options(threads, 250_000), level: level, extreme: extreme);
        let coded = compress(&plain, &with(1));
        let least = with(1).compression_memory(1).unwrap();
        // Each level has more threads and a limit. Those of its neighbours are others.
        let mut others =
            [with(2), encode!(with(3), memory: least), with(3), encode!(with(2), memory: 2 * least)];
        others.rotate_left(number % 2 * 2);
        let count = if is_exhaustive() { 4 } else { 2 };
        for options in &others[..count] {
            assert!(compress(&plain, options) == coded, "-{level}, {options:?}");
        }
        assert_decompresses(&coded, &plain, &format!("level {level}"));
        std::fs::write(&path, &coded).unwrap();
        let path = path.display();
        for command in ["xz -dc", "xz -dcT2", &format!("7zz x -so '{path}'")] {
            assert!(pipe(command, &coded) == plain, "{command} of -{level}");
        }
    }
}

/// At level 4 a slice has 4 MiB.
#[test]
fn a_block_in_slices_is_read_by_xz_and_7zip_and_does_not_depend_on_threads() {
    let mut plain = plain::text(4 << 20);
    // The second slice refers to the first.
    plain.extend_from_within(1_000_000..1_300_000);
    let with = |threads| encode!(options(threads, 12 << 20), level: 4);
    let coded = compress(&plain, &with(1));
    for threads in [2, 5] {
        assert!(compress(&plain, &with(threads)) == coded, "{threads} threads");
    }
    let mut writer = pzcomp::Writer::new(Vec::new(), with(3)).unwrap();
    writer.write_all(&plain).unwrap();
    assert!(writer.finish().unwrap().0 == coded);
    let file = tempfile::Builder::new().suffix(".xz").tempfile().unwrap();
    std::fs::write(file.path(), &coded).unwrap();
    for command in ["xz -dc".into(), format!("7zz x -so '{}'", file.path().display())] {
        assert!(pipe(&command, &coded) == plain, "{command}");
    }
    let first = compress(&plain[..4 << 20], &with(2));
    assert!(coded.len() < first.len() + 10_000, "{} bytes, the first slice {}", coded.len(), first.len());
}

#[test]
fn xz_lists_blocks_with_both_sizes_and_small_dictionaries() {
    let mut file = tempfile::Builder::new().suffix(".xz").tempfile().unwrap();
    file.write_all(&compress(&plain::text(100_000), &options(2, 30_000))).unwrap();
    let listed = pipe(&format!("xz --robot -lvv {}", file.path().display()), b"");
    let listed = String::from_utf8(listed).unwrap();
    let blocks: Vec<Vec<&str>> = listed
        .lines()
        .filter(|line| line.starts_with("block\t"))
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(blocks.len(), 4, "{listed}");
    for (number, block) in blocks.iter().enumerate() {
        let plain_len = if number == 3 { "10000" } else { "30000" };
        assert_eq!((block[7], block[9]), (plain_len, "CRC64"), "{listed}");
        assert_eq!(block[12], "cu", "both sizes are in the Block Header: {listed}");
        let dictionary = if number == 3 { "dict=12KiB" } else { "dict=32KiB" };
        assert!(block[15].ends_with(dictionary), "{listed}");
    }
}

#[test]
fn incompressible_data_does_not_grow() {
    let plain = plain::random(1 << 20);
    let coded = compress(&plain, &options(2, 1 << 18));
    assert!(coded.len() < plain.len() + 400, "{}", coded.len());
}

// ---- What others write ----

#[test]
fn what_xz_writes_is_read() {
    let plain = [plain::text(500_000), plain::random(50_000), plain::text(200_000)].concat();
    for command in [
        "xz -T1",
        "xz -0 -T1",
        "xz -9e -T1",
        "xz -0 -T1 --block-size=65536",
        "xz -T2 --block-size=65536",
        "xz -0 -T2 --block-size=1000",
        "xz -1 -T1 --block-list=1000,2000,100000,0",
        "xz -0 -T2 --check=none --block-size=50000",
        "xz -1 -T1 --check=none",
        "xz -0 -T2 --check=crc32 --block-size=50000",
        "xz -0 -T1 --check=crc32 --block-size=50000",
        "xz -0 -T2 --check=sha256 --block-size=50000",
        "xz -0 -T1 --check=sha256 --block-size=50000",
        "xz -T1 --x86 --lzma2=preset=0 --block-size=50000",
        "xz -T2 --x86 --lzma2=preset=0 --block-size=50000",
        "xz -T1 --check=none --x86 --lzma2=preset=0",
        "xz -T1 --check=none --x86 --arm --delta=dist=4 --lzma2=preset=0 --block-size=50000",
        "xz -T2 --delta=dist=4 --lzma2=preset=1 --block-size=50000",
        "xz -T1 --lzma2=preset=1,lc=4,pb=0,dict=4KiB",
        "pixz -1",
        "7z a -txz -si -so -mmt=2 x",
    ] {
        // `make test` installs all of them but 7z.
        if !command.starts_with("7z") || run("command -v 7z", b"").status.success() {
            assert_decompresses(&pipe(command, &plain), &plain, command);
        }
    }
}

#[test]
fn an_empty_file_of_xz_is_read() {
    let coded = pipe("xz", b"");
    assert_eq!(coded, compress(b"", &options(2, 4096)), "the same bytes as ours");
    assert_decompresses(&coded, b"", "nothing");
    assert_decompresses(&coded.repeat(3), b"", "nothing, three times");
}

#[test]
fn streams_and_padding_follow_each_other() {
    let (one, two) = (plain::text(10_000), plain::text(5_000));
    let (first, second) = (compress(&one, &options(1, 4096)), compress(&two, &options(1, 4096)));
    let empty = compress(b"", &options(1, 4096));
    let plain = [&one[..], &two, &two].concat();
    for padding in [0, 4, 8, 64, 1 << 20] {
        let zeros = vec![0; padding];
        let coded = [&first[..], &zeros, &second, &empty, &zeros, &second, &zeros].concat();
        assert_decompresses(&coded, &plain, &format!("padding of {padding}"));
        assert!(pipe("xz -dc", &coded) == plain);
    }
    for odd in [1, 2, 3, 5, 11] {
        let zeros = vec![0; odd];
        for coded in [[&first[..], &zeros, &second].concat(), [&first[..], &zeros].concat()] {
            let (found, result) = decompress(&coded, 2);
            assert!(matches!(result, Err(Error::Corrupt { format: "xz", .. })), "{odd}: {result:?}");
            assert_eq!(found, one, "what is before is written");
        }
    }
}

#[test]
fn streams_of_other_formats_may_come_before_and_after() {
    let plain = plain::text(10_000);
    let ours = compress(&plain, &options(1, 4096));
    let zstd = compress(&plain, &encode!(Encode::zstd(3), block_size: 4096));
    let coded = [&zstd[..], &ours, &[0; 8], &zstd, &ours].concat();
    assert_decompresses(&coded, &plain.repeat(4), "zstd, xz, padding, zstd, xz");
}

// ---- Damage ----

/// A small file of several Blocks.
struct Small {
    coded: Vec<u8>,
    plain: Vec<u8>,
    /// Cut off here it is whole, or what remains of the second Stream cannot be told from garbage.
    between: std::ops::Range<usize>,
}

/// Small files; without `xz` only ours.
fn small_files() -> Vec<Small> {
    let lines = |count: usize| (0..count).flat_map(|line| format!("{line} in the morning\n").into_bytes());
    let plain: Vec<u8> = lines(240).chain(plain::random(50)).collect();
    let file = |coded| Small { coded, plain: plain.clone(), between: 0..0 };
    let mut files = vec![file(compress(&plain, &options(2, 4096)))];
    for command in [
        "xz -0 -T1",
        "xz -0 -T1 --block-size=1500",
        "xz -0 -T2 --block-size=1500 --check=crc32",
        "xz -T1 --x86 --lzma2=preset=0 --check=sha256 --block-size=2000",
    ] {
        files.push(file(pipe(command, &plain)));
    }
    let plain: Vec<u8> = lines(20).collect();
    let ours = compress(&plain, &options(1, 4096));
    files.push(Small {
        coded: [&ours[..], &[0; 8], &ours].concat(),
        plain: plain.repeat(2),
        between: ours.len()..ours.len() + 8 + 6,
    });
    files
}

#[test]
fn files_cut_off_anywhere_fail_after_their_whole_blocks() {
    for Small { coded, plain, between } in small_files() {
        let mut longest = 0;
        for cut in places(coded.len()) {
            let coded = &coded[..cut];
            for (found, result) in [decompress(coded, 1), decompress(coded, 2), from_file(coded, 2)] {
                match result {
                    Err(Error::Empty) => assert_eq!(cut, 0),
                    Err(Error::NotCompressed { .. }) => assert!(cut < 6),
                    Err(Error::Truncated { format: "xz", offset, .. }) => assert_eq!(offset, cut as u64),
                    Ok(_) if between.contains(&cut) && (cut - between.start).is_multiple_of(4) => {}
                    Err(Error::TrailingGarbage { .. } | Error::Corrupt { .. }) if between.contains(&cut) => {}
                    other => panic!("cut to {cut}: {other:?}"),
                }
                assert!(plain.starts_with(&found), "cut to {cut}");
                longest = longest.max(found.len());
            }
        }
        assert_eq!(longest, plain.len(), "without the Index all data is there");
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let files = small_files();
    let ours = files[0].coded.clone();
    for Small { coded, plain, .. } in files {
        // Every bit of our own, some of those that differ little.
        let step = if coded[..] == ours[..] { 1 } else { 3 };
        for bit in places(coded.len() * 8).filter(|bit| bit % step == 0) {
            let wrong = flipped(&coded, bit / 8, 1 << (bit % 8));
            let (found, result) = decompress(&wrong, 2);
            assert!(result.is_err(), "byte {} bit {}", bit / 8, bit % 8);
            assert!(plain.starts_with(&found), "byte {}: what is damaged does not leave", bit / 8);
        }
    }
}

/// A gzip member whose header claims a length that is wrong.
fn lying_gzip(plain: &[u8]) -> Vec<u8> {
    let len = (plain.len() as u16).to_le_bytes();
    let not = (!(plain.len() as u16)).to_le_bytes();
    let extra = [6, 0, b'B', b'C', 2, 0, 99, 0];
    let header = [&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff], &extra[..], &[1], &len, &not].concat();
    [&header, plain, &crc32fast::hash(plain).to_le_bytes(), &(plain.len() as u32).to_le_bytes()].concat()
}

#[test]
fn streams_after_a_lie_are_decoded_one_by_one() {
    let plain = plain::text(10_000);
    let ours = compress(&plain, &options(1, 4096));
    let padded = [&ours[..], &[0; 12], &ours, &[0; 4]].concat();
    let coded = [&lying_gzip(&plain)[..], &padded].concat();
    assert_decompresses(&coded, &plain.repeat(3), "gzip that lies, xz, padding, xz, padding");
    let start = coded.len() - padded.len();
    for (place, cut) in [(start + 20, None), (coded.len() - 3, None), (0, Some(coded.len() - 30))] {
        let mut wrong = coded.clone();
        match cut {
            Some(cut) => wrong.truncate(cut),
            None => wrong[place] ^= 1,
        }
        let (found, result) = decompress(&wrong, 2);
        assert!(result.is_err(), "{place} {cut:?}");
        assert!(plain.repeat(3).starts_with(&found));
    }
}

/// A Block Header with LZMA2 and what is given, padded.
fn block_header(flags: u8, sizes: &[u8]) -> Vec<u8> {
    let mut header = [&[0, flags], sizes, &[0x21, 1, 0]].concat();
    header.resize(header.len().next_multiple_of(4), 0);
    header[0] = (header.len() / 4) as u8;
    let crc = crc32fast::hash(&header);
    header.extend_from_slice(&crc.to_le_bytes());
    header
}

fn stream_header(flags: [u8; 2]) -> Vec<u8> {
    [b"\xfd7zXZ\0", &flags[..], &crc32fast::hash(&flags).to_le_bytes()].concat()
}

#[test]
fn huge_claims_are_claims() {
    let huge: [&[u8]; 3] = [
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], // 2^63 - 1
        &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10], // 2^60
        &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], // more than 63 bits
    ];
    let data = [[1, 0, 2, b'a', b'b', b'c', 0, 0].as_slice(), &[0; 64]].concat();
    for size in huge {
        for sizes in [
            (0x40, size.to_vec()),
            (0x80, size.to_vec()),
            (0xc0, [size, size].concat()),
            (0xc0, [&[7], size].concat()),
        ] {
            let coded = [stream_header([0, 4]), block_header(sizes.0, &sizes.1), data.clone()].concat();
            let (found, result) = decompress(&coded, 2);
            assert!(
                matches!(result, Err(Error::Corrupt { .. } | Error::Truncated { .. })),
                "{size:x?}: {result:?}"
            );
            assert!(b"abc".starts_with(&found[..]));
        }
    }
}

#[test]
fn an_index_that_lies_is_noticed() {
    let plain = plain::text(10_000);
    let coded = compress(&plain, &options(1, 4096));
    let index_len = 1 + 1 + 3 * 4 + 2 + 4;
    let at = coded.len() - 12 - index_len;
    assert_eq!(coded[at..at + 2], [0, 3], "three Records");
    for (place, what) in [(at + 1, "lists 2 Block(s), but 3"), (at + 2, "sizes"), (at + 12, "sizes")] {
        let mut wrong = flipped(&coded, place, 1);
        let crc = crc32fast::hash(&wrong[at..at + index_len - 4]);
        wrong[at + index_len - 4..at + index_len].copy_from_slice(&crc.to_le_bytes());
        let (found, result) = decompress(&wrong, 2);
        assert_eq!(found, plain, "the data itself is right");
        match result {
            Err(Error::Corrupt { format: "xz", what: said, offset, .. }) => {
                assert!(said.contains(what) && offset == at as u64, "{said} at {offset}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_not_supported_is_said_to_be_so() {
    let unknown_check = stream_header([0, 5]);
    let unknown_flag = stream_header([0, 0x14]);
    let header = |filter: &[u8]| {
        let mut header = [&[2, 0], filter].concat();
        header.resize(8, 0);
        let crc = crc32fast::hash(&header);
        [stream_header([0, 4]), header, crc.to_le_bytes().to_vec(), vec![0; 32]].concat()
    };
    for coded in [
        [unknown_check, vec![0; 40]].concat(),
        [unknown_flag, vec![0; 40]].concat(),
        header(&[0x22, 0]),
        header(&[0x21, 1, 63]),
    ] {
        let (_, result) = decompress(&coded, 2);
        assert!(matches!(result, Err(Error::Unsupported { format: "xz", .. })), "{result:?}");
    }
}

#[test]
fn a_large_dictionary_needs_permission() {
    let plain = plain::text(100_000);
    let coded = pipe("xz -T1 --lzma2=preset=0,dict=192MiB", &plain);
    let Err(Error::Memory { needed, .. }) = decompress(&coded, 1).1 else {
        panic!("192 MiB are more than the limit")
    };
    assert!(needed.0 >= 192 << 20, "{needed}");
    let mut found = Vec::new();
    let generous = decode!(Decode::builder(), threads: 1, memory: needed.0);
    Decompress::new(&generous).run(Input::reader(&coded[..]), &mut found).unwrap();
    assert_eq!(found, plain);
    // A Block that says how little it holds needs no more than that.
    let coded = pipe("xz -T2 --lzma2=preset=0,dict=192MiB --block-size=30000", &plain);
    assert_decompresses(&coded, &plain, "a large dictionary that is not needed");
}

fn streams_of(bytes: &[u8]) -> Result<Vec<XzStream>> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    xz_streams(&file)
}

#[test]
fn streams_and_blocks_add_up_to_the_file() {
    let data = plain::text(150_000);
    let coded = compress(&data, &small(Format::Xz));
    let nothing = compress(b"", &small(Format::Xz));
    let file = [&coded[..], &[0; 8], &nothing, &coded, &[0; 4]].concat();
    let streams = streams_of(&file).unwrap();
    assert_eq!(streams.iter().map(|stream| stream.padding).collect::<Vec<_>>(), [8, 0, 4]);
    assert_eq!(streams.iter().map(|stream| stream.blocks.len()).collect::<Vec<_>>(), [4, 0, 4]);
    let mut offset = 0;
    for stream in &streams {
        assert_eq!((stream.offset, stream.check), (offset, "CRC64"));
        offset += stream.coded_len + stream.padding;
    }
    assert_eq!(offset, file.len() as u64);
    let plain_len: u64 = streams[2].blocks.iter().map(|block| block.plain_len).sum();
    assert_eq!(plain_len, data.len() as u64);
}

#[test]
fn damage_to_what_is_not_data_is_found() {
    let coded = compress(&plain::text(90_000), &small(Format::Xz));
    for cut in 0..coded.len() {
        assert!(streams_of(&coded[..cut]).is_err(), "cut to {cut} of {}", coded.len());
    }
    // The Stream Footer says how long the Index before it is.
    let footer = coded.len() - 12;
    let index_len = 4 * (u32::from_le_bytes(coded[footer + 4..footer + 8].try_into().unwrap()) as usize + 1);
    for at in (0..12).chain(footer - index_len..coded.len()) {
        for bit in 0..8 {
            let damaged = flipped(&coded, at, 1 << bit);
            assert!(streams_of(&damaged).is_err(), "bit {bit} of byte {at} of {}", coded.len());
        }
    }
}
