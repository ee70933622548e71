//! Reads a gzip file that is one member, by RFC 1952 and a decoder that is not ours.

use flate2::{Crc, Decompress, FlushDecompress, Status};

/// What a file says that is one member and nothing else.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) flags: u8,
    pub(crate) modified: u32,
    /// XFL: 2 best, 4 fastest.
    pub(crate) effort: u8,
    pub(crate) system: u8,
    pub(crate) name: Option<String>,
    pub(crate) plain: Vec<u8>,
}

const FEXTRA: u8 = 4;
const FNAME: u8 = 8;

impl Member {
    /// Takes a file apart; or says why it is not one whole member.
    pub(crate) fn read(coded: &[u8]) -> Result<Self, String> {
        let (fixed, mut rest) = coded.split_at_checked(10).ok_or("too short for a header")?;
        let &[0x1f, 0x8b, 8, flags, m0, m1, m2, m3, effort, system] = fixed else {
            return Err(format!("not gzip: {fixed:02x?}"));
        };
        if flags & !FNAME != 0 {
            let extra = if flags & FEXTRA != 0 { " with an extra field" } else { "" };
            return Err(format!("a header that gzip does not write: flags {flags:#x}{extra}"));
        }
        let mut name = None;
        if flags & FNAME != 0 {
            let len = rest.iter().position(|&byte| byte == 0).ok_or("the name does not end")?;
            name = Some(String::from_utf8_lossy(&rest[..len]).into_owned());
            rest = &rest[len + 1..];
        }
        let (plain, deflated_len) = inflate(rest)?;
        let mut crc = Crc::new();
        crc.update(&plain);
        let trailer = [crc.sum().to_le_bytes(), (plain.len() as u32).to_le_bytes()].concat();
        if rest[deflated_len..] != trailer {
            return Err(format!("behind the data is {:02x?}, not {trailer:02x?}", &rest[deflated_len..]));
        }
        Ok(Self { flags, modified: u32::from_le_bytes([m0, m1, m2, m3]), effort, system, name, plain })
    }
}

/// What one DEFLATE stream holds, and its coded length.
fn inflate(coded: &[u8]) -> Result<(Vec<u8>, usize), String> {
    let mut decoder = Decompress::new(false);
    let mut plain = Vec::new();
    loop {
        plain.reserve(1 << 16);
        let rest = &coded[decoder.total_in() as usize..];
        let before = (decoder.total_in(), decoder.total_out());
        let status = decoder.decompress_vec(rest, &mut plain, FlushDecompress::None);
        match status.map_err(|error| error.to_string())? {
            Status::StreamEnd => return Ok((plain, decoder.total_in() as usize)),
            _ if (decoder.total_in(), decoder.total_out()) == before => return Err("it does not end".into()),
            _ => {}
        }
    }
}
