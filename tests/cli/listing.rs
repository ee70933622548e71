//! `-l`: the table, what it says of each format, and what it says of damage.
//!
//! There is no peer: the figures are known, because the tests make the files. The tables of gzip and the others are
//! compared with the originals in `tests/scenes/`.

use pzcomp::Format;

use crate::harness::{Folder, text};

fn lines(listed: Vec<u8>) -> Vec<String> {
    String::from_utf8(listed).unwrap().lines().map(String::from).collect()
}

/// The cells of a row of exact sizes.
fn cells(row: &str) -> Vec<&str> {
    row.split_whitespace().collect()
}

#[test]
fn sizes_are_exact_under_v() {
    let folder = Folder::new();
    let plain = text(500_000);
    for format in Format::all() {
        let coded = folder.pipe(&format!("-F{format} -b 200K"), &plain).fine();
        folder.write("coded", &coded);
        let table = lines(folder.run("-lv coded").fine());
        assert_eq!(
            cells(&table[0]),
            ["format", "frames", "compressed", "uncompressed", "ratio", "check", "index", "name"]
        );
        let row = cells(&table[1]);
        let (coded_len, plain_len) = (coded.len().to_string(), plain.len().to_string());
        assert_eq!((row[0], row[2], row[7]), (format.name(), &*coded_len, "coded"));
        if row[3] != "-" {
            let ratio = format!("{:.2}%", 100.0 * coded.len() as f64 / plain.len() as f64);
            assert_eq!((row[3], row[4]), (&*plain_len, &*ratio), "{format}");
        }
        assert_eq!(table.len(), 2, "{format}");
    }
}

#[test]
fn the_index_of_zstd_and_its_absence_are_told() {
    let folder = Folder::new();
    for (args, index) in [("", "yes"), ("--no-index", "no")] {
        folder.write("coded", folder.pipe(args, text(100_000)).fine());
        let table = lines(folder.run("-lv coded").fine());
        assert_eq!(cells(&table[1])[5..7], ["XXH64", index]);
    }
}

#[test]
fn sizes_have_units_otherwise() {
    let folder = Folder::new();
    folder.write("coded", folder.pipe("-F zstd", text(3 << 20)).fine());
    let table = lines(folder.run("-l coded").fine());
    assert!(table[1].contains(" 980.0 KiB ") && table[1].contains(" 3.0 MiB "), "{}", table[1]);
}

#[test]
fn columns_are_aligned() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.write("b", text(3_000_000));
    folder.run("a b").fine();
    let table = lines(folder.run("-l a.zst b.zst").fine());
    let ends = |header: &str| table[0].find(header).unwrap() + header.len();
    let at = ends("uncompressed");
    assert!(
        table.iter().all(|row| row.as_bytes()[at] == b' ' && row.as_bytes()[at - 1] != b' '),
        "{table:#?}"
    );
    let name = table[0].find("name").unwrap();
    assert_eq!((&table[1][name..], &table[2][name..]), ("a.zst", "b.zst"));
}

#[test]
fn several_files_have_a_total() {
    let folder = Folder::new();
    folder.write("a", text(1000));
    folder.write("b", text(2000));
    folder.run("a b").fine();
    let table = lines(folder.run("-lv a.zst b.zst").fine());
    let column =
        |at: usize| table[1..].iter().map(|row| cells(row)[at].parse::<u64>().unwrap()).collect::<Vec<_>>();
    for at in 1..=3 {
        let [a, b, total] = column(at)[..] else { panic!("{table:#?}") };
        assert_eq!(a + b, total);
    }
    assert!(table[3].ends_with("(2 files)"));
}

#[test]
fn standard_input_can_be_listed() {
    let folder = Folder::new();
    let coded = folder.pipe("", text(1000)).fine();
    let table = lines(folder.pipe("--list -v", &coded).fine());
    let row = cells(&table[1]);
    assert_eq!((row[0], row[3], row[7]), ("zstd", "1000", "stdin"));
}

#[test]
fn what_cannot_be_listed_does_not_stop_the_others() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.run("a").fine();
    let run = folder
        .run("-l a missing a.zst")
        .says(1, &["pzcomp: a: not in a compressed format", "pzcomp: missing: cannot open"]);
    let table = lines(run.stdout);
    assert_eq!((table.len(), cells(&table[1]).last()), (2, Some(&"a.zst")));
}

#[test]
fn nothing_to_list_is_no_table() {
    let folder = Folder::new();
    let run = folder.pipe("-l", "").says(1, &["pzcomp: stdin: ", "empty"]);
    assert_eq!(run.stdout, b"");
}

#[test]
fn bgzf_without_its_last_block_is_named_with_t_and_l() {
    const NOTE: &str = "note: the empty block is missing with which BGZF ends";
    let folder = Folder::new();
    let whole = folder.pipe("--as bgzip -c", text(300_000)).fine();
    folder.write("whole.gz", &whole);
    folder.write("cut.gz", &whole[..whole.len() - 28]);
    folder.write("plain.gz", folder.pipe("-F gzip --one-member", text(300_000)).fine());
    for args in ["-t -p1", "-t -p2", "-l"] {
        folder.run(&format!("{args} cut.gz")).says(0, &[NOTE]);
        folder.run(&format!("{args} whole.gz plain.gz")).fine();
        assert!(folder.run(&format!("-q {args} cut.gz")).stderr.is_empty());
    }
    folder.pipe("-t", folder.read("cut.gz")).says(0, &[NOTE]);
    assert!(folder.run("-dc cut.gz").fine() == text(300_000));
}
