//! Decodes a packet.
//!
//! [`Decoder::decode`] gets a whole packet and room of exactly its plain length. Compressed data is a row of control
//! words with what they announce. Each of the lowest 31 bits of a control word stands for a literal (0) or a match (1);
//! the highest bit is set and marks the end of the word. `levels.rs` has the form of a match.
//!
//! The last bytes of a packet are literals: no match begins behind [`TAIL_LEN`] bytes before the end and reaches the
//! last [`END_LEN`] bytes. The encoder does not hash them, and the decoder need not.

use crate::Error;
use crate::copy::{literals, matched};
use crate::header::Header;
use crate::levels::{Level, Level3, Match, Tables};

/// From so many bytes before the end on, everything behind a literal is a literal.
const TAIL_LEN: usize = 11;
/// So many last bytes are in no match.
const END_LEN: usize = 4;
/// The length of a control word.
const CONTROL_LEN: usize = 4;
/// The least length of compressed data. The encoder fills shorter data up with any bytes.
const DATA_MIN: usize = 9;
/// The shortest match, and the shortest distance.
const MATCH_MIN: usize = 3;

/// A decoder, for one packet at a time. It has 50 KiB of tables.
pub struct Decoder {
    tables: Tables,
}

impl Decoder {
    /// A decoder.
    pub fn new() -> Self {
        Self { tables: Tables::new() }
    }

    /// Decodes `packet`, which is exactly one packet, into `plain`, whose length is the plain length that the packet
    /// states. After an error `plain` holds any bytes.
    ///
    /// # Errors
    /// The packet is not valid, or has other lengths than the slices.
    pub fn decode(&mut self, packet: &[u8], plain: &mut [u8]) -> Result<(), Error> {
        let header = Header::parse(packet)?.ok_or(Error::Invalid("ends inside its header"))?;
        if header.coded_len as usize != packet.len() {
            return Err(Error::Invalid("has another length than it states"));
        }
        if header.plain_len as usize != plain.len() {
            return Err(Error::Invalid("states another plain length than expected"));
        }
        let data = packet.get(header.len..).unwrap_or_default();
        let used = match header.level {
            _ if header.is_stored => {
                plain.copy_from_slice(data);
                data.len()
            }
            1 => decompress(&mut self.tables.level_1(), data, plain)?,
            2 => decompress(&mut self.tables.level_2(), data, plain)?,
            _ => decompress(&mut Level3, data, plain)?,
        };
        let is_filled_up = data.len() == DATA_MIN && used < DATA_MIN;
        if used != data.len() && !is_filled_up {
            return Err(Error::Invalid("has bytes behind its data"));
        }
        Ok(())
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

/// The error of data that ends too early.
const SHORT: Error = Error::Invalid("ends before all of its data is decoded");

/// Decodes compressed data until `plain` is full. Returns how many bytes of `coded` were used.
fn decompress<L: Level>(level: &mut L, coded: &[u8], plain: &mut [u8]) -> Result<usize, Error> {
    let tail = plain.len().saturating_sub(TAIL_LEN);
    let (mut control, mut read, mut at) = (1, 0, 0);
    // The first place that is not noted yet.
    let mut noted = 0;
    loop {
        if control == 1 {
            control = control_word(coded, read)?;
            read += CONTROL_LEN;
        }
        if control & 1 == 0 {
            if at >= tail {
                return self::tail(coded, read, control, plain, at);
            }
            // At most 31, because the highest bit is set.
            let run = (control.trailing_zeros() as usize).min(tail - at);
            literals(plain, at, coded.get(read..).unwrap_or_default(), run).ok_or(SHORT)?;
            (control, read, at) = (control >> run, read + run, at + run);
            // A place is noted when three bytes of it are known.
            let end = at.saturating_sub(MATCH_MIN - 1);
            if noted < end {
                level.note(plain, noted..end);
                noted = end;
            }
        } else {
            let Match { from, len, coded_len } = level.read(four_bytes(coded, read), at);
            (control, read) = (control >> 1, read + coded_len);
            if read > coded.len() {
                return Err(SHORT);
            }
            if len < MATCH_MIN {
                return Err(Error::Invalid("has a match of fewer than 3 bytes"));
            }
            if from.saturating_add(MATCH_MIN) > at {
                return Err(Error::Invalid("has a match that begins at no place before it"));
            }
            if at + len + END_LEN > plain.len() {
                return Err(Error::Invalid("has a match that reaches too far"));
            }
            matched(plain, from, at, len).ok_or(SHORT)?;
            level.note(plain, noted..at + 1);
            at += len;
            noted = at;
        }
    }
}

/// Decodes the literals at the end.
fn tail(
    coded: &[u8],
    mut read: usize,
    mut control: u32,
    plain: &mut [u8],
    at: usize,
) -> Result<usize, Error> {
    for byte in plain.get_mut(at..).unwrap_or_default() {
        if control == 1 {
            control = control_word(coded, read)?;
            read += CONTROL_LEN;
        }
        if control & 1 == 1 {
            return Err(Error::Invalid("has a match where only literals can be"));
        }
        *byte = *coded.get(read).ok_or(SHORT)?;
        (control, read) = (control >> 1, read + 1);
    }
    Ok(read)
}

#[inline(always)]
fn control_word(coded: &[u8], at: usize) -> Result<u32, Error> {
    let word = coded.get(at..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word));
    let word = word.ok_or(SHORT)?;
    if word >> 31 == 0 {
        return Err(Error::Invalid("has a control word without an end mark"));
    }
    Ok(word)
}

/// The next four bytes as a number. Bytes behind the end are zeros.
#[inline(always)]
fn four_bytes(coded: &[u8], at: usize) -> u32 {
    let rest = coded.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => rest.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)),
    }
}
