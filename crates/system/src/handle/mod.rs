//! [`Handle`]: what a system gives a program for a file, a pipe or a device that is open: a descriptor or a handle.
//!
//! In: whatever the standard library can borrow one from. The engine reads and writes pipes through handles and waits
//! for them; regular files are those of the module `place`.
//!
//! Programs that share a pipe, a socket or a terminal may have set it not to wait. Then a read and a write fail while
//! there is nothing to read and no room, and the functions here wait.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

#[cfg(windows)]
pub(crate) use platform::type_of;
pub use platform::{AsHandle, Handle, OwnedHandle, borrowed, close, has_room, is_readable, of, read, write};

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_pipe_is_readable_when_it_has_bytes_and_at_its_end() {
        let (from, mut to) = std::io::pipe().unwrap();
        let patience = Duration::from_millis(20);
        assert!(!is_readable(of(&from), patience));
        to.write_all(b"three").unwrap();
        assert!(is_readable(of(&from), patience));
        let mut found = [0; 9];
        assert_eq!((read(of(&from), &mut found).unwrap(), &found[..5]), (5, &b"three"[..]));
        assert!(!is_readable(of(&from), patience));
        drop(to);
        assert!(is_readable(of(&from), patience));
        assert_eq!(read(of(&from), &mut found).unwrap(), 0);
    }

    #[test]
    fn writes_to_a_pipe_wait_for_room() {
        let (mut from, to) = std::io::pipe().unwrap();
        let data = vec![7; 1 << 20];
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                let mut found = Vec::new();
                from.read_to_end(&mut found).map(|_| found)
            });
            let mut rest = &data[..];
            while !rest.is_empty() {
                rest = &rest[write(of(&to), rest).unwrap()..];
            }
            drop(to);
            assert!(reader.join().unwrap().unwrap() == data);
        });
    }

    #[test]
    fn a_regular_file_is_readable_and_closed_without_an_error() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(write(of(&file), b"three").unwrap(), 5);
        assert!(is_readable(of(&file), Duration::ZERO));
        close(file).unwrap();
    }
}
