//! Charts of measurements: points with labels, staircases of the best points, and lines of reference.
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
    /// The subject, in large letters.
    pub title: String,
    /// How to read the picture, below the title.
    pub subtitle: String,
    /// The origin of the figures, such as machine, sample and version, below the panels.
    pub footer: String,
    /// The title of the legend, such as `format`.
    pub legend: String,
    /// The panels from left to right.
    pub panels: Vec<Panel>,
}

/// A field with two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The title of this panel.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// The direction in which points get better.
    pub better: Option<Better>,
    /// The series. The first is drawn at the bottom.
    pub series: Vec<Series>,
    /// Points that no other point beats, in any order. They are drawn as a staircase.
    pub front: Vec<(f64, f64)>,
    /// Straight lines of reference.
    pub rules: Vec<Rule>,
    /// Whether names are at the ends of lines instead of in the legend.
    pub names_at_end: bool,
}

/// The quantity and the scale of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity and its unit.
    pub label: String,
    /// The scale.
    pub scale: Scale,
}

/// The scale of an axis, which turns values into places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal quotients are equally far apart. Ticks are at 1, 2, 5 and their multiples by powers of ten. Values that
    /// are not above zero are left out.
    Log,
    /// Equal quotients are equally far apart. Ticks are at powers of two.
    Log2,
}

/// The direction in which points get better.
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
    /// The colour and the marker. All numbers below [`STYLES`] look different, also in black and white.
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
    /// The text beside the mark. It may be empty.
    pub label: String,
}

/// The line through the marks of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Line {
    /// No line.
    #[default]
    None,
    /// A faint line that shows which marks belong together.
    Faint,
    /// A strong line.
    Solid,
    /// A strong line that is dashed beyond this x. Marks beyond it are hollow.
    SolidTo(f64),
}

/// A straight line of reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The axis that it crosses.
    pub across: Across,
    /// The value at which it crosses the axis.
    pub at: f64,
    /// The text beside the line. It may be empty.
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
    /// No point has a place on the axes.
    #[error("there is nothing to draw: no point has finite values that fit the axes")]
    Empty,
    /// The drawing itself failed.
    #[error("the picture could not be drawn: {0}")]
    Drawing(String),
}

impl Chart {
    /// Width and height of the picture. PNG has twice as many pixels in each direction.
    pub const SIZE: (u32, u32) = (1200, 560);

    /// The picture as SVG. Its text is text and not outlines.
    pub fn svg(&self) -> Result<String, ChartError> {
        draw::svg(self)
    }

    /// The picture as PNG.
    #[cfg(feature = "png")]
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        draw::png(self)
    }
}
