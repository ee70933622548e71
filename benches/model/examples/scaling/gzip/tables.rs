//! The section of the report on gzip files of one member.
//!
//! [`markdown`] takes the measurements of all kinds of data, and returns the section as text. The results for many
//! cores are computed here with the model.

use std::fmt::Write;

use model::load::{Curve, CurvePoint, Load, Machine, SerialStep};

use super::{LEN, OneMember};
use crate::report::saturation;

/// The whole section.
pub fn markdown(all: &[OneMember], machine: &Machine) -> String {
    let mut out = format!(
        "## A gzip file of one member\n\nThe member has no sizes and no independent flush points. So it is cut at \
         dynamic blocks, and its parts are decoded without windows. The files are `gzip -6` of `corpus nodes {LEN} 7` \
         and of `corpus pages {LEN} 7`. docs/scaling.md explains the columns.\n\n"
    );
    write_stages(all, &mut out);
    write_steps(all, &mut out);
    write_check(all, machine, &mut out);
    write_forecast(all, machine, &mut out);
    out
}

fn write_stages(all: &[OneMember], out: &mut String) {
    out.push_str(
        "### Stages\n\nCPU time by the thread's own clock, the least median of all sweeps.\n\n| what |",
    );
    all.iter().for_each(|data| {
        let _ = write!(out, " {} |", data.name);
    });
    out.push_str("\n|---|");
    out.push_str(&"---|".repeat(all.len()));
    out.push('\n');
    let mut row = |what: &str, places: usize, value: &dyn Fn(&OneMember) -> f64| {
        let _ = write!(out, "| {what} |");
        for data in all {
            let _ = write!(out, " {:.places$} |", value(data));
        }
        out.push('\n');
    };
    row("plain length divided by coded length", 2, &|data| 1.0 / data.ratio);
    row("part, KiB coded", 0, &|data| data.stages.part_coded_len / 1024.0);
    row("part, KiB plain", 0, &|data| data.stages.part_len / 1024.0);
    row("searched for blocks, % of coded data", 1, &|data| data.stages.searched * 100.0);
    row("… ns for a searched byte", 2, &|data| data.stages.search / data.stages.searched.max(1e-9) * 1e9);
    row("… ns for a coded byte", 3, &|data| data.stages.search * 1e9);
    row("feeder of a pipe, all its work, ns for a coded byte", 3, &|data| {
        data.pipe[2].reader / data.ratio * 1e9
    });
    row("feeder of a file, ns for a coded byte", 3, &|data| data.file[2].reader / data.ratio * 1e9);
    row("decoding bytes, one stream at a time, ns for a plain byte", 2, &|data| data.stages.bytes * 1e9);
    row("decoding symbols, two parts at once, ns for a symbol", 2, &|data| data.stages.symbols * 1e9);
    row("still symbols at the end of the part, % of plain data", 1, &|data| data.stages.marked * 100.0);
    row("… markers, % of these", 1, &|data| data.stages.markers * 100.0);
    row("replacing, ns for a symbol", 3, &|data| data.stages.replace * 1e9);
    row("CRC-32, ns for a plain byte", 3, &|data| data.stages.crc * 1e9);
    row("window taken, next windows made, published, µs for a job", 1, &|data| data.stages.windows * 1e6);
    row("CRC-32 joined, µs", 2, &|data| data.stages.join * 1e6);
    row("jobs with a rest, %", 1, &|data| data.stages.with_rest * 100.0);
    row("… their symbols, KiB for each of all jobs", 1, &|data| data.stages.replaced_first / 1024.0);
    row("… the rest, KiB for each of all jobs", 1, &|data| data.stages.rest / 1024.0);
    row("writer of a pipe, ns for a plain byte", 3, &|data| data.pipe[2].writer * 1e9);
    row("waking a thread, µs", 1, &|data| data.serial_step.waking * 1e6);
}

