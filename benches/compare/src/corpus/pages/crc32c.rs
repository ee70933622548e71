//! CRC-32C (Castagnoli), the checksum of InnoDB pages.

static TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = (sum >> 1) ^ (0x82f6_3b78 * (sum & 1));
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}

/// The checksum of `bytes`.
pub fn of(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| (sum >> 8) ^ TABLE[((sum ^ u32::from(*byte)) & 0xff) as usize])
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
