//! LZMA without chunks: one stream of symbols with a mark at its end.

use crate::Error;
use crate::encode::Encoder;
use crate::matches::Windows;
use crate::range::RangeEncoder;

impl Encoder {
    /// Codes `plain` as LZMA with a mark at the end into the front of `out`, and returns the coded length. Nothing is
    /// written before or behind it. LZMA stores nothing: what does not compress becomes up to 5 % longer.
    pub fn encode_lzma1(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let windows = Windows::new(plain, self.params().dict_len);
        self.sort_window(plain, windows, 0)?;
        self.join_window(plain, None)?;
        let mut coding = self.begin(plain, 0..plain.len());
        let mut range = RangeEncoder::new(out);
        while let Some(symbol) = coding.next() {
            coding.code(&mut range, symbol);
        }
        coding.check()?;
        coding.code_end(&mut range);
        range.finish().ok_or(Error::NoRoom)
    }
}
