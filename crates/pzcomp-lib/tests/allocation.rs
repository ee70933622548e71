//! Nothing is allocated for a chunk once a stream runs: four times the chunks, as many allocations.
//!
//! This is a binary of its own, because it counts with its own allocator. There is no peer. To add a case, give the
//! layout and the format to the table of the test.
#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

#[path = "../../../src/bench/text.rs"]
mod text;

use std::alloc::{GlobalAlloc, Layout as Shape, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pzcomp::{Compress, Decode, Decompress, Encode, Format, Input, Layout, Member};

/// The system's allocator, counted.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Held by the test that counts.
static TURN: Mutex<()> = Mutex::new(());

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Shape) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Shape) {
        // SAFETY: the memory came from the same allocator with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of Rust code while `what` runs; the C codecs have an allocator of their own.
fn allocations(what: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    what();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

const CHUNK_LEN: usize = 128 << 10;

/// Half an allocation for each of the other chunks. The queue of jobs takes a block for 31 of them, the index grows now
/// and then, and the longer a stream runs, the more slabs have been in use at once.
const SMALL_CHANGE: usize = 96;

#[test]
fn four_times_the_chunks_need_no_more_allocations() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let data = text::text(256 * CHUNK_LEN, 7);
    // xz allocates once for each chunk still.
    for format in [Format::Zstd, Format::Gzip, Format::Lz4] {
        let builder = Encode::builder(format).level(1).threads(2).block_size(CHUNK_LEN);
        let options = builder.build().unwrap();
        let compress = |chunks: usize| {
            let mut coded = Vec::with_capacity(2 * data.len());
            let plain = &data[..chunks * CHUNK_LEN];
            let count = allocations(|| {
                let summary = Compress::new(&options).run(Input::reader(plain), &mut coded).unwrap();
                assert_eq!(summary.frames, chunks as u64);
            });
            (count, coded)
        };
        let ((few, coded_few), (many, coded_many)) = (compress(64), compress(256));
        assert!(many <= few + SMALL_CHANGE, "{format} compress: {few} for 64 chunks, {many} for 256");
        let reading = Decode::builder().threads(2).build().unwrap();
        let decompress = |coded: &[u8]| {
            let mut plain = Vec::with_capacity(data.len());
            allocations(|| drop(Decompress::new(&reading).run(Input::reader(coded), &mut plain).unwrap()))
        };
        let (few, many) = (decompress(&coded_few), decompress(&coded_many));
        assert!(many <= few + SMALL_CHANGE, "{format} decompress: {few} for 64 chunks, {many} for 256");
    }
}

/// Several workers share one member or frame, and hand windows, headers and checksums on to each other.
#[test]
fn four_times_the_parts_of_a_shared_frame_need_no_more_allocations() {
    const PART_LEN: usize = 1 << 20;
    const FEW: usize = 32;
    // Less than one allocation for each of the other parts. The longer a stream runs, the more slabs have been in use
    // at once, and each new slab takes two allocations.
    const NEW_SLABS: usize = 2 * FEW;
    // On a busy machine a worker that has to wait leaves more slabs in use. An allocation for each part is in every
    // run, so the best of some runs shows it as well.
    const RUNS: usize = 8;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let data = text::text(4 * FEW * PART_LEN, 11);
    let gzip = |plain: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(1));
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    };
    let lz4 = |plain: &[u8]| {
        let layout = Layout::Single(Member::new());
        let options = Encode::builder(Format::Lz4).layout(layout).build().unwrap();
        let mut coded = Vec::new();
        Compress::new(&options).run(Input::reader(plain), &mut coded).unwrap();
        coded
    };
    let decompress = |coded: &[u8]| {
        let mut plain = Vec::with_capacity(data.len());
        let options = Decode::builder().threads(4).build().unwrap();
        let count =
            allocations(|| drop(Decompress::new(&options).run(Input::reader(coded), &mut plain).unwrap()));
        assert!(data.starts_with(&plain));
        count
    };
    for (what, coded) in [("gzip", &gzip as &dyn Fn(&[u8]) -> Vec<u8>), ("lz4", &lz4)] {
        let (coded_few, coded_many) = (coded(&data[..FEW * PART_LEN]), coded(&data));
        let few = decompress(&coded_few);
        let mut runs = (0..RUNS).map(|_| decompress(&coded_many));
        let fits = runs.any(|many| many <= few + NEW_SLABS);
        assert!(
            fits,
            "{what}: {few} for {FEW} MiB, over {NEW_SLABS} more for four times as much, in {RUNS} runs"
        );
    }
}

/// A decoder holds memory for each block that waits. Short blocks need little of it.
#[test]
fn short_blocks_of_a_shared_frame_need_little_memory_each() {
    const BLOCKS: usize = 200_000;
    // What all slabs, pieces and the ring take.
    const BUFFERS: usize = 48 << 20;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // A frame without its length and a window of 2 MiB. A compressed block of one literal and no sequences.
    let mut coded = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x58];
    let block = [3 << 3 | 4, 0, 0, 1 << 3, b'a', 0];
    coded.extend(block.repeat(BLOCKS));
    coded.extend([1, 0, 0]);
    let options = Decode::builder().threads(2).build().unwrap();
    let mut plain = Vec::with_capacity(2 * BLOCKS);
    let before = BYTES.load(Ordering::Relaxed);
    Decompress::new(&options).run(Input::reader(&coded[..]), &mut plain).unwrap();
    let bytes = BYTES.load(Ordering::Relaxed) - before;
    assert!(plain == b"a".repeat(BLOCKS));
    assert!(bytes < BUFFERS, "{bytes} bytes were allocated for {BLOCKS} blocks");
}
