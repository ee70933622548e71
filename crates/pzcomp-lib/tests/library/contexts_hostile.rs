//! `Compressor` and `Decompressor` with frames that claim lengths and windows they do not have.
//!
//! Whatever a frame claims, a call gives the right bytes or an error, keeps `max_output`, takes bounded memory, and
//! leaves the context usable. The peer is `decompress`. `memory_is_bounded` runs this binary again under a limit of its
//! address space. To add a lie, give it to `lies`.

use std::process::Command;

use crate::common::{plain, small};
use pzcomp::{Compressor, Decode, Decompressor, Encode, EncodeBuilder, Error, Format};

const LEN: usize = 10_000;

/// The most memory that a claim takes.
const CLAIM_MAX: usize = 4 << 20;

fn patched(coded: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut coded = coded.to_vec();
    coded[at..at + bytes.len()].copy_from_slice(bytes);
    coded
}

fn crc(bytes: &[u8]) -> [u8; 4] {
    crc32fast::hash(bytes).to_le_bytes()
}

fn vli(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The xz file with another Index, which has these records, and a count of them that may be wrong.
fn with_index(coded: &[u8], count: u64, records: &[(u64, u64)]) -> Vec<u8> {
    let footer = coded.len() - 12;
    let index_len = 4 * (1 + u32::from_le_bytes(coded[footer + 4..footer + 8].try_into().unwrap()) as usize);
    let mut index = [vec![0], vli(count)].concat();
    records.iter().for_each(|&(coded, plain)| index.extend([vli(coded), vli(plain)].concat()));
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(crc(&index));
    let fields = [&(index.len() as u32 / 4 - 1).to_le_bytes()[..], &coded[footer + 8..footer + 10]].concat();
    [&coded[..footer - index_len], &index, &crc(&fields), &fields, b"YZ"].concat()
}

/// Frames of `data` that lie, and what is in them if it is not `data`.
fn lies(data: &[u8]) -> Vec<(String, Vec<u8>)> {
    let one = |format| pzcomp::compress(data, &encode!(small(format), index: false)).unwrap();
    let huge = [0, 1, 9999, 10_001, 4 << 20, (4 << 20) + 1, u64::from(u32::MAX), 1 << 32, 1 << 60, u64::MAX];
    let mut lies = Vec::new();
    let mut add = |what: String, coded: Vec<u8>| lies.push((what, coded));

    let raw = |header: Vec<u8>| {
        let block = [&(1 | (LEN as u32) << 3).to_le_bytes()[..3], data].concat();
        [&0xFD2F_B528_u32.to_le_bytes()[..], &header, &block].concat()
    };
    for len in huge {
        let claim = len.to_le_bytes();
        add(format!("zstd, one segment of {len}"), raw([&[0xe0][..], &claim].concat()));
        add(format!("zstd, content of {len}"), raw([&[0xc0, 10 << 3][..], &claim].concat()));
        let mut header = [&[0x68, 0x70][..], &claim].concat();
        header.push((xxhash_rust::xxh32::xxh32(&header, 0) >> 8) as u8);
        let block = [&(LEN as u32 | 1 << 31).to_le_bytes()[..], data, &[0; 4]].concat();
        add(format!("lz4, content of {len}"), [&[0x04, 0x22, 0x4d, 0x18][..], &header, &block].concat());
    }
    for exponent in [17, 18, 21, 31] {
        add(format!("zstd, window of 2^{}", 10 + exponent), raw(vec![0, (exponent << 3) as u8]));
    }
    for magic in [0x184C_2102_u32, 0x184D_2A50] {
        let claim = [&magic.to_le_bytes()[..], &0x7fff_ffff_u32.to_le_bytes(), data].concat();
        add(format!("a block of 2 GiB behind {magic:x}"), claim);
    }
    let member = pzcomp::compress(data, &encode!(Encode::gzip(1).single())).unwrap();
    let bgzf = pzcomp::compress(data, &encode!(Encode::gzip(1).bgzf())).unwrap();
    let end = bgzf.len() - 28;
    for (name, coded, end) in [
        ("member", &member, member.len()),
        ("with size", &one(Format::Gzip), one(Format::Gzip).len()),
        ("bgzf", &bgzf, end),
    ] {
        for len in huge {
            add(format!("gzip {name}, ISIZE {len}"), patched(coded, end - 4, &(len as u32).to_le_bytes()));
        }
    }
    for size in [0, 1, 17, 25, 26, 27, end as u16 - 2, end as u16, end as u16 + 27, 0x7fff, u16::MAX] {
        add(format!("BSIZE {size}"), patched(&bgzf, 16, &size.to_le_bytes()));
    }
    let lzip = one(Format::Lzip);
    for len in huge {
        add(format!("lzip, member of {len}"), patched(&lzip, lzip.len() - 8, &len.to_le_bytes()));
        add(format!("lzip, data of {len}"), patched(&lzip, lzip.len() - 16, &len.to_le_bytes()));
        let lzma = pzcomp::compress(data, &encode!(Encode::xz(1).alone())).unwrap();
        add(format!("lzma, data of {len}"), patched(&lzma, 5, &len.to_le_bytes()));
        add(format!("lzma, dictionary of {}", len as u32), patched(&lzma, 1, &(len as u32).to_le_bytes()));
    }
    add("lzip, dictionary of 512 MiB".into(), patched(&lzip, 5, &[29]));
    let xz = one(Format::Xz);
    for len in huge.map(|len| len.min(u64::MAX >> 1)) {
        for coded_len in [8, 9, len] {
            add(format!("xz, Index of {coded_len}, {len}"), with_index(&xz, 1, &[(coded_len, len)]));
        }
        add(format!("xz, Index of {len} Blocks"), with_index(&xz, len, &[(100, LEN as u64)]));
        let many = [(len, len); 5];
        add(format!("xz, Index of five with {len}"), with_index(&xz, 5, &many));
    }
    let header_len = 4 * (usize::from(xz[12]) + 1);
    for at in 13..12 + header_len - 4 {
        for byte in [0x28, 0x7f, 0xff] {
            let lying = patched(&xz, at, &[byte]);
            let sum = crc(&lying[12..12 + header_len - 4]);
            add(
                format!("xz, byte {at} of the Block Header {byte}"),
                patched(&lying, 12 + header_len - 4, &sum),
            );
        }
    }
    // What no checksum covers, at both ends.
    for format in Format::all() {
        let coded = one(format);
        for at in (0..36).chain(coded.len() - 36..coded.len() - 4) {
            for len in [4, 8_usize] {
                let len = len.min(coded.len() - at);
                add(format!("{format}, {len} bytes at {at}"), patched(&coded, at, &vec![0xff; len]));
            }
        }
    }
    lies
}

fn is_proper(error: &Error) -> bool {
    !matches!(error, Error::NoMemory { .. } | Error::Internal(_) | Error::Threads { .. })
}

#[test]
fn a_frame_that_lies_gives_the_right_bytes_or_an_error() {
    let data = plain::text(LEN);
    let good = pzcomp::compress(&data, &small(Format::Zstd)).unwrap();
    let any = decode!(Decode::builder(), threads: 1);
    let few = decode!(any.clone(), max_output: LEN as u64 - 1);
    let (mut whole, mut limited) = (Decompressor::new(&any).unwrap(), Decompressor::new(&few).unwrap());
    let (mut wrong, mut refused) = (Vec::new(), 0);
    for (what, coded) in lies(&data) {
        let expected = pzcomp::decompress(&coded, &any);
        let mut kept = b"kept".to_vec();
        let found = whole.decompress_into(&coded, &mut kept);
        let is_right = match &found {
            Ok(len) => kept[..4] == *b"kept" && kept[4..] == data && *len == LEN && expected.is_ok(),
            Err(error) => kept == b"kept" && is_proper(error) && expected.is_err(),
        };
        if !is_right || kept.capacity() > 2 * CLAIM_MAX {
            let expected = expected.map(|plain| plain.len());
            wrong.push(format!("{what}: {found:?}, {} bytes; {expected:?} in order", kept.capacity()));
        }
        refused += usize::from(found.is_err());
        let mut slice = vec![0; LEN];
        match whole.decompress_to_slice(&coded, &mut slice) {
            Ok(len) if found.is_ok() && len == LEN && slice == data => {}
            Err(error) if found.is_err() && is_proper(&error) => {}
            other => wrong.push(format!("{what}, into a slice: {other:?}")),
        }
        let mut none = Vec::new();
        let result = limited.decompress_into(&coded, &mut none);
        if result.is_ok() || !none.is_empty() || none.capacity() > 2 * LEN {
            wrong.push(format!("{what}, with less output allowed: {result:?}, {} bytes", none.capacity()));
        }
        let next = whole.decompress(&good);
        let short = limited.decompress(&good[..]);
        if next.as_ref().ok() != Some(&data) || !matches!(short, Err(Error::OutputLimit { .. })) {
            wrong.push(format!("{what}: the next payload gives {:?}, {:?}", next.err(), short.err()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(refused > 500, "{refused} lies were refused");
}

#[test]
fn short_data_that_expands_stops_at_the_limit() {
    let good = pzcomp::compress(b"three in the morning", &Encode::default()).unwrap();
    for format in Format::all() {
        let options = encode!(small(format), block_size: 1 << 20);
        let coded = pzcomp::compress(&vec![0; 3 << 20], &options).unwrap();
        let mut context = Decompressor::new(&decode!(Decode::builder(), max_output: 1000)).unwrap();
        for _ in 0..2 {
            let mut plain = Vec::new();
            let error = context.decompress_into(&coded, &mut plain).unwrap_err();
            assert!(matches!(error, Error::OutputLimit { allowed: 1000, .. }), "{format}: {error}");
            assert!(plain.is_empty() && plain.capacity() <= 2000, "{format}: {}", plain.capacity());
            assert_eq!(context.decompress(&good).unwrap(), b"three in the morning", "{format}");
        }
    }
}

#[test]
fn a_length_that_the_caller_states_wrongly_is_an_error_each_time() {
    for builder in [Encode::zstd(3), Encode::lz4(1)] {
        for len in [0_u64, 19, 21, 1 << 40, 1 << 60] {
            let options: EncodeBuilder = builder.clone().single().plain_len(len);
            let mut compressor = Compressor::new(&encode!(options)).unwrap();
            for _ in 0..2 {
                let mut kept = b"kept".to_vec();
                let error = compressor.compress_into(b"three in the morning", &mut kept).unwrap_err();
                assert!(is_proper(&error) && kept == b"kept", "{len}: {error}");
            }
        }
    }
}

#[test]
fn memory_is_bounded() {
    let tests = std::env::current_exe().unwrap();
    // The binary itself, its stacks and the longest window that is allowed take some 400 MiB.
    let child = Command::new("bash")
        .args(["-c", "ulimit -v 1000000; exec \"$0\" \"$@\""])
        .arg(tests)
        .args(["contexts_hostile::a_frame_that_lies_gives_the_right_bytes_or_an_error", "--exact"])
        .args(["--test-threads=1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned();
    let errors = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && said.contains("1 passed"), "{said}{errors}");
}
