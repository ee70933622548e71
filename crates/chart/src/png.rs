//! A PNG file of plain RGB pixels: what a picture of few colours needs, with the crates that are here
//! anyway.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// PNG, section 5.2: what the file begins with.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Section 11.2.1: 8 bits per sample, RGB, and the only methods there are.
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

/// Section 5.3: length, type, data, and the checksum of the latter two.
fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let checked = file.len();
    file.extend(kind);
    file.extend(data);
    let crc = crc32fast::hash(&file[checked..]);
    file.extend(crc.to_be_bytes());
}
