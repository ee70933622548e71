//! A `Writer` that is finished, flushed, dropped, aborted or leaked, over inner writers that fail, block and panic.

use std::io::{self, ErrorKind, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use pzcomp::{
    Adapt, Compress, Decode, Encode, EncodeBuilder, Error, Format, Input, Layout, Output, Reader, Unknown,
    Writer,
};

use super::{layouts, name};
use crate::common::{decoded, decompress, plain, run};

/// Everything that refuses an incomplete output: the tools of the format, and this library from memory and as a stream.
fn is_refused(coded: &[u8], tools: &[&str], what: &str) {
    for tool in tools {
        let output = run(tool, coded);
        assert!(!output.status.success(), "{tool} accepts {what}, {} bytes", coded.len());
    }
    let result = decompress(coded);
    let is_truncated = matches!(result, Err(Error::Truncated { .. }));
    assert!(is_truncated, "pzcomp takes {what} for something else: {:?}", result.map(|plain| plain.len()));
    // The end of the output is no garbage that a reader may ignore.
    let lenient = decode!(Decode::builder(), unknown: Unknown::Ignore);
    let result = decoded(coded, &lenient).1;
    assert!(result.is_err(), "pzcomp ignores the end of {what}: {result:?}");
}

/// The lengths of several chunks, without and with a rest.
fn several(options: &Encode) -> [usize; 2] {
    if *options.layout() == Layout::Frames { [4 << 16, (9 << 16) + 77] } else { [1 << 20, (3 << 20) + 77] }
}

#[test]
fn a_dropped_writer_leaves_what_every_reader_refuses() {
    let text = plain::text((3 << 20) + 77);
    for (options, tools) in layouts() {
        // Nothing; part of a chunk; several chunks with and without a rest.
        for len in [&[0, 100, 64 << 10, (64 << 10) + 1][..], &several(&options)].concat() {
            let data = &text[..len];
            let mut coded = Vec::new();
            let mut writer = Writer::new(&mut coded, options.clone()).unwrap();
            writer.write_all(data).unwrap();
            drop(writer);
            is_refused(&coded, tools, &format!("{} dropped after {len}", name(&options)));

            let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
            writer.write_all(data).unwrap();
            if *options.layout() != Layout::Alone {
                // All frames are complete here, so only the bytes behind them make the output incomplete.
                writer.flush().unwrap();
            }
            let coded = writer.abort();
            is_refused(&coded, tools, &format!("{} aborted after {len}", name(&options)));
        }
    }
}

#[test]
fn a_panic_leaves_what_every_reader_refuses() {
    let mut coded = Vec::new();
    let options = encode!(Encode::builder(Format::Gzip));
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut writer = Writer::new(&mut coded, options).unwrap();
        writer.write_all(&plain::text(3 << 20)).unwrap();
        panic!("in the middle");
    }));
    assert!(result.is_err());
    is_refused(&coded, &["gzip -t"], "gzip after a panic");
}

/// Counts the calls, also those after the owner believes that it has the writer back.
struct Counting(std::sync::Arc<std::sync::atomic::AtomicU64>);

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.fetch_add(bytes.len() as u64, std::sync::atomic::Ordering::SeqCst);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_is_written_after_a_writer_is_dropped() {
    let count = std::sync::Arc::default();
    let options = encode!(Encode::default(), level: 9);
    let mut writer = Writer::new(Counting(std::sync::Arc::clone(&count)), options).unwrap();
    writer.write_all(&plain::text(30 << 20)).unwrap();
    drop(writer);
    let written = count.load(std::sync::atomic::Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), written);
}

