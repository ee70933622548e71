//! What only xz can be told: filters, limits of memory, and how Streams are read.
//!
//! The peer is the `xz` tool, which gets the same options. A new option needs a test that it comes back, and one that
//! it is refused where it means nothing.

use crate::common::{Dribble, pipe, plain};
use pzcomp::{
    Check, Compress, Decode, Decompress, Encode, Error, Input, Layout, Member, Output, Summary, XzArch,
    XzFilter, XzLzma, XzMode,
};

fn lzma(level: u32) -> XzLzma {
    XzLzma::preset(level, false).unwrap()
}

/// Options for xz with filters and Blocks of this length.
fn filtered(filters: &[XzFilter], threads: usize, block_size: Option<usize>) -> Encode {
    let options = Encode::xz(6).threads(threads).filters(filters);
    encode!(block_size.map_or(options.clone(), |len| options.block_size(len)))
}

fn compress(data: &[u8], options: &Encode) -> Vec<u8> {
    let mut coded = Vec::new();
    Compress::new(options).run(Input::reader(data), &mut coded).unwrap();
    coded
}

fn reading(threads: usize, xz: &Decode) -> Decode {
    decode!(xz.clone(), threads)
}

/// What came out, and how it ended; from memory, whose Blocks workers read themselves, and from a pipe alike.
fn decompress(coded: &[u8], options: &Decode) -> (Vec<u8>, Result<Summary, Error>) {
    let (mut plain, mut piped) = (Vec::new(), Vec::new());
    let result = Decompress::new(options).run(Input::Memory(coded), &mut plain);
    let other = Decompress::new(options).run(Input::reader(Dribble::new(coded, 5000)), &mut piped);
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
    let last = XzFilter::Lzma(with!(XzLzma { dict_len: 64 << 10, ..lzma(0) }));
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
                    let (found, result) = decompress(&coded, &decode!(Decode::builder(), threads));
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
            let options = encode!(filtered(&filters, 2, None), check: check, layout);
            let coded = compress(&data, &options);
            assert!(pipe("xz -dc", &coded) == data, "{check:?}");
            assert!(decompress(&coded, &Decode::default()).0 == data, "{check:?}");
        }
    }
    let odd =
        with!(XzLzma { dict_len: 1 << 20, lc: 0, lp: 4, pb: 0, mode: XzMode::Fast, nice_len: 2, ..lzma(6) });
    let alone = encode!(filtered(&[XzFilter::Lzma(odd)], 1, None), layout: Layout::Alone);
    let coded = compress(&data, &alone);
    assert!(pipe("xz -dc --format=lzma", &coded) == data);
    assert!(decompress(&coded, &Decode::default()).0 == data);
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
                let (found, result) = decompress(&coded, &decode!(Decode::builder(), threads));
                assert!(found == data, "{filters} {blocks}: {result:?}");
            }
        }
    }
}

#[test]
fn blocks_are_three_dictionaries_and_dictionaries_no_longer_than_their_blocks() {
    let dict = |dict_len| filtered(&[XzFilter::Lzma(with!(XzLzma { dict_len, ..lzma(0) }))], 1, None);
    let frames = |options: &Encode, len| {
        Compress::new(options)
            .run(Input::reader(&plain::text(len)[..]), Output::writer(std::io::sink()))
            .unwrap()
            .frames
    };
    assert_eq!(frames(&dict(1 << 20), 7 << 20), 3);
    assert_eq!(frames(&dict(4 << 10), 7 << 20), 7);
    // So much is asked for, and so little needed.
    let coded = compress(&plain::text(100_000), &dict(1 << 30));
    let options = reading(1, &decode!(Decode::builder(), xz_decoder_memory: 1 << 20));
    assert!(decompress(&coded, &options).1.is_ok());
}

#[test]
fn the_memory_of_large_dictionaries_is_known_before() {
    let options = |dict_len| filtered(&[XzFilter::Lzma(with!(XzLzma { dict_len, ..lzma(6) }))], 2, None);
    let large = options(64 << 20);
    assert!(large.encoder_memory().unwrap() > 10 * (64 << 20));
    assert!(large.compression_memory(2).unwrap() > 2 * large.encoder_memory().unwrap() + 6 * (64 << 20));
    let decoder = large.decoder_memory().unwrap();
    assert!((64 << 20..66 << 20).contains(&decoder), "{decoder}");
    let error = encode!(large, memory: 500 << 20).compression_needs().unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
}

