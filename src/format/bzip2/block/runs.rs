//! The outermost layer: four equal bytes are followed by a count of more; and the CRC of what comes out.

/// A block ends with four equal bytes and no count.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::format::bzip2) struct NoCount;

/// Undoes the runs of a block, as far as there is room each time.
#[derive(Clone)]
pub(in crate::format::bzip2) struct Runs<'a> {
    coded: &'a [u8],
    /// What is to be copied before the run.
    copy: usize,
    /// What is left of the run, of this byte.
    repeat: usize,
    byte: u8,
}

impl<'a> Runs<'a> {
    pub(in crate::format::bzip2) fn new(coded: &'a [u8]) -> Self {
        Self { coded, copy: 0, repeat: 0, byte: 0 }
    }

    /// Length of what is left, its runs still coded.
    pub(in crate::format::bzip2) fn len(&self) -> usize {
        self.coded.len()
    }

    /// Fills `out` from its start; the length filled, less than all only at the end.
    pub(in crate::format::bzip2) fn fill(&mut self, out: &mut [u8]) -> Result<usize, NoCount> {
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
                let &count = self.coded.get(run + 4).ok_or(NoCount)?;
                // One more than the count, so that a count of zero is a run as well.
                (self.copy, self.repeat, self.byte) = (run + 4, usize::from(count) + 1, self.coded[run]);
            } else {
                (self.copy, self.repeat) = (self.coded.len(), 0);
            }
        }
        Ok(filled)
    }

    /// Whether all has been put out.
    pub(in crate::format::bzip2) fn is_done(&self) -> bool {
        self.coded.is_empty() && self.repeat <= 1
    }
}

/// Where the first four equal bytes are.
pub(in crate::format::bzip2) fn find_run(bytes: &[u8]) -> Option<usize> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk)
        && let Some(shifted) = bytes.get(at + 1..).and_then(<[u8]>::first_chunk)
    {
        let unequal = u64::from_le_bytes(*eight) ^ u64::from_le_bytes(*shifted);
        // The highest bit of each byte that equals the one behind it.
        let equal = !(((unequal & LOW) + LOW) | unequal | LOW);
        let runs = equal & (equal >> 8) & (equal >> 16);
        if runs != 0 {
            return Some(at + (runs.trailing_zeros() / 8) as usize);
        }
        at += 6;
    }
    bytes[at..].windows(4).position(|four| four.iter().all(|&byte| byte == four[0])).map(|run| at + run)
}

/// Polynomial of the CRC, the highest power first.
const POLYNOMIAL: u32 = 0x04c1_1db7;
/// Bytes taken into the CRC at once.
const STEP: usize = 16;

/// For each distance from the end of a step what a byte there does to the CRC.
static TABLES: [[u32; 256]; STEP] = {
    let mut tables = [[0; 256]; STEP];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc >> 31 == 1 { crc << 1 ^ POLYNOMIAL } else { crc << 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut distance = 1;
    while distance < STEP {
        let mut byte = 0;
        while byte < 256 {
            let crc = tables[distance - 1][byte];
            tables[distance][byte] = crc << 8 ^ tables[0][(crc >> 24) as usize];
            byte += 1;
        }
        distance += 1;
    }
    tables
};

/// The CRC of a block.
#[derive(Clone, Copy)]
pub(in crate::format::bzip2) struct Crc(u32);

impl Crc {
    pub(in crate::format::bzip2) const fn new() -> Self {
        Self(u32::MAX)
    }

    pub(in crate::format::bzip2) fn update(&mut self, bytes: &[u8]) {
        let (steps, rest) = bytes.as_chunks::<STEP>();
        for step in steps {
            let crc = self.0.to_be_bytes();
            self.0 = 0;
            for (at, &byte) in step.iter().enumerate() {
                let byte = if at < 4 { byte ^ crc[at] } else { byte };
                self.0 ^= TABLES[STEP - 1 - at][usize::from(byte)];
            }
        }
        for &byte in rest {
            self.0 = self.0 << 8 ^ TABLES[0][(self.0 >> 24) as usize ^ usize::from(byte)];
        }
    }

    pub(in crate::format::bzip2) fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(coded: &[u8], step: usize) -> Result<Vec<u8>, NoCount> {
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
        assert_eq!(expand(b"abcdaaaa", 100), Err(NoCount));
        assert_eq!(expand(b"aaaa\x02aaaa", 2), Err(NoCount));
    }

    #[test]
    fn the_crc_is_the_one_of_bzip2() {
        // The check value of CRC-32/BZIP2.
        let mut crc = Crc::new();
        crc.update(b"123456789");
        assert_eq!(crc.value(), 0xfc89_1918);
        let data: Vec<u8> = (0..100_u32).map(|at| (at * at) as u8).collect();
        let (mut whole, mut parts) = (Crc::new(), Crc::new());
        whole.update(&data);
        data.iter().for_each(|byte| parts.update(&[*byte]));
        assert_eq!(whole.value(), parts.value());
    }
}
