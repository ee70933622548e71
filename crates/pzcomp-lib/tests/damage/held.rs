//! Frames that state at most 4 MiB and carry a check are held until they are verified: nothing of a damaged one is
//! written, however its input comes and on any number of threads.
//!
//! There is no peer. `nothing_of_damaged_frames_leaves` damages each frame of a file in turn; call it with the frames
//! of another layout or tool to add a case.

use crate::common::outcome::{Outcome, dribbled, from_file, from_memory};
use crate::common::plain::{self, Random};
use crate::common::{compress, flipped, is_exhaustive, pipe};
use pzcomp::{Check, Encode, Error, Format, Layout};

/// What comes of coded data in every way that reads differently. `PZCOMP_EXHAUSTIVE` adds more threads, which differ
/// little from two.
fn outcomes(coded: &[u8]) -> Vec<(String, Outcome)> {
    let mut outcomes = Vec::new();
    for threads in [1, 2, 4] {
        let is_some = threads == 4 && !is_exhaustive();
        outcomes.push((format!("memory on {threads}"), from_memory(coded, threads)));
        if !is_some {
            outcomes.push((format!("a file on {threads}"), from_file(coded, threads)));
        }
        for step in [3000, 100_000, usize::MAX].into_iter().take(if is_some { 1 } else { 3 }) {
            outcomes.push((format!("steps of {step} on {threads}"), dribbled(coded, threads, step)));
        }
    }
    outcomes
}

/// Damages one bit at many places. Output must end where a frame does, and hold nothing but right bytes.
fn nothing_of_damaged_frames_leaves(what: &str, plain: &[u8], coded: &[u8], frame_len: usize) {
    let mut random = Random(coded.len() as u64);
    for (from, (back, result)) in outcomes(coded) {
        assert!(result.is_ok() && back == plain, "{what} from {from}: {result:?}");
    }
    let tries = if plain.len() > 1 << 20 { 3 } else { 8 };
    for _ in 0..tries {
        let (at, bit) = (random.below(coded.len() as u64) as usize, random.below(8));
        let damaged = flipped(coded, at, 1 << bit);
        let mut first = None;
        for (from, (back, result)) in outcomes(&damaged) {
            let context = format!("{what} from {from}, bit {bit} of byte {at} of {}", coded.len());
            assert!(plain.starts_with(&back), "{context}: wrong bytes among {}", back.len());
            let Err(error) = result else {
                assert!(back == plain, "{context}: {} bytes reported as good", back.len());
                continue;
            };
            // A chunk of Snappy has at most 64 KiB, so there may be several in what was coded at once.
            let in_frame = back.len() % frame_len % if what == "snappy" { 64 << 10 } else { frame_len };
            let is_end = in_frame == 0 || back.len() == plain.len();
            assert!(is_end, "{context}: {} bytes, which is inside a frame: {error}", back.len());
            let told = error.to_string();
            assert_eq!(*first.get_or_insert(told.clone()), told, "{context}");
        }
    }
}

/// The formats whose frames state their length.
fn held() -> impl Iterator<Item = Format> {
    Format::all().filter(|format| *format != Format::Bzip2)
}

#[test]
fn damaged_frames_of_every_format_are_held() {
    let plain = plain::text(500_000);
    for format in held() {
        for frame_len in [100_000, 300_000] {
            let options = encode!(Encode::builder(format), level: 1, block_size: frame_len);
            let coded = compress(&plain, &options);
            nothing_of_damaged_frames_leaves(format.name(), &plain, &coded, frame_len);
        }
    }
}

#[test]
fn damaged_frames_of_every_layout_are_held() {
    let plain = plain::text(400_000);
    for (what, layout, format, frame_len) in
        [("bgzf", Layout::Bgzf, Format::Gzip, 65_280), ("pzstd", Layout::Pzstd, Format::Zstd, 100_000)]
    {
        let is_cut = layout == Layout::Pzstd;
        let options = Encode::builder(format).layout(layout).level(1);
        let options = encode!(if is_cut { options.block_size(frame_len) } else { options });
        let coded = compress(&plain, &options);
        nothing_of_damaged_frames_leaves(what, &plain, &coded, frame_len);
    }
    for check in [Check::Crc32, Check::Sha256] {
        let options = encode!(Encode::builder(Format::Xz), check: check, level: 0);
        let coded = compress(&plain, &encode!(options, block_size: 100_000));
        nothing_of_damaged_frames_leaves("xz with another check", &plain, &coded, 100_000);
    }
}

