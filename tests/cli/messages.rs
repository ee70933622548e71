//! What is said on standard error, and when nothing is.
//!
//! There is no peer: the words are ours. `Run::says` demands the exit status and parts of the message, and that each
//! line begins with `pzcomp: `. Add a message where its cause is made: here, or in `wrong_input.rs` if the input is the
//! cause.

use crate::harness::{Folder, text};

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
        fits(run.stderr.trim_end(), &format!("pzcomp: plain: 3.0 MiB -> 1.0 MiB (# %, #x) {CPU}")),
        "{}",
        run.stderr
    );

    let run = folder.run("-dcv plain.zst").says(0, &[]);
    assert!(
        fits(
            run.stderr.lines().last().unwrap(),
            &format!("pzcomp: plain.zst: 1.0 MiB -> 3.0 MiB (# %, #x) {CPU}")
        ),
        "{}",
        run.stderr
    );

    let run = folder.pipe("-v", &plain).says(0, &[]);
    assert!(
        fits(run.stderr.trim_end(), &format!("pzcomp: stdin: 3.0 MiB -> 1.0 MiB (# %, #x) {CPU}")),
        "{}",
        run.stderr
    );

    let run = folder.pipe("-v", "").says(0, &[]);
    assert!(
        fits(run.stderr.trim_end(), &format!("pzcomp: stdin: 0 B -> # B (- %, -x) {CPU}")),
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
    assert!(!folder.run("-v -f -5 a").stderr.contains("level"));
}

#[test]
fn test_says_ok_under_v_and_nothing_otherwise() {
    let folder = Folder::new();
    folder.write("a", "a");
    folder.run("a").fine();
    assert_eq!(folder.run("-t a.zst").fine(), b"");
    folder.run("-tv a.zst").says(0, &["pzcomp: a.zst: OK\n"]);
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
