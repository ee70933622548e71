//! One ordinary zstd frame, as `zstd` writes it, on several cores.
//!
//! [`measure`] makes the frame, measures each step of decoding it and the whole on one core and two, and returns a
//! [`OneFrame`]. [`markdown`] writes the section of the report: the costs, the speed on more cores, and the speed if
//! the checksum joined the chain.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::time::Instant;

use compare::corpus::{self, Kind};
use model::cores::on_cores;
use model::load::{Chain, FrameLimit, FrameSteps};
use model::stages::{ZstdStages, zstd_stages};
use pzcomp::internals::thread_cpu;
use pzcomp::{Decode, Decompress, Input, Output};

use crate::measure::{Result, memory_file};

/// Length of the data: several windows of the longest kind.
const LEN: usize = 32 << 20;

/// The levels of `zstd`.
const LEVELS: [i32; 4] = [1, 3, 9, 19];

/// The numbers of cores of the forecast.
const CORES: [usize; 5] = [1, 2, 4, 8, 16];

/// How much a worker reads at a time.
const READ_LEN: usize = 256 << 10;

/// The time of a step.
type Step = fn(&FrameSteps) -> f64;

/// The chains that are compared, and the names of what they change.
const CHAINS: [(&str, Chain); 2] =
    [("as it is", Chain::StageTwo), ("with the checksum in the chain", Chain::WithChecksum)];

/// A frame.
pub struct OneFrame {
    level: i32,
    /// The coded length divided by the plain length.
    ratio: f64,
    stages: ZstdStages,
    /// Bytes a second of pzcomp with one worker on one core, and with two workers on two.
    measured: [f64; 2],
}

impl OneFrame {
    /// The better of two measurements of the same frame, for each step and each pass.
    pub fn or_better(self, other: Self) -> Self {
        let [one, two] = [self.measured, other.measured];
        Self {
            stages: self.stages.or_faster(&other.stages),
            measured: [one[0].max(two[0]), one[1].max(two[1])],
            ..self
        }
    }

    fn on(&self, cores: usize, chain: Chain) -> (f64, FrameLimit) {
        let steps = if cores <= 1 { &self.stages.alone } else { &self.stages.shared };
        steps.on(cores, chain)
    }
}

/// Measures a frame of each level.
pub fn measure(rounds: usize) -> Result<Vec<OneFrame>> {
    let mut data = Vec::with_capacity(LEN);
    corpus::write(Kind::Nodes, LEN as u64, crate::sweep::SEED, &mut data)?;
    LEVELS.into_iter().map(|level| measure_level(&data, level, rounds)).collect()
}

fn measure_level(data: &[u8], level: i32, rounds: usize) -> Result<OneFrame> {
    eprintln!("zstd -{level}, one frame");
    let file = zstd(data, level)?;
    let mut coded = Vec::new();
    (&file).seek(SeekFrom::Start(0))?;
    (&file).read_to_end(&mut coded)?;
    let mut stages = zstd_stages(&coded, data)?;
    let reading = reading(&file, coded.len())? / data.len() as f64;
    (stages.alone.reading, stages.shared.reading) = (reading, reading);
    let decode = |threads| -> Result<f64> {
        let options = Decode::builder().threads(threads).build()?;
        let started = Instant::now();
        let summary = Decompress::new(&options).run(Input::from_file(&file)?, Output::Nothing)?;
        Ok(summary.plain_len as f64 / started.elapsed().as_secs_f64())
    };
    let mut measured = [0.0_f64; 2];
    for _ in 0..rounds.max(1) * 4 {
        (&file).seek(SeekFrom::Start(0))?;
        measured[0] = measured[0].max(on_cores(1, || decode(1))??);
        (&file).seek(SeekFrom::Start(0))?;
        measured[1] = measured[1].max(decode(2)?);
    }
    Ok(OneFrame { level, ratio: coded.len() as f64 / data.len() as f64, stages, measured })
}

/// CPU seconds for reading the file.
fn reading(file: &File, len: usize) -> Result<f64> {
    let mut buffer = vec![0; READ_LEN];
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let before = thread_cpu();
        for at in (0..len).step_by(READ_LEN) {
            file.read_exact_at(&mut buffer[..READ_LEN.min(len - at)], at as u64)?;
        }
        least = least.min((thread_cpu() - before).as_secs_f64());
    }
    Ok(least)
}

