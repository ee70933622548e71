//! qpress archives of the tests' own writer: files and folders, damage of all kinds, and the choice of a file.
//!
//! `scripts/demo-mariadb.sh --compressed` reads the archives of mariadb-backup. No Debian package has the program
//! qpress.

use std::io::{Read, Seek, SeekFrom};

use crate::common::outcome::{is_decoded, is_refused};
use crate::common::plain::{self, Random};
use crate::common::qpress::packets::{Mode, packet, sample};
use crate::common::qpress::{Archive, archive, block};
use crate::common::{Dribble, flipped, fuzz_end};
use pzcomp::inspect::List;
use pzcomp::{Decode, Decompress, Encode, EntryChoice, Error, Format, Input, Output, Seekable};

fn with_entry(coded: &[u8], entry: EntryChoice, threads: usize) -> (Vec<u8>, Result<pzcomp::Summary, Error>) {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), entry, threads);
    let result = Decompress::new(&options).run(Input::reader(coded), &mut back);
    (back, result)
}

/// Files by their names.
type Files = Vec<(&'static str, Vec<u8>)>;

/// An archive with folders, and the files in it.
fn tree() -> (Vec<u8>, Files) {
    let files = vec![
        ("first", plain::text(1_100)),
        ("empty", Vec::new()),
        ("a/b/second", plain::random(300)),
        ("a/third", plain::text(450)),
        ("last", b"x".to_vec()),
    ];
    let data = |at: usize| &files[at].1;
    let archive = Archive::new(1, 256).file("first", data(0)).file("empty", data(1)).down("a").down("b");
    let archive = archive.file("second", data(2)).up().file("third", data(3)).down("no-files").up().up();
    (archive.file("last", data(4)).bytes, files)
}

#[test]
fn archives_of_all_levels_and_lengths_are_decoded() {
    for level in 1..=3 {
        for (len, chunk_len) in
            [(0, 1000), (1, 1000), (999, 1000), (1000, 1000), (70_001, 1000), (900_000, 65_536)]
        {
            let plain = [plain::text(len / 2), sample(len - len / 2, 3)].concat();
            is_decoded(&archive(&plain, level, chunk_len), &plain, &format!("level {level}, {len} bytes"));
        }
    }
}

#[test]
fn blocks_longer_than_a_piece_of_output_are_decoded() {
    let plain: Vec<u8> = plain::text(100_000).into_iter().cycle().take(5_500_000).collect();
    let mut coded = Archive::new(1, plain.len()).bytes;
    coded.extend(b"F\x01\0\0\0f\0");
    coded.extend(block(0, &packet(&plain, 3, Mode::Stored)));
    coded.extend(b"ENDSENDS\0\0\0\0\0\0\0\0");
    is_decoded(&coded, &plain, "a block of 5.5 MB");
    // What a block demands counts for the limit of memory.
    let options = decode!(Decode::builder(), window_limit: 8 << 20);
    let error = Decompress::new(&options).run(Input::reader(&coded[..]), &mut Vec::new()).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
}

#[test]
fn one_file_all_files_or_the_first_are_decoded() {
    let (coded, files) = tree();
    for threads in [1, 2, 4] {
        let (back, result) = with_entry(&coded, EntryChoice::First, threads);
        assert!(back == files[0].1);
        let entries = result.unwrap().entries;
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["first", "empty", "a/b/second", "a/third", "last"]);
        let chosen: Vec<bool> = entries.iter().map(|entry| entry.is_chosen).collect();
        assert_eq!(chosen, [true, false, false, false, false]);
        let (back, result) = with_entry(&coded, EntryChoice::All, threads);
        result.unwrap();
        assert!(back == files.iter().flat_map(|file| file.1.clone()).collect::<Vec<u8>>());
        for (name, plain) in &files {
            let (back, result) = with_entry(&coded, EntryChoice::named(name), threads);
            result.unwrap();
            assert!(back == *plain, "{name}");
        }
        for name in ["second", "a", "a/b", "", "firs"] {
            let (back, result) = with_entry(&coded, EntryChoice::named(name), threads);
            let error = result.unwrap_err().to_string();
            assert!(back.is_empty() && error.contains("it holds: first, empty, a/b/second"), "{error}");
        }
    }
}

#[test]
fn a_name_is_refused_in_formats_without_names() {
    let coded = crate::common::compress(b"x", &crate::common::small(Format::Gzip));
    let (_, result) = with_entry(&coded, EntryChoice::named("x"), 1);
    assert!(matches!(result, Err(Error::Unsupported { format: "gzip", offset: 0, .. })));
}

