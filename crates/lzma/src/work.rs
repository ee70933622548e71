//! Counts the steps of the finder and the parser in tests, so that a test of the worst texts needs no clock.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Does nothing outside of tests.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.with(|sum| sum.set(sum.get() + steps));
    let _ = steps;
}

/// The steps of this thread since the last call.
#[cfg(test)]
pub(crate) fn take() -> usize {
    STEPS.take()
}
