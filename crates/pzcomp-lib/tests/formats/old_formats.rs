//! The formats of lzop, Snappy and LZF: what their tools write is read, and what we write their readers read.
//!
//! The peers are lzop and the crate `snap`, whose framing python-snappy uses too; pzcomp uses only its codec of blocks.
//! Debian has no tool for LZF, and its python-snappy does not work with its Python. So a file of each is kept here.

use std::io::{Read, Seek, SeekFrom, Write};

use crate::common::old::{self, Lzop};
use crate::common::outcome::{is_decoded, is_refused};
use crate::common::{compress, decoded, decompress, flipped, pipe, plain, run, small};
use pzcomp::inspect::List;
use pzcomp::{Decode, Decompress, Error, Format, Input, Seekable};

/// Data of all kinds, longer than a few blocks of each format.
fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> =
        [0, 1, 2, 3, 4, 15, 300, 65_535, 65_536, 65_537, 262_144, 1_500_000].map(plain::text).into();
    inputs.extend([plain::random(700_000), vec![b'a'; 900_000], vec![0; 5]]);
    inputs.push([plain::text(300_000), plain::random(300_000), vec![7; 300_000]].concat());
    inputs
}

#[test]
fn files_of_lzop_are_read_at_every_level_and_with_every_check() {
    for input in inputs() {
        for options in ["-1", "-3", "-7", "-9", "-F", "-CC", "--crc32", "--crc32 -CC", "-9 --crc32"] {
            let coded = pipe(&format!("lzop -c {options}"), &input);
            is_decoded(&coded, &input, &format!("lzop {options} of {} bytes", input.len()));
        }
    }
}

#[test]
fn archives_and_files_of_lzop_that_follow_each_other_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (plain::text(400_000), plain::random(300_000));
    std::fs::write(folder.path().join("first"), &first).unwrap();
    std::fs::write(folder.path().join("second"), &second).unwrap();
    let coded = pipe(&format!("cd '{}' && lzop -c first second", folder.path().display()), b"");
    let all = [first, second].concat();
    is_decoded(&coded, &all, "an archive");
    let zeros = [&coded[..], &[0; 512]].concat();
    assert_eq!(run("lzop -dc", &zeros).stdout, all);
    let summary = decoded(&zeros[..], &Decode::default()).1.unwrap();
    assert_eq!((summary.plain_len, summary.trailing.zeros), (700_000, 512));
}