#[test]
fn chains_that_cannot_be_written_are_refused() {
    let last = XzFilter::Lzma(lzma(6));
    for (filters, layout, part) in [
        (&[last, last][..], Layout::Frames, "LZMA2 must be the last"),
        (&[XzFilter::Delta { distance: 1 }], Layout::Frames, "the last must be LZMA2"),
        (&[XzFilter::Delta { distance: 1 }, last], Layout::Alone, "as .lzma with filters"),
    ] {
        let error = Encode::xz(6).filters(filters).layout(layout).build().unwrap_err();
        assert!(matches!(error, Error::Unavailable { format: "xz", .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = Encode::gzip(6).filters([last]).build().unwrap_err();
    assert!(error.to_string().starts_with("gzip cannot be written with filters of xz"), "{error}");
}

// ---- Reading ----

#[test]
fn a_decoder_that_needs_more_than_its_share_works_alone() {
    let data = plain::text(4 << 20);
    for (command, least) in [
        // The dictionary of -6, and the speed of -0.
        ("xz --lzma2=preset=0,dict=8MiB -T2 --block-size=3MiB", 3),
        ("xz --lzma2=preset=0,dict=8MiB -T1 --block-size=3MiB", 9),
        ("xz -1 -T1", 2),
        ("lzip -1", 2),
        ("lzma -1", 2),
    ] {
        let coded = pipe(command, &data);
        for (limit, fits) in [(least << 20, true), ((least - 1) << 20, false)] {
            let limit = if fits { limit + (1 << 20) } else { limit };
            for threads in [1, 4] {
                let xz = decode!(Decode::builder(), xz_decoder_memory: limit);
                let (found, result) = decompress(&coded, &reading(threads, &xz));
                match result {
                    Ok(_) => assert!(fits && found == data, "{command}, {limit}"),
                    Err(Error::Memory { needed, limit: said, .. }) => {
                        assert!(!fits && needed.0 > limit && said.0 == limit, "{command}, {limit}: {needed}");
                    }
                    Err(error) => panic!("{command}, {limit}: {error}"),
                }
            }
        }
    }
}

#[test]
fn without_a_limit_any_dictionary_is_read() {
    let data = plain::text(100_000);
    let coded = pipe("xz -T1 --lzma2=preset=0,dict=192MiB", &data);
    assert!(decompress(&coded, &Decode::default()).1.is_err(), "more than 128 MiB");
    let xz = decode!(Decode::builder(), xz_decoder_memory: u64::MAX);
    assert!(decompress(&coded, &reading(2, &xz)).0 == data);
}

/// A Stream with one Block for each line, and the same with an unknown Check that is as long.
fn with_check(check: u8) -> (Vec<u8>, Vec<u8>) {
    let data = plain::text(20_000);
    let mut coded = compress(&data, &filtered(&[], 2, Some(4096)));
    coded[7] = check;
    let crc = crc32fast::hash(&coded[6..8]);
    coded[8..12].copy_from_slice(&crc.to_le_bytes());
    let footer = coded.len() - 12;
    coded[footer + 9] = check;
    let crc = crc32fast::hash(&coded[footer + 4..footer + 10]);
    coded[footer..footer + 4].copy_from_slice(&crc.to_le_bytes());
    (coded, data)
}

#[test]
fn an_unknown_check_is_refused_unless_asked_for() {
    let allowed = decode!(Decode::builder(), xz_unknown_check: true);
    let ignored = decode!(Decode::builder(), xz_ignore_check: true);
    for check in [5, 6] {
        let (coded, data) = with_check(check);
        let (found, result) = decompress(&coded, &Decode::default());
        assert!(found.is_empty());
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Unsupported { format: "xz", offset: 0, .. }), "{error}");
        for threads in [1, 4] {
            let (found, result) = decompress(&coded, &reading(threads, &allowed));
            assert!(found == data && result.unwrap().unverified);
            let (found, result) = decompress(&coded, &reading(threads, &ignored));
            assert!(found == data && !result.unwrap().unverified, "nobody wants to know");
        }
        let both = [&coded[..], &compress(&data, &filtered(&[], 1, None))].concat();
        let (found, result) = decompress(&both, &reading(2, &allowed));
        assert!(found == data.repeat(2) && result.unwrap().unverified);
        // What is damaged in other ways is noticed.
        let mut damaged = coded.clone();
        let footer = damaged.len() - 1;
        damaged[footer] ^= 1;
        assert!(decompress(&damaged, &reading(2, &allowed)).1.is_err());
    }
    let (known, data) = with_check(4);
    let (found, result) = decompress(&known, &reading(2, &allowed));
    assert!(found == data && !result.unwrap().unverified);
}

#[test]
fn checks_can_be_ignored_and_nothing_else() {
    let data = plain::text(20_000);
    let ignored = reading(3, &decode!(Decode::builder(), xz_ignore_check: true));
    for (command, back) in [("xz -0 -T2", 29), ("xz -0 -T1", 29), ("lzip -0", 20)] {
        let mut coded = pipe(command, &data);
        // The first byte of the check: before the Index of one Record and the Stream Footer, or in the trailer.
        let at = coded.len() - back;
        let at = if command.starts_with("xz") { coded.len() - 12 - index_len(&coded) - 8 } else { at };
        coded[at] ^= 1;
        assert!(decompress(&coded, &Decode::default()).1.is_err(), "{command}");
        let (found, result) = decompress(&coded, &ignored);
        assert!(found == data && result.is_ok(), "{command}: {result:?}");
        let middle = coded.len() / 2;
        coded.truncate(middle);
        assert!(decompress(&coded, &ignored).1.is_err(), "{command}");
    }
}

/// The length of the Index, as the Stream Footer says it.
fn index_len(coded: &[u8]) -> usize {
    let at = coded.len() - 8;
    (u32::from_le_bytes(coded[at..at + 4].try_into().unwrap()) as usize + 1) * 4
}

#[test]
fn only_the_first_stream_is_read_if_that_is_asked_for() {
    let (one, two) = (plain::text(50_000), plain::text(60_000));
    let single = decode!(Decode::builder(), xz_single_stream: true);
    for command in ["xz -0 -T2 --block-size=4096", "xz -0", "lzip -0", "lzma -0"] {
        let (first, second) = (pipe(command, &one), pipe(command, &two));
        for behind in [&second[..], b"", b"garbage", &[0; 5], &[&[0; 4], &second[..]].concat(), &second[..30]]
        {
            let coded = [&first[..], behind].concat();
            for threads in [1, 4] {
                let (found, result) = decompress(&coded, &reading(threads, &single));
                assert!(found == one && result.is_ok(), "{command}, {} behind: {result:?}", behind.len());
            }
        }
        assert!(decompress(&first[..first.len() - 1], &reading(2, &single)).1.is_err(), "{command}");
    }
}

#[test]
fn what_follows_the_first_frame_is_of_its_format() {
    let data = plain::text(50_000);
    let like_xz = decode!(Decode::builder(), xz_one_format: true);
    let coded = |command| pipe(command, &data);
    let (xz, lzip, alone) = (coded("xz -0"), coded("lzip -0"), coded("lzma -0"));
    for (first, behind, count, is_ok) in [
        (&xz, &xz[..], 2, true),
        (&xz, &[0; 8], 1, true),
        (&xz, &[0; 7], 1, false),
        (&xz, &lzip, 1, false),
        (&xz, &alone, 1, false),
        (&xz, b"garbage", 1, false),
        (&lzip, &lzip, 2, true),
        (&lzip, &xz, 1, true),
        (&lzip, b"LZI", 1, true),
        (&lzip, b"LZxPxxxx", 1, true),
        (&lzip, b"LZIP", 1, false),
        (&lzip, &[0; 7], 1, true),
        (&alone, &alone, 1, false),
        (&alone, b"\0", 1, false),
        (&alone, b"", 1, true),
    ] {
        let all = [first, behind].concat();
        for threads in [1, 4] {
            let (found, result) = decompress(&all, &reading(threads, &like_xz));
            let case = format!("{:x?}, then {:x?}", &first[..4], &behind[..behind.len().min(8)]);
            assert!(found == data.repeat(count), "{case}: {result:?}");
            assert_eq!(result.is_ok(), is_ok, "{case}");
        }
    }
}