#[test]
fn a_flush_makes_all_bytes_readable_and_the_output_stays_right() {
    for (options, tools) in layouts() {
        let what = name(&options);
        let data = plain::text(200_000);
        let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
        let mut done = 0;
        if *options.layout() == Layout::Alone {
            writer.write_all(&data[..10]).unwrap();
            let error = writer.flush().unwrap_err();
            assert!(matches!(Error::of(&error), Some(Error::Unavailable { .. })), "{what}: {error}");
            continue;
        }
        for step in [1, 10, 70_000, 0, 64 << 10, 5] {
            writer.write_all(&data[done..done + step]).unwrap();
            done += step;
            writer.flush().unwrap();
            // Everything so far comes out of the coded bytes so far, before the reader sees their end.
            let so_far = writer.get_ref().clone();
            if done > 0 && !matches!(options.format(), Format::Zip) {
                let mut plain = vec![0; done];
                let mut reader = Reader::new(Endless(&so_far), Decode::default()).unwrap();
                reader.read_exact(&mut plain).unwrap_or_else(|error| panic!("{what} at {done}: {error}"));
                assert!(plain == data[..done], "{what}");
            }
        }
        writer.write_all(&data[done..]).unwrap();
        let (coded, summary) = writer.finish().unwrap();
        assert_eq!(summary.plain_len, data.len() as u64, "{what}");
        assert!(decompress(&coded).unwrap() == data, "{what}");
        for tool in tools {
            assert!(run(tool, &coded).status.success(), "{tool} refuses {what}");
        }
    }
}

/// Gives its bytes, and then says that more will come later.
struct Endless<'a>(&'a [u8]);

impl Read for Endless<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(ErrorKind::WouldBlock.into()) } else { self.0.read(out) }
    }
}

/// Takes so many bytes at a time, and says every second time that it takes none now.
struct Blocking {
    bytes: Vec<u8>,
    step: usize,
    blocks: bool,
}

impl Write for Blocking {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.blocks = !self.blocks;
        if self.blocks {
            return Err(ErrorKind::WouldBlock.into());
        }
        let len = bytes.len().min(self.step);
        self.bytes.extend_from_slice(&bytes[..len]);
        Ok(len)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.blocks = !self.blocks;
        if self.blocks { Err(ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

#[test]
fn an_inner_writer_that_does_not_block_can_be_tried_again() {
    for (options, _) in layouts() {
        let what = name(&options);
        let data = plain::text(1 << 20);
        let inner = Blocking { bytes: Vec::new(), step: 10_007, blocks: false };
        let mut writer = Writer::new(inner, options.clone()).unwrap();
        let mut rest = &data[..];
        while !rest.is_empty() {
            match writer.write(rest) {
                Ok(len) => rest = &rest[len..],
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{what}"),
            }
            if *options.layout() != Layout::Alone && rest.len().is_multiple_of(3) {
                while let Err(error) = writer.flush() {
                    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{what}");
                }
            }
        }
        let summary = loop {
            match writer.try_finish() {
                Ok(summary) => break summary,
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{what}");
                }
            }
        };
        assert_eq!(summary.plain_len, data.len() as u64);
        let (inner, _) = writer.finish().unwrap();
        assert_eq!(inner.bytes.len() as u64, summary.coded_len, "{what}");
        assert!(decompress(&inner.bytes).unwrap() == data, "{what}");
    }
}

/// Fails after so many bytes, with this kind.
#[derive(Debug)]
struct Failing(usize, ErrorKind);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(self.1.into());
        }
        let len = self.0.min(bytes.len());
        self.0 -= len;
        Ok(len)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_error_of_the_inner_writer_keeps_its_kind_and_comes_again() {
    for kind in [ErrorKind::StorageFull, ErrorKind::BrokenPipe, ErrorKind::PermissionDenied] {
        for room in [0, 10, 100_000] {
            let mut writer = Writer::new(Failing(room, kind), Encode::default()).unwrap();
            let data = plain::random(20 << 20);
            let error = writer.write_all(&data).unwrap_err();
            assert_eq!(error.kind(), kind);
            for error in [
                writer.write(b"more").unwrap_err(),
                writer.flush().unwrap_err(),
                writer.try_finish().unwrap_err(),
                writer.finish().unwrap_err(),
            ] {
                assert_eq!(error.kind(), kind, "{error}");
            }
        }
    }
    let mut full =
        Writer::new(std::fs::File::options().write(true).open("/dev/full").unwrap(), Encode::default())
            .unwrap();
    full.write_all(b"data").unwrap();
    let errors = [full.flush().unwrap_err(), full.flush().unwrap_err(), full.finish().unwrap_err()];
    assert!(errors.iter().all(|error| error.raw_os_error() == Some(28)), "{errors:?}");
}

/// Panics when it is first written to.
struct Panicking;

impl Write for Panicking {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("told to")
    }
    fn flush(&mut self) -> io::Result<()> {
        panic!("told to")
    }
}

