//! QuickLZ packets: any bytes, or packets of the tests' writer, damaged or not.
//!
//! A packet that is not damaged must hold what was written. Whatever the bytes are, the decoder must stay inside its
//! slices, and a decoder that was used before must give the same result as a new one.

#![cfg_attr(fuzzing, no_main)]

#[path = "../../crates/quicklz/tests/common/mod.rs"]
mod packets;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use packets::{Mode, Random, packet_of};
use pzcomp_fuzz::{Damage, Part};
use pzcomp_quicklz::{Decoder, Error, Header};

/// The writer of the tests is slow.
const PLAIN_MAX: usize = 8 << 10;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes {
        bytes: &'a [u8],
    },
    Made {
        level: u8,
        is_stored: bool,
        is_long: bool,
        seed: u8,
        damage: [Option<Damage>; 3],
        parts: Vec<Part<'a>>,
    },
}

fn decode(decoder: &mut Decoder, packet: &[u8]) -> Result<Vec<u8>, Error> {
    let header = Header::parse(packet)?.ok_or(Error::Invalid("is too short"))?;
    if header.coded_len as usize > packet.len() {
        return Err(Error::Invalid("is cut off"));
    }
    let mut plain = vec![0; header.plain_len as usize];
    decoder.decode(&packet[..header.coded_len as usize], &mut plain).map(|()| plain)
}

fuzz_target!(|case: Case| {
    let mut used = Decoder::new();
    match case {
        Case::Bytes { bytes } => drop(decode(&mut used, bytes)),
        Case::Made { level, is_stored, is_long, seed, damage, parts } => {
            let mut plain = Vec::new();
            parts.iter().for_each(|part| part.append(&mut plain, PLAIN_MAX));
            plain.truncate(PLAIN_MAX);
            if plain.is_empty() {
                return;
            }
            let mode = if is_stored { Mode::Stored } else { Mode::Compressed };
            let mut packet = packet_of(&plain, 1 + level % 3, mode, &mut Random(seed.into()), is_long);
            assert!(decode(&mut used, &packet).as_ref() == Ok(&plain));
            damage.iter().flatten().for_each(|damage| damage.apply(&mut packet));
            let again = decode(&mut used, &packet);
            assert!(again == decode(&mut Decoder::new(), &packet));
        }
    }
});
