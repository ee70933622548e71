//! Many inputs in one run: short ones are coded before their turn, and nobody can tell but by the time.
//!
//! Each scene runs with one CPU, where nothing is coded before its turn, and with several.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;

use crate::harness::{Folder, Run, finish, noise, send, text, wait_until};

/// Files that were changed just now are not coded before their turn.
fn wait_until_quiet() {
    std::thread::sleep(Duration::from_millis(150));
}

fn run(folder: &Folder, before: &str, args: &str) -> Run {
    let words =
        before.split_whitespace().chain([env!("CARGO_BIN_EXE_pzcomp")]).chain(args.split_whitespace());
    let words: Vec<&str> = words.collect();
    finish(folder.program(words[0], &words[1..]).spawn().unwrap())
}

fn files(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.path("")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(found.insert(path.display().to_string(), std::fs::read(path).unwrap())),
            }
        }
    }
    found
        .into_iter()
        .map(|(path, bytes)| {
            (path.replace(folder.path("").to_str().unwrap().trim_end_matches('/'), ""), bytes)
        })
        .collect()
}

/// Inputs of all kinds, and things that are in their way, in a folder `d` too.
fn inputs() -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    for number in 0..60 {
        let bytes = match number % 10 {
            3 => Vec::new(),
            5 => text(400_000),
            9 if number == 19 => text(1_200_000),
            7 => noise(5_000 + number),
            _ => text(20_000 + 10 * number),
        };
        folder.write(&format!("f{number:02}"), &bytes);
        folder.write(&format!("d/g{number:02}"), &bytes);
    }
    for (format, suffix) in [("gzip", "gz"), ("zstd", "zst"), ("xz", "xz")] {
        for number in 0..20 {
            let (name, made) = (format!("f{number:02}"), format!("{suffix}{number:02}.{suffix}"));
            let mut coded = folder.run(&format!("-F {format} -c {name}")).fine();
            match number {
                4 => coded.truncate(coded.len() / 2),
                6 => coded.extend_from_slice(b"garbage"),
                8 => coded[100] ^= 4,
                _ => {}
            }
            folder.write(&made, coded);
        }
    }
    // In the way of outputs.
    folder.write("f11.gz", "precious");
    folder.write("f12.zst", "precious");
    folder.write("gz09", "precious");
    // Zeros, which become holes or not.
    folder.write("zeros.zst", folder.pipe("-c", vec![0; 300_000]).fine());
    // The output of one is that of another one.
    folder.write("both.gz", folder.pipe("-F gzip -c", "one").fine());
    folder.write("both.xz", folder.pipe("-F xz -c", "other").fine());
    files(&folder)
}

/// A folder with these files, which have one time, because headers have the times of the inputs.
fn folder_of(inputs: &BTreeMap<String, Vec<u8>>) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (path, bytes) in inputs {
        let file = std::fs::File::create(folder.path(&path[1..])).unwrap();
        (&file).write_all(bytes).unwrap();
        file.set_modified(time).unwrap();
    }
    folder
}

