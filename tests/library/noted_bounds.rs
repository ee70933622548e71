//! Random reads of hostile gzip without an index: a pass that notes points has bounds, and ends where decoding in order
//! ends.

use pzcomp::{Decompress, Format, Layout, Member, Options, Seekable, Unknown};

use crate::common::{compress, plain};

/// Each member has a point without a window, so a limit for windows alone would not bound them.
#[test]
fn points_of_short_members_take_bounded_memory() {
    let layout = Layout::Single(Member::default());
    let member =
        compress(b"three more", &with!(Options { format: Format::Gzip, layout, ..Options::default() }));
    let options = with!(Options { memory: Some(64 << 20), ..Options::default() });
    let seekable = Seekable::with_options(member.repeat(250_000), &options).unwrap();
    let mut found = [0; 10];
    assert_eq!(seekable.read_at(&mut found, 2_499_995).unwrap(), 5);
    assert!(found.starts_with(b" more"));
    assert_eq!(seekable.read_at(&mut found, 2_500_000).unwrap(), 0);
    // A quarter of the memory has no room for all of them. Members behind the last point were decoded in order.
    assert!(seekable.noted_index().unwrap().is_none());
}

#[test]
fn zeros_behind_members_are_data_if_unknown_bytes_are_copied() {
    let layout = Layout::Single(Member::default());
    let options = with!(Options { format: Format::Gzip, layout, level: Some(1), ..Options::default() });
    let mut coded = compress(&plain::text(3_000_000), &options);
    coded.extend([0; 5000]);
    for unknown in [Unknown::Refuse, Unknown::Ignore, Unknown::Copy, Unknown::CopyWhole] {
        let options = with!(Options { unknown, ..Options::default() });
        let mut expected = Vec::new();
        Decompress::new(&options).run(&coded, &mut expected).unwrap();
        let seekable = Seekable::with_options(coded.clone(), &options).unwrap();
        for offset in [2_999_990, 1_500_000, 3_004_990, 3_010_000] {
            let mut found = vec![1; 10_000];
            let read = seekable.read_at(&mut found, offset).unwrap();
            let start = expected.len().min(offset as usize);
            let right = &expected[start..expected.len().min(start + 10_000)];
            assert!(found[..read] == *right, "{unknown:?}: {read} bytes at {offset}");
        }
        assert_eq!(seekable.measure().unwrap(), expected.len() as u64, "{unknown:?}");
    }
}
