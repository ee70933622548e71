//! What else the tools of zstd, xz and lz4 can write, and we: the tools themselves are the judges.
//!
//! `pipe` has a tool read what we write, and what the tool lists must be what was asked for. A new layout needs a test
//! here, and the lengths at which it changes something in `inputs`.

use crate::common::{Dribble, compress, compress_with, decompress, pipe, plain};
use pzcomp::{Check, Compress, Encode, EncodeBuilder, Error, Format, Input, Layout, Lz4Blocks, Member};

fn options(format: Format) -> Encode {
    encode!(Encode::builder(format), level: 1, threads: 3)
}

fn single() -> Layout {
    Layout::Single(Member::default())
}

fn zstd(layout: Layout) -> Encode {
    encode!(options(Format::Zstd), layout)
}

fn xz(layout: Layout) -> Encode {
    encode!(options(Format::Xz), layout)
}

fn lz4(layout: Layout) -> Encode {
    encode!(options(Format::Lz4), layout)
}

fn blocks(id: u8, linked: bool, checksums: bool) -> Encode {
    encode!(lz4(Layout::Frames), lz4_blocks: with!(Lz4Blocks { id: Some(id), linked, checksums }))
}

/// All that can be asked for, and what reads it.
fn all() -> Vec<(Encode, &'static str)> {
    let check = |check, options| encode!(options, check: check);
    let cut = |options| encode!(options, block_size: BLOCK_LEN);
    vec![
        (zstd(single()), "zstd -dc"),
        (check(Check::None, zstd(single())), "zstd -dc"),
        (encode!(zstd(single()), window_log: 20), "zstd -dc"),
        (cut(check(Check::None, zstd(Layout::Frames))), "zstd -dc"),
        (encode!(zstd(Layout::Frames), window_log: 22), "zstd -dc"),
        (cut(zstd(Layout::Pzstd)), "pzstd -q -dc"),
        (cut(encode!(zstd(Layout::Pzstd), window_log: 17)), "zstd -dc"),
        (xz(single()), "xz -dc"),
        (check(Check::Crc32, xz(single())), "xz -dc"),
        (cut(check(Check::None, xz(Layout::Frames))), "xz -dc"),
        (cut(check(Check::Crc32, xz(Layout::Frames))), "xz -T2 -dc"),
        (cut(check(Check::Crc64, xz(Layout::Frames))), "xz -T2 -dc"),
        (cut(check(Check::Sha256, xz(Layout::Frames))), "xz -T2 -dc"),
        (cut(encode!(xz(Layout::Frames), extreme: true)), "xz -dc"),
        (xz(Layout::Alone), "xz --format=lzma -dc"),
        (lz4(single()), "lz4 -dc"),
        (
            encode!(lz4(single()), lz4_blocks: with!(Lz4Blocks { id: Some(4), linked: true, checksums: true })),
            "lz4 -dc",
        ),
        (check(Check::None, lz4(single())), "lz4 -dc"),
        (check(Check::None, lz4(Layout::Frames)), "lz4 -dc"),
        (blocks(4, false, false), "lz4 -dc"),
        (blocks(5, true, false), "lz4 -dc"),
        (blocks(6, false, true), "lz4 -dc"),
        (blocks(7, true, true), "lz4 -dc"),
        (encode!(blocks(4, true, true), level: 9), "lz4 -dc"),
        (encode!(blocks(4, true, false), level: -3), "lz4 -dc"),
        (lz4(Layout::Legacy), "lz4 -dc"),
        (encode!(lz4(Layout::Legacy), level: 9), "lz4 -dc"),
    ]
}

/// What a tool says of a file with such a name.
fn said(command: &str, name: &str, coded: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), coded).unwrap();
    let command = format!("cd '{}' && {command} {name} 2>&1", folder.path().display());
    String::from_utf8(pipe(&command, b"")).unwrap()
}

/// Of lengths around that of the parts in which frames without cuts are coded, or of some blocks.
fn inputs(text: &[u8], options: &Encode) -> Vec<Vec<u8>> {
    let lens = match options.format() {
        _ if is_cut(options) => [0, 1, BLOCK_LEN - 1, 3 * BLOCK_LEN, 3 * BLOCK_LEN + 777],
        // One thread codes all of it, a mebibyte at a time.
        Format::Xz => [0, 1, 77, 1 << 20, (1 << 20) + 777],
        _ => [0, 1, 1 << 20, 4 << 20, text.len()],
    };
    lens.map(|len| text[..len].to_vec()).into_iter().chain([plain::random(300_000)]).collect()
}

/// The length of the blocks of layouts that are tested with short ones.
const BLOCK_LEN: usize = 100_000;

