//! What is read and not written: LZMA alone, zlib, zip, and what gzip reads of old. Oracles are the tools that still
//! write them; where there are none, encoders of a few lines, and what gzip makes of those.
//!
//! `samples` has one of each, which are cut anywhere and damaged at random. For longer: `make fuzz`.

use std::time::Instant;

use crate::common::plain::{self, Random};
use crate::common::{
    Dribble, compress, decoded, decompress, decompress_from, fuzz_end, pipe, places, run, small,
};
use pzcomp::{Decode, Decompress, Encode, Error, Format, Input, Result, Unknown};

/// What gzip makes of coded data: nothing if it finds it wrong.
fn gunzip(coded: &[u8]) -> Option<Vec<u8>> {
    let output = run("gzip -dcq", coded);
    // 2 is a warning.
    matches!(output.status.code(), Some(0 | 2)).then_some(output.stdout)
}

fn decompress_with(coded: &[u8], options: &Decode) -> Result<Vec<u8>> {
    decompress_from(coded, options)
}

fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> =
        [0, 1, 2, 3, 255, 256, 257, 1000, 65_536, 1_500_000].map(plain::text).into();
    inputs.extend([plain::random(700_000), vec![b'a'; 2_000_000], vec![0; 5]]);
    // A table that is emptied: what comes later is of another kind.
    inputs.push(
        [plain::text(900_000), plain::random(300_000), vec![7; 300_000], plain::text(400_000)].concat(),
    );
    inputs
}

#[test]
fn files_of_compress_are_read() {
    for input in inputs() {
        for bits in 9..=16 {
            let coded = pipe(&format!("compress -c -f -b {bits}"), &input);
            let back = decompress(&coded).ok();
            // Its own decoder goes on to ten bits behind nine, which the encoder does not.
            if bits == 9 {
                assert_eq!(back, gunzip(&coded), "{} bytes", input.len());
            } else {
                assert!(back == Some(input.clone()), "{} bytes, -b {bits}", input.len());
            }
        }
    }
}

#[test]
fn files_of_compress_may_arrive_in_any_pieces_and_follow_a_member() {
    let input = plain::text(300_000);
    let coded = pipe("compress -c", &input);
    for step in [1, 7, 5000] {
        let back = decompress_from(Dribble::new(&coded, step), &Decode::default()).unwrap();
        assert!(back == input, "steps of {step}");
    }
    let member = compress(b"member", &small(Format::Gzip));
    assert!(decompress(&[&member[..], &coded].concat()).unwrap() == [b"member", &input[..]].concat());
}

#[test]
fn codes_that_mean_nothing_are_corrupt() {
    // The first code must be a byte; 300 is none yet; 17 bits are too many.
    for (coded, is_valid) in [
        (&[0x1f, 0x9d, 0x90][..], true),
        (&[0x1f, 0x9d, 0x90, 0x41, 0x00], true),
        (&[0x1f, 0x9d, 0x90, 0x2c, 0x01], false),
        (&[0x1f, 0x9d, 0x90, 0x41, 0x58, 0x02], false),
        (&[0x1f, 0x9d, 0x91, 0x41, 0x00], false),
        (&[0x1f, 0x9d, 0x88, 0x41, 0x00], true),
        (&[0x1f, 0x9d], false),
    ] {
        let back = decompress(coded).ok();
        assert_eq!(back.is_some(), is_valid, "{coded:02x?}");
        assert_eq!(back, gunzip(coded), "{coded:02x?}");
    }
}

/// An encoder of `pack`: the lengths of its codes make a line of `lens`, the first being the shortest.
fn pack(input: &[u8]) -> Vec<u8> {
    let mut counts = [0_u64; 257];
    input.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    counts[256] = 1;
    let mut lens = huffman(&counts);
    let longest = *lens.iter().max().unwrap();
    // The end has a longest code, and comes last.
    let deepest = (0..256).find(|&symbol| lens[symbol] == longest);
    if lens[256] < longest {
        lens.swap(256, deepest.unwrap());
    }
    let mut sorted: Vec<usize> = (0..257).filter(|&symbol| lens[symbol] > 0).collect();
    sorted.sort_by_key(|&symbol| (lens[symbol], symbol));
    let mut coded = vec![0x1f, 0x1e];
    coded.extend((input.len() as u32).to_be_bytes());
    coded.push(longest as u8);
    let count = |len: u32| sorted.iter().filter(|&&symbol| lens[symbol] == len).count();
    coded.extend((1..=longest).map(|len| (count(len) - if len == longest { 2 } else { 0 }) as u8));
    coded.extend(sorted.iter().filter(|&&symbol| symbol < 256).map(|&symbol| symbol as u8));
    // Leaves are above inner nodes.
    let (mut codes, mut room) = ([0; 257], 1);
    for len in 1..=longest {
        room = 2 * room - count(len);
        for (at, &symbol) in sorted.iter().filter(|&&symbol| lens[symbol] == len).enumerate() {
            codes[symbol] = room + at;
        }
    }
    let mut bits = Bits::default();
    for symbol in input.iter().map(|&byte| usize::from(byte)).chain([256]) {
        bits.put(codes[symbol] as u64, lens[symbol]);
    }
    coded.extend(bits.finish());
    coded
}

