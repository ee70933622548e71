//! The move-to-front list of the decoder: the bytes of a block, the last one used in front.
//!
//! A symbol of a block is the place of a byte in this list. [`Recency::take`] returns the byte and moves it to the
//! front. The first 16 places are moved in one register.

/// How many places in front are moved in a register.
const NEAR: usize = 16;

/// The bytes in use, the last one used first.
pub(super) struct Recency([u8; 256]);

impl Recency {
    /// Begins with the bytes in use in ascending order, at most 256. Returns how many they are.
    pub(super) fn new(used: impl Iterator<Item = u8>) -> (Self, usize) {
        let mut list = [0; 256];
        let mut count = 0;
        for (place, byte) in list.iter_mut().zip(used) {
            *place = byte;
            count += 1;
        }
        (Self(list), count)
    }

    pub(super) fn front(&self) -> u8 {
        self.0[0]
    }

    /// Moves the byte at `place` to the front, and returns it.
    #[inline(always)]
    pub(super) fn take(&mut self, place: u8) -> u8 {
        let place = usize::from(place);
        if place < NEAR
            && let Some(near) = self.0.first_chunk_mut::<NEAR>()
        {
            let byte = near[place];
            let before = u128::from_le_bytes(*near);
            let moved = u128::MAX >> (8 * (NEAR - 1 - place));
            let after = (before & !moved) | ((before << 8) & moved) | u128::from(byte);
            *near = after.to_le_bytes();
            return byte;
        }
        let byte = self.0[place];
        self.0.copy_within(..place, 1);
        self.0[0] = byte;
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_to_the_front() {
        let (mut list, count) = Recency::new((0..=255).rev());
        assert_eq!(count, 256);
        let mut plain: Vec<u8> = (0..=255).rev().collect();
        for round in 0..2_000_u32 {
            let place = ((round * 7919) >> 3) as u8;
            let byte = plain.remove(place.into());
            plain.insert(0, byte);
            assert_eq!((list.take(place), list.front()), (byte, byte));
            assert_eq!(list.0[..], plain[..]);
        }
    }
}