/// Whether frames or Blocks are short. The other layouts are coded in parts of 1 to 4 MiB.
fn is_cut(options: &Encode) -> bool {
    options.compression_needs().unwrap().frame_len == BLOCK_LEN as u64
}

#[test]
fn the_tools_read_it_and_so_do_we() {
    let text = plain::text((4 << 20) + 777);
    for (options, tool) in all() {
        for input in inputs(&text, &options) {
            let (coded, summary) = compress_with(&input[..], &options).unwrap();
            assert!(pipe(tool, &coded) == input, "{tool} of {} bytes, {options:?}", input.len());
            // Of a .lzma file nothing can be recognised but by its name.
            if *options.layout() != Layout::Alone {
                assert!(decompress(&coded).unwrap() == input, "{} bytes, {options:?}", input.len());
            }
            if !matches!(options.layout(), Layout::Frames | Layout::Pzstd) {
                assert_eq!(summary.frames, 1, "{options:?}");
            }
        }
    }
}

#[test]
fn output_depends_on_neither_threads_nor_the_way_of_the_input() {
    let text = plain::text((1 << 20) + 5);
    for (options, _) in all() {
        let full = if is_cut(&options) { 3 * BLOCK_LEN } else { 1 << 20 };
        let input = &text[..full + 5];
        let expected = compress(input, &options);
        for threads in [1, 2, 8] {
            let options = encode!(options.clone(), threads);
            assert!(compress(input, &options) == expected, "{threads} threads, {options:?}");
        }
        let (dribbled, _) = compress_with(Dribble::new(input, 4097), &options).unwrap();
        assert!(dribbled == expected, "in steps, {options:?}");
        // Full parts alone are followed by an empty one, from whatever they are read.
        let of_full = compress(&input[..full], &options);
        for (input, expected) in [(input, expected), (&input[..full], of_full)] {
            let mut coded = Vec::new();
            let output = pzcomp::Output::Writer(Box::new(&mut coded));
            Compress::new(&options).run(Input::Memory(input), output).unwrap();
            assert!(coded == expected, "in place, {} bytes, {options:?}", input.len());
        }
    }
}

#[test]
fn memory_keeps_to_its_ceiling_or_says_what_is_enough() {
    let input = plain::text(300_000);
    for (options, _) in all() {
        let with = |memory| {
            let limited = EncodeBuilder::from(options.clone()).memory(memory).build();
            limited.and_then(|limited| compress_with(&input[..], &limited))
        };
        let Err(Error::Memory { needed, .. }) = with(1 << 20) else { panic!("{options:?}") };
        assert!(with(needed.0).unwrap().0 == compress(&input, &options), "{options:?}");
    }
}

#[test]
fn single_frames_are_single() {
    let input = plain::text(5 << 20);
    assert!(said("zstd -lv", "a.zst", &compress(&input, &zstd(single()))).contains("# Zstandard Frames: 1"));
    assert!(said("xz -l --robot", "a.xz", &compress(&input, &xz(single()))).contains("totals\t1\t1\t"));
    let lz4 = compress(&input, &lz4(single()));
    assert_eq!(lz4.windows(4).filter(|four| *four == 0x184D_2204_u32.to_le_bytes()).count(), 1);
}

#[test]
fn pzstd_says_the_length_of_every_frame_before_it() {
    let coded = compress(&plain::text(500_000), &encode!(zstd(Layout::Pzstd), block_size: 100_000));
    let (mut rest, mut frames) = (&coded[..], 0);
    while !rest.is_empty() {
        assert_eq!(rest[..8], [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]);
        let len = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        assert_eq!(rest[12..16], 0xFD2F_B528_u32.to_le_bytes());
        (rest, frames) = (&rest[12 + len..], frames + 1);
    }
    assert_eq!(frames, 5);
}

#[test]
fn checks_are_those_asked_for() {
    let of = |check| encode!(xz(Layout::Frames), check: check);
    for (check, name) in
        [(Check::None, "None"), (Check::Crc32, "CRC32"), (Check::Crc64, "CRC64"), (Check::Sha256, "SHA-256")]
    {
        let row = said("xz -l --robot", "a.xz", &compress(b"x", &of(check)));
        assert!(row.contains(&format!("\t{name}\t")), "{name}: {row}");
    }
    // A byte changed in what is stored as it is passes without a check only.
    let noise = plain::random(10_000);
    for format in [Format::Zstd, Format::Lz4] {
        let damaged = |check: Option<Check>| {
            let with = encode!(options(format), index: false);
            let with = check.map_or(with.clone(), |check| encode!(with, check));
            let mut coded = compress(&noise, &with);
            coded[5000] ^= 1;
            decompress(&coded)
        };
        assert!(damaged(None).is_err(), "{format}");
        assert!(damaged(Some(Check::None)).is_ok(), "{format}");
    }
}

