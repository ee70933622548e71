//! Salvage of damaged files: the output is exactly what the intact frames hold, and the report says exactly what is
//! lost.
//!
//! There is no peer: the truth is known, because the test makes the files. [`Made`] is a file with the places of its
//! frames; add a maker to [`makers`] to add a kind of file. For longer: `make salvage-trial`, which damages a thousand
//! files.

use std::ops::Range;

use crate::common::old::Lzop;
use crate::common::plain::{self, Random};
use crate::common::{compress, flipped, pipe, small};
use pzcomp::salvage::{Fill, Salvage, SalvageReport};
use pzcomp::{Decode, Encode, Error, Format, Input, Layout, Output, Seekable, Summary};

/// A compressed file, and where its frames are.
pub struct Made {
    pub what: &'static str,
    pub coded: Vec<u8>,
    pub plain: Vec<u8>,
    /// The coded and the plain bytes of each frame.
    pub frames: Vec<(Range<usize>, Range<usize>)>,
    /// Whether an index or the headers state the plain length of each frame.
    pub states_len: bool,
}

fn data() -> Vec<u8> {
    [plain::text(190_000), plain::random(60_000), vec![0; 50_000], plain::text(77_000)].concat()
}

/// A file of pzcomp, with its index.
fn indexed(what: &'static str, options: &Encode) -> Made {
    let plain = data();
    let coded = compress(&plain, options);
    let frames = listed(&coded);
    Made { what, coded, plain, frames, states_len: true }
}

/// The frames of an intact file.
pub fn listed(coded: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let range = |at: u64, len: u64| at as usize..(at + len) as usize;
    let seekable = Seekable::new(coded.to_vec()).unwrap();
    let frames = seekable.frames().map(|frame| {
        (range(frame.coded_offset, frame.coded_len), range(frame.plain_offset, frame.plain_len.unwrap()))
    });
    frames.collect()
}

/// Files that follow each other, each of one frame.
fn joined(what: &'static str, states_len: bool, coder: impl Fn(&[u8]) -> Vec<u8>) -> Made {
    let (plain, mut coded, mut frames) = (data(), Vec::new(), Vec::new());
    for (number, chunk) in plain.chunks(40_000).enumerate() {
        let start = coded.len();
        coded.extend(coder(chunk));
        let at = number * 40_000;
        frames.push((start..coded.len(), at..at + chunk.len()));
    }
    Made { what, coded, plain, frames, states_len }
}

/// All kinds of files.
pub fn makers() -> Vec<Made> {
    let mut made: Vec<Made> = [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Lzip]
        .map(|format| indexed(format.name(), &small(format)))
        .into();
    let plainly = |format| encode!(small(format), index: false);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4] {
        made.push(joined(format.name(), true, move |chunk| compress(chunk, &plainly(format))));
    }
    let (plain, lzop) = (data(), Lzop { block_len: 30_000, ..Lzop::default() });
    for (what, coded) in [("snappy", compress(&plain, &small(Format::Snappy))), ("lzop", lzop.file(&plain))] {
        let frames = listed(&coded);
        made.push(Made { what, coded, plain: plain.clone(), frames, states_len: true });
    }
    let mut bzip2 = joined("bzip2 in streams", false, |chunk| compress(chunk, &small(Format::Bzip2)));
    // A block is found by itself. The end of its stream has ten bytes.
    bzip2.frames.iter_mut().for_each(|(coded, _)| coded.end -= 10);
    made.push(bzip2);
    let xz = joined("xz in Streams", true, |chunk| compress(chunk, &small(Format::Xz)));
    // Without the Stream Headers and the Indexes.
    made.push(Made { frames: listed(&xz.coded), ..xz });
    let bgzf = encode!(Encode::builder(Format::Gzip), layout: Layout::Bgzf);
    // The empty member at the end has 28 bytes.
    let without_end = |mut coded: Vec<u8>| {
        coded.truncate(coded.len() - 28);
        coded
    };
    made.push(joined("bgzf", true, move |chunk| without_end(compress(chunk, &bgzf))));
    let pzstd = encode!(small(Format::Zstd), layout: Layout::Pzstd);
    let mut pzstd = joined("pzstd", true, move |chunk| compress(chunk, &pzstd));
    // The skippable frame before each frame has twelve bytes.
    pzstd.frames.iter_mut().for_each(|(coded, _)| coded.start += 12);
    made.push(pzstd);
    made
}

