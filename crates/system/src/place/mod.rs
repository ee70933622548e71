//! Bytes of a regular file at an offset, by any number of threads, and a second way to a file that is open.
//!
//! In: a file and an offset. The workers of the engine read and write files with it, and so does whatever looks into a
//! file. A read leaves the offset of the file alone, which others may use meanwhile. A write may move it: whoever
//! writes at offsets sets it when all is written.

use std::fs::File;
use std::io::{ErrorKind, Result};

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

#[cfg(all(windows, feature = "program"))]
pub(crate) use platform::forbid_writes;
pub use platform::{
    appends, is_bad_sector, is_only_written, lock, open_again, read_at, refusal_of_sector, write_at,
};

/// Fills the buffer. It is an error if the file ends before.
pub fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => (buffer, offset) = (&mut buffer[read..], offset + read as u64),
        }
    }
    Ok(())
}

/// Writes all of these bytes.
pub fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> Result<()> {
    while !bytes.is_empty() {
        match write_at(file, bytes, offset)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            wrote => (bytes, offset) = (&bytes[wrote..], offset + wrote as u64),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::{Read, Seek, Write};

    use super::*;

    #[test]
    fn reads_at_offsets_leave_the_offset_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = File::create_new(folder.path().join("one")).unwrap();
        file.write_all(&[7; 5000]).unwrap();
        let reader = File::open(folder.path().join("one")).unwrap();
        let mut found = [0; 10];
        read_exact_at(&reader, &mut found, 4990).unwrap();
        assert_eq!((found, (&reader).stream_position().unwrap()), ([7; 10], 0));
        assert_eq!(read_at(&reader, &mut found, 4995).unwrap(), 5);
        assert_eq!(read_at(&reader, &mut found, 5000).unwrap(), 0);
        assert_eq!(read_at(&reader, &mut found, 1 << 40).unwrap(), 0);
        let short = read_exact_at(&reader, &mut found, 4991).unwrap_err();
        assert_eq!((short.kind(), (&reader).stream_position().unwrap()), (ErrorKind::UnexpectedEof, 0));
    }

    #[test]
    fn reads_at_offsets_and_reads_in_order_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one");
        let data: Vec<u8> = (0..200_000_u32).map(|number| (number / 7) as u8).collect();
        std::fs::write(&path, &data).unwrap();
        let file = File::open(path).unwrap();
        std::thread::scope(|scope| {
            for start in [0_usize, 50_000, 123_456] {
                let (file, data) = (&file, &data);
                scope.spawn(move || {
                    for at in (start..data.len() - 100).step_by(997) {
                        let mut found = [0; 100];
                        read_exact_at(file, &mut found, at as u64).unwrap();
                        assert_eq!(found, data[at..at + 100]);
                    }
                });
            }
            let mut found = Vec::new();
            let mut buffer = [0; 1000];
            while let read @ 1.. = (&file).read(&mut buffer).unwrap() {
                found.extend_from_slice(&buffer[..read]);
            }
            assert!(found == data);
        });
    }

    #[test]
    fn a_file_that_nobody_else_may_open_is_read_and_written_at_offsets() {
        let mut file = tempfile::tempfile().unwrap();
        write_all_at(&file, b"morning", 13).unwrap();
        write_all_at(&file, b"three in the ", 0).unwrap();
        file.rewind().unwrap();
        let mut found = [0; 7];
        read_exact_at(&file, &mut found, 13).unwrap();
        assert_eq!((&found, file.stream_position().unwrap()), (b"morning", 0));
    }

    #[test]
    fn a_file_that_is_open_for_writing_only_is_read_by_a_second_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one");
        let mut writer = File::create(&path).unwrap();
        writer.write_all(b"three").unwrap();
        match open_again(&writer) {
            Ok(reader) => {
                let mut found = [0; 5];
                read_exact_at(&reader.unwrap(), &mut found, 0).unwrap();
                assert_eq!(&found, b"three");
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
        }
        let both = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        assert!(open_again(&both).unwrap().is_none());
    }

    #[test]
    fn a_lock_refuses_a_second_one_and_no_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"three").unwrap();
        assert!(lock(&file));
        let other = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        assert!(!lock(&other));
        let mut found = [0; 5];
        read_exact_at(&other, &mut found, 0).unwrap();
        assert_eq!(&found, b"three");
        drop(file);
        assert!(lock(&other));
    }

    #[test]
    fn files_for_appending_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one");
        assert!(!appends(&File::create(&path).unwrap()).unwrap());
        assert!(appends(&OpenOptions::new().append(true).open(&path).unwrap()).unwrap());
        assert!(!appends(&OpenOptions::new().read(true).write(true).open(&path).unwrap()).unwrap());
    }

    #[test]
    fn only_the_refusal_of_a_sector_is_one() {
        assert!(is_bad_sector(&refusal_of_sector()));
        assert!(!is_bad_sector(&ErrorKind::UnexpectedEof.into()));
        assert!(!is_bad_sector(&File::open("/there/is/no/such/file").unwrap_err()));
    }
}
