//! The report: its tables, the CSV file, and the curves for the pictures.
//!
//! A [`Report`] has all measurements of `scaling`. It computes the speeds on many cores with the model, and
//! returns the contents of each file. It measures nothing itself.

use std::fmt::Write;

use compare::machine;
use model::load::{Curve, Load, Machine};
use pzcomp_chart::Chart;

use crate::gzip;
use crate::measure::Measured;
use crate::picture;
use crate::sweep::Sweep;
use crate::zstd;

pub struct Report {
    pub machine: Machine,
    /// The machine and its load before the first sweep.
    pub description: Vec<String>,
    /// The measurements.
    pub best: Sweep,
    /// How many sweeps there were.
    pub sweeps: usize,
    /// Cores that other programs kept busy, on average.
    pub others_cores: Option<f64>,
}

/// The numbers of cores in the table.
const MANY: [usize; 3] = [8, 32, 128];

impl Report {
    /// The curves of all formats: measured in memory, computed between pipes and from file to file.
    pub fn curves(&self) -> Vec<Curve> {
        let of = |measured: &Measured| {
            let speeds = [(1, measured.one.speed), (2, measured.two.speed)];
            [
                Curve::new(
                    format!("{}, memory", measured.name()),
                    &measured.one.load,
                    &self.machine,
                    &speeds,
                ),
                Curve::new(format!("{}, pipes", measured.name()), &measured.pipe, &self.machine, &[]),
                Curve::new(format!("{}, files", measured.name()), &measured.file, &self.machine, &[]),
            ]
        };
        let gzip = self.best.gzip.iter().flat_map(|data| data.curves(&self.machine));
        self.best.measured.iter().flat_map(of).chain(gzip).collect()
    }