pub fn salvage(coded: &[u8], options: &Salvage) -> (Vec<u8>, Result<SalvageReport, Error>) {
    let mut back = Vec::new();
    let report = options.run(Input::Memory(coded), &mut back);
    (back, report)
}

pub fn options() -> Salvage {
    Salvage::new(&decode!(Decode::builder(), threads: 2))
}

/// Changes one to sixteen bytes that follow each other, behind `from`.
fn damage(coded: &mut [u8], range: Range<usize>, random: &mut Random) -> Range<usize> {
    let len = [1, 1, 1, 4, 16][random.below(5) as usize].min(range.len());
    let at = range.start + random.below((range.len() - len + 1) as u64) as usize;
    for byte in &mut coded[at..at + len] {
        *byte ^= 1 + random.below(255) as u8;
    }
    at..at + len
}

/// Compares the output and the report of a file whose damaged frames are known.
fn compare(made: &Made, coded: &[u8], damaged: &[usize], context: &str) {
    for fill in [Fill::Nothing, Fill::Zero] {
        let (back, report) = salvage(coded, &options().fill(fill));
        let report = report.unwrap_or_else(|error| panic!("{context}: {error}"));
        if report.is_whole() {
            // The damage is in bytes that mean nothing, such as the time in a header.
            assert!(back == made.plain, "{context}: wrong bytes reported as good");
            continue;
        }
        let mut expected = Vec::new();
        let mut lost: Vec<Range<u64>> = Vec::new();
        let is_filled = fill == Fill::Zero && report.lost.iter().all(|lost| lost.plain_len.is_some());
        for (number, (coded, plain)) in made.frames.iter().enumerate() {
            if !damaged.contains(&number) {
                expected.extend(&made.plain[plain.clone()]);
                continue;
            }
            if is_filled {
                expected.resize(expected.len() + plain.len(), 0);
            }
            match lost.last_mut() {
                Some(last) if last.end == coded.start as u64 => last.end = coded.end as u64,
                _ => lost.push(coded.start as u64..coded.end as u64),
            }
        }
        if fill == Fill::Nothing || is_filled {
            assert!(
                back == expected,
                "{context}: {} bytes, expected {}: {report:?}",
                back.len(),
                expected.len()
            );
        }
        let found: Vec<Range<u64>> = report.lost.iter().map(|lost| lost.coded.clone()).collect();
        assert_eq!(found, lost, "{context}: {report:?}");
        assert_eq!(report.frames as usize, made.frames.len() - damaged.len(), "{context}: {report:?}");
        let missing: usize = damaged.iter().map(|&number| made.frames[number].1.len()).sum();
        if let Some(len) = report.lost_len() {
            assert_eq!(len, missing as u64, "{context}: {report:?}");
        }
        for kept in &report.kept {
            let is_intact = |&number: &usize| {
                let (coded, _) = &made.frames[number];
                kept.coded.end <= coded.start as u64 || kept.coded.start >= coded.end as u64
            };
            assert!(damaged.iter().all(is_intact), "{context}: {report:?}");
        }
        assert_eq!(report.written as usize, back.len(), "{context}");
    }
}

#[test]
fn an_intact_file_is_decompressed_as_usual() {
    for made in makers() {
        let (back, report) = salvage(&made.coded, &options());
        let report = report.unwrap();
        assert!(back == made.plain, "{}", made.what);
        assert!(report.is_whole(), "{}: {report:?}", made.what);
    }
}

