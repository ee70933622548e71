//! The memory of the process stays below its ceiling, whatever the length of the stream.
//!
//! Linux only: the peak is read from `/proc` while the process waits for us.
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use libdeflater::crc32;

use crate::common::old::{self, Lzop};
use crate::common::qpress::packets::{Mode, packet};
use crate::common::qpress::{block, chunk, end};
use crate::common::{compress, pipe, plain};
use crate::harness::{Folder, Run};
use crate::sevenz::{Packed, archive, header, stored_lzma2};
use pzcomp::{Encode, Format, Layout, Member};

const MIB: usize = 1 << 20;

/// What a pipe can hold that has been grown, and the piece that is being written.
const HELD_BACK: usize = 4 * MIB;

fn start(args: &str) -> (Child, ChildStdin, ChildStdout) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pzcomp"))
        .args(args.split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, stdin, stdout)
}

/// Peak resident memory so far, in bytes.
fn peak(child: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib << 10
}

/// Compresses `len` bytes, and reads the peak before the end of the input is told.
fn compression(args: &str, len: usize) -> usize {
    let (mut child, mut stdin, mut stdout) = start(args);
    let reader = std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()).unwrap());
    // Half of it does not become smaller: the buffers for frames are used in full.
    let block = [plain::text(MIB / 2), plain::random(MIB / 2)].concat();
    for _ in 0..len / MIB {
        stdin.write_all(&block).unwrap();
    }
    let peak = peak(&child);
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(reader.join().unwrap() > 0);
    peak
}

/// Decompresses `coded`, `times` over, and reads the peak before the last of the output is taken.
fn decompression(coded: &[u8], plain_len: usize, times: usize) -> usize {
    let (mut child, mut stdin, mut stdout) = start("-d -p 2");
    std::thread::scope(|scope| {
        scope.spawn(move || (0..times).for_each(|_| stdin.write_all(coded).unwrap()));
        let mut left = plain_len * times - HELD_BACK;
        let mut buffer = vec![0; MIB];
        while left > 0 {
            let most = left.min(MIB);
            let read = stdout.read(&mut buffer[..most]).unwrap();
            assert!(read > 0, "ended early");
            left -= read;
        }
        let peak = peak(&child);
        let rest = std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        assert_eq!(rest, HELD_BACK as u64);
        assert!(child.wait().unwrap().success());
        peak
    })
}

/// A zstd frame of 62 MiB with a window of 64 MiB. It does not state its length, so two workers share it: the first
/// part has nearly all of it, and the second has the end.
fn frame_of_two_parts() -> (Vec<u8>, usize) {
    const BLOCK: usize = MIB / 8;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 16 << 3];
    let mut block = |kind: u32, len: usize, content: &[u8], is_last: bool| {
        let header = (len as u32) << 3 | kind << 1 | u32::from(is_last);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(content);
    };
    (0..493).for_each(|_| block(1, BLOCK, b"x", false));
    (0..3).for_each(|_| block(0, BLOCK, &plain::random(BLOCK), false));
    block(0, 3, b"end", true);
    (frame, 496 * BLOCK + 3)
}

