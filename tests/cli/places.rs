//! `--range` and `-l --frames`: parts of compressed files, and where their frames are.
//!
//! There is no peer: the plain data is known, because the tests make the files.

use pzcomp::Format;

use crate::common::flipped;
use crate::harness::{Folder, text};

#[test]
fn a_range_is_what_the_plain_data_has_there() {
    let folder = Folder::new();
    let plain = text(500_000);
    for format in Format::all() {
        folder.write("coded", folder.pipe(&format!("-F{format} -b 60K"), &plain).fine());
        for (range, expected) in [
            ("0-10", &plain[..10]),
            ("100K-200K", &plain[100 << 10..200 << 10]),
            ("123456+7", &plain[123_456..123_463]),
            ("499990-", &plain[499_990..]),
            ("500000-", &[][..]),
            ("77-77", &[][..]),
            ("1k+1kib", &plain[1024..2048]),
        ] {
            let found = folder.run(&format!("-dc --range {range} coded")).fine();
            assert!(found == expected, "{format}: {range}");
        }
        let found = folder.run("-dc --range 400000+3,5-9 --range=60-61 coded").fine();
        assert_eq!(found, [&plain[400_000..400_003], &plain[5..9], &plain[60..61]].concat(), "{format}");
        folder.run("-d -o part --range 8-99 coded").fine();
        assert_eq!(folder.read("part"), &plain[8..99]);
        std::fs::remove_file(folder.path("part")).unwrap();
    }
}

#[test]
fn a_range_behind_the_end_is_written_as_far_as_it_is_there() {
    let folder = Folder::new();
    let plain = text(1000);
    for format in ["zstd", "bzip2"] {
        folder.write("coded", folder.pipe(&format!("-F{format}"), &plain).fine());
        let run = folder.run("-dc --range 900-1100 coded");
        assert_eq!(run.stdout, &plain[900..]);
        run.says(1, &["coded: the range 900-1100 ends behind the data, which has 1000 bytes"]);
        let run = folder.run("-dc --range 2000-3000 coded");
        assert_eq!(run.stdout, b"");
        run.says(1, &["1000 bytes"]);
        folder.run("-dc --range 1001- coded").says(1, &["the range 1001- ends behind"]);
        folder.run("-do part --range 900-1100 coded").says(1, &["1000 bytes"]);
        assert!(!folder.has("part"));
    }
}

#[test]
fn only_the_frames_of_a_range_are_decoded() {
    let folder = Folder::new();
    let plain = text(600_000);
    let mut coded = folder.pipe("-b 60K", &plain).fine();
    coded[5000..6000].fill(0x55);
    folder.write("coded", &coded);
    folder.run("-t coded").says(1, &["corrupt zstd data at offset 0"]);
    assert_eq!(folder.run("-dc --range 300000-400000 coded").fine(), &plain[300_000..400_000]);
    folder.run("-dc --range 10-20 coded").says(1, &["coded: cannot read the range: corrupt zstd data"]);
}

#[test]
fn ranges_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    folder.write("coded", folder.pipe("", text(1000)).fine());
    folder.run("-dc --range 9-3 coded").says(1, &["ends at 3, before its start 9"]);
    folder.run("-dc --range 9 coded").says(1, &["expected a range such as 0-4K, 1M+512 or 1G-"]);
    folder.run("-dc --range 9-x coded").says(1, &["expected a size"]);
    folder.run("-d --range 1-9 coded").says(1, &["--range needs -d and -c"]);
    folder.run("-c --range 1-9 coded").says(1, &["--range needs -d and -c"]);
    folder.run("--frames coded").says(1, &["--frames needs -l"]);
    folder.pipe("-dc --range 1-9", folder.read("coded")).says(1, &["stdin: is not a regular file"]);
    folder.run("-dc --range 1-9 missing").says(1, &["missing: cannot open"]);
}

#[test]
fn the_table_of_frames_has_a_row_for_each() {
    let folder = Folder::new();
    let plain = text(150_000);
    folder.write("coded", folder.pipe("-b 60K", &plain).fine());
    let table = String::from_utf8(folder.run("-l --frames coded").fine()).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["frame", "offset", "compressed", "plain", "offset", "uncompressed"]);
    assert_eq!(rows.len(), 4);
    assert_eq!((rows[1][1], rows[1][3], rows[1][4]), ("0", "0", "61440"));
    assert_eq!((rows[2][1], rows[2][3]), (rows[1][2], "61440"));
    assert_eq!((rows[3][3], rows[3][4]), ("122880", "27120"));
    folder.write("other", folder.pipe("-F bzip2", &plain).fine());
    let table = String::from_utf8(folder.run("-l --frames coded other").fine()).unwrap();
    assert!(table.starts_with("coded:\n") && table.contains("\nother:\n"), "{table}");
    assert!(table.trim_end().ends_with(" -"), "{table}");
}

