//! Every option once, with its effect; and what is refused, by its words.
//!
//! There is no peer. Most tests are tables of command lines: add a line to the table of what it is about, or a test
//! with `Folder::pipe`, `fine` and `says` for a new flag.

use std::fs::File;
use std::process::Command;

use pzcomp::Format;

use crate::common::flipped;
use crate::harness::{Folder, feed, noise, text};

#[test]
fn levels_in_all_spellings_are_the_same() {
    let folder = Folder::new();
    let plain = text(100_000);
    let nine = folder.pipe("--level 9", &plain).fine();
    for args in [
        "-9",
        "--level=9",
        "-1 -9",
        "-9 -c",
        "-9c",
        "-c9",
        "--best -9",
        "--fast -9",
        "--fast=5 --level=9",
        "-1c9",
    ] {
        assert_eq!(folder.pipe(args, &plain).fine(), nine, "{args}");
    }
    assert_ne!(folder.pipe("-1", &plain).fine(), nine);
}

#[test]
fn levels_of_two_digits_are_one_level() {
    let folder = Folder::new();
    let plain = text(100_000);
    let most = folder.pipe("--level 19", &plain).fine();
    for args in ["-19", "-c19", "-19c", "-c19p1", "--best"] {
        assert_eq!(folder.pipe(args, &plain).fine(), most, "{args}");
    }
    assert_eq!(folder.pipe("-22", &plain).fine(), folder.pipe("--level=22", &plain).fine());
}

#[test]
fn fast_levels_are_below_the_first_where_there_are_any() {
    let folder = Folder::new();
    let plain = text(100_000);
    for format in Format::all() {
        let level = |level: i32| folder.pipe(&format!("-F{format} --level={level}"), &plain).fine();
        let fast = |fast: &str| folder.pipe(&format!("-F{format} --fast{fast}"), &plain).fine();
        match format.fast_levels() {
            Some(_) => assert_eq!((fast(""), fast("=5")), (level(-1), level(-5)), "{format}"),
            None => {
                // Level 0 of gzip stores.
                let lowest = if format == Format::Gzip { 1 } else { *format.levels().start() };
                assert_eq!((fast(""), fast("=5")), (level(lowest), level(lowest)), "{format}");
            }
        }
    }
}

#[test]
fn best_is_the_highest_sensible_level() {
    let folder = Folder::new();
    let plain = text(30_000);
    for format in Format::all() {
        let highest = (*format.levels().end()).min(19);
        let best = folder.pipe(&format!("-F{format} --best"), &plain).fine();
        assert_eq!(best, folder.pipe(&format!("-F{format} --level {highest}"), &plain).fine(), "{format}");
    }
}

#[test]
fn a_file_whose_name_is_no_option_is_advised_to_be_named_by_its_folder() {
    let folder = Folder::new();
    folder.write("-abc.zst", "x");
    folder.run("-d -abc.zst").says(1, &["to name the file -abc.zst, write ./-abc.zst"]);
}

#[test]
fn levels_that_a_format_does_not_have_are_refused_once() {
    let folder = Folder::new();
    for format in Format::all() {
        let above = format.levels().end() + 1;
        let run = folder.pipe(&format!("-F{format} -{above} - -"), "x");
        let run = run.says(1, &[&format!("pzcomp: {format} has no level {above}; it has ")]);
        assert_eq!((run.stderr.lines().count(), run.stdout.len()), (1, 0));
    }
    folder.pipe("--fast=9999", "x").says(1, &["level -9999"]);
    folder.pipe("-0", "x").says(1, &["zstd has no level 0; it has 1 to 22, and --fast=1 to --fast=100"]);
}

#[test]
fn block_size_sets_the_frames() {
    let folder = Folder::new();
    let plain = text(1_000_000);
    for (args, frames) in
        [("-b64K", 16), ("-b 256KiB", 4), ("--block-size=1m", 1), ("--block-size 500000B", 2)]
    {
        folder.pipe(&format!("{args} -v"), &plain).says(0, &[&format!("; {frames} frame")]);
    }
    folder.pipe("-b 1", "x").says(1, &["blocks can be"]);
}

