//! What plotters draws on, in pixels of the picture, the same for SVG and for a bitmap.
//!
//! plotters counts in whole units; there are [`UNITS`] of them in a pixel, so that markers keep their
//! shape in SVG, and a bitmap has pixels to take means of. Text goes around plotters' own fonts: what
//! it draws from outlines leaves the bearings of the glyphs out.

use std::convert::Infallible;

use ab_glyph::{Font as _, FontRef, GlyphId, PxScale, ScaleFont};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, DashedPathElement, Drawable, PathElement, PointCollection, Polygon};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor, ShapeStyle};
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontFamily,
};

use super::ChartError;

/// Units of the backend in a pixel of the picture.
pub(super) const UNITS: u32 = 4;
/// What the viewer of an SVG may draw its text in; the first is what is measured and what PNG has.
const FAMILIES: &str = "Ubuntu, Noto Sans, Helvetica, Arial, sans-serif";
/// The SVG backend divides by this to get the size of the letter m.
const SIZE_OF_EM: f64 = 1.24;
/// The SVG backend puts the baseline so many ems below the top of a text.
const TOP_OF_EM: f64 = 0.76;

pub(super) const INK: RGBColor = RGBColor(30, 30, 30);
pub(super) const GREY: RGBColor = RGBColor(100, 100, 100);
pub(super) const PALE: RGBColor = RGBColor(230, 230, 230);
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);

pub(super) type Spot = (f64, f64);

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The font that comes with the program.
pub(super) struct Font(FontRef<'static>);

impl Font {
    pub(super) fn new() -> Result<Self, ChartError> {
        let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT);
        font.map(Self).map_err(|error| ChartError::Drawing(error.to_string()))
    }

    fn scale(&self, em: f64) -> PxScale {
        let units = f64::from(self.0.units_per_em().unwrap_or(1000.0));
        PxScale::from((em * f64::from(self.0.height_unscaled()) / units) as f32)
    }

    /// The glyphs of a text with their places, and where it ends.
    fn glyphs(&self, em: f64, text: &str) -> (Vec<(GlyphId, f32)>, f32) {
        let font = self.0.as_scaled(self.scale(em));
        let (mut glyphs, mut end) = (Vec::<(GlyphId, f32)>::new(), 0.0);
        for id in text.chars().map(|letter| font.glyph_id(letter)) {
            if let Some(&(last, _)) = glyphs.last() {
                end += font.kern(last, id);
            }
            glyphs.push((id, end));
            end += font.h_advance(id);
        }
        (glyphs, end)
    }

    /// The width of a text.
    pub(super) fn width(&self, em: f64, text: &str) -> f64 {
        f64::from(self.glyphs(em, text).1)
    }

    /// A text in lines of at most `width`, at most `most` of them.
    pub(super) fn wrap(&self, em: f64, text: &str, width: f64, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let full = lines.len() == most;
            match lines.last_mut() {
                Some(line) if full || self.width(em, &format!("{line} {word}")) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_string()),
            }
        }
        lines.into_iter().map(|line| self.shorten(em, &line, width)).collect()
    }

    /// A text without the end that is wider than `width`.
    pub(super) fn shorten(&self, em: f64, text: &str, width: f64) -> String {
        if self.width(em, text) <= width {
            return text.to_string();
        }
        let mut short: String = text.to_string();
        while short.pop().is_some() && self.width(em, &format!("{short}…")) > width {}
        format!("{}…", short.trim_end())
    }
}

/// Draws in pixels of the picture.
pub(super) struct Canvas<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    pub(super) font: &'a Font,
}

type Drawn = Result<(), ChartError>;

impl<'a, DB: DrawingBackend> Canvas<'a, DB> {
    pub(super) fn new(area: &'a DrawingArea<DB, Shift>, font: &'a Font) -> Result<Self, ChartError> {
        area.fill(&PAPER).map_err(failed)?;
        Ok(Self { area, font })
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
        self.area.draw(&Text { top, em, anchor, colour, text: &text, font: self.font }).map_err(failed)
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
    font: &'a Font,
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
    type FontError = Infallible;

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

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (self.font.width(self.em, text).round() as i32, self.em.round() as i32)))
    }

    fn draw<E, DrawFunc: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        text: &str,
        pos: BackendCoord,
        mut draw: DrawFunc,
    ) -> Result<Result<(), E>, Infallible> {
        let font = &self.font.0;
        let baseline = (TOP_OF_EM * self.em) as f32;
        for (id, x) in self.font.glyphs(self.em, text).0 {
            let at = ab_glyph::point(x, baseline);
            let Some(outline) = font.outline_glyph(id.with_scale_and_position(self.font.scale(self.em), at))
            else {
                continue;
            };
            let corner = outline.px_bounds().min;
            let (left, top) = (pos.0 + corner.x as i32, pos.1 + corner.y as i32);
            let mut drawn = Ok(());
            outline.draw(|x, y, covered| {
                if drawn.is_ok() {
                    let colour = self.colour.mix(f64::from(covered.min(1.0))).to_backend_color();
                    drawn = draw(left + x as i32, top + y as i32, colour);
                }
            });
            if drawn.is_err() {
                return Ok(drawn);
            }
        }
        Ok(Ok(()))
    }
}
