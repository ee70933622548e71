//! Progress while a stream runs: a bar or a line on a terminal, JSON lines for programs, and a line for each SIGUSR1.
//!
//! The report starts a [`Watch`] for the run and tells it when a stream begins and ends. A thread of the watch looks at
//! the [`Progress`] of the stream. It sleeps until there is something to show: if only SIGUSR1 can ask, until the
//! signal comes.
//!
//! Nothing here may hold up the stream. So a line is dropped if the reader of the descriptor is too slow for it.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pzcomp::{Progress, printable};
use serde_json::{Value, json};
use system::handle::{self, AsHandle, has_room};
use system::pipe::LINE_MAX;
use system::signals::{Bell, Rope, Woken, bell};

use super::request::{Mode, ProgressLines, Request, ShowProgress};
use super::size::human;
use super::tool::Ratio;

/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(200);

/// How often a line is written for programs or to a file.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// A stream that takes less time than this has no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows the progress of the streams of a run.
pub(super) struct Watch {
    state: Arc<Mutex<State>>,
    /// Dropping it ends the thread.
    stop: Option<Rope>,
    thread: Option<JoinHandle<()>>,
}

/// How progress is shown.
enum Display {
    Nothing,
    /// A bar or a line that is drawn again and again.
    Terminal,
    /// A line of text each time.
    Text,
    /// A line of JSON each time.
    Json(ProgressLines),
}

struct State {
    display: Display,
    /// The name at the beginning of lines.
    program: &'static str,
    mode: Mode,
    stream: Option<Stream>,
    /// SIGUSR1 came while no stream ran. The next one answers it.
    is_asked: bool,
}

/// The stream that runs.
struct Stream {
    name: String,
    progress: Progress,
    /// The length of the input, if it is known.
    total: Option<u64>,
    begun: Instant,
    /// When the last line was written.
    told: Instant,
    bar: Option<ProgressBar>,
}

impl Watch {
    /// Starts the watch of a run, whose only stream may be short. If the system gives it no thread, nothing is shown.
    pub(super) fn start(program: &'static str, request: &Request, is_short: bool) -> Self {
        let reporting = &request.reporting;
        // A bar needs more than a dumb terminal can do.
        let has_terminal = || !ProgressDrawTarget::stderr().is_hidden();
        let display = match &reporting.progress {
            ShowProgress::Never => Display::Nothing,
            ShowProgress::Auto
                if request.makes_files()
                    && !(reporting.verbosity.quiet || reporting.silent)
                    && has_terminal() =>
            {
                Display::Terminal
            }
            ShowProgress::Auto => Display::Nothing,
            ShowProgress::Always if has_terminal() => Display::Terminal,
            ShowProgress::Always => Display::Text,
            ShowProgress::Json(lines) => Display::Json(lines.clone()),
        };
        let is_idle = matches!(display, Display::Nothing);
        let state = Arc::new(Mutex::new(State {
            display,
            program,
            mode: request.mode(),
            stream: None,
            is_asked: false,
        }));
        let mut watch = Self { state, stop: None, thread: None };
        if is_short || is_idle && !reporting.answers_signal {
            return watch;
        }
        let Ok((stop, bell)) = bell(reporting.answers_signal) else { return watch };
        let state = Arc::clone(&watch.state);
        let timeout = (!is_idle).then_some(TICK);
        let thread = Builder::new().name("progress".into());
        if let Ok(thread) = thread.spawn(move || run(&state, bell, timeout)) {
            (watch.stop, watch.thread) = (Some(stop), Some(thread));
        }
        watch
    }

    /// A stream begins. `total` is the length of its input, if it is known.
    pub(super) fn begin(&self, name: &str, total: Option<u64>, progress: &Progress) {
        let now = Instant::now();
        let mut state = lock(&self.state);
        state.stream = Some(Stream {
            name: name.to_owned(),
            progress: progress.clone(),
            total,
            begun: now,
            told: now,
            bar: None,
        });
        if std::mem::take(&mut state.is_asked) {
            state.answer();
        }
    }

