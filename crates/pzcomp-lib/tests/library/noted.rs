//! Random reads of gzip without an index: they note restart points, and later reads begin there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use pzcomp::{
    Decode, Decompress, Encode, Format, Index, IndexFormat, Layout, Member, Progress, ReadAt, Seekable,
    Unknown,
};

use crate::common::compress;
use crate::common::plain::{self, Random};

/// One member, as gzip writes it, with plain data of several points.
fn member(data: &[u8]) -> Vec<u8> {
    let layout = Layout::Single(Member::default());
    compress(data, &encode!(Encode::builder(Format::Gzip), layout, level: 1))
}

/// A file that counts what is read of it.
#[derive(Clone)]
struct Counted(Arc<Vec<u8>>, Arc<AtomicU64>);

impl Counted {
    fn new(coded: Vec<u8>) -> Self {
        Self(Arc::new(coded), Arc::default())
    }

    fn count(&self) -> u64 {
        self.1.swap(0, Ordering::Relaxed)
    }
}

impl ReadAt for Counted {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let read = ReadAt::read_at(&*self.0, buffer, offset)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }

    fn size(&self) -> std::io::Result<u64> {
        self.0.size()
    }
}

fn compare<R: ReadAt + 'static>(seekable: &Seekable<R>, data: &[u8], rounds: usize) {
    let mut random = Random(5);
    for _ in 0..rounds {
        let offset = random.below(data.len() as u64 + 10) as usize;
        let mut found = vec![0; 70_000];
        let read = seekable.read_at(&mut found, offset as u64).unwrap();
        let offset = offset.min(data.len());
        assert!(
            found[..read] == data[offset..(offset + 70_000).min(data.len())],
            "{read} bytes from {offset}"
        );
    }
}

#[test]
fn reads_after_the_first_pass_begin_at_the_nearest_point() {
    let data = plain::text(12_000_000);
    let file = Counted::new(member(&data));
    let seekable = Seekable::new(file.clone()).unwrap();
    assert!(seekable.notes_points());
    let mut found = [0; 100];
    assert_eq!(seekable.read_at(&mut found, 11_900_000).unwrap(), 100);
    assert!(found[..] == data[11_900_000..11_900_100]);
    let all = file.0.len() as u64;
    assert!(file.count() > all / 2);
    for offset in [3_000_000, 9_000_000, 5_000_000] {
        seekable.read_at(&mut found, offset).unwrap();
        assert!(found[..] == data[offset as usize..offset as usize + 100]);
        // An interval is a twelfth of the data.
        let count = file.count();
        assert!(count < all / 3, "{count} of {all} bytes for a read at {offset}");
    }
    compare(&seekable, &data, 40);
}

#[test]
fn many_members_and_other_data_behind_them_are_read_too() {
    let data = plain::text(9_000_000);
    let (first, second) = (&data[..2_500_000], &data[2_500_000..7_000_000]);
    let two = [member(first), member(second)].concat();
    compare(&Seekable::new(two.clone()).unwrap(), &data[..7_000_000], 30);
    // Data of another format, or zeros, which no point leads to.
    let zstd = compress(&data[7_000_000..], &encode!(Encode::default(), index: false));
    compare(&Seekable::new([two.clone(), zstd].concat()).unwrap(), &data, 30);
    compare(&Seekable::new([two, vec![0; 1000]].concat()).unwrap(), &data[..7_000_000], 30);
}

#[test]
fn damage_is_an_error_and_the_data_before_it_is_read() {
    let data = plain::text(9_000_000);
    let mut coded = [member(&data[..3_000_000]), member(&data[3_000_000..])].concat();
    let at = coded.len() * 2 / 3;
    coded[at..at + 50].fill(0x5a);
    let seekable = Seekable::new(coded).unwrap();
    let mut found = [0; 100];
    for _ in 0..2 {
        // The damage may look like data, so that only the check at the end finds it.
        assert!(seekable.read_at(&mut found, 9_000_000 + 10).is_err());
        assert_eq!(seekable.read_at(&mut found, 2_000_000).unwrap(), 100);
        assert!(found[..] == data[2_000_000..2_000_100]);
    }
    // What was noted of the damaged frame is forgotten: from its start on it is decoded in order, up to the error.
    let mut rest = vec![0; 7_000_000];
    let mut at = 3_500_000;
    while let Ok(read) = seekable.read_at(&mut rest, at) {
        assert!(read > 0, "damage is not the end of the data");
        at += read as u64;
    }
    assert!(seekable.noted_index().unwrap().is_none());
}

#[test]
fn a_file_that_changes_behind_the_first_pass_gives_no_other_data() {
    struct Changing(Mutex<Vec<u8>>);
    impl ReadAt for &Changing {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
            ReadAt::read_at(&*self.0.lock().unwrap(), buffer, offset)
        }
        fn size(&self) -> std::io::Result<u64> {
            self.0.lock().unwrap().size()
        }
    }
    let data = plain::text(9_000_000);
    let file: &'static Changing = Box::leak(Box::new(Changing(Mutex::new(member(&data)))));
    let seekable = Seekable::new(file).unwrap();
    let mut found = [0; 100];
    seekable.read_at(&mut found, 8_900_000).unwrap();
    {
        let mut coded = file.0.lock().unwrap();
        let middle = coded.len() / 2;
        coded[middle] ^= 1;
    }
    let wrong = (0..90).filter(|&n| {
        let offset = n * 100_000;
        matches!(seekable.read_at(&mut found, offset), Ok(100) if found[..] != data[offset as usize..][..100])
    });
    assert_eq!(wrong.count(), 0);
}

#[test]
fn the_points_are_an_index_when_the_end_was_read() {
    let data = plain::text(7_000_000);
    let coded = member(&data);
    let seekable = Seekable::new(coded.clone()).unwrap();
    assert!(seekable.noted_index().unwrap().is_none());
    seekable.read_at(&mut [0; 10], data.len() as u64).unwrap();
    assert_eq!(seekable.len(), Some(data.len() as u64));
    let mut file = Vec::new();
    seekable.noted_index().unwrap().unwrap().write_to(IndexFormat::Pzi, &mut file).unwrap();
    let index = Index::read_from(&file[..]).unwrap();
    index.verify(&coded, &Decode::default()).unwrap();
    let by_index = Seekable::with_index(coded, index, &Decode::default()).unwrap();
    assert!(by_index.frames().count() >= 3);
    assert!(!by_index.notes_points());
    compare(&by_index, &data, 20);
}

#[test]
fn threads_read_at_the_same_time_and_little_memory_is_enough() {
    let data = plain::text(6_000_000);
    let coded = member(&data);
    let little = decode!(Decode::builder(), threads: 1, memory: 64 << 20);
    for options in [Decode::default(), little] {
        let seekable = Seekable::with_options(coded.clone(), &options).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| compare(&seekable, &data, 15));
            }
        });
    }
}

#[test]
fn a_pass_is_cancelled_and_one_that_waits_ends_with_its_reader() {
    let data = plain::text(40_000_000);
    let coded = member(&data);
    let progress = Progress::default();
    let options = decode!(Decode::builder(), progress: progress.clone());
    let seekable = Seekable::with_options(coded.clone(), &options).unwrap();
    progress.cancel();
    assert!(seekable.read_at(&mut [0; 10], 39_000_000).is_err());
    // The scan stops some MiB behind the read, and waits.
    let seekable = Seekable::new(coded).unwrap();
    seekable.read_at(&mut [0; 10], 2_000_000).unwrap();
    drop(seekable);
}

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
