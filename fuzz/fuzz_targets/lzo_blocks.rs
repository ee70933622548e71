//! Any bytes as a block of LZO1X and of LZF: no panic, and nothing is written behind the data into more room.
//!
//! The first byte of the input chooses the format, and the next two say how much room there is. The data must be the
//! same with just as much room as it needs. A plain loop that decodes byte by byte is the peer.

#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;
use pzcomp_lzo::{Error, lzf, lzo1x};

fuzz_target!(|data: &[u8]| {
    let Some((&[kind, r1, r0], coded)) = data.split_first_chunk() else { return };
    let room_len = usize::from(u16::from_be_bytes([r1, r0])) * 4;
    let (decode, peer): (fn(&[u8], &mut [u8]) -> Result<usize, Error>, fn(&[u8], usize) -> Option<Vec<u8>>) =
        match kind % 2 {
            0 => (lzo1x::decompress, plain_lzo),
            _ => (lzf::decompress, plain_lzf),
        };
    let mut room = vec![0xa5; room_len];
    let result = decode(coded, &mut room);
    let expected = peer(coded, room_len);
    assert_eq!(result.ok(), expected.as_ref().map(Vec::len));
    if let (Ok(len), Some(expected)) = (result, expected) {
        assert!(room[..len] == expected);
        let mut exact = vec![0; len];
        assert_eq!(decode(coded, &mut exact), Ok(len));
        assert!(exact == expected);
    }
});

/// The bytes of a block, one after another.
struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl Bytes<'_> {
    fn next(&mut self) -> Option<usize> {
        self.0.next().map(|&byte| byte.into())
    }

    fn long(&mut self, mut len: usize) -> Option<usize> {
        loop {
            match self.next()? {
                0 => len += 255,
                byte => return Some(len + byte),
            }
        }
    }
}

/// Data of at most so many bytes.
struct Plain(Vec<u8>, usize);

impl Plain {
    fn literals(&mut self, bytes: &mut Bytes, len: usize) -> Option<()> {
        for _ in 0..len {
            self.push(bytes.next()? as u8)?;
        }
        Some(())
    }

    fn repeat(&mut self, distance: usize, len: usize) -> Option<()> {
        for _ in 0..len {
            let from = self.0.len().checked_sub(distance)?;
            self.push(self.0[from])?;
        }
        Some(())
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        self.0.push(byte);
        (self.0.len() <= self.1).then_some(())
    }
}

/// As `lzf::decompress`.
fn plain_lzf(coded: &[u8], room_len: usize) -> Option<Vec<u8>> {
    let (mut bytes, mut plain) = (Bytes(coded.iter()), Plain(Vec::new(), room_len));
    while let Some(control) = bytes.next() {
        if control < 32 {
            plain.literals(&mut bytes, control + 1)?;
            continue;
        }
        let len = match control >> 5 {
            7 => bytes.next()? + 9,
            len => len + 2,
        };
        plain.repeat(((control & 31) << 8) + bytes.next()? + 1, len)?;
    }
    Some(plain.0)
}

/// As `lzo1x::decompress`.
fn plain_lzo(coded: &[u8], room_len: usize) -> Option<Vec<u8>> {
    let (mut bytes, mut plain) = (Bytes(coded.iter()), Plain(Vec::new(), room_len));
    let mut before = 0;
    if coded.first().is_some_and(|&first| first > 17) {
        let len = bytes.next()? - 17;
        plain.literals(&mut bytes, len)?;
        before = len.min(4);
    }
    loop {
        let code = bytes.next()?;
        let (distance, len, after);
        match code {
            0..16 if before == 0 => {
                let len = if code == 0 { bytes.long(18)? } else { code + 3 };
                plain.literals(&mut bytes, len)?;
                before = 4;
                continue;
            }
            0..16 => {
                let far = if before == 4 { 2048 } else { 0 };
                (distance, len) =
                    ((bytes.next()? << 2) + (code >> 2) + 1 + far, if before == 4 { 3 } else { 2 });
                after = code & 3;
            }
            16..64 => {
                let mask = if code < 32 { 7 } else { 31 };
                len = 2 + if code & mask == 0 { bytes.long(mask)? } else { code & mask };
                let place = bytes.next()? + (bytes.next()? << 8);
                after = place & 3;
                distance = match code {
                    16..32 => 16384 + ((code & 8) << 11) + (place >> 2),
                    _ => (place >> 2) + 1,
                };
                if code < 32 && distance == 16384 {
                    return bytes.next().is_none().then_some(plain.0);
                }
            }
            _ => {
                (distance, len) = ((bytes.next()? << 3) + (code >> 2 & 7) + 1, (code >> 5) + 1);
                after = code & 3;
            }
        }
        plain.repeat(distance, len)?;
        plain.literals(&mut bytes, after)?;
        before = after;
    }
}
