//! `Seekable`: any range of the plain data, from any format, by whatever leads to its frames.
//!
//! The plain data is known, so each range that is read is compared with it. A wrong table of frames must give an error
//! or the right bytes.

use std::io::{BufRead, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pzcomp::{Decode, Encode, Format, Layout, Member, ReadAt, ReadSeek, Seekable};

use crate::common::plain::Random;
use crate::common::{compress, flipped, pipe, plain, small};

/// Coded data of every format and of several layouts, all of the same plain data.
fn coded_forms(data: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut forms = Vec::new();
    for format in Format::all() {
        forms.push((format!("{format}"), compress(data, &small(format))));
        forms
            .push((format!("{format} without index"), compress(data, &encode!(small(format), index: false))));
        let two = [
            compress(&data[..data.len() / 3], &small(format)),
            compress(&data[data.len() / 3..], &small(format)),
        ];
        forms.push((format!("{format} twice"), two.concat()));
    }
    let single = Layout::Single(Member::default());
    for format in [Format::Gzip, Format::Bzip2, Format::Zstd, Format::Lz4] {
        let options = encode!(Encode::builder(format), layout: single.clone(), threads: 2);
        forms.push((format!("one {format}"), compress(data, &options)));
    }
    let bgzf = encode!(Encode::builder(Format::Gzip), layout: Layout::Bgzf);
    forms.push(("BGZF".into(), compress(data, &bgzf)));
    let mixed = [
        compress(&data[..data.len() / 2], &small(Format::Zstd)),
        compress(&data[data.len() / 2..], &small(Format::Xz)),
    ];
    forms.push(("zstd and xz".into(), mixed.concat()));
    for tool in [
        "gzip -1",
        "bzip2 -1",
        "xz -0 --block-size=70000",
        "xz -0",
        "zstd -q -1",
        "lz4 -q -1",
        "lz4 -q -1 -BD",
    ] {
        forms.push((tool.into(), pipe(tool, data)));
    }
    forms
}

/// Reads ranges at random, and compares them with the plain data.
fn compare<R: ReadAt + 'static>(
    name: &str,
    seekable: &Seekable<R>,
    data: &[u8],
    random: &mut Random,
    rounds: usize,
) {
    for round in 0..rounds {
        let offset = random.below(data.len() as u64 + 10) as usize;
        let len = random.below(if round % 4 == 0 { data.len() as u64 } else { 3000 }) as usize;
        let mut found = vec![0; len];
        let read =
            seekable.read_at(&mut found, offset as u64).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = &data[offset.min(data.len())..(offset + len).min(data.len())];
        assert!(found[..read] == *expected, "{name}: {len} bytes from {offset}, {read} read");
    }
}

#[test]
fn every_format_is_read_from_any_place() {
    let data = plain::text(700_000);
    for (name, coded) in coded_forms(&data) {
        for threads in [1, 3] {
            let options = decode!(Decode::builder(), threads);
            let mut seekable = Seekable::with_options(coded.clone(), &options).unwrap();
            compare(&name, &seekable, &data, &mut Random(7), 12);
            if let Some(len) = seekable.len() {
                assert_eq!(len, data.len() as u64, "{name}");
            }
            assert_eq!(seekable.measure().unwrap(), data.len() as u64, "{name}");
            let mut all = Vec::new();
            seekable.read_to_end(&mut all).unwrap();
            assert!(all == data, "{name}");
            seekable.seek(SeekFrom::End(-1000)).unwrap();
            all.clear();
            seekable.read_to_end(&mut all).unwrap();
            assert!(all == data[data.len() - 1000..], "{name}");
        }
    }
}

#[test]
fn the_frames_are_listed_with_their_places() {
    let data = plain::text(300_000);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Lzip] {
        for index in [true, false] {
            let coded = compress(&data, &encode!(small(format), index));
            let seekable = Seekable::new(coded.clone()).unwrap();
            assert_eq!(seekable.len(), Some(data.len() as u64), "{format}");
            let (mut plain, mut end) = (0, 0);
            for frame in seekable.frames() {
                assert_eq!(frame.plain_offset, plain, "{format}");
                assert!(frame.coded_offset >= end, "{format}");
                end = frame.coded_offset + frame.coded_len;
                plain += frame.plain_len.unwrap();
            }
            assert_eq!(plain, data.len() as u64, "{format}");
            assert!(end <= coded.len() as u64);
            assert!(seekable.frames().count() >= 2, "{format}");
        }
    }
    let seekable = Seekable::new(pipe("gzip", &data)).unwrap();
    let frames: Vec<_> = seekable.frames().collect();
    assert_eq!((seekable.len(), frames.len(), frames[0].plain_len), (None, 1, None));
}

