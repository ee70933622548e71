//! Charts of measurements: points with labels, staircases of the best ones and lines to compare with.
//!
//! ```text
//! Chart (data) ─▶ draw (layout) ─▶ canvas (plotters) ─▶ SVG text or PNG bytes
//! ```
//!
//! The caller fills in a [`Chart`]: panels side by side, series of marks, fronts and rules. A chart holds values with
//! units of the caller's choice, and nothing about pixels. [`Chart::svg`] and [`Chart::png`] draw it. Both run the
//! same layout, which puts each label where it covers no other label and no mark.
//!
//! The same chart always gives the same bytes. This crate opens no file, starts no thread and needs no font on the
//! system.
//!
//! ```
//! use pzcomp_chart::{Axis, Better, Chart, Mark, Panel, Scale, Series};
//!
//! let mark = |x, y, label: &str| Mark { x, y, label: label.into() };
//! let chart = Chart {
//!     title: "Speed against size".into(),
//!     panels: vec![Panel {
//!         x: Axis { label: "MB/s".into(), scale: Scale::Log },
//!         y: Axis { label: "size, %".into(), scale: Scale::Linear },
//!         better: Some(Better::LowerRight),
//!         series: vec![Series {
//!             name: "zstd".into(),
//!             marks: vec![mark(813.0, 16.2, "1"), mark(95.0, 15.1, "9")],
//!             ..Series::default()
//!         }],
//!         front: vec![(813.0, 16.2), (95.0, 15.1)],
//!         ..Panel::default()
//!     }],
//!     ..Chart::default()
//! };
//! let svg = chart.svg()?;
//! assert!(svg.starts_with("<svg") && svg.contains("Speed against size"));
//! # Ok::<(), pzcomp_chart::ChartError>(())
//! ```

mod axis;
mod canvas;
mod draw;
mod font;
mod labels;
mod legend;
mod marker;
mod panel;
#[cfg(feature = "png")]
mod png;
#[cfg(test)]
mod tests;

/// A picture: one or more panels side by side, with a legend for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What is seen, in large letters.
    pub title: String,
    /// How to read it, below the title.
    pub subtitle: String,
    /// Where the figures come from: machine, sample, version; below the panels.
    pub footer: String,
    /// What the names of the legend are, such as `format`.
    pub legend: String,
    /// The panels from left to right.
    pub panels: Vec<Panel>,
}

/// A field with two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// What this panel shows.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// Where the good points are.
    pub better: Option<Better>,
    /// What is drawn, the first at the bottom.
    pub series: Vec<Series>,
    /// Points that nothing beats, in any order: drawn as a staircase.
    pub front: Vec<(f64, f64)>,
    /// Straight lines to compare with.
    pub rules: Vec<Rule>,
    /// Names stand at the ends of lines and not in the legend.
    pub names_at_end: bool,
}

/// What an axis measures and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity and its unit.
    pub label: String,
    /// How values become places.
    pub scale: Scale,
}

/// How values become places on an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal quotients are equally far apart; ticks at 1, 2, 5 and their multiples by ten. Values
    /// that are not above zero are left out.
    Log,
    /// The same with ticks at the powers of two.
    Log2,
}

/// In which direction points get better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More on the x axis and less on the y axis.
    LowerRight,
    /// More on the y axis.
    Higher,
}

/// Marks that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name, for the legend. Series of the same name in several panels are one entry.
    pub name: String,
    /// Which colour and marker: each of the numbers below [`STYLES`] looks different, in black and
    /// white too.
    pub style: usize,
    /// The marks, in the order in which a line connects them.
    pub marks: Vec<Mark>,
    /// The line.
    pub line: Line,
}

/// A point with its label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// The value on the x axis.
    pub x: f64,
    /// The value on the y axis.
    pub y: f64,
    /// What is written beside it; may be empty.
    pub label: String,
}

/// How the marks of a series are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Line {
    /// Not at all.
    #[default]
    None,
    /// By a faint line that shows what belongs together.
    Faint,
    /// By a strong line.
    Solid,
    /// By a strong line that is dashed beyond this x; marks beyond are hollow.
    SolidTo(f64),
}

/// A straight line to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Which axis it crosses.
    pub across: Across,
    /// Where it crosses the axis.
    pub at: f64,
    /// What it means; may be empty.
    pub label: String,
}

/// The axis that a [`Rule`] crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// A vertical line.
    X,
    /// A horizontal line.
    Y,
}

pub use marker::STYLES;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChartError {
    /// Nothing was given that has a place on the axes.
    #[error("there is nothing to draw: no point has finite values that fit the axes")]
    Empty,
    /// The drawing itself failed.
    #[error("the picture could not be drawn: {0}")]
    Drawing(String),
}

impl Chart {
    /// Width and height of the picture; PNG has twice as many pixels each way.
    pub const SIZE: (u32, u32) = (1200, 560);

    /// The picture as SVG, its text as text.
    pub fn svg(&self) -> Result<String, ChartError> {
        draw::svg(self)
    }

    /// The picture as PNG.
    #[cfg(feature = "png")]
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        draw::png(self)
    }
}
