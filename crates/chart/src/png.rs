//! A PNG file of plain RGB pixels.
//!
//! [`encode`] takes rows of pixels and returns the file. A picture of few colours needs no more than this. flate2 and
//! crc32fast are in the program anyway, so it needs no crate for PNG. The section numbers are those of the PNG
//! specification.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Section 5.2: the first bytes of the file.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Section 11.2.1: 8 bits per sample, RGB, and the only methods that exist.
const RGB8: [u8; 5] = [8, 2, 0, 0, 0];
/// Section 9.2: the difference from the byte above.
const FILTER_UP: u8 = 2;

/// The file for rows of 3 bytes a pixel.
pub(super) fn encode(pixels: &[u8], (width, height): (u32, u32)) -> io::Result<Vec<u8>> {
    let row_len = width as usize * 3;
    let mut above = vec![0; row_len];
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::new(9));
    let mut filtered = vec![FILTER_UP];
    for row in pixels.chunks_exact(row_len) {
        filtered.truncate(1);
        filtered.extend(row.iter().zip(&above).map(|(byte, up)| byte.wrapping_sub(*up)));
        rows.write_all(&filtered)?;
        above.copy_from_slice(row);
    }

    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend(RGB8);
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"IDAT", &rows.finish()?);
    chunk(&mut file, b"IEND", &[]);
    Ok(file)
}

/// Section 5.3: length, type, data, and the checksum of type and data.
fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let checked = file.len();
    file.extend(kind);
    file.extend(data);
    let crc = crc32fast::hash(&file[checked..]);
    file.extend(crc.to_be_bytes());
}
