//! The speed of one ordinary zstd frame that several workers share.
//!
//! docs/decoding-zstd.md explains the stages. Stage 1 of all blocks is done at the same time. Stage 2 is done for one
//! block after another, by the worker that has the ring: this is the *chain*. The checksum goes from job to job too,
//! but beside the chain. With `n` cores the speed is the least of
//!
//! ```text
//! n / (all steps)             all workers share the cores
//! 1 / (steps of the chain)    one worker has the ring
//! 1 / checksum                one worker adds to the checksum
//! 1 / headers                 one thread walks from block to block
//! ```
//!
//! The input is a [`FrameSteps`]: the CPU time that a byte takes in each step. `scaling` measures the steps twice, for
//! one worker alone and for several, and prints the speeds. **Assumptions**: as for all loads. Writing the output is
//! not counted.

/// CPU seconds of each step for a byte of plain data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameSteps {
    /// Reading the coded data.
    pub reading: f64,
    /// Walking from block to block, and noting the tables.
    pub headers: f64,
    /// Stage 1: literals and sequences, of two blocks at once.
    pub stage_one: f64,
    /// Stage 2.
    pub stage_two: f64,
    /// The XXH64 of the output.
    pub checksum: f64,
}

/// Which steps are in the chain. The others are done by any worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Stage 2: the chain of pzcomp.
    StageTwo,
    /// Stage 2 and the checksum.
    WithChecksum,
}

/// The step that limits the speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameLimit {
    /// All cores are busy: more cores help.
    Cores,
    /// The steps of the chain.
    Chain,
    /// The checksum.
    Checksum,
    /// The walk from block to block.
    Headers,
}

impl FrameLimit {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::Chain => "stage 2",
            Self::Checksum => "checksum",
            Self::Headers => "headers",
        }
    }
}

impl FrameSteps {
    /// The least time of each step in two measurements.
    pub fn or_faster(&self, other: &Self) -> Self {
        Self {
            reading: self.reading.min(other.reading),
            headers: self.headers.min(other.headers),
            stage_one: self.stage_one.min(other.stage_one),
            stage_two: self.stage_two.min(other.stage_two),
            checksum: self.checksum.min(other.checksum),
        }
    }

    /// CPU seconds for a byte.
    pub fn cpu(&self) -> f64 {
        self.reading + self.headers + self.stage_one + self.stage_two + self.checksum
    }

    /// Seconds of the chain for a byte.
    pub fn chain(&self, chain: Chain) -> f64 {
        match chain {
            Chain::StageTwo => self.stage_two,
            Chain::WithChecksum => self.stage_two + self.checksum,
        }
    }

    /// Bytes of plain data in a second on so many cores, with as many workers, and the reason why it is not more.
    pub fn on(&self, cores: usize, chain: Chain) -> (f64, FrameLimit) {
        if cores <= 1 {
            return (1.0 / self.cpu(), FrameLimit::Cores);
        }
        let limits = [
            (cores as f64 / self.cpu(), FrameLimit::Cores),
            (1.0 / self.chain(chain), FrameLimit::Chain),
            (1.0 / self.checksum, FrameLimit::Checksum),
            (1.0 / self.headers, FrameLimit::Headers),
        ];
        let [first, rest @ ..] = limits;
        rest.into_iter().fold(first, |least, next| if next.0 < least.0 { next } else { least })
    }

    /// From how many cores on the chain is busy all the time.
    pub fn saturation(&self, chain: Chain) -> f64 {
        self.cpu() / self.chain(chain)
    }
}
