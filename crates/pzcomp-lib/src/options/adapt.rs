//! [`Adapt`]: between which levels a stream may change its level by itself.

/// Levels that follow what the source and the sink take ([`EncodeBuilder::adapt`](super::EncodeBuilder::adapt)).
///
/// ```
/// use pzcomp::{Adapt, Encode};
/// let options = Encode::zstd(3).adapt(Adapt::new().with_max(15)).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adapt {
    /// The lowest level. `None` is the level to begin with: then no frame is longer than at that level.
    pub min: Option<i32>,
    /// The highest level. `None` is 19 for zstd, and the highest level of other formats.
    pub max: Option<i32>,
}

impl Adapt {
    /// The default: the level to begin with, and all usual levels above it.
    pub const fn new() -> Self {
        Self { min: None, max: None }
    }

    /// The same with this lowest level ([`Self::min`]).
    #[must_use]
    pub const fn with_min(mut self, level: i32) -> Self {
        self.min = Some(level);
        self
    }

    /// The same with this highest level ([`Self::max`]).
    #[must_use]
    pub const fn with_max(mut self, level: i32) -> Self {
        self.max = Some(level);
        self
    }
}

/// Levels that are valid for a format, and the bytes per second with which one core usually codes at each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AdaptSettings {
    /// The level to begin with.
    pub(crate) start: i32,
    /// All levels, the fastest first.
    pub(crate) levels: Vec<(i32, u32)>,
}
