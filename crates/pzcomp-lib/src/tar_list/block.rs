//! A block of a list: the members as columns of numbers and texts, and the members that columns stand for.
//!
//! A column holds one thing of all members, such as their sizes, so that equal and similar values follow each other and
//! DEFLATE makes them short. Most values are differences to the member before. `docs/recovery-format.md` lists the
//! columns.

use pzcomp_tar::{BLOCK_LEN, Kind, Member};

/// The most bytes of all columns of a block. Its record is then short enough for its envelope even if nothing gets
/// shorter.
pub(super) const RAW_MAX: usize = 60_000;

/// The most bytes of all names and owners of a block. Names share their starts, and owners are mostly those of the
/// member before, so the columns are shorter.
const NAMES_MAX: usize = 1 << 20;

/// The longest name or target of a link in a list. Longer ones have no meaning on any system.
const TEXT_MAX: usize = 16 << 10;

const COLUMNS: usize = 17;
const BLOCK: u64 = BLOCK_LEN as u64;

/// Collects members.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    columns: [Vec<u8>; COLUMNS],
    pub(super) count: u32,
    /// Offset of the first header.
    pub(super) start: u64,
    /// What the next member is compared with: name, owners, end and time of the last one.
    last: Member,
    /// The bytes of all names and owners.
    names: usize,
}

/// The bytes of a member that count for [`NAMES_MAX`].
fn names_len(member: &Member) -> usize {
    member.name.len() + member.user.len() + member.group.len()
}

impl BlockWriter {
    /// Whether another member must begin another block.
    pub(super) fn is_full_before(&self, member: &Member) -> bool {
        let numbers = 20 * 10;
        let texts = member.name.len() + member.link.len() + member.user.len() + member.group.len();
        let raw: usize = self.columns.iter().map(Vec::len).sum();
        self.count > 0
            && (raw + COLUMNS * 3 + numbers + texts > RAW_MAX || self.names + names_len(member) > NAMES_MAX)
    }

    pub(super) fn takes(member: &Member) -> bool {
        [&member.name, &member.link].iter().all(|text| text.len() <= TEXT_MAX)
            && [&member.user, &member.group].iter().all(|text| text.len() <= 4096)
    }

    /// Adds a member, which begins at the end of the last one or behind it.
    pub(super) fn push(&mut self, member: &Member) {
        if self.count == 0 {
            let start = member.header;
            *self = Self { start, last: Member { end: start, ..Member::default() }, ..Self::default() };
        }
        let last = &self.last;
        let [
            shared,
            rest,
            names,
            kinds,
            bits,
            gaps,
            headers,
            sizes,
            stored,
            times,
            nanos,
            modes,
            uids,
            gids,
            owners,
            links,
            devices,
        ] = &mut self.columns;
        let same = last.name.iter().zip(&member.name).take_while(|(one, other)| one == other).count();
        put(shared, same as u64);
        put(rest, (member.name.len() - same) as u64);
        names.extend_from_slice(&member.name[same..]);
        kinds.push(member.flag);
        bits.push(u8::from(member.is_sparse) | u8::from(member.is_global) << 1);
        put(gaps, (member.header - last.end) / BLOCK);
        put(headers, (member.data - member.header) / BLOCK);
        put(sizes, member.size);
        put_signed(stored, ((member.end - member.data) / BLOCK) as i64 - member.size.div_ceil(BLOCK) as i64);
        put_signed(times, member.mtime.wrapping_sub(last.mtime));
        put(nanos, member.mtime_nanos.into());
        put(modes, member.mode.into());
        put(uids, member.uid);
        put(gids, member.gid);
        for (text, before) in [(&member.user, &last.user), (&member.group, &last.group)] {
            match text == before {
                true => owners.push(0),
                false => {
                    put(owners, text.len() as u64 + 1);
                    owners.extend_from_slice(text);
                }
            }
        }
        match member.kind() {
            Kind::HardLink | Kind::Symlink => {
                put(links, member.link.len() as u64);
                links.extend_from_slice(&member.link);
            }
            Kind::CharDevice | Kind::BlockDevice => {
                put(devices, member.device.0.into());
                put(devices, member.device.1.into());
            }
            _ => {}
        }
        self.names += names_len(member);
        self.count += 1;
        // The vectors keep their memory.
        self.last.name.clone_from(&member.name);
        self.last.user.clone_from(&member.user);
        self.last.group.clone_from(&member.group);
        (self.last.end, self.last.mtime) = (member.end, member.mtime);
    }

