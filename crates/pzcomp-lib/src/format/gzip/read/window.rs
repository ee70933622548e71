//! The window between two jobs that decode one member: the last output of the first job, to which the second may refer.
//!
//! A job gets the window of the job before with [`before`], and gives its own to the next job with [`publish`] or
//! [`hand_on`]. It is the baton of [`HandoverStage::Decoded`].

use pzcomp_deflate::inflate::{Boundary, Inflate, WINDOW_LEN};

use crate::error::Result;
use engine::{HandoverStage, Source};

/// The last output of the member before this job, at most 32 KiB. Waits until it is known.
pub(super) fn before<'s>(source: &'s Source) -> Result<&'s [u8]> {
    let baton = source.relay.baton(HandoverStage::Decoded)?;
    Ok(baton.and_then(|baton| baton.downcast_ref::<Vec<u8>>()).map_or(&[], Vec::as_slice))
}

/// Whether [`before`] returns without waiting.
pub(super) fn is_known(source: &Source) -> bool {
    source.relay.has_baton(HandoverStage::Decoded)
}

/// Gives the next job its window before all output of this job has been put out, if the job ends at `boundary` behind
/// the next `read` bytes at hand. A window that was published cannot be taken back, so it must be right.
pub(super) fn publish(window: &[u8; WINDOW_LEN], read: usize, boundary: Boundary, source: &mut Source) {
    let ends = source.ends_behind(read);
    if ends && is_known(source) {
        // To take the window of the job before says that this job begins where that one ends.
        if before(source).is_ok() {
            let _ = source.relay.publish(
                HandoverStage::Decoded,
                ends,
                boundary.to_byte(),
                Box::new(window.to_vec()),
            );
        }
    }
}

/// Gives the next job its window at the end of this job, where the member continues at `boundary`.
pub(super) fn hand_on(stream: &Inflate, boundary: Boundary, source: &mut Source) -> Result<()> {
    let own = stream.window();
    let mut window = Vec::with_capacity(WINDOW_LEN);
    if own.len() < WINDOW_LEN && stream.window_is_missing() {
        let before = before(source)?;
        window.extend_from_slice(&before[(before.len() + own.len()).saturating_sub(WINDOW_LEN)..]);
    } else if is_known(source) {
        before(source)?;
    }
    window.extend_from_slice(own);
    let ends = source.ends_behind(0);
    Ok(source.relay.hand_on(HandoverStage::Decoded, ends, boundary.to_byte(), Box::new(window))?)
}
