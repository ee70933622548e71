//! Decodes independent blocks as they come, for one worker or for several that share a frame.
//!
//! The decoder of lz4 (`mod.rs`) calls [`BlockStream::part`] with the source and the emitter of a job. The blocks are
//! decoded to the next cut, or to the end of the frame.
//!
//! Each job hands on how many bytes of the frame it has put out. The first job hands on the header. The checksum goes
//! from job to job. The job that meets the end mark waits until it is certain, and compares length and checksum with
//! those that the frame states.

use xxhash_rust::xxh32::{Xxh32, xxh32};

use super::super::ffi::lz4::decompress;
use super::stream::{first_u32, truncated};
use super::{Header, NAME, STORED, Style};
use crate::error::{Error, Result};
use crate::format::After;
use crate::format::chain::CutCounter;
use std::hash::Hasher;

use engine::{Emitter, RunningSum, Source};

/// The checksum of the content.
struct ContentHash(Xxh32);

impl Hasher for ContentHash {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.digest().into()
    }
}

/// A frame that is being decoded, or the part behind a cut.
#[derive(Default)]
pub(super) struct BlockStream {
    style: Style,
    cuts: CutCounter,
}

impl BlockStream {
    /// Begins a frame. Its header is at hand and is consumed here. An idle worker may compute the checksum of the
    /// content.
    pub(super) fn begin(header: &Header, source: &mut Source, out: &mut Emitter) -> Self {
        // The sum is the length that the frame states, for the job that meets its end.
        *source.relay.sum() = RunningSum::starting(source.offset(), header.content_len.unwrap_or(0));
        if header.style.content_checksum {
            out.checksum().begin(Box::new(ContentHash(Xxh32::new(0))));
        }
        source.consume(header.len);
        Self { style: header.style, cuts: header.cuts() }
    }

    /// Continues behind a cut, where a job begins.
    pub(super) fn inside(style: Style, out: &mut Emitter) -> Self {
        out.frame().go_on();
        if style.content_checksum {
            out.checksum().go_on();
        }
        Self { style, cuts: style.cuts() }
    }

    /// Decodes to the next cut, or to the end of the frame. Each block is decoded directly into the output. The
    /// library would put it into memory of its own first.
    pub(super) fn part(&mut self, source: &mut Source, out: &mut Emitter) -> Result<After> {
        loop {
            // The span may end here too. The bytes behind it are for the next job.
            out.flush_if_input_pauses(source)?;
            if self.cuts.is_here() && first_u32(source.gather(4)?) != Some(0) {
                return self.cut(out);
            }
            let block = source.offset();
            let head = source.gather_inside(4)?;
            let Some(size) = first_u32(head) else {
                let offset = block + head.len() as u64;
                return Err(truncated(source.relay.stream_start()?, offset));
            };
            if size == 0 {
                source.consume(4);
                return self.end(source, out).map(|()| After::Outside);
            }
            self.block(size, source, out)?;
        }
    }

    /// Decodes a block whose size is at hand.
    fn block(&mut self, size: u32, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let (block, block_max) = (source.offset(), self.style.block_max());
        let Some(len) = self.style.block(size) else {
            let stated = size & !STORED;
            let what = format!(
                "the block at offset {block} says it has {stated} bytes, expected at most {block_max}"
            );
            return Err(corrupt(source, what)?);
        };
        let end = 4 + len as usize;
        // After most blocks comes another size. It is gathered too, if it is at hand.
        source.gather_until_pause(end + 4, false)?;
        let coded = source.gather_inside(end)?;
        let Some(body) = coded.get(4..end) else {
            let offset = block + coded.len() as u64;
            return Err(truncated(source.relay.stream_start()?, offset));
        };
        let (body, check) = body.split_at((size & !STORED) as usize);
        if self.style.block_checksums && first_u32(check) != Some(xxh32(body, 0)) {
            let what = format!("the block at offset {block} does not have the XXH32 it should have");
            return Err(corrupt(source, what)?);
        }
        // If the frame states its length, its last blocks may be short, and there may be no more room than for them.
        let room_len = out.frame().held_room().map_or(block_max, |room_len| room_len.min(block_max));
        let room = &mut out.room(room_len)?[..room_len];
        let decoded = match room.get_mut(..body.len()) {
            _ if size & STORED == 0 => decompress(body, room),
            Some(room) => {
                room.copy_from_slice(body);
                Some(body.len())
            }
            None => None,
        };
        let Some(decoded) = decoded else {
            if room_len < block_max {
                // Most likely the block has more bytes than the frame has left. Then this call fails and says so.
                out.room(block_max)?;
            }
            return Err(corrupt(source, format!("the block at offset {block} does not decode"))?);
        };
        source.consume(end);
        source.relay.sum().push(decoded as u64, 0, |content_len, _, _| content_len);
        self.cuts.pass(end as u64);
        Ok(out.commit(decoded)?)
    }

    /// Ends a part. Its output leaves, even if the same worker decodes the next part. So the number of threads makes
    /// no difference to the output before an error.
    fn cut(&mut self, out: &mut Emitter) -> Result<After> {
        out.flush()?;
        out.frame().go_on();
        self.cuts = self.style.cuts();
        Ok(After::Inside(self.style.packed()))
    }

    /// Verifies the frame, behind its end mark.
    fn end(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let whole = source.relay.whole_sum()?;
        let found = whole.count();
        let stated = whole.sum();
        if self.style.content_len && stated != found {
            let what = format!("the frame that begins there holds {found} bytes, expected {stated}");
            return Err(corrupt(source, what)?);
        }
        if !self.style.content_checksum {
            return Ok(());
        }
        let found = out.checksum().end()? as u32;
        let mut stated = [0; 4];
        if !source.read_exact(&mut stated)? {
            return Err(truncated(source.relay.stream_start()?, source.offset()));
        }
        let stated = u32::from_le_bytes(stated);
        if stated != found {
            let what =
                format!("the frame that begins there has the XXH32 {found:08x}, expected {stated:08x}");
            return Err(corrupt(source, what)?);
        }
        Ok(())
    }
}

fn corrupt(source: &Source, what: String) -> Result<Error> {
    Ok(Error::corrupt(NAME, source.relay.stream_start()?, what))
}
