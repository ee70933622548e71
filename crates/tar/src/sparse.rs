//! [`SparseMap`]: which parts of a sparse file are stored. Everything else is zero.

use crate::header::number;
use crate::pax::decimal;

/// The most parts. They take 16 MiB.
pub(crate) const PARTS_MAX: usize = 1 << 20;

/// The parts of a sparse file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SparseMap {
    /// Offset and length of each part in the file.
    parts: Vec<(u64, u64)>,
    /// Bytes in all parts.
    stored: u64,
}

/// Whether a map has more parts than are allowed.
pub(crate) fn is_full(map: Option<&SparseMap>) -> bool {
    map.is_some_and(|map| map.parts.len() > PARTS_MAX)
}

impl SparseMap {
    /// Adds a part behind the others. False if it begins before the end of the last one.
    pub(crate) fn push(&mut self, offset: u64, len: u64) -> bool {
        let end = self.parts.last().map_or(0, |&(offset, len)| offset + len);
        let is_right = offset >= end && offset.checked_add(len).is_some_and(|end| end <= i64::MAX as u64);
        if is_right {
            self.stored += len;
            self.parts.push((offset, len));
        }
        is_right
    }

    /// The map in a list of numbers between commas.
    pub(crate) fn from_list(text: &[u8]) -> Option<Self> {
        let mut map = Self::default();
        let mut numbers = text.split(|&byte| byte == b',');
        while let Some(offset) = numbers.next() {
            let len = numbers.next()?;
            let is_right = map.push(decimal(offset)?, decimal(len)?);
            if !is_right || is_full(Some(&map)) {
                return None;
            }
        }
        Some(map)
    }

    /// Adds the entries of 24 bytes in a block of GNU tar. An empty one ends them. False if one is wrong.
    pub(crate) fn take_entries(&mut self, entries: &[u8]) -> bool {
        for entry in entries.chunks_exact(24) {
            if entry[0] == 0 {
                return true;
            }
            let parsed = number(&entry[..12]).zip(number(&entry[12..]));
            let right =
                parsed.and_then(|(offset, len)| Some((offset.try_into().ok()?, len.try_into().ok()?)));
            if !right.is_some_and(|(offset, len)| self.push(offset, len)) {
                return false;
            }
        }
        true
    }

    /// Bytes in all parts.
    pub(crate) fn stored(&self) -> u64 {
        self.stored
    }

    /// The end of the last part.
    pub(crate) fn end(&self) -> u64 {
        self.parts.last().map_or(0, |&(offset, len)| offset + len)
    }

    pub(crate) fn part(&self, number: usize) -> Option<(u64, u64)> {
        self.parts.get(number).copied()
    }
}

/// Reads a map that stands before the data: a number of parts, and offset and length of each, one number on a line.
#[derive(Debug, Default)]
pub(crate) struct MapText {
    /// How many parts there are, if it is read.
    count: Option<u64>,
    offset: Option<u64>,
    line: Vec<u8>,
    pub(crate) map: SparseMap,
}

impl MapText {
    /// Takes a byte. Returns whether the map is complete.
    pub(crate) fn take(&mut self, byte: u8) -> Result<bool, &'static str> {
        const WRONG: &str = "the map of a sparse member is not valid";
        if byte != b'\n' {
            self.line.push(byte);
            return if self.line.len() > 20 { Err(WRONG) } else { Ok(false) };
        }
        let number = decimal(&self.line).ok_or(WRONG)?;
        self.line.clear();
        match (self.count, self.offset.take()) {
            (None, _) if number > PARTS_MAX as u64 => return Err("a sparse member has too many parts"),
            (None, _) => self.count = Some(number),
            (Some(_), None) => self.offset = Some(number),
            (Some(_), Some(offset)) => {
                if !self.map.push(offset, number) {
                    return Err(WRONG);
                }
            }
        }
        Ok(self.offset.is_none() && self.count == Some(self.map.parts.len() as u64))
    }
}