#[test]
fn the_output_is_what_the_intact_frames_hold_and_the_report_is_true() {
    for made in makers() {
        let mut random = Random(7);
        for round in 0..12 {
            let number = random.below(made.frames.len() as u64) as usize;
            let mut coded = made.coded.clone();
            let at = damage(&mut coded, made.frames[number].0.clone(), &mut random);
            compare(
                &made,
                &coded,
                &[number],
                &format!("{} round {round}, frame {number} at {at:?}", made.what),
            );
        }
    }
}

#[test]
fn damage_in_many_short_gzip_members_loses_no_other_member() {
    let plain: Vec<Vec<u8>> = (0..500).map(|number| plain::random(100 + number)).collect();
    let mut members: Vec<Vec<u8>> = plain.iter().map(|data| gzip_member(data)).collect();
    for damaged in members.iter_mut().step_by(9) {
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
    }
    let (back, report) = salvage(&members.concat(), &options());
    assert!(report.unwrap().untried.is_empty());
    let mut rest = &back[..];
    for (number, data) in plain.iter().enumerate().filter(|(number, _)| number % 9 > 0) {
        let at = memchr::memmem::find(rest, data).unwrap_or_else(|| panic!("member {number} is lost"));
        rest = &rest[at + data.len()..];
    }
}

