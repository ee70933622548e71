//! What was measured and computed of anyone's gzip, as tables.

use std::fmt::Write;

use pzcomp::bench::{Curve, CurvePoint, Handing, HandsOn, Load, Machine};

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
    row("windows and CRC-32 handed from part to part, µs for a job", 1, &|data| data.stages.windows * 1e6);
    row("decoded only when the window is there, KiB of a job", 1, &|data| data.stages.left / 1024.0);
    row("writer of a pipe, ns for a plain byte", 3, &|data| data.pipe_handing.writing * 1e9);
    row("writing to a new file, ns for a plain byte", 3, &|data| data.file_handing.writing * 1e9);
    row("waking a thread, µs", 1, &|data| data.pipe_handing.waking * 1e6);
}

fn tell_steps(all: &[Unaided], out: &mut String) {
    out.push_str(
        "\n### The serial step\n\nµs for a job of two parts, computed from the stages; *at most* is the speed in \
         MB/s that follows from it. The line was held up until all jobs waited for their windows: *measured* is \
         what they took then, one after another, with a writer that copies to memory.\n\n\
         | data | way | replacing and CRC-32 | windows | left to decode | step | at most | measured step | error % |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for data in all {
        let job_len = 2.0 * data.stages.part_len;
        let mut row = |way: &str, handing: &Handing, when, measured: Option<f64>| {
            let step = handing.step(when);
            let replacing = match when {
                HandsOn::First => 0.0,
                _ => job_len * handing.marked * handing.replacing,
            };
            let _ = write!(
                out,
                "| {} | {way} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |",
                data.name,
                replacing * 1e6,
                handing.windows * 1e6,
                handing.left * 1e6,
                step * 1e6,
                job_len / step / 1e6,
            );
            let _ = match measured {
                Some(serial) => {
                    let measured = serial * job_len;
                    writeln!(out, " {:.0} | {:+.0} |", measured * 1e6, (step / measured - 1.0) * 100.0)
                }
                None => writeln!(out, "  |  |"),
            };
        };
        row("held up", &data.held_handing, HandsOn::Written, Some(data.held.serial));
        row("pipes", &data.pipe_handing, HandsOn::Written, None);
        row("files", &data.file_handing, HandsOn::PutOut, None);
        row("windows first", &data.pipe_handing, HandsOn::First, None);
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
        "\n### Many cores\n\nMB/s of plain data on so many cores with as many workers, and what limits it. *Windows \
         first* is what it would be if a job handed on its window before it replaces the rest.\n\n\
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
    fn ways(&self) -> [(&'static str, [Load; 3]); 4] {
        let first = |[one, two, many]: [Load; 3], handing: &Handing| {
            [one, two, Load { serial: handing.serial(HandsOn::First), ..many }]
        };
        [
            ("pipes", self.pipe),
            ("files", self.file),
            ("pipes, windows first", first(self.pipe, &self.pipe_handing)),
            ("files, windows first", first(self.file, &self.file_handing)),
        ]
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
