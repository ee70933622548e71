//! A frame in memory: our decoder compared with libzstd.
//!
//! The input is any bytes behind a magic number, or a frame that libzstd makes, damaged or not. What our decoder
//! accepts, libzstd must accept too, with the same bytes. A frame that is not damaged must be accepted. The build
//! without unsafe loops has the same verdicts and bytes.

#![cfg_attr(fuzzing, no_main)]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pzcomp_fuzz::{Damage, Part};
use pzcomp_zstd::FrameDecoder;
use zstd_safe::{CCtx, CParameter};

/// The longest output that is compared.
const PLAIN_MAX: usize = 2 << 20;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes { bytes: &'a [u8] },
    Made { level: i8, has_checksum: bool, damage: [Option<Damage>; 3], parts: Vec<Part<'a>> },
}

fn made(level: i8, has_checksum: bool, plain: &[u8]) -> Vec<u8> {
    let mut context = CCtx::create();
    let parameters =
        [CParameter::CompressionLevel(i32::from(level) % 20), CParameter::ChecksumFlag(has_checksum)];
    for parameter in parameters {
        context.set_parameter(parameter).unwrap();
    }
    let mut coded = vec![0; zstd_safe::compress_bound(plain.len())];
    let len = context.compress2(&mut coded[..], plain).unwrap();
    coded.truncate(len);
    coded
}

/// What a build of the decoder makes of a frame that is in memory, and of one that arrives in pieces. Which of several
/// errors is seen first depends on the build.
#[cfg(fuzzing)]
macro_rules! outcome {
    ($zstd:ident, $coded:expr) => {{
        use $zstd::{Format, FrameDecoder, Pause, StreamDecoder};
        let mut whole = vec![0; PLAIN_MAX];
        let frame = FrameDecoder::new().decode($coded, &mut whole);
        whole.truncate(frame.as_ref().map_or(0, |frame| frame.plain_len));
        let (mut stream, mut plain) = (StreamDecoder::new(Format::Magic, None, 8 << 20), Vec::new());
        let mut rest: &[u8] = $coded;
        let end = loop {
            let progress = stream.feed(&rest[..rest.len().min(1000)]);
            plain.extend_from_slice(if progress.is_ok() { stream.fresh() } else { &[] });
            match progress {
                Ok(progress) if progress.pause == Pause::Input && rest.is_empty() => break Ok(progress),
                Ok(progress) if matches!(progress.pause, Pause::End { .. }) => break Ok(progress),
                Ok(progress) => rest = &rest[progress.read..],
                error => break error,
            }
            if plain.len() > PLAIN_MAX {
                break stream.feed(&[]);
            }
        };
        (frame.ok().map(|frame| format!("{frame:?}")), end.ok().map(|end| format!("{end:?}")), whole, plain)
    }};
}

/// Decodes with both. Returns whether our decoder accepts the frame.
fn compare(coded: &[u8]) -> bool {
    #[cfg(fuzzing)]
    {
        let (fast, safe) = (outcome!(pzcomp_zstd, coded), outcome!(pzcomp_zstd_safe, coded));
        assert_eq!((&fast.0, &fast.1), (&safe.0, &safe.1));
        assert!(fast == safe);
    }
    let mut plain = vec![0; PLAIN_MAX];
    let Ok(frame) = FrameDecoder::new().decode(coded, &mut plain) else { return false };
    let mut context = zstd_safe::DCtx::create();
    // Our decoder leaves the checksum to its caller.
    context.set_parameter(zstd_safe::DParameter::ForceIgnoreChecksum(true)).unwrap();
    let mut theirs = vec![0; PLAIN_MAX];
    let len = context.decompress(&mut theirs[..], &coded[..frame.coded_len]);
    // The format has windows that libzstd refuses: the descriptor states one of 4 GiB or more.
    if coded[4] & 0x20 == 0 && coded[5] >> 3 > 21 {
        return true;
    }
    assert_eq!(len, Ok(frame.plain_len));
    assert!(theirs[..frame.plain_len] == plain[..frame.plain_len]);
    true
}

fuzz_target!(|case: Case| match case {
    Case::Bytes { bytes } => {
        compare(&[&pzcomp_zstd::MAGIC.to_le_bytes()[..], bytes].concat());
    }
    Case::Made { level, has_checksum, damage, parts } => {
        let mut plain = Vec::new();
        parts.iter().take(4).for_each(|part| part.append(&mut plain, PLAIN_MAX / 4));
        let mut coded = made(level, has_checksum, &plain);
        assert!(compare(&coded));
        if damage.iter().flatten().next().is_some() {
            damage.iter().flatten().for_each(|damage| damage.apply(&mut coded));
            compare(&coded);
        }
    }
});