/// Lengths of a Huffman code, by merging the two rarest again and again.
fn huffman(counts: &[u64]) -> Vec<u32> {
    let mut lens = vec![0; counts.len()];
    let alone = (0..counts.len()).filter(|&symbol| counts[symbol] > 0);
    let mut trees: Vec<(u64, Vec<usize>)> = alone.map(|symbol| (counts[symbol], vec![symbol])).collect();
    while trees.len() > 1 {
        trees.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let ((one, mut symbols), (other, more)) = (trees.pop().unwrap(), trees.pop().unwrap());
        symbols.extend(more);
        symbols.iter().for_each(|&symbol| lens[symbol] += 1);
        trees.push((one + other, symbols));
    }
    lens
}

/// Bits, the most significant first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u64, len: u32) {
        for bit in (0..len).rev() {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= ((value >> bit & 1) as u8) << (7 - self.count % 8);
            self.count += 1;
        }
    }

    fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// What `pack` takes: two different bytes at the least.
fn packable() -> Vec<Vec<u8>> {
    // Counts that double make the longest codes.
    let steep = (0..20).flat_map(|byte| vec![byte; 1 << byte]).collect();
    let all: Vec<u8> = (0..=255).cycle().take(5000).collect();
    vec![
        b"ab".to_vec(),
        b"abc".to_vec(),
        plain::text(1000),
        plain::text(300_000),
        plain::random(50_000),
        all,
        steep,
    ]
}

#[test]
fn packed_files_are_read_one_after_another() {
    let mut all = Vec::new();
    for input in packable() {
        let coded = pack(&input);
        assert!(gunzip(&coded).unwrap() == input, "gzip, {} bytes", input.len());
        assert!(decompress(&coded).unwrap() == input, "{} bytes", input.len());
        all.extend(coded);
    }
    assert!(decompress(&all).unwrap() == packable().concat());
    assert!(gunzip(&all).unwrap() == packable().concat());
}

/// An encoder of LZH: blocks of some symbols, with matches of what is `distance` bytes before.
fn lzh(input: &[u8], block_len: usize) -> Vec<u8> {
    let mut symbols = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let found = [1, 2, 3, 20, 33, 500, 4097, 8192].into_iter().filter(|&distance| distance <= at).map(
            |distance| {
                let len = (at..input.len().min(at + 256))
                    .take_while(|&here| input[here] == input[here - distance])
                    .count();
                (len, distance)
            },
        );
        match found.max() {
            Some((len, distance)) if len >= 3 => {
                symbols.push((256 + len - 3, distance - 1));
                at += len;
            }
            _ => {
                symbols.push((usize::from(input[at]), 0));
                at += 1;
            }
        }
    }
    let class = |distance: usize| (usize::BITS - distance.leading_zeros()) as usize;
    let mut bits = Bits::default();
    for block in symbols.chunks(block_len) {
        bits.put(block.len() as u64, 16);
        let (mut litlens, mut classes) = (vec![0; 510], vec![0; 14]);
        for &(symbol, distance) in block {
            litlens[symbol] += 1;
            if symbol >= 256 {
                classes[class(distance)] += 1;
            }
        }
        let (litlens, classes) = (Code::new(&litlens), Code::new(&classes));
        // The lengths of literals are coded by themselves or as gaps of one, up to 18, and more.
        let mut runs = Vec::new();
        let used = litlens.lens.iter().rposition(|&len| len > 0).map_or(0, |last| last + 1);
        let mut at = 0;
        while at < used {
            let gap = litlens.lens[at..used].iter().take_while(|&&len| len == 0).count();
            let run = match gap {
                0 => (litlens.lens[at] as usize + 2, 0, 0),
                1..=2 => (0, 0, 0),
                3..=18 => (1, gap - 3, 4),
                _ => (2, gap.min(531) - 20, 9),
            };
            at += match run.0 {
                1 => gap,
                2 => gap.min(531),
                _ => 1,
            };
            runs.push(run);
        }
        let mut counts = vec![0; 19];
        runs.iter().for_each(|run| counts[run.0] += 1);
        let lengths = Code::new(&counts);
        lengths.put_lens(&mut bits, 5, true);
        match litlens.single {
            Some(symbol) => bits.put(symbol as u64, 18),
            None => {
                bits.put(used as u64, 9);
                for (symbol, extra, len) in runs {
                    lengths.put(&mut bits, symbol);
                    bits.put(extra as u64, len);
                }
            }
        }
        classes.put_lens(&mut bits, 4, false);
        for &(symbol, distance) in block {
            litlens.put(&mut bits, symbol);
            if symbol >= 256 {
                classes.put(&mut bits, class(distance));
                let extra = class(distance).saturating_sub(1) as u32;
                bits.put(distance as u64 & ((1 << extra) - 1), extra);
            }
        }
    }
    bits.put(0, 16);
    [&[0x1f, 0xa0][..], &bits.finish()].concat()
}