#[test]
fn an_inner_writer_that_panics_is_not_called_again() {
    let mut writer = Writer::new(Panicking, Encode::default()).unwrap();
    writer.write_all(b"data").unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| writer.flush())).is_err());
    assert!(writer.flush().is_err() && writer.write(b"more").is_err());
    // A second panic while this one is dropped would end the process.
    drop(writer);
}

#[test]
fn options_are_checked_at_once() {
    assert!(matches!(Encode::zstd(77).build(), Err(Error::Level { .. })));
    let little = Encode::zstd(3).memory(10).build().unwrap();
    assert!(matches!(Writer::new(Vec::new(), little), Err(Error::Memory { .. })));
    assert!(matches!(Encode::bzip2(9).bgzf().build(), Err(Error::Unavailable { .. })));
    assert!(matches!(Encode::builder(Format::Lzw).build(), Err(Error::NotWritten { .. })));
}

#[test]
fn a_leaked_writer_leaves_borrowed_memory_alone() {
    let mut coded = vec![0; 1 << 10];
    {
        let mut writer = Writer::new(&mut coded, Encode::default()).unwrap();
        writer.write_all(&plain::text(8 << 20)).unwrap();
        std::mem::forget(writer);
    }
    let before = coded.clone();
    std::thread::sleep(Duration::from_millis(100));
    assert!(coded == before);
}

#[test]
fn the_summary_says_what_was_written() {
    for (options, _) in layouts() {
        let data = plain::text(300_000);
        let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
        for part in data.chunks(1000) {
            writer.write_all(part).unwrap();
        }
        let (coded, summary) = writer.finish().unwrap();
        assert_eq!(
            (summary.plain_len, summary.coded_len),
            (300_000, coded.len() as u64),
            "{}",
            name(&options)
        );
        assert_eq!(summary.format, Some(options.format()));
    }
}

/// Gives its bytes, and then fails.
struct Broken<'a>(&'a [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::Error::other("the cable was pulled")) } else { self.0.read(out) }
    }
}

#[test]
fn an_input_that_fails_leaves_what_every_reader_refuses() {
    let text = plain::text((3 << 20) + 77);
    for (options, tools) in layouts() {
        for len in [&[0, 1, 100, 64 << 10, 70_000][..], &several(&options)].concat() {
            let data = &text[..len];
            let mut coded = Vec::new();
            let error = Compress::new(&options).run(Input::reader(Broken(data)), &mut coded).unwrap_err();
            assert!(matches!(error, Error::Read { offset, .. } if offset == len as u64), "{error:?}");
            is_refused(&coded, tools, &format!("{} after an error at {len}", name(&options)));
        }
    }
}

