//! The stages by themselves, as a parallel decoder uses them: tables noted by a scan, blocks decoded in any order, and
//! a ring that goes round many times.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use common::{Random, Setting, compress, decode_in_pieces, text};
use pzcomp_zstd::{
    BLOCK_HEADER_LEN, Block, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Error, Executor,
    Format, FrameHeader, Lent, Ring, StreamDecoder, TableContext,
};
use zstd_safe::CParameter;

struct Scanned<'a> {
    header: BlockHeader,
    bytes: &'a [u8],
    tables: TableContext,
}

impl Scanned<'_> {
    /// The block behind stage 1.
    fn for_execution<'a>(
        &'a self,
        frame: &FrameHeader,
        decoder: &mut BlockDecoder,
        decoded: &'a mut DecodedBlock,
    ) -> Block<'a> {
        match self.header.kind {
            BlockKind::Raw => Block::Raw(self.bytes),
            BlockKind::Rle => Block::Rle(self.bytes[0], self.header.size),
            BlockKind::Compressed => {
                let (bytes, tables) = (self.bytes, &self.tables);
                let coded = CodedBlock { bytes, tables, block_len_max: frame.block_len_max() };
                decoder.decode(coded, decoded).unwrap();
                Block::Decoded(decoded)
            }
        }
    }
}

fn scan(coded: &[u8]) -> (FrameHeader, Vec<Scanned<'_>>) {
    let frame = FrameHeader::parse(coded, Format::Magic).unwrap().unwrap();
    let (mut at, mut tables, mut blocks) = (frame.header_len, TableContext::new(), Vec::new());
    loop {
        let header = BlockHeader::parse(*coded[at..].first_chunk().unwrap(), frame.block_len_max()).unwrap();
        at += BLOCK_HEADER_LEN;
        let bytes = &coded[at..at + header.coded_len()];
        at += bytes.len();
        blocks.push(Scanned { header, bytes, tables });
        if header.kind == BlockKind::Compressed {
            tables.scan(bytes, frame.block_len_max()).unwrap();
        }
        if header.is_last {
            return (frame, blocks);
        }
    }
}

#[test]
fn blocks_in_any_order_then_a_ring() {
    let plain = text(30_000_000, 1);
    for level in [1, 3, 6] {
        let parameters = [CParameter::CompressionLevel(level), CParameter::WindowLog(17 + level as u32 % 4)];
        let coded = compress(&plain, &parameters);
        let (frame, blocks) = scan(&coded);
        let mut decoder = BlockDecoder::new();
        let mut decoded: Vec<DecodedBlock> = blocks.iter().map(|_| DecodedBlock::new()).collect();
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        let mut random = Random(level as u64);
        for at in 0..order.len() {
            order.swap(at, random.below(at + 1));
        }
        for pair in order.chunks(2) {
            let mut of = |number: usize| {
                let Scanned { header, bytes, tables } = &blocks[number];
                let coded = CodedBlock { bytes, tables, block_len_max: frame.block_len_max() };
                (header.kind == BlockKind::Compressed).then(|| (coded, std::mem::take(&mut decoded[number])))
            };
            let taken: Vec<_> = pair.iter().map(|&number| of(number)).collect();
            let done: Vec<Option<DecodedBlock>> = match <[_; 2]>::try_from(taken) {
                Ok([Some((a, mut to_a)), Some((b, mut to_b))]) => {
                    let (a, b) = decoder.decode_two((a, &mut to_a), (b, &mut to_b));
                    assert_eq!((a, b), (Ok(()), Ok(())));
                    vec![Some(to_a), Some(to_b)]
                }
                taken => {
                    let taken = taken.map_or_else(|few| few, Vec::from);
                    let alone = taken.into_iter().map(|one| {
                        one.map(|(coded, mut to)| {
                            assert_eq!(decoder.decode(coded, &mut to), Ok(()));
                            to
                        })
                    });
                    alone.collect()
                }
            };
            for (&number, done) in pair.iter().zip(done) {
                decoded[number] = done.unwrap_or_default();
            }
        }
        let (mut executor, mut ring, mut at) = (Executor::new(&frame, None), Ring::new(), 0);
        for (Scanned { header, bytes, .. }, decoded) in blocks.iter().zip(&decoded) {
            let block = match header.kind {
                BlockKind::Raw => Block::Raw(bytes),
                BlockKind::Rle => Block::Rle(bytes[0], header.size),
                BlockKind::Compressed => Block::Decoded(decoded),
            };
            ring.run(&mut executor, block).unwrap();
            assert!(ring.fresh() == &plain[at..at + block.len()], "-{level} at {at}");
            ring.forget_fresh();
            at += block.len();
        }
        assert_eq!(at, plain.len());
        assert!(ring.memory() as u64 <= Ring::memory_max(&frame) && ring.memory() < 10 << 20);
    }
}

