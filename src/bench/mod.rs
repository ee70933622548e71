//! Measures formats and levels on a sample of the caller's data, and recommends one.
//!
//! ```text
//! sample ─▶ measure (the real pipeline, both ways, verified) ─▶ Point ─▶ choose: front, picks
//!                                                                    └─▶ picture: a chart
//! ```
//!
//! A [`Point`] has the speeds and the size of one format at one level. [`measure`] makes it. [`front`], [`picks`] and
//! [`Demand`] choose among several points. With the feature `plot`, `picture` turns them into a chart.

mod choose;
mod measure;
#[cfg(feature = "plot")]
mod picture;
mod text;

pub use choose::{Choice, Demand, front, picks};
pub use measure::{Direction, Pass, Point, measure};
#[cfg(feature = "plot")]
#[cfg_attr(docsrs, doc(cfg(feature = "plot")))]
pub use picture::picture;
/// The crate that draws the chart.
#[cfg(feature = "plot")]
#[cfg_attr(docsrs, doc(cfg(feature = "plot")))]
pub use pzcomp_chart as chart;
pub use text::text;
