//! Salvage of input that is made to cost much: what it examines and decodes stays below the bounds of `SalvageEffort`.
//!
//! There is no peer: the bounds are absolute, and the counts are compared at two lengths, so that a quadratic cost is
//! seen even below the bounds. Each hostile input stands between two intact units. The unit behind must be kept, or the
//! report must say that it was not tried. Add a maker to [`hostile`] to add an input.

use crate::common::old::{self, Lzop};
use crate::common::plain;
use crate::common::qpress::{self, packets};
use crate::common::{compress, pipe, small};
use packets::{Mode, packet};
use pzcomp::salvage::{Salvage, SalvageEffort, SalvageReport};
use pzcomp::{Decode, Encode, EntryChoice, Error, Format, Input, Layout, Output};

/// Bytes of about this length that cost much, and the format that they look like.
struct Hostile {
    what: &'static str,
    format: Format,
    make: Box<dyn Fn(usize) -> Vec<u8>>,
}

#[derive(Default)]
struct All(Vec<Hostile>);

impl All {
    fn add(&mut self, format: Format, what: &'static str, make: impl Fn(usize) -> Vec<u8> + 'static) {
        self.0.push(Hostile { what, format, make: Box::new(make) });
    }
}

/// Repeats these bytes.
fn repeated(bytes: &[u8]) -> impl Fn(usize) -> Vec<u8> + use<> {
    let bytes = bytes.to_vec();
    move |len| bytes.repeat(len / bytes.len() + 1)
}

/// Adds bytes until there are about so many.
fn until(len: usize, add: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut coded = Vec::new();
    while coded.len() < len {
        add(&mut coded);
    }
    coded
}

