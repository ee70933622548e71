//! Measuring: which format and level suits this data on this machine.
//!
//! ```text
//! sample ─▶ measure (the real pipeline, both ways, verified) ─▶ Point ─▶ choose: front, picks
//! ```
//!
//! A [`Point`] is what one format at one level came to. [`measure`] makes it; [`front`] and
//! [`Choice`] say which of several points are worth having; [`chart`] draws them.

mod ceiling;
pub mod chart;
mod choose;
mod cores;
mod measure;
mod pipes;
mod scaling;
mod stages;
mod text;

pub use ceiling::{Cost, Synthetic, synthetic};
pub use choose::{Choice, Demand, front, picks};
pub use cores::{memory_bandwidth, on_cores, waking};
pub use measure::{Direction, Pass, Point, measure};
pub use pipes::{Through, between_pipes, through_pipes};
pub use scaling::{Curve, CurvePoint, Forecast, Handing, Limit, Load, Machine, Shape, traffic};
pub use stages::{Stages, gzip_stages};
pub use text::text;
