//! Measures formats and levels on a sample of the caller's data, and recommends one.
//!
//! ```text
//! sample ─▶ measure (the real pipeline, both ways, verified) ─▶ Point ─▶ choose: front, picks
//! ```
//!
//! A [`Point`] has the speeds and the size of one format at one level. [`measure`] makes it. [`front`], [`picks`] and
//! [`Demand`] choose among several points.

mod choose;
mod measure;
mod text;

pub use choose::{Choice, Demand, front, picks};
pub use measure::{Direction, Pass, Point, measure};
pub use text::text;
