//! pax headers: records of a key and a value, which come in pieces.
//!
//! ```text
//! "LENGTH KEY=VALUE\n", where LENGTH counts all bytes of the record
//! ```
//!
//! Only values of keys that matter are kept. All others, such as extended attributes of many MiB, are passed over as
//! they come.

use crate::NAME_MAX;
use crate::header::{NO_OWNER, NO_TIME};
use crate::sparse::{SparseMap, is_full};

/// The longest key.
const KEY_MAX: usize = 1 << 10;

/// The longest number.
const NUMBER_MAX: usize = 64;

/// The longest map of a sparse member in one value.
const MAP_MAX: usize = 16 << 20;

/// What pax headers say of members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) path: Option<Vec<u8>>,
    pub(crate) link: Option<Vec<u8>>,
    pub(crate) user: Option<Vec<u8>>,
    pub(crate) group: Option<Vec<u8>>,
    pub(crate) size: Option<u64>,
    pub(crate) uid: Option<u64>,
    pub(crate) gid: Option<u64>,
    pub(crate) mtime: Option<(i64, u32)>,
    pub(crate) sparse: Sparse,
    /// What is not valid, and harms no data.
    pub(crate) doubt: Option<&'static str>,
}

/// What they say of a sparse member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sparse {
    pub(crate) major: Option<u64>,
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) size: Option<u64>,
    pub(crate) map: Option<SparseMap>,
    /// The offset of the next entry of the map.
    offset: Option<u64>,
}

impl Attributes {
    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes a record whose key matters. False if the value cannot be right.
    fn take(&mut self, key: &[u8], value: &[u8]) -> bool {
        // An empty value takes back what was said before.
        let is_empty = value.is_empty();
        fn put<T>(field: &mut Option<T>, value: Option<T>, is_empty: bool) -> bool {
            *field = value.filter(|_| !is_empty);
            is_empty || field.is_some()
        }
        macro_rules! set {
            ($field:expr, $value:expr) => {
                put(&mut $field, $value, is_empty)
            };
        }
        macro_rules! doubtful {
            ($is_right:expr, $what:expr) => {{
                if !$is_right {
                    self.doubt = Some($what);
                }
                true
            }};
        }
        let sparse = &mut self.sparse;
        match key {
            b"path" => set!(self.path, Some(value.to_vec())),
            b"linkpath" => set!(self.link, Some(value.to_vec())),
            b"uname" => set!(self.user, Some(value.to_vec())),
            b"gname" => set!(self.group, Some(value.to_vec())),
            b"size" => set!(self.size, decimal(value)),
            b"uid" => doubtful!(set!(self.uid, decimal(value)), NO_OWNER),
            b"gid" => doubtful!(set!(self.gid, decimal(value)), NO_OWNER),
            b"mtime" => doubtful!(set!(self.mtime, time(value)), NO_TIME),
            b"GNU.sparse.major" => set!(sparse.major, decimal(value)),
            b"GNU.sparse.name" => set!(sparse.name, Some(value.to_vec())),
            b"GNU.sparse.size" | b"GNU.sparse.realsize" => set!(sparse.size, decimal(value)),
            b"GNU.sparse.map" => set!(sparse.map, SparseMap::from_list(value)),
            b"GNU.sparse.offset" => {
                sparse.map.get_or_insert_default();
                set!(sparse.offset, decimal(value))
            }
            b"GNU.sparse.numbytes" => match (sparse.offset.take(), decimal(value)) {
                (Some(offset), Some(len)) => sparse.map.get_or_insert_default().push(offset, len),
                _ => false,
            },
            _ => true,
        }
    }
}

/// The longest value of a key. `None` if the key does not matter.
fn value_max(key: &[u8]) -> Option<usize> {
    match key {
        b"path" | b"linkpath" | b"uname" | b"gname" | b"GNU.sparse.name" => Some(NAME_MAX),
        b"size" | b"uid" | b"gid" | b"mtime" => Some(NUMBER_MAX),
        b"GNU.sparse.map" => Some(MAP_MAX),
        b"GNU.sparse.major" | b"GNU.sparse.size" | b"GNU.sparse.realsize" => Some(NUMBER_MAX),
        b"GNU.sparse.offset" | b"GNU.sparse.numbytes" => Some(NUMBER_MAX),
        _ => None,
    }
}

/// Reads the records of a pax header.
#[derive(Debug, Default)]
pub(crate) struct Records {
    state: State,
    /// Bytes of the record that are read.
    read: u64,
    /// Bytes of the record in all.
    len: u64,
    key: Vec<u8>,
    value: Vec<u8>,
    /// Whether the value is kept.
    keeps: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Length,
    Key,
    Value,
}

