//! Writers of the formats of lzop and of liblzf's `lzf`, which pzcomp does not write.
//!
//! They are small and slow. `tests/formats/old_formats.rs` shows that lzop reads what [`Lzop`] writes.

/// Where the bytes of a block come from.
enum Token {
    Literals(Vec<u8>),
    Repeat { distance: usize, len: usize },
}

/// Finds repeats of `least` to `most` bytes up to `farthest` bytes before, greedily.
fn tokens(plain: &[u8], least: usize, most: usize, farthest: usize) -> Vec<Token> {
    let (mut tokens, mut literals, mut at) = (Vec::new(), Vec::new(), 0);
    // The last place of four bytes, by a hash of them. Those behind the end are none.
    let mut seen = vec![usize::MAX; 1 << 16];
    while at < plain.len() {
        let before = plain[at..].first_chunk().and_then(|four| {
            let slot = u32::from_le_bytes(*four).wrapping_mul(0x9E37_79B1) >> 16;
            let before = std::mem::replace(&mut seen[slot as usize], at);
            Some(before).filter(|&before| before < at && at - before <= farthest)
        });
        let len = before.map_or(0, |before| {
            (0..most.min(plain.len() - at)).take_while(|&i| plain[before + i] == plain[at + i]).count()
        });
        if let Some(before) = before.filter(|_| len >= least) {
            if !literals.is_empty() {
                tokens.push(Token::Literals(std::mem::take(&mut literals)));
            }
            tokens.push(Token::Repeat { distance: at - before, len });
            at += len;
        } else {
            literals.push(plain[at]);
            at += 1;
        }
    }
    if !literals.is_empty() {
        tokens.push(Token::Literals(literals));
    }
    tokens
}

/// A length behind the first byte: 255 for each zero, and the rest.
fn long(coded: &mut Vec<u8>, mut len: usize) {
    while len > 255 {
        coded.push(0);
        len -= 255;
    }
    coded.push(len as u8);
}

/// A block of LZO1X.
pub fn lzo1x(plain: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    // Where the last repeat has the number of literals behind it.
    let mut count_at = None;
    for token in tokens(plain, 4, 5000, 16384) {
        match token {
            Token::Literals(bytes) => {
                match (count_at.take(), bytes.len()) {
                    (None, len @ 1..=238) => coded.push(17 + len as u8),
                    (Some(at), len @ 1..=3) => {
                        let at: usize = at;
                        coded[at] |= len as u8;
                    }
                    (_, len @ 4..=18) => coded.push(len as u8 - 3),
                    (_, len) => {
                        coded.push(0);
                        long(&mut coded, len - 18);
                    }
                }
                coded.extend(bytes);
            }
            Token::Repeat { distance, len } => {
                match len - 2 {
                    len @ 1..=31 => coded.push(32 | len as u8),
                    len => {
                        coded.push(32);
                        long(&mut coded, len - 31);
                    }
                }
                count_at = Some(coded.len());
                coded.extend((((distance - 1) << 2) as u16).to_le_bytes());
            }
        }
    }
    coded.extend([0x11, 0, 0]);
    coded
}

fn lzf_block(plain: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    for token in tokens(plain, 4, 264, 8192) {
        match token {
            Token::Literals(bytes) => {
                for bytes in bytes.chunks(32) {
                    coded.push(bytes.len() as u8 - 1);
                    coded.extend(bytes);
                }
            }
            Token::Repeat { distance, len } => {
                let high = ((distance - 1) >> 8) as u8;
                match len - 2 {
                    len @ ..7 => coded.push((len as u8) << 5 | high),
                    len => coded.extend([7 << 5 | high, (len - 7) as u8]),
                }
                coded.push((distance - 1) as u8);
            }
        }
    }
    coded
}

/// A file of `lzf`, of blocks of this length.
pub fn lzf(plain: &[u8], block_len: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for plain in plain.chunks(block_len) {
        let coded = lzf_block(plain);
        let plain_len = (plain.len() as u16).to_be_bytes();
        if coded.len() < plain.len() {
            file.extend(b"ZV\x01");
            file.extend((coded.len() as u16).to_be_bytes());
            file.extend(plain_len);
            file.extend(coded);
        } else {
            file.extend(b"ZV\x00");
            file.extend(plain_len);
            file.extend(plain);
        }
    }
    file
}

/// How a file of lzop is written.
#[derive(Clone)]
pub struct Lzop {
    pub version: u16,
    pub needed: u16,
    pub method: u8,
    pub flags: u32,
    pub filter: u32,
    pub name: &'static str,
    pub extra: &'static [u8],
    pub block_len: usize,
}

impl Default for Lzop {
    /// As lzop 1.04, with Adler-32 of the plain data.
    fn default() -> Self {
        let (name, extra) = ("data", &b""[..]);
        Self {
            version: 0x1040,
            needed: 0x0940,
            method: 1,
            flags: 0x0300_0001,
            filter: 0,
            name,
            extra,
            block_len: 5000,
        }
    }
}

impl Lzop {
    fn sum(&self, is_crc: bool, bytes: &[u8]) -> u32 {
        if is_crc {
            let mut crc = flate2::Crc::new();
            crc.update(bytes);
            return crc.sum();
        }
        super::qpress::adler32(bytes)
    }

    /// The header, with its checksums.
    pub fn header(&self) -> Vec<u8> {
        let mut fields = Vec::new();
        fields.extend(self.version.to_be_bytes());
        fields.extend(0x20a0_u16.to_be_bytes());
        let is_long = self.version >= 0x0940;
        if is_long {
            fields.extend(self.needed.to_be_bytes());
        }
        fields.push(self.method);
        if is_long {
            fields.push(5);
        }
        let flags = self.flags | if self.extra.is_empty() { 0 } else { 0x40 };
        fields.extend(flags.to_be_bytes());
        if flags & 0x800 != 0 {
            fields.extend(self.filter.to_be_bytes());
        }
        fields.extend(0o100_644_u32.to_be_bytes());
        fields.extend(1_600_000_000_u32.to_be_bytes());
        if is_long {
            fields.extend([0; 4]);
        }
        fields.push(self.name.len() as u8);
        fields.extend(self.name.bytes());
        let is_crc = flags & 0x1000 != 0;
        let mut header = b"\x89LZO\0\r\n\x1a\n".to_vec();
        header.extend(&fields);
        header.extend(self.sum(is_crc, &fields).to_be_bytes());
        if !self.extra.is_empty() {
            let extra = [&(self.extra.len() as u32).to_be_bytes(), self.extra].concat();
            header.extend(&extra);
            header.extend(self.sum(is_crc, &extra).to_be_bytes());
        }
        header
    }

    pub fn block(&self, plain: &[u8]) -> Vec<u8> {
        let coded = lzo1x(plain);
        let data = if coded.len() < plain.len() { &coded } else { plain };
        let mut block = (plain.len() as u32).to_be_bytes().to_vec();
        block.extend((data.len() as u32).to_be_bytes());
        for (flag, is_crc, is_coded) in
            [(1, false, false), (0x100, true, false), (2, false, true), (0x200, true, true)]
        {
            if self.flags & flag != 0 && (!is_coded || data.len() < plain.len()) {
                let sum = self.sum(is_crc, if is_coded { data } else { plain });
                block.extend(sum.to_be_bytes());
            }
        }
        block.extend(data);
        block
    }

    pub fn file(&self, plain: &[u8]) -> Vec<u8> {
        let mut file = self.header();
        plain.chunks(self.block_len).for_each(|plain| file.extend(self.block(plain)));
        file.extend([0; 4]);
        file
    }
}
