//! Measuring: which format and level suits this data on this machine.
//!
//! ```text
//! sample ─▶ measure (the real pipeline, both ways, verified) ─▶ Point ─▶ choose: front, picks
//!                                                                    └─▶ picture: a chart
//! ```
//!
//! A [`Point`] is what one format at one level came to. [`measure`] makes it; [`front`] and
//! [`Choice`] say which of several points are worth having; [`picture`] turns them into a [`chart`].

mod choose;
mod measure;
mod picture;
mod text;

pub use choose::{Choice, Demand, front, picks};
pub use measure::{Direction, Pass, Point, measure};
pub use picture::picture;
/// The crate that draws the chart.
pub use pzcomp_chart as chart;
pub use text::text;
