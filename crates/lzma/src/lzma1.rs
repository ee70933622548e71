//! LZMA without chunks: one stream of symbols with a mark at its end.

use crate::encode::Encoder;
use crate::range::RangeEncoder;
use crate::{Error, Params};

/// Appends `plain` as LZMA with a mark at the end to `out`. Nothing is written before or behind it.
pub fn encode_lzma1(plain: &[u8], params: &Params, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut encoder = Encoder::new(plain, *params)?;
    let mut range = RangeEncoder::new(out);
    while let Some(symbol) = encoder.next() {
        encoder.code(&mut range, symbol);
    }
    encoder.code_end(&mut range);
    range.finish();
    Ok(())
}
