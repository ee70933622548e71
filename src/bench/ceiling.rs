//! The pipeline's own ceiling: a codec that does nothing, or costs what it is told to.
//!
//! Everything around the codec is the real thing: the splitter, the line, the pool, the buffers, the
//! sink. The codec copies each chunk from its slab into its piece, because every codec reads its input
//! and writes its output; handing the slab on instead would show a pipeline that no format can have.

use std::time::Duration;

use crate::compress::{Chunked, Counts, Cut, Encoders};
use crate::decompress::Sum;
use crate::error::Result;
use crate::format::Encoder;
use crate::io::{Input, Output};
use crate::pipeline::thread_cpu;
use crate::summary::Summary;

/// What the synthetic codec costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cost {
    /// A copy, and nothing more.
    Nothing,
    /// So many nanoseconds of CPU time for each byte, the copy included.
    PerByte(f64),
}

/// A stream through the pipeline with a synthetic codec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    /// What the codec costs.
    pub cost: Cost,
    /// Number of workers.
    pub threads: usize,
    /// Bytes in a chunk.
    pub chunk_len: usize,
}

/// Runs `input` through the pipeline to `output`, which receives the same bytes. Of the summary, the
/// format is nothing; the length of the coded data is that of the plain.
pub fn synthetic(input: Input, output: Output, synthetic: &Synthetic) -> Result<Summary> {
    let &Synthetic { cost, threads, chunk_len } = synthetic;
    let (threads, chunk_len) = (threads.max(1), chunk_len.max(1));
    let encoder = || Box::new(Copier(cost)) as Box<dyn Encoder>;
    let chunked = Chunked {
        encoders: Encoders::Parallel((0..threads).map(|_| encoder()).collect()),
        header: Vec::new(),
        joiner: Box::new(Sum::default()),
        cut: Cut::evenly(chunk_len),
        // As in every format, a frame is shorter than its bound: it leaves when its job ends.
        bound: chunk_len + 16,
        counts: Counts::ample(threads, chunk_len),
    };
    chunked.run(input, output)
}

struct Copier(Cost);

impl Encoder for Copier {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let before = match self.0 {
            Cost::Nothing => None,
            Cost::PerByte(nanoseconds) => {
                let cost = Duration::try_from_secs_f64(nanoseconds * 1e-9 * chunk.len() as f64);
                Some((thread_cpu(), cost.unwrap_or_default()))
            }
        };
        out[..chunk.len()].copy_from_slice(chunk);
        if let Some((before, cost)) = before {
            // By the thread's own clock: what others take from a shared core does not count.
            while thread_cpu().saturating_sub(before) < cost {
                std::hint::spin_loop();
            }
        }
        Ok(chunk.len())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::text;
    use super::*;

    const NOTHING: Synthetic = Synthetic { cost: Cost::Nothing, threads: 2, chunk_len: 10_000 };

    #[test]
    fn all_bytes_pass_in_order_from_memory_to_memory() -> Result<()> {
        // That all credits come back is asserted at the end of the line.
        let data = text(1_000_001, 1);
        for threads in [1, 2, 5] {
            for cost in [Cost::Nothing, Cost::PerByte(1.0)] {
                let mut out = Vec::new();
                let what = Synthetic { cost, threads, ..NOTHING };
                let summary =
                    synthetic(Input::Reader(Box::new(&data[..])), Output::Writer(Box::new(&mut out)), &what)?;
                assert!(out == data);
                assert_eq!((summary.plain_len, summary.coded_len), (1_000_001, 1_000_001));
                assert_eq!((summary.frames, summary.threads), (101, threads));
            }
        }
        Ok(())
    }

    #[test]
    fn all_bytes_pass_in_order_from_file_to_file() -> std::io::Result<()> {
        let data = text(1_000_001, 2);
        let (from, mut to) = (tempfile::tempfile()?, tempfile::tempfile()?);
        std::os::unix::fs::FileExt::write_all_at(&from, &data, 0)?;
        let input = Input::File { file: &from, start: 0, len: data.len() as u64 };
        synthetic(input, Output::File { file: &to, start: 0 }, &NOTHING).map_err(std::io::Error::other)?;
        let mut out = Vec::new();
        std::io::Seek::rewind(&mut to)?;
        to.read_to_end(&mut out)?;
        assert!(out == data);
        Ok(())
    }

    #[test]
    fn the_cost_is_charged_to_the_workers() -> Result<()> {
        let data = vec![0; 1 << 20];
        let what = Synthetic { cost: Cost::PerByte(20.0), ..NOTHING };
        let summary = synthetic(Input::Reader(Box::new(&data[..])), Output::Nothing, &what)?;
        assert!(summary.cpu.workers >= Duration::from_nanos(20 << 20), "{:?}", summary.cpu);
        Ok(())
    }

    #[test]
    fn nothing_is_one_empty_chunk() -> Result<()> {
        let mut out = Vec::new();
        let summary =
            synthetic(Input::Reader(Box::new(&[][..])), Output::Writer(Box::new(&mut out)), &NOTHING)?;
        assert_eq!((summary.plain_len, summary.frames, out.len()), (0, 1, 0));
        Ok(())
    }
}
