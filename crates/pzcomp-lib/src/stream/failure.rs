//! [`Failure`]: the first error of a stream, which every later call returns again.
//!
//! An [`io::Error`] cannot be cloned. So the failure makes another one with the same kind and the same text.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::sync::Arc;

use crate::error::Error;

/// An error that is returned again and again.
#[derive(Clone, Debug)]
pub(super) struct Failure(Arc<io::Error>);

impl Failure {
    pub(super) fn new(error: impl Into<io::Error>) -> Self {
        Self(Arc::new(error.into()))
    }

    /// The error that stands for a panic in the inner stream.
    pub(super) fn panicked() -> Self {
        Self::new(io::Error::other("the inner stream has panicked"))
    }

    /// The error, once more.
    pub(super) fn again(&self) -> io::Error {
        match self.0.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(self.0.kind(), self.clone()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Failure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.get_ref().and_then(|error| error.source())
    }
}

impl Error {
    /// The error of this library inside an [`io::Error`] that a [`Reader`](crate::Reader) or a
    /// [`Writer`](crate::Writer) has returned. Nothing if the error comes from the inner stream.
    ///
    /// ```
    /// use std::io::Read;
    /// let mut reader = pzcomp::Reader::new(&b"no compressed data"[..], pzcomp::Decode::default())?;
    /// let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
    /// assert!(matches!(pzcomp::Error::of(&error), Some(pzcomp::Error::NotCompressed { .. })));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn of(error: &io::Error) -> Option<&Self> {
        let inner = error.get_ref()?;
        match inner.downcast_ref::<Failure>() {
            Some(failure) => Self::of(&failure.0),
            None => inner.downcast_ref(),
        }
    }
}
