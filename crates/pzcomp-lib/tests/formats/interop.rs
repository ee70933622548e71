//! The real tools read what we write, without options, and we read what they write.
//!
//! The tools come with `make test`; one that is absent fails here. Most tests are tables of command lines: add a line
//! for another tool or option.

use crate::common::{compress, decompress, pipe, plain, small};
use pzcomp::{Encode, Format, Recovery};

/// Runs a shell command in a temporary folder that holds `input` as a file, and returns what it left in `output`.
fn in_folder(command: &str, input: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("input"), input).unwrap();
    pipe(&format!("cd '{}' && {command}", folder.path().display()), b"");
    std::fs::read(folder.path().join("output")).unwrap()
}

fn sample() -> Vec<u8> {
    [plain::text(700_000), plain::random(300_000), vec![0; 300_000], plain::text(100_000)].concat()
}

#[test]
fn the_standard_tools_read_what_we_write() {
    let readers = [
        (Format::Zstd, &["zstd -dc", "pzstd -q -d -c"][..]),
        (
            Format::Gzip,
            &[
                "gzip -dc",
                "pigz -dc",
                "bgzip -dc",
                "zcat",
                "python3 -c 'import gzip,sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))'",
            ],
        ),
        (Format::Lz4, &["lz4 -dc"]),
        (Format::Xz, &["xz -dc", "xz -T2 -dc", "pixz -d"]),
        (Format::Bzip2, &["bzip2 -dc", "pbzip2 -dc", "lbzip2 -dc"]),
        (Format::Lzip, &["lzip -dc", "plzip -n2 -dc"]),
    ];
    for data in [sample(), Vec::new(), b"x".to_vec()] {
        for (format, commands) in readers {
            for options in [small(format), encode!(Encode::builder(format), threads: 2)] {
                let coded = compress(&data, &options);
                for command in commands {
                    if data.is_empty() && *command == "pixz -d" {
                        continue; // It fails on its own empty files as well.
                    }
                    assert!(pipe(command, &coded) == data, "{command} of {} bytes", data.len());
                }
            }
        }
    }
}

#[test]
fn the_standard_tools_pass_recovery_records() {
    let readers = [
        (Format::Zstd, &["zstd -dc", "pzstd -q -d -c"][..]),
        (Format::Gzip, &["gzip -dc", "pigz -dc", "igzip -dc", "bgzip -dc", "libdeflate-gunzip -c", "zcat"]),
        (Format::Lz4, &["lz4 -dc"]),
    ];
    let records = with!(Recovery { span: 128 << 10, per_mille: 100, ..Recovery::default() });
    for data in [sample(), Vec::new(), b"x".to_vec()] {
        for (format, commands) in readers {
            let coded = compress(&data, &encode!(small(format), recovery: records));
            assert!(coded.len() > 180, "there are records");
            for command in commands {
                assert!(pipe(command, &coded) == data, "{command} of {} bytes", data.len());
            }
        }
    }
}

#[test]
fn the_standard_tools_find_nothing_to_complain_of() {
    let data = sample();
    for (format, command) in [
        (Format::Zstd, "zstd -qt"),
        (Format::Gzip, "gzip -t"),
        (Format::Gzip, "pigz -t"),
        (Format::Lz4, "lz4 -t"),
        (Format::Xz, "xz -t"),
        (Format::Bzip2, "bzip2 -t"),
        (Format::Lzip, "lzip -t"),
        (Format::Lzip, "plzip -t"),
    ] {
        assert!(pipe(command, &compress(&data, &small(format))).is_empty(), "{command}");
    }
}

