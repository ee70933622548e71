//! The methods of coders, by the numbers that `Methods.txt` in the source of 7-Zip lists.

use std::fmt;

/// A method of compression, a filter, or encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Method(pub u64);

impl Method {
    /// The data as it is.
    pub const COPY: Self = Self(0);
    /// LZMA without a header.
    pub const LZMA: Self = Self(0x03_01_01);
    /// LZMA2.
    pub const LZMA2: Self = Self(0x21);
    /// A DEFLATE stream.
    pub const DEFLATE: Self = Self(0x04_01_08);
    /// A bzip2 stream, with its header.
    pub const BZIP2: Self = Self(0x04_02_02);

    /// The name of the method, if it is known.
    pub fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "Copy",
            0x03 => "Delta (a filter)",
            0x04 => "BCJ x86 (a filter)",
            0x05 => "PPC (a filter)",
            0x06 => "IA64 (a filter)",
            0x07 => "ARM (a filter)",
            0x08 => "ARMT (a filter)",
            0x09 => "SPARC (a filter)",
            0x0a => "ARM64 (a filter)",
            0x0b => "RISCV (a filter)",
            0x21 => "LZMA2",
            0x02_03_02 => "Swap2 (a filter)",
            0x02_03_04 => "Swap4 (a filter)",
            0x03_01_01 => "LZMA",
            0x03_03_01_03 => "BCJ x86 (a filter)",
            0x03_03_01_1b => "BCJ2 x86 (a filter)",
            0x03_03_02_05 => "PPC (a filter)",
            0x03_03_04_01 => "IA64 (a filter)",
            0x03_03_05_01 => "ARM (a filter)",
            0x03_03_07_01 => "ARMT (a filter)",
            0x03_03_08_05 => "SPARC (a filter)",
            0x03_04_01 => "PPMd",
            0x04_01_08 => "Deflate",
            0x04_01_09 => "Deflate64",
            0x04_02_02 => "BZip2",
            0x04_f7_11_01 => "Zstandard",
            0x04_f7_11_02 => "Brotli",
            0x04_f7_11_04 => "LZ4",
            0x04_f7_11_05 => "LZ5",
            0x04_f7_11_06 => "Lizard",
            0x06_f1_07_01 => "encryption (AES-256)",
            _ => return None,
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self.name() {
            Some(name) => out.write_str(name),
            None => write!(out, "the unknown method {:x}", self.0),
        }
    }
}
