//! The dictionary of `-D`: a regular file that libzstd accepts.
//!
//! [`read`] takes the path and returns the dictionary and the facts of its file, by which `source` refuses it as
//! an input.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use pzcomp::{Dictionary, Error};
use system::facts::Facts;

use super::super::system_text;
use super::messages;

/// Reads the dictionary. An error is the number that zstd uses for such a failure, and the text.
pub(in super::super) fn read(path: &Path) -> Result<(Dictionary, Facts), (u8, String)> {
    let name = path.display();
    let facts = Facts::at(path)
        .map_err(|error| (31, format!("Stat failed on dictionary file {name}: {}", system_text(&error))))?;
    if !facts.is_file() {
        return Err((32, format!("Dictionary {name} must be a regular file.")));
    }
    let too_large = || (34, format!("Dictionary file {name} is too large (> {} bytes)", Dictionary::MAX_LEN));
    let max_len = Dictionary::MAX_LEN as u64;
    if facts.len() > max_len {
        return Err(too_large());
    }
    let file = File::open(path)
        .map_err(|error| (33, format!("Couldn't open dictionary {name}: {}", system_text(&error))))?;
    let mut bytes = Vec::new();
    // The file may have grown since its length was read.
    file.take(max_len + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| (35, format!("Error reading dictionary file {name} : {}", system_text(&error))))?;
    if bytes.len() as u64 > max_len {
        return Err(too_large());
    }
    let damaged = |error: Error| (messages::OUT_OF_BOUND, format!("dictionary {name}: {error}"));
    Ok((Dictionary::new(bytes).map_err(damaged)?, facts))
}
