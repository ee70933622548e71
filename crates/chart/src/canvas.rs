//! The canvas: plotters' drawing area in pixels of the picture. The drawing is the same for SVG and for a bitmap.
//!
//! plotters counts in whole units. A pixel has [`UNITS`] of them, so that markers keep their shape in SVG, and so that
//! a bitmap has pixels to average. Text does not use the fonts of plotters: with its feature `ab_glyph` plotters draws
//! outlines without the bearings of the glyphs.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, DashedPathElement, Drawable, PathElement, PointCollection, Polygon};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor, ShapeStyle};
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontFamily,
};

use super::{ChartError, font};

/// Units of the backend in a pixel of the picture.
pub(super) const UNITS: u32 = 4;
/// The fonts that a viewer may use for the text of an SVG. The layout measures the first, and PNG has it.
const FAMILIES: &str = "Noto Sans, Ubuntu, Helvetica, Arial, sans-serif";
/// The SVG backend divides by this to get the size of the letter m.
const SIZE_OF_EM: f64 = 1.24;
/// The SVG backend puts the baseline so many ems below the top of a text.
const TOP_OF_EM: f64 = 0.76;

pub(super) const INK: RGBColor = RGBColor(30, 30, 30);
pub(super) const GREY: RGBColor = RGBColor(100, 100, 100);
pub(super) const PALE: RGBColor = RGBColor(230, 230, 230);
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);

pub(super) type Spot = (f64, f64);

/// The end of a text that is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Draws in pixels of the picture.
pub(super) struct Canvas<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
}

type Drawn = Result<(), ChartError>;

impl<'a, DB: DrawingBackend> Canvas<'a, DB> {
    pub(super) fn new(area: &'a DrawingArea<DB, Shift>) -> Result<Self, ChartError> {
        area.fill(&PAPER).map_err(failed)?;
        Ok(Self { area })
    }

    pub(super) fn line(&self, spots: &[Spot], width: f64, colour: RGBColor) -> Drawn {
        let path: Vec<_> = spots.iter().copied().map(units).collect();
        self.area.draw(&PathElement::new(path, stroke(width, colour))).map_err(failed)
    }

    pub(super) fn dashed(&self, spots: &[Spot], dash: (f64, f64), width: f64, colour: RGBColor) -> Drawn {
        let path: Vec<_> = spots.iter().copied().map(units).collect();
        let [on, off] = [dash.0, dash.1].map(|length| (length * f64::from(UNITS)) as i32);
        let element = DashedPathElement::new(path, on, off, stroke(width, colour));
        self.area.draw(&element).map_err(failed)
    }

    pub(super) fn polygon(&self, corners: impl IntoIterator<Item = Spot>, colour: RGBColor) -> Drawn {
        let corners: Vec<_> = corners.into_iter().map(units).collect();
        self.area.draw(&Polygon::new(corners, colour.filled())).map_err(failed)
    }

    pub(super) fn disc(&self, middle: Spot, radius: f64, colour: RGBColor) -> Drawn {
        let radius = (radius * f64::from(UNITS)).round() as i32;
        self.area.draw(&Circle::new(units(middle), radius, colour.filled())).map_err(failed)
    }

    /// A line of text with its baseline at the place.
    pub(super) fn text(&self, at: Spot, anchor: Anchor, em: f64, colour: RGBColor, text: &str) -> Drawn {
        let unfit = |letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}');
        let text = text.replace(unfit, " ");
        if text.trim().is_empty() {
            return Ok(());
        }
        let top = units((at.0, at.1 - TOP_OF_EM * em));
        let em = em * f64::from(UNITS);
        self.area.draw(&Text { top, em, anchor, colour, text: &text }).map_err(failed)
    }
}

fn units((x, y): Spot) -> BackendCoord {
    [x, y].map(|value| (value * f64::from(UNITS)).round() as i32).into()
}

fn stroke(width: f64, colour: RGBColor) -> ShapeStyle {
    colour.stroke_width((width * f64::from(UNITS)).round() as u32)
}

fn failed<E: std::error::Error + Send + Sync>(error: DrawingAreaErrorKind<E>) -> ChartError {
    ChartError::Drawing(error.to_string())
}

struct Text<'a> {
    top: BackendCoord,
    em: f64,
    anchor: Anchor,
    colour: RGBColor,
    text: &'a str,
}

impl<'a> PointCollection<'a, BackendCoord> for &'a Text<'_> {
    type Point = &'a BackendCoord;
    type IntoIter = std::iter::Once<&'a BackendCoord>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.top)
    }
}

impl<DB: DrawingBackend> Drawable<DB> for Text<'_> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        points: I,
        backend: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        let mut points = points;
        points.try_for_each(|point| backend.draw_text(self.text, self, point))
    }
}

impl BackendTextStyle for Text<'_> {
    type FontError = ChartError;

    fn color(&self) -> BackendColor {
        self.colour.to_backend_color()
    }

    fn size(&self) -> f64 {
        self.em * SIZE_OF_EM
    }

    fn anchor(&self) -> Pos {
        let across = match self.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos::new(across, VPos::Top)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FAMILIES)
    }

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), ChartError> {
        Ok(((0, 0), (font::width(self.em, text).round() as i32, self.em.round() as i32)))
    }

    /// Only the bitmap backend calls this.
    fn draw<E, DrawFunc: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        text: &str,
        pos: BackendCoord,
        mut draw: DrawFunc,
    ) -> Result<Result<(), E>, ChartError> {
        let mut drawn = Ok(());
        font::cover(self.em, TOP_OF_EM * self.em, text, |x, y, covered| {
            if drawn.is_ok() {
                let colour = self.colour.mix(f64::from(covered.min(1.0))).to_backend_color();
                drawn = draw(pos.0 + x, pos.1 + y, colour);
            }
        })?;
        Ok(drawn)
    }
}