#[test]
fn we_read_what_the_standard_tools_and_their_cousins_write() {
    let data = sample();
    let writers = [
        "zstd -c",
        "zstd -1 -c",
        "zstd -19 -T2 -c",
        "zstd -T2 --long=27 -c",
        "zstd --no-check -c",
        "zstd --ultra -20 -c",
        "zstd --fast=5 -c",
        "zstd -T2 --rsyncable -c",
        "pzstd -q -p2 -c",
        "pzstd -q -p2 -1 -c",
        "gzip -c",
        "gzip -1 -c",
        "gzip -9nc",
        "pigz -c",
        "pigz -p2 -b 128 -i -c",
        "pigz -0 -c",
        "pigz -11 -c",
        "pigz -p1 -c",
        "bgzip -c",
        "bgzip -@2 -c",
        "libdeflate-gzip -c",
        "lz4 -c",
        "lz4 -BD -c",
        "lz4 -B4 -BD -c",
        "lz4 -B4 -BX -c",
        "lz4 -l -c",
        "lz4 -9 -c",
        "lz4 --no-frame-crc -c",
        "lz4 --content-size -c",
        "xz -c",
        "xz -T2 -c",
        "xz -0 -T2 --block-size=100KiB -c",
        "xz -0 --check=none -c",
        "xz -0 --check=crc32 -c",
        "xz -0 --check=sha256 -c",
        "xz -9e -c",
        "pixz",
        "bzip2 -c",
        "bzip2 -1 -c",
        "bzip2 -4 -c",
        "pbzip2 -p2 -c",
        "pbzip2 -p2 -1 -b1 -c",
        "lbzip2 -n2 -c",
        "lbzip2 -n2 -1 -c",
        "lzip -c",
        "lzip -0 -c",
        "lzip -9 -c",
        "plzip -n2 -c",
        "plzip -n2 -1 -B 100KiB -c",
    ];
    // These take their time, and less of the data is enough for what they write.
    let slow = ["zstd -19 -T2 -c", "zstd --ultra -20 -c", "pigz -11 -c", "xz -9e -c", "lzip -9 -c"];
    for command in writers {
        let data = if slow.contains(&command) { &data[650_000..1_020_000] } else { &data };
        let coded = pipe(command, data);
        assert!(decompress(&coded).unwrap() == data, "{command}");
        let twice = [&coded[..], &coded].concat();
        assert!(decompress(&twice).unwrap() == [data, data].concat(), "{command}, concatenated");
    }
}

#[test]
fn we_read_what_is_written_from_files() {
    let data = sample();
    for command in [
        // A name, a time and a comment in the header; the size in that of zstd and lz4.
        "gzip -N input && mv input.gz output",
        "zstd -q input -o output",
        "zstd -q --stream-size=1400000 < input > output",
        "lz4 -q --content-size input output",
        "xz -k input && mv input.xz output",
        "bzip2 -k input && mv input.bz2 output",
        "lzip -k input && mv input.lz output",
    ] {
        assert!(decompress(&in_folder(command, &data)).unwrap() == data, "{command}");
    }
}

#[test]
fn an_empty_input_of_every_tool_is_empty() {
    for command in [
        "zstd -c",
        "gzip -c",
        "pigz -c",
        "bgzip -c",
        "lz4 -c",
        "xz -c",
        "bzip2 -c",
        "pbzip2 -c",
        "lbzip2 -c",
        "lzip -c",
        "plzip -c",
    ] {
        assert!(decompress(&pipe(command, b"")).unwrap().is_empty(), "{command}");
    }
}

#[test]
fn the_seek_table_says_what_an_independent_reader_finds() {
    // Written against the specification of the Seekable Format, in another language, without our code.
    const READER: &str = r#"
import struct, sys
data = sys.stdin.buffer.read()
count, flags, magic = struct.unpack("<IBI", data[-9:])
assert magic == 0x8F92EAB1 and flags & 0x7c == 0, (hex(magic), flags)
entry = 12 if flags & 0x80 else 8
size = count * entry + 9
kind, length = struct.unpack("<II", data[-size - 8:-size])
assert kind == 0x184D2A5E and length == size, (hex(kind), length, size)
entries = [struct.unpack("<II", data[at:at + 8]) for at in range(len(data) - size, len(data) - 9, entry)]
assert sum(coded for coded, _ in entries) == len(data) - size - 8
at = 0
for coded, plain in entries:
    print(at, coded, plain)
    at += coded
"#;
    let data = sample();
    for (format, tool) in [(Format::Zstd, "zstd -dc"), (Format::Lz4, "lz4 -dc")] {
        let coded = compress(&data, &small(format));
        let table = pipe(&format!("python3 -c '{READER}'"), &coded);
        let mut at = 0;
        for row in String::from_utf8(table).unwrap().lines() {
            let numbers: Vec<usize> = row.split(' ').map(|number| number.parse().unwrap()).collect();
            let &[start, coded_len, plain_len] = &numbers[..] else { panic!("{row}") };
            let frame = &coded[start..start + coded_len];
            // Every frame by itself, by the tool of the format.
            if at < 400_000 || at + plain_len == data.len() {
                assert!(pipe(tool, frame) == data[at..at + plain_len], "{format}, frame at {start}");
            }
            at += plain_len;
        }
        assert_eq!(at, data.len(), "{format}");
    }
}

#[test]
fn the_tools_list_the_sizes_of_our_files() {
    let data = sample();
    let list = |format, command: &str| {
        String::from_utf8(in_folder(command, &compress(&data, &small(format)))).unwrap()
    };
    let zstd = list(Format::Zstd, "mv input a.zst && zstd -lv a.zst > output");
    assert!(zstd.contains(&format!("({} B)", data.len())), "{zstd}");
    let xz = list(Format::Xz, "mv input a.xz && xz --robot -l a.xz > output");
    assert!(xz.contains(&format!("\t{}\t", data.len())), "{xz}");
}
