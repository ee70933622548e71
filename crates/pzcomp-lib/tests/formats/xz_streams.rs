//! What the Indexes of an xz file say, whatever has become of the file.
//!
//! There is no peer here: files are made with `small` options, put together, cut and damaged, and `xz_streams` must say
//! what is left. The tables that are made of it are compared with xz in `tests/scenes/xz/list.rs`.

use std::io::{Seek, Write};

use crate::common::{compress, plain, small};
use pzcomp::inspect::{XzStream, xz_streams};
use pzcomp::{Format, Result};

fn streams_of(bytes: &[u8]) -> Result<Vec<XzStream>> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    xz_streams(&file)
}

#[test]
fn streams_and_blocks_add_up_to_the_file() {
    let data = plain::text(150_000);
    let coded = compress(&data, &small(Format::Xz));
    let nothing = compress(b"", &small(Format::Xz));
    let file = [&coded[..], &[0; 8], &nothing, &coded, &[0; 4]].concat();
    let streams = streams_of(&file).unwrap();
    assert_eq!(streams.iter().map(|stream| stream.padding).collect::<Vec<_>>(), [8, 0, 4]);
    assert_eq!(streams.iter().map(|stream| stream.blocks.len()).collect::<Vec<_>>(), [4, 0, 4]);
    let mut offset = 0;
    for stream in &streams {
        assert_eq!((stream.offset, stream.check), (offset, "CRC64"));
        offset += stream.coded_len + stream.padding;
    }
    assert_eq!(offset, file.len() as u64);
    let plain_len: u64 = streams[2].blocks.iter().map(|block| block.plain_len).sum();
    assert_eq!(plain_len, data.len() as u64);
}

#[test]
fn damage_to_what_is_not_data_is_found() {
    let coded = compress(&plain::text(90_000), &small(Format::Xz));
    for cut in 0..coded.len() {
        assert!(streams_of(&coded[..cut]).is_err(), "cut to {cut} of {}", coded.len());
    }
    // The Stream Footer says how long the Index before it is.
    let footer = coded.len() - 12;
    let index_len = 4 * (u32::from_le_bytes(coded[footer + 4..footer + 8].try_into().unwrap()) as usize + 1);
    for at in (0..12).chain(footer - index_len..coded.len()) {
        for bit in 0..8 {
            let mut damaged = coded.clone();
            damaged[at] ^= 1 << bit;
            assert!(streams_of(&damaged).is_err(), "bit {bit} of byte {at} of {}", coded.len());
        }
    }
}
