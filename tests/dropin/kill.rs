//! Killed at any moment of work in place: each file is there in one form or the other, and whole.

use std::time::{Duration, Instant, SystemTime};

use rustix::process::Signal;

use crate::common::plain::Random;
use crate::harness::{Folder, finish, noise, send, text};
use crate::member::Member;
use crate::side::Side;

const FILES: usize = 4;
const ROUNDS: u32 = 5;

/// What the files hold, and their coded forms.
fn files() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let folder = Folder::new();
    let plain = |number: usize| [text(900_000 + number), noise(300_000)].concat();
    let file = |number| {
        let name = format!("file{number}");
        folder.write(&name, plain(number));
        let coded =
            finish(Side::System.command("gzip", &folder).args(["-1c", &name]).spawn().unwrap()).fine();
        (name, plain(number), coded)
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
    let child = Side::Ours.command("gzip", &folder).arg(option).args(&names).spawn().unwrap();
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
            let member =
                Member::read(&folder.read(&coded_name)).map_err(|why| format!("{coded_name}: {why}"))?;
            if member.plain != *plain {
                return Err(format!("{coded_name} holds something else"));
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
    let seed = u64::from(nanos) | 1;
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    for option in ["-1", "-d"] {
        let begin = Instant::now();
        kill(&files, option, Signal::WINCH, Duration::ZERO).unwrap();
        let whole = begin.elapsed().as_micros() as u64;
        for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
            for _ in 0..ROUNDS {
                let delay = Duration::from_micros(random.below(whole));
                if let Err(why) = kill(&files, option, signal, delay) {
                    panic!("seed {seed}: {option}, {signal:?} after {delay:?}: {why}");
                }
            }
        }
    }
}
