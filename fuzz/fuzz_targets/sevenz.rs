//! 7z archives: any bytes.
//!
//! The list takes bounded memory, and the data that is given out is as long as the list says. The command is no
//! library, so its reader of archives is compiled here once more.

#![no_main]

#[path = "../../src/sevenz/archive.rs"]
mod archive;

use std::io::{Cursor, Error, ErrorKind};

use libfuzzer_sys::fuzz_target;
use pzcomp::EntryChoice;

fuzz_target!(|bytes: &[u8]| {
    let mut place = Cursor::new(bytes);
    let Ok(archive) = archive::SevenZ::read(&mut place, 1100, &EntryChoice::All) else { return };
    let mut len = 0;
    let done = archive.decode(place, 64 << 10, &mut |piece| {
        len += piece.len() as u64;
        if len > 16 << 20 { Err(Error::from(ErrorKind::BrokenPipe).into()) } else { Ok(()) }
    });
    if done.is_ok() {
        assert_eq!(len, archive.entries.iter().map(|entry| entry.plain_len).sum::<u64>());
    }
});
