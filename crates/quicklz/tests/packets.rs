//! Packets of the writer in `common/`, whole and damaged: what they hold, and that nothing else is decoded.
//!
//! To damage more of them: `FUZZ_SECONDS=1 cargo test --release -p pzcomp-quicklz --test packets`.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use common::{Mode, Random, packet, packet_of, sample};
use pzcomp_quicklz::{Decoder, Error, Header};

fn decode(packet: &[u8]) -> Result<Vec<u8>, Error> {
    let header = Header::parse(packet)?.ok_or(Error::Invalid("is too short"))?;
    let mut plain = vec![0xa5; header.plain_len as usize];
    Decoder::new().decode(packet, &mut plain).map(|()| plain)
}

#[test]
fn packets_of_all_levels_hold_what_was_written() {
    let mut decoder = Decoder::new();
    for level in 1..=3 {
        for len in (1..80).chain([200, 215, 216, 217, 255, 256, 1000, 65_535, 65_536, 300_000]) {
            let plain = sample(len, len as u64);
            for mode in [Mode::Stored, Mode::Compressed] {
                let packet = packet(&plain, level, mode);
                let mut back = vec![0; len];
                decoder.decode(&packet, &mut back).unwrap();
                assert!(back == plain, "level {level}, {len} bytes, {mode:?}");
            }
        }
    }
}

#[test]
fn runs_and_cycles_of_every_length_are_repeated() {
    for level in 1..=3 {
        for cycle in 1..40 {
            let plain: Vec<u8> = (0..700).map(|at| (at % cycle) as u8).collect();
            let packet = packet(&plain, level, Mode::Compressed);
            assert!(packet.len() < 300, "level {level}, cycle {cycle}: {} bytes", packet.len());
            assert_eq!(decode(&packet).unwrap(), plain, "level {level}, cycle {cycle}");
        }
    }
}

#[test]
fn a_packet_says_the_same_with_long_and_short_lengths() {
    let plain = sample(120, 7);
    for level in 1..=3 {
        for mode in [Mode::Stored, Mode::Compressed] {
            let [short, long] =
                [false, true].map(|is_long| packet_of(&plain, level, mode, &mut Random(1), is_long));
            assert_eq!(long.len(), short.len() + 6);
            assert_eq!(decode(&short).unwrap(), decode(&long).unwrap());
        }
    }
}

#[test]
fn a_packet_that_is_cut_or_longer_is_refused() {
    for level in 1..=3 {
        for len in [1, 5, 40, 150, 400] {
            for mode in [Mode::Stored, Mode::Compressed] {
                let coded = packet(&sample(len, 3), level, mode);
                for cut in 0..coded.len() {
                    assert!(decode(&coded[..cut]).is_err(), "level {level}, {len} bytes, cut at {cut}");
                }
                assert!(decode(&[&coded[..], &[0]].concat()).is_err());
                // The length in the header may lie about the same bytes.
                let mut lying = coded.clone();
                lying[1] = lying[1].wrapping_add(1);
                lying.push(0);
                assert!(decode(&lying).is_err(), "level {level}, {len} bytes, one byte too many");
            }
        }
    }
}

#[test]
fn wrong_bits_never_give_the_same_data_twice_or_a_panic() {
    for level in 1..=3 {
        let plain = sample(300, 5);
        let coded = packet(&plain, level, Mode::Compressed);
        let mut refused = 0;
        for bit in 0..coded.len() * 8 {
            let mut damaged = coded.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            refused += usize::from(decode(&damaged).is_err());
        }
        assert!(refused > 0, "level {level}");
        // A packet has no checksum, but its lengths must be right.
        for at in [1, 2, 3, 4, 5, 6, 7, 8] {
            for bit in 0..8 {
                let mut damaged = coded.clone();
                damaged[at] ^= 1 << bit;
                assert!(decode(&damaged).is_err(), "level {level}, byte {at}, bit {bit}");
            }
        }
    }
}

#[test]
fn what_a_decoder_did_before_makes_no_difference() {
    let rounds = if std::env::var_os("FUZZ_SECONDS").is_some() { 50_000 } else { 1_000 };
    let mut random = Random(11);
    let mut used = Decoder::new();
    for round in 0..rounds {
        let level = 1 + (random.next() % 3) as u8;
        let mut coded =
            packet(&sample(1 + random.next() as usize % 2000, random.next()), level, Mode::Compressed);
        for _ in 0..random.next() % 3 {
            let at = random.next() as usize % coded.len();
            coded[at] = random.next() as u8;
        }
        let expected = decode(&coded);
        if let Ok(Some(header)) = Header::parse(&coded) {
            let mut plain = vec![0; header.plain_len as usize];
            let result = used.decode(&coded, &mut plain).map(|()| plain);
            assert_eq!(result, expected, "round {round}");
        }
    }
}

#[test]
fn room_of_another_length_is_refused() {
    let coded = packet(b"three in the morning", 1, Mode::Compressed);
    for len in [0, 19, 21, 4096] {
        assert!(Decoder::new().decode(&coded, &mut vec![0; len]).is_err());
    }
}