/// What `zstd` makes of this data, as of a file.
fn zstd(data: &[u8], level: i32) -> Result<File> {
    let (mut from, to) = (memory_file()?, memory_file()?);
    from.write_all(data)?;
    from.seek(SeekFrom::Start(0))?;
    let mut command = Command::new("zstd");
    command.args([&format!("-{level}"), "-q", "-c", &format!("--stream-size={}", data.len())]);
    let status = command.stdin(Stdio::from(from)).stdout(to.try_clone()?).status()?;
    if status.success() { Ok(to) } else { Err("zstd failed".into()) }
}

/// The whole section.
pub fn markdown(all: &[OneFrame]) -> String {
    let mut out = format!(
        "## A zstd file of one frame\n\nThe files are what `zstd` makes of `corpus nodes {LEN} {}`. docs/decoding-zstd.md \
         explains the steps.\n\n### Steps\n\nCPU time by the thread's own clock, the least of several passes, in ns for a plain byte: if one worker \
         decodes the frame, and if several share it.\n\n",
        crate::sweep::SEED
    );
    let head = |out: &mut String, what: &str| {
        let _ = write!(out, "| {what} |");
        all.iter().for_each(|frame| {
            let _ = write!(out, " -{} |", frame.level);
        });
        let _ = writeln!(out, "\n|---|{}", "---|".repeat(all.len()));
    };
    let row = |out: &mut String, what: &str, value: &dyn Fn(&OneFrame) -> String| {
        let _ = write!(out, "| {what} |");
        all.iter().for_each(|frame| {
            let _ = write!(out, " {} |", value(frame));
        });
        out.push('\n');
    };
    head(&mut out, "step");
    let steps: [(&str, Step); 5] = [
        ("reading", |steps| steps.reading),
        ("headers", |steps| steps.headers),
        ("stage 1", |steps| steps.stage_one),
        ("stage 2", |steps| steps.stage_two),
        ("XXH64", |steps| steps.checksum),
    ];
    for (what, value) in steps {
        row(&mut out, what, &|frame| {
            let [alone, shared] = [&frame.stages.alone, &frame.stages.shared].map(|steps| value(steps) * 1e9);
            format!("{alone:.3}, {shared:.3}")
        });
    }
    row(&mut out, "plain length divided by coded length", &|frame| format!("{:.2}", 1.0 / frame.ratio));
    row(&mut out, "bytes for a sequence", &|frame| format!("{:.1}", 1.0 / frame.stages.counts.sequences));
    row(&mut out, "literals, % of all bytes", &|frame| {
        format!("{:.0}", frame.stages.counts.literals * 100.0)
    });

    out.push_str("\n### Check\n\nMB/s by the model and as measured, file to nowhere.\n\n");
    head(&mut out, "cores");
    for (cores, at) in [(1, 0), (2, 1)] {
        row(&mut out, &cores.to_string(), &|frame| {
            let model = frame.on(cores, Chain::StageTwo).0;
            format!("{:.0}, measured {:.0}", model / 1e6, frame.measured[at] / 1e6)
        });
    }

    out.push_str("\n### Forecast\n\nMB/s, and times the speed of one core.\n\n");
    head(&mut out, "cores");
    for cores in CORES {
        row(&mut out, &cores.to_string(), &|frame| {
            let (speed, limit) = frame.on(cores, Chain::StageTwo);
            let alone = frame.on(1, Chain::StageTwo).0;
            format!("{:.0} ({:.1} ×, {})", speed / 1e6, speed / alone, limit.name())
        });
    }
    row(&mut out, "stage 2 is busy from so many cores on", &|frame| {
        format!("{:.1}", frame.stages.shared.saturation(Chain::StageTwo))
    });

    out.push_str("\n### If the checksum were in the chain\n\nMB/s on 4 and 16 cores.\n\n");
    head(&mut out, "chain");
    for (name, chain) in CHAINS {
        row(&mut out, name, &|frame| {
            let [few, many] = [4, 16].map(|cores| frame.on(cores, chain).0 / 1e6);
            format!("{few:.0}, {many:.0}")
        });
    }
    out.push('\n');
    out
}