/// A ring that goes round many times: a window of 128 KiB, and 30 MB of text with some bytes that do not compress.
fn rounds() -> (Vec<u8>, Vec<u8>) {
    let mut plain = text(30_000_000, 5);
    let mut random = Random(6);
    for part in plain.chunks_mut(1_000_003) {
        part[..200_000].fill_with(|| random.below(256) as u8);
    }
    let coded = compress(&plain, &[CParameter::CompressionLevel(1), CParameter::WindowLog(17)]);
    (plain, coded)
}

/// Calls `put` for each block of a frame, decoded.
fn for_each_block(coded: &[u8], mut put: impl FnMut(&mut Executor, Block<'_>)) {
    let (frame, blocks) = scan(coded);
    let (mut executor, mut decoder, mut decoded) =
        (Executor::new(&frame, None), BlockDecoder::new(), DecodedBlock::new());
    for scanned in &blocks {
        let block = scanned.for_execution(&frame, &mut decoder, &mut decoded);
        put(&mut executor, block);
    }
}

#[test]
fn what_a_ring_lends_stays_as_it_is_whenever_it_comes_back() {
    let (plain, coded) = rounds();
    for seed in 0..6 {
        let (mut random, mut ring, mut held, mut at) = (Random(seed), Ring::new(), Vec::new(), 0);
        let mut renewed = 0;
        for_each_block(&coded, |executor, block| {
            let len = block.len();
            if ring.starts_over(executor) {
                held.push((ring.lend(), at));
            }
            // Some wait until the block has a place. Others go on, and the ring takes other memory.
            while !ring.is_ready(executor, len) && seed % 2 == 0 {
                held.swap_remove(random.below(held.len()));
            }
            renewed += usize::from(!ring.is_ready(executor, len));
            ring.run(executor, block).unwrap();
            at += len;
            match random.below(4) {
                0 => {
                    let fresh = ring.fresh();
                    assert!(fresh == &plain[at - fresh.len()..at]);
                    ring.forget_fresh();
                }
                1 => {}
                _ => held.push((ring.lend(), at)),
            }
            if held.len() > 20 {
                let (lent, end) = held.swap_remove(random.below(held.len()));
                assert!(lent[..] == plain[end - lent.len()..end], "seed {seed} at {at}");
            }
        });
        assert!(at == plain.len() && (renewed > 0) == (seed % 2 == 1), "seed {seed}: {renewed}");
        for (lent, end) in held {
            assert!(lent[..] == plain[end - lent.len()..end]);
        }
    }
}

#[test]
fn what_is_lent_stays_as_it_is_whatever_is_done_to_the_ring() {
    let plain = text(6_000_000, 8);
    let coded = [10, 17, 21].map(|log| {
        compress(
            &plain,
            &[
                CParameter::CompressionLevel(1),
                CParameter::WindowLog(log),
                CParameter::ContentSizeFlag(false),
            ],
        )
    });
    let frames = coded.each_ref().map(|coded| scan(coded));
    for seed in 0..8 {
        let (mut random, mut ring, mut held) = (Random(seed), Ring::new(), Vec::<(Lent, Vec<u8>)>::new());
        let (mut decoder, mut decoded) = (BlockDecoder::new(), DecodedBlock::new());
        let mut executors = frames.each_ref().map(|(frame, _)| (Executor::new(frame, None), 0));
        let mut number = 0;
        for _ in 0..4000 {
            // Mostly one frame goes on. The blocks of another one in the same ring are wrong, but harmless.
            if random.below(50) == 0 {
                number = random.below(3);
            }
            let (frame, blocks) = &frames[number];
            let (executor, next) = &mut executors[number];
            if *next == blocks.len() || random.below(400) == 0 {
                (*executor, *next) = (Executor::new(frame, None), 0);
            }
            let block = blocks[*next].for_execution(frame, &mut decoder, &mut decoded);
            *next += 1;
            // It is an error if the ring has too little before the block, or something that was not taken.
            let _ = ring.run(executor, block);
            match random.below(12) {
                0 => ring.forget_fresh(),
                1 => ring.take_back(random.below(200_000)),
                2 if random.below(20) == 0 => ring.clear(),
                3 => drop(ring.lend()),
                4..9 => {
                    let lent = ring.lend();
                    let copy = lent.to_vec();
                    held.push((lent, copy));
                }
                _ => {}
            }
            while held.len() > 30 {
                let (lent, copy) = held.swap_remove(random.below(held.len()));
                assert!(lent[..] == copy, "seed {seed}");
            }
        }
        drop(ring);
        assert!(held.iter().all(|(lent, copy)| lent[..] == copy[..]), "seed {seed}");
    }
}

#[test]
fn other_threads_read_what_is_lent_while_the_ring_goes_on() {
    let (plain, coded) = rounds();
    let (sender, receiver) = std::sync::mpsc::channel::<(Lent, usize)>();
    let receiver = std::sync::Mutex::new(receiver);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let (receiver, plain) = (&receiver, &plain);
            scope.spawn(move || {
                loop {
                    let received = receiver.lock().unwrap().recv();
                    let Ok((lent, end)) = received else { return };
                    assert!(lent[..] == plain[end - lent.len()..end]);
                }
            });
        }
        let (mut ring, mut at) = (Ring::new(), 0);
        for_each_block(&coded, |executor, block| {
            let len = block.len();
            while !ring.is_ready(executor, len) {
                std::thread::yield_now();
            }
            ring.run(executor, block).unwrap();
            at += len;
            sender.send((ring.lend(), at)).unwrap();
        });
        drop(sender);
        assert_eq!(at, plain.len());
        assert!(ring.memory() < 6 << 20, "no other memory was needed");
    });
}

