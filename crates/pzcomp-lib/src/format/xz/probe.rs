//! The probe of xz: which part of a Stream begins at a place. The chunks of a Block lead to the end of the Block.
//!
//! `salvage/` asks through [`Probe`]. `piece.rs` reads the headers.

use std::ops::Range;

use super::MAGIC;
use super::header::STREAM_HEADER_LEN;
use super::piece::{
    BlockLen, ChunkChain, XzPiece, context_at_end, footer_leads_to, may_begin_block, may_begin_index, piece,
};
use crate::error::Result;
use crate::format::Format;
use crate::format::probe::{Candidate, Here, InputView, Kind, Place, Probe};

const FORMAT: Format = Format::Xz;

pub(super) struct StreamProbe;

impl Probe for StreamProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let context = start.context();
        let inside = |context: u8| Some((FORMAT, context));
        Ok(Some(match piece(&mut *view.cursor(start.at), context)? {
            None if context == 0 => Here::Nothing,
            // Another Stream may begin here if the Index before it is missing.
            None => match piece(&mut *view.cursor(start.at), 0)? {
                Some(_) => return self.look(view, Place::outside(start.at)),
                None => Here::Nothing,
            },
            Some(XzPiece::StreamHeader { context }) => {
                Here::Skip(Place { at: start.at + STREAM_HEADER_LEN as u64, inside: inside(context) })
            }
            Some(XzPiece::End { len }) => Here::Skip(Place::outside(start.at + len)),
            Some(XzPiece::Block { len, plain_len, has_check }) => {
                let len = match len {
                    BlockLen::Stated(len) => Some(len),
                    BlockLen::Chained { header_len, check_len } => {
                        let first = start.at + header_len;
                        let end = view.chain_end(FORMAT, 0, &ChunkChain, first)?;
                        end.map(|end| BlockLen::with_chain(header_len, end - first, check_len))
                    }
                };
                let claim = len.and_then(|len| view.behind(start.at, len, inside(context)));
                let start = Place { at: start.at, inside: inside(context) };
                let block = Candidate::new(start, FORMAT, Kind::Frame);
                Here::Candidate(Candidate { claim, plain_len, has_check, ..block })
            }
        }))
    }

    fn first_bytes(&self) -> &'static [u8] {
        &MAGIC[..1]
    }

    fn has_block_headers(&self) -> bool {
        true
    }

    fn begins_inside(&self, head: &[u8], inside: u8) -> Option<u8> {
        (inside != 0 && (may_begin_index(head) || may_begin_block(head))).then_some(inside)
    }

    fn context_at_end(&self, view: &dyn InputView) -> Result<Option<u8>> {
        context_at_end(view.place(), view.len())
    }

    fn is_only_end(&self, view: &dyn InputView, range: Range<u64>) -> Result<bool> {
        footer_leads_to(view.place(), range.start, range.end)
    }

    fn missing(&self) -> &'static str {
        "neither a Block nor a valid Index begins there"
    }
}