    /// The pictures, with the names of their files.
    pub fn pictures(&self) -> [(&'static str, Chart); 2] {
        let footer = format!("scaling.md has the figures and the check: {}.", machine::summary());
        let load = |measured: &Measured, files| if files { measured.file } else { measured.pipe };
        [("scaling-pipes.svg", "between pipes", false), ("scaling-files.svg", "from file to file", true)].map(
            |(file, way, files)| {
                let curve = |measured: &Measured| {
                    // The measured passes went from memory to memory, through reader and writer.
                    let speeds = [(1, measured.one.speed), (2, measured.two.speed)];
                    let shown = if files { &[][..] } else { &speeds[..] };
                    let curve =
                        Curve::new(measured.codec.clone(), &load(measured, files), &self.machine, shown);
                    (measured.direction, curve)
                };
                let curves: Vec<_> = self.best.measured.iter().map(curve).collect();
                (file, picture::of(way, &curves, &footer))
            },
        )
    }

    pub fn csv(&self) -> String {
        let mut out = String::from("curve,cores,mb_per_second,measured\n");
        for curve in self.curves() {
            for point in &curve.points {
                let _ =
                    writeln!(out, "\"{}\",{},{:.1},{}", curve.name, point.cores, point.speed, point.measured);
            }
        }
        for row in &self.best.ceilings.rows {
            let _ = writeln!(out, "\"{}\",2,{:.1},true", row.name, row.best() / 1e6);
        }
        out
    }

    pub fn markdown(&self) -> String {
        let mut out = String::from("# Scaling on paper\n\n");
        self.describe(&mut out);
        self.write_ceilings(&mut out);
        self.write_check(&mut out);
        self.write_forecast(&mut out);
        out.push('\n');
        out.push_str(&gzip::markdown(&self.best.gzip, &self.machine));
        out.push_str(&zstd::markdown(&self.best.zstd));
        out
    }

    fn describe(&self, out: &mut String) {
        let [one, two] = self.best.bandwidths.map(|bandwidth| bandwidth / 1e9);
        let all = if self.machine.bandwidth.is_finite() {
            format!("{:.0} GB/s in all, as given", self.machine.bandwidth / 1e9)
        } else {
            "no limit is assumed".into()
        };
        let _ = writeln!(
            out,
            "- `target/release/examples/scaling`, version {}\n- {}\n- other programs used {} of the cores\n\
             - data: the first bytes of `corpus nodes 134217728 7`, unless a section names other data\n\
             - memory, reads and writes of a copy counted: {one:.1} GB/s by one thread, {two:.1} by two; {all}\n\
             - the line passes {:.0} jobs a second that cost nothing\n\
             - of {} sweeps over everything the fastest pass counts, or the least CPU time of each thread or stage, because \
             other programs use this machine too\n",
            env!("CARGO_PKG_VERSION"),
            self.description.join("\n- "),
            self.others_cores.map_or("an unknown part".into(), |cores| format!("{cores:.1}")),
            self.machine.jobs,
            self.sweeps,
        );
    }

    fn write_ceilings(&self, out: &mut String) {
        out.push_str(
            "## Ceilings\n\nGB/s on two cores; the pipeline with two workers and chunks of 1 MiB.\n\n",
        );
        out.push_str("| stream | best | median | passes |\n|---|---|---|---|\n");
        for row in &self.best.ceilings.rows {
            let (best, median) = (row.best() / 1e9, row.median() / 1e9);
            let _ = writeln!(out, "| {} | {best:.2} | {median:.2} | {} |", row.name, row.speeds.len());
        }
    }

    fn write_check(&self, out: &mut String) {
        out.push_str(
            "\n## The check\n\nMB/s of plain data, memory to memory. The prediction is computed from the \
             CPU seconds of the pass on one core. It holds if a byte costs the same on two cores, and if both cores are \
             free. The load of the machine affects the second condition only.\n\n\
             | stream | 1 core, 1 worker | 2 cores, 1 worker | predicted | error % | 2 cores, 2 workers \
             | predicted | error % | CPU s/GB on 1 core | on 2 | change % |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for measured in &self.best.measured {
            let _ = write!(out, "| {} | {:.0} |", measured.name(), measured.one.speed / 1e6);
            for (workers, speed) in [(1, measured.one_worker.speed), (2, measured.two.speed)] {
                let predicted = measured.one.load.on(2, workers, &self.machine).speed;
                let error = (predicted / speed - 1.0) * 100.0;
                let _ = write!(out, " {:.0} | {:.0} | {error:+.0} |", speed / 1e6, predicted / 1e6);
            }
            let [one, two] = [measured.one.load, measured.two.load].map(|load| load.cpu() * 1e9);
            let _ = writeln!(out, " {one:.2} | {two:.2} | {:+.0} |", (two / one - 1.0) * 100.0);
        }
    }

    fn write_forecast(&self, out: &mut String) {
        out.push_str(
            "\n## Many cores\n\nns of CPU time for each byte of plain data, measured with two workers, and MB/s \
             computed from it for as many workers as cores. *Saturated* is the number of cores from which on \
             more cores do not help, and the stage that is busy all the time then.\n\n\
             | stream | way | reader | workers | writer | bytes of traffic |",
        );
        for cores in MANY {
            let _ = write!(out, " {cores} cores |");
        }
        out.push_str(" saturated | GB/s of memory at 128 |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
        for measured in &self.best.measured {
            for (way, load) in [("pipes", &measured.pipe), ("files", &measured.file)] {
                let _ = writeln!(out, "| {} | {way} | {} |", measured.name(), self.forecast(load));
            }
        }
    }

    fn forecast(&self, load: &Load) -> String {
        let [reader, workers, writer] = [load.reader, load.workers, load.writer].map(|cost| cost * 1e9);
        let mut cells = vec![
            format!("{reader:.3}"),
            format!("{workers:.2}"),
            format!("{writer:.3}"),
            format!("{:.1}", load.traffic),
        ];
        cells.extend(MANY.map(|cores| format!("{:.0}", load.on(cores, cores, &self.machine).speed / 1e6)));
        let needed = load.on(MANY[2], MANY[2], &self.machine).speed * load.traffic / 1e9;
        cells.push(saturation(load, &self.machine));
        cells.push(format!("{needed:.0}"));
        cells.join(" | ")
    }
}

/// The number of cores from which on more cores do not help, and the reason.
pub fn saturation(load: &Load, machine: &Machine) -> String {
    let (cores, stage) = load.saturation(machine);
    let whole = cores.ceil();
    if whole > MANY[2] as f64 {
        format!("beyond 128 ({})", stage.name())
    } else {
        format!("{whole:.0} ({})", stage.name())
    }
}
