//! Decoding for the pipeline: members as a whole, or as they come, from their header or from inside.
//!
//! A job that begins inside a member hopes that nothing in it refers to what is before. Where something
//! does, the job waits until all before it is done, takes over the window, and goes on. It could be given up
//! instead, and its input be read on by the job before: but that one is done, or would have to wait to hear
//! that it may be, and what has been decoded would be decoded twice.
//!
//! Each job has the CRC-32 and the length of its part. Together with those before, they are compared with
//! the trailer by the job that meets the end of the member.

use crc32fast::Hasher;

use super::super::ffi::deflate::{Decompressor, crc32};
use super::header::{FEXTRA, Header, TRAILER_LEN, read_header};
use super::{INSIDE, NAME};
use crate::error::{Damage, Error, Result};
use crate::format::{After, Decoder};
use crate::inflate::{Inflate, Output, Pause, WINDOW_LEN};
use crate::pipeline::{Chain, Emitter, Facts, HANDED_ON_LEN, Source};

const _: () = assert!(WINDOW_LEN <= HANDED_ON_LEN);

/// Decodes members and parts of members.
pub(super) struct MemberDecoder {
    whole: Decompressor,
    stream: Inflate,
    after: After,
    /// Of what was decoded last.
    facts: Facts,
}

impl MemberDecoder {
    /// Nothing if there is no memory.
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            whole: Decompressor::new()?,
            stream: Inflate::new(),
            after: After::Outside,
            facts: Facts::default(),
        })
    }

    /// Decodes to the end of the member, or to the end of the span if a block ends there.
    fn blocks(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        loop {
            if source.available()?.is_empty() && self.stream.is_between_blocks() {
                source.hand_on(self.stream.window(), !self.stream.is_open());
                self.after = After::Inside(INSIDE);
                return Ok(());
            }
            let coded = source.inside()?;
            let ended = coded.is_empty();
            let (piece, before) = out.room_behind(1)?;
            let mut output = Output::new(piece, before);
            let progress = self.stream.run(coded, &mut output);
            let written = output.filled() - before;
            let crc = crc32(0, &piece[before..before + written]);
            out.commit(written)?;
            source.chain().push(written as u64, crc, join);
            match progress {
                Ok(progress) => {
                    source.consume(progress.read);
                    match progress.pause {
                        Pause::End => break,
                        Pause::Window => self.stream.precede(source.window()?.bytes()),
                        Pause::Input if ended => return Err(truncated(source)?),
                        Pause::Input | Pause::Output => {}
                    }
                }
                Err(invalid) => {
                    let what = format!(
                        "the DEFLATE stream of the member that begins there is not valid at offset {}: {}",
                        source.offset() + invalid.read as u64,
                        invalid.defect
                    );
                    return Err(Error::corrupt(NAME, member(source)?, what));
                }
            }
        }
        self.after = After::Outside;
        self.facts.crc = Some(verify(source)?);
        Ok(())
    }
}

impl Decoder for MemberDecoder {
    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        coded.last_chunk::<4>().map(|isize| u32::from_le_bytes(*isize) as usize)
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        let Some(header) = Header::parse(coded).filter(|header| header.flags & !FEXTRA == 0) else {
            return false;
        };
        let Some((body, trailer)) = coded[header.len..].split_last_chunk::<TRAILER_LEN>() else {
            return false;
        };
        let (&[c0, c1, c2, c3, ..], &[_, _, _, _, m0, m1, m2, m3, ..]) = (trailer, coded) else {
            return false;
        };
        let crc = u32::from_le_bytes([c0, c1, c2, c3]);
        self.after = After::Outside;
        self.facts = Facts::of_member(u32::from_le_bytes([m0, m1, m2, m3]), Some(crc));
        self.whole.decompress_exactly(body, plain) && crc32(0, plain) == crc
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        self.facts = Facts::default();
        if context == INSIDE {
            self.stream.reset_inside();
            out.continue_frame();
        } else {
            let member = source.offset();
            *source.chain() = Chain::starting(member);
            let Some(header) = read_header(|bytes| source.read_exact(bytes), member)? else {
                return Err(truncated(source)?);
            };
            self.facts = Facts::of_member(header.modified, None);
            self.stream.reset();
        }
        self.blocks(source, out)
    }

    fn after(&self) -> After {
        self.after
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn frames(&self) -> u64 {
        (self.after == After::Outside).into()
    }

    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        if source.inside()?.is_empty() {
            return Err(truncated(source)?);
        }
        self.blocks(source, out)
    }
}

/// The CRC-32 of two parts, the second of so many bytes.
fn join(before: u32, crc: u32, len: u64) -> u32 {
    let mut both = Hasher::new_with_initial(before);
    both.combine(&Hasher::new_with_initial_len(crc, len));
    both.finalize()
}

/// Where the member begins that is being decoded; waits for all before it to be certain.
fn member(source: &Source) -> Result<u64> {
    Ok(source.whole_chain()?.start().unwrap_or(source.offset()))
}

/// The error of a member that the input ends in.
fn truncated(source: &Source) -> Result<Error> {
    Ok(Error::Truncated { format: NAME, frame: member(source)?, offset: source.offset() })
}

/// Compares the trailer, which comes next, with what was decoded; the CRC-32.
fn verify(source: &mut Source) -> Result<u32> {
    let mut trailer = [0; TRAILER_LEN];
    if !source.read_exact(&mut trailer)? {
        return Err(truncated(source)?);
    }
    let whole = source.whole_chain()?;
    let (crc, len) = (whole.sum(), whole.count() as u32);
    let [c0, c1, c2, c3, l0, l1, l2, l3] = trailer;
    let (said, said_len) = (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([l0, l1, l2, l3]));
    if said != crc {
        let damage = if said_len == len { Damage::Check } else { Damage::Both };
        let what = format!("the member that begins there has the CRC-32 {crc:08x}, expected {said:08x}");
        return Err(Error::corrupt(NAME, member(source)?, what).by(damage));
    }
    if said_len != len {
        let what =
            format!("the member that begins there is {len} bytes long (modulo 2^32), expected {said_len}");
        return Err(Error::corrupt(NAME, member(source)?, what).by(Damage::Length));
    }
    Ok(crc)
}