#[test]
fn a_ceiling_for_memory_is_kept_or_refused_with_the_figure_needed() {
    let folder = Folder::new();
    let plain = text(3_000_000);
    assert!(folder.pipe("-M 64M", &plain).fine() == folder.pipe("", &plain).fine());
    folder.pipe("-M 1M", &plain).says(1, &["needs", "1MiB is allowed", "-M"]);
    folder.pipe("-d --memory=100K", &plain).says(1, &["needs", "100KiB is allowed"]);
}

/// A list of headers takes no buffers and no decoders.
#[test]
fn lists_and_ranges_need_only_the_memory_of_what_they_decode() {
    let folder = Folder::new();
    folder.write("data", text(300_000));
    folder.run("-k data").fine();
    assert!(folder.run("-l -M 10M data.zst").fine() == folder.run("-l data.zst").fine());
    assert!(folder.run("-l --frames -M 10M data.zst").fine() == folder.run("-l --frames data.zst").fine());
    folder.run("-dc --range 5-9 -M 10M data.zst").says(1, &["decompression needs", "10MiB is allowed"]);
}

/// A verification and a recoding divide the memory.
#[test]
fn one_error_names_the_memory_of_all_that_runs_at_once() {
    let folder = Folder::new();
    let plain = text(50_000);
    let coded = folder.pipe("", &plain).fine();
    for (args, input) in [
        ("--verify", &plain),
        ("--verify -F xz -3", &plain),
        ("--to lz4", &coded),
        ("--to xz -3", &coded),
        ("--verify --to gzip", &coded),
        ("--verify --to xz -3", &coded),
    ] {
        let args = format!("-c -p 1 {args}");
        let said = folder.pipe(&format!("{args} -M 10M"), input).says(1, &["10MiB is allowed"]).stderr;
        let advice = said.trim_end().rsplit(' ').next().unwrap();
        folder.pipe(&format!("{args} -M {advice}"), input).fine();
    }
}

#[test]
fn no_index_leaves_the_index_out() {
    let folder = Folder::new();
    // The seek table of zstd ends with this.
    let (magic, data) = (0x8F92_EAB1_u32.to_le_bytes(), "x".repeat(16 << 10));
    assert!(folder.pipe("", &data).fine().ends_with(&magic));
    assert!(!folder.pipe("--no-index", &data).fine().ends_with(&magic));
    assert!(folder.pipe("", "x").fine().ends_with(&magic), "a pipe may break");
    folder.write("x", "x");
    folder.run("x").fine();
    assert!(!folder.read("x.zst").ends_with(&magic), "a short file has no index");
    assert_eq!(folder.pipe("-d", folder.pipe("--no-index", &data).fine()).fine(), data.as_bytes());
}

#[test]
fn output_names_the_file_and_a_dash_is_standard_output() {
    let folder = Folder::new();
    for args in ["-o out.1", "-oout.2", "--output=out.3", "--output out.4", "-cfoout.5"] {
        assert_eq!(folder.pipe(args, "x").fine(), b"");
    }
    for number in 1..=5 {
        assert_eq!(folder.pipe(&format!("-dc out.{number}"), "").fine(), b"x");
    }
    assert_eq!(folder.pipe("-d", folder.pipe("-o -", "x").fine()).fine(), b"x");
}

#[test]
fn the_suffix_of_output_chooses_the_format_where_no_option_does() {
    let folder = Folder::new();
    folder.write("a", "three in the morning");
    for (args, format) in [
        ("-o x.gz", "gzip"),
        ("-o x.tgz", "gzip"),
        ("-o x.tar.xz -6", "xz"),
        ("-o x.bz2", "bzip2"),
        ("-o x.lz4", "lz4"),
        ("-o x.zst", "zstd"),
        ("-o x.sql", "zstd"),
        ("-F zstd -o x.gz", "zstd"),
        ("-o x.lz --to gzip made.xz", "gzip"),
    ] {
        folder.run("-F xz -f -o made.xz a").fine();
        let source = if args.contains("made") { "" } else { "a" };
        folder.run(&format!("-f {args} {source}")).fine();
        let name = args.split(' ').find(|word| word.starts_with("x.")).unwrap();
        let listed = String::from_utf8(folder.run(&format!("-l {name}")).fine()).unwrap();
        assert!(listed.lines().nth(1).unwrap().starts_with(format), "{args}: {listed}");
    }
    folder.run("-19 -o y.gz a").says(1, &["gzip has no level 19"]);
    assert_eq!(folder.run("-d -o y.xz x.gz").fine(), b"");
    assert_eq!(folder.read("y.xz"), b"three in the morning");
}

