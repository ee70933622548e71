//! Files with recovery records that are cut exactly between two frames. Without records such a file looks whole.

use crate::harness::{Folder, text};
use pzcomp::{Decode, Decompress, Error};

const FORMATS: [(&str, &str, &[u8]); 3] = [
    ("zstd", "zst", &[0x28, 0xb5, 0x2f, 0xfd]),
    ("gzip", "gz", &[0x1f, 0x8b, 8]),
    ("lz4", "lz4", &[0x04, 0x22, 0x4d, 0x18]),
];

/// Where frames and records begin. Some of these bytes may stand in the middle of a frame.
fn starts(coded: &[u8], magic: &[u8]) -> Vec<usize> {
    let is_skippable = |bytes: &[u8]| matches!(bytes, [0x5b | 0x5e, 0x2a, 0x4d, 0x18, ..]);
    let is_start = |&at: &usize| coded[at..].starts_with(magic) || is_skippable(&coded[at..]);
    (1..coded.len()).filter(is_start).collect()
}

/// Where the first recovery record begins.
fn first_record(coded: &[u8]) -> usize {
    coded.windows(4).position(|bytes| bytes == [0x9b, b'P', b'Z', b'R']).unwrap()
}

#[test]
fn a_cut_between_frames_is_an_error_from_the_first_record_on() {
    let plain = text(600_000);
    for (format, _, magic) in FORMATS {
        for index in ["", "--no-index"] {
            let folder = Folder::new();
            let options = format!("-F {format} -b 10K --recovery --recovery-span 64K {index}");
            let coded = folder.pipe(&options, &plain).fine();
            assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == plain);
            let first = first_record(&coded);
            let cuts: Vec<usize> = starts(&coded, magic).into_iter().filter(|&cut| cut > first).collect();
            let mut unfinished = 0;
            for &cut in &cuts {
                let mut out = Vec::new();
                match Decompress::new(&Decode::default()).run(&coded[..cut], &mut out) {
                    Err(Error::Unfinished { offset, .. }) => {
                        assert_eq!(offset, cut as u64, "{format} {index}");
                        unfinished += 1;
                    }
                    Err(Error::Truncated { .. } | Error::Corrupt { .. }) => {}
                    // Without the last records, all data is there.
                    Ok(done) if done.plain_len == plain.len() as u64 && !index.is_empty() => {}
                    other => panic!("{format} {index}, cut at {cut} of {}: {other:?}", coded.len()),
                }
                assert!(plain.starts_with(&out), "{format} {index}, cut at {cut}");
            }
            // About 20 frames, and a few records.
            assert!(unfinished > 15, "{format} {index}: {unfinished} of {}", cuts.len());
        }
    }
}

#[test]
fn the_command_says_that_a_file_with_records_lacks_its_end() {
    let plain = text(600_000);
    for (format, suffix, magic) in FORMATS {
        let folder = Folder::new();
        let options = format!("-F {format} -b 10K --recovery --recovery-span 64K");
        let coded = folder.pipe(&options, &plain).fine();
        let first = first_record(&coded);
        let is_frame = |&cut: &usize| cut > first + 2000 && coded[cut..].starts_with(magic);
        let is_unfinished = |&cut: &usize| {
            matches!(pzcomp::decompress(&coded[..cut], &Decode::default()), Err(Error::Unfinished { .. }))
        };
        let cut = starts(&coded, magic).into_iter().filter(is_frame).find(is_unfinished).unwrap();
        let name = format!("a.{suffix}");
        folder.write(&name, &coded[..cut]);
        let said = ["behind a whole frame", "recovery records say that more follows", "fetch it again"];
        folder.run(&format!("-t {name}")).says(1, &said);
        folder.run(&format!("-d {name}")).says(1, &said);
        assert!(!folder.has("a"), "{format}");
        let (status, words) = match format {
            "zstd" => (1, "premature end"),
            "gzip" => (1, "unexpected end of file"),
            _ => (68, "Unfinished stream"),
        };
        let named = folder.run(&format!("--as {format} -t {name}"));
        assert!(named.status.code() == Some(status) && named.stderr.contains(words), "{named:?}");
        let piped = folder.pipe("-dc", &coded[..cut]);
        assert!(plain.starts_with(&piped.stdout) && piped.stdout.len() > 64 << 10, "{format}");
        piped.says(1, &said);
        let salvaged = folder.run(&format!("-dc --salvage {name}"));
        assert!(plain.starts_with(&salvaged.stdout) && salvaged.stdout.len() > 64 << 10, "{format}");
        salvaged.says(2, &["more follows"]);
        folder.run(&format!("--repair {name}")).says(2, &["its end is missing"]);

        // Without the table all data is there, and the table can be made again.
        let table = *starts(&coded, magic).last().unwrap();
        folder.write(&name, &coded[..table]);
        folder.run(&format!("-t {name}")).says(1, &["can be repaired"]);
        folder.run(&format!("--repair --rm {name}")).says(0, &["is repaired"]);
        assert!(folder.read(&name) == coded, "{format}");

        // So it is for a short file, of which the library decodes whole frames at once.
        let short = folder
            .pipe(&format!("-F {format} -b 4K --recovery --recovery-span 64K"), &plain[..60_000])
            .fine();
        let ends = starts(&short, magic).into_iter().filter(|&cut| cut > first_record(&short));
        let is_told = |cut| pzcomp::decompress(&short[..cut], &Decode::default()).is_err();
        let told: Vec<bool> = ends.map(is_told).collect();
        assert!(!told.is_empty() && told.iter().all(|&told| told), "{format}: {told:?}");

        // A whole file before it changes nothing.
        folder.write(&name, [&coded[..], &coded[..cut]].concat());
        folder.run(&format!("-t {name}")).says(1, &said);
        folder.write(&name, [&coded[..], &coded[..]].concat());
        folder.run(&format!("-t {name}")).fine();
    }
}