#[test]
fn many_inputs_give_what_each_gives_in_its_turn() {
    let plain = (0..60).map(|number| format!("f{number:02}")).collect::<Vec<_>>().join(" ");
    let coded = |suffix: &str| {
        (0..20).map(|number| format!("{suffix}{number:02}.{suffix}")).collect::<Vec<_>>().join(" ")
    };
    let (gz, zst, xz) = (coded("gz"), coded("zst"), coded("xz"));
    let scenes = [
        format!("--as gzip -k missing {plain} d"),
        format!("--as gzip -v {plain} {plain}"),
        format!("--as gzip -c {plain} missing f00"),
        format!("--as gzip -f f11 f11.gz f11.gz.gz {plain}"),
        format!("--as gzip -d {gz} both.gz both.xz"),
        format!("--as gzip -dkf {gz}"),
        format!("--as gzip -t {gz}"),
        format!("--as gzip -dc {gz} {gz}"),
        "--as gzip -r .".into(),
        format!("--as pigz -k {plain}"),
        format!("--as zstd -q {plain}"),
        format!("--as zstd -q -d {zst} zeros.zst"),
        format!("--as zstd -q -t {zst}"),
        format!("--as xz -0 -k {plain}"),
        format!("--as xz -d {xz} both.xz"),
        format!("-k {plain}"),
        format!("--rm -f {plain}"),
        format!("-d {zst} {gz} {xz} both.gz both.xz"),
        format!("-d --rm -f {zst} {gz} {xz} both.gz both.xz"),
        format!("-t {zst} {gz} {xz}"),
        format!("-dc {zst} {gz} {xz}"),
        format!("-o all {plain}"),
        "-r -k .".into(),
        format!("-q -k {plain} missing"),
    ];
    let inputs = inputs();
    for scene in scenes {
        let mut outcomes = ["taskset -c 0", ""].map(|before| {
            let folder = folder_of(&inputs);
            wait_until_quiet();
            let Run { status, stdout, stderr } = run(&folder, before, &scene);
            (status.code(), stderr, stdout, files(&folder))
        });
        let [one, several] = &mut outcomes;
        let scene: String = scene.chars().take(40).collect();
        assert_eq!(one.0, several.0, "{scene}: the status");
        assert_eq!(one.1, several.1, "{scene}: the messages");
        assert!(one.2 == several.2, "{scene}: standard output");
        assert!(one.3.keys().eq(several.3.keys()), "{scene}: the names");
        for (name, bytes) in &one.3 {
            assert!(*bytes == several.3[name], "{scene}: {name}");
        }
    }
}

/// A file may get the number of an input that was removed before it was made.
#[test]
fn rm_makes_an_output_of_two_inputs_once_whatever_was_removed_before() {
    let folder = Folder::new();
    for name in ["x", "y"] {
        folder.write(name, text(1000));
    }
    folder.run("-F gzip x y").fine();
    folder.run("-F xz --rm y").fine();
    folder.run("-d --rm -f -p1 x.gz y.gz y.xz").says(1, &["y: was made in this run, of another input"]);
    assert!(folder.read("y") == text(1000) && folder.has("y.xz"));
}

/// A file that is written again while others are coded is taken as it is in its turn.
#[test]
fn what_changes_before_its_turn_is_read_in_its_turn() {
    let folder = Folder::new();
    folder.fifo("first");
    for number in 0..8 {
        folder.write(&format!("f{number}"), text(1_000));
    }
    wait_until_quiet();
    let child = folder.command("-c first f0 f1 f2 f3 f4 f5 f6 f7".split(' ')).spawn().unwrap();
    let pipe = std::fs::File::options().write(true).open(folder.path("first")).unwrap();
    // What comes behind the pipe is coded now.
    std::thread::sleep(Duration::from_millis(200));
    folder.write("f1", "changed");
    std::fs::rename(folder.path("f2"), folder.path("f3")).unwrap();
    drop(pipe);
    let run = finish(child);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let expected = [&text(1_000)[..], b"changed", &text(1_000).repeat(5)].concat();
    assert!(folder.pipe("-d", &run.stdout).fine() == expected);
}

/// Inputs that wait for their turn are open. Those that were read are not.
#[test]
fn a_low_limit_of_open_files_is_enough_for_many() {
    let folder = Folder::new();
    let names: Vec<String> = (0..40).map(|number| format!("f{number:02}")).collect();
    names.iter().for_each(|name| drop(folder.write(name, text(5_000))));
    wait_until_quiet();
    let args = format!("-k {}", names.join(" "));
    for limit in [12, 30, 100] {
        let Run { status, stderr, .. } = run(&folder, &format!("prlimit --nofile={limit}"), &args);
        assert_eq!(status.code(), Some(0), "{limit}: {stderr}");
        let made: Vec<String> = names.iter().map(|name| format!("{name}.zst")).collect();
        for args in ["-t", "-q -d -o all", "--as zstd -q -t"] {
            let args = format!("{args} {}", made.join(" "));
            let Run { status, stderr, .. } = run(&folder, &format!("prlimit --nofile={limit}"), &args);
            assert_eq!(status.code(), Some(0), "{limit}: {args}: {stderr}");
        }
        std::fs::remove_file(folder.path("all")).unwrap();
        made.iter().for_each(|made| std::fs::remove_file(folder.path(made)).unwrap());
    }
}