/// A code of LZH.
struct Code {
    lens: Vec<u32>,
    codes: Vec<u64>,
    /// The only symbol, which has no bits.
    single: Option<usize>,
}

impl Code {
    fn new(counts: &[u64]) -> Self {
        let mut lens = huffman(counts);
        let used = counts.iter().filter(|&&count| count > 0).count();
        let single = (used < 2).then(|| counts.iter().position(|&count| count > 0).unwrap_or(0));
        if lens.iter().any(|&len| len > 16) {
            // Good enough: as if all were equally frequent.
            lens = huffman(&counts.iter().map(|&count| count.min(1)).collect::<Vec<_>>());
        }
        let mut codes = vec![0; lens.len()];
        let mut next = 0;
        for len in 1..=16 {
            for symbol in (0..lens.len()).filter(|&symbol| lens[symbol] == len) {
                codes[symbol] = next;
                next += 1;
            }
            next <<= 1;
        }
        Self { lens, codes, single }
    }

    fn put(&self, bits: &mut Bits, symbol: usize) {
        bits.put(self.codes[symbol], self.lens[symbol]);
    }

    fn put_lens(&self, bits: &mut Bits, count_bits: u32, has_gap: bool) {
        if let Some(symbol) = self.single {
            bits.put(0, count_bits);
            bits.put(symbol as u64, count_bits);
            return;
        }
        let used = self.lens.iter().rposition(|&len| len > 0).unwrap() + 1;
        bits.put(used as u64, count_bits);
        let mut at = 0;
        while at < used {
            let len = self.lens[at];
            match len {
                0..7 => bits.put(len.into(), 3),
                _ => bits.put((1 << (len - 3)) - 2, len - 3),
            }
            at += 1;
            if has_gap && at == 3 {
                let gap = self.lens[3..used].iter().take_while(|&&len| len == 0).count().min(3);
                bits.put(gap as u64, 2);
                at += gap;
            }
        }
    }
}

#[test]
fn lzh_is_read() {
    for input in inputs() {
        for block_len in [65_535, 1000] {
            let coded = lzh(&input[..input.len().min(400_000)], block_len);
            let back = decompress(&coded).unwrap();
            assert!(gunzip(&coded).unwrap() == input[..back.len()], "gzip, {} bytes", input.len());
            assert!(back == input[..input.len().min(400_000)], "{} bytes", input.len());
            // Whatever follows is not looked at.
            assert!(decompress(&[&coded[..], b"garbage"].concat()).unwrap() == back);
        }
    }
}

#[test]
fn the_first_entry_of_an_archive_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for input in [plain::text(0), plain::text(1000), plain::text(2_000_000), plain::random(400_000)] {
        std::fs::write(folder.path().join("a"), &input).unwrap();
        let go = format!("cd '{}' && rm -f a.zip &&", folder.path().display());
        for command in [
            "zip -q a.zip a && cat a.zip",
            "zip -q -0 a.zip a && cat a.zip",
            "zip -q -fz a.zip a && cat a.zip",
            "zip -q -fz- - - < a",
            "zip -q - - < a",
            "zip -q - a | cat",
            "pigz -K -c a",
            "pigz -K < a",
        ] {
            let coded = pipe(&format!("{go} {command}"), b"");
            assert!(decompress(&coded).unwrap() == input, "`{command}`, {} bytes", input.len());
        }
    }
}

