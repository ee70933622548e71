//! Output at offsets: [`Output::At`], with threads and without, and what frames say of themselves.

use std::io;
use std::sync::Mutex;

use pzcomp::{
    Compress, Decode, Decompress, Encode, Format, Input, Output, ReadAt, Seekable, Summary, WriteAt,
};

/// Memory that grows, and counts how often each byte is written.
#[derive(Default)]
struct Counted(Mutex<(Vec<u8>, Vec<u8>)>);

impl WriteAt for Counted {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut memory = self.0.lock().unwrap();
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        if memory.0.len() < end {
            memory.0.resize(end, 0);
            memory.1.resize(end, 0);
        }
        memory.0[start..end].copy_from_slice(bytes);
        memory.1[start..end].iter_mut().for_each(|count| *count += 1);
        Ok(())
    }
}

impl Counted {
    fn assert_is(self, expected: &[u8]) {
        let (bytes, counts) = self.0.into_inner().unwrap();
        assert!(bytes == expected, "{} bytes instead of {}", bytes.len(), expected.len());
        assert!(counts.iter().all(|&count| count == 1));
    }
}

/// An output that is full after some bytes.
struct Full(u64);

impl WriteAt for Full {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if offset + bytes.len() as u64 > self.0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

fn data(len: usize) -> Vec<u8> {
    (0..len as u32 / 4).flat_map(|number| (number / 3).to_le_bytes()).collect()
}

#[test]
fn every_byte_is_written_once_at_its_place() {
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Bzip2] {
        for threads in [1, 3] {
            let options = Encode::builder(format).level(1).threads(threads).build().unwrap();
            for plain in [data(0), data(1_000), data(5_000_000)] {
                let coded = Counted::default();
                Compress::new(&options).run(Input::Memory(&plain), Output::At(&coded)).unwrap();
                let expected = pzcomp::compress(&plain, &options).unwrap();
                coded.assert_is(&expected);
                for whole in [false, true] {
                    let found = Counted::default();
                    let done = match whole {
                        true => Decompress::new(&Decode::default()).run(&expected, Output::At(&found)),
                        false => {
                            let input = Input::from(&expected as &dyn ReadAt);
                            Decompress::new(&Decode::default()).run(input, Output::At(&found))
                        }
                    };
                    let Summary { plain_len, coded_len, format: read, .. } = done.unwrap();
                    assert_eq!(
                        (plain_len, coded_len, read),
                        (plain.len() as u64, expected.len() as u64, Some(format))
                    );
                    found.assert_is(&plain);
                }
            }
        }
    }
}

#[test]
fn an_error_of_the_output_is_returned() {
    let options = Encode::zstd(3).threads(2).build().unwrap();
    for len in [10_000, 5_000_000] {
        let coded = pzcomp::compress(&data(len), &options).unwrap();
        let error =
            Decompress::new(&Decode::default()).run(&coded, Output::At(&Full(len as u64 / 2))).unwrap_err();
        let is_full = matches!(&error, pzcomp::Error::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull);
        assert!(is_full, "{error:?}");
    }
}

#[test]
fn damage_in_short_memory_is_an_error() {
    let coded = pzcomp::compress(&data(1_000), &Encode::default()).unwrap();
    let error =
        Decompress::new(&Decode::default()).run(&coded[..coded.len() / 3], Output::At(&Counted::default()));
    assert!(matches!(error, Err(pzcomp::Error::Truncated { .. })), "{error:?}");
}

#[test]
fn a_frame_that_says_that_it_is_a_file_decodes_alone() {
    let plain = data(3_000_000);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Lzip, Format::Xz, Format::Bzip2] {
        let builder = Encode::builder(format).level(1);
        let options = match format {
            Format::Bzip2 => builder.build().unwrap(),
            _ => builder.block_size(1 << 20).build().unwrap(),
        };
        let coded = pzcomp::compress(&plain, &options).unwrap();
        let seekable = Seekable::new(coded.clone()).unwrap();
        for frame in seekable.frames() {
            let start = frame.coded_offset as usize;
            let part = &coded[start..start + frame.coded_len as usize];
            let found = pzcomp::decompress(part, &Decode::default());
            let at = frame.plain_offset as usize;
            match frame.plain_len {
                Some(len) => {
                    assert_eq!((frame.format, frame.is_file), (Some(format), format != Format::Xz));
                    assert_eq!(found.is_ok_and(|found| found == plain[at..at + len as usize]), frame.is_file);
                }
                None => {
                    assert_eq!((frame.format, frame.is_file), (None, true));
                    assert!(found.unwrap() == plain[at..]);
                }
            }
        }
    }
}
