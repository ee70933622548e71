//! [`Pressure`]: for how long other programs have waited for a CPU.
//!
//! Linux counts the time in which at least one thread of the system waits for a CPU (`/proc/pressure/cpu`, the line
//! `some`), and for each thread how long it has waited itself (`schedstat`). The workers of this process wait too,
//! because they run in the idle class. So the time of all threads of this process is subtracted. The result is never
//! more than what others have waited.

use std::fs;
use std::time::Duration;

/// The counters as they were last read.
pub struct Pressure {
    /// The file that can be read here.
    path: String,
    system: Duration,
    own: Duration,
}

impl Pressure {
    /// Reads the counters for the first time. Nothing if the system has none.
    pub fn watch() -> Option<Self> {
        let paths = ["/proc/pressure/cpu".to_owned()].into_iter().chain(of_group());
        let (path, system) = paths
            .into_iter()
            .find_map(|path| Some((path.clone(), some(&fs::read_to_string(path).ok()?)?)))?;
        Some(Self { path, system, own: own()? })
    }

    /// For how long others have waited since the last call. Nothing if the counters cannot be read any more.
    pub fn others_waited(&mut self) -> Option<Duration> {
        let system = some(&fs::read_to_string(&self.path).ok()?)?;
        let own = own()?;
        let others = system.saturating_sub(self.system).saturating_sub(own.saturating_sub(self.own));
        (self.system, self.own) = (system, own);
        Some(others)
    }
}

/// The same counter of the control group, for containers that do not show the system's.
fn of_group() -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(format!("/sys/fs/cgroup{path}/cpu.pressure"))
}

/// The total of the line `some`, in microseconds in the file.
fn some(text: &str) -> Option<Duration> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let total = line.split(' ').find_map(|word| word.strip_prefix("total="))?;
    Some(Duration::from_micros(total.parse().ok()?))
}

/// For how long the threads of this process have waited for a CPU, in nanoseconds in the second field of the files. A
/// thread that has ended counts no more, so the sum can fall.
fn own() -> Option<Duration> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let waited = |text: String| text.split_ascii_whitespace().nth(1)?.parse::<u64>().ok();
    let each = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok().and_then(waited));
    Some(Duration::from_nanos(each.sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_some_is_read_and_others_are_refused() {
        let text = "some avg10=86.47 avg60=90.78 avg300=95.49 total=17578885499\nfull avg10=0.00 total=3\n";
        assert_eq!(some(text), Some(Duration::from_micros(17_578_885_499)));
        for text in ["", "full avg10=0.00 total=3\n", "some avg10=0.00\n", "some total=-1\n"] {
            assert_eq!(some(text), None, "{text}");
        }
    }

    #[test]
    fn the_counters_of_this_system_grow_or_there_are_none() {
        if let Some(mut pressure) = Pressure::watch() {
            assert!(pressure.others_waited().is_some());
        }
    }
}
