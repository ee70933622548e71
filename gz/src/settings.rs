//! What the environment says, read once in a process.
//!
//! The README of this package explains the variables. A value that makes no sense counts as absent, because a library
//! that is preloaded has nobody to tell.

use std::env;
use std::sync::OnceLock;

use pzcomp::Format;

/// Shorter data is coded without threads.
const INLINE: u64 = 1 << 20;
/// The coded start of a pipe is kept in memory up to the change, so this bounds `PZCOMP_GZ_INLINE`.
const INLINE_MAX: u64 = 1 << 30;

/// More threads than this are taken for an error, as by the command.
const THREADS_MAX: usize = 1024;

pub(crate) struct Settings {
    /// All calls go to zlib.
    pub(crate) is_off: bool,
    /// 0 is the number of CPUs.
    pub(crate) threads: usize,
    /// Other formats that are read.
    pub(crate) formats: Vec<Format>,
    /// Streams of at least this length are parallel: coded bytes in reading, plain bytes in writing.
    pub(crate) inline: u64,
}

pub(crate) fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let value = |name| env::var(name).unwrap_or_default();
        Settings {
            is_off: matches!(value("PZCOMP_GZ").as_str(), "off" | "0" | "no"),
            threads: value("PZCOMP_GZ_THREADS")
                .parse()
                .ok()
                .filter(|&threads| threads <= THREADS_MAX)
                .unwrap_or(0),
            formats: formats(&value("PZCOMP_GZ_FORMATS")),
            inline: value("PZCOMP_GZ_INLINE").parse().unwrap_or(INLINE).min(INLINE_MAX),
        }
    })
}

/// The formats of a list such as `zstd,xz`, or all. gzip is not in it, because it is always read.
fn formats(list: &str) -> Vec<Format> {
    let names: Vec<&str> = list.split(',').map(str::trim).collect();
    let is_named = |format: &Format| names.iter().any(|name| *name == "all" || *name == format.name());
    Format::readable().filter(|format| *format != Format::Gzip && is_named(format)).collect()
}