#[test]
fn a_listing_states_every_file_without_decoding() {
    let (mut coded, files) = tree();
    let all = decode!(Decode::builder(), entry: EntryChoice::All);
    // A listing believes the headers, so damage inside a packet makes no difference to it.
    let at = coded.windows(8).position(|window| window == b"NEWBNEWB").unwrap();
    coded[at + 60] ^= 1;
    let listing = List::new(&all).decode(true).run(Input::Memory(&coded)).unwrap();
    assert_eq!(listing.plain_len, Some(files.iter().map(|file| file.1.len() as u64).sum()));
    assert_eq!((listing.check, listing.formats), ("Adler32", vec![Format::Qpress]));
    for (entry, (name, plain)) in listing.entries.iter().zip(&files) {
        assert_eq!((entry.name.as_str(), entry.plain_len), (*name, plain.len() as u64));
        assert!(entry.coded_len > 0);
    }
}

#[test]
fn any_place_can_be_read() {
    let plain = plain::text(300_000);
    let coded = archive(&plain, 1, 10_000);
    let mut reader = Seekable::new(coded).unwrap();
    for (at, len) in [(0, 10), (9_995, 10), (123_456, 50_000), (299_999, 1)] {
        let mut buffer = vec![0; len];
        reader.seek(SeekFrom::Start(at as u64)).unwrap();
        reader.read_exact(&mut buffer).unwrap();
        assert!(buffer == plain[at..at + len], "{at}");
    }
}

#[test]
fn an_archive_cut_anywhere_is_truncated() {
    let (coded, files) = tree();
    let ends: Vec<usize> =
        (0..coded.len()).filter(|&at| coded[..at].ends_with(b"ENDSENDS\0\0\0\0\0\0\0\0")).collect();
    // Nothing marks the end of an archive, so it may end behind a file that is in no folder.
    let is_whole =
        |len: usize| ends[..2].contains(&len) || coded[len..].starts_with(b"Dx") || len == coded.len();
    let behind_folder = coded.windows(2).rposition(|window| window == b"UF").unwrap() + 1;
    let first_end = ends[0];
    for len in 1..coded.len() {
        let (back, result) = with_entry(&coded[..len], EntryChoice::First, 1 + len % 3);
        assert!(files[0].1.starts_with(&back), "cut at {len}");
        assert!(len < first_end || back == files[0].1, "cut at {len}");
        match result {
            Ok(_) => assert!(is_whole(len) || len == behind_folder, "cut at {len}"),
            Err(Error::Truncated { offset, .. }) => assert_eq!(offset, len as u64),
            Err(Error::NotCompressed { .. }) => assert!(len < 8, "cut at {len}"),
            Err(error) => panic!("cut at {len}: {error}"),
        }
    }
}

