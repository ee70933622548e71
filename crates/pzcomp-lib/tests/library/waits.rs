//! For what a stream waits: the numbers grow while a read or a write goes on, and the summary has them at the end. And
//! the store between producer and consumer.

use std::io::{self, Read, Write};

use pzcomp::{Compress, Decode, Encode, Error, Format, Input, Output, Progress, Waits};

use crate::common::{compress, flipped, plain, small};

/// A source or sink that lasts until the progress has seen that the stream waits for it.
struct Lasting {
    progress: Progress,
    seen: fn(&Waits) -> bool,
    left: usize,
}

impl Lasting {
    fn new(progress: &Progress, seen: fn(&Waits) -> bool) -> Self {
        Self { progress: progress.clone(), seen, left: 100_000 }
    }

    fn last(&self) {
        while !(self.seen)(&self.progress.waits()) {
            std::thread::yield_now();
        }
    }
}

impl Read for Lasting {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.last();
        let len = out.len().min(self.left);
        out[..len].fill(7);
        self.left -= len;
        Ok(len)
    }
}

impl Write for Lasting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.last();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn observed() -> (Progress, Encode) {
    let progress = Progress::default();
    let options = encode!(Encode::default(), progress: progress.clone());
    (progress, options)
}

#[test]
fn waits_for_source_and_sink_are_seen_while_they_last() {
    let (progress, options) = observed();
    let source = Lasting::new(&progress, |waits| !waits.for_source.is_zero());
    let sink = Lasting::new(&progress, |waits| !waits.for_sink.is_zero());
    let summary = Compress::new(&options).run(Input::reader(source), Output::writer(sink)).unwrap();
    assert!(!summary.waits.for_source.is_zero() && !summary.waits.for_sink.is_zero(), "{summary:?}");
    assert_eq!(summary.waits, progress.waits(), "the summary is the last state");
}

#[test]
fn waits_of_a_writer_and_a_reader_are_those_for_their_inner_ends() {
    let (progress, options) = observed();
    let sink = Lasting::new(&progress, |waits| !waits.for_sink.is_zero());
    let mut writer = pzcomp::Writer::new(sink, options).unwrap();
    writer.write_all(&[7; 1000]).unwrap();
    let (_, summary) = writer.finish().unwrap();
    assert!(!summary.waits.for_sink.is_zero(), "{summary:?}");

    let progress = Progress::default();
    let options = decode!(Decode::builder(), progress: progress.clone());
    let coded = pzcomp::compress(&[7; 1000], &Encode::default()).unwrap();
    let last = Lasting::new(&progress, |waits| !waits.for_source.is_zero());
    let source = coded.chain(Lasting { left: 0, ..last });
    let mut reader = pzcomp::Reader::new(source, options).unwrap();
    io::copy(&mut reader, &mut io::sink()).unwrap();
    let waits = reader.summary().unwrap().waits;
    assert!(!waits.for_source.is_zero(), "{waits:?}");
}

#[test]
fn a_progress_that_counts_several_streams_gives_each_summary_its_own_waits() {
    let (progress, options) = observed();
    let file = tempfile::tempfile().unwrap();
    let mut all = std::time::Duration::ZERO;
    for _ in 0..3 {
        let source = Lasting::new(&progress, |waits| !waits.for_source.is_zero());
        let summary = Compress::new(&options).run(Input::reader(source), Output::writer(&file)).unwrap();
        all += summary.waits.for_source;
    }
    assert!(progress.waits().for_source >= all);
}

#[test]
fn buffers_of_all_lengths_are_those_of_streams() {
    for format in Format::all() {
        for options in [encode!(Encode::builder(format)), small(format)] {
            for len in [0, 1, 20, 256, 4096, 70_000, 300_000] {
                let data = plain::text(len);
                let coded = pzcomp::compress(&data, &options).unwrap();
                assert!(coded == compress(&data, &options), "{format} {len}");
                assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == data, "{format} {len}");
                let noise = plain::random(len);
                let coded = pzcomp::compress(&noise, &options).unwrap();
                assert!(coded == compress(&noise, &options), "{format} {len} of noise");
                assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == noise, "{format} {len}");
            }
        }
    }
}

#[test]
fn each_cut_and_each_wrong_bit_of_a_short_buffer_is_an_error_or_harmless() {
    for format in Format::all() {
        let data = plain::text(200);
        let options = encode!(Encode::builder(format), index: false);
        let coded = pzcomp::compress(&data, &options).unwrap();
        for len in 0..coded.len() {
            // The ten bytes that begin a stream of Snappy are a stream without data.
            if format == Format::Snappy && len == 10 {
                continue;
            }
            assert!(pzcomp::decompress(&coded[..len], &Decode::default()).is_err(), "{format} cut at {len}");
        }
        for bit in 0..8 * coded.len() {
            let damaged = flipped(&coded, bit / 8, 1 << (bit % 8));
            if let Ok(plain) = pzcomp::decompress(&damaged, &Decode::default()) {
                assert!(plain == data, "{format} bit {bit}");
            }
        }
    }
}

#[test]
fn buffers_of_many_frames_and_formats_are_read() {
    let (mut coded, mut data) = (Vec::new(), Vec::new());
    for round in 0..20 {
        for format in Format::all() {
            let part = plain::text(10 + round);
            coded.extend(pzcomp::compress(&part, &encode!(Encode::builder(format))).unwrap());
            data.extend(part);
            assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == data, "{round} {format}");
        }
    }
}

#[test]
fn a_buffer_is_cancelled_and_counted() {
    let progress = Progress::default();
    let options = encode!(Encode::default(), progress: progress.clone());
    let coded = pzcomp::compress(b"data", &options).unwrap();
    assert_eq!((progress.bytes_in(), progress.bytes_out()), (4, coded.len() as u64));
    progress.cancel();
    assert!(matches!(pzcomp::compress(b"data", &options), Err(Error::Cancelled)));
    let options = decode!(Decode::builder(), progress: progress.clone());
    assert!(matches!(pzcomp::decompress(&coded, &options), Err(Error::Cancelled)));
}
