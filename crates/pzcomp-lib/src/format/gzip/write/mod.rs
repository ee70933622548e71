//! Writing gzip: the encoders and joiners of its three layouts.
//!
//! The table of formats leads here through [`WritingCodec`]. `members.rs` makes one member for each chunk, with its
//! size in the header, and an index follows; or one member around all chunks. `bgzf.rs` makes the short members of
//! BGZF.
//!
//! In every layout each chunk is coded by itself, so that workers can code them in parallel.

mod bgzf;
mod members;

use super::header::{OUR_LEN, TRAILER_LEN};
use super::{Gzip, index};
use crate::error::Result;
use crate::format::framed::Framed;
use crate::format::joined::{ChecksumKind, DeflateEncoder, Joined, PartEncoder, chunk_len};
use crate::format::records::Envelope;
use crate::format::{Encoder, WritingCodec};
use crate::options::{Encode, Layout, Settings};
use bgzf::{Bgzf, BlocksEncoder};
use engine::Joiner;
use members::{MemberEncoder, MemberWrapper};

impl WritingCodec for Gzip {
    fn envelope(&self) -> Option<Envelope> {
        Some(Envelope::GzipMember)
    }

    fn has_table(&self) -> bool {
        true
    }

    fn chunk_len(&self, _: i32, options: &Encode) -> usize {
        match options.layout {
            Layout::Bgzf => bgzf::CHUNK_LEN,
            _ => chunk_len(options),
        }
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        match settings.layout {
            Layout::Bgzf => bgzf::coded_bound(settings.chunk_len),
            _ => OUR_LEN + DeflateEncoder::bound(settings.chunk_len) + TRAILER_LEN,
        }
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        DeflateEncoder::memory(settings.level)
    }

    fn contradiction(&self, options: &Encode) -> Option<&'static str> {
        let is_wrong = options.layout == Layout::Bgzf && options.block_size.is_some();
        is_wrong.then_some("as BGZF with a block size: blocks of BGZF have 65,280 bytes")
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        let encoder = DeflateEncoder::new(settings);
        Ok(match settings.layout {
            Layout::Single(_) => Box::new(PartEncoder::new(encoder, ChecksumKind::Crc32, settings)),
            Layout::Bgzf => Box::new(BlocksEncoder::new(encoder)),
            _ => Box::new(MemberEncoder::new(encoder, extra_flags(settings.level))),
        })
    }

    fn unfinished(&self, layout: &Layout, _: bool) -> &'static [u8] {
        // A header. pigz ignores less than that.
        const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
        if matches!(layout, Layout::Single(_)) { &[] } else { &HEADER }
    }

    fn usual_speed(&self, level: i32) -> u32 {
        DeflateEncoder::usual_speed(level)
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        match &settings.layout {
            Layout::Single(member) => {
                let wrapper = MemberWrapper::new(member, extra_flags(settings.level));
                Joined::begin(wrapper, ChecksumKind::Crc32)
            }
            Layout::Bgzf => (Vec::new(), Bgzf::new(settings.index)),
            _ => {
                let frames = Framed::new(settings.index.then_some(index::members));
                (
                    Vec::new(),
                    frames
                        .with_short_index(settings.short_index)
                        .with_records(self.recovery(settings))
                        .with_listing(settings.listing.as_ref(), Envelope::GzipMember),
                )
            }
        }
    }
}

/// XFL of RFC 1952: 2 says that the slowest algorithm was used, and 4 the fastest.
fn extra_flags(level: i32) -> u8 {
    match level {
        1 => 4,
        9.. => 2,
        _ => 0,
    }
}