#[test]
fn frames_that_begin_in_one_worker_and_end_in_another_keep_few_windows() {
    let ((frame, plain_len), times) = (frame_of_two_parts(), 24);
    let (mut child, mut stdin, mut stdout) = start("-d -p 2");
    std::thread::scope(|scope| {
        scope.spawn(move || (0..times).for_each(|_| stdin.write_all(&frame).unwrap()));
        let (mut read, mut peak_so_far) = (0, 0);
        // The workers are ahead of this reader, so what they have decoded waits for it.
        while read < times * plain_len - HELD_BACK {
            let most = (32 * MIB).min(times * plain_len - HELD_BACK - read);
            read +=
                std::io::copy(&mut (&mut stdout).take(most as u64), &mut std::io::sink()).unwrap() as usize;
            peak_so_far = peak(&child);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let rest = std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        assert_eq!(rest, HELD_BACK as u64);
        assert!(child.wait().unwrap().success());
        // Two windows for each worker: that of the frame, and that of a frame before.
        assert!(peak_so_far <= 4 * 66 * MIB + 56 * MIB, "{} KiB", peak_so_far >> 10);
    });
}

#[test]
fn compression_on_two_threads_stays_below_its_ceiling() {
    for (args, len, ceiling) in [
        ("-F zstd -3 -p 2", 160 * MIB, 48 * MIB),
        ("-F gzip -1 -p 2", 96 * MIB, 32 * MIB),
        ("-F lz4 -1 -p 2", 160 * MIB, 48 * MIB),
        ("-F bzip2 -9 -p 2", 24 * MIB, 64 * MIB),
    ] {
        let peak = compression(args, len);
        assert!(peak <= ceiling, "{args}: {} KiB, more than {} KiB", peak >> 10, ceiling >> 10);
    }
}

#[test]
fn decompression_on_two_threads_stays_below_64_mib() {
    // Most of the time goes into the text, so there is little of it. All together is several times the ceiling.
    let data = [plain::text(3 * MIB), plain::random(2 * MIB), vec![0; 19 * MIB]].concat();
    for format in Format::all() {
        for block_size in [MIB, 16 * MIB] {
            let level = if format == Format::Xz { 0 } else { 1 };
            let options = encode!(Encode::builder(format), level, block_size);
            let coded = compress(&data, &options);
            let peak = decompression(&coded, data.len(), 8);
            assert!(peak <= 64 * MIB, "{format} {block_size}: {} KiB", peak >> 10);
        }
    }
}

#[test]
fn a_ceiling_by_option_is_kept() {
    // The ceiling counts 6 MiB for the program. A program without optimisation is larger.
    let program = compression("-p 1 -F lz4", 1).saturating_sub(6 * MIB);
    for (args, ceiling) in
        [("-M 24M -p 64 -F gzip -1", 24), ("-M 40M -p 64 -3", 40), ("-M 16M -p 8 -F lz4", 16)]
    {
        let peak = compression(args, 64 * MIB);
        assert!(peak <= ceiling * MIB + program, "{args}: {} KiB", peak >> 10);
    }
}

#[test]
fn long_frames_keep_the_limit_of_memory_and_decode() {
    // The highest levels remember more of the window. The last ceiling is what -v says.
    for (args, len, ceiling) in [
        ("-M 100M -p 8 --long=24 -3", 128, 100),
        ("-M 600M -p 8 --long -3", 400, 600),
        ("-M 240M -p 8 --long=24 -19", 48, 240),
        ("-p 3 --long=24 -3", 192, 206),
    ] {
        let peak = compression(args, len * MIB);
        assert!(peak <= ceiling * MIB, "{args}: {} KiB", peak >> 10);
    }
}

/// The originals take such numbers, too.
#[test]
fn thousands_of_threads_are_not_started_under_other_names() {
    for args in [
        "--as pigz -p 20000 -c",
        "--as bgzip -@ 20000 -c",
        "--as lbzip2 -n 20000 -c",
        "--as pbzip2 -p20000 -c",
        "--as xz -0 -T16384 -c",
        "--as lzip -0 -n 9999 -c",
        "--as plzip -0 -n 20000 -c",
        "--as zstd -T20000 -c",
    ] {
        let peak = compression(args, MIB);
        assert!(peak <= 128 * MIB, "{args}: {} KiB", peak >> 10);
    }
}

#[test]
fn parts_of_a_member_that_become_a_thousand_times_as_long_pass_through() {
    let zeros = vec![0; 768 * MIB];
    let options = encode!(Encode::builder(Format::Gzip), level: 1, layout: Layout::Single(Member::default()));
    let coded = compress(&zeros, &options);
    assert!(coded.len() > 2 * (256 << 10), "parts of 256 KiB: {}", coded.len());
    let peak = decompression(&coded, zeros.len(), 1);
    assert!(peak <= 64 * MIB, "{} KiB", peak >> 10);
}

#[test]
fn zeros_of_many_times_the_ceiling_in_a_few_bytes_pass_through() {
    let zeros = vec![0; 32 * MIB];
    for format in Format::all() {
        let options = encode!(Encode::builder(format), level: 1);
        let coded = compress(&zeros, &options);
        let peak = decompression(&coded, zeros.len(), 12);
        assert!(peak <= 64 * MIB, "{format}: {} KiB", peak >> 10);
    }
}

#[test]
fn blocks_of_a_frame_that_workers_share_stay_below_64_mib() {
    let data = [plain::text(12 * MIB), plain::random(24 * MIB), vec![0; 160 * MIB]].concat();
    for size in ["-B4", "-B7"] {
        let coded = pipe(&format!("lz4 -q {size}"), &data);
        let peak = decompression(&coded, data.len(), 2);
        assert!(peak <= 64 * MIB, "{size}: {} KiB", peak >> 10);
    }
}

/// The formats of old tools, which pzcomp does not write. The archives come from files, because 7z is read from files
/// only.
#[test]
fn decompression_of_old_formats_on_two_threads_stays_below_64_mib() {
    const LEN: usize = 4 * MIB;
    const TIMES: usize = 24;
    let data = [plain::text(LEN / 2), plain::random(LEN / 2)].concat();
    let lzop = Lzop { block_len: 256 << 10, ..Lzop::default() };
    for coded in [lzop.file(&data), old::lzf(&data, 60_000)] {
        let peak = decompression(&coded, LEN, TIMES);
        assert!(peak <= 64 * MIB, "{:02x?}: {} KiB", &coded[..4], peak >> 10);
    }
    let all = data.repeat(TIMES);
    let mut qpress = b"qpress10".to_vec();
    qpress.extend((64_u64 << 10).to_le_bytes());
    qpress.extend(b"F\x01\0\0\0f\0");
    for (at, plain) in all.chunks(64 << 10).enumerate() {
        qpress.extend(block((at as u64) << 16, &packet(plain, 1, Mode::Stored)));
    }
    qpress.extend(b"ENDSENDS\0\0\0\0\0\0\0\0");
    let chunks = stored_lzma2(&all, 60_000);
    let lzma2 = Packed::lzma2(chunks.len() as u64, all.len() as u64, 24);
    let sevenz = archive(&chunks, &header(&[lzma2], &[Some(crc32(&all))]));
    for (name, coded) in [("a.qp", qpress), ("a.7z", sevenz)] {
        let folder = Folder::new();
        folder.write(name, coded);
        let mut command = folder.command(["-dc", "-p", "2", name]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let most = (all.len() - HELD_BACK) as u64;
        assert_eq!(std::io::copy(&mut stdout.by_ref().take(most), &mut std::io::sink()).unwrap(), most);
        let peak = peak(&child);
        assert_eq!(std::io::copy(&mut stdout, &mut std::io::sink()).unwrap(), HELD_BACK as u64);
        assert!(child.wait().unwrap().success());
        assert!(peak <= 64 * MIB, "{name}: {} KiB", peak >> 10);
    }
}

#[test]
fn a_window_of_all_addresses_is_refused_in_words() {
    // One segment, whose content size has eight bytes, and a raw block of no bytes.
    let mut coded = vec![0x28, 0xB5, 0x2F, 0xFD, 0xE0];
    coded.extend([0xFF; 8]);
    coded.extend([0x01, 0, 0]);
    for args in ["-d -p1", "-d -p2", "-d -p16"] {
        let run = Folder::new().pipe(args, &coded);
        assert!(run.stdout.is_empty(), "{args}");
        run.says(1, &["the window of the zstd frame at offset 0 needs 17179869184GiB"]);
    }
}

#[test]
fn interleaved_members_of_an_xbstream_keep_the_ceiling_together() {
    const MEMBERS: usize = 24;
    // Runs of 128 KiB, with a window of 8 MiB.
    let frame = |blocks: usize| {
        let mut coded = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 13 << 3];
        for number in 1..=blocks {
            let header = (128 << 10) << 3 | 2 | u32::from(number == blocks);
            coded.extend(&header.to_le_bytes()[..3]);
            coded.push(b'a');
        }
        coded
    };
    let coded = frame(80);
    let (begin, rest) = coded.split_at(coded.len() - 40);
    let path = |number: usize| format!("{number}.zst");
    let begins = (0..MEMBERS).flat_map(|number| chunk(&path(number), 0, begin));
    let ends = (0..MEMBERS)
        .flat_map(|number| [chunk(&path(number), begin.len(), rest), end(&path(number))].concat());
    let stream: Vec<u8> = begins.chain(ends).collect();
    let run = |ceiling: &str| {
        let (mut child, mut stdin, mut stdout) = start(&format!("-d -p 2 --xbstream -M {ceiling}"));
        let reader = std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()).unwrap());
        stdin.write_all(&stream).unwrap();
        let peak = peak(&child);
        drop(stdin);
        (peak, child.wait().unwrap().success(), reader.join().unwrap())
    };
    let (peak, is_right, _) = run("200M");
    assert!(!is_right && peak <= 200 * MIB, "{} MiB of 200", peak / MIB);
    let (peak, is_right, written) = run("800M");
    assert!(is_right && peak <= 800 * MIB, "{} MiB of 800", peak / MIB);
    assert!(written > (MEMBERS * 80 * 128) as u64 * 1024);
}