    /// Offset behind the last member.
    pub(super) fn end(&self) -> u64 {
        self.last.end
    }

    /// The bytes of all columns. The block is empty then.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for column in &self.columns {
            put(&mut bytes, column.len() as u64);
        }
        self.columns.iter().for_each(|column| bytes.extend_from_slice(column));
        *self = Self::default();
        bytes
    }
}

/// The members in these columns, of which the first header is at `start` and the last member ends at `end`. `None` if
/// anything is wrong.
pub(super) fn members(mut bytes: &[u8], count: u32, start: u64, end: u64) -> Option<Vec<Member>> {
    let mut lens = [0; COLUMNS];
    for len in &mut lens {
        *len = usize::try_from(take(&mut bytes)?).ok()?;
    }
    let mut columns: [&[u8]; COLUMNS] = [&[]; COLUMNS];
    for (column, len) in columns.iter_mut().zip(lens) {
        (*column, bytes) = bytes.split_at_checked(len)?;
    }
    let [
        mut shared,
        mut rest,
        mut names,
        mut kinds,
        mut bits,
        mut gaps,
        mut headers,
        mut sizes,
        mut stored,
        mut times,
        mut nanos,
        mut modes,
        mut uids,
        mut gids,
        mut owners,
        mut links,
        mut devices,
    ] = columns;
    // Each member takes a byte of this column.
    if kinds.len() != count as usize || !bytes.is_empty() {
        return None;
    }
    let mut members: Vec<Member> = Vec::with_capacity(kinds.len());
    let (before_all, mut left) = (Member { end: start, ..Member::default() }, NAMES_MAX);
    for _ in 0..count {
        // A member is told by its differences from the one before.
        let last = members.last().unwrap_or(&before_all);
        let same = usize::try_from(take(&mut shared)?).ok()?;
        let name = [last.name.get(..same)?, text(&mut names, take(&mut rest)?)?].concat();
        let bit = byte(&mut bits)?;
        let mut member = Member { name, flag: byte(&mut kinds)?, ..Member::default() };
        (member.is_sparse, member.is_global) = (bit & 1 != 0, bit & 2 != 0);
        let blocks = |from: u64, blocks: u64| {
            let to = blocks.checked_mul(BLOCK)?.checked_add(from)?;
            (to <= i64::MAX as u64).then_some(to)
        };
        member.header = blocks(last.end, take(&mut gaps)?)?;
        member.data = blocks(member.header, take(&mut headers)?)?;
        member.size = take(&mut sizes)?;
        let in_blocks =
            i64::try_from(member.size.div_ceil(BLOCK)).ok()?.checked_add(take_signed(&mut stored)?)?;
        member.end = blocks(member.data, u64::try_from(in_blocks).ok()?)?;
        member.mtime = last.mtime.wrapping_add(take_signed(&mut times)?);
        member.mtime_nanos = u32::try_from(take(&mut nanos)?).ok().filter(|&nanos| nanos < 1_000_000_000)?;
        member.mode = u32::try_from(take(&mut modes)?).ok().filter(|&mode| mode <= 0o7777)?;
        (member.uid, member.gid) = (take(&mut uids)?, take(&mut gids)?);
        for (field, before) in [(&mut member.user, &last.user), (&mut member.group, &last.group)] {
            *field = match take(&mut owners)? {
                0 => before.clone(),
                len => text(&mut owners, len - 1)?.to_vec(),
            };
        }
        left = left.checked_sub(names_len(&member))?;
        match member.kind() {
            Kind::HardLink | Kind::Symlink => {
                let len = take(&mut links)?;
                member.link = text(&mut links, len)?.to_vec();
            }
            Kind::CharDevice | Kind::BlockDevice => {
                let part = |from: &mut &[u8]| u32::try_from(take(from)?).ok();
                member.device = (part(&mut devices)?, part(&mut devices)?);
            }
            _ => {}
        }
        members.push(member);
    }
    let is_read = [
        shared, rest, names, gaps, headers, sizes, stored, times, nanos, modes, uids, gids, owners, links,
        devices,
    ]
    .iter()
    .all(|column| column.is_empty());
    let last = members.last().unwrap_or(&before_all);
    (is_read && last.end == end).then_some(members)
}

