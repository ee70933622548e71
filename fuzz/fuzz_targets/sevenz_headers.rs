//! Headers of 7z archives: any bytes.
//!
//! Whatever the bytes are, the parser must stay inside them and inside its budget of memory. What it accepts must be
//! consistent: each file with data has a stream, and the streams of a folder fill its plain data.

#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;
use pzcomp_sevenz::{Error, NextHeader, SignatureHeader};

const MEMORY: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    if let Some(start) = bytes.first_chunk() {
        let _ = SignatureHeader::parse(start);
    }
    let parsed = NextHeader::parse(bytes, MEMORY);
    // More memory makes a difference only if there was too little.
    if parsed != Err(Error::Memory) {
        assert!(parsed == NextHeader::parse(bytes, 2 * MEMORY));
    }
    match parsed {
        Ok(NextHeader::Directory(directory)) => {
            let with_data = directory.files.iter().filter(|file| file.has_stream).count();
            assert_eq!(with_data, directory.streams.len());
            let mut streams = directory.streams.iter();
            for folder in &directory.folders {
                let plain_len: u64 =
                    streams.by_ref().take(folder.streams).map(|stream| stream.plain_len).sum();
                assert!(plain_len == folder.plain_len || folder.streams == 0);
                assert!(folder.packed_offset.checked_add(folder.packed_len).is_some());
                assert!(!folder.coders.is_empty() && folder.packed_streams > 0);
            }
            assert!(streams.next().is_none());
        }
        Ok(NextHeader::Packed(folder)) => assert!(!folder.coders.is_empty()),
        Err(Error::Invalid { offset, .. } | Error::Unsupported { offset, .. }) => {
            assert!(offset <= bytes.len())
        }
        Err(Error::Memory) => {}
    }
});
