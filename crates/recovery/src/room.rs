//! [`Room`]: memory for the bytes of a group, which is reused from group to group.
//!
//! A whole group takes 64 MiB, which the system would give in 16,384 pages. Clearing and mapping these takes longer than the
//! code. So a long group is in a mapping of its own, for which huge pages are asked. Where there are none, and if the system
//! gives no mapping, the room is like a `Vec`.

use std::ops::Deref;

use memmap2::MmapMut;

/// Fewer bytes are in a `Vec`, which grows.
const MAPPED_MIN: usize = 2 << 20;

/// Bytes, and room for more.
#[derive(Default)]
pub(crate) struct Room {
    bytes: Vec<u8>,
    /// Holds the bytes instead, as soon as there are many: the mapping, and how many bytes are there.
    mapped: Option<(MmapMut, usize)>,
}

impl Room {
    /// Appends bytes. As a rule there will be at most `span` of them.
    pub(crate) fn extend(&mut self, bytes: &[u8], span: usize) {
        let needed = self.len() + bytes.len();
        if needed > self.capacity() {
            self.grow(needed, span);
        }
        match &mut self.mapped {
            Some((map, len)) => {
                map[*len..needed].copy_from_slice(bytes);
                *len = needed;
            }
            None => self.bytes.extend_from_slice(bytes),
        }
    }

    /// Removes all bytes, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        if let Some((_, len)) = &mut self.mapped {
            *len = 0;
        }
    }

    fn capacity(&self) -> usize {
        self.mapped.as_ref().map_or(self.bytes.capacity(), |(map, _)| map.len())
    }

    fn grow(&mut self, needed: usize, span: usize) {
        // Twice as much, but not more than a span if that is enough.
        let twice = (2 * self.capacity()).min(span).max(needed);
        if needed > MAPPED_MIN
            && let Some(mut map) = huge(span.max(if needed > span { 2 * needed } else { 0 }))
        {
            let len = self.len();
            map[..len].copy_from_slice(self);
            *self = Self { bytes: Vec::new(), mapped: Some((map, len)) };
            return;
        }
        if let Some((map, len)) = self.mapped.take() {
            self.bytes = Vec::with_capacity(twice);
            self.bytes.extend_from_slice(&map[..len]);
        }
        self.bytes.reserve_exact(twice - self.bytes.len());
    }
}

impl Deref for Room {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.mapped {
            Some((map, len)) => &map[..*len],
            None => &self.bytes,
        }
    }
}

/// A mapping of so many zeros. Its pages are given when they are first written.
fn huge(len: usize) -> Option<MmapMut> {
    let map = MmapMut::map_anon(len).ok()?;
    #[cfg(target_os = "linux")]
    // Small pages do as well.
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::random;

    #[test]
    fn a_room_holds_what_it_was_given() {
        let data = random(9_000_000);
        for span in [64 << 10, 3 << 20, 64 << 20] {
            let mut room = Room::default();
            for turn in 0..2 {
                let parts = [1, 70_000, 2_000_000, 0, 200_000, 6_729_999];
                let mut at = 0;
                for len in parts {
                    room.extend(&data[at..at + len], span);
                    at += len;
                    assert!(*room == data[..at], "{at} bytes, span {span}, turn {turn}");
                }
                room.clear();
                assert!(room.is_empty());
            }
        }
    }
}
