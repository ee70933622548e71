//! DEFLATE in other wrappers: zlib streams and zip files with one entry, read by other programs.
//!
//! The peers are pigz, gzip, funzip and Python. Add data to `inputs`, or a reader to the lists of command lines.

use std::io::Read;

use crate::common::{Dribble, compress, pipe, plain};
use pzcomp::{Compress, Encode, Format, Input, Layout, Member};

fn options(format: Format, level: i32) -> Encode {
    encode!(Encode::builder(format), level: level, threads: 3, block_size: 8192)
}

fn named(name: &str, modified: u32) -> Layout {
    Layout::Single(with!(Member { name: Some(name.as_bytes().to_vec()), modified, comment: None }))
}

/// Whatever makes blocks of different kinds, of lengths around the chunk's and its multiples.
fn inputs() -> Vec<Vec<u8>> {
    let mixed = [plain::text(20_000), plain::random(20_000), vec![0; 20_000], plain::text(9_000)].concat();
    [0, 1, 8191, 8192, 8193, 16_384, 40_000, mixed.len()].map(|len| mixed[..len].to_vec()).into()
}

/// Runs a shell command in a folder with `coded` as `a.zip`.
fn with_zip(command: &str, coded: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.zip"), coded).unwrap();
    String::from_utf8(pipe(&format!("cd '{}' && {command}", folder.path().display()), b"")).unwrap()
}

#[test]
fn zlib_streams_are_those_of_zlib() {
    for level in 0..=12 {
        for input in inputs() {
            let coded = compress(&input, &options(Format::Zlib, level));
            let mut decoder = flate2::bufread::ZlibDecoder::new(&coded[..]);
            let mut plain = Vec::new();
            decoder.read_to_end(&mut plain).unwrap();
            assert!(plain == input && decoder.into_inner().is_empty(), "-{level}, {} bytes", input.len());
        }
    }
    let heads = [(1, 0x01), (5, 0x5e), (6, 0x9c), (9, 0xda)];
    for (level, flags) in heads {
        assert_eq!(compress(b"x", &options(Format::Zlib, level))[..2], [0x78, flags], "-{level}");
    }
}

#[test]
fn pigz_reads_zlib_streams() {
    for input in inputs() {
        assert!(pipe("pigz -dc", &compress(&input, &options(Format::Zlib, 6))) == input);
    }
}

#[test]
fn zip_files_are_read_from_pipes() {
    for input in inputs() {
        let coded = compress(&input, &options(Format::Zip, 6));
        for command in ["gzip -dc", "pigz -dc", "funzip"] {
            assert!(pipe(command, &coded) == input, "{command}, {} bytes", input.len());
        }
    }
}

#[test]
fn zip_files_are_read_by_their_directory() {
    const READER: &str = "import sys, zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; \
                          i = z.infolist()[0]; print(i.filename, i.file_size, i.date_time, len(z.read(i)))";
    for input in inputs() {
        let layout = named("dump.sql", 1_700_000_000);
        let coded = compress(&input, &encode!(options(Format::Zip, 9), layout));
        let expected = format!("dump.sql {0} (2023, 11, 14, 22, 13, 20) {0}\n", input.len());
        assert_eq!(with_zip(&format!("python3 -c \"{READER}\""), &coded), expected);
        assert!(with_zip("unzip -t a.zip", &coded).contains("No errors detected"));
        let facts = with_zip("TZ=UTC zipinfo -v a.zip", &coded);
        for fact in
            ["2023 Nov 14 22:13:20 UTC", "Unix file attributes (100644 octal)", "extended local header"]
        {
            assert!(facts.contains(fact), "{fact} in {facts}");
        }
    }
}

#[test]
fn names_in_zip_files_are_as_given() {
    let list = |layout| {
        let coded = compress(b"x", &encode!(options(Format::Zip, 6), layout));
        with_zip("python3 -c \"import zipfile; print(ascii(zipfile.ZipFile('a.zip').namelist()))\"", &coded)
    };
    assert_eq!(list(Layout::Frames), "['-']\n");
    assert_eq!(list(Layout::Single(Member::default())), "['-']\n");
    assert_eq!(list(named("bär", 0)), "['b\\xe4r']\n");
}

#[test]
fn output_depends_on_neither_threads_nor_the_pace_of_the_input() {
    let input = plain::text(300_000);
    for format in [Format::Zlib, Format::Zip] {
        for rsyncable in [false, true] {
            let options = encode!(options(format, 1), rsyncable);
            let coded = compress(&input, &options);
            for threads in [1, 2, 8] {
                assert!(compress(&input, &encode!(options.clone(), threads)) == coded, "{format}");
            }
            let mut dribbled = Vec::new();
            Compress::new(&options).run(Input::reader(Dribble::new(&input, 777)), &mut dribbled).unwrap();
            assert!(dribbled == coded, "{format}");
            let tool = if format == Format::Zip { "funzip" } else { "pigz -dc" };
            assert!(pipe(tool, &coded) == input, "{format}, rsyncable: {rsyncable}");
        }
    }
}

#[test]
fn a_zlib_stream_has_no_room_for_a_name() {
    let error = Encode::zlib(6).layout(named("a", 0)).build().unwrap_err();
    assert!(
        error.to_string().starts_with("zlib cannot be written with a file name or a modification time"),
        "{error}"
    );
}
