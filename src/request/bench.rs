//! What `--bench` measures, and where the results go.

use std::path::PathBuf;
use std::time::Duration;

use pzcomp::Format;

use super::Request;

/// What to measure, and where the results go.
#[derive(Clone, Debug)]
pub(crate) struct BenchRequest {
    /// The inputs, the options of the library, and how much is printed.
    pub(crate) request: Request,
    /// Whether inputs were named. If not, standard input is measured only if it has data.
    pub(crate) named: bool,
    pub(crate) formats: Vec<Format>,
    pub(crate) levels: Vec<i32>,
    /// For each point.
    pub(crate) time: Duration,
    pub(crate) sample_len: Option<u64>,
    pub(crate) demand: Demand,
    pub(crate) json: Option<PathBuf>,
    pub(crate) csv: Option<PathBuf>,
    pub(crate) plot: Option<PathBuf>,
}

/// The speed and the size that are demanded. `None` demands nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    /// The least number of plain bytes that are compressed in a second.
    pub(crate) speed: Option<f64>,
    /// The greatest coded length, divided by the plain length.
    pub(crate) ratio: Option<f64>,
}
