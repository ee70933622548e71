//! zstd on one thread and on several: the same bytes before the same error.
//!
//! The input is any bytes, or one or two frames that libzstd makes, damaged or not. A frame is cut behind 256 KiB of
//! coded data, so the frames are long.

#![cfg_attr(fuzzing, no_main)]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pzcomp::Format;
use pzcomp_fuzz::{Damage, End, Feed, Part, by_us, compare_threads};
use zstd_safe::zstd_sys::ZSTD_EndDirective::{ZSTD_e_end, ZSTD_e_flush};
use zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer};

static ZSTD: [Format; 1] = [Format::Zstd];

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes {
        feed: Feed,
        is_headed: bool,
        bytes: &'a [u8],
    },
    Made {
        feed: Feed,
        level: i8,
        has_checksum: bool,
        twice: bool,
        damage: [Option<Damage>; 3],
        parts: Vec<Part<'a>>,
    },
}

/// A frame that does not state its length. Each part ends a block.
fn made(level: i8, has_checksum: bool, parts: &[Part], plain: &mut Vec<u8>) -> Vec<u8> {
    let mut context = CCtx::create();
    let parameters =
        [CParameter::CompressionLevel(i32::from(level) % 10), CParameter::ChecksumFlag(has_checksum)];
    for parameter in parameters {
        context.set_parameter(parameter).unwrap();
    }
    let (mut coded, mut room) = (Vec::new(), vec![0; 1 << 20]);
    let count = parts.len().min(5);
    for (number, part) in parts.iter().take(count).enumerate() {
        let start = plain.len();
        part.append(plain, 1 << 20);
        let mut input = InBuffer::around(&plain[start..]);
        let directive = if number + 1 == count { ZSTD_e_end } else { ZSTD_e_flush };
        loop {
            let mut output = OutBuffer::around(&mut room[..]);
            let left = context.compress_stream2(&mut output, &mut input, directive).unwrap();
            let written = output.pos();
            coded.extend_from_slice(&room[..written]);
            if left == 0 {
                break;
            }
        }
    }
    coded
}

fuzz_target!(|case: Case| match case {
    Case::Bytes { feed, is_headed, bytes } => {
        let magic = 0xFD2F_B528_u32.to_le_bytes();
        let coded = if is_headed { [&magic[..], bytes].concat() } else { bytes.to_vec() };
        compare_threads(&coded, &ZSTD, feed, &by_us(&coded, &ZSTD, 1, Feed::Memory));
    }
    Case::Made { feed, level, has_checksum, twice, damage, parts } => {
        let mut plain = Vec::new();
        let mut coded = made(level, has_checksum, &parts, &mut plain);
        if coded.is_empty() {
            return;
        }
        if twice {
            coded.extend_from_within(..);
            plain.extend_from_within(..);
        }
        compare_threads(&coded, &ZSTD, feed, &(plain, End::Whole));
        if damage.iter().flatten().next().is_some() {
            damage.iter().flatten().for_each(|damage| damage.apply(&mut coded));
            compare_threads(&coded, &ZSTD, feed, &by_us(&coded, &ZSTD, 1, Feed::Memory));
        }
    }
});
