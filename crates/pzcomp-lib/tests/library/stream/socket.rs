//! Connections: both ends wait for each other, and everything that can be decoded must come out at once.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use flate2::write::GzEncoder;
use pzcomp::{BackgroundReader, Decode, Encode, Format, Layout, Reader, Writer};

use super::{layouts, name};
use crate::common::{compress, plain};

/// Longer than anything here takes. A test that waits so long has failed.
const LONG: Duration = Duration::from_secs(20);

/// Both kinds of readers over the other end of a connection.
fn readers(mut check: impl FnMut(UnixStream, &mut dyn FnMut(UnixStream) -> Box<dyn Read>)) {
    for background in [false, true] {
        let (here, there) = UnixStream::pair().unwrap();
        let mut there = Some(there);
        let _ = &mut there;
        check(here, &mut |_| {
            let inner = there.take().unwrap();
            inner.set_read_timeout(Some(LONG)).unwrap();
            if background {
                Box::new(BackgroundReader::new(inner, Decode::default()).unwrap())
            } else {
                Box::new(Reader::new(inner, Decode::default()).unwrap())
            }
        });
    }
}

#[test]
fn each_frame_comes_when_its_last_byte_has_come() {
    for (options, _) in layouts().into_iter().filter(|(options, _)| *options.layout() != Layout::Alone) {
        if matches!(options.format(), Format::Zip | Format::Xz) || *options.layout() != Layout::Frames {
            continue;
        }
        for background in [false, true] {
            let (mut here, there) = UnixStream::pair().unwrap();
            there.set_read_timeout(Some(LONG)).unwrap();
            let mut reader: Box<dyn Read> = if background {
                Box::new(BackgroundReader::new(there, Decode::default()).unwrap())
            } else {
                Box::new(Reader::new(there, Decode::default()).unwrap())
            };
            for len in [1, 100, 60_000, 1, 50_000] {
                let data = plain::text(len);
                let frame = compress(&data, &encode!(options.clone(), index: false));
                here.write_all(&frame).unwrap();
                let mut plain = vec![0; len];
                let started = Instant::now();
                reader
                    .read_exact(&mut plain)
                    .unwrap_or_else(|error| panic!("{} {len} {background}: {error}", name(&options)));
                assert!(started.elapsed() < LONG / 2, "{}", name(&options));
                assert!(plain == data);
            }
        }
    }
}

#[test]
fn what_was_flushed_comes_at_once_in_every_layout() {
    for (options, _) in layouts() {
        if *options.layout() == Layout::Alone || options.format() == Format::Zip {
            continue;
        }
        for background in [false, true] {
            let (here, there) = UnixStream::pair().unwrap();
            there.set_read_timeout(Some(LONG)).unwrap();
            let mut writer = Writer::new(here, options.clone()).unwrap();
            let mut reader: Box<dyn Read> = if background {
                Box::new(BackgroundReader::new(there, Decode::default()).unwrap())
            } else {
                Box::new(Reader::new(there, Decode::default()).unwrap())
            };
            for len in [5, 100, 1, 60_000, 3] {
                let data = plain::text(len);
                writer.write_all(&data).unwrap();
                writer.flush().unwrap();
                let mut plain = vec![0; len];
                reader
                    .read_exact(&mut plain)
                    .unwrap_or_else(|error| panic!("{} {len}: {error}", name(&options)));
                assert!(plain == data, "{}", name(&options));
            }
            writer.finish().unwrap();
            assert_eq!(reader.read(&mut [0]).unwrap(), 0, "{}", name(&options));
        }
    }
}

#[test]
fn flush_points_of_other_writers_are_given_out() {
    readers(|here, reader| {
        let mut reader = reader(here.try_clone().unwrap());
        let mut writer = GzEncoder::new(here, flate2::Compression::default());
        for len in [5, 100, 70_000] {
            let data = plain::text(len);
            writer.write_all(&data).unwrap();
            writer.flush().unwrap();
            let mut plain = vec![0; len];
            reader.read_exact(&mut plain).unwrap();
            assert!(plain == data);
        }
        writer.finish().unwrap();
    });
    readers(|mut here, reader| {
        let mut reader = reader(here.try_clone().unwrap());
        let mut context = zstd_safe::CCtx::create();
        for len in [5, 100, 200_000] {
            let data = plain::text(len);
            let mut coded = vec![0; len + 1000];
            let mut output = zstd_safe::OutBuffer::around(&mut coded[..]);
            let mut input = zstd_safe::InBuffer::around(&data);
            let flush = zstd_safe::zstd_sys::ZSTD_EndDirective::ZSTD_e_flush;
            while context.compress_stream2(&mut output, &mut input, flush).unwrap() > 0 {}
            here.write_all(output.as_slice()).unwrap();
            let mut plain = vec![0; len];
            reader.read_exact(&mut plain).unwrap();
            assert!(plain == data);
        }
    });
}

#[test]
fn a_time_limit_and_a_connection_that_does_not_block_reach_the_caller() {
    let frame = compress(b"frame", &encode!(Encode::default(), index: false));
    for (nonblocking, background) in [(false, false), (true, false), (false, true), (true, true)] {
        let (mut here, there) = UnixStream::pair().unwrap();
        there.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        there.set_nonblocking(nonblocking).unwrap();
        let mut reader: Box<dyn Read> = if background {
            Box::new(BackgroundReader::new(there, Decode::default()).unwrap())
        } else {
            Box::new(Reader::new(there, Decode::default()).unwrap())
        };
        let mut plain = [0; 5];
        for round in 0..3 {
            let error = reader.read(&mut plain).unwrap_err();
            // Linux says that a socket with a time limit would block.
            assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{round}: {error}");
            here.write_all(&frame[..7]).unwrap();
            let error = reader.read(&mut plain).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{round}: {error}");
            here.write_all(&frame[7..]).unwrap();
            let started = Instant::now();
            let read = loop {
                match reader.read(&mut plain) {
                    Ok(read) => break read,
                    Err(error) => {
                        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
                    }
                }
                assert!(started.elapsed() < LONG, "the frame does not come");
            };
            assert_eq!(&plain[..read], b"frame");
        }
        drop(here);
    }
}

#[test]
fn a_dropped_reader_ends_its_threads() {
    let (here, there) = UnixStream::pair().unwrap();
    let reader = Reader::new(there.try_clone().unwrap(), Decode::default()).unwrap();
    drop(reader);
    let mut background = BackgroundReader::new(there, Decode::default()).unwrap();
    drop(here);
    assert!(background.read(&mut [0]).is_err(), "an empty input is no stream");
}
