//! What is said on standard error, and when nothing is.
//!
//! There is no peer: the words are ours. `Run::says` demands the exit status and parts of the message, and that each
//! line begins with `pzcomp: `. Add a message where its cause is made: here, or in `wrong_input.rs` if the input is the
//! cause.

use crate::harness::{Folder, feed, finish, text};

/// Takes `line` apart by the words of `pattern`, in which a `#` is a number; whether it fits.
fn fits(line: &str, pattern: &str) -> bool {
    let mut rest = line;
    for (at, part) in pattern.split('#').enumerate() {
        if at > 0 {
            let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
            if rest[..number].parse::<f64>().is_err() {
                return false;
            }
            rest = &rest[number..];
        }
        let Some(after) = rest.strip_prefix(part) else {
            return false;
        };
        rest = after;
    }
    rest.is_empty()
}

const CPU: &str =
    "in # s, # MB/s; # frames, # threads; cpu s: reader #, workers #, writer #; peak memory # MiB";

#[test]
fn the_last_line_of_v_has_the_shape_that_scripts_read() {
    let folder = Folder::new();
    let plain = text(3 << 20);
    folder.write("plain", &plain);
    let run = folder.run("-v -p2 plain").says(0, &["; 3 frames, 2 threads; "]);
    assert!(
        fits(run.stderr.trim_end(), &format!("pzcomp: plain: 3.0 MiB -> 980.0 KiB (# %, #x) {CPU}")),
        "{}",
        run.stderr
    );

    let run = folder.run("-dcv plain.zst").says(0, &[]);
    assert!(
        fits(
            run.stderr.lines().last().unwrap(),
            &format!("pzcomp: plain.zst: 980.0 KiB -> 3.0 MiB (# %, #x) {CPU}")
        ),
        "{}",
        run.stderr
    );

    let run = folder.pipe("-v", &plain).says(0, &[]);
    assert!(
        fits(run.stderr.trim_end(), &format!("pzcomp: stdin: 3.0 MiB -> 980.0 KiB (# %, #x) {CPU}")),
        "{}",
        run.stderr
    );

    // A pipe that has ended before pzcomp looks is short, and takes one thread.
    let run = folder.pipe("-v", "").says(0, &[]);
    let one = |line: &str| line.replace("frames", "frame").replace("threads", "thread");
    assert!(
        fits(&one(run.stderr.trim_end()), &one(&format!("pzcomp: stdin: 0 B -> # B (- %, -x) {CPU}"))),
        "{}",
        run.stderr
    );
}

#[test]
fn the_figures_of_both_directions_agree() {
    let folder = Folder::new();
    let run = folder.pipe("-v", text(1_000_000));
    let figures = |stderr: &str| stderr[stderr.find('(').unwrap()..stderr.find(')').unwrap()].to_owned();
    assert_eq!(figures(&run.stderr), figures(&folder.pipe("-dv", &run.stdout).stderr));
}

#[test]
fn each_stream_has_its_own_line() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.write("b", "b");
    let run = folder.run("-v a b").says(0, &["pzcomp: a: ", "pzcomp: b: "]);
    assert_eq!(run.stderr.lines().count(), 2);
}

#[test]
fn twice_v_tells_the_settings() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder
        .run("-vv -5 -b 64K -p3 --no-index a")
        .says(0, &["zstd level 5", "64.0 KiB", "3 threads", "without index", "a.zst"]);
    folder.run("-vv -f a").says(0, &["with index"]);
    assert!(!folder.run("-v -f -5 a").stderr.contains("level"));
}

#[test]
fn test_says_ok_under_v_and_nothing_otherwise() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.run("a").fine();
    assert_eq!(folder.run("-t a.zst").fine(), b"");
    folder.run("-tv a.zst").says(0, &["pzcomp: a.zst: OK, has no end mark\n"]);
    assert_eq!(folder.names(), ["a", "a.zst"]);
}

#[test]
fn quiet_silences_warnings_and_not_their_status() {
    let folder = Folder::new();
    let run = folder.run("-q .").says(2, &[]);
    assert_eq!(run.stderr, "");
    folder.run("--quiet missing").says(1, &["pzcomp: missing: "]);
}

