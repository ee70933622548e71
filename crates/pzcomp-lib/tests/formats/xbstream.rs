//! `decompress_xbstream`: interleaved members of all formats, damage of chunks and members, and equal output on any
//! number of threads.
//!
//! The reader and the writer of streams are those of `common::qpress`. `scripts/demo-mariadb.sh --compressed` goes
//! through mariadb-backup and mbstream.

use crate::common::plain::{self, Random};
use crate::common::qpress::{Archive, archive, chunk, end, files, sparse, xbstream};
use crate::common::{Dribble, compress, flipped, fuzz_end, pipe, small};
use pzcomp::{Decode, Error, Format, Input, Result, Summary};

fn decompress_from(input: Input, threads: usize) -> (Vec<u8>, Result<Summary>) {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), threads);
    let result = pzcomp::xbstream::decompress(input, &mut back, &options);
    (back, result)
}

fn decompress(stream: &[u8], threads: usize) -> (Vec<u8>, Result<Summary>) {
    decompress_from(Input::Memory(stream), threads)
}

/// Members by their names.
type Members = Vec<(&'static str, Vec<u8>)>;
/// Plain files by their names.
type Files = Vec<(String, Vec<u8>)>;

/// Members of all kinds, and the files that they become.
fn members() -> (Members, Files) {
    let data: Vec<Vec<u8>> =
        [3_000_000, 900_000, 70_000, 10, 0, 40_000].into_iter().map(plain::text).collect();
    let members = vec![
        ("ibdata1.qp", archive(&data[0], 1, 65_536)),
        ("demo/nodes.ibd.zst", compress(&data[1], &small(Format::Zstd))),
        ("demo/plain.frm", data[2].clone()),
        ("x.qp", archive(&data[3], 3, 65_536)),
        ("empty.qp", archive(&data[4], 1, 65_536)),
        ("demo/t.MYD.lz4", pipe("lz4 -c", &data[5])),
        // Only a suffix at the end of a name counts, and not alone.
        ("a.qp.bak", data[3].clone()),
        ("demo/.qp", data[3].clone()),
        ("nothing", Vec::new()),
    ];
    let plain = |path: &str| {
        let is_coded = !path.ends_with("/.qp");
        let cut = [".qp", ".zst", ".lz4"].iter().find_map(|suffix| path.strip_suffix(suffix));
        cut.filter(|_| is_coded).unwrap_or(path).to_owned()
    };
    let contents = [0, 1, 2, 3, 4, 5, 3, 3, 4].map(|at| data[at].clone());
    let expected = members.iter().map(|(path, _)| plain(path)).zip(contents).collect();
    (members, expected)
}

fn sorted(mut files: Files) -> Files {
    files.sort();
    files
}

#[test]
fn interleaved_members_become_plain_files() {
    let (members, expected) = members();
    let borrowed: Vec<(&str, &[u8])> = members.iter().map(|(path, data)| (*path, &data[..])).collect();
    for chunk_len in [777, 60_000, 10 << 20] {
        let stream = xbstream(&borrowed, chunk_len);
        let (first, summary) = decompress(&stream, 1);
        let summary = summary.unwrap();
        assert_eq!((summary.frames, summary.coded_len), (9, stream.len() as u64));
        assert_eq!(summary.plain_len, first.len() as u64);
        let found = files(&first).expect("the output is a stream");
        assert!(sorted(found) == sorted(expected.clone()), "chunks of {chunk_len}");
        for threads in [2, 3, 16] {
            let (back, result) = decompress(&stream, threads);
            result.unwrap();
            assert!(back == first, "chunks of {chunk_len} on {threads} threads");
        }
        let (back, result) = decompress_from(Input::Reader(Box::new(Dribble::new(&stream, 5_000))), 2);
        result.unwrap();
        assert!(back == first, "chunks of {chunk_len} in steps");
    }
}

/// What the error of a stream says. The output must not pass for a whole stream.
fn refused(stream: &[u8], what: &str) -> String {
    let (back, result) = decompress(stream, 1);
    let error = result.map(drop).expect_err(what);
    assert!(files(&back).is_none(), "{what}: the output is a whole stream");
    let (other, several) = decompress(stream, 3);
    assert_eq!(several.map(drop).expect_err(what).to_string(), error.to_string(), "{what}");
    assert!(files(&other).is_none(), "{what}: the output is a whole stream on threads");
    error.to_string()
}

#[test]
fn damage_is_an_error_with_the_name_of_the_member_and_the_offset() {
    let coded = archive(&plain::text(300_000), 1, 65_536);
    let good = [chunk("a", 0, b"data"), end("a")].concat();
    // A chunk with a wrong checksum, of a member and of a file that is passed on.
    for path in ["b.qp", "b"] {
        let mut bad = chunk(path, 0, &coded);
        let at = bad.len() - 1000;
        bad[at] ^= 1;
        let told = refused(&[&good[..], &bad, &end(path)].concat(), path);
        let expected = format!("the chunk of '{path}' that begins there has the CRC-32");
        assert!(told.contains(&expected) && told.contains(&format!("offset {}", good.len())), "{told}");
    }
    // Damage that was there before the checksum of the chunk was computed.
    let mut damaged = coded.clone();
    let at = damaged.len() - 1000;
    damaged[at] ^= 1;
    let told = refused(&[&good[..], &chunk("b.qp", 0, &damaged), &end("b.qp")].concat(), "a damaged member");
    let expected =
        format!("the member 'b.qp' (its first chunk is at offset {}): corrupt qpress data", good.len());
    assert!(told.contains(&expected) && told.contains("Adler-32"), "{told}");
    // A member that is cut off, that holds something else, nothing, or more.
    for (data, expected) in [
        (&coded[..coded.len() - 20], "unexpected end of qpress data"),
        (&b"what is this"[..], "not in a compressed format"),
        (&[][..], "the input is empty"),
        (&[&coded[..], b"garbage"].concat(), "trailing garbage"),
    ] {
        let told = refused(&[&good[..], &chunk("b.qp", 0, data), &end("b.qp")].concat(), expected);
        assert!(told.contains("the member 'b.qp'") && told.contains(expected), "{told}");
    }
    let several = Archive::new(1, 4096).file("one", b"1").file("two", b"2").bytes;
    let told = refused(&[chunk("b.qp", 0, &several), end("b.qp")].concat(), "two files");
    assert!(told.contains("holds several files, of which the second is 'two'"), "{told}");
}

#[test]
fn chunks_that_are_missing_or_unknown_are_an_error() {
    let coded = archive(&plain::text(100_000), 1, 65_536);
    let (first, second) = coded.split_at(10_000);
    let whole = [chunk("a.qp", 0, first), chunk("a.qp", first.len(), second), end("a.qp")];
    assert!(decompress(&whole.concat(), 2).1.is_ok());
    let told = refused(&[&whole[0][..], &whole[2]].concat(), "the second is missing");
    assert!(told.contains("unexpected end of qpress data"), "{told}");
    let told = refused(&[&whole[1][..], &whole[2]].concat(), "the first is missing");
    assert!(told.contains("has the offset 10000 in its file, expected 0"), "{told}");
    let told = refused(&whole[..2].concat(), "the end is missing");
    assert!(told.contains("the member 'a.qp'") && told.contains("unexpected end of xbstream data"), "{told}");
    let mut unknown = chunk("a", 0, b"data");
    unknown[9] = b'Z';
    let told = refused(&[&unknown[..], &end("a")].concat(), "an unknown kind");
    assert!(told.contains("of the kind 0x5a, which pzcomp does not know"), "{told}");
    // Bit 0 of the flags allows to pass it on.
    unknown[8] = 1;
    let stream = [&unknown[..], &end("a")].concat();
    let (back, result) = decompress(&stream, 1);
    assert!(result.is_ok() && back == stream);
    for (stream, expected) in [
        (&b"no stream of any kind"[..], "the input is no xbstream"),
        (b"", "the input is empty"),
        (b"XBSTCK01\0P\0\0\0\0", "a path of 0 bytes"),
        (b"XBSTCK01\0P\xff\xff\xff\xff", "a path of 4294967295 bytes"),
    ] {
        let told = refused(stream, expected);
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn sparse_chunks_pass_unchanged_and_are_checked() {
    let first = sparse("t.ibd", 0, &[(0, b"page"), (4092, b"next"), (60, b"")]);
    let second = sparse("t.ibd", 4160, &[(7, b"more")]);
    let stream = [&first[..], &second, &chunk("t.ibd", 4171, b"end"), &end("t.ibd")].concat();
    let expected = [b"page", &[0; 4092][..], b"next", &[0; 60], &[0; 7], b"more", b"end"].concat();
    for threads in [1, 3] {
        let (back, result) = decompress(&stream, threads);
        assert!(result.is_ok() && back == stream);
        assert!(files(&back) == Some(vec![("t.ibd".into(), expected.clone())]));
    }
    for len in 0..stream.len() {
        assert!(decompress(&stream[..len], 1).1.is_err(), "cut at {len}");
    }
    // Where the number of entries, the map and the payload begin.
    let (count, map, payload) = (14 + 5, 14 + 5 + 24, 14 + 5 + 24 + 24);
    let changed = |at: usize, bytes: &[u8]| {
        let mut stream = stream.clone();
        stream[at..at + bytes.len()].copy_from_slice(bytes);
        stream
    };
    for (stream, expected) in [
        (changed(payload, b"wrong"), "that begins there has the CRC-32"),
        (changed(map, &[1]), "that begins there has the CRC-32"),
        (changed(map + 4, &[5]), "writes 9 bytes, expected the 8 of the payload"),
        (changed(count, &[0]), "states 0 entries, expected 1 to 262144"),
        (changed(count, &[0xff; 4]), "states 4294967295 entries, expected 1 to 262144"),
        ([&second[..], &end("t.ibd")].concat(), "has the offset 4160 in its file, expected 0"),
        ([&first[..], &chunk("t.ibd", 4100, b"x"), &end("t.ibd")].concat(), "has the offset 4100"),
        ([sparse("t.qp", 0, &[(0, b"x")]), end("t.qp")].concat(), "which no compressed data has"),
    ] {
        let told = refused(&stream, expected);
        assert!(told.contains(expected) && told.contains('t'), "{told}");
    }
}

/// A table of MySQL with page compression: a page with the header of the tablespace, and others. Of each two, one is
/// compressed to 3,000 bytes and has this type.
fn table(page_len: usize, kind: u16) -> Vec<u8> {
    let shift = if page_len == 1 << 14 { 0 } else { (page_len / 512).ilog2() };
    let mut table = plain::random(200 * page_len);
    table[24..26].copy_from_slice(&8_u16.to_be_bytes());
    table[54..58].copy_from_slice(&(shift << 6 | 1).to_be_bytes());
    for page in table.chunks_mut(page_len).skip(1).step_by(2) {
        page[24..26].copy_from_slice(&kind.to_be_bytes());
        page[32..34].copy_from_slice(&(3000_u16 - 38).to_be_bytes());
        page[3000..].fill(0);
    }
    table
}

#[test]
fn the_holes_of_page_compressed_tables_come_back_as_sparse_chunks() {
    for (page_len, kind) in [(1 << 13, 14), (1 << 14, 14), (1 << 14, 16), (1 << 16, 14)] {
        let table = table(page_len, kind);
        let coded = compress(&table, &small(Format::Zstd));
        for stream in [
            [chunk("d/t.ibd.zst", 0, &coded), end("d/t.ibd.zst")].concat(),
            // Chunks that end inside a page, because another member begins.
            xbstream(&[("d/t.ibd.zst", &coded), ("other", &[b'x'; 5000])], 3333),
        ] {
            let (back, result) = decompress(&stream, 1);
            result.unwrap();
            assert!(decompress(&stream, 3).0 == back, "pages of {page_len}");
            let found = files(&back).expect("the output is a stream");
            assert!(found.contains(&("d/t.ibd".into(), table.clone())), "pages of {page_len}");
            let holes = 100 * (page_len - 3000);
            let (least, most) = (table.len() - holes, table.len() - holes * 9 / 10 + 20_000);
            assert!((least..most).contains(&back.len()), "pages of {page_len}: {} bytes", back.len());
        }
    }
}

#[test]
fn what_is_no_hole_of_a_page_compressed_table_is_written() {
    let mut dirty = table(1 << 14, 14);
    for page in dirty.chunks_mut(1 << 14) {
        page[16_000] = 1;
    }
    // Pages of MariaDB, a file that is no table, bytes behind the compressed data, pages without a length.
    let mut strange = table(1 << 14, 14);
    strange[54..58].copy_from_slice(&(15_u32 << 6).to_be_bytes());
    for (name, table) in [
        ("t.ibd", table(1 << 14, 34354)),
        ("t.MYD", table(1 << 14, 14)),
        ("t.ibd", dirty),
        ("t.ibd", strange),
    ] {
        let path = format!("{name}.zst");
        let stream = [chunk(&path, 0, &compress(&table, &small(Format::Zstd))), end(&path)].concat();
        let (back, result) = decompress(&stream, 2);
        result.unwrap();
        assert!(back.len() > table.len(), "{name}");
        assert!(files(&back) == Some(vec![(name.into(), table)]), "{name}");
    }
}

#[test]
fn a_stream_cut_anywhere_is_an_error() {
    let coded = archive(&plain::text(500), 1, 300);
    let stream = xbstream(&[("a.qp", &coded), ("b", b"plain")], 200);
    let whole = decompress(&stream, 1).0;
    for len in 0..stream.len() {
        let (back, result) = decompress(&stream[..len], 1);
        assert!(result.is_err(), "cut at {len}");
        assert!(files(&back).is_none() && !whole.starts_with(&[&back[..], b"x"].concat()), "cut at {len}");
    }
}

#[test]
fn a_payload_that_claims_any_length_takes_no_memory() {
    for path in ["a", "a.qp"] {
        let mut lying = chunk(path, 0, b"qpress10");
        let at = 14 + path.len();
        lying[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        let told = refused(&lying, "a payload of 2^64 bytes");
        assert!(told.contains("unexpected end of xbstream data"), "{told}");
    }
}

#[test]
fn every_wrong_bit_is_an_error_or_does_no_harm() {
    let data = plain::text(150);
    let stream = xbstream(&[("a.qp", &archive(&data, 2, 100)), ("b", b"plain")], 120);
    let expected = sorted(files(&decompress(&stream, 1).0).unwrap());
    for bit in 0..stream.len() * 8 {
        let damaged = flipped(&stream, bit / 8, 1 << (bit % 8));
        let (back, result) = decompress(&damaged, 1);
        if result.is_ok() {
            // Paths and flags have no checksum. A path that is wrong in one chunk is another file, which has no end.
            // Flags pass unchanged, and the tests' reader does not know them.
            let is_right = files(&back).is_none_or(|found| sorted(found) == expected);
            assert!(is_right, "bit {bit} of byte {}", bit / 8);
        }
    }
}

#[test]
fn two_members_that_would_be_one_file_are_refused() {
    let coded = archive(b"data", 1, 100);
    for other in ["a", "a.zst", "a.lz4"] {
        let stream = [chunk("a.qp", 0, &coded), chunk(other, 0, b"data"), end("a.qp"), end(other)].concat();
        let told = refused(&stream, other);
        assert!(told.contains("a second member with the plain name 'a' begins there"), "{told}");
        let stream = [chunk(other, 0, b"data"), chunk("a.qp", 0, &coded), end("a.qp"), end(other)].concat();
        assert!(refused(&stream, other).contains("the plain name 'a'"));
        // Also if the first has ended.
        let stream = [chunk("a.qp", 0, &coded), end("a.qp"), chunk(other, 0, b"data"), end(other)].concat();
        assert!(refused(&stream, other).contains("the plain name 'a'"));
    }
}

#[test]
fn a_missing_chunk_of_a_plain_member_is_noticed() {
    for stream in [
        [chunk("a", 4, b"data"), end("a")].concat(),
        [chunk("a", 0, b"data"), chunk("a", 8, b"data"), end("a")].concat(),
        [chunk("a", 0, b"data"), chunk("a", 0, b"data"), end("a")].concat(),
    ] {
        assert!(refused(&stream, "a gap").contains("chunks are missing or in another order"));
    }
}

#[test]
fn more_open_members_than_there_may_be_are_refused() {
    let stream: Vec<u8> = (0..300).flat_map(|at| chunk(&format!("{at}.qp"), 0, b"qpress10")).collect();
    let told = refused(&stream, "300 members");
    assert!(told.contains("more than 256 compressed files begin there"), "{told}");
}

#[test]
fn random_damage_never_passes() {
    let data = plain::text(20_000);
    let coded = archive(&data, 1, 4_096);
    let stream = xbstream(&[("a.qp", &coded), ("b.zst", &compress(&data, &small(Format::Zstd)))], 3_000);
    let mut random = Random(3);
    let (end, mut round) = (fuzz_end(), 0);
    while round < 60 || end.is_some_and(|end| std::time::Instant::now() < end) {
        round += 1;
        let state = random.0;
        let mut damaged = stream.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(damaged.len() as u64) as usize;
            damaged[at] = random.next() as u8;
        }
        let (back, result) = decompress(&damaged, 1);
        let (other, several) = decompress(&damaged, 3);
        assert_eq!(result.is_ok(), several.is_ok(), "state {state}");
        let told = |result: Result<Summary, Error>| result.err().map(|error| error.to_string());
        let is_ok = result.is_ok();
        assert_eq!(told(result), told(several), "state {state}");
        if is_ok {
            assert!(back == other, "state {state}");
            for (_, content) in files(&back).unwrap_or_default() {
                assert!(content == data, "state {state}: wrong bytes");
            }
        }
    }
}
