//! The stages of decoding a gzip file: their times are plausible, and their output is the plain data.
//!
//! The files come from flate2. `gzip_stages` itself compares all output with the plain data, so a test that gets times
//! has also seen the right bytes.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

use std::io::Write;

use flate2::{Compression, GzBuilder};

use model::stages::gzip_stages;
use pzcomp::Result;
use pzcomp::bench::text;
use pzcomp::internals::PART_LEN;

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::new(6));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_stage_is_measured() -> Result<()> {
    let plain = text(16 << 20, 1);
    let coded = gzip(&plain);
    let found = gzip_stages(&coded, &plain)?;
    assert!(found.part_coded_len >= PART_LEN as f64 && found.part_len > found.part_coded_len, "{found:?}");
    for share in [found.searched, found.marked, found.markers] {
        assert!(share > 0.0 && share <= 1.0, "{found:?}");
    }
    for cost in
        [found.search, found.bytes, found.symbols, found.replace, found.crc, found.windows, found.join]
    {
        assert!(cost > 0.0, "{found:?}");
    }
    // Such text does not become long enough to be left.
    assert_eq!((found.with_rest, found.replaced_first, found.rest), (0.0, 0.0, 0.0), "{found:?}");
    Ok(())
}

#[test]
fn what_becomes_too_long_is_left_until_the_window_is_there() -> Result<()> {
    // What repeats a little becomes some ten times as long.
    let plain: Vec<u8> = text(8 << 20, 3).chunks(32).flat_map(|part| part.repeat(12)).collect();
    let found = gzip_stages(&gzip(&plain), &plain)?;
    assert!(found.with_rest > 0.0 && found.with_rest <= 1.0, "{found:?}");
    assert!(found.rest > 0.0 && found.replaced_first > 0.0, "{found:?}");
    assert!(found.rest + found.replaced_first <= 2.0 * found.part_len * 1.01, "{found:?}");
    Ok(())
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let plain = text(16 << 20, 2);
    let coded = gzip(&plain);
    assert!(gzip_stages(&gzip(&plain[..1000]), &plain[..1000]).is_err(), "too short");
    assert!(gzip_stages(&coded, &plain[1..]).is_err(), "other data");
}