/// Headers of all kinds that lzop reads, and what it says of other ones.
#[test]
fn headers_are_read_that_lzop_reads() {
    let input = plain::text(20_000);
    let usual = Lzop::default();
    let readable = [
        usual.clone(),
        Lzop { name: "", ..usual.clone() },
        Lzop { extra: b"some more", ..usual.clone() },
        Lzop { extra: b"some more", flags: 0x0300_1001, ..usual.clone() },
        Lzop { flags: 0x0300_1303, name: "with all checks", ..usual.clone() },
        Lzop { flags: 0, ..usual.clone() },
        Lzop { version: 0x0900, ..usual.clone() },
        Lzop { version: 0x093f, ..usual.clone() },
        Lzop { version: 0x0940, method: 3, ..usual.clone() },
        Lzop { version: 0x1040, needed: 0x1040, method: 2, ..usual.clone() },
        Lzop { version: 0x2000, ..usual.clone() },
        Lzop { flags: 0x0300_0801, filter: 0, ..usual.clone() },
        Lzop { block_len: 20_000, ..usual.clone() },
    ];
    for (number, kind) in readable.iter().enumerate() {
        let coded = kind.file(&input);
        let theirs = run("lzop -dc", &coded);
        assert!(
            theirs.stdout == input,
            "lzop and header {number}: {}",
            String::from_utf8_lossy(&theirs.stderr)
        );
        is_decoded(&coded, &input, &format!("header {number}"));
    }
    for (kind, words) in [
        (Lzop { flags: 0x0300_0801, filter: 3, ..usual.clone() }, "--filter=3"),
        (Lzop { method: 128, ..usual.clone() }, "the method 128"),
        (Lzop { needed: 0x1050, ..usual.clone() }, "needs lzop 1.05"),
        (Lzop { flags: 0x0300_4001, ..usual.clone() }, "flags 0x03004001"),
        (Lzop { version: 0x0800, ..usual }, "version 0x0800"),
    ] {
        let (back, error) = is_refused(&kind.file(&input), words);
        assert!(back.is_empty() && error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_block_of_lzop_that_claims_more_than_its_bytes_can_hold_is_refused_by_its_header() {
    let lzop = Lzop::default();
    let mut coded = lzop.file(&vec![0; 5000]);
    is_decoded(&coded, &[0; 5000], "zeros");
    let at = lzop.header().len();
    coded[at..at + 4].copy_from_slice(&(64_u32 << 20).to_be_bytes());
    let error = decompress(&coded).unwrap_err();
    assert!(error.to_string().contains("coded bytes for 67108864 bytes of data"), "{error}");
}

#[test]
fn filters_of_lzop_are_refused_by_name() {
    let coded = pipe("lzop -c --filter=1", &plain::text(1000));
    let error = decompress(&coded).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { format: "lzop", offset: 0, .. }), "{error}");
    assert!(error.to_string().contains("--filter=1"), "{error}");
}

/// `three in the morning` nine times, by python-snappy 0.7.3.
const PYTHON_FILE: &[u8] =
    b"\xff\x06\0\0sNaPpY\0%\0\0.J]\xb7\xbd\x01Pthree in the morning \xfe\x15\0\xfe\x15\0\x9e\x15\0";

#[test]
fn a_file_of_python_snappy_is_read() {
    is_decoded(PYTHON_FILE, &b"three in the morning ".repeat(9), "python-snappy");
}

#[test]
fn the_framing_of_the_crate_snap_and_ours_read_each_other() {
    for input in inputs() {
        let mut writer = snap::write::FrameEncoder::new(Vec::new());
        writer.write_all(&input).unwrap();
        let coded = writer.into_inner().unwrap();
        if !input.is_empty() {
            is_decoded(&coded, &input, &format!("{} bytes of snap", input.len()));
        }
        let mut back = Vec::new();
        let coded = compress(&input, &small(Format::Snappy));
        snap::read::FrameDecoder::new(&coded[..]).read_to_end(&mut back).unwrap();
        assert!(back == input, "{} bytes", input.len());
    }
}

#[test]
fn chunks_of_snappy_without_data_are_skipped_and_reserved_ones_end_the_stream() {
    let input = plain::text(100_000);
    let coded = compress(&input, &small(Format::Snappy));
    let first_end = 10 + 4 + u32::from_le_bytes([coded[11], coded[12], coded[13], 0]) as usize;
    let with = |chunk: &[u8]| [&coded[..first_end], chunk, &coded[first_end..]].concat();
    // Padding, chunks that later versions may define, short ones, long ones, and the identifier once more.
    let mut long = vec![0x90, 0, 0, 0x60];
    long.resize(4 + (0x60 << 16), 7);
    for chunk in [
        &b"\xfe\x03\0\0\0\0\0"[..],
        b"\xfe\0\0\0",
        b"\x80\x05\0\0hello",
        b"\xfd\x01\0\0x",
        b"\xff\x06\0\0sNaPpY",
        &long,
    ] {
        is_decoded(&with(chunk), &input, &format!("{:02x?}", &chunk[..4]));
    }
    // A chunk of data whose type was damaged would be skipped without the look at its content.
    for (at, bit) in [(10, 0x80), (first_end, 0x80), (first_end, 0xc0)] {
        let hidden = flipped(&coded, at, bit);
        let (_, error) = is_refused(&hidden, "a hidden chunk");
        assert!(matches!(error, Error::Corrupt { offset, .. } if offset == at as u64), "{error}");
    }
    let error = decompress(&with(b"\x02\x01\0\0x")).unwrap_err();
    assert!(matches!(error, Error::TrailingGarbage { offset, .. } if offset == first_end as u64), "{error}");
}

/// `seq 1 40 | lzf -c`, by liblzf 3.6.
const LZF_FILE: &[u8] =
    b"ZV\0\0o1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n\
    24\n25\n26\n27\n28\n29\n30\n31\n32\n33\n34\n35\n36\n37\n38\n39\n40\n";

#[test]
fn files_of_lzf_are_read_and_reported_as_not_verified() {
    let expected: String = (1..=40).map(|number| format!("{number}\n")).collect();
    is_decoded(LZF_FILE, expected.as_bytes(), "lzf");
    let summary = decoded(LZF_FILE, &Decode::default()).1.unwrap();
    assert!(summary.unverified && summary.format == Some(Format::Lzf));
    for input in inputs().into_iter().filter(|input| !input.is_empty()) {
        for block_len in [65_535, 5000, 1] {
            if block_len == 1 && input.len() > 1000 {
                continue;
            }
            is_decoded(&old::lzf(&input, block_len), &input, &format!("{} bytes", input.len()));
        }
    }
}

#[test]
fn lzf_is_recognised_at_the_start_only() {
    let data = plain::text(1000);
    let lzf = old::lzf(&data, 500);
    let behind = [&compress(&data, &small(Format::Gzip))[..], &lzf].concat();
    let error = decompress(&behind).unwrap_err();
    assert!(matches!(error, Error::TrailingGarbage { .. }), "{error}");
    // Other formats may follow.
    let before = [&lzf[..], &compress(&data, &small(Format::Gzip))].concat();
    assert!(decompress(&before).unwrap() == data.repeat(2));
}

/// Data in the three formats, each in several blocks.
fn samples(data: &[u8]) -> [(Format, Vec<u8>); 3] {
    [
        (Format::Snappy, compress(data, &small(Format::Snappy))),
        (Format::Lzop, Lzop::default().file(data)),
        (Format::Lzf, old::lzf(data, 7000)),
    ]
}

#[test]
fn lengths_are_listed_without_decoding_and_any_range_is_read() {
    let data = plain::text(200_000);
    for (format, coded) in samples(&data) {
        let listing = List::default().run(Input::Memory(&coded)).unwrap();
        assert_eq!(listing.plain_len, Some(200_000), "{format}");
        assert_eq!(listing.formats, [format]);
        let check = ["CRC-32C", "Adler32", "-"]
            [[Format::Snappy, Format::Lzop, Format::Lzf].iter().position(|&known| known == format).unwrap()];
        assert_eq!(listing.check, check, "{format}");
        let mut seekable = Seekable::new(coded.clone()).unwrap();
        assert!(seekable.frames().count() > 3, "{format}");
        for range in [0..10, 4_990..5_010, 123_456..150_000, 199_999..200_000] {
            let mut back = Vec::new();
            let (start, len) = (range.start as u64, range.len());
            seekable.seek(SeekFrom::Start(start)).unwrap();
            seekable.by_ref().take(len as u64).read_to_end(&mut back).unwrap();
            assert!(back == data[range], "{format} from {start}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let data = [plain::text(3_000_000), plain::random(500_000), vec![0; 500_000]].concat();
    let lzop = Lzop { block_len: 256 << 10, ..Lzop::default() }.file(&data);
    for (format, coded) in [
        (Format::Snappy, compress(&data, &small(Format::Snappy))),
        (Format::Lzop, lzop),
        (Format::Lzf, old::lzf(&data, 60_000)),
    ] {
        for threads in 1..=16 {
            let mut back = Vec::new();
            let options = decode!(Decode::builder(), threads);
            Decompress::new(&options).run(Input::reader(&coded[..]), &mut back).unwrap();
            assert!(back == data, "{format} on {threads} threads");
        }
    }
}
