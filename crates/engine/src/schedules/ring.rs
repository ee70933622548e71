//! Ranges that a coder lends of memory of its own: the memory of a ring, which the coder fills again when they have
//! come back. The reader of the output is slow, and frames end early: by an error, or because a job is given up.

use std::sync::Arc;

use super::coders::{CutFeeder, SLAB_LEN};
use super::line::{plan, run_to_either};
use super::{Pools, explore, one_in, pattern, pick};
use crate::error::{Error, Result};
use crate::sync::AtomicBool;
use crate::{Coder, Emitter, PIECE_LEN, Plan, Report, Source};
use std::sync::atomic::Ordering;

/// Which bytes of a ring are lent.
type Flags = Arc<Vec<AtomicBool>>;

/// A byte that is lent.
struct Lent {
    byte: [u8; 1],
    flags: Flags,
    at: usize,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.byte
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        assert!(self.flags[self.at].swap(false, Ordering::AcqRel), "a byte comes back twice");
    }
}

/// Copies its input by way of a ring, if all output before has left.
struct ByRing {
    /// The length of a ring.
    len: usize,
    fail_at: Option<u64>,
}

impl Coder for ByRing {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let flags: Flags = Arc::new((0..self.len).map(|_| AtomicBool::new(false)).collect());
        let mut filled = 0;
        while let Some(&byte) = source.available()?.first() {
            if self.fail_at == Some(source.offset()) {
                return Err(Error::coder("told to"));
            }
            let at = filled % self.len;
            out.standing().wait_until(|_| !flags[at].load(Ordering::Acquire))?;
            assert!(!flags[at].load(Ordering::Acquire), "a byte of the ring is written while it is lent");
            source.consume(1);
            filled += 1;
            if out.standing().is_head() {
                flags[at].store(true, Ordering::Release);
                out.put(Arc::new(Lent { byte: [byte], flags: Arc::clone(&flags), at }))?;
            } else {
                out.write(&[byte])?;
            }
        }
        Ok(Report { frames: 1, ..Report::default() })
    }
}

pub(super) fn lending() {
    let plain = pattern(5 + pick(4));
    let cuts: Vec<usize> = (1..plain.len()).filter(|_| one_in(4)).collect();
    let fail_at = one_in(3).then(|| pick(plain.len()) as u64);
    let pools = Pools::new(SLAB_LEN * (2 + pick(3)), PIECE_LEN * (2 + pick(2)), PIECE_LEN);
    let len = 1 + pick(3);
    let coders = (0..1 + pick(3)).map(|_| Box::new(ByRing { len, fail_at }) as Box<dyn Coder>).collect();
    let mut feeder = CutFeeder { input: &plain, cuts, is_certain: true, error: None };
    let plan = Plan { guesses: false, ..plan(&pools, 2 + pick(2)) };
    let (output, result) = run_to_either(plan, coders, &mut feeder);
    pools.assert_whole();
    match fail_at {
        None => {
            assert!(result.is_ok());
            assert_eq!(output, [b"<", &plain[..], b">"].concat());
        }
        Some(at) => {
            assert_eq!(result.expect_err("told to").to_string(), "told to");
            assert_eq!(output, [b"<", &plain[..at as usize]].concat());
        }
    }
}

#[test]
fn lent_bytes_are_not_written_before_they_are_back() {
    explore(lending);
}