#[test]
fn of_contradicting_options_the_last_one_counts() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.run("-o b -c a").fine();
    assert_eq!(folder.names(), ["a"]);
    assert_eq!(folder.run("-c -o b a").fine(), b"");
    folder.run("--rm -k a").fine();
    assert_eq!(folder.names(), ["a", "a.zst", "b"]);
    folder.run("-v -q a").says(2, &[]);
    assert_eq!(folder.run("-v -q a").stderr, "");
    assert_ne!(folder.run("-q -v -f a").stderr, "");
}

#[test]
fn options_may_follow_files_and_two_dashes_end_them() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.write("-9", "nine");
    let coded = folder.run("a -c").fine();
    assert_eq!(folder.pipe("-d", coded).fine(), b"a");
    folder.run("-- -9").fine();
    assert_eq!(folder.pipe("-dc -- -9.zst", "").fine(), b"nine");
}

#[test]
fn long_options_can_be_shortened() {
    let folder = Folder::new();
    assert_eq!(folder.pipe("--decomp", folder.pipe("--lev 3", "x").fine()).fine(), b"x");
}

#[test]
fn wrong_usage_is_a_sentence_and_status_1() {
    let folder = Folder::new();
    for (args, parts) in [
        ("--nonsense", ["'--nonsense'", "--help"]),
        ("-y", ["'-y'", "--help"]),
        ("--forc=1", ["--force", "--help"]),
        ("-F rar", ["'rar'", "zstd"]),
        ("-b 4X", ["'4X'", "unknown unit"]),
        ("-b", ["--block-size", "value"]),
        ("-M 99999999999999999999", ["99999999999999999999", "does not fit into 64 bits"]),
        ("-M 1.5G", ["1.5G", "unknown unit"]),
        ("-p many", ["'many'", "number"]),
        ("-p -1", ["'-1'", "number"]),
        ("-p 1000000", ["1000000", "1024"]),
        ("--level x", ["'x'", "--level"]),
        ("--fast=0", ["'0'", "--fast"]),
        ("-99999999999", ["99999999999", "level"]),
        ("-S a/b", ["'a/b'", "slash"]),
        ("-o", ["--output", "value"]),
        ("--output=", ["--output", "value"]),
    ] {
        let run = folder.pipe(args, "x").says(1, &parts);
        assert_eq!((run.stdout.len(), run.stderr.lines().count()), (0, 1), "{args}: {}", run.stderr);
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn help_and_version_go_to_standard_output() {
    let folder = Folder::new();
    let version = String::from_utf8(folder.run("-V").fine()).unwrap();
    assert_eq!(version, format!("pzcomp {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(folder.run("--version").fine(), version.as_bytes());
    for args in ["--help", "-d --help missing"] {
        let help = String::from_utf8(folder.run(args).fine()).unwrap();
        for option in ["--decompress", "--block-size", "--rm", "--no-index", "--suffix"] {
            assert!(help.contains(option), "{args}: {option}");
        }
        assert!(help.contains("\nPZCOMP in the environment has default options. Exit status: 1 "), "{args}");
    }
    let usual = String::from_utf8(folder.run("-h").fine()).unwrap();
    assert!(
        // A screen has 50 lines.
        usual.lines().count() <= 50 && usual.contains("--verify") && !usual.contains("--no-index"),
        "{usual}"
    );
}

#[test]
fn help_about_a_topic_is_a_page_of_the_documentation() {
    let folder = Folder::new();
    let page = String::from_utf8(folder.run("--help=damage").fine()).unwrap();
    assert!(page.starts_with("# Salvaging a damaged file\n") && !page.contains("]("), "{page}");
    let formats = String::from_utf8(folder.run("--help=formats").fine()).unwrap();
    assert!(formats.contains("\n- `gzip -l` and `gzip -tv` look at the last member"), "{formats}");
    folder.run("--help=dampness").says(1, &["dampness", "formats, backup, damage", "python"]);
    // Behind -- it is a file.
    folder.run("-- --help=damage").says(1, &["--help=damage"]);
}

#[test]
fn the_environment_gives_defaults_that_the_command_line_overrules() {
    let folder = Folder::new();
    let plain = text(100_000);
    let with = |variable: &str, args: &str| {
        feed(folder.command(args.split_whitespace()).env("PZCOMP", variable), &plain)
    };
    let nine = folder.pipe("-9 --no-index", &plain).fine();
    assert_eq!(with("  -9\t--no-index\n", "").fine(), nine);
    assert_eq!(with("-19 --no-index", "-9").fine(), nine);
    assert_eq!(with("", "-9 --no-index").fine(), nine);
    assert!(with("-v", "").says(0, &["; 1 frame, "]).stderr.lines().count() == 1);
    folder.write("a", "a");
    with("-c", "-o b a").fine();
    assert!(folder.has("b"));
}

#[test]
fn errors_in_the_environment_name_the_variable() {
    let folder = Folder::new();
    for (variable, part) in [
        ("--nonsense", "'--nonsense'"),
        ("-9 file", "'file'"),
        ("--", "--"),
        ("--help", "command line"),
        ("-p x", "'x'"),
        ("-o", "value"),
    ] {
        let run = feed(folder.command([""; 0]).env("PZCOMP", variable), b"x");
        run.says(1, &["pzcomp: environment variable PZCOMP: ", part]);
    }
}

#[test]
fn the_flag_one_member_writes_one_gzip_member() {
    let folder = Folder::new();
    let plain = text(300_000);
    let one = folder.pipe("-F gzip -b 64K --one-member", &plain).fine();
    let starts = |bytes: &[u8]| bytes.windows(4).filter(|four| *four == [0x1f, 0x8b, 8, 4]).count();
    assert_eq!((&one[..4], starts(&one)), (&[0x1f, 0x8b, 8, 0][..], 0));
    assert!(starts(&folder.pipe("-F gzip -b 64K", &plain).fine()) > 4);
    assert_eq!(folder.pipe("-d", &one).fine(), plain);
    let one = folder.pipe("-F bzip2 -1 --one-member", &plain).fine();
    assert_eq!(one.windows(10).filter(|ten| ten.starts_with(b"BZh11AY&SY")).count(), 1);
    assert_eq!(folder.pipe("-d", &one).fine(), plain);
}

/// zstd and its arguments.
fn zstd(folder: &Folder, args: &str) -> Command {
    folder.program("zstd", args.split(' '))
}

#[test]
fn long_finds_what_is_far_away_in_frames_that_zstd_reads() {
    let folder = Folder::new();
    // Two frames: 128 MiB and the rest. The repetitions are 8 MiB apart.
    let plain = noise(8 << 20).repeat(17);
    folder.write("plain", &plain);
    let coded = folder.pipe("--long -p1", &plain).fine();
    assert!(coded.len() < 17 << 20, "{}", coded.len());
    for args in ["--long -p4", "-3 --long=20 --long"] {
        assert!(folder.pipe(args, &plain).fine() == coded, "{args}");
    }
    for args in ["--long=27 -p2", "-M 600M --long -p4"] {
        assert!(folder.run(&format!("{args} -c plain")).fine() == coded, "{args} of a file");
    }
    // Without it, what is 8 MiB before is not found.
    let some = &plain[..17 << 20];
    assert!(folder.pipe("-v", some).stdout.len() > some.len());
    folder.run("--long -v -c plain").says(0, &["; 2 frames, "]);
    folder.write("a.zst", &coded);
    assert!(zstd(&folder, "-q -d a.zst -o back").status().unwrap().success());
    assert!(folder.read("back") == plain);
    assert!(folder.pipe("-d", &coded).fine() == plain);
}

#[test]
fn longer_windows_than_readers_expect_are_announced_and_read_by_request() {
    let folder = Folder::new();
    File::create(folder.path("zeros")).unwrap().set_len(300 << 20).unwrap();
    folder.run("--long=28 zeros").says(0, &["pzcomp: note: readers need --long=28 or enough memory (-M)"]);
    assert!(!zstd(&folder, "-q -t zeros.zst").output().unwrap().status.success());
    assert!(zstd(&folder, "-q -t --long=28 zeros.zst").status().unwrap().success());
    for args in ["", "--long", "--long=27 -p1", "--long=28 -M 200M"] {
        folder.run(&format!("-t {args} zeros.zst")).says(1, &["needs", "allow more with -M"]);
    }
    for args in ["--long=28", "--long=30 -p1", "-p2 -M 1G"] {
        folder.run(&format!("-t {args} zeros.zst")).fine();
    }
    folder.run("-q -c --long=28 zeros").fine();
    folder.pipe("--long=27", "x").fine();
}

#[test]
fn long_is_refused_where_there_is_no_window() {
    let folder = Folder::new();
    for format in Format::all().filter(|&format| format != Format::Zstd) {
        let run = folder.pipe(&format!("-F {format} --long"), "x");
        run.says(1, &[&format!("pzcomp: {format} cannot be written with a window of another size")]);
    }
    for args in ["--long=9", "--long=31", "--long=x", "--long="] {
        folder.pipe(args, "x").says(1, &["--long"]);
    }
    folder.pipe("-d --long=32", "x").says(1, &["--long"]);
    // A raw block in a window of 2 GiB, and in the longest that the format has.
    for (window, args, fits) in
        [(21 << 3, "-d --long=31", true), (0xFF, "-d --long=31", false), (0xFF, "-d", false)]
    {
        let run = folder.pipe(args, [0x28, 0xB5, 0x2F, 0xFD, 0, window, 9, 0, 0, b'a']);
        match fits {
            true => assert_eq!(run.fine(), b"a"),
            false => drop(run.says(1, &["the window of the zstd frame at offset 0 needs", "of memory"])),
        }
    }
    // The number is part of the option.
    folder.pipe("--long 27", "x").says(1, &["27: cannot open"]);
    let twenty = folder.pipe("--long=20 --no-index", text(10_000)).fine();
    assert_eq!(folder.pipe("-d", twenty).fine(), text(10_000));
}

#[test]
fn long_says_what_it_takes_before_it_begins() {
    let folder = Folder::new();
    let run = folder.pipe("--long -v -p2", "x");
    let said = "pzcomp: stdin: frames of 128MiB on 2 threads take at most 1061MiB of memory; the first byte \
                leaves when one frame is coded, and until then at most 512MiB of input are read\n";
    assert!(run.stderr.starts_with(said), "{}", run.stderr);
    // Fewer threads fit into less memory.
    folder
        .pipe("--long -v -p8 -M 600M", "x")
        .says(0, &["128MiB on 1 thread take at most 534MiB", "most 256MiB of input"]);
    folder
        .pipe("--long -p8 -M 300M", "x")
        .says(1, &["blocks of 128MiB needs 534MiB", "allow more with -M 534MiB"]);
    folder.pipe("--long -p8 -M 534M", "x").fine();
    assert!(!folder.pipe("-v", "x").stderr.contains("at most"));
    assert!(!folder.pipe("--as zstd --long -v", "x").stderr.contains("at most"));
}

#[test]
fn the_long_version_names_what_the_program_is_made_of() {
    let folder = Folder::new();
    let text = |args: &str| String::from_utf8(folder.run(args).fine()).unwrap();
    let short = format!("pzcomp {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text("--version"), short);
    for args in ["--version -v", "-v -V", "-vV", "-Vv"] {
        let long = text(args);
        let rest = long.strip_prefix(&short).unwrap_or_else(|| panic!("{args}: {long}"));
        let line = |name: &str| {
            let line = rest.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.map(str::to_owned)
        };
        let libraries = line("libraries").unwrap();
        for library in ["libzstd 1.", "liblzma 5.", "liblz4 1.", "libdeflate 1.", "libsais 2."] {
            assert!(libraries.contains(library), "{args}: {libraries}");
        }
        assert!(line("CPU features in use").is_some_and(|names| !names.is_empty()), "{args}: {long}");
        assert!(
            line("platform").is_some_and(|name| name.starts_with(std::env::consts::OS)),
            "{args}: {long}"
        );
        // Only some builds know their commit.
        let commit = line("commit").unwrap_or_else(|| "0".repeat(40));
        assert!(commit.trim_end_matches("-changed").bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
    }
}

#[test]
fn options_of_gzip_xz_and_zstd_have_the_same_names_here() {
    let folder = Folder::new();
    let plain = text(100_000);
    folder.write("a", &plain);
    folder.write("b.jpg", "picture");
    std::fs::create_dir_all(folder.path("tree/sub")).unwrap();
    std::fs::create_dir(folder.path("out")).unwrap();
    folder.write("tree/sub/c", "c");
    folder.run("-z --output-dir out a").fine();
    folder.run("-r --output-dir out tree").fine();
    assert_eq!(folder.run("-dc out/a.zst").fine(), plain);
    assert_eq!(folder.run("-dc out/tree/sub/c.zst").fine(), b"c");
    folder.write("names", "a\nout/a.zst\n");
    folder.write("names0", "tree/sub/c\0");
    folder.run("-t --files names").says(1, &["a: not in a compressed format"]);
    folder.run("--files0 names0 -c -o all.zst").fine();
    assert_eq!(folder.run("-dc all.zst").fine(), b"c");
    folder.pipe("--files - -c -o all.zst -f", "a\n").fine();
    folder.run("--exclude-compressed a b.jpg").fine();
    assert!(folder.has("a.zst") && !folder.has("b.jpg.zst"));
    folder.run("-F gzip --one-member -N a").fine();
    std::fs::rename(folder.path("a.gz"), folder.path("other.gz")).unwrap();
    folder.run("-dN -f other.gz").fine();
    assert!(!folder.has("other"));
    folder.run("-dn other.gz").fine();
    assert!(folder.has("other"));
    folder.run("-N a").says(1, &["--name needs"]);
    for (args, check) in
        [("--no-check", "-"), ("-F xz --checksum sha256", "SHA-256"), ("-F xz --no-check", "-")]
    {
        folder.write("checked", folder.pipe(args, &plain).fine());
        let listed = String::from_utf8(folder.run("-l checked").fine()).unwrap();
        let row = listed.lines().nth(1).unwrap();
        assert!(row.split_whitespace().any(|word| word == check), "{args}: {listed}");
    }
    folder.write("dictionary", &plain[..20_000]);
    let coded = folder.pipe("-D dictionary", &plain).fine();
    assert_eq!(folder.pipe("-d -D dictionary", &coded).fine(), plain);
    folder.pipe("-d", &coded).says(1, &["corrupt zstd data"]);
    folder.pipe("-D missing", "x").says(1, &["Stat failed on dictionary file missing"]);
    assert_ne!(
        folder.pipe("--rsyncable -b 64K", text(1 << 20)).fine(),
        folder.pipe("-b 64K", text(1 << 20)).fine()
    );
    assert_eq!(folder.run("-dcf a").fine(), plain);
    // Behind a frame, bytes in no format are damage, and no data to pass on.
    let two = [folder.pipe("--no-index", "one").fine(), folder.pipe("", "two").fine()].concat();
    for at in 0..two.len() {
        let damaged = flipped(&two, at, 1);
        let run = folder.pipe("-dcf", &damaged);
        let is_right = run.stdout == b"onetwo" || run.stdout == damaged && at < 4;
        assert!(!run.status.success() || is_right, "byte {at}");
    }
    // The name zstd passes on what is behind a frame, but not what has the magic number of a frame.
    let coded = folder.pipe("", "one").fine();
    let index = coded.len() - folder.pipe("--no-index", "one").fine().len();
    for cut in 4..index {
        let cut = &coded[..coded.len() - index + cut];
        assert!(!folder.pipe("--as zstd -dcf", cut).status.success());
        folder.pipe("-dcf", cut).says(1, &[]);
    }
    folder.run("-o out a").says(1, &["-o out: is a directory", "--output-dir out"]);
}

#[test]
fn an_option_that_only_another_name_has_is_answered_by_that_name() {
    let folder = Folder::new();
    // zstd has -e too, and refuses it under pzcomp.
    for (args, tool) in
        [("--ultra", "zstd"), ("-e", "xz"), ("--lzma2=preset=1", "xz"), ("--blocksize=4", "pigz")]
    {
        let run = folder.run(args).says(1, &["unexpected argument", &format!("pzcomp --as {tool} has it")]);
        assert!(!run.stderr.contains("similar") && !run.stderr.contains("as a value"), "{}", run.stderr);
    }
    for args in ["--delete", "--nothing", "-W", "-d --range -10"] {
        let run = folder.run(args).says(1, &["unexpected argument"]);
        assert!(!run.stderr.contains("--as") && !run.stderr.contains("similar"), "{}", run.stderr);
    }
}