#[test]
fn zeros_behind_the_last_frame_are_a_warning() {
    let folder = Folder::new();
    let coded = [folder.pipe("", "x").fine(), vec![0; 512]].concat();
    let run = folder.pipe("-d", &coded).says(2, &["pzcomp: stdin: warning: 512 zero byte"]);
    assert_eq!(run.stdout, b"x");
    let run = folder.pipe("-dq", &coded).says(2, &[]);
    assert_eq!((run.stdout, run.stderr), (b"x".to_vec(), String::new()));
}

/// A name that a terminal would obey, or that looks like a message.
const ODD: &str = "a\u{1b}[2J\npzcomp: all is well\u{202e}";

#[test]
fn names_are_shown_without_what_a_terminal_obeys() {
    let folder = Folder::new();
    for suffix in ["", ".zst", ".gz", ".xz", ".lz4", ".bz2", ".lz"] {
        folder.write(&format!("{ODD}{suffix}"), "nothing that is compressed");
    }
    folder.write("empty", "");
    folder.write(&format!("{ODD}.link.zst"), folder.pipe("-c", "x").fine());
    let coded = format!("{ODD}.link.zst");
    for (args, name) in [
        ("-d", format!("{ODD}.zst")),
        ("-dc", format!("{ODD}.zst")),
        ("-t", format!("{ODD}.gz")),
        ("-v", ODD.to_owned()),
        ("-l", format!("{ODD}.gz")),
        ("-l", coded.clone()),
        ("-l --frames", coded.clone()),
        ("-d --hash sha256", coded.clone()),
        ("-dvv -f", coded.clone()),
        ("-d", coded.clone()),
        ("-d", "no such".to_owned() + ODD),
        ("--exec -c --", ODD.to_owned()),
        ("-F", ODD.to_owned()),
        ("-o", ODD.to_owned()),
        ("--progress", ODD.to_owned()),
        ("--as gzip -dv", format!("{ODD}.gz")),
        ("--as gzip -v", format!("{ODD}.gz")),
        ("--as gzip -l", format!("{ODD}.gz")),
        ("--as gzip -S", "/".to_owned() + ODD),
        ("--as xz -dv", format!("{ODD}.xz")),
        ("--as xz -kv", ODD.to_owned()),
        ("--as xz -l", format!("{ODD}.xz")),
        ("--as zstd -dv", format!("{ODD}.zst")),
        ("--as zstd -l", coded.clone()),
        ("--as zstd -lv", coded.clone()),
        ("--as lz4 -dv", format!("{ODD}.lz4")),
        ("--as bzip2 -dv", format!("{ODD}.bz2")),
        ("--as bzip2 -kv", ODD.to_owned()),
        ("--as lbzip2 -kvf", ODD.to_owned()),
        ("--as pbzip2 -kf", ODD.to_owned()),
        ("--as lzip -dv", format!("{ODD}.lz")),
        ("--as lzip -kv", ODD.to_owned()),
        ("--as pigz -kvf", ODD.to_owned()),
        ("--as pigz -l", format!("{ODD}.gz")),
        ("--as bgzip -d", format!("{ODD}.gz")),
        ("--as igzip -d", format!("{ODD}.gz")),
        ("--as qpress -d", ODD.to_owned()),
        ("--as", ODD.to_owned()),
        ("--as gzip", format!("--{ODD}")),
        ("--as zstd", format!("--{ODD}")),
        ("--as xz", format!("--{ODD}")),
    ] {
        let args: Vec<&str> = args.split(' ').chain([&*name]).collect();
        let run = finish(folder.command(&args).spawn().unwrap());
        let said = run.stderr.clone() + &String::from_utf8_lossy(&run.stdout);
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{args:?}: {said:?}");
        assert!(!said.contains("\npzcomp: all is well"), "{args:?}: {said:?}");
    }
}

#[test]
fn records_have_the_names_as_they_are() {
    let folder = Folder::new();
    folder.write(ODD, "plain");
    finish(folder.command(["--json", "record", ODD]).spawn().unwrap()).fine();
    let record: serde_json::Value = serde_json::from_slice(&folder.read("record")).unwrap();
    assert!(record.to_string().contains(&serde_json::json!(ODD).to_string()), "{record}");
    assert!(!folder.read("record").contains(&0x1b));
}

#[test]
fn a_question_shows_a_name_without_what_a_terminal_obeys() {
    let folder = Folder::new();
    folder.write(ODD, "x");
    folder.write(&format!("{ODD}.zst"), "there");
    let mut command = folder.command(["--as", "zstd", ODD]);
    let run = feed(&mut command, b"n\n");
    assert!(run.stderr.contains("already exists") && !run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}
