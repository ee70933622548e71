//! Dictionaries (RFC 8878, section 5): content that matches may reach, and perhaps tables and offsets to begin with.

use crate::context::{FseDescription, HuffmanDescription, TableContext};
use crate::fse::read_counts;
use crate::huffman::weights::{description_len, read_weights};
use crate::sequences::codes::Kind;
use crate::{Error, FrameHeader};

/// The first four bytes of a formatted dictionary, little-endian.
const MAGIC: u32 = 0xEC30_A437;

/// The offsets that repeat codes stand for at the start of a frame without a formatted dictionary.
pub(crate) const FIRST_OFFSETS: [u32; 3] = [1, 4, 8];

/// A dictionary that is ready for use.
///
/// [`crate::FrameDecoder`] and [`crate::StreamDecoder`] refuse a frame that states the id of another dictionary. A
/// program that uses [`crate::Executor`] itself compares [`Dictionary::id`] with [`FrameHeader::dictionary_id`].
#[derive(Debug, Clone)]
pub struct Dictionary {
    id: Option<u32>,
    content: Vec<u8>,
    pub(crate) context: TableContext,
    pub(crate) offsets: [u32; 3],
}

impl Dictionary {
    /// Reads a dictionary as libzstd does: with the magic number it is a formatted one and must be valid, without it is
    /// raw content.
    pub fn new(bytes: &[u8]) -> Result<Self, Error> {
        match bytes.first_chunk() {
            Some(magic) if bytes.len() >= 8 && u32::from_le_bytes(*magic) == MAGIC => {
                Self::formatted(bytes).ok_or(Error::Dictionary)
            }
            _ => Ok(Self::raw(bytes)),
        }
    }

    /// A dictionary of content only, whatever it begins with.
    #[must_use]
    pub fn raw(content: &[u8]) -> Self {
        Self { id: None, content: content.to_vec(), context: TableContext::new(), offsets: FIRST_OFFSETS }
    }

    fn formatted(bytes: &[u8]) -> Option<Self> {
        let id = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?);
        let rest = bytes.get(8..)?;
        let mut context = TableContext::new();
        let (huffman, mut rest) = rest.split_at(description_len(rest)?);
        read_weights(huffman)?;
        context.huffman = Some(HuffmanDescription::new(huffman)?);
        for (slot, kind) in [(1, Kind::Offset), (2, Kind::MatchLength), (0, Kind::LiteralLength)] {
            let mut counts = [0; 53];
            let read = read_counts(rest, &mut counts[..kind.codes()])?;
            if read.accuracy_log > kind.accuracy_log_max() {
                return None;
            }
            let (description, behind) = rest.split_at(read.len);
            context.fse[slot] = FseDescription::described(description)?;
            rest = behind;
        }
        let mut offsets = [0; 3];
        for offset in &mut offsets {
            let (&bytes, behind) = rest.split_first_chunk()?;
            *offset = u32::from_le_bytes(bytes);
            rest = behind;
        }
        let content = rest.to_vec();
        let is_valid = |&offset: &u32| offset != 0 && offset as usize <= content.len();
        offsets.iter().all(is_valid).then_some(Self {
            id: Some(id).filter(|&id| id != 0),
            content,
            context,
            offsets,
        })
    }

    /// The id of a formatted dictionary.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// Whether frames with this header can be decoded with the given dictionary, or with none.
    pub(crate) fn check(given: Option<&Self>, header: &FrameHeader) -> Result<(), Error> {
        let given = given.and_then(Self::id);
        match header.dictionary_id {
            Some(needed) if given != Some(needed) => Err(Error::DictionaryId { needed, given }),
            _ => Ok(()),
        }
    }

    /// The bytes that matches may reach before the start of a frame.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.content
    }
}
