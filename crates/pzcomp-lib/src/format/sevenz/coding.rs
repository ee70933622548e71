//! How a folder is packed, as far as pzcomp decodes it.
//!
//! A [`Folder`] of the header comes in, and a [`Coding`] goes out, or the reason why the folder is refused.

use pzcomp_sevenz::{Folder, Method};

/// How a folder is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Copy,
    /// `lc`, `lp` and `pb` in one byte, and the length of the dictionary.
    Lzma {
        properties: u8,
        dict_len: u32,
    },
    Lzma2 {
        dict_len: u32,
    },
    Deflate,
    Bzip2,
}

/// The greatest properties byte of LZMA, (pb × 5 + lp) × 9 + lc.
const PROPERTIES_MAX: u8 = (4 * 5 + 4) * 9 + 8;
/// The greatest number that stands for the length of an LZMA2 dictionary.
const DICT_NUMBER_MAX: u8 = 40;

impl Coding {
    /// How the folder is packed. Otherwise words that continue the sentence "The folder …".
    pub(super) fn of(folder: &Folder) -> Result<Self, String> {
        let refuse = |name: &dyn std::fmt::Display| {
            Err(format!(
                "is packed with {name}, which pzcomp does not read. It reads Copy, LZMA, LZMA2, BZip2 and Deflate; use 7z"
            ))
        };
        let known = [Method::COPY, Method::LZMA, Method::LZMA2, Method::BZIP2, Method::DEFLATE];
        if let Some(unknown) = folder.coders.iter().find(|coder| !known.contains(&coder.method)) {
            return refuse(&unknown.method);
        }
        let [coder] = &folder.coders[..] else { return refuse(&"several methods, one behind the other") };
        if folder.packed_streams != 1 {
            return refuse(&"a method that takes several streams");
        }
        let damaged = || Err(format!("states properties of {} that are not valid", coder.method));
        Ok(match coder.method {
            Method::COPY => Self::Copy,
            Method::DEFLATE => Self::Deflate,
            Method::BZIP2 => Self::Bzip2,
            Method::LZMA => match coder.properties[..] {
                [properties @ ..=PROPERTIES_MAX, d0, d1, d2, d3] => {
                    Self::Lzma { properties, dict_len: u32::from_le_bytes([d0, d1, d2, d3]) }
                }
                _ => return damaged(),
            },
            _ => match coder.properties[..] {
                [DICT_NUMBER_MAX] => Self::Lzma2 { dict_len: u32::MAX },
                [number @ ..DICT_NUMBER_MAX] => {
                    Self::Lzma2 { dict_len: (2 | u32::from(number & 1)) << (number / 2 + 11) }
                }
                _ => return damaged(),
            },
        })
    }
}

/// The dictionary for data of this length. No match reaches farther back than its start.
pub(super) fn dict_len(stated: u32, plain_len: u64) -> u32 {
    /// liblzma has no shorter dictionary.
    const DICT_MIN: u32 = 4096;
    stated.min(u32::try_from(plain_len).unwrap_or(u32::MAX)).max(DICT_MIN)
}