#[test]
fn threads_read_at_the_same_time() {
    let data = plain::text(900_000);
    for coded in
        [compress(&data, &small(Format::Zstd)), compress(&data, &small(Format::Xz)), pipe("gzip -1", &data)]
    {
        let seekable = Seekable::with_options(coded, &decode!(Decode::builder(), threads: 2)).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (seekable, data) = (&seekable, &data);
                scope.spawn(move || compare("threads", seekable, data, &mut Random(thread), 15));
            }
        });
    }
}

#[test]
fn readers_that_seek_and_lines_are_read() {
    let data = plain::text(400_000);
    let coded = compress(&data, &small(Format::Lz4));
    let mut seekable = Seekable::new(ReadSeek::new(Cursor::new(coded))).unwrap();
    let lines: Vec<&[u8]> = data.split_inclusive(|&byte| byte == b'\n').collect();
    let mut line = Vec::new();
    for expected in &lines {
        line.clear();
        seekable.read_until(b'\n', &mut line).unwrap();
        assert_eq!(&&line[..], expected);
    }
    let start: usize = lines[..3].iter().map(|line| line.len()).sum();
    seekable.seek(SeekFrom::Start(start as u64)).unwrap();
    line.clear();
    seekable.read_until(b'\n', &mut line).unwrap();
    assert_eq!(line, lines[3]);
    assert_eq!(seekable.seek(SeekFrom::Current(-1)).unwrap(), (start + line.len() - 1) as u64);
    assert_eq!(seekable.seek(SeekFrom::Current(-1 << 40)).unwrap_err().kind(), ErrorKind::InvalidInput);
}

/// Counts the bytes that are read of it, and may refuse to be read.
struct Counting {
    bytes: Vec<u8>,
    read: Arc<AtomicU64>,
    broken: Option<ErrorKind>,
}

impl ReadAt for Counting {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        if let Some(kind) = self.broken.filter(|_| offset > 100) {
            return Err(kind.into());
        }
        let read = self.bytes.read_at(buffer, offset)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }

    fn size(&self) -> std::io::Result<u64> {
        self.bytes.size()
    }
}

#[test]
fn a_range_reads_only_its_frames() {
    let data = plain::random(8 << 20);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Lzip] {
        let options = encode!(small(format), block_size: 128 << 10);
        let read = Arc::new(AtomicU64::new(0));
        let source = Counting { bytes: compress(&data, &options), read: read.clone(), broken: None };
        let seekable = Seekable::new(source).unwrap();
        let mut found = [0; 1000];
        seekable.read_at(&mut found, 5_000_000).unwrap();
        assert_eq!(found, data[5_000_000..5_001_000]);
        // One frame, the index, and the headers of the frames before. lzip has no headers that say where members end,
        // so all bytes of the members before are searched, once.
        let bytes = read.load(Ordering::Relaxed);
        let before = if format == Format::Lzip { 5_100_000 } else { 0 };
        assert!(bytes < before + (200 << 10), "{format}: {bytes} bytes were read");
        seekable.read_at(&mut found, 5_000_500).unwrap();
        assert_eq!(read.load(Ordering::Relaxed), bytes, "{format}: the frame is in the cache");
    }
}

#[test]
fn reading_on_in_data_without_frames_does_not_begin_again() {
    let data = plain::text(6 << 20);
    let coded = pipe("gzip -1", &data);
    let read = Arc::new(AtomicU64::new(0));
    let len = coded.len() as u64;
    let source = Counting { bytes: coded, read: read.clone(), broken: None };
    let seekable = Seekable::with_options(source, &decode!(Decode::builder(), threads: 1)).unwrap();
    let mut found = vec![0; 10_000];
    for step in 0..60 {
        let offset = step * 100_000;
        seekable.read_at(&mut found, offset as u64).unwrap();
        assert!(found == data[offset..offset + 10_000]);
    }
    // The feeder looks at the bytes, and a worker decodes them.
    assert!(read.load(Ordering::Relaxed) < 3 * len);
}

