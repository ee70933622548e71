//! Decoding ahead of what comes before: a job that needs a window which the job before has not got yet.
//!
//! ```text
//! symbols with markers │ bytes, once the last 32 KiB are bytes │ the window comes: markers are replaced
//! ```
//!
//! Most data soon leaves nothing in the window that was before the job. From then on the decoder of bytes goes
//! on, which is faster, and only the output waits. Where that never comes, or so much has been decoded that
//! memory ends, the job waits until all before it is done.

use super::super::ffi::deflate::crc32;
use super::decode::{join, step};
use crate::error::Result;
use crate::inflate::{
    Defect, Inflate, Invalid, Marked, Output, Pause, Progress, Resolver, WINDOW_LEN, are_bytes, with_window,
    without_window,
};
use crate::pipeline::{Chain, Emitter, Source};

/// So many symbols are decoded between two looks at whether they are still needed.
const STEP: usize = 64 << 10;

/// The most symbols there can be.
const SYMBOLS_MAX: usize = 4 << 20;

/// What a decoder ahead needs.
pub(super) struct Ahead {
    inflate: Inflate<Marked>,
    symbols: Vec<Marked>,
    resolver: Resolver,
}

/// How far it came.
enum Reached {
    /// Nothing in the window is unknown any more.
    Bytes,
    /// What is before is done, or will be waited for.
    Window,
    Invalid(Invalid),
}

impl Ahead {
    pub(super) fn new() -> Self {
        Self { inflate: Inflate::new(), symbols: Vec::new(), resolver: Resolver::new() }
    }

    /// Goes on with a stream that has come to where it needs the window, until it has it. What is wrong with
    /// the stream, if something is.
    pub(super) fn decode(
        &mut self,
        stream: &mut Inflate,
        source: &mut Source,
        out: &mut Emitter,
    ) -> Result<Option<Invalid>> {
        without_window(&mut self.inflate, stream);
        let (filled, reached) = self.symbols(source)?;
        let (mut invalid, mut behind) = (None, Chain::NOTHING);
        let mut is_held = false;
        match reached {
            Reached::Bytes => {
                with_window(stream, &mut self.inflate, None);
                out.hold(filled)?;
                is_held = true;
                invalid = bytes(stream, source, out, &mut behind)?;
            }
            Reached::Invalid(found) => invalid = Some(found),
            Reached::Window => {}
        }
        self.resolver.set(source.window()?.bytes());
        let known = self.resolver.known(&self.symbols[..filled]);
        if known < filled {
            out.take_back_held();
            (is_held, behind) = (false, Chain::NOTHING);
            invalid = Some(Invalid { read: 0, defect: Defect::Distance });
        }
        let crc = self.put_out(known, is_held, out)?;
        source.chain().push(known as u64, crc, join);
        if behind.count() > 0 {
            *source.chain() = behind.behind(*source.chain());
        }
        if !is_held {
            with_window(stream, &mut self.inflate, Some(&self.resolver));
        }
        Ok(invalid)
    }

    /// Decodes symbols as far as that is of use; how many there are.
    fn symbols(&mut self, source: &mut Source) -> Result<(usize, Reached)> {
        let mut filled = 0;
        while filled + STEP <= SYMBOLS_MAX && !source.is_head() {
            let coded = source.available()?;
            if coded.is_empty() {
                // What is behind the span is for who is certain.
                break;
            }
            let room = filled + STEP;
            if self.symbols.len() < room {
                self.symbols.resize(room, Marked::default());
            }
            let mut output = Output::new(&mut self.symbols[..room], filled);
            let progress = self.inflate.run(coded, &mut output);
            filled = output.filled();
            match progress {
                Ok(Progress { read, pause }) => {
                    source.consume(read);
                    if pause == Pause::End {
                        break;
                    }
                }
                Err(invalid) => return Ok((filled, Reached::Invalid(invalid))),
            }
            let symbols = &self.symbols[..filled];
            if symbols.last_chunk::<WINDOW_LEN>().is_some_and(|window| are_bytes(window)) {
                return Ok((filled, Reached::Bytes));
            }
        }
        Ok((filled, Reached::Window))
    }

    /// Puts out what the first symbols stand for, in the room that is held for them if it is; its CRC-32.
    fn put_out(&self, count: usize, is_held: bool, out: &mut Emitter) -> Result<u32> {
        let mut crc = 0;
        let mut resolve = |at: usize, bytes: &mut [u8]| {
            self.resolver.resolve(&self.symbols[at..at + bytes.len()], bytes);
            crc = crc32(crc, bytes);
        };
        if is_held {
            out.fill_held(resolve)?;
            return Ok(crc);
        }
        let mut at = 0;
        while at < count {
            let room = out.room(1)?;
            let len = room.len().min(count - at);
            resolve(at, &mut room[..len]);
            out.commit(len)?;
            at += len;
        }
        Ok(crc)
    }
}

/// Decodes bytes until what is before them is done, or the span ends; `behind` is the chain through them.
fn bytes(
    stream: &mut Inflate,
    source: &mut Source,
    out: &mut Emitter,
    behind: &mut Chain,
) -> Result<Option<Invalid>> {
    while !source.is_head() {
        let coded = source.available()?;
        if coded.is_empty() {
            break;
        }
        match step(stream, coded, out, behind)? {
            Ok(Progress { read, pause }) => {
                source.consume(read);
                if pause == Pause::End {
                    break;
                }
            }
            Err(invalid) => return Ok(Some(invalid)),
        }
    }
    Ok(None)
}
