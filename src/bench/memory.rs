//! Measures the peak memory of a whole process, for `--bench`.
//!
//! [`measure`] runs pzcomp itself as a filter between two pipes, once in each direction, and stores the peak memory,
//! which the record of that process has (`--json`). This cannot be measured inside one process, because memory of
//! earlier points would count.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread::Builder;

use pzcomp::Layout;

use super::super::dialect::native::VARIABLE;
use super::measure::{Direction, Point};
use crate::request::Options;

/// Runs both directions of `point` in processes of their own and stores their peak memory. If a process fails,
/// nothing is stored.
pub(super) fn measure(point: &mut Point, sample: &[u8], options: &Options) {
    if let Some((peak, coded)) = filter(Direction::Compress, options, sample) {
        point.compress.peak_memory = peak;
        point.decompress.peak_memory =
            filter(Direction::Decompress, options, &coded).and_then(|(peak, _)| peak);
    }
}

/// Runs one process. Returns its peak memory and its output, or `None` if it fails.
fn filter(direction: Direction, options: &Options, input: &[u8]) -> Option<(Option<u64>, Vec<u8>)> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.env_remove(VARIABLE).args(arguments(direction, options));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
    let mut output = Vec::new();
    let read = std::thread::scope(|scope| {
        // If the process ends before it has read everything, its exit status says so. Without a thread it reads
        // nothing.
        Builder::new().spawn_scoped(scope, move || drop(stdin.write_all(input)))?;
        match direction {
            Direction::Compress => stdout.read_to_end(&mut output).map(|len| len as u64),
            Direction::Decompress => std::io::copy(&mut stdout, &mut std::io::sink()),
        }
    });
    drop(stdout);
    let ended = child.wait_with_output().ok()?;
    (read.is_ok() && ended.status.success()).then(|| (peak_in(&ended.stderr), output))
}

/// The peak memory in the record, which is the last line that the process prints.
fn peak_in(printed: &[u8]) -> Option<u64> {
    let line = printed.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty())?;
    serde_json::from_slice::<serde_json::Value>(line).ok()?["peak_memory_bytes"].as_u64()
}

/// The arguments for a process with these options.
fn arguments(direction: Direction, options: &Options) -> Vec<OsString> {
    let mut arguments = vec!["--json=-".to_owned(), format!("--threads={}", options.threads)];
    arguments.extend(options.memory.map(|memory| format!("--memory={memory}")));
    match direction {
        Direction::Decompress => arguments.push("--decompress".into()),
        Direction::Compress => {
            arguments.push(format!("--format={}", options.format));
            arguments.extend(options.level.map(|level| format!("--level={level}")));
            arguments.extend(options.window_log.map(|log| format!("--long={log}")));
            arguments.extend(options.block_size.map(|len| format!("--block-size={len}")));
            arguments.extend(options.no_index.then(|| "--no-index".into()));
            arguments.extend(matches!(options.layout, Layout::Single(_)).then(|| "--one-member".into()));
        }
    }
    arguments.into_iter().map(OsString::from).collect()
}