#[test]
fn more_entries_are_refused_or_passed_over_but_never_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        std::fs::write(folder.path().join(name), format!("this is {name} ").repeat(100)).unwrap();
    }
    let archive = pipe(&format!("cd '{}' && zip -q - a b | cat", folder.path().display()), b"");
    let expected = "this is a ".repeat(100).into_bytes();
    let second = archive.windows(4).rposition(|bytes| bytes == b"PK\x03\x04").unwrap() as u64;
    let (back, error) = decoded(&archive[..], &Decode::default());
    let error = error.unwrap_err();
    assert!(matches!(error, Error::Unsupported { format: "zip", offset, .. } if offset == second), "{error}");
    assert!(back == expected);
    for unknown in [Unknown::Ignore, Unknown::Copy] {
        let mut back = Vec::new();
        let options = decode!(Decode::builder(), unknown);
        let summary = Decompress::new(&options).run(Input::reader(&archive[..]), &mut back).unwrap();
        assert!(back == expected && gunzip(&archive).unwrap() == expected);
        assert_eq!((summary.trailing.more, summary.trailing.garbage), (Some(second), None));
    }
    // Behind a member an archive is garbage.
    let member = compress(b"x", &small(Format::Gzip));
    let error = decompress(&[&member[..], &archive].concat()).unwrap_err();
    assert!(matches!(error, Error::TrailingGarbage { .. }), "{error}");
}

#[test]
fn entries_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), plain::text(10_000)).unwrap();
    let go = format!("cd '{}' && rm -f a.zip &&", folder.path().display());
    let encrypted = pipe(&format!("{go} zip -q -P secret a.zip a && cat a.zip"), b"");
    assert!(decompress(&encrypted).unwrap_err().to_string().contains("is encrypted; use unzip"));
    let bzip2 = pipe(&format!("{go} zip -q -Z bzip2 a.zip a && cat a.zip"), b"");
    assert!(decompress(&bzip2).unwrap_err().to_string().contains("compressed by method 12; use unzip"));
}

#[test]
fn zlib_streams_are_read_if_they_are_named() {
    const PYTHON: &str =
        "python3 -c 'import sys,zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read(), 9))'";
    let named = decode!(Decode::builder(), accept: &[Format::Gzip, Format::Zlib]);
    for input in inputs() {
        for command in [PYTHON, "pigz -z", "pigz -z -1"] {
            let coded = pipe(command, &input);
            assert!(decompress_with(&coded, &named).unwrap() == input, "`{command}`, {} bytes", input.len());
            assert!(matches!(decompress(&coded), Err(Error::NotCompressed { .. })));
            let mut wrong = coded.clone();
            *wrong.last_mut().unwrap() ^= 1;
            let error = decompress_with(&wrong, &named).unwrap_err();
            assert!(error.to_string().contains("Adler-32"), "{error}");
            let twice = decompress_with(&[&coded[..], &coded].concat(), &named).unwrap_err();
            assert!(matches!(twice, Error::TrailingGarbage { .. }), "{twice}");
        }
    }
    // FDICT.
    let error = decompress_with(&[0x78, 0xbb, 0, 0, 0, 1, 3, 0], &named).unwrap_err();
    assert!(error.to_string().contains("needs a preset dictionary"), "{error}");
}

#[test]
fn lzma_alone_is_read() {
    for input in inputs() {
        for command in [
            "xz --format=lzma -0 -c",
            "xz --format=lzma -1 -c",
            "xz --format=lzma --lzma1=preset=0,dict=768KiB -c",
        ] {
            let coded = pipe(command, &input);
            assert!(decompress(&coded).unwrap() == input, "`{command}`, {} bytes", input.len());
            // As for xz, nothing can follow.
            let error = decompress(&[&coded[..], &coded].concat()).unwrap_err();
            assert!(matches!(error, Error::TrailingGarbage { .. }), "{error}");
        }
    }
    // A length that is known, and no end marker: that of the SDK's encoder.
    let mut sized = pipe("xz --format=lzma -c", b"three in the morning");
    sized[5..13].copy_from_slice(&20_u64.to_le_bytes());
    assert_eq!(decompress(&sized).unwrap(), b"three in the morning");
    sized[5] = 21;
    assert!(decompress(&sized).is_err());
    // A dictionary beyond the limit.
    let mut greedy = pipe("xz --format=lzma -c", b"three in the morning");
    greedy[1..5].copy_from_slice(&(1_u32 << 31).to_le_bytes());
    assert!(matches!(decompress(&greedy), Err(Error::Memory { .. })));
}

