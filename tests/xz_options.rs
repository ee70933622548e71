//! What only xz can be told: filters.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod common;

use common::{pipe, plain};
use pzcomp::{
    Check, Error, Format, Input, Layout, Member, Options, Output, Summary, XzArch, XzFilter, XzLzma, XzMode,
    XzOptions,
};

fn lzma(level: u32) -> XzLzma {
    XzLzma::preset(level, false).unwrap()
}

/// Options for xz with filters and Blocks of this length.
fn filtered(filters: &[XzFilter], threads: usize, block_size: Option<usize>) -> Options {
    let xz = XzOptions { filters: filters.to_vec() };
    Options { format: Format::XZ, threads, block_size, xz, ..Options::default() }
}

fn compress(data: &[u8], options: &Options) -> Vec<u8> {
    let mut coded = Vec::new();
    pzcomp::compress(data, &mut coded, options).unwrap();
    coded
}

/// What came out, and how it ended; from memory, whose Blocks workers read themselves, and from a pipe alike.
fn decompress(coded: &[u8], options: &Options) -> (Vec<u8>, Result<Summary, Error>) {
    let (mut plain, mut piped) = (Vec::new(), Vec::new());
    let result = pzcomp::decompress_io(Input::Memory(coded), Output::Writer(Box::new(&mut plain)), options);
    let other = pzcomp::decompress(common::Dribble::new(coded, 5000), &mut piped, options);
    assert_eq!(result.is_ok(), other.is_ok(), "{result:?} {other:?}");
    assert!(plain == piped);
    (plain, result)
}

/// What looks like machine code: branches of x86 and ARM64 to the start, between random bytes.
fn code(len: usize) -> Vec<u8> {
    let mut data = plain::random(len);
    for (at, group) in data.chunks_exact_mut(16).enumerate() {
        group[0] = 0xe8;
        let at = at as u32;
        group[1..5].copy_from_slice(&(16 * at + 5).wrapping_neg().to_le_bytes());
        group[8..12]
            .copy_from_slice(&(0x9400_0000 | (4 * at + 2).wrapping_neg() & 0x03ff_ffff).to_le_bytes());
    }
    data
}

const ARCHES: [XzArch; 8] = [
    XzArch::X86,
    XzArch::PowerPc,
    XzArch::Ia64,
    XzArch::Arm,
    XzArch::ArmThumb,
    XzArch::Arm64,
    XzArch::Sparc,
    XzArch::RiscV,
];

/// The filter that xz 5.4 does not know.
const NEW: XzArch = XzArch::RiscV;

#[test]
fn every_filter_is_undone_by_xz_and_by_us() {
    let last = XzFilter::Lzma(XzLzma { dict_len: 64 << 10, ..lzma(0) });
    let before = ARCHES
        .iter()
        .flat_map(|&arch| [0, 4096].map(|start| XzFilter::Branches { arch, start }))
        .chain([1, 4, 256].map(|distance| XzFilter::Delta { distance }));
    let data = code(100_000);
    for filter in before {
        for data in [&data[..], b"", &data[..1]] {
            for block_size in [None, Some(30_001)] {
                let coded = compress(data, &filtered(&[filter, last], 4, block_size));
                let alone = compress(data, &filtered(&[filter, last], 1, block_size));
                assert!(coded == alone, "{filter:?}: the same on any number of threads");
                for threads in [1, 4] {
                    let (found, result) = decompress(&coded, &Options { threads, ..Options::default() });
                    assert!(found == data, "{filter:?} {block_size:?}: {result:?}");
                }
                if !matches!(filter, XzFilter::Branches { arch: NEW, .. }) {
                    assert!(pipe("xz -dc -T2", &coded) == data, "{filter:?} {block_size:?}");
                }
            }
        }
    }
}

#[test]
fn filters_make_code_smaller() {
    let data = code(1 << 20);
    let last = XzFilter::Lzma(lzma(6));
    let plain = compress(&data, &filtered(&[last], 2, None)).len();
    for arch in [XzArch::X86, XzArch::Arm64] {
        let len = compress(&data, &filtered(&[XzFilter::Branches { arch, start: 0 }, last], 2, None)).len();
        assert!(len < plain, "{arch:?}: {len}, without {plain}");
    }
}

