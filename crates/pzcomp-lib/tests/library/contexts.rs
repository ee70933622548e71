//! `Compressor` and `Decompressor`: payloads one after another, on the thread of the caller. Their output and their
//! errors must be those of the functions for whole streams. `no_thread_starts` runs this binary again, in a process
//! that cannot start a thread.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{Cursor, Read, Write};
use std::process::Command;
use std::rc::Rc;

use crate::common::{flipped, plain, small};
use pzcomp::{
    BackgroundReader, Compress, Compressor, Decode, Decompress, Decompressor, Dictionary, Encode,
    EncodeBuilder, Error, Format, Input, Layout, Member, Output, Pool, Reader, Strategy, Summary, Writer,
};

fn payloads() -> Vec<Vec<u8>> {
    let text = plain::text(150_000);
    [0, 1, 20, 1000, 4096, 5000, 20_000, 150_000].map(|len| text[..len].to_vec()).into()
}

/// Options of every format, and of layouts and cuts that the encoders treat in another way.
fn all() -> Vec<Encode> {
    let mut all: Vec<Encode> = Format::readable()
        .filter(|format| !format.levels().is_empty())
        .flat_map(|format| [small(format), encode!(Encode::builder(format), level: 1)])
        .collect();
    let member = || Member::new().with_name("notes.txt").with_comment("of a morning");
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Bzip2] {
        let layout = Layout::Single(if format == Format::Gzip { member() } else { Member::new() });
        all.push(encode!(Encode::builder(format), layout));
        all.extend(Encode::builder(format).block_size(100_000).rsyncable(true).build());
    }
    for (format, layout) in [
        (Format::Gzip, Layout::Bgzf),
        (Format::Zstd, Layout::Pzstd),
        (Format::Lz4, Layout::Legacy),
        (Format::Xz, Layout::Alone),
    ] {
        all.push(encode!(Encode::builder(format), layout));
    }
    all.push(encode!(Encode::builder(Format::Gzip), strategy: Strategy::Huffman));
    assert!(all.len() > 25, "{}", all.len());
    all
}

/// The options to read what these options write.
fn reading(options: &Encode) -> Decode {
    let is_named = matches!(options.format(), Format::Zlib | Format::Lzma);
    if is_named { decode!(Decode::builder(), accept: &[options.format()]) } else { Decode::default() }
}

#[test]
fn the_output_is_that_of_compress_for_every_format_and_layout() {
    for options in all() {
        let mut compressor = Compressor::new(&options).unwrap();
        let mut decompressor = Decompressor::new(&reading(&options)).unwrap();
        for payload in payloads() {
            let of = || format!("{:?}, {} bytes", options.format(), payload.len());
            // A stream that is too long to be compressed without threads.
            let mut expected = Vec::new();
            let output = Output::Writer(Box::new(&mut expected));
            Compress::new(&options).run(Input::Memory(&payload), output).unwrap();
            let coded = compressor.compress(&payload).unwrap();
            assert!(coded == expected, "{}", of());
            assert!(pzcomp::compress(&payload, &options).unwrap() == expected, "{}", of());
            let mut short = Vec::new();
            let summary = Compress::new(&options).run(Input::reader(&payload[..]), &mut short).unwrap();
            assert!(short == expected, "{}", of());
            assert_eq!((summary.plain_len, summary.coded_len), (payload.len() as u64, short.len() as u64));

            let bound = compressor.bound(payload.len());
            assert!(bound >= coded.len(), "{}: {bound}", of());
            let mut slice = vec![7; coded.len()];
            assert_eq!(compressor.compress_to_slice(&payload, &mut slice).unwrap(), coded.len());
            assert!(slice == coded, "{}", of());
            let refused = compressor.compress_to_slice(&payload, &mut slice[1..]).unwrap_err();
            assert!(refused.to_string().contains("cannot write"), "{refused}");

            assert!(decompressor.decompress(&coded).unwrap() == payload, "{}", of());
            let (mut run, mut expected) = (Vec::new(), Vec::new());
            let summary = decompressor.run(&coded, &mut run).unwrap();
            let known = Decompress::new(&reading(&options)).run(&coded, &mut expected).unwrap();
            assert!(run == payload && expected == payload, "{}", of());
            let facts =
                |of: &Summary| (of.format, of.plain_len, of.coded_len, of.frames, of.check, of.ends_indexed);
            assert_eq!(facts(&summary), facts(&known), "{}", of());
            let mut behind = b"before".to_vec();
            assert_eq!(decompressor.decompress_into(&coded, &mut behind).unwrap(), payload.len());
            assert!(behind[..6] == *b"before" && behind[6..] == payload, "{}", of());
            let mut slice = vec![7; payload.len()];
            assert_eq!(decompressor.decompress_to_slice(&coded, &mut slice).unwrap(), payload.len());
            assert!(slice == payload, "{}", of());
            if !payload.is_empty() {
                decompressor.decompress_to_slice(&coded, &mut slice[1..]).unwrap_err();
            }
        }
    }
}

