//! The CPU seconds of each thread, which `pzcomp -v` prints, and the number of cores that follows from them.
//!
//! The rows of promises about the serial part use it (`Goal::Cores`). [`ThreadTimes::parse`] takes the messages of a
//! run.

/// CPU seconds of the pipeline's threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreadTimes {
    pub reader: f64,
    pub workers: f64,
    pub writer: f64,
}

impl ThreadTimes {
    /// Reads the last line of stderr: `…; cpu s: reader 0.012, workers 1.234, writer 0.045`.
    pub fn parse(stderr: &str) -> Option<Self> {
        let (_, times) = stderr.lines().last()?.rsplit_once("cpu s:")?;
        let seconds = |thread: &str| -> Option<f64> {
            let mut words = times.split([' ', ',', ';']).filter(|word| !word.is_empty());
            words.find(|word| *word == thread)?;
            words.next()?.parse().ok()
        };
        Some(Self { reader: seconds("reader")?, workers: seconds("workers")?, writer: seconds("writer")? })
    }

    /// The number of cores on which the workers are as fast as the slower of the two serial threads.
    pub fn cores_at_saturation(self) -> f64 {
        /// The smallest difference in that line, for a thread that did next to nothing.
        const LEAST: f64 = 0.001;
        self.workers / self.reader.max(self.writer).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_the_last_line() {
        let stderr = "a warning\n268435456 in, 51539607 out (19.2 %), 0.31 s, 866 MB/s; \
                      cpu s: reader 0.012, workers 1.350, writer 0.045";
        let times = ThreadTimes { reader: 0.012, workers: 1.35, writer: 0.045 };
        assert_eq!(ThreadTimes::parse(stderr), Some(times));
        assert!((times.cores_at_saturation() - 30.0).abs() < 1e-9);
    }

    #[test]
    fn other_lines_have_no_times() {
        for stderr in ["", "done", "cpu s: reader, workers 1.0, writer 2.0"] {
            assert_eq!(ThreadTimes::parse(stderr), None, "{stderr}");
        }
    }
}
