//! Headers that 7z has written, and everything that damage and lies can make of them.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

use pzcomp_sevenz::{Directory, Error, Method, NextHeader, SIGNATURE, SignatureHeader, crc32};

const MEMORY: usize = 1 << 20;

/// The header of an archive with one file `b.txt` of 300,000 bytes in LZMA2.
const PLAIN: &[u8] = &[
    0x01, 0x04, 0x06, 0x00, 0x01, 0x09, 0xc1, 0x60, 0xa1, 0x00, 0x07, 0x0b, 0x01, 0x00, 0x01, 0x21, 0x21,
    0x01, 0x0d, 0x0c, 0xc4, 0xe0, 0x93, 0x00, 0x08, 0x0a, 0x01, 0xca, 0x4e, 0x16, 0xc4, 0x00, 0x00, 0x05,
    0x01, 0x19, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x11, 0x0d, 0x00, 0x62, 0x00, 0x2e,
    0x00, 0x74, 0x00, 0x78, 0x00, 0x74, 0x00, 0x00, 0x00, 0x14, 0x0a, 0x01, 0x00, 0x56, 0x40, 0x29, 0x4e,
    0xfe, 0x7a, 0xdd, 0x01, 0x15, 0x06, 0x01, 0x00, 0x20, 0x80, 0xa4, 0x81, 0x00, 0x00,
];

fn directory(header: &[u8]) -> Result<Directory, Error> {
    match NextHeader::parse(header, MEMORY)? {
        NextHeader::Directory(directory) => Ok(directory),
        NextHeader::Packed(_) => Err(Error::Invalid { offset: 0, what: "is packed" }),
    }
}

/// A number in its longest form.
fn number(value: u64) -> Vec<u8> {
    [&[0xff][..], &value.to_le_bytes()].concat()
}

#[test]
fn a_header_of_7z_is_read() {
    let Directory { folders, streams, files } = directory(PLAIN).unwrap();
    let [folder] = &folders[..] else { panic!("{folders:?}") };
    assert_eq!(
        (folder.coders[0].method, folder.packed_offset, folder.plain_len),
        (Method::LZMA2, 0, 300_000)
    );
    assert_eq!((streams.len(), streams[0].plain_len, streams[0].crc.is_some()), (1, 300_000, true));
    assert_eq!((files.len(), files[0].name.as_str(), files[0].is_file), (1, "b.txt", true));
}

#[test]
fn every_cut_is_an_error_and_every_bit_is_survived() {
    for len in 0..PLAIN.len() {
        assert!(matches!(directory(&PLAIN[..len]), Err(Error::Invalid { .. })), "the first {len} bytes");
    }
    let mut damaged = PLAIN.to_vec();
    for bit in 0..8 * PLAIN.len() {
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Ok(Directory { folders, streams, files }) = directory(&damaged) {
            let with_data = files.iter().filter(|file| file.has_stream).count();
            assert_eq!((folders.len(), with_data), (folders.len(), streams.len()), "bit {bit}");
        }
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn counts_are_compared_with_the_bytes_that_follow() {
    let starts: [&[u8]; 5] = [
        &[1, 5],                                           // files
        &[1, 4, 6, 0],                                     // packed streams
        &[1, 4, 7, 0x0b],                                  // folders
        &[1, 4, 7, 0x0b, 1, 0],                            // coders
        &[1, 4, 7, 0x0b, 1, 0, 1, 0, 0x0c, 1, 0, 8, 0x0d], // streams
    ];
    for start in starts {
        for count in [1000, 1 << 32, u64::MAX] {
            let header = [start, &number(count), &[0; 20]].concat();
            assert!(matches!(directory(&header), Err(Error::Invalid { .. })), "{start:?} with {count}");
        }
    }
}

#[test]
fn memory_is_bounded_by_the_budget() {
    // A thousand files, for which there is room in the header.
    let header = [&[1, 5][..], &number(1000), &[0x19], &number(2000), &[0; 2000], &[0, 0]].concat();
    assert_eq!(NextHeader::parse(&header, 1000), Err(Error::Memory));
    // No stream has their data, but that is found later.
    assert!(matches!(NextHeader::parse(&header, MEMORY), Err(Error::Invalid { .. })));
}

#[test]
fn streams_longer_than_their_folder_are_refused() {
    let header = |first: u64| {
        let start = [1, 4, 6, 0, 1, 9, 4, 0, 7, 0x0b, 1, 0, 1, 1, 0, 0x0c, 4, 0, 8, 0x0d, 2, 9];
        [&start[..], &number(first), &[0, 0, 5, 2, 0, 0]].concat()
    };
    let lens: Vec<u64> =
        directory(&header(3)).unwrap().streams.iter().map(|stream| stream.plain_len).collect();
    assert_eq!(lens, [3, 1]);
    for first in [5, u64::MAX] {
        assert!(directory(&header(first)).is_err(), "{first}");
    }
}

#[test]
fn the_first_bytes_carry_a_check() {
    let place = [&5_u64.to_le_bytes()[..], &6_u64.to_le_bytes(), &7_u32.to_le_bytes()].concat();
    let start = [&SIGNATURE[..], &[0, 4], &crc32(&place).to_le_bytes(), &place].concat();
    let mut start: [u8; 32] = start.try_into().unwrap();
    let parsed = SignatureHeader::parse(&start).unwrap();
    assert_eq!(parsed, SignatureHeader { next_offset: 5, next_len: 6, next_crc: 7 });
    for bit in (0..8 * 32).filter(|bit| bit / 8 != 7) {
        start[bit / 8] ^= 1 << (bit % 8);
        assert!(SignatureHeader::parse(&start).is_err(), "bit {bit}");
        start[bit / 8] ^= 1 << (bit % 8);
    }
}
