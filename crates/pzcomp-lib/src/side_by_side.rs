//! A list of short works on several threads, for `salvage/` and `seekable/`. A stream runs on the engine instead.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::{Error, Result};

/// The results of `work` for each item, in order. The thread of the caller works too. With fewer threads than were
/// asked for, the others do all the work. The first error in the order of the items is returned, and items behind an
/// error may be left out.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let done: Mutex<Vec<Option<Result<R>>>> = Mutex::new(items.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let take = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let result = work(item);
            let has_failed = result.is_err();
            if let Some(slot) = done.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                *slot = Some(result);
            }
            if has_failed {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            let _ = thread::Builder::new().spawn_scoped(scope, take);
        }
        take();
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let missing = || Err(Error::Internal("a work was left out".into()));
    // The error of an item stands before all items that were left out because of it.
    done.into_iter().map(|result| result.unwrap_or_else(missing)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_the_first_error_is_returned() {
        let items: Vec<u64> = (0..100).collect();
        for threads in [0, 1, 3, 200] {
            let doubled = side_by_side(&items, threads, |item| Ok(2 * item)).unwrap();
            assert_eq!(doubled, (0..100).map(|item| 2 * item).collect::<Vec<_>>());
            let failed = side_by_side(&items, threads, |item| match item {
                37 | 60.. => Err(Error::corrupt("gzip", *item, "")),
                item => Ok(*item),
            });
            assert!(matches!(failed, Err(Error::Corrupt { offset: 37, .. })), "{threads}");
        }
    }
}