#[test]
fn all_layouts_and_checks_take_filters() {
    let data = code(200_000);
    let filters = [XzFilter::Delta { distance: 16 }, XzFilter::Lzma(lzma(1))];
    for check in [Check::None, Check::Crc32, Check::Crc64, Check::Sha256] {
        for layout in [Layout::Frames, Layout::Single(Member::default())] {
            let options = Options { check: Some(check), layout, ..filtered(&filters, 2, None) };
            let coded = compress(&data, &options);
            assert!(pipe("xz -dc", &coded) == data, "{check:?}");
            assert!(decompress(&coded, &Options::default()).0 == data, "{check:?}");
        }
    }
    let odd = XzLzma { dict_len: 1 << 20, lc: 0, lp: 4, pb: 0, mode: XzMode::Fast, nice_len: 2, ..lzma(6) };
    let alone = Options { layout: Layout::Alone, ..filtered(&[XzFilter::Lzma(odd)], 1, None) };
    let coded = compress(&data, &alone);
    assert!(pipe("xz -dc --format=lzma", &coded) == data);
    assert!(decompress(&coded, &Options::default()).0 == data);
}

#[test]
fn files_of_xz_with_filters_are_read() {
    let data = code(200_000);
    for filters in [
        "--x86",
        "--arm --delta=dist=4",
        "--x86 --arm=start=16 --delta=dist=256",
        "--armthumb",
        "--arm64",
        "--powerpc=start=4",
        "--ia64",
        "--sparc",
    ] {
        for blocks in ["-T1", "-T2 --block-size=40000", "-T1 --block-size=40000"] {
            let coded = pipe(&format!("xz {blocks} {filters} --lzma2=preset=0"), &data);
            for threads in [1, 4] {
                let (found, result) = decompress(&coded, &Options { threads, ..Options::default() });
                assert!(found == data, "{filters} {blocks}: {result:?}");
            }
        }
    }
}

#[test]
fn blocks_are_three_dictionaries_and_dictionaries_no_longer_than_their_blocks() {
    let dict = |dict_len| filtered(&[XzFilter::Lzma(XzLzma { dict_len, ..lzma(0) })], 1, None);
    let frames = |options: &Options, len| {
        pzcomp::compress(&plain::text(len)[..], std::io::sink(), options).unwrap().frames
    };
    assert_eq!(frames(&dict(1 << 20), 7 << 20), 3);
    assert_eq!(frames(&dict(4 << 10), 7 << 20), 7);
}

#[test]
fn the_memory_of_large_dictionaries_is_known_before() {
    let options = |dict_len| filtered(&[XzFilter::Lzma(XzLzma { dict_len, ..lzma(6) })], 2, None);
    let large = options(64 << 20);
    assert!(large.encoder_memory().unwrap() > 10 * (64 << 20));
    assert!(large.compression_memory(2).unwrap() > 2 * large.encoder_memory().unwrap() + 6 * (64 << 20));
    let decoder = large.decoder_memory().unwrap();
    assert!((64 << 20..66 << 20).contains(&decoder), "{decoder}");
    let refused = Options { memory: Some(500 << 20), ..large };
    let error = pzcomp::compress(&b"x"[..], std::io::sink(), &refused).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
}

#[test]
fn chains_that_cannot_be_written_are_refused() {
    let last = XzFilter::Lzma(lzma(6));
    for (filters, layout, part) in [
        (&[last, last][..], Layout::Frames, "only be the last"),
        (&[XzFilter::Delta { distance: 1 }], Layout::Frames, "the last must be LZMA2"),
        (&[XzFilter::Delta { distance: 1 }, last], Layout::Alone, "as .lzma with filters"),
    ] {
        let options = Options { layout, ..filtered(filters, 1, None) };
        let error = pzcomp::compress(&b"x"[..], std::io::sink(), &options).unwrap_err();
        assert!(matches!(error, Error::Unavailable { format: "xz", .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    let others = Options { format: Format::GZIP, ..filtered(&[last], 1, None) };
    let error = pzcomp::compress(&b"x"[..], std::io::sink(), &others).unwrap_err();
    assert_eq!(error.to_string(), "gzip cannot be written with filters of xz");
}
