//! Recovery records of files: `protect` and `repair`. The Python side chooses names and renames what is complete.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pzcomp::recovery::{Protect, Repair, Report};
use pzcomp::{Error, Progress};

use crate::errors::of_library;
use crate::settings::Reading;
use crate::signals;
use crate::whole::close;

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|source| Error::Read { offset: 0, source })
}

fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|source| Error::Write { offset: 0, source })
}

/// Writes the records of the file at `path` to the new file at `to`.
#[pyfunction]
pub(crate) fn protect(
    py: Python<'_>,
    path: PathBuf,
    to: PathBuf,
    per_mille: u16,
    span: Option<u64>,
    threads: usize,
) -> PyResult<()> {
    let done = signals::run(py, &Progress::default(), || -> Result<File, Error> {
        let mut protect = Protect::new().per_mille(per_mille).threads(threads);
        if let Some(span) = span {
            protect = protect.span(span);
        }
        let (file, mut out) = (open(&path)?, BufWriter::new(create(&to)?));
        protect.run(&file, &mut out)?;
        out.into_inner().map_err(|error| Error::Write { offset: 0, source: error.into_error() })
    })?;
    close(py, done.map_err(of_library)?)
}

/// What was found: groups, shards and parity, the damage of shards, moved shards and records, groups beyond repair, and
/// whether all can be mended, whether nothing is damaged, and sentences about what no record covers.
type ReportTuple = (u64, u64, u64, u64, u64, u64, u64, bool, bool, Vec<String>);

fn tuple(report: Report) -> ReportTuple {
    let (is_mendable, is_intact) = (report.is_mendable(), report.is_intact());
    let Report { groups, shards, parity, damaged_shards, moved_shards, damaged_records, lost_groups, .. } =
        report;
    let damage = (damaged_shards, moved_shards, damaged_records, lost_groups);
    let (shard, moved, record, lost) = damage;
    (groups, shards, parity, shard, moved, record, lost, is_mendable, is_intact, report.gaps)
}

/// Says what is damaged of the file at `path`, and writes it as it was to the new file at `to`, if there is one. The
/// records are in the file, or in the one at `records`.
#[pyfunction]
#[pyo3(signature = (path, to, records, reading))]
pub(crate) fn repair(
    py: Python<'_>,
    path: PathBuf,
    to: Option<PathBuf>,
    records: Option<PathBuf>,
    reading: Reading,
) -> PyResult<ReportTuple> {
    let progress = Progress::default();
    let options = reading.cancelled_by(&progress)?;
    let report = signals::run(py, &progress, || -> Result<(Report, Option<File>), Error> {
        let (file, beside) = (open(&path)?, records.as_deref().map(open).transpose()?);
        let mut repair = Repair::new(&options);
        if let Some(beside) = &beside {
            repair = repair.beside(beside);
        }
        match to {
            Some(to) => {
                let made = create(&to)?;
                Ok((repair.run(&file, &made)?, Some(made)))
            }
            None => Ok((repair.examine(&file)?, None)),
        }
    })?;
    let (report, made) = report.map_err(of_library)?;
    made.map_or(Ok(()), |made| close(py, made))?;
    Ok(tuple(report))
}
