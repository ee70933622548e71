//! The list of the members of a tar archive in an index: made by decoding the file in order, and compared with it.

use std::io::{self, Write};

use crate::decompress::decompress_io;
use crate::error::{Error, Result};
use crate::options::Decode;
use crate::tar_list::{Listing, Scan, Walk};
use engine::io::{Input, Output, RandomAccess, ReadAt};
use pzcomp_records::Envelope;

/// How many plain bytes tell whether the data is an archive.
const HEAD_LEN: u64 = 512;

/// The records of the list of a file with so many plain bytes. None if the data is no whole archive.
pub(super) fn records(source: &dyn ReadAt, plain_len: u64, options: &Decode) -> Result<Vec<u8>> {
    if plain_len < HEAD_LEN {
        return Ok(Vec::new());
    }
    let listing = Listing::new(options.memory);
    let mut sink = Sink { scan: Scan::new(Some(listing.clone()), false), passed: 0 };
    let input = Input::At { source, start: 0, end: RandomAccess::Source(source).len(0)? };
    let options = Decode { max_output: None, ..options.clone() };
    match decompress_io(input, Output::writer(&mut sink), &options) {
        // The sink takes no more of data that is no archive.
        Err(Error::Write { .. }) => return Ok(Vec::new()),
        done => done?,
    };
    sink.scan.end(sink.passed)?;
    Ok(listing.records(plain_len, Envelope::Bare).concat())
}

/// Compares a list, whose records are in `place`, with the data of its file.
pub(super) fn verify(
    list: &Walk,
    place: &dyn ReadAt,
    source: &dyn ReadAt,
    plain_len: u64,
    options: &Decode,
) -> Result<()> {
    let records = records(source, plain_len, options)?;
    let found = Walk::in_records(RandomAccess::Memory(&records), 0..records.len() as u64, plain_len)?;
    let wrong = || Error::index("the list of members in it is not that of the tar archive");
    let (mut found, mut listed) = (found.ok_or_else(wrong)?, list.again());
    let (mut one, mut other) = (Vec::new().into_iter(), Vec::new().into_iter());
    loop {
        if one.len() == 0 {
            one = found.next(RandomAccess::Memory(&records))?.into_iter();
        }
        if other.len() == 0 {
            other = listed.next(RandomAccess::Source(place))?.into_iter();
        }
        match (one.next(), other.next()) {
            (None, None) => return Ok(()),
            (one, other) if one != other => return Err(wrong()),
            _ => {}
        }
    }
}

/// Takes plain data, and refuses more if it is no archive.
struct Sink {
    scan: Scan,
    passed: u64,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.scan.see(self.passed, bytes)?;
        self.passed += bytes.len() as u64;
        if self.passed >= HEAD_LEN && !self.scan.is_tar() {
            return Err(io::Error::other("no tar archive"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