#[test]
fn every_wrong_bit_is_found_or_does_no_harm() {
    let plain = plain::text(400);
    for level in 1..=3 {
        let coded = Archive::new(level, 150).file("name", &plain).bytes;
        let name = 16 + 5..16 + 5 + 4;
        for bit in 0..coded.len() * 8 {
            let at = bit / 8;
            let damaged = flipped(&coded, at, 1 << (bit % 8));
            // On this thread, because there are many.
            let result = pzcomp::decompress(&damaged, &Decode::default());
            // The chunk length only limits, the name is not looked at, and the end of a file has eight idle bytes.
            let is_idle = (8..16).contains(&at) || name.contains(&at) || at >= coded.len() - 8;
            match &result {
                Ok(back) => assert!(is_idle && *back == plain, "level {level}, bit {bit} is not noticed"),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
            if bit % 13 == 0 {
                let (back, several) = with_entry(&damaged, EntryChoice::First, 3);
                assert!(plain.starts_with(&back), "level {level}, bit {bit}: wrong bytes");
                assert_eq!(several.is_ok(), result.is_ok(), "level {level}, bit {bit}: threads differ");
            }
        }
    }
}

#[test]
fn blocks_that_are_missing_doubled_or_moved_are_an_error() {
    let plain = plain::text(50_000);
    let coded = archive(&plain, 2, 5_000);
    let starts: Vec<usize> = (0..coded.len()).filter(|&at| coded[at..].starts_with(b"NEWBNEWB")).collect();
    let (head, end) = (&coded[..starts[0]], &coded[coded.len() - 16..]);
    let part = |at: usize| &coded[starts[at]..starts.get(at + 1).copied().unwrap_or(coded.len() - 16)];
    for order in [vec![0, 2, 3], vec![0, 1, 1, 2], vec![1, 0], vec![3]] {
        let blocks: Vec<u8> = order.iter().flat_map(|&at| part(at).to_vec()).collect();
        let right = order.iter().enumerate().take_while(|&(at, &number)| at == number).count();
        let (back, error) = is_refused(&[head, &blocks, end].concat(), &format!("{order:?}"));
        assert!(back == plain[..right * 5_000], "{order:?}");
        assert!(error.to_string().contains("blocks are missing or in another order"), "{error}");
    }
}

#[test]
fn lengths_that_lie_are_refused_without_taking_memory() {
    let plain = plain::text(9_000);
    let coded = archive(&plain, 1, 3_000);
    let at = 16 + 5 + 5;
    assert!(coded[at..].starts_with(b"NEWBNEWB"));
    for (field, lie) in [
        // The packet: more plain bytes than the chunk length, than possible, and none. Then a coded length beyond the
        // file.
        (25, 3_001_u32),
        (25, u32::MAX),
        (25, 0),
        (21, u32::MAX),
        (21, 8),
    ] {
        let mut lying = coded.clone();
        lying[at + field..at + field + 4].copy_from_slice(&lie.to_le_bytes());
        let (back, _) = is_refused(&lying, &format!("{lie} at {field}"));
        assert!(back.is_empty());
    }
    for len in [0_u32, u32::MAX, 65_537, 5] {
        let mut lying = coded.clone();
        lying[17..21].copy_from_slice(&len.to_le_bytes());
        is_refused(&lying, &format!("a name of {len} bytes"));
    }
}

#[test]
fn folders_must_match() {
    let (ends, begins) =
        (Archive::new(1, 100).up().file("a", b"x"), Archive::new(1, 100).down("d").file("a", b"x"));
    let (_, error) = is_refused(&ends.bytes, "a folder that ends first");
    assert!(error.to_string().contains("none has begun"), "{error}");
    assert!(matches!(is_refused(&begins.bytes, "an open folder").1, Error::Truncated { .. }));
    let nothing = Archive::new(1, 100).down("d").up();
    assert!(is_refused(&nothing.bytes, "no file").1.to_string().contains("holds no file"));
}

#[test]
fn what_follows_an_archive_is_told_apart() {
    let plain = plain::text(5_000);
    let coded = archive(&plain, 1, 1_000);
    let (back, error) = is_refused(&[&coded[..], b"garbage"].concat(), "garbage");
    assert!(back == plain && matches!(error, Error::TrailingGarbage { .. }), "{error}");
    let (back, result) = with_entry(&[&coded[..], &[0; 700]].concat(), EntryChoice::First, 2);
    assert!(back == plain && result.unwrap().trailing.zeros == 700);
    // The magic number is long, but an archive is read at the start of the input only, as a zip file.
    let (back, error) = is_refused(&[&coded[..], &coded].concat(), "two archives");
    assert!(back == plain && matches!(error, Error::TrailingGarbage { .. }), "{error}");
}

#[test]
fn what_was_decoded_leaves_before_the_input_ends() {
    let plain = plain::text(20_000);
    let coded = archive(&plain, 1, 10_000);
    // All but the end of the file.
    let mut reader =
        pzcomp::Reader::new(Dribble::new(&coded[..coded.len() - 16], 100), Decode::default()).unwrap();
    let mut back = vec![0; plain.len()];
    reader.read_exact(&mut back).unwrap();
    assert!(back == plain);
    assert!(reader.read(&mut back).is_err());
}

#[test]
fn damaged_archives_have_one_verdict_on_any_number_of_threads() {
    let (coded, files) = tree();
    let all: Vec<u8> = files.iter().flat_map(|file| file.1.clone()).collect();
    let mut random = Random(5);
    let (end, mut round) = (fuzz_end(), 0);
    while round < 150 || end.is_some_and(|end| std::time::Instant::now() < end) {
        round += 1;
        let state = random.0;
        let mut damaged = coded.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(damaged.len() as u64) as usize;
            damaged[at] = random.next() as u8;
        }
        if random.below(6) == 0 {
            damaged.truncate(random.below(damaged.len() as u64) as usize);
        }
        let (back, result) = with_entry(&damaged, EntryChoice::All, 1);
        assert!(result.is_err() || all.starts_with(&back), "state {state}: wrong bytes");
        for threads in [2, 3, 16] {
            let options = decode!(Decode::builder(), entry: EntryChoice::All, threads);
            let mut other = Vec::new();
            let output = Output::Writer(Box::new(&mut other));
            let step = 1 + random.below(3_000) as usize;
            let input = Input::Reader(Box::new(Dribble::new(&damaged, step)));
            let several = Decompress::new(&options).run(input, output);
            let told = |result: Result<pzcomp::Summary, Error>| result.err().map(|error| error.to_string());
            let expected = result.as_ref().err().map(ToString::to_string);
            // How much memory a block may demand depends on the number of threads.
            let is_of_memory =
                |told: &Option<String>| told.as_ref().is_some_and(|told| told.contains("of memory"));
            let told = told(several);
            let is_same = told == expected || is_of_memory(&told) && is_of_memory(&expected);
            assert!(is_same, "state {state}, {threads} threads: {told:?}, alone {expected:?}");
            assert!(other == back, "state {state}, {threads} threads");
        }
    }
}

#[test]
fn qpress_is_not_written() {
    let error = Encode::builder(Format::Qpress).build().unwrap_err();
    assert!(matches!(error, Error::NotWritten { format: "qpress", .. }), "{error}");
}
