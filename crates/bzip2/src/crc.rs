//! The CRC of blocks and streams: CRC-32/BZIP2, which begins with the highest bit of a byte.
//!
//! The encoder computes it of the plain bytes of a block. A caller of the decoder computes it of the bytes that come
//! out and compares with what the block claims. It is computed 16 bytes at a time, by tables.

/// The polynomial, the highest power first.
const POLYNOMIAL: u32 = 0x04c1_1db7;
/// How many bytes are taken at a time.
const STEP: usize = 16;

/// What a byte does to the CRC, for each distance from the end of a step.
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

/// The CRC of a block, of which bytes come one after another.
#[derive(Clone, Copy, Debug)]
pub struct Crc(u32);

impl Default for Crc {
    fn default() -> Self {
        Self::new()
    }
}

impl Crc {
    /// The CRC of no bytes.
    pub const fn new() -> Self {
        Self(u32::MAX)
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
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

    /// The CRC of all bytes so far.
    pub fn value(self) -> u32 {
        !self.0
    }
}

/// The CRC of a stream of two parts, from that of the first, and that of the second with its number of blocks. The
/// CRC of a part of one block is that of the block, and that of no block is 0.
///
/// Each block rotates the CRC of the blocks before it by one bit, and adds its own.
pub fn join_crcs(before: u32, crc: u32, blocks: u64) -> u32 {
    before.rotate_left((blocks % 32) as u32) ^ crc
}

#[cfg(test)]
mod tests {
    use super::*;

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