/// Threads of libzstd, which one thread has too, and several chunks.
#[test]
fn one_thread_compresses_some_hundred_kib_as_several_do() {
    let plain = plain::text(700_000);
    for options in all() {
        let run = |threads| {
            let options = EncodeBuilder::from(options.clone()).threads(threads).build().unwrap();
            let mut coded = Vec::new();
            let summary = Compress::new(&options).run(&plain, &mut coded).unwrap();
            assert_eq!((summary.plain_len, summary.coded_len), (700_000, coded.len() as u64));
            coded
        };
        assert!(run(1) == run(2), "{:?}", options.format());
    }
}

#[test]
fn errors_are_those_of_decompress_and_the_next_payload_is_right() {
    for format in Format::all() {
        let options = small(format);
        let mut decompressor = Decompressor::new(&Decode::default()).unwrap();
        let plain = plain::text(10_000);
        let coded = pzcomp::compress(&plain, &options).unwrap();
        let mut wrong: Vec<Vec<u8>> =
            vec![Vec::new(), b"nothing".to_vec(), [&coded[..], b"garbage"].concat()];
        for place in (0..coded.len()).step_by(coded.len() / 40 + 1) {
            wrong.push(coded[..place].to_vec());
            let changed = flipped(&coded, place, 0x11);
            wrong.push(changed);
        }
        for coded in wrong {
            let mut expected = Vec::new();
            let output = Output::Writer(Box::new(&mut expected));
            let result = Decompress::new(&Decode::default()).run(Input::Memory(&coded), output);
            let mut kept = b"kept".to_vec();
            match (result, decompressor.decompress_into(&coded, &mut kept)) {
                (Ok(_), Ok(_)) => assert!(kept[4..] == expected, "{format:?}"),
                (Err(expected), Err(error)) => {
                    // What one thread says of a damaged block may differ from what several say.
                    let [kind, expected] = [&error, &expected].map(std::mem::discriminant);
                    assert_eq!(kind, expected, "{format:?}: {error}");
                    assert_eq!(kept, b"kept");
                }
                (expected, found) => panic!("{format:?}: {expected:?}, {found:?}"),
            }
        }
        assert!(decompressor.decompress(&coded).unwrap() == plain, "{format:?}");
    }
}

#[test]
fn a_payload_of_very_many_frames_of_all_formats() {
    let mut coded = Vec::new();
    let mut count = 0;
    for number in 0..300 {
        for format in Format::all().filter(|format| *format != Format::Lzma) {
            coded.extend(Compressor::new(&small(format)).unwrap().compress(&[number as u8; 9]).unwrap());
            count += usize::from(number == 0);
        }
    }
    let plain = Decompressor::new(&Decode::default()).unwrap().decompress(&coded).unwrap();
    assert_eq!(plain.len(), 300 * 9 * count);
}

#[test]
fn a_length_that_is_only_claimed_takes_no_memory() {
    // A zstd frame of 2⁵⁰ bytes in a single segment, whose only block is empty, and gzip and lz4 with what they can
    // claim.
    let zstd = [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0][..], &(1_u64 << 50).to_le_bytes(), &[1, 0, 0]].concat();
    let mut gzip = pzcomp::compress(b"a", &small(Format::Gzip)).unwrap();
    let len = gzip.len();
    gzip[len - 4..].fill(0xff);
    let mut decompressor = Decompressor::new(&Decode::default()).unwrap();
    for coded in [zstd, gzip] {
        let error = decompressor.decompress(&coded).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. } | Error::Memory { .. }), "{error}");
    }
}

#[test]
fn contexts_share_a_dictionary() {
    let dictionary = Dictionary::new(plain::text(20_000)).unwrap();
    let options = encode!(Encode::zstd(3), dictionary: dictionary.clone());
    let reading = decode!(Decode::builder(), dictionary);
    let payload = &plain::text(20_000)[5000..6000];
    let workers: Vec<_> = (0..3)
        .map(|_| {
            let (options, payload) = (options.clone(), payload.to_vec());
            std::thread::spawn(move || Compressor::new(&options).unwrap().compress(&payload).unwrap())
        })
        .collect();
    for worker in workers {
        let coded = worker.join().unwrap();
        assert!(coded.len() < 100, "{} bytes: the dictionary was not used", coded.len());
        assert_eq!(Decompressor::new(&reading).unwrap().decompress(&coded).unwrap(), payload);
        let without = Decompressor::new(&Decode::default()).unwrap().decompress(&coded);
        assert!(without.is_err());
    }
}

