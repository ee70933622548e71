//! The archive itself: its list of files, and the data of those that are chosen.
//!
//! [`SevenZ::read`] reads the list, and [`SevenZ::decode`] gives out the data. `sevenz-rust2` parses and decodes, and a
//! panic of it is an error. This file needs nothing else of the command, so the fuzz target `sevenz` compiles it alone.

use std::cell::Cell;
use std::io::{Read, Seek, SeekFrom};
use std::panic;
use std::sync::Once;

use pzcomp::{ArchiveEntry, EntryChoice, printable};
use sevenz_rust2::{Archive, BlockDecoder, EncoderMethod, Error as Fault, Password};

/// A file of at most this length is given out only when it is verified. Longer files are given out in such pieces.
const PIECE_LEN: usize = 4 << 20;

/// An archive, and which of its files are decoded.
pub(crate) struct SevenZ {
    pub(crate) archive: Archive,
    pub(crate) entries: Vec<ArchiveEntry>,
    /// The numbers of the chosen files in the archive.
    pub(crate) chosen: Vec<usize>,
    /// The length of the whole archive.
    pub(crate) coded_len: u64,
}

impl SevenZ {
    /// Reads the list of an archive, for which there is so much memory, and applies a choice to its files.
    pub(crate) fn read(
        place: &mut (impl Read + Seek),
        kib: usize,
        choice: &EntryChoice,
    ) -> Result<Self, Fault> {
        let archive = guarded(|| Archive::read_with_memory_limit(place, &Password::empty(), kib))?;
        let coded_len = place.seek(SeekFrom::End(0))?;
        let mut read = Self { archive, entries: Vec::new(), chosen: Vec::new(), coded_len };
        read.choose(choice);
        Ok(read)
    }

    /// Lists the files, and marks those of this choice.
    fn choose(&mut self, choice: &EntryChoice) {
        let files = self.archive.files.iter().enumerate();
        let files: Vec<_> = files.filter(|(_, file)| !file.is_directory && !file.is_anti_item).collect();
        let has_data = files.iter().any(|(_, file)| file.has_stream);
        let mut last_block = None;
        for (number, file) in files {
            let is_chosen = match choice {
                EntryChoice::All => true,
                // 7z lists empty files before all others.
                EntryChoice::First => self.chosen.is_empty() && (file.has_stream || !has_data),
                EntryChoice::Named(name) => self.chosen.is_empty() && name[..] == *file.name.as_bytes(),
                EntryChoice::Number(number) => self.entries.len() as u64 + 1 == *number,
                _ => false,
            };
            if is_chosen {
                self.chosen.push(number);
            }
            // As in the lists of 7z, the first file of a block has all of its packed data.
            let block = self.archive.stream_map.file_block_index.get(number).copied().flatten();
            let is_first = block.is_some() && block != last_block;
            last_block = block.or(last_block);
            let mut entry = ArchiveEntry::default();
            entry.name = printable(file.name.as_bytes());
            entry.plain_len = file.size;
            entry.coded_len = block.filter(|_| is_first).map_or(0, |block| self.packed_len(block));
            entry.is_chosen = is_chosen;
            self.entries.push(entry);
        }
    }

    /// The coded length of a block.
    fn packed_len(&self, block: usize) -> u64 {
        let firsts = self.archive.stream_map.block_first_pack_stream_index();
        let sizes = self.archive.pack_sizes();
        let first = firsts.get(block).copied().unwrap_or(sizes.len());
        let behind = firsts.get(block + 1).copied().unwrap_or(sizes.len());
        sizes.get(first..behind).unwrap_or_default().iter().fold(0, |sum, len| len.saturating_add(sum))
    }

    /// Decodes the blocks with chosen files, and gives out the data of those files.
    pub(crate) fn decode(&self, mut source: impl Read + Seek, kib: usize, give: Give) -> Result<(), Fault> {
        guarded(|| self.decode_blocks(&mut source, kib, give))
    }

    fn decode_blocks(&self, mut source: impl Read + Seek, kib: usize, give: Give) -> Result<(), Fault> {
        let (map, password) = (&self.archive.stream_map, Password::empty());
        let mut left = self.chosen.iter().filter_map(|&number| Some((map.file_block_index[number]?, number)));
        let mut next = left.next();
        while let Some((block, _)) = next {
            self.check_methods(block)?;
            let mut number = map.block_first_file_index[block];
            let (archive, source) = (&self.archive, &mut source);
            let decoder = BlockDecoder::new_with_memory_limit(1, kib, block, archive, &password, source);
            decoder.for_each_entries(&mut |file, data| {
                // What was not chosen is decoded too, up to the last chosen file of the block.
                if next == Some((block, number)) {
                    give_file(data, file.size, give)?;
                    next = left.next();
                }
                number += 1;
                Ok(next.is_some_and(|(of, _)| of == block))
            })?;
            if next.is_some_and(|(of, _)| of == block) {
                return Err(Fault::Other("a file is in no block".into()));
            }
        }
        Ok(())
    }