/// A stream of each format, and whether a length or check would tell that it is not whole.
fn samples(input: &[u8]) -> [(&'static str, Vec<u8>, bool); 6] {
    [
        ("lzw", pipe("compress -c -f", input), false),
        ("pack", pack(input), true),
        ("lzh", lzh(input, 700), true),
        ("zip", pipe("zip -q -fz- - -", input), true),
        ("zlib", pipe("pigz -z", input), true),
        ("lzma", pipe("xz --format=lzma -c", input), true),
    ]
}

const ALL: &[Format] = &[Format::Lzw, Format::Pack, Format::Lzh, Format::Zip, Format::Zlib, Format::Lzma];

#[test]
fn a_stream_cut_anywhere_is_found_out_where_that_can_be() {
    let input = plain::text(3_000);
    let options = decode!(Decode::builder(), accept: ALL);
    for (format, coded, has_end) in samples(&input) {
        // What the archive has behind the entry is not read.
        let needed = if format == "zip" {
            coded.windows(4).position(|at| at == b"PK\x01\x02").unwrap()
        } else {
            coded.len()
        };
        for len in places(needed) {
            let (back, result) = decoded(&coded[..len], &options);
            assert!(input.starts_with(&back), "{format} cut at {len}: wrong bytes");
            match result {
                Ok(_) => assert!(!has_end, "{format} cut at {len} passes for whole"),
                Err(Error::Truncated { offset, .. }) => assert_eq!(offset, len as u64, "{format}"),
                Err(Error::Empty) => assert_eq!(len, 0),
                Err(Error::NotCompressed { .. }) => assert!(len < 12, "{format} cut at {len}"),
                Err(error) => panic!("{format} cut at {len}: {error}"),
            }
        }
    }
}

#[test]
fn damage_is_judged_as_gzip_does() {
    let input = [plain::text(2_000), vec![b'x'; 500], plain::random(300)].concat();
    let options = |threads| decode!(Decode::builder(), accept: ALL, unknown: Unknown::Ignore, threads);
    let mut random = Random(11);
    for (format, coded, _) in samples(&input) {
        let end = fuzz_end();
        let mut round = 0;
        while round < 60 || end.is_some_and(|end| Instant::now() < end) {
            round += 1;
            let state = random.0;
            let mut damaged = coded.clone();
            let at = random.below(damaged.len() as u64) as usize;
            damaged[at] = random.next() as u8;
            if round % 6 == 0 {
                // Behind the magic number anything.
                damaged[3..].iter_mut().for_each(|byte| *byte = random.next() as u8);
            }
            if random.below(8) == 0 {
                damaged.truncate(1 + random.below(damaged.len() as u64) as usize);
            }
            let back = decompress_with(&damaged, &options(1));
            let (mut other, step) = (Vec::new(), 1 + random.below(300) as usize);
            let several =
                Decompress::new(&options(3)).run(Input::reader(Dribble::new(&damaged, step)), &mut other);
            assert_eq!(several.is_ok(), back.is_ok(), "{format}, state {state}");
            let Ok(back) = back else {
                // LZH has no check; gzip reads on behind its end, and before its beginning.
                assert!(
                    format == "lzh" || gunzip(&damaged).is_none(),
                    "{format}, state {state}: gzip takes it"
                );
                continue;
            };
            assert!(back == other, "{format}, state {state}");
            if !["zlib", "lzma"].contains(&format) {
                assert!(
                    gunzip(&damaged).is_some_and(|plain| plain == back),
                    "{format}, state {state}: gzip does not"
                );
            }
        }
    }
}

#[test]
fn a_member_of_unknown_method_is_neither_data_nor_garbage() {
    let member = compress(b"x", &small(Format::Gzip));
    let other = [0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 3, 3, 0];
    for unknown in [Unknown::Refuse, Unknown::Ignore, Unknown::Copy] {
        for coded in [&other[..], &[&member[..], &other].concat()] {
            let error = decompress_with(coded, &decode!(Decode::builder(), unknown)).unwrap_err();
            assert!(error.to_string().contains("compressed by method 7"), "{error}");
            assert!(!run("gzip -dcf", coded).status.success());
        }
    }
}

#[test]
fn they_are_read_and_not_written() {
    for format in [Format::Lzma, Format::Lzw, Format::Pack, Format::Lzh, Format::Qpress] {
        let error = Encode::builder(format).build().unwrap_err();
        assert!(matches!(error, Error::NotWritten { .. }), "{format}: {error}");
        assert_eq!((format.levels().count(), format.fast_levels()), (0, None), "{format}");
        assert!(format.suffix().starts_with('.'), "{format}");
    }
}

#[test]
fn the_first_gzip_of_all_is_read() {
    // Its magic number was another; all else is the same.
    let mut coded = pipe("gzip -c", b"three in the morning");
    coded[1] = 0x9e;
    assert_eq!(decompress(&coded).unwrap(), b"three in the morning");
    assert_eq!(gunzip(&coded).unwrap(), b"three in the morning");
}
