//! CRC-32C (Castagnoli), the checksum of InnoDB pages.
//!
//! It has a table for each of eight bytes, so that it takes little of the generator's time.

const POLYNOMIAL: u32 = 0x82f6_3b78;

static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = (sum >> 1) ^ (POLYNOMIAL * (sum & 1));
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut byte = 0;
    while byte < 256 {
        let mut table = 1;
        while table < 8 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            table += 1;
        }
        byte += 1;
    }
    tables
}

/// The checksum of `bytes`.
pub fn of(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    let (eights, rest) = bytes.as_chunks::<8>();
    for eight in eights {
        let word = u64::from_le_bytes(*eight) ^ u64::from(sum);
        sum = (0..8).fold(0, |sum, i| sum ^ TABLES[7 - i][(word >> (8 * i) & 0xff) as usize]);
    }
    for byte in rest {
        sum = (sum >> 8) ^ TABLES[0][((sum ^ u32::from(*byte)) & 0xff) as usize];
    }
    !sum
}

#[cfg(test)]
mod tests {
    /// RFC 3720, appendix B.4.
    #[test]
    fn sums_are_those_of_the_standard() {
        assert_eq!(super::of(b"123456789"), 0xe306_9283);
        assert_eq!(super::of(&[0; 32]), 0x8a91_36aa);
    }
}
