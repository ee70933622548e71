//! LZMA2: chunks of LZMA, and stored chunks where data does not compress.

use crate::encode::Encoder;
use crate::model::{MATCH_MAX, PROPERTIES};
use crate::range::RangeEncoder;
use crate::{Error, Params};

/// The greatest plain and coded lengths of a chunk, and of a stored one.
const PLAIN_MAX: usize = 2 << 20;
const CODED_MAX: usize = 64 << 10;
const STORED_MAX: usize = 64 << 10;
/// No symbol is coded in more bytes.
const SYMBOL_MAX: usize = 32;
/// The first bytes of a chunk with properties.
const HEADER_MAX: usize = 6;

/// What a chunk resets. The kinds are in the order of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reset {
    Nothing,
    State,
    Properties,
    Dictionary,
}

/// The control bytes.
const END: u8 = 0;
const STORED_RESET: u8 = 1;
const STORED: u8 = 2;
const LZMA: u8 = 0x80;

/// Appends `plain` as LZMA2 to `out`.
pub fn encode_lzma2(plain: &[u8], params: &Params, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut encoder = Encoder::new(plain, *params)?;
    let mut reset = Reset::Dictionary;
    while encoder.at() < plain.len() {
        let start = encoder.at();
        let header_len = if reset >= Reset::Properties { HEADER_MAX } else { HEADER_MAX - 1 };
        let header_at = out.len();
        out.resize(header_at + header_len, 0);
        let data_at = out.len();
        let mut range = RangeEncoder::new(out);
        while let Some(symbol) = encoder.next() {
            let room = data_at + CODED_MAX - SYMBOL_MAX;
            if range.finished_len() > room || encoder.at() - start > PLAIN_MAX - MATCH_MAX as usize {
                break;
            }
            encoder.code(&mut range, symbol);
        }
        range.finish();
        let plain_len = encoder.at() - start;
        let coded_len = out.len() - data_at;
        if coded_len < plain_len {
            let (plain_last, coded_last) = (plain_len - 1, coded_len - 1);
            let header = &mut out[header_at..data_at];
            header[0] = LZMA | (reset as u8) << 5 | (plain_last >> 16) as u8;
            header[1..3].copy_from_slice(&(plain_last as u16).to_be_bytes());
            header[3..5].copy_from_slice(&(coded_last as u16).to_be_bytes());
            if let Some(properties) = header.get_mut(5) {
                *properties = PROPERTIES;
            }
            reset = Reset::Nothing;
        } else {
            out.truncate(header_at);
            encoder.reset();
            for stored in plain[start..encoder.at()].chunks(STORED_MAX) {
                out.push(if reset == Reset::Dictionary { STORED_RESET } else { STORED });
                out.extend_from_slice(&((stored.len() - 1) as u16).to_be_bytes());
                out.extend_from_slice(stored);
                if reset == Reset::Dictionary {
                    reset = Reset::Properties;
                }
            }
            reset = reset.max(Reset::State);
        }
    }
    out.push(END);
    Ok(())
}
