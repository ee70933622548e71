//! Decoding for the pipeline: members as a whole, or as they come, from their header or from inside.
//!
//! A job that begins inside a member hopes that nothing in it refers to what is before. Where something
//! does, it goes on without knowing that ([`super::ahead`]), until all before it is done and it can take over
//! the window.
//!
//! Each job has the CRC-32 and the length of its part. Together with those before, they are compared with
//! the trailer by the job that meets the end of the member.

use crc32fast::Hasher;

use super::super::ffi::deflate::{Decompressor, crc32};
use super::NAME;
use super::ahead::Ahead;
use super::header::{FEXTRA, Header, TRAILER_LEN, read_header};
use crate::error::{Damage, Error, Result};
use crate::format::{After, Decoder};
use crate::inflate::{Boundary, Defect, Inflate, Invalid, Output, Pause, Progress, WINDOW_LEN};
use crate::pipeline::{Chain, Emitter, Facts, HANDED_ON_LEN, Source};

const _: () = assert!(WINDOW_LEN <= HANDED_ON_LEN);

/// Decodes members and parts of members.
pub(super) struct MemberDecoder {
    whole: Decompressor,
    stream: Inflate,
    ahead: Option<Box<Ahead>>,
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
            ahead: None,
            after: After::Outside,
            facts: Facts::default(),
        })
    }

    /// Decodes to the end of the member, or to the end of the span if a block ends there.
    fn blocks(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        loop {
            if source.available()?.is_empty()
                && let Some(boundary) = self.stream.boundary()
            {
                source.hand_on(self.stream.window(), !self.stream.is_open());
                self.after = After::Inside(boundary.to_byte());
                return Ok(());
            }
            let coded = source.inside()?;
            let ended = coded.is_empty();
            let mut behind = Chain::NOTHING;
            let progress = step(&mut self.stream, coded, out, &mut behind)?;
            *source.chain() = behind.behind(*source.chain());
            match progress {
                Ok(progress) => {
                    source.consume(progress.read);
                    match progress.pause {
                        Pause::End => break,
                        Pause::Window if source.is_alone() || source.is_head() => {
                            self.stream.precede(source.window()?.bytes());
                        }
                        Pause::Window => {
                            let ahead = self.ahead.get_or_insert_with(|| Box::new(Ahead::new()));
                            if let Some(invalid) = ahead.decode(&mut self.stream, source, out)? {
                                return Err(corrupt(source, invalid)?);
                            }
                        }
                        Pause::Input if ended => return Err(truncated(source)?),
                        Pause::Input | Pause::Output => {}
                    }
                }
                Err(invalid) => return Err(corrupt(source, invalid)?),
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
        if context != 0 {
            self.stream.reset_inside(Boundary::from_byte(context));
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

/// Decodes as much as there is input or room for; `chain` is continued.
pub(super) fn step(
    stream: &mut Inflate,
    coded: &[u8],
    out: &mut Emitter,
    chain: &mut Chain,
) -> Result<std::result::Result<Progress, Invalid>> {
    let (piece, before) = out.room_behind(1)?;
    let mut output = Output::new(piece, before);
    let progress = stream.run(coded, &mut output);
    let written = output.filled() - before;
    chain.push(written as u64, crc32(0, &piece[before..before + written]), join);
    out.commit(written)?;
    Ok(progress)
}

/// The CRC-32 of two parts, the second of so many bytes.
pub(super) fn join(before: u32, crc: u32, len: u64) -> u32 {
    let mut both = Hasher::new_with_initial(before);
    both.combine(&Hasher::new_with_initial_len(crc, len));
    both.finalize()
}

/// Where the member begins that is being decoded; waits for all before it to be certain.
fn member(source: &Source) -> Result<u64> {
    Ok(source.whole_chain()?.start().unwrap_or(source.offset()))
}

/// The error of a member that is not valid.
fn corrupt(source: &Source, Invalid { read, defect }: Invalid) -> Result<Error> {
    // Who decodes ahead does not know at which place a distance turned out to be too long.
    let place = match defect {
        Defect::Distance => String::new(),
        _ => format!(" at offset {}", source.offset() + read as u64),
    };
    let what = format!("the DEFLATE stream of the member that begins there is not valid{place}: {defect}");
    Ok(Error::corrupt(NAME, member(source)?, what))
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