#[test]
fn errors_of_the_source_keep_their_kind() {
    for format in [Format::Zstd, Format::Lzip, Format::Bzip2] {
        let bytes = compress(&plain::text(300_000), &encode!(small(format), index: false));
        let source = Counting { bytes, read: Arc::default(), broken: Some(ErrorKind::ConnectionReset) };
        let error = match Seekable::new(source) {
            Ok(seekable) => seekable.read_at(&mut [0; 10], 250_000).unwrap_err(),
            Err(error) => error.into(),
        };
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{format}");
    }
    assert!(matches!(Seekable::new(Vec::new()), Err(pzcomp::Error::Empty)));
    let garbage = Seekable::new(b"no compressed data".to_vec()).unwrap();
    assert_eq!(garbage.read_at(&mut [0], 0).unwrap_err().kind(), ErrorKind::InvalidData);
}

/// Every bit of the index at the end of a file is changed. A read gives an error or the right bytes.
#[test]
fn a_wrong_seek_table_gives_no_wrong_bytes() {
    let data = plain::text(30_000);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz] {
        let options = encode!(small(format), block_size: 8192);
        let coded = compress(&data, &options);
        let frames_end = Seekable::new(coded.clone())
            .unwrap()
            .frames()
            .last()
            .map(|last| last.coded_offset + last.coded_len);
        let start = frames_end.unwrap() as usize;
        for bit in 8 * start..8 * coded.len() {
            let wrong = flipped(&coded, bit / 8, 1 << (bit % 8));
            let Ok(seekable) = Seekable::with_options(wrong, &decode!(Decode::builder(), threads: 1)) else {
                continue;
            };
            for offset in [0, 9000, 20_000, 29_990] {
                let mut found = [0; 10];
                if seekable.read_at(&mut found, offset).is_ok_and(|read| read == 10) {
                    assert_eq!(found, data[offset as usize..][..10], "{format}: bit {bit}");
                }
            }
        }
    }
}

#[test]
fn a_damaged_frame_is_an_error_and_the_others_are_read() {
    let data = plain::text(200_000);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Lzip] {
        let mut coded = compress(&data, &small(format));
        let second = Seekable::new(coded.clone()).unwrap().frames().nth(1).unwrap();
        coded[(second.coded_offset + second.coded_len / 2) as usize] ^= 0x10;
        let seekable = Seekable::new(coded).unwrap();
        let mut found = [0; 100];
        let error = seekable.read_at(&mut found, second.plain_offset + 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{format}");
        seekable.read_at(&mut found, 190_000).unwrap();
        assert_eq!(found, data[190_000..190_100], "{format}");
    }
}

#[test]
fn offsets_in_errors_count_from_the_start_of_the_file() {
    let data = plain::text(200_000);
    let sized = compress(&data, &encode!(small(Format::Zstd), index: false));
    let start = sized.len();
    let mut coded = [sized, pipe("gzip -1", &data)].concat();
    coded[start + 5000] ^= 1;
    let seekable = Seekable::new(coded).unwrap();
    let error = seekable.measure().unwrap_err();
    assert!(matches!(error, pzcomp::Error::Corrupt { offset, .. } if offset >= start as u64), "{error}");
    let mut found = [0; 100];
    seekable.read_at(&mut found, 100_000).unwrap();
    assert_eq!(found, data[100_000..100_100]);
}

#[test]
fn sources_are_files_memory_and_references() {
    let data = plain::text(100_000);
    let coded = compress(&data, &small(Format::Zstd));
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, &coded).unwrap();
    let file = Arc::new(file);
    compare("file", &Seekable::new(file.clone()).unwrap(), &data, &mut Random(1), 5);
    compare("memory", &Seekable::new(Arc::<[u8]>::from(coded.clone())).unwrap(), &data, &mut Random(1), 5);
    let leaked: &'static [u8] = Vec::leak(coded);
    compare("slice", &Seekable::new(leaked).unwrap(), &data, &mut Random(1), 5);
    // Reading has not moved the offset of the file.
    assert_eq!((&*file).stream_position().unwrap(), file.size().unwrap());
}
