//! How much memory a whole process takes: the program runs itself as a filter between two pipes.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use pzcomp::bench::{Direction, Point};
use pzcomp::{Layout, Options};

use super::super::dialect::native::VARIABLE;
use super::super::report;

/// Has both directions of `point` done by a process of their own, and notes its peak memory. Where that
/// cannot be, nothing is noted.
pub(super) fn measure(point: &mut Point, sample: &[u8], options: &Options) {
    if let Some((peak, coded)) = filter(Direction::Compress, options, sample) {
        point.compress.peak_memory = peak;
        point.decompress.peak_memory =
            filter(Direction::Decompress, options, &coded).and_then(|(peak, _)| peak);
    }
}

/// The peak memory of a process, and its output.
fn filter(direction: Direction, options: &Options, input: &[u8]) -> Option<(Option<u64>, Vec<u8>)> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.env_remove(VARIABLE).args(arguments(direction, options));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
    let mut output = Vec::new();
    let read = std::thread::scope(|scope| {
        // If it ends before all is written, its status says so.
        scope.spawn(move || drop(stdin.write_all(input)));
        match direction {
            Direction::Compress => stdout.read_to_end(&mut output).map(|len| len as u64),
            Direction::Decompress => std::io::copy(&mut stdout, &mut std::io::sink()),
        }
    });
    let ended = child.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&ended.stderr);
    (read.is_ok() && ended.status.success()).then(|| (report::peak_memory_in(&said), output))
}

/// The command line that makes a process do what is measured.
fn arguments(direction: Direction, options: &Options) -> Vec<OsString> {
    let mut arguments = vec!["-v".to_owned(), format!("--threads={}", options.threads)];
    arguments.extend(options.memory.map(|memory| format!("--memory={memory}")));
    match direction {
        Direction::Decompress => arguments.push("--decompress".into()),
        Direction::Compress => {
            arguments.push(format!("--format={}", options.format));
            arguments.extend(options.level.map(|level| format!("--level={level}")));
            arguments.extend(options.block_size.map(|len| format!("--block-size={len}")));
            arguments.extend((!options.index).then(|| "--no-index".into()));
            arguments.extend(matches!(options.layout, Layout::Single(_)).then(|| "--one-member".into()));
        }
    }
    arguments.into_iter().map(OsString::from).collect()
}
