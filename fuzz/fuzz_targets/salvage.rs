//! Salvage of any bytes: no panic, work within the bounds of `SalvageEffort`, and output of whole intact units only.
//!
//! The input is bytes as they are, bytes that are repeated, with or without an intact file before and behind them, or a
//! file of several units with damage. All units have the same plain length and differ in their data. So each verified
//! range of the output must consist of whole units.

#![cfg_attr(fuzzing, no_main)]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pzcomp::salvage::{Salvage, SalvageEffort};
use pzcomp::{Decode, Encode, Format, Input, Output};
use pzcomp_fuzz::Damage;

/// Plain length of a unit.
const UNIT_LEN: usize = 4096;

/// Longer input is not made.
const LEN_MAX: usize = 64 << 10;

static PLAIN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    (0..12 * UNIT_LEN as u32 / 4)
        .flat_map(|number| (number / 7 * number % 251 + (number << 8)).to_le_bytes())
        .collect()
});

/// A file of each format that is written, without an index and with it.
static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let formats =
        [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Bzip2, Format::Lzip, Format::Snappy];
    let file = |format, index| {
        let options = Encode::builder(format).level(1).block_size(UNIT_LEN).index(index).build().unwrap();
        pzcomp::compress(&PLAIN, &options).unwrap()
    };
    formats.iter().flat_map(|&format| [file(format, false), file(format, true)]).collect()
});

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes(&'a [u8]),
    Repeated { piece: &'a [u8], times: u16, file: Option<u8> },
    Damaged { file: u8, damage: [Option<Damage>; 6] },
}

fn file(number: u8) -> &'static [u8] {
    &FILES[usize::from(number) % FILES.len()]
}

fuzz_target!(|case: Case| {
    let (coded, is_file) = match case {
        Case::Bytes(bytes) => (bytes.to_vec(), false),
        Case::Repeated { piece, times, file: number } => {
            let around = number.map_or(&[][..], file);
            let times = usize::from(times).min(LEN_MAX / piece.len().max(1));
            ([around, &piece.repeat(times), around].concat(), false)
        }
        Case::Damaged { file: number, damage } => {
            let mut coded = file(number).to_vec();
            damage.iter().flatten().for_each(|damage| damage.apply(&mut coded));
            (coded, true)
        }
    };
    let (mut back, mut effort) = (Vec::new(), SalvageEffort::default());
    let options = Salvage::new(&Decode::builder().threads(1).build().unwrap());
    let output = Output::Writer(Box::new(&mut back));
    let report = options.run_with_effort(Input::Memory(&coded), output, &mut effort);
    let len = coded.len() as u64;
    assert!(effort.examined <= SalvageEffort::examined_max(len), "{effort:?} of {len} bytes");
    assert!(effort.made <= SalvageEffort::made_max(len, back.len() as u64), "{effort:?} of {len} bytes");
    let Ok(report) = report else { return };
    assert_eq!(report.written, back.len() as u64);
    if !is_file || report.unchecked_frames > 0 || report.is_whole() {
        return;
    }
    for kept in &report.kept {
        let range = kept.output.start as usize..kept.output.end as usize;
        for unit in back[range].chunks(UNIT_LEN) {
            let is_unit = PLAIN.chunks(UNIT_LEN).any(|right| right == unit);
            assert!(is_unit, "{} bytes that no unit holds: {report:?}", unit.len());
        }
    }
});
