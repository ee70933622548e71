//! The last step of decoding: runs of equal bytes are undone.
//!
//! In a block four equal bytes are followed by a count of how many more there are. [`Runs`] takes the text of a block
//! and fills output of any length with the data that it stands for, which may be 51 times as long. A caller can clone
//! it to compute the CRC of all data before any of it leaves.

use std::fmt;

use crate::find_run;

/// The error of a block that ends with four equal bytes and no count of more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingCount;

impl fmt::Display for MissingCount {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("the bzip2 block ends with four equal bytes and no count of more")
    }
}

impl std::error::Error for MissingCount {}

/// The data of a block, whose runs are undone as far as each output has room.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    coded: &'a [u8],
    /// How many bytes to copy before the run.
    copy: usize,
    /// The rest of the run, plus one; and its byte.
    repeat: usize,
    byte: u8,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(coded: &'a [u8]) -> Self {
        Self { coded, copy: 0, repeat: 0, byte: 0 }
    }

    /// The length of the rest, with its runs still shortened.
    pub fn shortened_len(&self) -> usize {
        self.coded.len()
    }

    /// Fills `out` from its start. Returns the length filled, which is less than all only at the end of the data.
    pub fn fill(&mut self, out: &mut [u8]) -> Result<usize, MissingCount> {
        let mut filled = 0;
        while filled < out.len() {
            let room = &mut out[filled..];
            if self.copy > 0 {
                let len = self.copy.min(room.len());
                let (now, later) = self.coded.split_at(len);
                room[..len].copy_from_slice(now);
                (self.coded, self.copy) = (later, self.copy - len);
                filled += len;
                if self.copy == 0 && self.repeat > 0 {
                    // The count has been read already.
                    self.coded = self.coded.get(1..).unwrap_or_default();
                }
            } else if self.repeat > 1 {
                let len = (self.repeat - 1).min(room.len());
                room[..len].fill(self.byte);
                self.repeat -= len;
                filled += len;
            } else if self.coded.is_empty() {
                break;
            } else if let Some(run) = find_run(self.coded) {
                let &count = self.coded.get(run + 4).ok_or(MissingCount)?;
                // One more than the count, so that a count of zero is a run as well.
                (self.copy, self.repeat, self.byte) = (run + 4, usize::from(count) + 1, self.coded[run]);
            } else {
                (self.copy, self.repeat) = (self.coded.len(), 0);
            }
        }
        Ok(filled)
    }

    /// Whether all data has been put out.
    pub fn is_done(&self) -> bool {
        self.coded.is_empty() && self.repeat <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(coded: &[u8], step: usize) -> Result<Vec<u8>, MissingCount> {
        let mut runs = Runs::new(coded);
        let mut out = Vec::new();
        loop {
            let mut room = vec![0; step];
            let filled = runs.fill(&mut room)?;
            out.extend(&room[..filled]);
            if filled < step {
                assert!(runs.is_done());
                return Ok(out);
            }
        }
    }

    #[test]
    fn runs_are_undone_in_steps_of_any_length() {
        let mut coded = b"abbbccaaaa\x00aaaa\x03zzzz\xff".to_vec();
        coded.extend(b"0123456789abcdefghijklmnoppp0000\x010");
        let mut plain = b"abbbccaaaaaaaaaaa".to_vec();
        plain.extend([b'z'; 259]);
        plain.extend(b"0123456789abcdefghijklmnoppp000000");
        for step in 1..400 {
            assert_eq!(expand(&coded, step).unwrap(), plain, "{step}");
        }
        assert_eq!(expand(b"", 5).unwrap(), b"");
        assert_eq!(expand(b"aaaa\x00", 4).unwrap(), b"aaaa");
    }

    #[test]
    fn a_run_without_a_count_is_none() {
        assert_eq!(expand(b"abcdaaaa", 100), Err(MissingCount));
        assert_eq!(expand(b"aaaa\x02aaaa", 2), Err(MissingCount));
    }
}
