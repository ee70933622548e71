//! What was measured and computed of anyone's gzip, as tables.

use std::fmt::Write;

use model::load::{Curve, CurvePoint, Handing, Load, Machine};

use super::{LEN, Unaided};
use crate::report::saturation;

/// The whole section.
pub fn markdown(all: &[Unaided], machine: &Machine) -> String {
    let mut out = format!(
        "## Anyone's gzip\n\nOne member without sizes or flushed places, cut where blocks begin and decoded without \
         windows: what `gzip -6` makes of `corpus nodes {LEN} 7` and `corpus pages {LEN} 7`. What the columns mean is \
         in docs/scaling.md.\n\n"
    );
    tell_stages(all, &mut out);
    tell_steps(all, &mut out);
    tell_check(all, machine, &mut out);
    tell_forecast(all, machine, &mut out);
    out
}

fn tell_stages(all: &[Unaided], out: &mut String) {
    out.push_str("### Stages\n\nCPU time by the thread's own clock, medians.\n\n| what |");
    all.iter().for_each(|data| {
        let _ = write!(out, " {} |", data.name);
    });
    out.push_str("\n|---|");
    out.push_str(&"---|".repeat(all.len()));
    out.push('\n');
    let mut row = |what: &str, places: usize, value: &dyn Fn(&Unaided) -> f64| {
        let _ = write!(out, "| {what} |");
        for data in all {
            let _ = write!(out, " {:.places$} |", value(data));
        }
        out.push('\n');
    };
    row("plain length in terms of the coded one", 2, &|data| 1.0 / data.ratio);
    row("part, KiB coded", 0, &|data| data.stages.part_coded_len / 1024.0);
    row("part, KiB plain", 0, &|data| data.stages.part_len / 1024.0);
    row("looked through for blocks, % of coded data", 1, &|data| data.stages.searched * 100.0);
    row("… ns for a byte that is looked through", 2, &|data| {
        data.stages.search / data.stages.searched.max(1e-9) * 1e9
    });
    row("… ns for a coded byte", 3, &|data| data.stages.search * 1e9);
    row("feeder of a pipe, all it does, ns for a coded byte", 3, &|data| {
        data.pipe[2].reader / data.ratio * 1e9
    });
    row("feeder of a file, ns for a coded byte", 3, &|data| data.file[2].reader / data.ratio * 1e9);
    row("decoding bytes, one stream at a time, ns for a plain byte", 2, &|data| data.stages.bytes * 1e9);
    row("decoding symbols, two parts at once, ns for a symbol", 2, &|data| data.stages.symbols * 1e9);
    row("still symbols at the end of the part, % of plain data", 1, &|data| data.stages.marked * 100.0);
    row("… markers, % of these", 1, &|data| data.stages.markers * 100.0);
    row("replacing, ns for a symbol", 3, &|data| data.stages.replace * 1e9);
    row("CRC-32, ns for a plain byte", 3, &|data| data.stages.crc * 1e9);
    row("window taken, made behind each part, handed on, µs for a job", 1, &|data| {
        data.stages.windows * 1e6
    });
    row("CRC-32 joined, µs", 2, &|data| data.stages.join * 1e6);
    row("jobs with something left to decode when the window is there, %", 1, &|data| {
        data.stages.unfinished * 100.0
    });
    row("… symbols of these, KiB for each of all jobs", 1, &|data| data.stages.before / 1024.0);
    row("… still to be decoded, KiB for each of all jobs", 1, &|data| data.stages.left / 1024.0);
    row("writer of a pipe, ns for a plain byte", 3, &|data| data.pipe[2].writer * 1e9);
    row("waking a thread, µs", 1, &|data| data.handing.waking * 1e6);
}

fn tell_steps(all: &[Unaided], out: &mut String) {
    out.push_str(
        "\n### The serial step\n\nFrom when a job gets its window to when the next one does, µs for a job of two parts \
         on average, computed from the stages; *at most* is the speed in MB/s that follows from it. *Replacing* and \
         *decoding* come before the next window only in jobs with something left to decode.\n\n\
         | data | waking | windows | replacing | decoding | step | at most |\n|---|---|---|---|---|---|---|\n",
    );
    for data in all {
        let Handing { waking, windows, replacing, decoding, .. } = data.handing;
        let us = |seconds: f64| seconds * 1e6;
        let _ = writeln!(
            out,
            "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |",
            data.name,
            us(waking),
            us(windows),
            us(replacing),
            us(decoding),
            us(data.handing.step()),
            1.0 / data.handing.serial() / 1e6,
        );
    }
}

fn tell_check(all: &[Unaided], machine: &Machine, out: &mut String) {
    out.push_str(
        "\n### The check\n\nMB/s of plain data, memory to memory, with more workers than cores; what is predicted for \
         two cores comes from the CPU seconds on one.\n\n\
         | data | workers | 1 core | 2 cores | predicted | error % | CPU ns a byte on 1 core | on 2 | reader on 2 \
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

fn tell_forecast(all: &[Unaided], machine: &Machine, out: &mut String) {
    out.push_str(
        "\n### Many cores\n\nMB/s of plain data on so many cores with as many workers, and what limits it.\n\n\
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

/// What a byte costs on so many cores, with as many workers.
fn on(loads: &[Load; 3], cores: usize) -> &Load {
    &loads[cores.clamp(1, 3) - 1]
}

impl Unaided {
    /// How many of so many workers have something to do: two do not share what becomes much longer.
    fn at_work(&self, workers: usize) -> usize {
        if workers == 2 && !self.stages.is_for_two { 1 } else { workers }
    }

    /// The ways that bytes come and go, with the loads of one worker, two, and many.
    fn ways(&self) -> [(&'static str, [Load; 3]); 2] {
        [("pipes", self.pipe), ("files", self.file)]
    }

    /// What is computed for many cores, and what was measured on one and two.
    pub fn curves(&self, machine: &Machine) -> Vec<Curve> {
        let curve = |(way, loads): (&str, [Load; 3])| {
            let point = |cores| {
                let speed = on(&loads, cores).on(cores, self.at_work(cores), machine).speed / 1e6;
                CurvePoint { cores, speed, measured: false }
            };
            let points = Curve::CORES.into_iter().map(point).collect();
            Curve { name: format!("anyone's gzip, {}, {way}", self.name), points }
        };
        self.ways().into_iter().map(curve).collect()
    }
}
