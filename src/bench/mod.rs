//! Measuring: which format and level suits this data on this machine.
//!
//! ```text
//! sample ─▶ measure (the real pipeline, both ways, verified) ─▶ Point ─▶ choose: front, picks
//! ```
//!
//! A [`Point`] is what one format at one level came to. [`measure`] makes it; [`front`] and
//! [`Choice`] say which of several points are worth having; [`chart`] draws them.

pub mod chart;
mod choose;
mod measure;
mod text;

pub use choose::{Choice, Demand, front, picks};
pub use measure::{Direction, Pass, Point, measure};
pub use text::text;
