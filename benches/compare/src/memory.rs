//! The peak memory of a process and of those it has started.
//!
//! What the kernel says of an ended child, `ru_maxrss`, is exact for one process, but it begins with
//! this program's own peak, and of several processes it is the largest one and not the sum. So the
//! verifying round, which is not timed, is watched as well: every few milliseconds each live process
//! of the tree is asked for its own peak, and the sum counts. A process too short to be seen is
//! missing in that sum, and pages that two share count twice.

use std::fs;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use compare::machine;

/// Short beside any process that is worth measuring, long beside looking.
const INTERVAL: Duration = Duration::from_millis(2);

/// Watches the tree of a process until `ended` says that it has ended, or is dropped; the largest
/// sum of its peaks in bytes, 0 if nothing was seen.
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

/// The sum of the peaks, as far as they have come, of a process and all that descend from it.
fn tree_peak(process: u32) -> u64 {
    let children = children(process);
    peak(process) + children.into_iter().map(tree_peak).sum::<u64>()
}

/// 0 for one that has ended or is about to.
fn peak(process: u32) -> u64 {
    machine::peak_bytes(&process.to_string()).unwrap_or(0)
}

/// Any of its threads may have started one. Kernels without these files show none.
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

    /// `dd` fills a buffer of one block, and cannot get rid of it before its reader wakes up.
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
    fn nobody_has_no_memory() {
        assert_eq!(peak(u32::MAX), 0);
        assert_eq!(children(u32::MAX), []);
    }
}
