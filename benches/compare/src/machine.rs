//! The machine and the time of a measurement, for the heads of reports.
//!
//! [`description`] returns the CPU model, the number of cores, the memory, the time and the load,
//! because figures mean little without them. They name neither the host nor its kernel. [`peak_bytes`] returns the peak
//! memory of a process. All of it comes from `/proc`.

use std::fs;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar;

/// The machine in a few lines.
pub fn description() -> Vec<String> {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    vec![
        format!("{}, {cores} cores usable, {} of memory", cpu_model(), memory()),
        format!("{} UTC, load before: {}", now(), load()),
    ]
}

/// The peak memory of a process so far, by its number or `self`. None if it has ended.
pub fn peak_bytes(process: &str) -> Option<u64> {
    let kib = field(&format!("/proc/{process}/status"), "VmHWM")?;
    let kib: u64 = kib.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}

fn cpu_model() -> String {
    field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown CPU".to_owned())
}

fn memory() -> String {
    const KIB_PER_GIB: f64 = 1_048_576.0;
    let kib = field("/proc/meminfo", "MemTotal");
    let kib = kib.and_then(|kib| kib.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or_else(|| "an unknown amount".to_owned(), |kib| format!("{:.1} GiB", kib / KIB_PER_GIB))
}

fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let now = load.split_whitespace().next();
    now.unwrap_or("unknown").to_owned()
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut time = Vec::new();
    calendar::push_time(&mut time, since.map_or(0, |since| since.as_secs()));
    String::from_utf8_lossy(&time).into_owned()
}

/// The value of the first line `name : value` of a file in `/proc`.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}
