//! DEFLATE: libdeflate against flate2 with zlib-rs.
//!
//! [`contests`] takes the data and returns a contest for each level and for decompression. Both libraries decode the
//! members of libdeflate.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor, Decompressor};

use crate::Result;
use crate::contest::{Contest, timed};

const OURS: &str = "libdeflate";
const OTHER: &str = "flate2 with zlib-rs";

/// Members of 1 MiB, as pzcomp writes them.
const CHUNK_LEN: usize = 1 << 20;

pub fn contests(data: &[u8]) -> Result<Vec<Contest<'_>>> {
    let mut contests = Vec::new();
    for level in [6, 9] {
        contests.push(Contest {
            work: format!("gzip -{level}"),
            ours: (OURS, Box::new(move || timed(|| Ok(compressed(data, level)?.iter().map(Vec::len).sum())))),
            other: (
                OTHER,
                Box::new(move || {
                    timed(|| {
                        let mut size = 0;
                        for chunk in data.chunks(CHUNK_LEN) {
                            let mut encoder =
                                GzEncoder::new(Vec::with_capacity(CHUNK_LEN), Compression::new(level as u32));
                            encoder.write_all(chunk)?;
                            size += encoder.finish()?.len();
                        }
                        Ok(size)
                    })
                }),
            ),
        });
    }
    let members = compressed(data, 6)?;
    let same = members.clone();
    contests.push(Contest {
        work: "gzip -d".into(),
        ours: (
            OURS,
            Box::new(move || {
                timed(|| {
                    let (mut decompressor, mut plain) = (Decompressor::new(), vec![0; CHUNK_LEN]);
                    let mut size = 0;
                    for member in &members {
                        size += decompressor.gzip_decompress(member, &mut plain)?;
                    }
                    Ok(size)
                })
            }),
        ),
        other: (
            OTHER,
            Box::new(move || {
                timed(|| {
                    let mut plain = vec![0; CHUNK_LEN + 1];
                    let mut size = 0;
                    for member in &same {
                        let mut decoder = GzDecoder::new(&member[..]);
                        loop {
                            match decoder.read(&mut plain)? {
                                0 => break,
                                len => size += len,
                            }
                        }
                    }
                    Ok(size)
                })
            }),
        ),
    });
    Ok(contests)
}

/// The data as gzip members, by libdeflate.
fn compressed(data: &[u8], level: i32) -> Result<Vec<Vec<u8>>> {
    let level = CompressionLvl::new(level).map_err(|_| "libdeflate does not have this level")?;
    let mut compressor = Compressor::new(level);
    let compress = |chunk: &[u8]| {
        let mut member = vec![0; compressor.gzip_compress_bound(chunk.len())];
        let len = compressor.gzip_compress(chunk, &mut member)?;
        member.truncate(len);
        Ok(member)
    };
    data.chunks(CHUNK_LEN).map(compress).collect()
}