#[test]
fn no_thread_starts() {
    let tests = std::env::current_exe().unwrap();
    // No stack can be so long, so no thread can start. musl takes no longer length. A single test runs on the thread of
    // its process.
    let child = Command::new(tests)
        .args(["contexts::in_a_process_without_threads", "--exact", "--ignored", "--test-threads=1"])
        .env("RUST_MIN_STACK", (usize::MAX / 8).to_string())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "no_thread_starts runs it"]
fn in_a_process_without_threads() {
    let thread = std::thread::Builder::new().spawn(|| {});
    assert!(thread.is_err(), "this process can start threads, so the test would show nothing");
    let text = plain::text(60_000);
    for options in all() {
        let payload =
            &text[..if options.compression_needs().unwrap().frame_len <= 100_000 { 4000 } else { 60_000 }];
        let coded = pzcomp::compress(payload, &options).unwrap();
        let mut short = Vec::new();
        Compress::new(&options).run(Input::reader(payload), &mut short).unwrap();
        assert!(short == coded);
        let reading = reading(&options);
        assert!(pzcomp::decompress(&coded, &reading).unwrap() == payload, "{:?}", options.format());
        let coded = Compressor::new(&options).unwrap().compress(&text.repeat(20)).unwrap();
        let plain = Decompressor::new(&reading).unwrap().decompress(&coded).unwrap();
        assert!(plain == text.repeat(20), "{:?}", options.format());
        reads_and_writes(&options, &reading, &text.repeat(3));
    }
    reads_many_at_once();
}

/// Readers and writers with threads of their own, and with those of a pool, where no thread starts.
fn reads_and_writes(options: &Encode, reading: &Decode, text: &[u8]) {
    let format = options.format();
    let pool = Pool::new(3).unwrap();
    let writers =
        [Writer::new(Vec::new(), options.clone()), Writer::with_pool(Vec::new(), options.clone(), &pool)];
    for writer in writers {
        let mut writer = writer.unwrap();
        writer.write_all(text).unwrap();
        let (coded, _) = writer.finish().unwrap();
        let back = |mut reader: Box<dyn Read>| {
            let mut plain = Vec::new();
            reader.read_to_end(&mut plain).unwrap();
            assert!(plain == text, "{format:?}");
        };
        let whole = || Cursor::new(coded.clone());
        back(Box::new(Reader::new(whole(), reading.clone()).unwrap()));
        back(Box::new(Reader::with_pool(whole(), reading.clone(), &pool).unwrap()));
        back(Box::new(BackgroundReader::new(whole(), reading.clone()).unwrap()));
        back(Box::new(BackgroundReader::with_pool(whole(), reading.clone(), &pool).unwrap()));
        let cut = &coded[..coded.len() - 7];
        let read = Reader::new(cut, reading.clone()).unwrap().read_to_end(&mut Vec::new());
        let whole = Decompress::new(reading).run(cut, Output::Nothing);
        let (read, whole) =
            (read.map(drop).map_err(|e| e.to_string()), whole.map(drop).map_err(|e| e.to_string()));
        assert_eq!(read, whole, "{format:?}");
    }
}

/// A connection gives a message when the one before was read. It never ends.
struct Connection(Rc<RefCell<VecDeque<u8>>>);

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.0.borrow_mut().read(buffer)?;
        assert!(len > 0, "the reader waits for more than there is");
        Ok(len)
    }
}

/// Frames are given out when they have come, also of several streams in turns.
fn reads_many_at_once() {
    let messages: Vec<Vec<u8>> = (0..40).map(|at| plain::text(500 + 10_000 * (at % 7))).collect();
    let coded: Vec<_> =
        messages.iter().map(|plain| pzcomp::compress(plain, &Encode::default()).unwrap()).collect();
    let pool = Pool::new(2).unwrap();
    let mut ends: Vec<_> = (0..3)
        .map(|_| {
            let sent = Rc::new(RefCell::new(VecDeque::new()));
            let reader = Reader::with_pool(Connection(sent.clone()), Decode::default(), &pool).unwrap();
            (sent, reader)
        })
        .collect();
    for (plain, coded) in messages.iter().zip(&coded) {
        for (sent, reader) in &mut ends {
            sent.borrow_mut().extend(coded);
            let mut got = vec![0; plain.len()];
            reader.read_exact(&mut got).unwrap();
            assert!(got == *plain);
        }
    }
}
