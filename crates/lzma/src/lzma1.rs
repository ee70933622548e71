//! LZMA without chunks: one stream of symbols with a mark at its end.

use crate::encode::Encoder;
use crate::quick::Limits;
use crate::range::RangeEncoder;
use crate::{Error, Slices};

impl Encoder {
    /// Codes `plain` as LZMA with a mark at the end into the front of `out`, and returns the coded length. Nothing is
    /// written before or behind it. LZMA stores nothing: what does not compress becomes up to 5 % longer.
    pub fn encode_lzma1(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let Slices(windows) = self.params().slices(plain);
        self.sort_window(plain, windows, 0)?;
        self.join_window(plain, None)?;
        let mut coding = self.begin(plain, 0..plain.len());
        let mut range = RangeEncoder::new(out);
        coding.run(&mut range, Limits::NONE);
        coding.check()?;
        coding.code_end(&mut range);
        range.finish().ok_or(Error::NoRoom)
    }
}
