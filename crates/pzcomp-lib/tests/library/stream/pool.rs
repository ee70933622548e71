//! One pool for many streams: how many threads there are, and whether all streams go on.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;

use pzcomp::{Decode, Encode, Error, Format, Layout, Member, Pool, Progress, Reader, Writer};

use super::{layouts, name};
use crate::common::{compress, decompress, plain};

/// Runs a test of this file in a process of its own, because other tests start threads and take memory too.
fn alone(test: &str) {
    let test = format!("stream::pool::{test}");
    let child = Command::new(std::env::current_exe().unwrap())
        .args([&test, "--exact", "--ignored", "--test-threads=1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn fifty_writers_share_the_threads_of_a_pool() {
    alone("alone_fifty_writers_share_the_threads_of_a_pool");
}

#[test]
#[ignore = "fifty_writers_share_the_threads_of_a_pool runs it"]
fn alone_fifty_writers_share_the_threads_of_a_pool() {
    let pool = Pool::new(3).unwrap();
    let data = plain::text(400_000);
    let formats: Vec<Format> = Format::all().collect();
    let options = |at: usize| encode!(Encode::builder(formats[at % formats.len()]), level: 1);
    let before = threads();
    let mut writers: Vec<Writer<Vec<u8>>> =
        (0..50).map(|at| Writer::with_pool(Vec::new(), options(at), &pool).unwrap()).collect();
    let mut most = 0;
    for part in data.chunks(100_000) {
        for writer in &mut writers {
            writer.write_all(part).unwrap();
        }
        most = most.max(threads());
    }
    assert!(most <= before + 3 + 2, "{most} threads, {before} before");
    for (at, writer) in writers.into_iter().enumerate() {
        let (coded, _) = writer.finish().unwrap();
        assert!(decompress(&coded).unwrap() == data, "writer {at}");
    }
}

#[test]
fn memory_of_streams_that_have_ended_is_given_back() {
    alone("alone_memory_of_streams_that_have_ended_is_given_back");
}

#[test]
#[ignore = "memory_of_streams_that_have_ended_is_given_back runs it"]
fn alone_memory_of_streams_that_have_ended_is_given_back() {
    const SPARE: u64 = 24 << 20;
    let resident = || {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    };
    let (pool, data) = (Pool::new(4).unwrap(), plain::text(1 << 20));
    let before = resident();
    let mut writers: Vec<_> =
        (0..100).map(|_| Writer::with_pool(std::io::sink(), Encode::default(), &pool).unwrap()).collect();
    for writer in &mut writers {
        writer.write_all(&data).unwrap();
    }
    assert!(resident() > before + 4 * SPARE, "the writers take memory");
    for writer in writers {
        writer.finish().unwrap();
    }
    // The threads drop the last of the streams after `finish` has returned.
    let is_given_back = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        pool.trim();
        resident() < before + SPARE
    });
    assert!(is_given_back, "{} MiB, {} before", resident() >> 20, before >> 20);
}

#[test]
fn single_frames_take_one_more_thread_each_at_most() {
    alone("alone_single_frames_take_one_more_thread_each_at_most");
}

#[test]
#[ignore = "single_frames_take_one_more_thread_each_at_most runs it"]
fn alone_single_frames_take_one_more_thread_each_at_most() {
    let pool = Pool::new(2).unwrap();
    let data = plain::text(300_000);
    let before = threads();
    let layout = Layout::Single(Member::default());
    let options = encode!(Encode::default(), layout, threads: 16);
    let mut writers: Vec<Writer<Vec<u8>>> =
        (0..10).map(|_| Writer::with_pool(Vec::new(), options.clone(), &pool).unwrap()).collect();
    for writer in &mut writers {
        writer.write_all(&data).unwrap();
        writer.flush().unwrap();
    }
    let most = threads();
    assert!(most <= before + 2 + writers.len(), "{most} threads, {before} before");
    for mut writer in writers {
        writer.write_all(&data).unwrap();
        let (coded, _) = writer.finish().unwrap();
        assert!(decompress(&coded).unwrap() == data.repeat(2));
    }
}

