//! The ceiling of the pipeline: its speed with a codec that does nothing, or that costs a known time.
//!
//! Everything around the codec is the code of real streams: the splitter, the line, the pool, the buffers and the
//! sink. The codec copies each chunk from its slab into its piece, because every codec reads its input and writes its
//! output. If it handed the slab on instead, it would show a speed that no format can have.

use std::time::Duration;

use pzcomp::internals::{run_chunks, thread_cpu};
use pzcomp::{Input, Output, Result, Summary};

/// The cost of the synthetic codec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cost {
    /// A copy, and nothing more.
    Nothing,
    /// This many nanoseconds of CPU time for each byte, the copy included.
    PerByte(f64),
}

/// A stream through the pipeline with a synthetic codec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    /// The cost of the codec.
    pub cost: Cost,
    /// Number of workers.
    pub threads: usize,
    /// Bytes in a chunk.
    pub chunk_len: usize,
}

/// Runs `input` through the pipeline to `output`, which receives the same bytes. The summary names no format, and
/// its coded length is the plain length.
pub fn synthetic(input: Input, output: Output, synthetic: &Synthetic) -> Result<Summary> {
    let &Synthetic { cost, threads, chunk_len } = synthetic;
    run_chunks(input, output, threads.max(1), chunk_len.max(1), move |chunk, out| copy(chunk, out, cost))
}

fn copy(chunk: &[u8], out: &mut [u8], cost: Cost) -> usize {
    let before = match cost {
        Cost::Nothing => None,
        Cost::PerByte(nanoseconds) => {
            let cost = Duration::try_from_secs_f64(nanoseconds * 1e-9 * chunk.len() as f64);
            Some((thread_cpu(), cost.unwrap_or_default()))
        }
    };
    out[..chunk.len()].copy_from_slice(chunk);
    if let Some((before, cost)) = before {
        // The thread's own clock does not count the time that other threads take from a shared core.
        while thread_cpu().saturating_sub(before) < cost {
            std::hint::spin_loop();
        }
    }
    chunk.len()
}
