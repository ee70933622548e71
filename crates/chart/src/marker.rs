//! The styles of series: each has a colour and a marker.
//!
//! A reader who does not see the colours can tell the series apart by their markers. Panels and the legend draw them
//! with the functions of this file. All numbers below [`STYLES`] look different.

use std::f64::consts::TAU;

use plotters::style::RGBColor;
use plotters_backend::DrawingBackend;

use super::ChartError;
use super::canvas::{Canvas, PAPER, Spot};

/// The number of styles.
pub const STYLES: usize = 27;

/// Half the width of the area of a marker.
pub(super) const REACH: f64 = 6.0;

/// The palette of Okabe and Ito, which colour-blind readers can tell apart. Its yellow is left out, because it cannot
/// be seen on white. Dark and light colours alternate.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(0, 0, 0),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Full,
    Hollow,
    Dotted,
}

/// The shape of a marker: corners by radius and angle, in turns of the clock from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Circle,
    /// Corners, the turn of the first, and the radius.
    Regular(u32, f64, f64),
    Star,
    /// Arms, the turn of the first, and the radius.
    Arms(u32, f64, f64),
}

const CLOSED: [Shape; 8] = [
    Shape::Circle,
    Shape::Regular(4, 0.125, 6.0),
    Shape::Regular(3, 0.0, 6.2),
    Shape::Regular(4, 0.0, 6.0),
    Shape::Regular(3, 0.5, 6.2),
    Shape::Star,
    Shape::Regular(3, 0.25, 6.2),
    Shape::Regular(3, 0.75, 6.2),
];
const OPEN: [Shape; 3] = [Shape::Arms(4, 0.0, 5.6), Shape::Arms(4, 0.125, 5.6), Shape::Arms(6, 0.0, 5.6)];

/// The colour of a style.
pub(super) fn colour(style: usize) -> RGBColor {
    COLOURS[style % COLOURS.len()]
}

/// The colour of faint lines of a style.
pub(super) fn faint(style: usize) -> RGBColor {
    let RGBColor(red, green, blue) = colour(style);
    let [red, green, blue] = [red, green, blue].map(|part| 255 - (255 - part) / 3);
    RGBColor(red, green, blue)
}

/// The colour of a style for text, darkened so that the text can be read.
pub(super) fn dark(style: usize) -> RGBColor {
    let RGBColor(red, green, blue) = colour(style);
    let [red, green, blue] = [red, green, blue].map(|part| (u16::from(part) * 6 / 10) as u8);
    RGBColor(red, green, blue)
}

/// The markers: filled shapes first, then shapes of strokes, then hollow shapes.
fn shape(style: usize) -> (Shape, Fill) {
    match style % STYLES {
        style @ 0..8 => (CLOSED[style], Fill::Full),
        style @ 8..11 => (OPEN[style - 8], Fill::Full),
        style @ 11..19 => (CLOSED[style - 11], Fill::Hollow),
        style => (CLOSED[(style - 19) % CLOSED.len()], Fill::Dotted),
    }
}

/// Draws the marker of a style. A `hollow` marker is for a value that was not measured.
pub(super) fn draw<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    at: Spot,
    style: usize,
    hollow: bool,
) -> Result<(), ChartError> {
    let (shape, mut fill) = shape(style);
    let colour = colour(style);
    if let Shape::Arms(arms, turn, radius) = shape {
        for (width, colour) in [(4.0, PAPER), (if hollow { 1.0 } else { 1.9 }, colour)] {
            for arm in 0..arms / 2 {
                let turn = turn + f64::from(arm) / f64::from(arms);
                let reach = radius + if colour == PAPER { 1.0 } else { 0.0 };
                canvas.line(&[around(at, turn, reach), around(at, turn + 0.5, reach)], width, colour)?;
            }
        }
        return Ok(());
    }
    if hollow && fill == Fill::Full {
        fill = Fill::Hollow;
    }
    // White around each marker separates markers that touch.
    closed(canvas, at, shape, 1.3, PAPER)?;
    closed(canvas, at, shape, 0.0, colour)?;
    if fill != Fill::Full {
        closed(canvas, at, shape, -1.6, PAPER)?;
    }
    if fill == Fill::Dotted {
        canvas.disc(at, 1.5, colour)?;
    }
    Ok(())
}

/// A shape with its sides moved outwards by `grow`.
fn closed<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    at: Spot,
    shape: Shape,
    grow: f64,
    colour: RGBColor,
) -> Result<(), ChartError> {
    let regular = |corners: u32, turn: f64, radius: f64| {
        let radius = radius + grow / (TAU / 2.0 / f64::from(corners)).cos();
        (0..corners).map(move |corner| around(at, turn + f64::from(corner) / f64::from(corners), radius))
    };
    match shape {
        Shape::Circle => canvas.disc(at, 4.8 + grow, colour),
        Shape::Regular(corners, turn, radius) => canvas.polygon(regular(corners, turn, radius), colour),
        Shape::Star => {
            let point = |corner: u32| {
                let radius = if corner.is_multiple_of(2) { 6.6 + grow * 1.8 } else { 2.8 + grow };
                around(at, f64::from(corner) / 10.0, radius)
            };
            canvas.polygon((0..10).map(point), colour)
        }
        Shape::Arms(..) => Ok(()),
    }
}

fn around((x, y): Spot, turn: f64, radius: f64) -> Spot {
    (x + radius * (turn * TAU).sin(), y - radius * (turn * TAU).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_differ_without_their_colours() {
        for one in 0..STYLES {
            for other in 0..one {
                assert_ne!(shape(one), shape(other), "{one} {other}");
            }
        }
    }
}