    /// The stream ends, with these lengths of its input and output if it ends well. After this call nothing of it is on
    /// the terminal.
    pub(super) fn end(&self, lens: Option<(u64, u64)>) {
        let mut state = lock(&self.state);
        let Some(mut stream) = state.stream.take() else { return };
        if let Some((read, written)) = lens {
            // The index and recovery records count now, and what was coded before its turn. A hint of the length may
            // have been wrong.
            stream.progress.add_done(read.saturating_sub(stream.progress.bytes_done()));
            stream.progress.add_out(written.saturating_sub(stream.progress.bytes_out()));
            stream.total = stream.total.map(|_| stream.progress.bytes_done());
        }
        match &state.display {
            Display::Nothing => {}
            Display::Terminal => {
                if let Some(bar) = &stream.bar {
                    bar.finish_and_clear();
                }
            }
            Display::Text => print(&stream.text(state.program, state.mode)),
            Display::Json(lines) => {
                lines.print(&stream.json(state.mode, Some(lens.is_some())), LINE_INTERVAL)
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic there has spoiled nothing but the display.
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread: waits for the signal, for the end, and for the time to draw.
fn run(state: &Mutex<State>, mut bell: Bell, timeout: Option<Duration>) {
    loop {
        let woken = bell.wait(timeout);
        let mut state = lock(state);
        match woken {
            Woken::Asked => state.answer(),
            Woken::Time => {}
            Woken::Over => return,
        }
        state.draw();
    }
}

impl State {
    /// Prints a line, because SIGUSR1 has come.
    fn answer(&mut self) {
        let Some(stream) = &self.stream else {
            self.is_asked = true;
            return;
        };
        let line = stream.text(self.program, self.mode);
        match &stream.bar {
            Some(bar) => bar.suspend(|| print(&line)),
            None => print(&line),
        }
    }

    /// Shows how far the stream is, if it is time.
    fn draw(&mut self) {
        let Self { display, program, mode, stream: Some(stream), .. } = self else { return };
        match display {
            Display::Nothing => {}
            Display::Terminal => stream.draw_bar(*mode),
            Display::Text | Display::Json(_) if stream.told.elapsed() < LINE_INTERVAL => {}
            Display::Text => {
                stream.told = Instant::now();
                print(&stream.text(program, *mode));
            }
            Display::Json(lines) => {
                stream.told = Instant::now();
                lines.print(&stream.json(*mode, None), Duration::ZERO);
            }
        }
    }
}

impl Stream {
    fn draw_bar(&mut self, mode: Mode) {
        if self.begun.elapsed() < PATIENCE {
            return;
        }
        let message = match self.left() {
            Some(left) => format!("{}  {left} left", self.figures(mode)),
            None => self.figures(mode),
        };
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr());
            let template = match self.total {
                Some(_) => "{prefix} [{wide_bar}] {percent:>3} %  {msg}",
                None => "{prefix}  {msg}  {elapsed}",
            };
            // The template is constant. If it were wrong, the line would only look different.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.with_prefix(shortened(&printable(self.name.as_bytes()))).with_elapsed(self.begun.elapsed())
        });
        let read = self.progress.bytes_done();
        if self.total.is_some_and(|total| total < read) {
            // The hint was too small, or the file grows.
            bar.set_length(read);
        }
        bar.set_position(read);
        bar.set_message(message);
        bar.tick();
    }

    /// The plain and the coded length so far.
    fn lens(&self, mode: Mode) -> (u64, u64) {
        let (done, written) = (self.progress.bytes_done(), self.progress.bytes_out());
        if mode == Mode::Compress { (done, written) } else { (written, done) }
    }

    fn ratio(&self, mode: Mode) -> Ratio {
        let (plain_len, coded_len) = self.lens(mode);
        Ratio { coded_len, plain_len }
    }

    /// Bytes of input that are done, of output if the whole length is not known, ratio, and rate of plain data.
    fn figures(&self, mode: Mode) -> String {
        let (done, written) = (self.progress.bytes_done(), self.progress.bytes_out());
        let out = if self.total.is_some() { String::new() } else { format!(", {} out", human(written)) };
        let ratio = self.ratio(mode);
        let ratio = ratio.value().map_or_else(String::new, |_| format!(", {}x", ratio.times()));
        let rate = self.lens(mode).0 as f64 / 1e6 / self.begun.elapsed().as_secs_f64().max(1e-9);
        format!("{} in{out}{ratio}, {rate:.1} MB/s", human(done))
    }

    /// About how many seconds are left, if that can be known.
    fn left_seconds(&self) -> Option<f64> {
        let done = self.progress.bytes_done();
        let total = self.total.filter(|_| done > 0)?;
        let rate = done as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
        Some(total.saturating_sub(done) as f64 / rate)
    }

    /// The same in words.
    fn left(&self) -> Option<String> {
        let left = self.left_seconds()?.ceil() as u64;
        Some(match left {
            0..60 => format!("{left}s"),
            60..3600 => format!("{}m {:02}s", left / 60, left % 60),
            _ => format!("{}h {:02}m", left / 3600, left % 3600 / 60),
        })
    }

    /// All on one line of text.
    fn text(&self, program: &str, mode: Mode) -> String {
        let seconds = self.begun.elapsed().as_secs_f64();
        let name = printable(self.name.as_bytes());
        let share = |total: u64| {
            let percent = 100.0 * self.progress.bytes_done() as f64 / total.max(1) as f64;
            format!("{:.0} % of {}, ", percent.min(100.0).floor(), human(total))
        };
        let share = self.total.map_or_else(String::new, share);
        let left = self.left().map_or_else(String::new, |left| format!(", {left} left"));
        format!("{program}: {name}: {share}{}, {seconds:.1} s{left}", self.figures(mode))
    }

    /// All on one line of JSON. `end` says whether the stream has ended well, if it has ended. A name that would make
    /// the line too long for a pipe is cut at its start.
    fn json(&self, mode: Mode, end: Option<bool>) -> String {
        // The numbers are taken once, because their lengths change with the time.
        let mut value = self.value(mode, end);
        let whole = value.to_string();
        if whole.len() < LINE_MAX {
            return whole;
        }
        let mut excess = whole.len() + "..\n".len() - LINE_MAX;
        let kept = self.name.trim_start_matches(|sign: char| {
            let is_too_much = excess > 0;
            excess = excess.saturating_sub(json!(sign).to_string().len() - 2);
            is_too_much
        });
        value["name"] = format!("..{kept}").into();
        value.to_string()
    }

    fn value(&self, mode: Mode, end: Option<bool>) -> Value {
        let seconds = self.begun.elapsed().as_secs_f64();
        let done = self.progress.bytes_done();
        let waits = self.progress.waits();
        json!({
            "schema": "pzcomp-progress-1",
            "name": self.name,
            "bytes_in": done,
            "bytes_out": self.progress.bytes_out(),
            "total_bytes_in": self.total,
            "ratio": self.ratio(mode).value(),
            "elapsed_seconds": seconds,
            "left_seconds": self.left_seconds(),
            "bytes_in_per_second": done as f64 / seconds.max(1e-9),
            "for_source_seconds": waits.for_source.as_secs_f64(),
            "for_workers_seconds": waits.for_workers.as_secs_f64(),
            "for_sink_seconds": waits.for_sink.as_secs_f64(),
            "ended": end.is_some(),
            "ok": end,
        })
    }
}

/// The end of a name that is long, so that a line fits 80 columns.
fn shortened(name: &str) -> String {
    const MOST: usize = 16;
    match name.chars().count() {
        0..=MOST => name.to_owned(),
        len => format!("..{}", name.chars().skip(len + 2 - MOST).collect::<String>()),
    }
}

impl ProgressLines {
    /// Writes a line, unless the reader takes none within this time.
    fn print(&self, line: &str, patience: Duration) {
        let line = format!("{line}\n");
        // Without a reader, or on a full disk, the stream goes on.
        let _ = match self {
            Self::Stderr => send(&mut std::io::stderr(), &line, patience),
            Self::Descriptor(file) => send(&mut &**file, &line, patience),
        };
    }
}

/// Prints a line on standard error, unless its reader is too slow.
fn print(line: &str) {
    let _ = send(&mut std::io::stderr(), &format!("{line}\n"), Duration::ZERO);
}

/// Writes a line if there is room for it, now or within this time.
fn send(out: &mut (impl Write + AsHandle), line: &str, patience: Duration) -> std::io::Result<()> {
    if line.len() > LINE_MAX {
        return Ok(());
    }
    if has_room(handle::of(out), patience) { out.write_all(line.as_bytes()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_on_a_terminal_fits_80_columns() {
        let progress = Progress::default();
        progress.add_done(1_047_972 << 10);
        progress.add_out(1 << 20);
        let begun = Instant::now().checked_sub(Duration::from_secs(100)).unwrap();
        let name = "a/folder/with-the-long-name-of-a.dump.sql".to_owned();
        let mut stream = Stream { name, progress, total: None, begun, told: begun, bar: None };
        let columns = |stream: &Stream, around: &str| {
            let text = stream.figures(Mode::Compress) + &stream.left().unwrap_or_default() + around;
            (shortened(&stream.name) + &text).chars().count()
        };
        assert!(columns(&stream, "    12m") <= 80);
        stream.total = Some(34 << 30);
        assert!(stream.left().unwrap().starts_with("55m "));
        assert!(columns(&stream, " [====] 100 %     left") <= 80);
        assert_eq!(shortened(&stream.name), "..-of-a.dump.sql");
    }
}