#[test]
fn a_long_window_finds_what_is_far_away() {
    let far = [plain::random(3 << 20), plain::text(1 << 20), plain::random(3 << 20)].concat();
    let usual = encode!(zstd(Layout::Frames), index: false);
    let long = compress(&far, &encode!(usual.clone(), window_log: 23)).len();
    let usual = compress(&far, &usual).len();
    // The second part of noise is the first again, 4 MiB later.
    assert!(long < usual - (2 << 20), "{long}, {usual}");
}

#[test]
fn blocks_of_lz4_are_those_asked_for() {
    let input = plain::text(300_000);
    // FLG and BD of the first frame: version, independent, block checksum, content size, checksum; number.
    for (options, expected) in [
        (blocks(4, false, false), [0b0110_1100, 0x40]),
        (blocks(5, true, false), [0b0100_1100, 0x50]),
        (blocks(6, false, true), [0b0111_1100, 0x60]),
        (encode!(blocks(7, false, false), check: Check::None), [0b0110_1000, 0x70]),
        (lz4(single()), [0b0110_0100, 0x70]),
    ] {
        assert_eq!(compress(&input, &options)[4..6], expected, "{options:?}");
    }
    assert_eq!(compress(&input, &lz4(Layout::Legacy))[..4], 0x184C_2102_u32.to_le_bytes());
}

#[test]
fn what_a_format_has_not_got_is_refused_in_a_sentence() {
    let error = |options: EncodeBuilder| options.build().unwrap_err().to_string();
    let with = |format, layout| Encode::builder(format).layout(layout);
    for (options, expected) in [
        (with(Format::Gzip, Layout::Pzstd), "gzip cannot be written in the layout of pzstd"),
        (with(Format::Zstd, Layout::Legacy), "zstd cannot be written in the legacy format of lz4"),
        (with(Format::Lz4, Layout::Alone), "lz4 cannot be written as .lzma"),
        (Encode::builder(Format::Gzip).check(Check::None), "gzip cannot be written without a check"),
        (Encode::builder(Format::Zstd).check(Check::Crc32), "zstd cannot be written with CRC32 as the check"),
        (Encode::builder(Format::Xz).window_log(20), "xz cannot be written with a window of another size"),
        (
            Encode::builder(Format::Zstd).extreme(true),
            "zstd cannot be written with the extreme variant of a level",
        ),
        (
            Encode::builder(Format::Gzip).lz4_blocks(Lz4Blocks::new().with_id(4)),
            "gzip cannot be written with options for the blocks of lz4",
        ),
        (
            with(Format::Lz4, single()).rsyncable(true),
            "lz4 cannot be written as a single frame for rsync: a single frame is not divided",
        ),
        (
            with(Format::Xz, single()).block_size(1 << 20),
            "xz cannot be written as a single frame with a block size: a single frame is not divided",
        ),
        (
            with(Format::Xz, Layout::Alone).check(Check::Crc32),
            "xz cannot be written as .lzma with a check: that format has none",
        ),
        (
            with(Format::Lz4, Layout::Legacy).check(Check::None),
            "lz4 cannot be written in the legacy format with options for blocks or checks: it has none",
        ),
        (
            Encode::builder(Format::Zstd).window_log(32),
            "zstd cannot be written with such a window: its binary logarithm must be 10 to 31, or 10 to 30 on \
             machines of 32 bits",
        ),
        (
            Encode::builder(Format::Zstd)
                .layout(Layout::Single(with!(Member { modified: 1, ..Member::default() }))),
            "zstd cannot be written with a file name or a modification time",
        ),
    ] {
        let error = error(options);
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(
        error(Encode::lz4(1).lz4_blocks(Lz4Blocks::new().with_id(8)))
            .starts_with("lz4 cannot be written with such blocks")
    );
}

/// The length comes from the caller, so it can be wrong.
#[test]
fn a_frame_that_states_another_length_than_its_data_has_is_an_error() {
    for format in [Format::Zstd, Format::Lz4] {
        for stated in [5, 15] {
            let options = encode!(options(format), layout: single(), plain_len: stated);
            let coded = pzcomp::compress(b"three more", &options);
            let error = coded.expect_err("the length is wrong").to_string();
            assert!(error.contains("states another length than its data has"), "{format} {stated}: {error}");
        }
    }
}

#[test]
fn the_lowest_level_of_all_is_an_error_and_no_overflow() {
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Bzip2, Format::Lzip] {
        for level in [i32::MIN, i32::MAX] {
            let built = Encode::builder(format).level(level).build();
            assert!(matches!(built, Err(Error::Level { .. })), "{format} {level}");
        }
    }
}
