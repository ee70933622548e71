//! Sorting the suffixes of a block of bzip2 -9: libsais against its Rust port and against divsufsort.
//!
//! [`contests`] takes the data and returns a contest with each of the others. The block is the start of the data.

use libsais::SuffixArrayConstruction;

use crate::contest::{Contest, Party, timed};

const BLOCK_LEN: usize = 900_000;

pub fn contests(data: &[u8]) -> Vec<Contest<'_>> {
    let block = &data[..data.len().min(BLOCK_LEN)];
    let contest = |name, party| Contest {
        work: "sort a block of bzip2 -9".into(),
        ours: (
            "libsais",
            Box::new(move || {
                timed(|| {
                    let sort = SuffixArrayConstruction::for_text(block).in_owned_buffer32().single_threaded();
                    Ok(sort.run().map_err(|error| format!("libsais: {error:?}"))?.suffix_array().len())
                })
            }),
        ),
        other: (name, party),
    };
    let port: Party = Box::new(move || {
        timed(|| {
            let mut suffixes = vec![0; block.len()];
            match libsais_rs::libsais(block, &mut suffixes, 0, None) {
                0 => Ok(suffixes.len()),
                status => Err(format!("libsais-rs failed with {status}").into()),
            }
        })
    });
    let divsufsort: Party = Box::new(move || {
        timed(|| {
            let mut suffixes = vec![0; block.len()];
            cdivsufsort::sort_in_place(block, &mut suffixes);
            Ok(suffixes.len())
        })
    });
    vec![contest("libsais-rs", port), contest("divsufsort 2.0", divsufsort)]
}
