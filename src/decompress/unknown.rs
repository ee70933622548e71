//! What begins no accepted format: refused, passed over, or copied, to the end of the input.
//!
//! Whatever the feeder takes for frames there belongs to it: the worker that meets the first byte of it
//! goes on into all spans behind, so that nothing of them is decoded.

use crate::error::{Error, Result, hex};
use crate::format::SNIFF_LEN;
use crate::options::Unknown;
use crate::pipeline::{Emitter, Source};
use crate::summary::Trailing;

impl Unknown {
    /// Passes all that follows.
    pub(super) fn pass(self, source: &mut Source, out: &mut Emitter) -> Result<Trailing> {
        let offset = source.offset();
        // Nothing that is done waits for what is to come.
        out.flush()?;
        let garbage = Trailing { garbage: Some(offset), ..Trailing::default() };
        if self == Self::Copy || self == Self::CopyWhole && offset == 0 {
            while let bytes @ [_, ..] = source.inside()? {
                out.write(bytes)?;
                let len = bytes.len();
                source.consume(len);
                if !source.is_ready() {
                    out.flush()?;
                }
            }
            return Ok(garbage);
        }
        let found = hex(source.gather(SNIFF_LEN)?);
        if offset == 0 {
            return Err(Error::NotCompressed { found });
        }
        let zeros = pass_zeros(source)?;
        if source.inside()?.is_empty() {
            return Ok(Trailing { zeros, ..Trailing::default() });
        }
        if self != Self::Ignore {
            return Err(Error::TrailingGarbage { offset, found });
        }
        pass_rest(source)?;
        Ok(garbage)
    }

    /// Passes what is behind the only frame that is read, where `more` begins.
    pub(super) fn pass_closed(
        self,
        more: Option<u64>,
        format: &'static str,
        source: &mut Source,
    ) -> Result<Trailing> {
        if let Some(offset) = more.filter(|_| matches!(self, Self::Refuse | Self::CopyWhole)) {
            let what = "another entry begins there, and only the first of an archive is read; use unzip";
            return Err(Error::Unsupported { format, offset, what: what.into() });
        }
        pass_rest(source)?;
        Ok(Trailing { more, ..Trailing::default() })
    }
}

/// Passes zeros, as tapes leave them; how many there were.
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

/// Passes all that follows, unseen.
fn pass_rest(source: &mut Source) -> Result<()> {
    while let len @ 1.. = source.inside()?.len() {
        source.consume(len);
    }
    Ok(())
}
