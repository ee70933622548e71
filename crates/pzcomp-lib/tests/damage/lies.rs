//! Headers and indexes that lie: the frames tell the truth, or there is an error.
//!
//! There is no peer. A test writes good data with `small` options, changes what a header or an index says with `patch`,
//! and demands the data or an error, and no reservation of memory for what is not there.

use crate::common::{compress, decoded, decompress, decompress_from, plain, small};
use pzcomp::inspect::List;
use pzcomp::{Decode, Decompress, Error, Format, Input, Output, Size};

/// Replaces the bytes at `at`.
fn patch(coded: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut patched = coded.to_vec();
    patched[at..at + bytes.len()].copy_from_slice(bytes);
    patched
}

/// Where each of our members starts, by the size in its header.
fn members(coded: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while at < coded.len() {
        starts.push(at);
        at += u32::from_le_bytes(coded[at + 16..at + 20].try_into().unwrap()) as usize;
    }
    starts
}

#[test]
fn a_member_that_lies_about_its_size_is_decoded_as_what_it_is() {
    let data = plain::text(6 * 40_000 + 10);
    let coded = compress(&data, &small(Format::Gzip));
    let starts = members(&coded);
    let size = |member: usize| (starts[member + 1] - starts[member]) as u32;
    for member in [0, 2, 5] {
        // Into the next member, onto a later one, past the end of the file, cut short, hardly a member at all.
        let two = size(member) + if member < 5 { size(member + 1) } else { 0 };
        for lie in [size(member) + 1, two, u32::MAX, size(member) - 1, size(member) / 2, 30, 31, 0] {
            let lying = patch(&coded, starts[member] + 16, &lie.to_le_bytes());
            assert!(decompress(&lying).unwrap() == data, "member {member} says {lie}");
        }
    }
}

#[test]
fn identical_members_under_one_size_are_all_decoded() {
    // A whole-buffer decoder that looked at the last checksum only would lose the first copy.
    let one = compress(&plain::text(1000), &encode!(small(Format::Gzip), index: false));
    let twice = [&one[..], &one].concat();
    let lying = patch(&twice, 16, &(twice.len() as u32).to_le_bytes());
    assert_eq!(decompress(&lying).unwrap().len(), 2000);
}

#[test]
fn a_member_whose_size_ends_between_two_of_its_blocks_is_verified_as_a_whole() {
    // Two stored blocks; the size in the header is that of the member up to the second.
    let mut member = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 8, 0, b'I', b'G', 4, 0, 45, 0, 0, 0];
    member.extend([0, 20, 0, 0xeb, 0xff]);
    member.extend([b'a'; 20]);
    assert_eq!(member.len(), 45);
    member.extend([1, 3, 0, 0xfc, 0xff, b'b', b'b', b'b']);
    let crc = crc32fast::hash(b"aaaaaaaaaaaaaaaaaaaabbb").to_le_bytes();
    let whole = [&member[..], &crc, &[23, 0, 0, 0]].concat();
    assert_eq!(decompress(&whole).unwrap(), b"aaaaaaaaaaaaaaaaaaaabbb");
    let damaged = patch(&whole, 46 + 5, b"c");
    let (back, error) = decoded(&damaged[..], &Decode::default());
    let error = error.unwrap_err();
    assert!(matches!(error, Error::Corrupt { offset: 0, .. }), "{error}");
    // The header states a size that is wrong, so the member is not held: the block before the damage may be written.
    assert!([&[][..], &[b'a'; 20]].contains(&&back[..]), "{} bytes of a member that is damaged", back.len());
}

#[test]
fn a_gzip_length_or_checksum_that_lies_is_an_error_at_its_member() {
    let data = plain::text(3 * 40_000);
    let coded = compress(&data, &small(Format::Gzip));
    let starts = members(&coded);
    for field in [4, 8] {
        let lying = patch(&coded, starts[2] - field, &[0xff, 0xff, 0xff, 0x7f]);
        let (back, error) = decoded(&lying[..], &Decode::default());
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Corrupt { offset, .. } if offset == starts[1] as u64), "{error}");
        assert!(back == data[..40_000]);
    }
}

#[test]
fn a_bzip2_stream_may_hold_the_beginning_of_another() {
    // Stored nowhere in bzip2, but in what a hostile file can be made to hold: here it is the data of a
    // gzip member's name, behind which the walker of bzip2 would look for a stream that is none.
    let first = compress(&plain::text(100_000), &small(Format::Bzip2));
    let mut gzip = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
    gzip.extend(b"BZh91AY&SY is not a stream\0");
    // One stored block of three bytes.
    gzip.extend([1, 3, 0, 0xfc, 0xff, b'a', b'b', b'c']);
    gzip.extend(0x3524_41c2_u32.to_le_bytes());
    gzip.extend(3_u32.to_le_bytes());
    let second = compress(&plain::text(50_000), &small(Format::Bzip2));
    let all = [&first[..], &gzip, &second].concat();
    let expected = [plain::text(100_000), b"abc".to_vec(), plain::text(50_000)].concat();
    assert!(decompress(&all).unwrap() == expected);
}

