//! What happens to bytes that begin no accepted format: they are refused, ignored or copied, to the end of the input.
//!
//! The coder (`coder.rs`) calls [`Unknown::pass`] at the first such byte. The worker then continues into all spans
//! behind it. So these jobs are cancelled and nothing in them is decoded, even if the feeder took some bytes for
//! frames.

use crate::error::{Error, Result, hex};
use crate::format::{Accepted, SNIFF_LEN, TAIL_LEN};
use crate::options::Unknown;
use crate::summary::Trailing;
use engine::{Emitter, Source};

impl Unknown {
    /// Passes everything that follows. It is an error if that is a damaged frame of an accepted format.
    pub(super) fn pass(
        self,
        accepted: &Accepted,
        source: &mut Source,
        out: &mut Emitter,
    ) -> Result<Trailing> {
        let offset = source.offset();
        // Finished output must not wait for input.
        out.flush()?;
        let mut trailing = Trailing::default();
        trailing.garbage = Some(offset);
        if self == Self::Copy || self == Self::CopyWhole && offset == 0 {
            let head = source.gather(SNIFF_LEN)?;
            if offset > 0 && accepted.cuts_skippable(head) {
                let end = offset + head.len() as u64;
                return Err(Error::Truncated { format: "skippable", frame: offset, offset: end });
            }
            while let bytes @ [_, ..] = source.inside()? {
                out.write(bytes)?;
                let len = bytes.len();
                source.consume(len);
                out.flush_before_wait(source)?;
            }
            return Ok(trailing);
        }
        let head = source.gather(SNIFF_LEN)?;
        let found = hex(head);
        if offset == 0 {
            return Err(Error::NotCompressed { found });
        }
        let cut = if self.refuses_cut_start() { accepted.cut_start(head, offset) } else { None };
        if let Some(error) = cut.or_else(|| accepted.damaged_start(head, offset)) {
            return Err(error);
        }
        let zeros = pass_zeros(source)?;
        if source.inside()?.is_empty() {
            (trailing.garbage, trailing.zeros) = (None, zeros);
            return Ok(trailing);
        }
        if !self.ignores() {
            return Err(Error::TrailingGarbage { offset, found });
        }
        let (_, tail) = pass_rest(source)?;
        trailing.ends_with_frame = accepted.ends_with_frame(&tail, source.offset() - offset);
        Ok(trailing)
    }

    /// Passes everything behind the only frame that is read. `more` is where another entry of an archive begins.
    pub(super) fn pass_closed(
        self,
        more: Option<u64>,
        format: &'static str,
        source: &mut Source,
    ) -> Result<Trailing> {
        if let Some(offset) = more.filter(|_| matches!(self, Self::Refuse | Self::CopyWhole)) {
            let what = "another entry begins there, and only the first of an archive is read; use unzip";
            return Err(Error::unsupported(format, offset, what));
        }
        pass_zeros(source)?;
        let rest = source.offset();
        // Where a second entry begins says more.
        let mut trailing = Trailing::default();
        trailing.more = more;
        trailing.unread = (pass_rest(source)?.0 > 0 && more.is_none()).then_some(rest);
        Ok(trailing)
    }
}

/// Passes zeros, with which tapes are filled up. Returns their number.
fn pass_zeros(source: &mut Source) -> Result<u64> {
    let start = source.offset();
    loop {
        let bytes = source.inside()?;
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        let ended = zeros < bytes.len() || bytes.is_empty();
        source.consume(zeros);
        if ended {
            return Ok(source.offset() - start);
        }
    }
}

/// Passes everything that follows. Returns how much it was, and its last bytes.
fn pass_rest(source: &mut Source) -> Result<(u64, Vec<u8>)> {
    let (start, mut tail) = (source.offset(), Vec::new());
    while let bytes @ [_, ..] = source.inside()? {
        let len = bytes.len();
        tail.extend_from_slice(&bytes[len.saturating_sub(TAIL_LEN)..]);
        tail.drain(..tail.len().saturating_sub(TAIL_LEN));
        source.consume(len);
    }
    Ok((source.offset() - start, tail))
}