/// A gzip member that does not state its length.
fn gzip_member(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    std::io::Write::write_all(&mut encoder, data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lengths_that_a_format_cannot_reach_are_not_filled() {
    // Chunks of Snappy that claim 64 KiB each, in eleven bytes.
    let claim = [&[0, 7, 0, 0][..], b"abcd", &[0x80, 0x80, 4]].concat();
    let coded = [&b"\xff\x06\0\0sNaPpY"[..], &claim.repeat(1000)].concat();
    let (back, _) = salvage(&coded, &options().fill(Fill::Zero));
    assert!(back.len() <= 32 * coded.len(), "{} bytes for {}", back.len(), coded.len());
}

#[test]
fn two_damages_lose_two_frames() {
    for made in makers() {
        let mut random = Random(11);
        for round in 0..4 {
            let first = random.below(made.frames.len() as u64 - 2) as usize;
            let second = first + 2;
            let mut coded = made.coded.clone();
            let bodies = [first, second].map(|number| {
                // The headers are left, so that the frames are damaged for certain.
                let body = &made.frames[number].0;
                let at = body.start + body.len() / 2;
                damage(&mut coded, at..at + 1, &mut random)
            });
            compare(&made, &coded, &[first, second], &format!("{} round {round} at {bodies:?}", made.what));
        }
    }
}

#[test]
fn a_plain_length_with_a_wrong_bit_moves_nothing() {
    let options_of_lzip = encode!(small(Format::Lzip), block_size: 16 << 10);
    let made = indexed("lzip", &options_of_lzip);
    let (coded_member, plain_member) = &made.frames[2];
    for bit in [0, 3, 20, 46, 62] {
        // The trailer of a member has its plain length in front of its coded length.
        let coded = flipped(&made.coded, coded_member.end - 16 + bit / 8, 1 << (bit % 8));
        let (back, report) = salvage(&coded, &options().fill(Fill::Zero));
        let [lost] = &report.unwrap().lost[..] else { panic!("bit {bit}") };
        assert_eq!((lost.plain_len, lost.filled), (None, 0), "bit {bit}");
        let expected = [&made.plain[..plain_member.start], &made.plain[plain_member.end..]].concat();
        assert!(back == expected, "bit {bit}");
    }
}

#[test]
fn lengths_that_the_file_states_are_reported() {
    for made in makers().iter().filter(|made| made.states_len) {
        let mut coded = made.coded.clone();
        let body = &made.frames[3].0;
        coded[body.start + body.len() / 2] ^= 0x55;
        let (back, report) = salvage(&coded, &options().fill(Fill::Zero));
        let report = report.unwrap();
        let plain = &made.frames[3].1;
        let [lost] = &report.lost[..] else { panic!("{}: {report:?}", made.what) };
        assert_eq!(lost.plain_len, Some(plain.len() as u64), "{}", made.what);
        assert_eq!(
            (lost.plain_offset, lost.filled),
            (Some(plain.start as u64), plain.len() as u64),
            "{}",
            made.what
        );
        let mut expected = made.plain.clone();
        expected[plain.clone()].fill(0);
        assert!(back == expected, "{}", made.what);
    }
}

#[test]
fn a_file_that_is_cut_off_keeps_all_whole_frames() {
    for made in makers() {
        for number in [1, made.frames.len() - 1] {
            let (body, plain) = &made.frames[number];
            let end = body.start + body.len() / 2;
            let (back, report) = salvage(&made.coded[..end], &options());
            let report = report.unwrap_or_else(|error| panic!("{}: {error}", made.what));
            assert!(back == made.plain[..plain.start], "{}: {} of {}", made.what, back.len(), plain.start);
            assert!(!report.is_whole());
            assert_eq!(report.frames as usize, number, "{}", made.what);
            assert_eq!(report.lost.last().unwrap().coded.end, end as u64, "{}: {report:?}", made.what);
        }
    }
}

#[test]
fn garbage_between_frames_loses_no_frame() {
    for made in makers().iter().filter(|made| made.what != "xz in Streams") {
        let at = made.frames[4].0.start;
        let mut coded = made.coded.clone();
        coded.splice(at..at, plain::random(501));
        let (back, report) = salvage(&coded, &options());
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", made.what));
        assert!(back == made.plain, "{}: {} bytes, {report:?}", made.what, back.len());
        let [lost] = &report.lost[..] else { panic!("{}: {report:?}", made.what) };
        assert_eq!(lost.coded, at as u64..at as u64 + 501, "{}", made.what);
        assert_eq!(report.frames as usize, made.frames.len(), "{}", made.what);
    }
}

#[test]
fn a_damaged_index_loses_no_data() {
    let made = indexed("xz", &small(Format::Xz));
    let index = made.frames.last().unwrap().0.end;
    for at in [index, index + 3, made.coded.len() - 20] {
        let coded = flipped(&made.coded, at, 0xff);
        let (back, report) = salvage(&coded, &options());
        let report = report.unwrap();
        assert!(back == made.plain, "{at}");
        let [lost] = &report.lost[..] else { panic!("{report:?}") };
        assert_eq!((lost.coded.clone(), lost.plain_len), (index as u64..coded.len() as u64, Some(0)), "{at}");
    }
    for format in [Format::Zstd, Format::Lz4, Format::Gzip] {
        let made = indexed(format.name(), &small(format));
        let index = made.frames.last().unwrap().0.end;
        for at in index..made.coded.len() {
            let coded = flipped(&made.coded, at, 0x40);
            let (back, report) = salvage(&coded, &options());
            assert!(back == made.plain, "{format} at {at} of {index}: {} bytes, {report:?}", back.len());
        }
    }
}

/// Frames inside a stored frame look like frames, and must not be taken for some.
#[test]
fn magic_numbers_in_stored_data_are_no_frames() {
    let inner = compress(&plain::text(30_000), &small(Format::Zstd));
    let stored = [plain::random(20_000), inner.clone(), plain::random(9_000)].concat();
    let options_of = |format| encode!(small(format), index: false, block_size: 1 << 20);
    for format in [Format::Zstd, Format::Lz4, Format::Gzip] {
        let frame = compress(&stored, &options_of(format));
        let after = plain::text(50_000);
        let coded = [frame.clone(), compress(&after, &options_of(format))].concat();
        for at in [frame.len() - 100, 10_000, frame.len() - 1] {
            let coded = flipped(&coded, at, 1);
            let (back, report) = salvage(&coded, &options());
            assert!(back == after, "{format} at {at}: {} bytes, {report:?}", back.len());
        }
        let cut = &coded[..frame.len() - 2000];
        let (back, report) = salvage(cut, &options());
        assert!(back.is_empty(), "{format} cut off: {} bytes, {report:?}", back.len());
    }
}

/// The blocks of an ordinary bzip2 stream, each with its own CRC.
#[test]
fn an_ordinary_bzip2_stream_loses_the_damaged_block_only() {
    let plain = plain::text(500_000);
    let coded = pipe("bzip2 -1", &plain);
    let blocks = Seekable::new(coded.clone()).unwrap().frames().count();
    assert!(blocks >= 1);
    let damaged = flipped(&coded, coded.len() / 2, 4);
    let (back, report) = salvage(&damaged, &options());
    let report = report.unwrap();
    let [lost] = &report.lost[..] else { panic!("{report:?}") };
    let at = lost.output_offset as usize;
    assert!(back[..at] == plain[..at] && plain.ends_with(&back[at..]), "{report:?}");
    assert!(plain.len() - back.len() <= 100_000, "{report:?}");
    assert!(back.len() < plain.len());
}

/// Behind damage in an ordinary gzip file, data follows again from the next block whose window is known.
#[test]
fn an_ordinary_gzip_file_goes_on_behind_the_damage() {
    // Noise makes matches short, so that markers are soon gone.
    let mut random = Random(3);
    let plain: Vec<u8> = (0..3_000_000)
        .map(|_| b"abcdefghijklmnopqrstuvwxyz 0123456789\n"[random.below(38) as usize])
        .collect();
    let coded = pipe("gzip -6 -n", &plain);
    let middle = coded.len() / 2;
    let mut damaged = coded.clone();
    damaged[middle..middle + 50_000].copy_from_slice(&plain::random(50_000));
    for fill in [Fill::Nothing, Fill::Zero] {
        let (back, report) = salvage(&damaged, &options().fill(fill));
        let report = report.unwrap();
        let [lost] = &report.lost[..] else { panic!("{report:?}") };
        assert_eq!(report.kept, [], "no checksum verifies any of it: {report:?}");
        let at = lost.output_offset as usize;
        assert!(back[..at] == plain[..at], "{report:?}");
        let behind = &back[at + lost.filled as usize..];
        assert!(
            plain.ends_with(behind) && behind.len() > plain.len() / 4,
            "{} behind: {report:?}",
            behind.len()
        );
        assert_eq!(lost.plain_len, Some((plain.len() - at - behind.len()) as u64));
        assert_eq!(back.len(), if fill == Fill::Zero { plain.len() } else { at + behind.len() });
        assert!(lost.coded.contains(&(middle as u64)));
    }
}

#[test]
fn a_gzip_file_that_is_cut_off_is_kept_up_to_there() {
    let plain = plain::text(900_000);
    let coded = pipe("gzip -6 -n", &plain);
    let (back, report) = salvage(&coded[..coded.len() / 2], &options());
    let report = report.unwrap();
    assert!(plain.starts_with(&back) && back.len() > plain.len() / 4, "{} bytes", back.len());
    assert_eq!(report.unverified_len(), back.len() as u64);
    assert_eq!(report.lost.len(), 1, "{report:?}");
}

#[test]
fn a_wrong_checksum_of_a_gzip_file_is_reported() {
    let plain = plain::text(300_000);
    let mut coded = pipe("gzip -6 -n", &plain);
    let crc = coded.len() - 8;
    coded[crc] ^= 1;
    let (back, report) = salvage(&coded, &options());
    let report = report.unwrap();
    assert!(back == plain);
    assert_eq!((report.lost.len(), report.unverified_len()), (0, 300_000), "{report:?}");
}

#[test]
fn frames_whose_check_is_wrong_are_written_only_if_that_is_wanted() {
    let plain = plain::text(500_000);
    // One frame with a checksum at its end.
    let mut coded = pipe("zstd -q --check", &plain);
    let last = coded.len() - 1;
    coded[last] ^= 1;
    let (back, report) = salvage(&coded, &options());
    assert!(back.is_empty(), "{report:?}");
    let (back, report) = salvage(&coded, &options().keep_unverified(true));
    let report = report.unwrap();
    assert!(back == plain, "{report:?}");
    assert_eq!((report.frames, report.unverified_len()), (0, 500_000), "{report:?}");
}

#[test]
fn what_cannot_be_divided_is_an_error_and_so_is_a_pipe() {
    let mut coded =
        compress(&plain::text(100_000), &encode!(Encode::builder(Format::Xz), layout: Layout::Alone));
    let middle = coded.len() / 2;
    coded[middle..].fill(0x55);
    let (_, report) = salvage(&coded, &options());
    assert!(matches!(report, Err(Error::Unsupported { .. })), "{report:?}");
    let report = options().run(Input::Reader(Box::new(&coded[..])), Output::Nothing);
    assert!(matches!(report, Err(Error::NeedsFile)), "{report:?}");
    let (_, report) = salvage(&plain::text(5000), &options());
    assert!(matches!(report, Err(Error::NotCompressed { .. })), "{report:?}");
}

/// Frames that are longer than what is kept in memory are decoded twice.
#[test]
fn long_frames_are_written_after_they_are_verified() {
    let plain = plain::text(13 << 20);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Lzip] {
        let options_of = encode!(Encode::builder(format), level: 1, index: false, block_size: 5 << 20);
        let mut coded = compress(&plain, &options_of);
        let frames = listed(&coded);
        let middle = frames[1].0.start + frames[1].0.len() / 2;
        coded[middle] ^= 0x10;
        let (back, report) = salvage(&coded, &options());
        assert!(back == [&plain[..5 << 20], &plain[10 << 20..]].concat(), "{format}: {report:?}");
        let cut = frames[2].0.start + 1000;
        let (back, report) = salvage(&coded[..cut], &options().keep_unverified(true));
        assert!(plain.starts_with(&back[..5 << 20]), "{format}: {report:?}");
    }
}

/// The Blocks behind a damaged Stream Header are found by their own headers, in the first Stream and in later ones.
#[test]
fn a_damaged_stream_header_loses_no_block() {
    let made = makers().into_iter().find(|made| made.what == "xz in Streams").unwrap();
    for number in [0, 4] {
        let mut coded = made.coded.clone();
        let block = made.frames[number].0.start;
        coded[block - 5] ^= 1;
        let (back, report) = salvage(&coded, &options());
        let report = report.unwrap();
        assert!(back == made.plain, "{number}: {report:?}");
        let [lost] = &report.lost[..] else { panic!("{report:?}") };
        assert_eq!(lost.coded, block as u64 - 12..block as u64);
    }
}

#[test]
fn zeros_at_the_end_are_no_loss() {
    for made in makers() {
        let mut coded = made.coded.clone();
        let body = &made.frames[2].0;
        coded[body.start + body.len() / 2] ^= 0x11;
        let lost = |coded: &[u8]| salvage(coded, &options()).1.unwrap().lost.len();
        let before = lost(&coded);
        coded.resize(coded.len() + 2048, 0);
        assert_eq!((before, lost(&coded)), (1, 1), "{}", made.what);
    }
}

/// One thread and several give the same output and the same report.
#[test]
fn the_number_of_threads_makes_no_difference() {
    for made in makers() {
        let mut random = Random(5);
        let mut coded = made.coded.clone();
        for _ in 0..3 {
            damage(&mut coded, 0..made.coded.len(), &mut random);
        }
        let on = |threads| {
            let (back, report) = salvage(&coded, &Salvage::new(&decode!(Decode::builder(), threads)));
            // The summary says how many threads there were.
            let report = report.map(|report| with!(SalvageReport { summary: Summary::default(), ..report }));
            (back, report.map_err(|error| error.to_string()))
        };
        assert!(on(1) == on(4), "{}", made.what);
    }
}

#[test]
fn linked_lz4_blocks_are_lost_with_their_frame() {
    let plain = plain::text(300_000);
    let mut coded = pipe("lz4 -q -BD -B4", &plain);
    let whole = coded.len();
    coded.extend(pipe("lz4 -q -B4", &plain));
    coded[whole / 2] ^= 0x10;
    let (back, report) = salvage(&coded, &options());
    assert!(back == plain, "{report:?}");
}