#[test]
fn a_long_frame_in_pieces() {
    // Matches reach as far as the window does, across the end of the ring.
    let unit = text(700_000, 2);
    let plain: Vec<u8> =
        (0..40_u8).flat_map(|number| [&unit[usize::from(number)..], &[number]].concat()).collect();
    let parameters = [
        CParameter::WindowLog(20),
        CParameter::EnableLongDistanceMatching(true),
        CParameter::ChecksumFlag(true),
    ];
    let coded = compress(&plain, &parameters);
    let mut random = Random(3);
    for most in [10, 70_000] {
        let decoded = decode_in_pieces(&coded, &Setting::default(), || 1 + random.below(most));
        assert!(decoded.as_ref() == Ok(&plain), "{:?}", decoded.err());
    }
}

#[test]
fn a_window_above_the_limit_is_refused_with_the_figure() {
    let coded = common::encoder::header(14 << 3, None, false);
    let mut decoder = StreamDecoder::new(Format::Magic, None, 8 << 20);
    let refused = decoder.feed(&coded);
    assert_eq!(refused, Err(Error::WindowTooLarge { needed: 16 << 20, limit: 8 << 20 }));
    // A claim costs no memory: two gigabytes of window, and a few bytes.
    let mut coded = common::encoder::header(21 << 3, None, false);
    coded.extend(common::encoder::block(0, 3, b"abc", true));
    let mut ring = Ring::new();
    let frame = FrameHeader::parse(&coded, Format::Magic).unwrap().unwrap();
    assert_eq!(frame.window_size, 2 << 30);
    ring.run(&mut Executor::new(&frame, None), Block::Raw(b"abc")).unwrap();
    assert!(ring.memory() < 1000);
    assert!(ring.is_ready(&Executor::new(&frame, None), usize::MAX), "nothing is lent");
    assert_eq!(decode_in_pieces(&coded, &Setting::default(), || 100), Ok(b"abc".to_vec()));
}

#[test]
fn a_failed_block_has_no_sequences() {
    let coded = compress(&text(5000, 1), &[]);
    let (frame, blocks) = scan(&coded);
    let (mut decoder, mut decoded) = (BlockDecoder::new(), DecodedBlock::new());
    let Scanned { bytes, tables, .. } = &blocks[0];
    let whole = CodedBlock { bytes, tables, block_len_max: frame.block_len_max() };
    assert_eq!(decoder.decode(whole, &mut decoded), Ok(()));
    assert!(decoded.sequence_count() > 0 && decoded.len() == 5000);
    let cut = CodedBlock { bytes: &bytes[1..], ..whole };
    assert!(decoder.decode(cut, &mut decoded).is_err());
    assert_eq!((decoded.sequence_count(), decoded.len(), decoded.literals().len()), (0, 0, 0));
}

#[test]
fn a_block_that_was_never_decoded_is_empty() {
    let (frame, _) = scan(&compress(b"three", &[]));
    let mut executor = Executor::new(&frame, None);
    assert_eq!(executor.run(Block::Decoded(&DecodedBlock::new()), &mut [0; 5]), Ok(()));
    assert_eq!(executor.produced(), 0);
}

#[test]
fn the_scan_takes_any_bytes() {
    let mut random = Random(5);
    let mut tables = TableContext::new();
    for _ in 0..100_000 {
        let block: Vec<u8> = (0..random.skewed(60)).map(|_| random.next() as u8).collect();
        let _ = tables.scan(&block, 128 << 10);
    }
}

/// `pzcomp -M` counts on it.
#[test]
fn a_decoded_block_has_no_more_memory_than_the_largest_block_needs() {
    let literals = |len: u32| [&(1 | 3 << 2 | len << 4).to_le_bytes()[..3], b"a", &[0]].concat();
    // Sequences without literals that repeat an offset: all three codes are always zero.
    let sequences = |count: u16| {
        let [low, high] = (count - 0x7F00).to_le_bytes();
        vec![0, 0xFF, low, high, 0x54, 0, 0, 0, 1]
    };
    let (mut decoder, mut decoded) = (BlockDecoder::new(), DecodedBlock::new());
    let tables = TableContext::new();
    for bytes in [literals(114_000), literals(131_072), sequences(40_000), sequences(43_690)] {
        let coded = CodedBlock { bytes: &bytes, tables: &tables, block_len_max: 128 << 10 };
        decoder.decode(coded, &mut decoded).unwrap();
    }
    assert!(decoded.memory() < 512 << 10, "{} bytes", decoded.memory());
}