/// Appends a number: seven bits in each byte, the lowest ones first. All bytes but the last have the highest bit.
fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Appends a number that may be negative: twice its value, and for a negative one the complement of that.
fn put_signed(to: &mut Vec<u8>, number: i64) {
    put(to, (number << 1 ^ number >> 63) as u64);
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(from)?;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_signed(from: &mut &[u8]) -> Option<i64> {
    let number = take(from)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

fn byte(from: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = from.split_first()?;
    *from = rest;
    Some(byte)
}

fn text<'a>(from: &mut &'a [u8], len: u64) -> Option<&'a [u8]> {
    let (text, rest) = from.split_at_checked(usize::try_from(len).ok()?)?;
    *from = rest;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Member> {
        let file = Member {
            name: b"folder/file".to_vec(),
            flag: b'0',
            mode: 0o644,
            uid: 1000,
            gid: 100,
            user: b"me".to_vec(),
            size: 700,
            mtime: -5,
            mtime_nanos: 7,
            header: 1024,
            data: 1536,
            end: 2560,
            ..Member::default()
        };
        let link = Member {
            name: b"folder/link".to_vec(),
            link: b"file".to_vec(),
            flag: b'2',
            header: 2560,
            data: 4096,
            end: 4096,
            user: b"me".to_vec(),
            is_global: true,
            ..Member::default()
        };
        let sparse = Member {
            flag: b'S',
            size: i64::MAX as u64,
            header: 5120,
            data: 5632,
            end: 6144,
            is_sparse: true,
            ..file.clone()
        };
        let device = Member {
            flag: b'3',
            device: (8, 1),
            size: 0,
            header: 6144,
            data: 6656,
            end: 6656,
            ..file.clone()
        };
        vec![file, link, sparse, device]
    }

    #[test]
    fn members_are_read_back_and_no_changed_byte_makes_more_of_them() {
        let mut writer = BlockWriter::default();
        some().iter().for_each(|member| writer.push(member));
        let (start, end, count) = (writer.start, writer.end(), writer.count);
        let bytes = writer.finish();
        assert_eq!(members(&bytes, count, start, end), Some(some()));
        assert_eq!(writer.count, 0);
        assert_eq!(members(&bytes, count + 1, start, end), None);
        assert_eq!(members(&bytes, count, start, end + 512), None);
        for at in 0..bytes.len() {
            assert_eq!(members(&bytes[..at], count, start, end), None);
            for byte in [0, 0x7f, 0x80, 0xff] {
                let mut wrong = bytes.clone();
                wrong[at] = byte;
                // No number in it leads to a panic.
                let found = members(&wrong, count, start, end);
                assert!(found.is_none_or(|found| found.len() == 4));
            }
        }
    }

    #[test]
    fn what_fits_is_read_back_however_long_names_and_owners_are() {
        for (name, owner) in [(389, 4), (300, 31), (20, 4000), (16 << 10, 0), (1, 0)] {
            let mut writer = BlockWriter::default();
            let mut at = 0;
            let mut pushed = Vec::new();
            loop {
                let mut own = vec![b'n'; name];
                own.extend(pushed.len().to_string().into_bytes());
                let member = Member {
                    name: own,
                    user: vec![b'u'; owner],
                    group: vec![b'g'; owner],
                    flag: b'0',
                    header: at,
                    data: at + 512,
                    end: at + 512,
                    ..Member::default()
                };
                if writer.is_full_before(&member) {
                    break;
                }
                at = member.end;
                writer.push(&member);
                pushed.push(member);
            }
            let (start, end, count) = (writer.start, writer.end(), writer.count);
            let found = members(&writer.finish(), count, start, end);
            assert!(found == Some(pushed), "{count} names of {name} bytes, owners of {owner}");
        }
    }

    #[test]
    fn numbers_of_all_lengths_are_read_back() {
        for number in [0, 1, 127, 128, 1 << 35, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put_signed(&mut bytes, number as i64);
            let mut rest = &bytes[..];
            assert_eq!((take(&mut rest), take_signed(&mut rest)), (Some(number), Some(number as i64)));
            assert!(rest.is_empty());
        }
        assert_eq!(take(&mut &[0xff; 10][..]), None);
    }
}
