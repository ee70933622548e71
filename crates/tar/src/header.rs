//! A block that is a header: its checksum, its numbers and its texts.
//!
//! ```text
//!   0 100 name        257   6 magic: "ustar" and 0, or "ustar " for GNU tar
//! 100   8 mode        263   2 version
//! 108   8 uid         265  32 user
//! 116   8 gid         297  32 group
//! 124  12 size        329   8 major number of a device
//! 136  12 mtime       337   8 minor number
//! 148   8 checksum    345 155 ustar: what is before the name. GNU tar: the map of a sparse member from 386 on,
//! 156   1 type flag           482 whether more of the map follows, 483 the length of the file
//! 157 100 link
//! ```

use crate::BLOCK_LEN;

/// What is told of fields that are not valid and harm no data.
const NO_MODE: &str = "rights that are not valid";
pub(crate) const NO_OWNER: &str = "an owner or a group that is not valid";
pub(crate) const NO_TIME: &str = "a time that is not valid";

/// A block whose checksum is right.
pub(crate) struct Header<'a>(&'a [u8; BLOCK_LEN]);

/// Whether all bytes are zero. Two such blocks end an archive.
pub(crate) fn is_zero(block: &[u8; BLOCK_LEN]) -> bool {
    *block == [0; BLOCK_LEN]
}

impl<'a> Header<'a> {
    /// The header in this block. `None` if the checksum is wrong.
    pub(crate) fn parse(block: &'a [u8; BLOCK_LEN]) -> Option<Self> {
        let stated = number(&block[148..156])?;
        let unsigned = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>();
        // Some old programs added up signed bytes.
        let signed = |bytes: &[u8]| bytes.iter().map(|&byte| i32::from(byte as i8)).sum::<i32>();
        // The field of the checksum counts as spaces.
        let (field, spaces) = (&block[148..156], 8 * i64::from(b' '));
        let is_sum = i64::from(unsigned(block)) - i64::from(unsigned(field)) + spaces == stated
            || i64::from(signed(block)) - i64::from(signed(field)) + spaces == stated;
        is_sum.then_some(Self(block))
    }

    pub(crate) fn flag(&self) -> u8 {
        self.0[156]
    }

    fn is_gnu(&self) -> bool {
        self.0[257..265] == *b"ustar  \0"
    }

    /// Whether it has the fields behind the link.
    fn is_ustar(&self) -> bool {
        self.0[257..262] == *b"ustar"
    }

    pub(crate) fn name(&self) -> Vec<u8> {
        let name = text(&self.0[..100]);
        let prefix = text(&self.0[345..500]);
        match self.is_ustar() && !self.is_gnu() && !prefix.is_empty() {
            true => [prefix, b"/", name].concat(),
            false => name.to_vec(),
        }
    }

    pub(crate) fn link(&self) -> Vec<u8> {
        text(&self.0[157..257]).to_vec()
    }

    pub(crate) fn user(&self) -> Vec<u8> {
        if self.is_ustar() { text(&self.0[265..297]).to_vec() } else { Vec::new() }
    }

    pub(crate) fn group(&self) -> Vec<u8> {
        if self.is_ustar() { text(&self.0[297..329]).to_vec() } else { Vec::new() }
    }

    /// The bits of the mode that say no type.
    pub(crate) fn mode(&self) -> u32 {
        number(&self.0[100..108]).unwrap_or(0) as u32 & 0o7777
    }

    /// What is not valid and harms no data. Owners and the time do not count if other headers have them.
    pub(crate) fn doubt(&self, has_uid: bool, has_gid: bool, has_time: bool) -> Option<&'static str> {
        let is_owner = |at: usize| number(&self.0[at..at + 8]).is_some_and(|id| id >= 0);
        match () {
            () if number(&self.0[100..108]).is_none() => Some(NO_MODE),
            () if !has_uid && !is_owner(108) || !has_gid && !is_owner(116) => Some(NO_OWNER),
            () if !has_time && number(&self.0[136..148]).is_none() => Some(NO_TIME),
            () => None,
        }
    }

    pub(crate) fn uid(&self) -> u64 {
        number(&self.0[108..116]).and_then(|uid| u64::try_from(uid).ok()).unwrap_or(0)
    }

    pub(crate) fn gid(&self) -> u64 {
        number(&self.0[116..124]).and_then(|gid| u64::try_from(gid).ok()).unwrap_or(0)
    }

    /// The length of the stored data. `None` if it is no such number.
    pub(crate) fn size(&self) -> Option<u64> {
        u64::try_from(number(&self.0[124..136])?).ok()
    }

    pub(crate) fn mtime(&self) -> i64 {
        number(&self.0[136..148]).unwrap_or(0)
    }

    pub(crate) fn device(&self) -> (u32, u32) {
        let part = |at: usize| number(&self.0[at..at + 8]).and_then(|part| u32::try_from(part).ok());
        if self.is_ustar() { (part(329).unwrap_or(0), part(337).unwrap_or(0)) } else { (0, 0) }
    }

    /// The entries of the map of a sparse member of GNU tar.
    pub(crate) fn sparse(&self) -> &[u8] {
        &self.0[386..482]
    }

    /// Whether a block with more entries follows.
    pub(crate) fn sparse_goes_on(&self) -> bool {
        self.0[482] != 0
    }

    /// The length of the file of a sparse member of GNU tar.
    pub(crate) fn real_size(&self) -> Option<u64> {
        u64::try_from(number(&self.0[483..495])?).ok()
    }
}

/// The text before the first zero.
pub(crate) fn text(field: &[u8]) -> &[u8] {
    field.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// A number: octal digits between spaces and zeros, or in base 256. No digits are 0. `None` if it is no number, or too
/// large.
pub(crate) fn number(field: &[u8]) -> Option<i64> {
    let (&first, rest) = field.split_first()?;
    if first & 0x80 != 0 {
        // The second highest bit is the sign. It is the only one that matters besides, because large numbers are
        // refused.
        let sign = if first & 0x40 != 0 { -1 } else { 0 };
        let start = if sign == 0 { i64::from(first & 0x3f) } else { i64::from(first) - 256 };
        return rest.iter().try_fold(start, |value, &byte| {
            value.checked_mul(256).and_then(|value| value.checked_add(i64::from(byte)))
        });
    }
    let mut bytes = field.trim_ascii_start().iter();
    let mut value = 0;
    for &byte in &mut bytes {
        match byte {
            // Fields have at most 12 digits, which are 36 bits.
            b'0'..=b'7' if value >> 60 == 0 => value = value << 3 | i64::from(byte - b'0'),
            0 | b' ' => break,
            _ => return None,
        }
    }
    bytes.all(|byte| matches!(byte, 0 | b' ')).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_in_base_256() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"   644 \0"), Some(0o644));
        assert_eq!(number(b"777777777777"), Some(0o777_777_777_777));
        assert_eq!(number(&[0; 8]), Some(0));
        assert_eq!(number(b"        "), Some(0));
        assert_eq!(number(b"0000648\0"), None);
        assert_eq!(number(b"12 34   "), None);
        assert_eq!(number(&[0x80, 0, 0, 0, 0, 0, 1, 2]), Some(258));
        assert_eq!(number(&[0xff; 12]), Some(-1));
        assert_eq!(number(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff]), Some(-257));
        assert_eq!(number(&[0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), Some(i64::MAX));
        assert_eq!(number(&[0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(number(&[0xbf; 12]), None);
    }
}
