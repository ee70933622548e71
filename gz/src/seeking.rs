//! gzrewind, gzseek and gzoffset of a file that is read.

use std::ffi::c_int;

use rustix::fs::SeekFrom;

use crate::looking::How;
use crate::reading::Reading;

impl Reading {
    /// gzrewind.
    pub(crate) fn rewind(&mut self) -> c_int {
        if !self.is_fine() || self.base.file.seek(SeekFrom::Start(self.start)).is_err() {
            return -1;
        }
        (self.at, self.have, self.unused) = (0, 0, 0..0);
        (self.is_read, self.is_past, self.how) = (false, false, How::Look);
        // Otherwise the start of another format would count as bytes behind the last member.
        self.base.is_direct |= self.is_other;
        self.base.skip = None;
        self.base.noted.clear();
        self.base.pos = 0;
        0
    }

    /// gzseek, with an offset from the start of the plain data or from the position. Only the next read goes there.
    pub(crate) fn seek(&mut self, offset: i64, is_relative: bool) -> i64 {
        self.seek_checked(offset, is_relative).unwrap_or(-1)
    }

    fn seek_checked(&mut self, offset: i64, is_relative: bool) -> Option<i64> {
        if !self.is_fine() {
            return None;
        }
        let pending = self.base.skip.take().unwrap_or(0);
        let mut offset = match is_relative {
            true => offset.checked_add(pending)?,
            false => offset.checked_sub(self.base.pos)?,
        };
        let target = self.base.pos.checked_add(offset)?;
        if matches!(self.how, How::Copy) && target >= 0 {
            self.base.file.seek(SeekFrom::Current(offset - self.have as i64)).ok()?;
            (self.have, self.unused) = (0, 0..0);
            (self.is_read, self.is_past) = (false, false);
            self.base.noted.clear();
            self.base.pos = target;
            return Some(target);
        }
        if offset < 0 {
            if target < 0 || self.rewind() != 0 {
                return None;
            }
            offset = target;
        }
        let at_hand = usize::try_from(offset).map_or(self.have, |offset| offset.min(self.have));
        self.take(at_hand);
        offset -= at_hand as i64;
        self.base.skip = (offset != 0).then_some(offset);
        Some(self.base.pos + offset)
    }

    /// gzoffset. The parallel reader is ahead of the bytes that were given out.
    pub(crate) fn offset(&mut self) -> i64 {
        let ahead = match &self.how {
            How::Parallel(decoding) => decoding.offset(),
            _ => None,
        };
        let offset = match ahead {
            Some(offset) => Ok(offset),
            None => self.base.file.offset(),
        };
        match offset {
            Ok(offset) => offset as i64 - self.unused.len() as i64,
            Err(error) => {
                self.base.noted.errno = Some(error.raw_os_error());
                -1
            }
        }
    }

    /// gzclearerr: reading can go on behind what has been the end.
    pub(crate) fn clear(&mut self) {
        (self.is_read, self.is_past) = (false, false);
        self.base.noted.clear();
    }
}