/// A file may have millions of frames. What is kept of each counts towards `-M`.
#[test]
fn lists_of_frames_stay_below_the_memory_that_is_allowed() {
    let folder = Folder::new();
    let padding = [&b"\xff\x06\0\0sNaPpY"[..], &b"\xfe\0\0\0".repeat(2_000_000)].concat();
    let short = compress(b"a", &encode!(Encode::default(), index: false)).repeat(500_000);
    for (name, coded) in [("padding", padding), ("short", short)] {
        folder.write(name, coded);
        for args in ["--index", "-l --frames"] {
            let line = format!("ulimit -v 150000; exec $0 -p1 -M 64M {args} {name} > out");
            let Run { status, stderr, .. } = folder.sh(&line);
            let expected = if args == "--index" { Some(1) } else { Some(0) };
            assert_eq!(status.code(), expected, "{name}, {args}: {stderr}");
            let is_full = stderr.contains("places needs 65MiB of memory, but only 64MiB is allowed");
            assert!(args != "--index" || is_full, "{stderr}");
        }
    }
    folder.write("empty", pipe("zstd -q --no-check", b"").repeat(20_000));
    folder.run("-p1 --index empty").fine();
    // Frames without data have no record.
    assert_eq!(folder.read("empty.pzi").len(), 128);
}

/// The chunk comes through a pipe and is shorter than others of its stream would be.
#[test]
fn a_last_chunk_is_in_memory_once() {
    const LEN: usize = 40;
    let (mut child, mut stdin, mut stdout) = start("-F lz4 -p 1 -b 64M");
    let block = plain::random(MIB);
    (0..LEN).for_each(|_| stdin.write_all(&block).unwrap());
    drop(stdin);
    // The first output comes when the whole chunk has been coded, so its frame is in memory too.
    stdout.read_exact(&mut [0; 1]).unwrap();
    let peak = peak(&child);
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(peak < (2 * LEN + 30) * MIB, "{} MiB", peak / MIB);
}