/// The issue that this guards against: frames of 2 MiB, as pzcomp writes them by default, were written again by the
/// decoder that explains the error.
#[test]
fn damaged_frames_of_megabytes_are_held() {
    let plain = plain::text(5 << 20);
    for (format, frame_len) in [(Format::Zstd, 2 << 20), (Format::Lz4, 1 << 20), (Format::Gzip, 1 << 20)] {
        let coded = compress(&plain, &encode!(Encode::builder(format), level: 1));
        nothing_of_damaged_frames_leaves(format.name(), &plain, &coded, frame_len);
    }
}

#[test]
fn damaged_frames_of_other_tools_are_held() {
    let plain = plain::text(300_000);
    let zstd = pipe("zstd -q --stream-size=300000", &plain);
    nothing_of_damaged_frames_leaves("zstd", &plain, &zstd, plain.len());
    for options in ["-B4 --content-size", "-BD -B4 --content-size", "-B7 -BX --content-size"] {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &plain).unwrap();
        let coded = pipe(&format!("lz4 -q -c {options} {}", file.path().display()), b"");
        nothing_of_damaged_frames_leaves(&format!("lz4 {options}"), &plain, &coded, plain.len());
    }
}

/// The error says that nothing of the frame is written.
#[test]
fn the_error_says_that_nothing_is_written() {
    let plain = plain::text(300_000);
    for format in held() {
        let options = encode!(Encode::builder(format), level: 1, block_size: 100_000);
        let mut coded = compress(&plain, &options);
        let middle = coded.len() / 2;
        coded[middle] ^= 0x10;
        for (from, (_, result)) in outcomes(&coded) {
            let error = result.expect_err(&from);
            assert!(matches!(error, Error::Corrupt { is_held: true, .. }), "{format} from {from}: {error}");
            assert!(error.to_string().contains("nothing of that frame is written"), "{error}");
        }
    }
}

/// Frames that have more or fewer bytes than they state are refused, without a byte of them.
#[test]
fn frames_that_state_another_length_are_held() {
    let plain = plain::text(3 << 20);
    let coded = compress(&plain, &encode!(Encode::builder(Format::Zstd), block_size: 4 << 20));
    // The content size of four bytes follows magic number, descriptor and window.
    let at = 4 + 1 + usize::from(coded[4] & 0x20 == 0);
    let mut lying = coded.clone();
    for stated in [0_u32, 1 << 20, (3 << 20) - 1, (3 << 20) + 1] {
        lying[at..at + 4].copy_from_slice(&stated.to_le_bytes());
        for (from, (back, result)) in outcomes(&lying) {
            assert!(
                result.is_err() && back.is_empty(),
                "{stated} from {from}: {} bytes, {result:?}",
                back.len()
            );
        }
    }
    let mut lying = compress(&plain, &encode!(Encode::builder(Format::Gzip), block_size: 4 << 20));
    let end = u32::from_le_bytes(lying[16..20].try_into().unwrap()) as usize;
    for stated in [0_u32, 1 << 20, (3 << 20) - 1, (3 << 20) + 1] {
        lying[end - 4..end].copy_from_slice(&stated.to_le_bytes());
        for (from, (back, result)) in outcomes(&lying) {
            assert!(
                result.is_err() && back.is_empty(),
                "{stated} from {from}: {} bytes, {result:?}",
                back.len()
            );
        }
    }
}

/// Output of an ordinary gzip member is written as far as the member goes, as gzip writes it.
#[test]
fn a_cut_member_that_states_no_length_is_written_as_far_as_it_goes() {
    let plain = plain::text(3 << 20);
    let coded = pipe("gzip -1", &plain);
    for (from, (back, result)) in outcomes(&coded[..coded.len() / 2]) {
        assert!(matches!(result, Err(Error::Truncated { .. })), "{from}: {result:?}");
        assert!(plain.starts_with(&back) && back.len() >= 1 << 20, "{from}: {} bytes", back.len());
    }
}
