//! A store between two ends that are fast at different times, by its own tests.

use std::sync::mpsc::{Receiver, channel};

use super::super::Input;
use super::*;

/// A writer that writes nothing before it is allowed to.
struct Gate(Receiver<()>, Vec<u8>);

impl Write for &mut Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        self.1.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

#[test]
fn the_producer_goes_on_although_nothing_is_written_yet() {
    for limit in [1, 1000, BLOCK_LEN, 3 * BLOCK_LEN + 7] {
        let (allow, allowed) = channel();
        let mut gate = Gate(allowed, Vec::new());
        let plain = pattern(limit);
        let written = behind_output(
            Box::new(&mut gate),
            limit,
            || false,
            |mut writer| {
                for part in plain.chunks(777) {
                    writer.write_all(part).unwrap();
                }
                // Only now anything is written.
                drop(allow);
                writer.flush().map_err(|source| Error::Write { offset: 0, source })
            },
        );
        assert!(written.is_ok() && gate.1 == plain, "{limit}");
    }
}

#[test]
fn no_more_than_the_limit_is_held() {
    let store = Store::new(2 * BLOCK_LEN);
    store.put(&pattern(2 * BLOCK_LEN), |_| ()).unwrap();
    let mut waits = 0;
    scope(|scope| {
        let mut buffer = vec![0; 100];
        scope.spawn(|| {
            store.put(b"more", |_| waits += 1).unwrap();
            store.end(Ok(()));
        });
        assert!(store.lock().len <= 2 * BLOCK_LEN);
        while store.read(&mut buffer).unwrap() > 0 {
            assert!(store.lock().len <= 2 * BLOCK_LEN);
        }
    });
    assert!(store.lock().blocks.is_empty());
}

#[test]
fn an_error_of_the_writer_ends_the_producer() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let result: Result<()> = behind_output(
        Box::new(Full),
        10,
        || false,
        |mut writer| {
            let failed = writer.write_all(&[0; 100]).unwrap_err();
            assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
            // Later calls fail too.
            assert!(writer.write_all(b"more").is_err());
            Ok(())
        },
    );
    assert!(result.is_ok());
}

#[test]
fn a_cancelled_stream_does_not_wait_for_the_writer() {
    let (allow, allowed) = channel();
    let mut gate = Gate(allowed, Vec::new());
    let result: Result<()> = behind_output(
        Box::new(&mut gate),
        10 * BLOCK_LEN,
        || true,
        |mut writer| {
            writer.write_all(&pattern(9 * BLOCK_LEN)).unwrap();
            // This is more than the limit, and nothing was written yet.
            writer.write_all(&pattern(9 * BLOCK_LEN)).unwrap();
            drop(allow);
            writer.flush().map_err(|source| Error::Write { offset: 0, source })
        },
    );
    assert!(result.is_ok() && gate.1.len() < 18 * BLOCK_LEN);
}

#[test]
fn an_error_of_the_input_comes_behind_its_bytes() {
    struct Broken(usize);
    impl io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            if self.0 > 3 {
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            buffer[..100].fill(7);
            Ok(100)
        }
    }
    let stream = Input::Reader(Box::new(Broken(0))).into_stream().unwrap();
    let (len, error) = before_input::<_, Error>(stream, 1000, |mut stream| {
        let (mut len, mut buffer) = (0, [0; 70]);
        loop {
            match stream.read_until(&mut buffer, len as u64, None, &|| false) {
                Ok((read, ended)) => {
                    assert!(!ended && buffer[..read].iter().all(|&byte| byte == 7));
                    len += read;
                }
                Err(error) => return Ok((len, error)),
            }
        }
    })
    .unwrap();
    assert_eq!(len, 300);
    assert!(matches!(error, Error::Read { source, .. } if source.kind() == io::ErrorKind::ConnectionReset));
}

#[test]
fn a_consumer_that_ends_early_ends_the_reading() {
    let stream = Input::Reader(Box::new(io::repeat(0))).into_stream().unwrap();
    let result = before_input(stream, 1000, |_| Err::<(), _>(Error::GivenUp));
    assert!(matches!(result, Err(Error::GivenUp)));
}
