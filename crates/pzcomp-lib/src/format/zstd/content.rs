//! Parameters of libzstd that follow the data of a chunk.
//!
//! The levels 2 to 4 look for matches of five bytes and more (level 2: six). In tables of numbers, most matches of this
//! length are digits that repeat by chance. Such a match costs as many bits as its digits, and the search for it costs
//! time. There longer matches and smaller tables of positions are faster and give shorter frames. In text and programs
//! short matches pay, so their parameters stay those of the level.
//!
//! [`Content::of`] tells these kinds of data apart by samples of the chunk, so the bytes of a frame depend on its chunk
//! and on the options only. docs/formats.md has the figures.

use zstd_safe::zstd_sys::ZSTD_cParameter::{self, *};

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text, programs, pictures and everything else.
    Any,
    /// Lines with many digits and with words: logs, dumps, JSON.
    Records,
    /// Digits with few letters: tables of numbers.
    Numbers,
}

/// Chunks up to this length have other parameters in libzstd, which nobody has compared with those here.
const SHORT_LEN: usize = 256 << 10;

const SAMPLES: usize = 16;
const SAMPLE_LEN: usize = 1 << 10;

impl Content {
    /// The kind of the data of a chunk.
    pub(super) fn of(chunk: &[u8]) -> Self {
        if chunk.len() <= SHORT_LEN {
            return Self::Any;
        }
        let (mut digits, mut letters) = (0, 0);
        for sample in (0..SAMPLES).map(|at| &chunk[chunk.len() / SAMPLES * at..][..SAMPLE_LEN]) {
            digits += sample.iter().filter(|byte| byte.is_ascii_digit()).count();
            letters += sample.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        }
        let bytes = SAMPLES * SAMPLE_LEN;
        // More letters are those of sentences, where short matches pay, as in a dictionary with numbered entries.
        if digits < bytes / 5 || letters > bytes * 2 / 5 {
            Self::Any
        } else if letters < digits / 5 {
            Self::Numbers
        } else {
            Self::Records
        }
    }

    /// The parameters for chunks of this kind at a level. Zero is the value of the level.
    pub(super) fn parameters(self, level: i32) -> [(ZSTD_cParameter, u32); 3] {
        let [hash_log, chain_log, min_match] = match (level, self) {
            (2, Self::Numbers) => [15, 13, 7],
            (3, Self::Numbers) => [16, 14, 7],
            (3, Self::Records) => [16, 15, 6],
            (4, Self::Numbers) => [17, 15, 7],
            (4, Self::Records) => [17, 16, 6],
            _ => [0; 3],
        };
        [(ZSTD_c_hashLog, hash_log), (ZSTD_c_chainLog, chain_log), (ZSTD_c_minMatch, min_match)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(line: &str) -> Vec<u8> {
        line.bytes().cycle().take(SHORT_LEN + 1).collect()
    }

    #[test]
    fn digits_and_letters_tell_the_kind_of_data() {
        for (line, content) in [
            ("3.141593,2.718282,1.414214\n", Content::Numbers),
            ("7\t2026-11-25 10:15:00\topen\t99.50\n", Content::Records),
            ("2026-11-25 10:15:00 sshd[4711]: Accepted publickey for root\n", Content::Any),
            ("The restore is when it matters.\n", Content::Any),
            ("\0\x01\x02\u{fe}", Content::Any),
        ] {
            assert_eq!(Content::of(&repeated(line)), content, "{line:?}");
        }
    }

    #[test]
    fn short_chunks_have_the_parameters_of_the_level() {
        let numbers = repeated("3.141593,2.718282,1.414214\n");
        assert_eq!(Content::of(&numbers[..SHORT_LEN]), Content::Any);
        assert_eq!(Content::of(&[]), Content::Any);
    }
}