#[test]
fn streams_that_wait_hold_up_no_other_stream() {
    let pool = Pool::new(1).unwrap();
    let frame = compress(&plain::text(100_000), &encode!(Encode::default(), index: false));
    // Each of these has half a frame, and waits for the rest.
    let mut waiting: Vec<(UnixStream, Reader<UnixStream>)> = (0..20)
        .map(|_| {
            let (mut here, there) = UnixStream::pair().unwrap();
            there.set_nonblocking(true).unwrap();
            here.write_all(&frame[..frame.len() / 2]).unwrap();
            (here, Reader::with_pool(there, Decode::default(), &pool).unwrap())
        })
        .collect();
    for (_, reader) in &mut waiting {
        assert!(reader.read(&mut [0]).is_err());
    }
    let data = plain::text(5 << 20);
    let coded = compress(&data, &Encode::default());
    let mut plain = Vec::new();
    Reader::with_pool(&coded[..], Decode::default(), &pool).unwrap().read_to_end(&mut plain).unwrap();
    assert!(plain == data);
    for (mut here, mut reader) in waiting {
        here.write_all(&frame[frame.len() / 2..]).unwrap();
        let mut first = [0; 100];
        while reader.read(&mut first).is_err() {}
        assert!(first == plain::text(100_000)[..100]);
    }
}

#[test]
fn streams_are_used_from_many_threads_at_once() {
    let pool = Pool::new(2).unwrap();
    std::thread::scope(|scope| {
        for at in 0..8 {
            let pool = &pool;
            scope.spawn(move || {
                for (options, _) in layouts().into_iter().skip(at % 3).step_by(3) {
                    let data = plain::text(400_000 + at);
                    let mut writer = Writer::with_pool(Vec::new(), options.clone(), pool).unwrap();
                    writer.write_all(&data).unwrap();
                    let (coded, _) = writer.finish().unwrap();
                    let mut plain = Vec::new();
                    let mut reader = Reader::with_pool(&coded[..], Decode::default(), pool).unwrap();
                    reader.read_to_end(&mut plain).unwrap();
                    assert!(plain == data, "{}", name(&options));
                }
            });
        }
    });
}

#[test]
fn a_pool_ends_its_threads_with_its_last_stream() {
    let (before, data) = (threads(), plain::text(8 << 20));
    for _ in 0..20 {
        let pool = Pool::new(4).unwrap();
        let mut writer = Writer::with_pool(Vec::new(), Encode::default(), &pool).unwrap();
        drop(pool);
        writer.write_all(&data).unwrap();
        writer.finish().unwrap();
    }
    let started = std::time::Instant::now();
    while threads() > before + 8 {
        assert!(started.elapsed().as_secs() < 20, "{} threads, {before} before", threads());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn progress_is_counted_and_can_cancel() {
    let progress = Progress::default();
    let options = encode!(Encode::default(), progress: progress.clone());
    let data = plain::text(8 << 20);
    let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
    writer.write_all(&data[..4 << 20]).unwrap();
    writer.flush().unwrap();
    assert_eq!(progress.bytes_in(), 4 << 20);
    assert!(progress.bytes_out() > 0);
    progress.cancel();
    let error = writer.write_all(&data).and_then(|()| writer.flush()).unwrap_err();
    assert!(matches!(Error::of(&error), Some(Error::Cancelled)), "{error:?}");

    let coded = compress(&data, &Encode::default());
    let progress = Progress::default();
    let options = decode!(Decode::builder(), progress: progress.clone());
    let mut reader = Reader::new(&coded[..], options).unwrap();
    reader.read_exact(&mut [0; 10]).unwrap();
    assert!(progress.bytes_in() > 0 && progress.bytes_out() > 0);
    progress.cancel();
    let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
    assert!(matches!(Error::of(&error), Some(Error::Cancelled)), "{error:?}");
}
