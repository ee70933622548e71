//! Files with recovery records: any bytes, as a file, and as the records beside one.
//!
//! Whatever the bytes are, mending must end, stay inside them, and say the same with and without an output. If it says
//! that nothing is damaged, the output is the input, and if it says that all can be mended, the output is as long. The
//! build without unsafe loops makes the same records.

#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;
use pzcomp::Decode;
use pzcomp::recovery::Repair;

/// The records that a build makes of some bytes, in groups of the shortest span, with half as much parity as data.
#[cfg(fuzzing)]
macro_rules! records {
    ($recovery:ident, $bytes:expr) => {{
        use $recovery::{Envelope, SPAN_MIN, Settings, Share, protect};
        let share = Share::per_mille(500).unwrap();
        let settings = Settings { share, span: SPAN_MIN, envelope: Envelope::Bare };
        let mut records = Vec::new();
        let put = |record: &[u8]| {
            records.extend_from_slice(record);
            Ok(())
        };
        protect($bytes, settings, std::num::NonZeroUsize::MIN, put).unwrap();
        records
    }};
}

fn compare(repair: &Repair<'_>, data: &[u8]) {
    let mut mended = Vec::new();
    let (examined, report) = (repair.examine(data).unwrap(), repair.run(data, &mut mended).unwrap());
    assert_eq!(examined, report);
    if report.has_records() && report.is_intact() {
        assert!(mended == data);
    }
    if report.is_mendable() {
        assert_eq!(mended.len() as u64, report.whole_len);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let options = Decode::default();
    compare(&Repair::new(&options), bytes);
    let (data, records) = bytes.split_at(bytes.len() / 2);
    compare(&Repair::new(&options).beside(records), data);
    #[cfg(fuzzing)]
    assert!(records!(pzcomp_recovery, bytes) == records!(pzcomp_recovery_safe, bytes));
});
