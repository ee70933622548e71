//! `--bench`: what it measures, what it says, and the files it leaves.
//!
//! The measured figures differ from run to run, so the tests look at the rows, the JSON by its schema in docs/, the CSV
//! and the pictures. Add a flag that must be refused to the table of `wrong_flags_are_refused`.

use serde_json::Value;

use crate::harness::{Folder, finish, noise, send, terminal, text, wait_until};

/// Short enough for a test: one pass over little data.
const SHORT: &str = "--bench --bench-seconds 0 --bench-sample 64K -p 2";

/// The results as JSON, known to be as the schema says.
fn json(folder: &Folder, args: &str) -> Value {
    let printed = folder.run(&format!("{SHORT} --json - {args}")).fine();
    let results = serde_json::from_slice(&printed).unwrap();
    let schema = serde_json::from_str(include_str!("../../docs/bench.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&results).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    results
}

/// Format and level of each point, in order.
fn measured(results: &Value) -> Vec<String> {
    let points = results["points"].as_array().unwrap();
    points.iter().map(|point| format!("{} {}", point["format"].as_str().unwrap(), point["level"])).collect()
}

#[test]
fn json_is_as_its_schema_says() {
    let folder = Folder::new();
    let results = json(&folder, "--bench-levels 1,9");
    // Snappy has one level.
    let both = |format: pzcomp::Format| {
        let levels = [1, 9].into_iter().filter(move |level| format.levels().contains(level));
        levels.map(move |level| format!("{format} {level}"))
    };
    assert_eq!(measured(&results), pzcomp::Format::all().flat_map(both).collect::<Vec<_>>());
    assert_eq!(results["sample"]["generated"], true);
    assert!(results["answer"]["picks"]["fast"].is_object());
    assert!(results["points"][0]["compress"]["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    assert!(results["points"][0]["decompress"]["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
}

#[test]
fn demands_get_one_answer_and_an_exit_status() {
    let folder = Folder::new();
    let answer = &json(&folder, "--bench-formats gzip,zstd --bench-levels 1 --max-size 100%")["answer"];
    assert_eq!((&answer["met"], &answer["demand"]["ratio"]), (&Value::Bool(true), &Value::from(1.0)));
    let one = |demand: &str| folder.run(&format!("{SHORT} --bench-formats zstd --bench-levels 1 {demand}"));
    let printed = String::from_utf8(one("--target 1kB/s").fine()).unwrap();
    assert!(
        printed.contains("The smallest that keeps up with 0.00 MB/s: pzcomp -F zstd -1 compresses"),
        "{printed}"
    );
    for demand in ["--target 900GB/s", "--max-size 0.1%", "--target 1kB/s --max-size 0.1%"] {
        let run = one(demand).says(2, &["no measured format and level meets the demand"]);
        let printed = String::from_utf8(run.stdout).unwrap();
        assert!(printed.contains("Nothing measured ") && printed.contains("The nearest: pzcomp -F zstd -1"));
    }
}

#[test]
fn comma_separated_values_have_a_line_for_each_point() {
    let folder = Folder::new();
    let args = format!("{SHORT} --bench-formats lz4,gzip --bench-levels 1,2 --csv a.csv --json a.json");
    let table = String::from_utf8(folder.run(&args).fine()).unwrap();
    assert!(table.contains("Sample: 64.0 KiB of generated text"), "{table}");
    let written = folder.read("a.csv");
    let mut reader = csv::Reader::from_reader(&written[..]);
    let head = reader.headers().unwrap().clone();
    let json: Value = serde_json::from_slice(&folder.read("a.json")).unwrap();
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 4);
    let column = |name: &str| head.iter().position(|head| head == name).unwrap();
    for (record, point) in records.iter().zip(json["points"].as_array().unwrap()) {
        assert_eq!(record[column("format")], *point["format"].as_str().unwrap());
        for (name, value) in [
            ("level", &point["level"]),
            ("threads", &point["threads"]),
            ("frames", &point["frames"]),
            ("plain_bytes", &point["plain_bytes"]),
            ("coded_bytes", &point["coded_bytes"]),
            ("compress_peak_memory_bytes", &point["compress"]["peak_memory_bytes"]),
            ("decompress_passes", &point["decompress"]["passes"]),
        ] {
            assert_eq!(record[column(name)], value.to_string(), "{name}");
        }
        for (name, value) in [
            ("ratio", &point["ratio"]),
            ("compress_bytes_per_second", &point["compress"]["bytes_per_second"]),
            ("decompress_cpu_workers_seconds", &point["decompress"]["cpu_seconds"]["workers"]),
        ] {
            let (field, value) = (record[column(name)].parse::<f64>().unwrap(), value.as_f64().unwrap());
            assert!((field - value).abs() <= value * 1e-3 + 1e-6, "{name}: {field} {value}");
        }
    }
}

#[test]
fn plot_draws_svg() {
    let folder = Folder::new();
    let args = format!("{SHORT} --bench-formats zstd,lz4 --bench-levels 1,3 --plot");
    folder.run(&format!("{args} a.svg")).fine();
    let svg = String::from_utf8(folder.read("a.svg")).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let words: String =
        document.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect();
    // The Pareto front is there only if the measured speeds make one of two points: the tests of the picture have it.
    for word in ["zstd", "lz4", "ompression", "ecompression"] {
        assert!(words.contains(word), "{word} is not in: {words}");
    }
}

#[test]
fn files_are_sampled_evenly() {
    let folder = Folder::new();
    // Half of it compresses to nothing; a sample of the beginning would not notice the other half.
    folder.write("zeros", vec![0; 2 << 20]);
    folder.write("noise", noise(2 << 20));
    let results = json(&folder, "--bench-formats zstd --bench-levels 1 --bench-sample 1M zeros noise");
    let sample = &results["sample"];
    assert_eq!((&sample["bytes"], &sample["of_bytes"]), (&(1 << 20).into(), &(4 << 20).into()));
    assert_eq!((&sample["parts"], &sample["sources"]), (&16.into(), &serde_json::json!(["zeros", "noise"])));
    let ratio = results["points"][0]["ratio"].as_f64().unwrap();
    assert!((0.45..0.55).contains(&ratio), "{ratio}");
}

#[test]
fn pipes_are_sampled_evenly_in_bounded_memory() {
    let folder = Folder::new();
    let input = [vec![0; 2 << 20], noise(2 << 20)].concat();
    let args = "--bench --bench-seconds 0 --bench-sample 1M --bench-formats zstd --bench-levels 1 --json -";
    for args in [args.to_owned(), format!("{args} -")] {
        let results: Value = serde_json::from_slice(&folder.pipe(&args, &input).fine()).unwrap();
        let sample = &results["sample"];
        assert_eq!(sample["of_bytes"], 4 << 20);
        assert!((1 << 19..=1 << 20).contains(&sample["bytes"].as_u64().unwrap()), "{sample}");
        let ratio = results["points"][0]["ratio"].as_f64().unwrap();
        assert!((0.4..0.6).contains(&ratio), "{ratio}");
    }
}

#[test]
fn small_inputs_are_measured_whole() {
    let folder = Folder::new();
    folder.write("a", text(10_000));
    let results = json(&folder, "--bench-formats zstd --bench-levels=-5,1 a");
    assert_eq!(measured(&results), ["zstd -5", "zstd 1"]);
    assert_eq!((&results["sample"]["bytes"], &results["sample"]["parts"]), (&10_000.into(), &1.into()));
}

#[test]
fn the_format_and_level_given_are_the_ones_measured() {
    let folder = Folder::new();
    assert_eq!(measured(&json(&folder, "-F gzip -2")), ["gzip 2"]);
    assert_eq!(
        measured(&json(&folder, "-F gzip -2 --bench-formats lz4 --bench-levels 1-3")),
        ["lz4 1", "lz4 2", "lz4 3"]
    );
    // Levels that a format does not have are left out.
    assert_eq!(
        measured(&json(&folder, "--bench-formats bzip2,zstd --bench-levels 1,10")),
        ["bzip2 1", "zstd 1", "zstd 10"]
    );
}

#[test]
fn long_windows_are_measured_if_the_sample_shows_them() {
    let folder = Folder::new();
    // Frames of 1 MiB repeat nothing.
    let block = noise(3 << 19);
    folder.write("long", block.repeat(11));
    folder.write("short", block.repeat(10));
    let windows = |args: &str| {
        let results = json(&folder, &format!("--bench-sample 20M {args}"));
        let points = results["points"].as_array().unwrap().iter();
        let with_long = points.filter(|point| point["window_log"] == 27);
        with_long.map(|point| point["level"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let zstd = "--bench-formats zstd --bench-levels";
    assert_eq!(windows("--bench-formats zstd,lz4 --bench-levels 1,3 long"), [3]);
    assert_eq!(windows(&format!("{zstd} 4 long")), [4]);
    for args in [
        format!("{zstd} 1,4 long"),
        // Frames of level 1 have 2 MiB.
        format!("{zstd} 1 long"),
        format!("{zstd} 3 short"),
        // Such parts are nearer to each other than in the file.
        format!("{zstd} 3 --bench-sample 8M long"),
        format!("{zstd} 3 -b 1M long"),
        format!("{zstd} 3 -M 200M long"),
        format!("{zstd} 3 --one-member long"),
        format!("{zstd} 3"),
    ] {
        assert_eq!(windows(&args), [0; 0], "{args}");
    }
    let printed = folder.run(&format!("{SHORT} --bench-sample 20M {zstd} 3 long --csv a.csv")).fine();
    let printed = String::from_utf8(printed).unwrap();
    for part in [
        // "Small", or "Fast and balanced and small": which of the two is faster depends on the moment.
        "mall: pzcomp -F zstd -3 --long compresses",
        "Long matches pay: with --long, the output of pzcomp -F zstd -3 is",
    ] {
        assert!(printed.contains(part), "{part} is not in: {printed}");
    }
    assert!(String::from_utf8(folder.read("a.csv")).unwrap().lines().nth(2).unwrap().ends_with(",27"));
}

#[test]
fn what_cannot_be_measured_is_said() {
    let folder = Folder::new();
    folder.write("empty", "");
    folder.write("a.zst", folder.pipe("", text(10_000)).fine());
    let told = folder.run(&format!("{SHORT} missing")).says(1, &["missing: cannot open"]);
    assert_eq!(told.stderr.lines().count(), 1, "{}", told.stderr);
    folder.run(&format!("{SHORT} empty")).says(1, &["cannot measure: there is no data"]);
    folder.pipe(SHORT, "").says(1, &["cannot measure: there is no data"]);
    folder.run(&format!("{SHORT} --bench-levels 99")).says(1, &["none of the formats has level 99"]);
    let one = "--bench-formats lz4 --bench-levels 1";
    folder.run(&format!("{SHORT} {one} a.zst")).says(2, &["a.zst: warning: is zstd data already"]);
    folder.run(&format!("{SHORT} {one} --json missing/a")).says(1, &["missing/a: cannot create a file"]);
    assert_eq!(folder.names(), ["a.zst", "empty"]);
}

#[test]
fn wrong_flags_are_refused() {
    let folder = Folder::new();
    for (args, part) in [
        ("--bench-levels 1 a", "--bench"),
        ("--target 1MB/s a", "--bench"),
        ("--bench -d", "--decompress"),
        ("--bench --long", "--long"),
        ("--bench --target 300", "300MB/s"),
        ("--bench --max-size 0", "25%"),
        ("--bench --bench-formats zip", "zip"),
        ("--bench --bench-levels 1,x", "1,3,6-9"),
        ("--bench --bench-seconds -1", "seconds"),
        ("--bench --plot a.pdf", "ends in .svg"),
        ("--bench --plot a.png", "ends in .svg"),
        ("--bench --bench-sample 0", "1B to 64G"),
        ("--bench --json a --csv a", "two of them name a"),
        ("--bench --json - --csv -", "two of them name -"),
    ] {
        folder.run(args).says(1, &[part]);
    }
}

#[test]
fn a_terminal_sees_the_points_as_they_come() {
    let folder = Folder::new();
    let (user, program) = terminal();
    let args = format!("{SHORT} --bench-formats lz4,zstd --bench-levels 1");
    let mut command = folder.command(args.split_whitespace());
    let run = finish(command.env("TERM", "xterm").stderr(program).spawn().unwrap());
    assert!(run.status.success());
    let mut seen = vec![0; 64 << 10];
    let len = rustix::io::read(&user, &mut seen).unwrap();
    let seen = String::from_utf8_lossy(&seen[..len]);
    assert!(seen.contains("Sample: ") && seen.contains("lz4           1"), "{seen}");
}

#[test]
fn a_slow_point_has_a_smaller_sample_and_the_estimate_is_said_first() {
    let folder = Folder::new();
    // A part consists of eight excerpts at even distances. Between them the data is noise here, which they do not show.
    let (mut data, noise) = (text(12 << 20), noise(1 << 20));
    for gap in 0..7 {
        let middle = data.len() / 7 * gap + data.len() / 14;
        data[middle - (1 << 19)..][..1 << 20].copy_from_slice(&noise);
    }
    folder.write("data", data);
    let args = "--bench --bench-seconds 2 -p 1 --bench-formats lz4,xz --bench-levels 9 --json a.json data";
    let started = std::time::Instant::now();
    let run = folder.run(args);
    assert!(run.status.success() && started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("all 12.0 MiB of data. 1 thread, 2 s for each point. 2 points take about 4 s.")
    );
    let results: Value = serde_json::from_slice(&folder.read("a.json")).unwrap();
    let len = |at: usize| results["points"][at]["plain_bytes"].as_u64().unwrap();
    assert!(measured(&results)[1] == "xz 9" && len(1) < 10 << 20, "{results}");
    // Sizes are compared for the same bytes, so that of xz is made one of all bytes.
    let size = |at: usize, of: &str| results["points"][at][of].as_f64().unwrap();
    assert!(size(1, "coded_bytes") / size(1, "plain_bytes") < 0.3, "{results}");
    assert!((0.4..size(0, "ratio")).contains(&size(1, "ratio")), "{results}");
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(printed.contains("\n*: measured with a part of the sample"), "{printed}");
    assert!(
        printed.contains("pzcomp -F xz -9 compresses") && printed.contains(" MB/s to about "),
        "{printed}"
    );
}

#[test]
fn bench_draws_its_picture_in_characters_on_a_terminal() {
    let folder = Folder::new();
    let (user, program) = terminal();
    let args = format!("{SHORT} --bench-formats lz4,zstd --bench-levels 1");
    let run = finish(folder.command(args.split_whitespace()).stdout(program).spawn().unwrap());
    assert!(run.status.success());
    let mut seen = vec![0; 64 << 10];
    let len = rustix::io::read(&user, &mut seen).unwrap();
    let seen = String::from_utf8_lossy(&seen[..len]);
    for part in ["Compression: size", "z zstd", "z1", "pzcomp -F"] {
        let (seen, part) = (seen.to_lowercase(), part.to_lowercase());
        assert!(seen.contains(&part), "{part} is not in:\n{seen}");
    }
    assert!(!String::from_utf8_lossy(&folder.run(&args).fine()).contains("Compression: size"));
}

#[test]
fn json_and_csv_overwrite_no_file() {
    let folder = Folder::new();
    folder.write("data", text(10_000));
    folder.write("old", "old");
    let args = format!("{SHORT} --bench-formats lz4 --bench-levels 1");
    folder
        .run(&format!("{args} data --json old"))
        .says(2, &["old: warning: already exists; not overwritten"]);
    // Not even by force that which was measured.
    folder.run(&format!("{args} data -f --csv data")).says(1, &["data: is both input and output"]);
    assert_eq!((folder.read("old"), folder.read("data")), (b"old".to_vec(), text(10_000)));
    folder.run(&format!("{args} data -f --json old")).fine();
    assert!(folder.read("old").starts_with(b"{"));
}

#[test]
fn results_are_whole_or_not_there() {
    let folder = Folder::new();
    folder.write("data", text(10_000));
    let args = "--bench --bench-formats lz4 --bench-levels 1 --bench-seconds 0";
    let second = "--plot a.svg";
    folder.run(&format!("{args} data -M 1K --json a {second}")).says(1, &["needs"]);
    assert_eq!(folder.names(), ["data"]);
    let long = format!("-q --bench --bench-formats xz --bench-seconds 99 --json a.json {second} data");
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let child = folder.command(long.split_whitespace()).spawn().unwrap();
        wait_until("its files are begun", || folder.names().len() == 3);
        send(&child, signal);
        finish(child).died_by(signal);
        assert_eq!(folder.names(), ["data"]);
    }
}

#[test]
fn what_cannot_be_written_does_not_lose_the_rest() {
    let folder = Folder::new();
    let args = format!("{SHORT} --bench-formats lz4 --bench-levels 1 --csv /dev/full --json a.json");
    let run = folder.run(&args).says(1, &["/dev/full: cannot write"]);
    assert!(String::from_utf8(run.stdout).unwrap().contains("pzcomp -F lz4 -1 compresses"));
    assert!(folder.read("a.json").starts_with(b"{"));
}

#[test]
fn an_empty_file_among_others_changes_nothing() {
    let folder = Folder::new();
    folder.write("empty", "");
    std::fs::File::create(folder.path("huge")).unwrap().set_len(1 << 40).unwrap();
    let results = json(&folder, "--bench-formats lz4 --bench-levels 1 empty huge");
    let sample = &results["sample"];
    assert_eq!((&sample["bytes"], &sample["of_bytes"]), (&(64 << 10).into(), &(1_u64 << 40).into()));
}

#[test]
fn what_is_measured_twice_is_measured_once() {
    let folder = Folder::new();
    assert_eq!(measured(&json(&folder, "--bench-formats lz4,lz4 --bench-levels 1,1")), ["lz4 1"]);
}

#[test]
fn many_files_are_not_all_held_open() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("many")).unwrap();
    (0..200).for_each(|number| drop(folder.write(&format!("many/{number}"), text(1000))));
    let line = format!("ulimit -n 60; exec $0 {SHORT} --bench-formats lz4 --bench-levels 1 -r many");
    let printed = String::from_utf8(folder.sh(&line).fine()).unwrap();
    assert!(printed.contains("of many/0 and 199 more"), "{printed}");
}