/// The run that makes it may go on.
#[test]
fn a_file_that_is_not_complete_is_no_input_that_is_found() {
    let folder = Folder::new();
    let partial = ".pzcomp-0123456789ab.partial";
    for name in [partial, ".pzcomp-0123456789ab.part", "f"] {
        folder.write(name, text(5_000));
    }
    let Run { status, stderr, .. } = run(&folder, "", "--rm -r .");
    assert_eq!((status.code(), &*stderr), (Some(0), ""));
    let mut names = folder.names();
    names.sort();
    assert_eq!(names, [".pzcomp-0123456789ab.part.zst", partial, "f.zst"]);
}

#[test]
fn a_signal_among_many_files_loses_none_and_leaves_no_partial_one() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let folder = Folder::new();
        let plain = noise(60_000);
        let names: Vec<String> = (0..400).map(|number| format!("f{number:03}")).collect();
        names.iter().for_each(|name| drop(folder.write(name, &plain)));
        wait_until_quiet();
        let args = ["--rm", "-12"].into_iter().chain(names.iter().map(String::as_str));
        let child = folder.command(args).spawn().unwrap();
        wait_until("some files are done", || folder.has("f020.zst"));
        send(&child, signal);
        finish(child).died_by(signal);
        assert!(!folder.names().iter().any(|name| name.ends_with(".partial")), "{:?}", folder.names());
        for name in &names {
            let made = format!("{name}.zst");
            assert!(folder.has(name) || folder.has(&made), "{name}");
            if folder.has(&made) {
                assert!(folder.run(&format!("-dc {made}")).fine() == plain, "{made}");
            }
        }
    }
}

/// Nobody reads the messages, so the first outputs are named and the next ones are ready.
#[test]
fn files_that_are_ready_before_their_turn_go_when_a_signal_ends_the_run() {
    for signal in [Signal::TERM, Signal::INT] {
        let folder = Folder::new();
        let plain = noise(3_000);
        let names: Vec<String> = (0..1_500).map(|number| format!("f{number:04}")).collect();
        names.iter().for_each(|name| drop(folder.write(name, &plain)));
        wait_until_quiet();
        let args = ["--rm", "-v", "-p", "4"].into_iter().chain(names.iter().map(String::as_str));
        let child = folder.command(args).stderr(Stdio::piped()).spawn().unwrap();
        let ready = || folder.names().iter().filter(|name| name.ends_with(".partial")).count();
        wait_until("files are ready", || ready() > 8);
        send(&child, signal);
        assert_eq!(finish(child).status.signal(), Some(signal.as_raw()));
        assert_eq!(ready(), 0);
        for name in &names {
            let made = format!("{name}.zst");
            assert!(folder.has(name) || folder.has(&made), "{name}");
            assert!(!folder.has(&made) || folder.run(&format!("-dc {made}")).fine() == plain, "{made}");
        }
    }
}

/// An output that is a later input by another name would be the end of that input.
#[test]
fn an_output_that_is_a_later_input_by_a_link_is_refused() {
    for (link, args) in
        [("-s", "-f --rm -F lz4"), ("-s", "--as lz4 -f --rm -m -q"), ("-P", "--as lz4 -f --rm -m -q")]
    {
        let folder = Folder::new();
        folder.write("a", text(1_000));
        folder.write("b", text(5_000));
        folder.sh(&format!("ln {link} b a.lz4")).fine();
        let Run { status, stderr, .. } = run(&folder, "", &format!("{args} a b"));
        assert_eq!(status.code(), Some(1), "{args} {link}: {stderr}");
        assert!(folder.has("a"), "{args} {link}");
        assert!(folder.run("-dc b.lz4").fine() == text(5_000), "{args} {link}");
    }
}