fn write_steps(all: &[OneMember], out: &mut String) {
    out.push_str(
        "\n### The serial step\n\nThe time from the window of a job to the window of the next job, in µs for a job of two \
         parts on average, computed from the stages. *At most* is the speed in MB/s that follows from it. *Replacing* \
         and *decoding* come before the next window only in jobs with a rest.\n\n\
         | data | waking | windows | replacing | decoding | step | at most |\n|---|---|---|---|---|---|---|\n",
    );
    for data in all {
        let SerialStep { waking, windows, replacing, decoding, .. } = data.serial_step;
        let us = |seconds: f64| seconds * 1e6;
        let _ = writeln!(
            out,
            "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |",
            data.name,
            us(waking),
            us(windows),
            us(replacing),
            us(decoding),
            us(data.serial_step.seconds()),
            1.0 / data.serial_step.seconds_per_byte() / 1e6,
        );
    }
}

fn write_check(all: &[OneMember], machine: &Machine, out: &mut String) {
    out.push_str(
        "\n### The check\n\nMB/s of plain data, memory to memory, with more workers than cores. The prediction for two \
         cores is computed from the CPU seconds on one core.\n\n\
         | data | workers | 1 core | 2 cores | predicted | error % | CPU ns for a byte on 1 core | on 2 | reader on 2 \
         | workers | writer |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for data in all {
        for check in &data.checks {
            let predicted = check.one.load.on(2, data.at_work(check.workers), machine).speed;
            let ns = |cost: f64| cost * 1e9;
            let load = &check.two.load;
            let _ = writeln!(
                out,
                "| {} | {} | {:.0} | {:.0} | {:.0} | {:+.0} | {:.2} | {:.2} | {:.3} | {:.2} | {:.3} |",
                data.name,
                check.workers,
                check.one.speed / 1e6,
                check.two.speed / 1e6,
                predicted / 1e6,
                (predicted / check.two.speed - 1.0) * 100.0,
                ns(check.one.load.cpu()),
                ns(load.cpu()),
                ns(load.reader),
                ns(load.workers),
                ns(load.writer),
            );
        }
    }
}

fn write_forecast(all: &[OneMember], machine: &Machine, out: &mut String) {
    out.push_str(
        "\n### Many cores\n\nMB/s of plain data on 1 to 128 cores with as many workers, and the limit.\n\n\
         | data | way | reader | workers | writer | serial |",
    );
    for cores in Curve::CORES {
        let _ = write!(out, " {cores} |");
    }
    out.push_str(" saturated | GB/s of memory at 128 |\n|");
    out.push_str(&"---|".repeat(8 + Curve::CORES.len()));
    out.push('\n');
    for data in all {
        for (way, loads) in data.ways() {
            let many = &loads[2];
            let ns = |cost: f64| cost * 1e9;
            let _ = write!(
                out,
                "| {} | {way} | {:.3} | {:.2} | {:.3} | {:.3} |",
                data.name,
                ns(many.reader),
                ns(many.workers),
                ns(many.writer),
                ns(many.serial),
            );
            for cores in Curve::CORES {
                let forecast = on(&loads, cores).on(cores, data.at_work(cores), machine);
                let _ = write!(out, " {:.0} ({}) |", forecast.speed / 1e6, forecast.limit.name());
            }
            let needed = many.on(128, 128, machine).speed * many.traffic / 1e9;
            let _ = writeln!(out, " {} | {needed:.0} |", saturation(many, machine));
        }
    }
}

/// The cost of a byte on this many cores, with as many workers.
fn on(loads: &[Load; 3], cores: usize) -> &Load {
    &loads[cores.clamp(1, 3) - 1]
}

impl OneMember {
    /// How many of the workers have work. Two workers do not share data that becomes much longer.
    fn at_work(&self, workers: usize) -> usize {
        if workers == 2 && !self.stages.is_for_two { 1 } else { workers }
    }

    /// The two ways of input and output, each with the loads of one worker, two, and many.
    fn ways(&self) -> [(&'static str, [Load; 3]); 2] {
        [("pipes", self.pipe), ("files", self.file)]
    }

    /// The computed speeds for many cores, in both ways.
    pub fn curves(&self, machine: &Machine) -> Vec<Curve> {
        let curve = |(way, loads): (&str, [Load; 3])| {
            let point = |cores| {
                let speed = on(&loads, cores).on(cores, self.at_work(cores), machine).speed / 1e6;
                CurvePoint { cores, speed, measured: false }
            };
            let points = Curve::CORES.into_iter().map(point).collect();
            Curve { name: format!("gzip of one member, {}, {way}", self.name), points }
        };
        self.ways().into_iter().map(curve).collect()
    }
}