/// Takes so many bytes, and then says that it takes none now, until it is opened again.
struct Gate {
    bytes: Vec<u8>,
    room: usize,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let len = bytes.len().min(self.room);
        self.room -= len;
        self.bytes.extend_from_slice(&bytes[..len]);
        Ok(len)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_is_given_up_while_it_waits_is_refused_wherever_it_stood() {
    for (options, tools) in layouts() {
        // A legacy frame has no end, so an output that ends between its blocks is complete for every reader.
        if matches!(options.layout(), Layout::Alone | Layout::Pzstd) || options.format() == Format::Zip {
            continue;
        }
        let write = |room: usize| {
            let mut writer = Writer::new(Gate { bytes: Vec::new(), room }, options.clone()).unwrap();
            writer.write_all(b"first").unwrap();
            let flushed = writer.flush().is_ok();
            let _ = writer.write_all(b"second");
            let flushed = writer.flush().is_ok() && flushed;
            writer.get_mut().room = usize::MAX;
            (flushed, writer.abort().bytes)
        };
        for room in 0..300 {
            let (is_flushed, coded) = write(room);
            let result = decompress(&coded);
            assert!(result.is_err(), "{} with room for {room}: {result:?}", name(&options));
            // Some tools ignore the first bytes of a header that the inner writer has cut off.
            if is_flushed {
                is_refused(&coded, tools, &format!("{} with room for {room}", name(&options)));
                break;
            }
        }
    }
}

#[test]
fn a_writer_that_is_cancelled_is_refused() {
    for (options, tools) in layouts().into_iter().filter(|(options, _)| *options.layout() != Layout::Alone) {
        let progress = pzcomp::Progress::default();
        let options = encode!(options, progress: progress.clone());
        let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
        writer.write_all(&plain::text(1000)).unwrap();
        writer.flush().unwrap();
        progress.cancel();
        assert!(writer.write_all(&plain::text(1000)).and_then(|()| writer.flush()).is_err());
        is_refused(&writer.abort(), tools, &format!("{} cancelled", name(&options)));
    }
}

#[test]
fn levels_that_adapt_are_summed_up_and_every_byte_comes_back() {
    for (options, _) in layouts() {
        let is_single_encoder = *options.layout() == Layout::Alone
            || matches!(options.layout(), Layout::Single(_))
                && matches!(options.format(), Format::Zstd | Format::Lz4 | Format::Xz);
        let adapt = Adapt::new().with_min(1).with_max(3);
        let adapting = EncodeBuilder::from(options.clone()).adapt(adapt).level(1).build();
        if is_single_encoder {
            assert!(matches!(adapting, Err(Error::Unavailable { .. })), "{}", name(&options));
            continue;
        }
        let options = adapting.unwrap();
        let data = plain::text(700_000);
        let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
        writer.write_all(&data).unwrap();
        let (coded, summary) = writer.finish().unwrap();
        assert!(decompress(&coded).unwrap() == data, "{}", name(&options));
        let mut again = Vec::new();
        let other = Compress::new(&options).run(Input::reader(&data[..]), &mut again).unwrap();
        assert!(decompress(&again).unwrap() == data, "{}", name(&options));
        for summary in [summary, other] {
            let levels: Vec<i32> = summary.levels.iter().map(|share| share.level).collect();
            assert!(levels.iter().all(|level| (1..=3).contains(level)), "{levels:?}");
            let plain_len: u64 = summary.levels.iter().map(|share| share.plain_len).sum();
            assert_eq!(plain_len, data.len() as u64, "{}", name(&options));
        }
    }
    let fixed = Compress::new(&Encode::default())
        .run(Input::reader(&b"three"[..]), Output::writer(io::sink()))
        .unwrap();
    assert!(fixed.levels.is_empty());
}

#[test]
fn bytes_that_have_waited_long_enough_leave_with_the_next_write() {
    let options = encode!(Encode::default(), flush_interval: Duration::ZERO);
    let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
    writer.write_all(b"first").unwrap();
    writer.write_all(b"second").unwrap();
    let so_far = writer.get_ref().clone();
    assert_eq!(decompress(&so_far).unwrap(), b"first");
    let (coded, summary) = writer.finish().unwrap();
    assert_eq!((decompress(&coded).unwrap(), summary.frames), (b"firstsecond".to_vec(), 2));

    // Each read of a reader is one frame, because its bytes may not wait for those of the next read.
    let mut coded = Vec::new();
    let summary = Compress::new(&options)
        .run(Input::reader((&b"first"[..]).chain(&b"second"[..])), &mut coded)
        .unwrap();
    assert_eq!((decompress(&coded).unwrap(), summary.frames), (b"firstsecond".to_vec(), 2));

    let alone = Encode::xz(6).alone().flush_interval(Duration::ZERO).build();
    assert!(matches!(alone, Err(Error::Unavailable { .. })));
}