impl Records {
    /// Takes the next bytes. The error says what is wrong.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], to: &mut Attributes) -> Result<(), &'static str> {
        while let Some((&byte, rest)) = bytes.split_first() {
            match self.state {
                State::Length => {
                    bytes = rest;
                    self.read += 1;
                    match byte {
                        b'0'..=b'9' if self.read <= 18 => self.len = self.len * 10 + u64::from(byte - b'0'),
                        // Some programs fill the header up with zeros.
                        0 if self.read == 1 => self.read = 0,
                        b' ' if self.read > 1 => self.state = State::Key,
                        _ => return Err("a pax header has a record without a length"),
                    }
                }
                State::Key => {
                    bytes = rest;
                    self.read += 1;
                    if self.read >= self.len {
                        return Err("a pax header has a record without a value");
                    }
                    match byte {
                        b'=' => {
                            let most = value_max(&self.key);
                            // The last byte is the end of the line.
                            let len = self.len - self.read - 1;
                            if most.is_some_and(|most| len > most as u64) {
                                return Err("a pax header has a value that is too long");
                            }
                            self.keeps = most.is_some();
                            self.state = State::Value;
                        }
                        _ if self.key.len() == KEY_MAX => {
                            return Err("a pax header has a key that is too long");
                        }
                        byte => self.key.push(byte),
                    }
                }
                State::Value => {
                    let left = (self.len - 1).saturating_sub(self.read);
                    if left > 0 {
                        let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                        if self.keeps {
                            self.value.extend_from_slice(&bytes[..here]);
                        }
                        self.read += here as u64;
                        bytes = &bytes[here..];
                        continue;
                    }
                    bytes = rest;
                    if byte != b'\n' {
                        return Err("a pax header has a record whose length is wrong");
                    }
                    if self.keeps && !to.take(&self.key, &self.value) {
                        return Err("a pax header has a value that is not valid");
                    }
                    if is_full(to.sparse.map.as_ref()) {
                        return Err("a sparse member has too many parts");
                    }
                    self.key.clear();
                    self.value.clear();
                    (self.state, self.read, self.len) = (State::Length, 0, 0);
                }
            }
        }
        Ok(())
    }

    /// Whether the header may end here.
    pub(crate) fn is_complete(&self) -> bool {
        self.state == State::Length && self.read == 0
    }
}

/// A number of digits alone.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok().filter(|&number| number <= i64::MAX as u64)
}

/// A time: seconds, which may be negative, and a fraction.
fn time(text: &[u8]) -> Option<(i64, u32)> {
    let (is_negative, text) = match text.strip_prefix(b"-") {
        Some(text) => (true, text),
        None => (false, text),
    };
    let mut parts = text.splitn(2, |&byte| byte == b'.');
    let seconds = i64::try_from(decimal(parts.next()?)?).ok()?;
    let fraction = parts.next().unwrap_or_default();
    if !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = fraction.iter().map(|digit| u32::from(digit - b'0')).chain(std::iter::repeat(0));
    let nanos = digits.take(9).fold(0, |nanos, digit| nanos * 10 + digit);
    Some(match (is_negative, nanos) {
        (false, nanos) => (seconds, nanos),
        (true, 0) => (-seconds, 0),
        (true, nanos) => (-seconds - 1, 1_000_000_000 - nanos),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], step: usize) -> Result<Attributes, &'static str> {
        let (mut records, mut found) = (Records::default(), Attributes::default());
        text.chunks(step).try_for_each(|part| records.feed(part, &mut found))?;
        if records.is_complete() { Ok(found) } else { Err("cut off") }
    }

    #[test]
    fn records_come_in_pieces_of_any_size() {
        let text = b"12 path=a/b\n20 mtime=-1.5000000\n15 comment=a=b\n26 SCHILY.xattr.user.a=\n\n\n18 linkpath=x\ny\nz\n";
        for step in 1..=text.len() {
            let found = read(text, step).unwrap();
            assert_eq!(found.path.as_deref(), Some(&b"a/b"[..]));
            assert_eq!(found.mtime, Some((-2, 500_000_000)));
            assert_eq!(found.link.as_deref(), Some(&b"x\ny\nz"[..]));
        }
        assert!(read(&text[..text.len() - 1], 7).is_err());
    }

    #[test]
    fn wrong_records_are_errors() {
        for text in [
            &b"path=a\n"[..],
            b"5 a=\n\n",
            b"9 path=a\n\n",
            b"99 path\n",
            b"3 =\n",
            b"-3 a=\n",
            b"10 size=-1\n",
            b"10 size=1x\n",
            b"99999999999999999999 a=b\n",
            b"200000 path=",
            b"0 a=b\n",
            b"1 a=b\n",
        ] {
            assert!(read(text, 100).is_err(), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn a_long_value_without_meaning_takes_no_memory() {
        let (mut records, mut found) = (Records::default(), Attributes::default());
        records.feed(b"4000000000 LIBARCHIVE.xattr.a=", &mut found).unwrap();
        let part = [b'x'; 1 << 16];
        (0..1000).for_each(|_| records.feed(&part, &mut found).unwrap());
        assert!(records.value.is_empty() && found.is_empty());
    }
}
