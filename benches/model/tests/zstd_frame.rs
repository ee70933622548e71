//! One zstd frame on several cores: the arithmetic on round numbers, and the measurement of the steps on a real frame.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

use model::load::{Chain, FrameLimit, FrameSteps};
use model::stages::{ZstdStages, zstd_stages};
use pzcomp::Encode;
use pzcomp::bench::text;

/// 8 s in all for a byte, of which 2 are in the chain.
const STEPS: FrameSteps =
    FrameSteps { reading: 0.5, headers: 0.25, stage_one: 5.0, stage_two: 2.0, checksum: 0.25 };

#[test]
fn the_chain_limits_the_speed_from_some_number_of_cores_on() {
    assert_eq!((STEPS.cpu(), STEPS.chain(Chain::StageTwo)), (8.0, 2.0));
    assert_eq!(STEPS.on(1, Chain::StageTwo), (0.125, FrameLimit::Cores));
    assert_eq!(STEPS.on(2, Chain::StageTwo), (0.25, FrameLimit::Cores));
    assert_eq!(STEPS.saturation(Chain::StageTwo), 4.0);
    for cores in [5, 8, 16, 128] {
        assert_eq!(STEPS.on(cores, Chain::StageTwo), (0.5, FrameLimit::Chain), "{cores} cores");
    }
}

#[test]
fn a_step_that_joins_the_chain_moves_the_limit_and_no_work() {
    let chain = Chain::WithChecksum;
    assert_eq!(STEPS.chain(chain), 2.25);
    assert_eq!(STEPS.on(128, chain), (1.0 / 2.25, FrameLimit::Chain));
    assert_eq!(STEPS.saturation(chain), 8.0 / 2.25);
    assert_eq!(STEPS.on(2, chain), STEPS.on(2, Chain::StageTwo), "two cores have other work");
}

#[test]
fn checksum_and_headers_are_limits_of_their_own() {
    let slow = FrameSteps { checksum: 4.0, ..STEPS };
    assert_eq!(slow.on(128, Chain::StageTwo), (0.25, FrameLimit::Checksum));
    let slow = FrameSteps { headers: 8.0, ..STEPS };
    assert_eq!(slow.on(128, Chain::StageTwo), (0.125, FrameLimit::Headers));
}

/// An ordinary frame.
fn frame(plain: &[u8]) -> Vec<u8> {
    let options = Encode::zstd(3).threads(1).block_size(plain.len()).build().unwrap();
    pzcomp::compress(plain, &options).unwrap()
}

#[test]
fn every_step_of_a_frame_is_measured() {
    let plain = text(12 << 20, 1);
    let ZstdStages { alone, shared, counts } = zstd_stages(&frame(&plain), &plain).unwrap();
    for steps in [alone, shared] {
        let FrameSteps { headers, stage_one, stage_two, checksum, .. } = steps;
        for cost in [headers, stage_one, stage_two, checksum] {
            assert!(cost > 0.0, "{steps:?}");
        }
    }
    assert!(counts.sequences > 0.0 && counts.sequences < 0.5, "{counts:?}");
    assert!(counts.literals > 0.0 && counts.literals < 1.0, "{counts:?}");
}

#[test]
fn what_is_no_ordinary_frame_is_refused() {
    let plain = text(3 << 20, 2);
    let coded = frame(&plain);
    assert!(zstd_stages(&coded, &plain[1..]).is_err(), "other data");
    assert!(zstd_stages(&coded[..coded.len() / 2], &plain).is_err(), "cut off");
    assert!(zstd_stages(b"no frame", &plain).is_err());
    assert!(zstd_stages(&[], &plain).is_err());
}