fn hostile() -> Vec<Hostile> {
    let mut all = All::default();
    all.add(
        Format::Zstd,
        "headers that lead into a chain that ends wrong",
        chain(zstd_head, [0, 0, 0], [6, 0, 0]),
    );
    all.add(
        Format::Zstd,
        "headers whose chain is right and whose checksum is wrong",
        chain(zstd_head, [0, 0, 0], [1, 0, 0]),
    );
    all.add(Format::Zstd, "headers whose chain has bombs", chain(zstd_head, [2, 0, 16], [1, 0, 0]));
    all.add(Format::Zstd, "frames of much data with wrong checksums", {
        let mut frame = b"\x28\xb5\x2f\xfd\x04\x58".to_vec();
        for _ in 0..50 {
            frame.extend([2, 0, 16, 7]);
        }
        frame.extend([1, 0, 0, 1, 2, 3, 4]);
        repeated(&frame)
    });
    all.add(Format::Zstd, "headers only", repeated(b"\x28\xb5\x2f\xfd\x04\x58"));
    all.add(Format::Zstd, "skippable frames that lead to one place", |len| {
        let count = len / 8;
        (0..count)
            .flat_map(|at| [[0x50, 0x2a, 0x4d, 0x18], ((count - 1 - at) as u32 * 8).to_le_bytes()].concat())
            .collect()
    });
    all.add(Format::Lz4, "headers that lead into a chain that ends wrong", |len| lz4_chain(len, 0x7fff_ffff));
    all.add(Format::Lz4, "headers whose chain is right and whose checksum is wrong", |len| lz4_chain(len, 0));
    all.add(Format::Lz4, "headers only", repeated(b"\x04\x22\x4d\x18\x64\x40\xa7"));
    all.add(Format::Lz4, "headers of legacy frames", repeated(b"\x02\x21\x4c\x18\x08\0\0\0"));
    all.add(Format::Gzip, "headers", repeated(b"\x1f\x8b\x08\0\0\0\0\0\0\x03"));
    all.add(Format::Gzip, "headers whose stored blocks lead to one place", |len| {
        until(len, |coded| {
            let end = (coded.len() / 60_000 + 1) * 60_000;
            let stored = (end - coded.len()).max(20) as u16 - 15;
            coded.extend(b"\x1f\x8b\x08\0\0\0\0\0\0\x03\0");
            coded.extend(stored.to_le_bytes());
            coded.extend((!stored).to_le_bytes());
        })
    });
    for (what, id) in [("sizes of BGZF that lie", *b"BC"), ("sizes of mgzip that lie", *b"IG")] {
        all.add(Format::Gzip, what, move |len| {
            let (mut coded, size_len) = (Vec::new(), if id == *b"BC" { 2 } else { 4 });
            while coded.len() < len {
                let size = (len - coded.len()) as u32;
                coded.extend(b"\x1f\x8b\x08\x04\0\0\0\0\0\x03");
                coded.extend([4 + size_len, 0]);
                coded.extend(id);
                coded.extend([size_len, 0]);
                coded.extend(&size.to_le_bytes()[..usize::from(size_len)]);
                coded.extend(b"\0\x01\0\xfe\xffx");
            }
            coded
        });
    }
    all.add(Format::Gzip, "flush points in a damaged member", |len| {
        let mut coded = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x07".to_vec();
        while coded.len() < len {
            coded.extend(b"\0\0\0\xff\xff\x04\xc0\x81\0\0\0\0\0\x90\xff\x6b");
        }
        coded
    });
    all.add(Format::Gzip, "members of repeated text, with much damage", |len| {
        let lines: Vec<u8> =
            (0..len).flat_map(|at| format!("line {} of {}\n", at % 97, at % 13).into_bytes()).collect();
        let mut coded = pipe("gzip -9 -n", &lines);
        coded.truncate(len);
        coded.iter_mut().skip(2000).step_by(9000).for_each(|byte| *byte ^= 0x55);
        coded
    });
    all.add(Format::Gzip, "a member with damage everywhere", |len| {
        let mut coded = pipe("gzip -1 -n", &plain::text(len * 3));
        coded.truncate(len);
        coded.iter_mut().skip(2000).step_by(700).for_each(|byte| *byte ^= 0x55);
        coded
    });
    all.add(Format::Xz, "Block Headers that lead into a chain of chunks", |len| {
        let mut coded = Vec::new();
        let heads = len / 3 / 16;
        for _ in 0..heads.min(4000) {
            coded.extend(b"\x02\0\x21\x01\x0c\0\0\0\x8f\x98\x41\x9c\x01");
            coded.extend([0xff, 0xff, 0]);
        }
        while coded.len() < len {
            coded.extend([2, 0, 0, 2]);
        }
        coded.extend([3; 8]);
        coded
    });
    all.add(Format::Xz, "Block Headers only", repeated(b"\x02\0\x21\x01\x0c\0\0\0\x8f\x98\x41\x9c"));
    all.add(Format::Xz, "an Index at each byte", repeated(b"\0\x7f\x05\x05"));
    all.add(Format::Xz, "long Block Headers", repeated(b"\xff\0\x21\x01\x0c\0\0\0\0\0\0\0\0\0\0\0"));
    all.add(Format::Xz, "Stream Headers", repeated(b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46"));
    all.add(Format::Xz, "empty Streams", repeated(&compress(b"", &small(Format::Xz))));
    all.add(Format::Bzip2, "magic numbers of blocks", repeated(b"1AY&SY"));
    all.add(Format::Bzip2, "starts of streams", repeated(b"BZh91AY&SY"));
    all.add(Format::Bzip2, "short blocks of much data with wrong checksums", {
        let mut stream = pipe("bzip2 -9", &b"ab".repeat(440_000));
        stream[10] ^= 1;
        repeated(&stream)
    });
    all.add(Format::Bzip2, "blocks that begin well", {
        let stream = pipe("bzip2 -1", &plain::text(2000));
        repeated(&stream[..stream.len() / 2])
    });
    all.add(Format::Lzip, "headers", repeated(b"LZIP\x01\x0c"));
    all.add(Format::Lzip, "trailers that lead to the first header", |len| {
        until(len, |coded| {
            coded.extend(b"LZIP\x01\x0c");
            coded.extend((coded.len() as u64 + 8).to_le_bytes());
        })
    });
    all.add(Format::Lzip, "members with wrong checksums", {
        let mut member = compress(&[7; 100_000], &small(Format::Lzip));
        let crc = member.len() - 20;
        member[crc] ^= 1;
        repeated(&member)
    });
    all.add(Format::Snappy, "stored chunks", repeated(b"\x01\xff\xff\0"));
    all.add(Format::Snappy, "coded chunks", repeated(b"\0\x0f\0\0\x80\x80\x04\x80"));
    all.add(Format::Snappy, "chunks without data", repeated(b"\x80\xff\x0f\0"));
    all.add(Format::Snappy, "identifiers", repeated(b"\xff\x06\0\0sNaPpY"));
    all.add(Format::Lzf, "stored blocks", repeated(b"ZV\0\xff\xff"));
    all.add(Format::Lzf, "coded blocks", repeated(b"ZV\x01\x10\0\xff\xff"));
    all.add(Format::Lzop, "stored blocks", repeated(b"\0\x0f\xff\xff"));
    all.add(Format::Lzop, "coded blocks", repeated(b"\0\x04\0\0\0\0\xff\xff"));
    all.add(Format::Lzop, "headers", repeated(&Lzop::default().header()));
    all.add(Format::Lzop, "ends of streams", repeated(b"\0\0\0\0\0\0\0\0\x01"));
    all.add(Format::Lzop, "long coded blocks", |len| {
        // Literals and a repeat of 64 MiB at most, which does not end.
        until(len, |coded| {
            coded.extend([3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 18, 7, 32]);
            coded.extend([0; 200]);
        })
    });
    all.add(Format::Qpress, "magic numbers of blocks", repeated(b"NEWBNEWB"));
    all.add(Format::Qpress, "blocks that lead to one place", {
        let mut block = qpress::block(0, &packet(&plain::text(4000), 1, Mode::Compressed));
        block[16] ^= 1;
        repeated(&block[..600])
    });
    all.add(Format::Qpress, "ends of files and folders", repeated(b"ENDSENDS\0\0\0\0\0\0\0\0UUUU"));
    all.add(Format::Qpress, "names", repeated(b"F\x01\0\0\0x\0U"));
    all.0
}

/// A header of zstd with a block that leads `jump` bytes on.
fn zstd_head(jump: usize) -> Vec<u8> {
    let size = (jump as u32) << 3;
    [&b"\x28\xb5\x2f\xfd\x04\x58"[..], &size.to_le_bytes()[..3]].concat()
}

/// Headers that all lead into one chain of these links, of which the last is another one.
fn chain(head: fn(usize) -> Vec<u8>, link: [u8; 3], last: [u8; 3]) -> impl Fn(usize) -> Vec<u8> {
    move |len| {
        let head_len = head(0).len();
        let heads = (len / 2 / head_len).min(100_000 / head_len);
        let mut coded: Vec<u8> = (0..heads).flat_map(|at| head((heads - 1 - at) * head_len)).collect();
        while coded.len() < len {
            coded.extend(link);
            coded.extend(&[7][..usize::from(link[0] & 2) / 2]);
        }
        coded.extend(last);
        // A checksum that is wrong.
        coded.extend([1, 2, 3, 4]);
        coded
    }
}

fn lz4_chain(len: usize, last: u32) -> Vec<u8> {
    const HEAD: &[u8] = b"\x04\x22\x4d\x18\x64\x70\xb9";
    let heads = (len / 2 / 11).min(100_000);
    let mut coded = Vec::new();
    for at in 0..heads {
        coded.extend(HEAD);
        coded.extend((((heads - 1 - at) * 11) as u32 | 1 << 31).to_le_bytes());
    }
    while coded.len() < len {
        coded.extend([1, 0, 0, 0x80, b'x']);
    }
    coded.extend(last.to_le_bytes());
    coded.extend([1, 2, 3, 4]);
    coded
}

/// A file of one unit or more with this data.
fn intact(format: Format, data: &[u8]) -> Vec<u8> {
    match format {
        Format::Lzop => Lzop { block_len: 1000, ..Lzop::default() }.file(data),
        Format::Lzf => old::lzf(data, 1000),
        Format::Qpress => qpress::archive(data, 1, 1000),
        _ => compress(data, &encode!(small(format), index: false)),
    }
}

fn salvaged(coded: &[u8]) -> (Vec<u8>, Result<SalvageReport, Error>, SalvageEffort) {
    let (mut back, mut effort) = (Vec::new(), SalvageEffort::default());
    let output = Output::Writer(Box::new(&mut back));
    let reading = decode!(Decode::builder(), threads: 2, entry: EntryChoice::All);
    let options = Salvage::new(&reading);
    let report = options.run_with_effort(Input::Memory(coded), output, &mut effort);
    (back, report, effort)
}

/// Salvages hostile input of this length, behind an intact unit or first in the file, and before another intact unit.
fn check(hostile: &Hostile, len: usize, is_first: bool) -> SalvageEffort {
    let Hostile { what, format, make } = hostile;
    let (before, after) = (plain::text(3000), plain::random(3000));
    let first = if is_first { Vec::new() } else { intact(*format, &before) };
    let coded = [first, make(len), intact(*format, &after)].concat();
    let begun = std::time::Instant::now();
    let (back, report, effort) = salvaged(&coded);
    let context = format!("{format}, {what}, {len} bytes, first: {is_first}: {effort:?}");
    if std::env::var("SALVAGE_SHOW").is_ok() {
        println!("{:?}, {} back, {context}", begun.elapsed(), back.len());
    }
    assert_bounded(effort, coded.len(), back.len(), &context);
    let is_last_kept = back.ends_with(&after[2000..]);
    let is_said = match &report {
        // A stored block may hold the last unit. Its bytes are written then, and listed as not verified.
        Ok(report) => {
            let unverified = report.unverified.last().map(|last| last.coded.end);
            let untried = report.untried.last().map(|last| last.end);
            unverified.max(untried).is_some_and(|end| end + 5000 > coded.len() as u64)
        }
        // The hostile input looks like another format, which cannot be divided.
        Err(error) => is_first && matches!(error, Error::Unsupported { .. }),
    };
    assert!(is_last_kept || is_said, "{context}: the last unit is lost without a word: {report:?}");
    effort
}

fn assert_bounded(effort: SalvageEffort, coded_len: usize, written: usize, context: &str) {
    let most = SalvageEffort::examined_max(coded_len as u64);
    assert!(effort.examined <= most, "{context}: more than {most} bytes examined");
    let most = SalvageEffort::made_max(coded_len as u64, written as u64);
    assert!(effort.made <= most, "{context}: more than {most} bytes made");
}

/// Nothing tells the format of such a file, so it is searched twice.
#[test]
fn hostile_blocks_without_a_header_are_salvaged_within_the_bounds() {
    let data = plain::random(3000);
    let header_lens = [(Format::Snappy, 10), (Format::Lzop, Lzop::default().header().len())];
    for Hostile { what, format, make } in hostile() {
        let Some((_, header_len)) = header_lens.iter().find(|(known, _)| *known == format) else { continue };
        for len in [20_000, 80_000] {
            let coded = [&[0xfe], &make(len)[..], &intact(format, &data)[*header_len..]].concat();
            let (back, report, effort) = salvaged(&coded);
            let context = format!("{format}, {what}, {len} bytes: {effort:?}, {report:?}");
            assert_bounded(effort, coded.len(), back.len(), &context);
            let is_said = report.is_ok_and(|report| !report.untried.is_empty());
            assert!(back.ends_with(&data[2000..]) || is_said, "{context}");
        }
    }
}

/// Checks all hostile input of a format at two lengths.
fn check_all(format: Format) {
    let lens = std::env::var("SALVAGE_LEN").map_or(20_000, |len| len.parse().unwrap());
    let mut count = 0;
    for hostile in hostile().iter().filter(|hostile| hostile.format == format) {
        for is_first in [false, true] {
            let (short, long) = (check(hostile, lens, is_first), check(hostile, 4 * lens, is_first));
            // Units that are longer than the shorter input cost nothing there. What is made is bounded by a constant
            // too.
            let is_linear = long.examined <= (6 * short.examined).max(8 * 4 * lens as u64)
                && long.made <= 6 * short.made + (16 << 20);
            let what = hostile.what;
            assert!(
                is_linear,
                "{format}, {what}: {short:?} for {lens} bytes, {long:?} for four times as many"
            );
        }
        count += 1;
    }
    assert!(count > 0);
}

macro_rules! checked {
    ($($name:ident: $format:ident;)*) => {
        $(
            #[test]
            fn $name() {
                check_all(Format::$format);
            }
        )*
    };
}

checked! {
    hostile_zstd_is_salvaged_within_the_bounds: Zstd;
    hostile_gzip_is_salvaged_within_the_bounds: Gzip;
    hostile_lz4_is_salvaged_within_the_bounds: Lz4;
    hostile_xz_is_salvaged_within_the_bounds: Xz;
    hostile_bzip2_is_salvaged_within_the_bounds: Bzip2;
    hostile_lzip_is_salvaged_within_the_bounds: Lzip;
    hostile_snappy_is_salvaged_within_the_bounds: Snappy;
    hostile_lzf_is_salvaged_within_the_bounds: Lzf;
    hostile_lzop_is_salvaged_within_the_bounds: Lzop;
    hostile_qpress_is_salvaged_within_the_bounds: Qpress;
}

/// Data that cannot be divided is an error at once, in a zip archive, a zlib stream and a `.lzma` file too.
#[test]
fn what_cannot_be_divided_costs_nothing() {
    let data = plain::text(30_000);
    let alone = |format| encode!(Encode::builder(format), layout: Layout::Alone);
    let coded = [
        ("lzma", compress(&data, &alone(Format::Xz))),
        ("zlib", compress(&data, &small(Format::Zlib))),
        ("zip", compress(&data, &small(Format::Zip))),
    ];
    for (what, mut coded) in coded {
        let middle = coded.len() / 2;
        coded[middle..].fill(0x55);
        let mut effort = SalvageEffort::default();
        let reading = decode!(Decode::builder(), accept: &[Format::Lzma, Format::Zlib, Format::Zip]);
        let options = Salvage::new(&reading);
        let report = options.run_with_effort(Input::Memory(&coded), Output::Nothing, &mut effort);
        assert!(matches!(report, Err(Error::Unsupported { .. })), "{what}: {report:?}");
        assert!(effort.examined <= 2 * coded.len() as u64 + 1000 && effort.made == 0, "{what}: {effort:?}");
    }
}
