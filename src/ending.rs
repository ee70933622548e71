//! The end of the data to compress.
//!
//! A backup is complete only if its end says so: the program that made it has succeeded, and its last line or its last
//! blocks are there. So `coding` shows an [`Ending`] all bytes. If the answer is an error, the library does not
//! complete the output.

use pzcomp::xbstream::Follower;
use pzcomp_tar::Parser;
use regex::bytes::Regex;

use super::producer::Producer;
use super::request::Expected;

/// How much of the end of the data is searched for a pattern.
const TAIL_MAX: usize = 4 << 10;

/// Watches the data up to its end.
pub(super) struct Ending<'a> {
    producer: Option<&'a Producer>,
    seen: Seen<'a>,
}

/// What has been seen.
enum Seen<'a> {
    /// Nothing is expected.
    Nothing,
    /// The last bytes, and what is to be in them.
    Tail {
        tail: Vec<u8>,
        pattern: &'a Regex,
        shown: &'a str,
    },
    Tar(Box<Parser>),
    Xbstream {
        follower: Follower,
        is_backup: bool,
    },
}

impl<'a> Ending<'a> {
    pub(super) fn new(producer: Option<&'a Producer>, expected: Option<&'a Expected>) -> Self {
        let seen = match expected {
            None => Seen::Nothing,
            Some(Expected::Tail { pattern, shown }) => Seen::Tail { tail: Vec::new(), pattern, shown },
            Some(Expected::Tar) => Seen::Tar(Box::default()),
            Some(&Expected::Xbstream { is_backup }) => {
                Seen::Xbstream { follower: Follower::default(), is_backup }
            }
        };
        Self { producer, seen }
    }

    /// Takes the next bytes, or the end of the data. The error says why the data is not complete.
    pub(super) fn see(&mut self, bytes: Option<&[u8]>) -> Result<(), String> {
        let Some(bytes) = bytes else { return self.end() };
        match &mut self.seen {
            Seen::Nothing => {}
            Seen::Tail { tail, .. } => {
                let new = &bytes[bytes.len().saturating_sub(TAIL_MAX)..];
                tail.drain(..(tail.len() + new.len()).saturating_sub(TAIL_MAX));
                tail.extend_from_slice(new);
            }
            Seen::Tar(parser) => {
                let mut rest = bytes;
                while !rest.is_empty() {
                    let fed =
                        parser.feed(rest).map_err(|error| format!("the data is no tar archive: {error}"));
                    rest = &rest[fed?.0..];
                }
            }
            Seen::Xbstream { follower, .. } => follower.see(bytes).map_err(|error| error.to_string())?,
        }
        Ok(())
    }

    fn end(&self) -> Result<(), String> {
        if let Some(failure) = self.producer.and_then(Producer::failure) {
            return Err(failure);
        }
        match &self.seen {
            Seen::Tail { tail, pattern, shown } if !pattern.is_match(tail) => {
                let searched = tail.len();
                Err(format!("the last {searched} bytes do not contain what is expected at the end: {shown}"))
            }
            Seen::Tar(parser) if !parser.has_end() => {
                let end = parser.offset();
                Err(format!(
                    "the tar archive is cut off at offset {end}: it does not end with two blocks of zeros"
                ))
            }
            Seen::Tar(parser) if parser.has_more() => {
                Err("other data follows the two blocks of zeros at the end of the tar archive".into())
            }
            Seen::Xbstream { follower, is_backup } => {
                follower.end().map_err(|error| error.to_string())?;
                let is_cut = *is_backup && !follower.has_info();
                let what = "the backup is cut off between two files: it has no xtrabackup_info or \
                            mariadb_backup_info";
                if is_cut { Err(what.into()) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }
}
