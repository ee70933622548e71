//! The peak memory of a process and of the processes that it starts.
//!
//! The kernel reports `ru_maxrss` of an ended child. That figure is exact for one process, but it begins with the peak
//! of this program, and of several processes it has the largest and not the sum. So the round that verifies, which is
//! not timed, is watched too: every few milliseconds [`watch`] adds up the peaks of all live processes of the tree. The
//! sum misses a process that is too short to be seen, and counts shared pages twice.

use std::fs;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use compare::machine;

/// The time between two looks. It is short beside any measured process, and long beside a look.
const INTERVAL: Duration = Duration::from_millis(2);

/// Watches the tree of a process until `ended` gets a message or is dropped. Returns the largest sum of the peaks in
/// bytes, or 0 if nothing was seen.
pub fn watch(root: u32, ended: &Receiver<()>) -> u64 {
    let mut highest = 0;
    loop {
        highest = highest.max(tree_peak(root));
        match ended.recv_timeout(INTERVAL) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return highest,
        }
    }
}

/// The sum of the peaks so far, of a process and of all its descendants.
fn tree_peak(process: u32) -> u64 {
    let children = children(process);
    peak(process) + children.into_iter().map(tree_peak).sum::<u64>()
}

/// The peak of a process, or 0 if it has ended or is about to.
fn peak(process: u32) -> u64 {
    machine::peak_bytes(&process.to_string()).unwrap_or(0)
}

/// The children of a process. Any of its threads may have started one. Some kernels do not have these files, and show
/// no children.
fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc;
    use std::thread;

    fn shell(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null());
        command.spawn().expect("there is a shell")
    }

    fn peak_of(script: &str) -> u64 {
        let mut child = shell(script);
        let root = child.id();
        let (end, ended) = mpsc::channel();
        let watcher = thread::spawn(move || watch(root, &ended));
        child.wait().expect("it is our child");
        drop(end);
        watcher.join().expect("nothing in it panics")
    }

    /// `dd` fills a buffer of one block, and keeps it until its reader wakes up.
    const THIRTY_MIB: &str = "dd if=/dev/zero bs=30M count=1 2>/dev/null | (sleep 0.4; cat >/dev/null)";

    #[test]
    fn a_child_of_a_shell_counts() {
        let peak = peak_of(&format!("{THIRTY_MIB}; true"));
        assert!((30 << 20..60 << 20).contains(&peak), "{peak}");
    }

    #[test]
    fn children_at_the_same_time_add_up() {
        let peak = peak_of(&format!("({THIRTY_MIB}) & ({THIRTY_MIB}) & wait"));
        assert!((60 << 20..100 << 20).contains(&peak), "{peak}");
    }

    #[test]
    fn a_process_that_does_not_exist_has_no_memory() {
        assert_eq!(peak(u32::MAX), 0);
        assert_eq!(children(u32::MAX), []);
    }
}
