//! The store between two threads: before an input, and behind an output. Timed waits time out at any moment, or never.

use std::io::{self, ErrorKind, Read, Write};

use super::{explore, one_in, pattern, pick};
use crate::error::{Error, Result};
use crate::io::Input;
use crate::io::store::{before_input, behind_output};
use crate::sync::Timeouts;

/// An output that fails at a place, and notes flushes.
struct Target<'a> {
    written: &'a mut Vec<u8>,
    room: usize,
}

impl Write for Target<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        shuttle::thread::yield_now();
        if self.written.len() >= self.room {
            return Err(ErrorKind::StorageFull.into());
        }
        let len = bytes.len().min(1 + pick(2));
        self.written.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn behind() {
    let is_cancelled = one_in(4);
    // That a stream was cancelled is seen after a timeout only.
    let timeouts = if is_cancelled || one_in(2) { Timeouts::AtAnyMoment } else { Timeouts::Never };
    timeouts.set();
    let plain = pattern(9);
    let room = if one_in(3) { pick(9) } else { usize::MAX };
    let mut written = Vec::new();
    let target = Target { written: &mut written, room };
    let result: Result<()> = behind_output(
        Box::new(target),
        1 + pick(6),
        || is_cancelled,
        |mut writer| {
            let wrote = plain.chunks(1 + pick(4)).try_for_each(|part| {
                writer.write_all(part)?;
                if one_in(3) { writer.flush() } else { Ok(()) }
            });
            wrote.and_then(|()| writer.flush()).map_err(|source| Error::Write { offset: 0, source })
        },
    );
    match result {
        Ok(()) if is_cancelled => {}
        Ok(()) => assert_eq!(written, plain),
        Err(Error::Write { source, .. }) => {
            assert_eq!(source.kind(), ErrorKind::StorageFull);
            assert!(room < plain.len() && (is_cancelled || plain.starts_with(&written)));
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_store_behind_an_output_keeps_all_bytes_in_order() {
    explore(behind);
}

/// An input that fails at a place.
struct Origin {
    plain: Vec<u8>,
    at: usize,
    breaks_at: usize,
}

impl Read for Origin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        shuttle::thread::yield_now();
        if self.at >= self.breaks_at {
            return Err(ErrorKind::ConnectionReset.into());
        }
        let rest = &self.plain[self.at..self.plain.len().min(self.breaks_at)];
        let len = rest.len().min(1 + pick(buffer.len()));
        buffer[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

pub(super) fn before() {
    let timeouts = if one_in(2) { Timeouts::AtAnyMoment } else { Timeouts::Never };
    timeouts.set();
    let plain = pattern(9);
    let breaks_at = if one_in(3) { pick(9) } else { usize::MAX };
    let most = if one_in(3) { pick(9) } else { usize::MAX };
    let origin = Origin { plain: plain.clone(), at: 0, breaks_at };
    let input = Input::Reader(Box::new(origin)).into_stream().expect("a reader");
    let result: Result<Vec<u8>> = before_input(input, 1 + pick(6), |mut stream| {
        let (mut read, mut buffer) = (Vec::new(), [0; 3]);
        while read.len() < most {
            let (len, ended) = stream.read_until(&mut buffer, read.len() as u64, None, &|| false)?;
            read.extend_from_slice(&buffer[..len]);
            if ended {
                break;
            }
        }
        Ok(read)
    });
    match result {
        Ok(read) => {
            assert!(plain.starts_with(&read));
            assert!(read.len() >= most.min(plain.len()));
        }
        Err(Error::Read { offset, .. }) => {
            assert_eq!(offset, breaks_at as u64, "all bytes before the error came")
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_store_before_an_input_keeps_all_bytes_in_order() {
    explore(before);
}
