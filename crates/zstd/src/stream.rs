//! A frame that arrives piece by piece.

use std::sync::Arc;

use crate::execute::{Block, Executor, Ring};
use crate::{
    BLOCK_HEADER_LEN, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Dictionary, Error,
    Format, FrameHeader, TableContext,
};

/// Why [`StreamDecoder::feed`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// All bytes were taken, and more are needed.
    Input,
    /// A block was decoded: [`StreamDecoder::fresh`] has its bytes.
    Output,
    /// The frame ended with the bytes that were taken.
    End {
        /// The checksum that the frame states: the low four bytes of the XXH64 of the content. **Nobody has compared it
        /// with the content.** That is the caller's part.
        checksum: Option<u32>,
    },
}

/// What [`StreamDecoder::feed`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many bytes were taken.
    pub read: usize,
    /// Why it came back.
    pub pause: Pause,
}

/// What comes next in the frame.
#[derive(Debug, Clone, Copy)]
enum Next {
    Header,
    BlockHeader,
    Block(BlockHeader),
    End { has_checksum: bool },
}

/// What a frame has after its header.
#[derive(Debug)]
struct Begun {
    header: FrameHeader,
    executor: Executor,
    tables: TableContext,
}

/// Decodes a frame that arrives piece by piece. A block is decoded as soon as all its bytes are there. Memory is that
/// of the window, as much of it as the frame really fills, and that of one block.
///
/// After the end of a frame, or after an error, the decoder begins with the next frame. It keeps its memory.
#[derive(Debug)]
pub struct StreamDecoder {
    format: Format,
    dictionary: Option<Arc<Dictionary>>,
    window_limit: u64,
    /// The part of a header or block that has arrived.
    pending: Vec<u8>,
    next: Next,
    begun: Option<Begun>,
    blocks: BlockDecoder,
    decoded: DecodedBlock,
    ring: Ring,
}

impl StreamDecoder {
    /// A decoder that refuses frames with a greater window than `window_limit` bytes.
    #[must_use]
    pub fn new(format: Format, dictionary: Option<Arc<Dictionary>>, window_limit: u64) -> Self {
        Self {
            format,
            dictionary,
            window_limit,
            pending: Vec::new(),
            next: Next::Header,
            begun: None,
            blocks: BlockDecoder::new(),
            decoded: DecodedBlock::new(),
            ring: Ring::new(),
        }
    }

    /// The header of the current frame, once it has arrived.
    #[must_use]
    pub fn header(&self) -> Option<&FrameHeader> {
        self.begun.as_ref().map(|begun| &begun.header)
    }

    /// Whether a frame has begun and not ended: then the end of the input is an error.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.begun.is_some() || !self.pending.is_empty()
    }

    /// The bytes of the block that the last call of [`StreamDecoder::feed`] decoded.
    #[must_use]
    pub fn fresh(&self) -> &[u8] {
        self.ring.fresh()
    }

    /// Forgets the current frame.
    pub fn reset(&mut self) {
        self.pending.clear();
        self.next = Next::Header;
        self.begun = None;
        self.ring.clear();
    }

    /// Takes bytes of the frame, until a block is decoded, the frame ends, or no bytes are left. The end of a frame may
    /// need no more bytes: call again, even with none, until the answer is [`Pause::Input`] or [`Pause::End`].
    pub fn feed(&mut self, coded: &[u8]) -> Result<Progress, Error> {
        let result = self.advance(coded);
        if matches!(result, Err(_) | Ok(Progress { pause: Pause::End { .. }, .. })) {
            self.reset();
        }
        result
    }

    fn advance(&mut self, coded: &[u8]) -> Result<Progress, Error> {
        self.ring.forget_fresh();
        let mut read = 0;
        loop {
            let needed = match self.next {
                // No frame is shorter than this, so nothing behind the frame is taken.
                Next::Header => (self.pending.len() + 1).max(2),
                Next::BlockHeader => BLOCK_HEADER_LEN,
                Next::Block(header) => header.coded_len(),
                Next::End { has_checksum } => 4 * usize::from(has_checksum),
            };
            let rest = &coded[read..];
            let missing = needed - self.pending.len();
            if rest.len() < missing {
                self.pending.extend_from_slice(rest);
                return Ok(Progress { read: coded.len(), pause: Pause::Input });
            }
            let mut pending = std::mem::take(&mut self.pending);
            let (head, _) = rest.split_at(missing);
            read += missing;
            // What has arrived as a whole is not copied.
            let item = if pending.is_empty() {
                head
            } else {
                pending.extend_from_slice(head);
                &pending
            };
            let pause = self.take(item);
            // The header is looked at again and again until it is complete.
            let is_partial = matches!((&pause, &self.begun), (Ok(None), None));
            if is_partial && pending.is_empty() {
                pending.extend_from_slice(head);
            } else if !is_partial {
                pending.clear();
            }
            self.pending = pending;
            if let Some(pause) = pause? {
                return Ok(Progress { read, pause });
            }
        }
    }

    /// Takes the next header, block or checksum, which is there as a whole.
    fn take(&mut self, item: &[u8]) -> Result<Option<Pause>, Error> {
        let Some(begun) = &mut self.begun else {
            let Some(header) = FrameHeader::parse(item, self.format)? else { return Ok(None) };
            if header.window_size > self.window_limit {
                return Err(Error::WindowTooLarge { needed: header.window_size, limit: self.window_limit });
            }
            Dictionary::check(self.dictionary.as_deref(), &header)?;
            let tables =
                self.dictionary.as_ref().map_or(TableContext::new(), |it| TableContext::with_dictionary(it));
            let executor = Executor::new(&header, self.dictionary.clone());
            self.begun = Some(Begun { header, executor, tables });
            self.next = Next::BlockHeader;
            return Ok(None);
        };
        let block_len_max = begun.header.block_len_max();
        match self.next {
            Next::Header => Ok(None),
            Next::BlockHeader => {
                let bytes = item.first_chunk().ok_or(Error::Truncated)?;
                self.next = Next::Block(BlockHeader::parse(*bytes, block_len_max)?);
                Ok(None)
            }
            Next::Block(header) => {
                let block = match header.kind {
                    BlockKind::Raw => Block::Raw(item),
                    BlockKind::Rle => Block::Rle(item[0], header.size),
                    BlockKind::Compressed => {
                        let coded = CodedBlock { bytes: item, tables: &begun.tables, block_len_max };
                        self.blocks.decode(coded, &mut self.decoded)?;
                        begun.tables.scan(item, block_len_max)?;
                        Block::Decoded(&self.decoded)
                    }
                };
                self.ring.run(&mut begun.executor, block)?;
                let decoded = begun.executor.produced();
                if let Some(stated) = begun.header.content_size
                    && (stated < decoded || header.is_last && stated != decoded)
                {
                    return Err(Error::ContentSize { stated, decoded });
                }
                let has_checksum = begun.header.has_checksum;
                self.next = if header.is_last { Next::End { has_checksum } } else { Next::BlockHeader };
                Ok(Some(Pause::Output).filter(|_| !self.ring.fresh().is_empty()))
            }
            Next::End { .. } => {
                let checksum = item.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
                Ok(Some(Pause::End { checksum }))
            }
        }
    }
}
