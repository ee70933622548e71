//! Makes streams by hand, block by block.
//!
//! A test gives a [`Writer`] the code lengths and the symbols of each block, valid or not, and gets the bytes of the
//! stream. The writer checks nothing.

/// The lengths of a code in which these symbols have these lengths, and all other symbols have no code.
pub(super) fn lens<const N: usize>(first: &[(usize, u8)]) -> [u8; N] {
    let mut lens = [0; N];
    for &(symbol, len) in first {
        lens[symbol] = len;
    }
    lens
}

/// The canonical code of the symbols with these lengths.
fn codes(lens: &[u8]) -> Vec<u32> {
    let mut codes = vec![0; lens.len()];
    let mut code = 0;
    for len in 1..16 {
        for (symbol, _) in lens.iter().enumerate().filter(|&(_, &other)| other == len) {
            codes[symbol] = code;
            code += 1;
        }
        code <<= 1;
    }
    codes
}

/// The codes of the block being written.
#[derive(Clone, Default)]
struct Code {
    lens: Vec<u8>,
    codes: Vec<u32>,
}

impl Code {
    fn new(lens: &[u8]) -> Self {
        Self { lens: lens.to_vec(), codes: codes(lens) }
    }
}

/// Writes a stream.
#[derive(Clone, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    bits: u32,
    litlen: Code,
    distance: Code,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn bits(mut self, value: usize, count: u32) -> Self {
        for bit in 0..count {
            if self.bits.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.len() - 1;
            // Some counts are greater than the words of the machine.
            self.bytes[last] |= ((value.checked_shr(bit).unwrap_or(0) & 1) as u8) << (self.bits % 8);
            self.bits += 1;
        }
        self
    }

    /// A code comes with its first bit first.
    fn code(mut self, code: u32, len: u8) -> Self {
        for bit in (0..len).rev() {
            self = self.bits((code >> bit & 1) as usize, 1);
        }
        self
    }

    pub(super) fn stored(mut self, is_last: bool, bytes: &[u8]) -> Self {
        self = self.bits(usize::from(is_last), 3);
        self.bits = self.bits.next_multiple_of(8);
        self = self.bits(bytes.len(), 16).bits(!bytes.len() & 0xffff, 16);
        bytes.iter().fold(self, |writer, &byte| writer.bits(byte.into(), 8))
    }

    pub(super) fn fixed(mut self, is_last: bool) -> Self {
        let mut litlen = [8; 288];
        litlen[144..256].fill(9);
        litlen[256..280].fill(7);
        (self.litlen, self.distance) = (Code::new(&litlen), Code::new(&[5; 32]));
        self.bits(usize::from(is_last) | 1 << 1, 3)
    }

    /// The header of a dynamic block up to its code lengths; each of these takes four bits.
    pub(super) fn dynamic_counts(self, is_last: bool, litlen: usize, distance: usize) -> Self {
        let writer = self.bits(usize::from(is_last) | 2 << 1, 3);
        let writer = writer.bits(litlen - 257, 5).bits(distance - 1, 5).bits(19 - 4, 4);
        [0; 3].iter().chain(&[4; 16]).fold(writer, |writer, &len| writer.bits(len, 3))
    }

    pub(super) fn dynamic(self, is_last: bool, litlen: &[u8], distance: &[u8]) -> Self {
        let writer = self.dynamic_counts(is_last, litlen.len(), distance.len());
        let mut writer =
            litlen.iter().chain(distance).fold(writer, |writer, &len| writer.code(len.into(), 4));
        (writer.litlen, writer.distance) = (Code::new(litlen), Code::new(distance));
        writer
    }

    /// A literal, a length without its extra bits, or the end of the block.
    pub(super) fn symbol(self, symbol: usize) -> Self {
        let (code, len) = (self.litlen.codes[symbol], self.litlen.lens[symbol]);
        self.code(code, len)
    }

    pub(super) fn text(self, text: &[u8]) -> Self {
        text.iter().fold(self, |writer, &byte| writer.symbol(byte.into()))
    }

    pub(super) fn distance(self, symbol: usize) -> Self {
        let (code, len) = (self.distance.codes[symbol], self.distance.lens[symbol]);
        self.code(code, len)
    }

    pub(super) fn end(self) -> Self {
        self.symbol(256)
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
