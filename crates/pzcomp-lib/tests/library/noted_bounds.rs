//! Random reads of hostile gzip without an index: a pass that notes points has bounds, and ends where decoding in order
//! ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pzcomp::{Decode, Decompress, Encode, Format, Layout, Member, Progress, ReadAt, Seekable, Unknown};

use crate::common::{compress, plain};

/// A member of one block, which is cut off: many repetitions of 258 zeros.
fn endless(coded_len: usize) -> Vec<u8> {
    let (mut coded, mut bits, mut count) = (vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], 0_u64, 0);
    let mut put = |value: u64, len: u32| {
        bits |= value << count;
        count += len;
        while count >= 8 {
            coded.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
        coded.len()
    };
    // The last block, with the fixed code, and a zero in it.
    put(0b011, 3);
    put(0b0000_1100, 8);
    // Length 258 and distance 1.
    while put(0b0_0000_1010_0011, 13) < coded_len {}
    coded
}

/// A file that cancels when it is read behind a place, and notes how far it is read.
struct Cancelling {
    coded: Vec<u8>,
    at: u64,
    progress: Progress,
    is_open: AtomicBool,
    farthest: AtomicU64,
}

impl ReadAt for &Cancelling {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        // Opening reads the end of the file.
        if self.is_open.load(Ordering::Relaxed) {
            self.farthest.fetch_max(offset, Ordering::Relaxed);
            if offset >= self.at {
                self.progress.cancel();
            }
        }
        ReadAt::read_at(&self.coded, buffer, offset)
    }

    fn size(&self) -> std::io::Result<u64> {
        self.coded.size()
    }
}

/// A block can have data without end, and the pass notes nothing before its end.
#[test]
fn a_pass_is_cancelled_inside_a_block() {
    let progress = Progress::default();
    let options = decode!(Decode::builder(), progress: progress.clone());
    let (coded, is_open, farthest) = (endless(4 << 20), AtomicBool::new(false), AtomicU64::new(0));
    let file: &'static Cancelling =
        Box::leak(Box::new(Cancelling { coded, at: 1 << 20, progress, is_open, farthest }));
    let seekable = Seekable::with_options(file, &options).unwrap();
    file.is_open.store(true, Ordering::Relaxed);
    assert!(seekable.read_at(&mut [0; 10], 1 << 40).is_err());
    let farthest = file.farthest.load(Ordering::Relaxed);
    assert!((1 << 20..2 << 20).contains(&farthest), "read up to {farthest}");
}

/// Each member has a point without a window, so a limit for windows alone would not bound them.
#[test]
fn points_of_short_members_take_bounded_memory() {
    let layout = Layout::Single(Member::default());
    let member = compress(b"three more", &encode!(Encode::builder(Format::Gzip), layout));
    let options = decode!(Decode::builder(), memory: 64 << 20);
    let seekable = Seekable::with_options(member.repeat(250_000), &options).unwrap();
    let mut found = [0; 10];
    assert_eq!(seekable.read_at(&mut found, 2_499_995).unwrap(), 5);
    assert!(found.starts_with(b" more"));
    assert_eq!(seekable.read_at(&mut found, 2_500_000).unwrap(), 0);
    // A quarter of the memory has no room for all of them. Members behind the last point were decoded in order.
    assert!(seekable.noted_index().unwrap().is_none());
}

#[test]
fn zeros_behind_members_are_data_if_unknown_bytes_are_copied() {
    let layout = Layout::Single(Member::default());
    let options = encode!(Encode::builder(Format::Gzip), layout, level: 1);
    let mut coded = compress(&plain::text(3_000_000), &options);
    coded.extend([0; 5000]);
    for unknown in [Unknown::Refuse, Unknown::Ignore, Unknown::Copy, Unknown::CopyWhole] {
        let options = decode!(Decode::builder(), unknown);
        let mut expected = Vec::new();
        Decompress::new(&options).run(&coded, &mut expected).unwrap();
        let seekable = Seekable::with_options(coded.clone(), &options).unwrap();
        for offset in [2_999_990, 1_500_000, 3_004_990, 3_010_000] {
            let mut found = vec![1; 10_000];
            let read = seekable.read_at(&mut found, offset).unwrap();
            let start = expected.len().min(offset as usize);
            let right = &expected[start..expected.len().min(start + 10_000)];
            assert!(found[..read] == *right, "{unknown:?}: {read} bytes at {offset}");
        }
        assert_eq!(seekable.measure().unwrap(), expected.len() as u64, "{unknown:?}");
    }
}