#[test]
fn an_index_leads_to_ranges_of_any_file() {
    let folder = Folder::new();
    let plain = text(3_000_000);
    for tool in ["gzip -1", "bzip2 -1"] {
        let coded = crate::common::pipe(tool, &plain);
        folder.write("coded", &coded);
        folder.run("--index --index-interval 100K coded").fine();
        assert_eq!(folder.names(), ["coded", "coded.pzi"]);
        folder.run("-t --index coded").fine();
        for range in ["10-20", "2000000-2500000", "2999999-"] {
            let run = folder.run(&format!("-dc --range {range} coded"));
            let (start, end) = range.split_once('-').unwrap();
            let end = end.parse().unwrap_or(plain.len());
            assert!(run.fine() == plain[start.parse().unwrap()..end], "{tool}: {range}");
        }
        let table = String::from_utf8(folder.run("-l --frames coded").fine()).unwrap();
        assert!(table.lines().count() > 5 && !table.contains('-'), "{table}");
        // The start is damaged, and the index leads to the end.
        let wrong = flipped(&coded, 70_000, 1);
        folder.write("coded", &wrong);
        assert_eq!(folder.run("-dc --range 2999990- coded").fine(), &plain[2_999_990..]);
        folder.run("-dc --range 0- coded").says(1, &["coded: cannot read the range: "]);
        folder.run("-t --index coded").says(1, &["coded: corrupt "]);
        std::fs::remove_file(folder.path("coded.pzi")).unwrap();
    }
}

#[test]
fn an_index_that_does_not_fit_is_an_error() {
    let folder = Folder::new();
    folder.write("coded", crate::common::pipe("gzip", &text(300_000)));
    folder.run("-t --index coded").says(1, &["coded: has no index beside it; make one with pzcomp --index"]);
    folder.run("--index coded").fine();
    folder.run("--index coded").says(2, &["coded.pzi", "already exists"]);
    folder.run("-f --index coded").fine();
    folder.write("coded", crate::common::pipe("gzip", &text(300_001)));
    for args in ["-t --index coded", "-dc --range 5-9 coded", "-l --frames coded"] {
        folder.run(args).says(1, &["coded.pzi", "cannot use the index: it is for a file ", "make it again"]);
    }
    let mut index = folder.read("coded.pzi");
    index[140] ^= 1;
    folder.write("coded.pzi", &index);
    folder.run("-dc --range 5-9 coded").says(1, &["coded.pzi", "checksum"]);
    folder.write("coded.pzi", "nonsense and more");
    folder.run("-dc --range 5-9 coded").says(1, &["no known format"]);
}

#[test]
fn indexes_have_other_formats_and_names() {
    let folder = Folder::new();
    let plain = text(600_000);
    folder.write("coded", crate::common::pipe("gzip", &plain));
    folder.run("--index --index-format gzidx --index-interval 64K coded").fine();
    assert_eq!(folder.names(), ["coded", "coded.gzidx"]);
    folder.run("-t --index coded").fine();
    assert_eq!(folder.run("-dc --range 500000+9 coded").fine(), &plain[500_000..500_009]);
    folder.write("blocks", folder.pipe("--as bgzip -c", &plain).fine());
    folder.run("--index --index-format gzi blocks").fine();
    folder.run("-t --index blocks").fine();
    assert_eq!(folder.run("-dc --range 500000+9 blocks").fine(), &plain[500_000..500_009]);
    folder.run("-o named.pzi --index blocks").fine();
    assert!(folder.has("named.pzi"));
    folder.run("--index --index-format gzi coded").says(1, &["no BGZF block begins there"]);
    assert!(!folder.has("coded.gzi"));
    folder.write("frame", crate::common::pipe("zstd -q", &crate::common::plain::random(9 << 20)));
    folder.run("--index frame").says(1, &["frame: unsupported zstd data", "compress it again with pzcomp"]);
    for args in ["-d --index coded", "-c --index coded", "--index --rm coded", "-o a --index coded blocks"] {
        folder.run(args).says(1, &["--index"]);
    }
    folder.run("--index-format gzi coded").says(1, &["--index"]);
    folder.run("--index --index-interval 9 coded").says(1, &["at least 64K"]);
}

#[test]
fn claims_of_an_index_take_no_memory() {
    let folder = Folder::new();
    let plain = text(500_000);
    // A seek table whose first frame claims 4 GiB, and an lzip member that claims an exbibyte.
    let mut table = folder.pipe("-b 60K", &plain).fine();
    let entries = table.len() - 9 - 9 * 8;
    table[entries + 4..entries + 8].fill(0xff);
    folder.write("table", &table);
    let mut trailer = folder.pipe("-F lzip", &plain).fine();
    let at = trailer.len() - 16;
    trailer[at..at + 8].copy_from_slice(&(1_u64 << 60).to_le_bytes());
    folder.write("trailer", &trailer);
    for file in ["table", "trailer"] {
        for range in ["0-10", "100000-100010", "0-4G", "3G-"] {
            let run = folder.sh(&format!("ulimit -v 500000; exec $0 -dc -p2 --range {range} {file}"));
            let run = run.says(1, &["corrupt"]);
            // Frames that are right may have been written.
            assert!(plain.starts_with(&run.stdout) || run.stdout.is_empty(), "{file} {range}");
        }
    }
}