    /// Names a method that is not decoded. Methods that take several inputs would be slow.
    fn check_methods(&self, block: usize) -> Result<(), Fault> {
        const READ: [&[u8]; 5] = [
            EncoderMethod::ID_COPY,
            EncoderMethod::ID_LZMA,
            EncoderMethod::ID_LZMA2,
            EncoderMethod::ID_BZIP2,
            EncoderMethod::ID_DEFLATE,
        ];
        for coder in &self.archive.blocks[block].coders {
            let id = coder.encoder_method_id();
            if !READ.contains(&id) {
                let name = EncoderMethod::by_id(id)
                    .map_or_else(|| format!("{id:02x?}"), |known| known.name().into());
                return Err(Fault::UnsupportedCompressionMethod(name));
            }
        }
        Ok(())
    }
}

/// Runs code of the library of archives, of which a panic is an error too, and prints nothing.
fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    thread_local! {
        static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            if !IS_GUARDED.get() {
                usual(about);
            }
        }));
    });
    IS_GUARDED.set(true);
    let done = panic::catch_unwind(panic::AssertUnwindSafe(work));
    IS_GUARDED.set(false);
    done.unwrap_or_else(|_| Err(Fault::Other("it cannot be parsed".into())))
}

/// Takes data of files. It fails if nobody wants more.
pub(crate) type Give<'a> = &'a mut dyn FnMut(Vec<u8>) -> Result<(), Fault>;

/// Gives out the data of a file. Of a short one nothing is given out before all is read, and so verified.
fn give_file(data: &mut dyn Read, len: u64, give: Give) -> Result<(), Fault> {
    let mut left = len;
    while left > 0 {
        let mut piece = Vec::new();
        data.take(PIECE_LEN as u64).read_to_end(&mut piece)?;
        left = left.saturating_sub(piece.len() as u64);
        if left == 0 || piece.is_empty() {
            // The check comes with the end.
            let more = data.read(&mut [0])?;
            left = 0;
            if more > 0 {
                return Err(Fault::Other("it is longer than the archive states".into()));
            }
        }
        if !piece.is_empty() {
            give(piece)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "../../fuzz/src/seeds.rs"]
#[allow(clippy::duplicate_mod)] // `src/arguments.rs` has it too.
mod seeds;

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, ErrorKind};

    use super::seeds::seeds;
    use super::*;

    /// Lists and decodes any bytes. Returns the data, or an error. Not more than 16 MiB are decoded.
    fn read(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut place = Cursor::new(bytes);
        let archive = SevenZ::read(&mut place, 1100, &EntryChoice::All)?;
        let mut data = Vec::new();
        archive.decode(BufReader::new(place), 64 << 10, &mut |piece| {
            data.extend(piece);
            if data.len() > 16 << 20 {
                Err(std::io::Error::from(ErrorKind::BrokenPipe).into())
            } else {
                Ok(())
            }
        })?;
        let stated: u64 = archive.entries.iter().map(|entry| entry.plain_len).sum();
        assert_eq!(data.len() as u64, stated);
        Ok(data)
    }

    /// The start header and the list carry a CRC-32, which is made right again: damage alone is found by it.
    fn with_checks(mut bytes: Vec<u8>) -> Vec<u8> {
        let number = |bytes: &[u8]| {
            usize::try_from(u64::from_le_bytes(bytes.try_into().unwrap())).unwrap_or(usize::MAX)
        };
        let (start, len) = (number(&bytes[12..20]).saturating_add(32), number(&bytes[20..28]));
        if let Some(list) = bytes.get(start..start.saturating_add(len)) {
            let crc = libdeflater::crc32(list);
            bytes[28..32].copy_from_slice(&crc.to_le_bytes());
        }
        let crc = libdeflater::crc32(&bytes[12..32]);
        bytes[8..12].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    #[test]
    fn seven_z_archives_with_mutated_headers_are_read_or_refused() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let (mut read_again, mut refused) = (0, 0);
        for (_, seed) in seeds("sevenz") {
            assert!(read(&seed).is_ok_and(|data| !data.is_empty()));
            for round in 0..600 {
                let mut bytes = seed.clone();
                // The list is at the end. Every fourth time the start or the data is changed.
                let from = if round % 4 == 0 { 12 } else { bytes.len().saturating_sub(150).max(32) };
                for _ in 0..1 + random(3) {
                    let at = from + random(bytes.len() - from);
                    bytes[at] = [0, 0xff, 0x80, random(256) as u8][random(4)];
                }
                if round % 5 == 0 {
                    bytes.truncate(32 + random(bytes.len() - 32));
                }
                match read(&with_checks(bytes)) {
                    Ok(_) => read_again += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(read_again > 0 && refused > read_again, "{read_again} {refused}");
    }
}
