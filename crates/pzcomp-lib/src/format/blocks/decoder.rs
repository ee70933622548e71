//! The decoder of formats whose streams are blocks.

use super::super::serial::FrameErrors;
use super::super::{Decoder, Reading};
use super::{BlockFormat, Item, ItemKind, Look};
use crate::error::{Error, Result, Size};
use engine::{Emitter, Facts, Source};

/// A longer block is decoded into memory of the decoder. Shorter blocks are decoded into the output.
const ROOM_MAX: usize = 4 << 20;

pub(super) struct BlockDecoder {
    format: &'static dyn BlockFormat,
    reading: Reading,
    /// For blocks that are longer than a piece of output.
    memory: Vec<u8>,
    /// Whether the last unit held data without a check.
    is_unverified: bool,
}

impl BlockDecoder {
    pub(super) fn new(format: &'static dyn BlockFormat, reading: &Reading) -> Self {
        Self { format, reading: reading.clone(), memory: Vec::new(), is_unverified: false }
    }

    /// The block that fills `coded`.
    fn block(&self, coded: &[u8], context: u8) -> Option<(usize, &'static str)> {
        match self.format.look(coded, context) {
            Look::Item(Item { len, kind: ItemKind::Block { plain_len, check } })
                if context != 0 && len == coded.len() as u64 =>
            {
                Some((plain_len, check))
            }
            _ => None,
        }
    }

    /// What begins at the source. Nothing if the stream has ended before, or if the input ends there and the stream
    /// needs no mark at its end.
    fn next(&self, source: &mut Source, context: u8) -> Result<Option<Item>> {
        let unit = if context == 0 { "header" } else { self.format.unit() };
        let frame = FrameErrors { format: self.format.info().name, unit, start: source.offset() };
        let mut needed = 1;
        loop {
            let bytes = source.gather_inside(needed)?;
            let Some(head) = bytes.get(..needed) else {
                if bytes.is_empty() && context != 0 && !self.format.has_end_mark() {
                    return Ok(None);
                }
                let offset = frame.start + bytes.len() as u64;
                return Err(Error::Truncated { format: frame.format, frame: frame.start, offset });
            };
            match self.format.look(head, context) {
                Look::More(more) => needed = more.max(needed + 1),
                Look::Item(item) => return Ok(Some(item)),
                Look::Outside => return Ok(None),
                Look::Refused(fault) => return Err(fault.error(frame)),
            }
        }
    }

    /// Decodes the block at the source. Its header is at hand.
    fn decode(&mut self, source: &mut Source, out: &mut Emitter, item: Item, context: u8) -> Result<()> {
        let ItemKind::Block { plain_len, check } = item.kind else { return pass(source, item.len) };
        let frame =
            FrameErrors { format: self.format.info().name, unit: self.format.unit(), start: source.offset() };
        self.is_unverified |= check == "-" && plain_len > 0;
        let len = usize::try_from(item.len).map_err(|_| frame.corrupt("is too long"))?;
        let is_long = plain_len > ROOM_MAX;
        if is_long {
            self.wait_for_memory(source, out, (plain_len + len) as u64, frame)?;
            self.memory.resize(plain_len, 0);
        }
        out.flush_if_input_pauses(source)?;
        let coded = source.gather_inside(len)?;
        let Some(coded) = coded.get(..len) else {
            let offset = frame.start + coded.len() as u64;
            return Err(Error::Truncated { format: frame.format, frame: frame.start, offset });
        };
        let plain = if is_long { &mut self.memory[..] } else { &mut out.room(plain_len)?[..plain_len] };
        self.format.decode(coded, plain, context).map_err(|fault| fault.error(frame))?;
        source.consume(len);
        if is_long {
            out.write(&self.memory)?;
            self.memory = Vec::new();
            return Ok(());
        }
        Ok(out.commit(plain_len)?)
    }

    /// Waits until a block may use so much memory. It is an error if it never may.
    fn wait_for_memory(
        &self,
        source: &Source,
        out: &mut Emitter,
        needed: u64,
        frame: FrameErrors,
    ) -> Result<()> {
        let Reading { share, alone, .. } = self.reading;
        if needed > alone {
            return Err(Error::Memory {
                what: format!("the {} {} at offset {}", frame.format, frame.unit, frame.start),
                needed: Size(needed),
                limit: Size(alone),
            });
        }
        if needed > share {
            out.flush()?;
            out.frame().begin();
            source.relay.wait_for_turn()?;
        }
        Ok(())
    }
}

impl Decoder for BlockDecoder {
    fn plain_len(&self, coded: &[u8], context: u8) -> Option<usize> {
        self.block(coded, context).map(|(plain_len, _)| plain_len)
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], context: u8) -> bool {
        let Some((plain_len, check)) = self.block(coded, context) else { return false };
        self.is_unverified = check == "-" && plain_len > 0;
        plain_len == plain.len() && self.format.decode(coded, plain, context).is_ok()
    }

    fn stated_len(&self, source: &mut Source, context: u8, _: Option<usize>) -> Result<Option<u64>> {
        if context == 0 {
            return Ok(None);
        }
        // What is wrong with the block is found again when it is decoded.
        Ok(match self.next(source, context) {
            Ok(Some(Item { kind: ItemKind::Block { plain_len, check }, .. })) if check != "-" => {
                Some(plain_len as u64)
            }
            Err(error) if !error.is_of_input() => return Err(error),
            _ => None,
        })
    }

    /// Decodes a block, or with the context 0 a whole stream.
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        self.is_unverified = false;
        if context != 0 {
            let start = source.offset();
            return match self.next(source, context)? {
                Some(item) => self.decode(source, out, item, context),
                None => {
                    let what = format!("no {} begins there", self.format.unit());
                    Err(Error::corrupt(self.format.info().name, start, what))
                }
            };
        }
        let mut context = self.format.first_context();
        while let Some(item) = self.next(source, context)? {
            self.decode(source, out, item, context)?;
            match item.kind {
                ItemKind::Header { context: inside } => context = inside,
                ItemKind::Block { .. } => {}
                ItemKind::End => break,
            }
            // A block whose check is right is never taken back.
            out.frame().begin();
            out.flush_before_wait(source)?;
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { is_unverified: self.is_unverified, ..Facts::default() }
    }
}

/// Passes bytes without data.
fn pass(source: &mut Source, len: u64) -> Result<()> {
    Ok(source.skip(len).map(drop)?)
}
