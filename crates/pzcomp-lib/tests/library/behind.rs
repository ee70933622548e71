//! Zeros behind the last frame: `Seekable` and `Index` must treat them as decompression in order does, which is the
//! peer.

use pzcomp::{Decode, Error, Format, Index, Seekable, Unknown};

use crate::common::{compress, pipe, plain, small};

const UNKNOWN: [Unknown; 5] =
    [Unknown::Refuse, Unknown::Ignore, Unknown::IgnoreAsGzip, Unknown::Copy, Unknown::CopyWhole];

/// Reads everything, and beyond the end.
fn read_all(seekable: &Seekable<Vec<u8>>) -> std::io::Result<Vec<u8>> {
    let (mut found, mut part) = (Vec::new(), vec![0; 70_000]);
    loop {
        match seekable.read_at(&mut part, found.len() as u64)? {
            0 => return Ok(found),
            len => found.extend_from_slice(&part[..len]),
        }
    }
}

/// Coded data of each format, and of tools that write no lists of frames.
fn files(data: &[u8]) -> Vec<(String, Vec<u8>)> {
    let tools = ["gzip -1", "bzip2 -1", "xz -0", "zstd -q -1", "lz4 -q"];
    let mut files: Vec<_> = tools.iter().map(|tool| (tool.to_string(), pipe(tool, data))).collect();
    files.extend(Format::all().map(|format| (format.to_string(), compress(data, &small(format)))));
    files
}

#[test]
fn zeros_behind_the_last_frame_mean_the_same_as_in_order() {
    let data = plain::text(100_000);
    let mut wrong = Vec::new();
    for (name, coded) in files(&data) {
        for zeros in [1, 4, 6, 5000] {
            let all = [&coded[..], &vec![0; zeros]].concat();
            for unknown in UNKNOWN {
                let options = decode!(Decode::builder(), unknown, threads: 2);
                let expected = pzcomp::decompress(&all, &options);
                let seekable = Seekable::with_options(all.clone(), &options);
                let found = seekable.map_err(Into::into).and_then(|seekable| read_all(&seekable));
                if expected.as_ref().ok() != found.as_ref().ok() {
                    let said = [
                        expected.as_ref().err().map(ToString::to_string),
                        found.err().map(|error| error.to_string()),
                    ];
                    wrong.push(format!("{name}, {zeros} zeros, {unknown:?}: {said:?}"));
                }
                let by_index = match Index::build_with_interval(&all, 40_000, &options) {
                    Ok(index) => read_all(&Seekable::with_index(all.clone(), index, &options).unwrap()),
                    // No index has bytes that are copied, or a place inside a lone frame.
                    Err(Error::Unsupported { .. } | Error::TrailingGarbage { .. }) => continue,
                    Err(error) => Err(error.into()),
                };
                if expected.as_ref().ok() != by_index.as_ref().ok() {
                    wrong.push(format!(
                        "{name}, {zeros} zeros, {unknown:?}, by an index: {:?}",
                        by_index.err()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