#[test]
fn a_seek_table_that_lies_is_ignored_with_a_remark() {
    let data = plain::text(5 * 40_000 + 7);
    for format in [Format::Zstd, Format::Lz4] {
        let coded = compress(&data, &small(format));
        let table = coded.len() - 9 - 6 * 8;
        for (at, lie) in [(0, 1), (4, 0x7f), (8 + 3, 0xff), (6 * 8, 5), (6 * 8, 7)] {
            let lying = patch(&coded, table + at, &[lie]);
            let (back, summary) = decoded(&lying[..], &Decode::default());
            let summary = summary.unwrap();
            assert!(back == data, "{format}");
            assert_eq!(summary.remarks.len(), 1, "{format}: {:?}", summary.remarks);
            assert!(!List::default().run(Input::reader(&lying[..])).unwrap().is_indexed, "{format}");
        }
    }
}

#[test]
fn listing_a_file_does_not_believe_an_index_that_does_not_fill_it() {
    let data = plain::text(5 * 40_000 + 7);
    for format in [Format::Zstd, Format::Lz4, Format::Gzip] {
        let coded = compress(&data, &small(format));
        let twice = [&coded[..], &coded].concat();
        for (bytes, len) in [(&coded, data.len()), (&twice, 2 * data.len())] {
            let mut file = tempfile::tempfile().unwrap();
            std::io::Write::write_all(&mut file, bytes).unwrap();
            std::io::Seek::rewind(&mut file).unwrap();
            let listing = List::default().run(Input::from_file(&file).unwrap()).unwrap();
            assert_eq!(listing.plain_len, Some(len as u64), "{format}");
            assert_eq!(listing.coded_len, bytes.len() as u64, "{format}");
            assert_eq!(listing.formats, [format]);
        }
    }
}

#[test]
fn a_frame_that_claims_2_to_the_60_bytes_is_no_reason_to_allocate_them() {
    // Magic number, descriptor (eight bytes of content size, window descriptor, no checksum), a window
    // of 1 MiB, the claim, and one last raw block of three bytes.
    let mut frame = 0xFD2F_B528_u32.to_le_bytes().to_vec();
    frame.extend([0b1100_0000, 10 << 3]);
    frame.extend((1_u64 << 60).to_le_bytes());
    frame.extend([1 | 3 << 3, 0, 0, b'a', b'b', b'c']);
    let error = decompress(&frame).unwrap_err();
    assert!(matches!(error, Error::Corrupt { format: "zstd", offset: 0, .. }), "{error}");

    let mut frame = vec![0x04, 0x22, 0x4d, 0x18, 0b0110_1000, 0x40];
    frame.extend((1_u64 << 60).to_le_bytes());
    frame.push((xxhash_rust::xxh32::xxh32(&frame[4..14], 0) >> 8) as u8);
    frame.extend([3, 0, 0, 0x80, b'a', b'b', b'c', 0, 0, 0, 0]);
    let error = decompress(&frame).unwrap_err();
    assert!(matches!(error, Error::Corrupt { format: "lz4", offset: 0, .. }), "{error}");
}

#[test]
fn a_window_beyond_the_limit_is_refused_with_the_figure_that_is_needed() {
    // A window of 1 GiB and no content size; one raw block.
    let mut frame = 0xFD2F_B528_u32.to_le_bytes().to_vec();
    frame.extend([0, 20 << 3, 1 | 3 << 3, 0, 0, b'a', b'b', b'c']);
    let error = decompress(&frame).unwrap_err();
    let Error::Memory { needed, .. } = error else { panic!("{error}") };
    assert!(needed >= Size(1 << 30));
    let options = decode!(Decode::builder(), memory: needed.0, threads: 3);
    let back = decompress_from(&frame[..], &options).unwrap();
    assert_eq!(back, b"abc");
}

#[test]
fn a_bomb_of_zeros_passes_through_bounded_memory() {
    // A GiB of zeros in every format, through the limit of the buffers: see tests/cli/memory.rs for the process.
    let one = vec![0; 8 << 20];
    for format in Format::all() {
        let coded = compress(&one, &encode!(small(format), block_size: 1 << 20));
        let many = coded.repeat(8);
        let mut count = Count(0);
        let summary = Decompress::new(&decode!(Decode::builder(), threads: 2))
            .run(Input::reader(&many[..]), Output::writer(&mut count))
            .unwrap();
        assert_eq!((count.0, summary.plain_len), (64 << 20, 64 << 20), "{format}");
    }
}

/// Counts zeros, and refuses anything else.
struct Count(u64);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        assert!(bytes.iter().all(|&byte| byte == 0));
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
