//! Killed at any moment of work in place: each file is there in one form or the other, and whole.
//!
//! No scene can show that: the moment is random. GNU gzip makes the files and judges what is left. A failure tells the
//! signal and the delay.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::Signal;

use crate::harness::{Folder, feed, finish, noise, send, text};
use crate::scene::links;

const FILES: usize = 4;
const ROUNDS: u32 = 5;

/// What the original gzip makes of `input`; `None` if it complains.
fn original(option: &str, input: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new("/usr/bin/gzip");
    command.arg(option).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = feed(&mut command, input);
    run.status.success().then_some(run.stdout)
}

/// What the files hold, and their coded forms.
fn files() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let file = |number| {
        let plain = [text(900_000 + number), noise(300_000)].concat();
        let coded = original("-1", &plain).unwrap();
        (format!("file{number}"), plain, coded)
    };
    (0..FILES).map(file).collect()
}

/// Runs gzip until `signal` comes after `delay`; and says what is wrong with what is left.
fn kill(
    files: &[(String, Vec<u8>, Vec<u8>)],
    option: &str,
    signal: Signal,
    delay: Duration,
) -> Result<(), String> {
    let folder = Folder::new();
    for (name, plain, coded) in files {
        match option {
            "-d" => folder.write(&format!("{name}.gz"), coded),
            _ => folder.write(name, plain),
        };
    }
    let names = folder.names();
    let mut command = Command::new(links().join("gzip"));
    command.arg(option).args(&names).current_dir(folder.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(delay);
    send(&child, signal);
    let run = finish(child);
    if !run.stderr.is_empty() {
        return Err(run.stderr);
    }
    for (name, plain, _) in files {
        let coded_name = format!("{name}.gz");
        if folder.has(name) && folder.read(name) != *plain {
            return Err(format!("{name} is not whole"));
        }
        if folder.has(&coded_name) {
            if original("-d", &folder.read(&coded_name)).as_ref() != Some(plain) {
                return Err(format!("{coded_name} is not whole, or holds something else"));
            }
        } else if !folder.has(name) {
            return Err(format!("{name} is lost"));
        }
    }
    let is_ours =
        |left: &String| files.iter().any(|(name, ..)| left.strip_suffix(".gz").unwrap_or(left) == name);
    match folder.names().into_iter().find(|left| !is_ours(left)) {
        // Nobody can clean up behind this one; but what it leaves is no file that anybody takes for whole.
        Some(left) if signal == Signal::KILL && left.starts_with('.') => Ok(()),
        Some(left) => Err(format!("{left} is left behind")),
        None => Ok(()),
    }
}

#[test]
fn no_moment_is_a_bad_one() {
    let files = files();
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
    let mut state = u64::from(nanos) | 1;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % limit
    };
    for option in ["-1", "-d"] {
        let begin = Instant::now();
        kill(&files, option, Signal::WINCH, Duration::ZERO).unwrap();
        let whole = begin.elapsed().as_micros() as u64;
        for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
            for _ in 0..ROUNDS {
                let delay = Duration::from_micros(below(whole));
                if let Err(why) = kill(&files, option, signal, delay) {
                    panic!("{option}, {signal:?} after {delay:?}: {why}");
                }
            }
        }
    }
}
