//! The whole picture: it places title, panels, legend and footer, and makes SVG or PNG of the drawing.
//!
//! [`Chart::svg`](crate::Chart::svg) and [`Chart::png`](crate::Chart::png) call this file. Both outputs have the same
//! layout. The bitmap is drawn larger, and its pixels are averaged.

use std::fmt::Write;

#[cfg(feature = "png")]
use plotters::backend::BitMapBackend;
use plotters::backend::SVGBackend;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters_backend::DrawingBackend;

use super::canvas::{Anchor, Canvas, GREY, INK, UNITS};
use super::labels::Area;
#[cfg(feature = "png")]
use super::png;
use super::{Chart, ChartError, font, legend, panel};

const MARGIN: f64 = 24.0;
const TITLE_EM: f64 = 20.0;
const SUBTITLE_EM: f64 = 13.0;
const FOOTER_EM: f64 = 11.0;
const GAP: f64 = 30.0;
/// The number of PNG pixels for one pixel of the picture, in each direction.
#[cfg(feature = "png")]
const PNG_SCALE: u32 = 2;

pub(super) fn svg(chart: &Chart) -> Result<String, ChartError> {
    let (width, height) = Chart::SIZE;
    let size = (width * UNITS, height * UNITS);
    let mut drawn = String::new();
    compose(chart, SVGBackend::with_string(&mut drawn, size).into_drawing_area())?;

    // plotters writes its units as the size of the picture, and writes no title.
    let head = drawn.find('>').ok_or_else(|| ChartError::Drawing("SVG without a head".into()))?;
    let text = |text: &str| {
        let unfit = |letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}');
        text.replace(unfit, " ").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\">\n<title>{}</title>\n",
        size.0,
        size.1,
        text(&chart.title),
    );
    // Writing to a string cannot fail.
    let _ = write!(svg, "<desc>{}</desc>", text(&describe(chart)));
    svg.push_str(&drawn[head + 1..]);
    Ok(svg)
}

#[cfg(feature = "png")]
pub(super) fn png(chart: &Chart) -> Result<Vec<u8>, ChartError> {
    let [width, height] = [Chart::SIZE.0, Chart::SIZE.1].map(|side| side * UNITS);
    let mut pixels = vec![0; (width * height * 3) as usize];
    compose(chart, BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())?;
    let (pixels, size) = shrink(&pixels, (width, height), UNITS / PNG_SCALE);
    png::encode(&pixels, size).map_err(|error| ChartError::Drawing(error.to_string()))
}

/// Averages squares of pixels, which makes edges smooth.
#[cfg(feature = "png")]
fn shrink(pixels: &[u8], (width, height): (u32, u32), side: u32) -> (Vec<u8>, (u32, u32)) {
    let size = (width / side, height / side);
    let mut small = Vec::with_capacity((size.0 * size.1 * 3) as usize);
    let byte = |x: u32, y: u32, part: u32| u32::from(pixels[((y * width + x) * 3 + part) as usize]);
    for (y, x) in (0..size.1).flat_map(|y| (0..size.0).map(move |x| (y * side, x * side))) {
        for part in 0..3 {
            let square = (0..side * side).map(|n| byte(x + n % side, y + n / side, part));
            small.push((square.sum::<u32>() / (side * side)) as u8);
        }
    }
    (small, size)
}

/// A description of the picture, for readers who do not see it.
fn describe(chart: &Chart) -> String {
    let mut text = chart.subtitle.clone();
    for panel in &chart.panels {
        let names: Vec<&str> = panel.series.iter().map(|series| series.name.as_str()).collect();
        let (x, y) = (&panel.x.label, &panel.y.label);
        let _ = write!(text, " {}: {x} across, {y} up, of {}.", panel.title, names.join(", "));
    }
    let _ = write!(text, " {}", chart.footer);
    text.trim().to_string()
}

fn compose<DB: DrawingBackend>(
    chart: &Chart,
    area: DrawingArea<DB, plotters::coord::Shift>,
) -> Result<(), ChartError> {
    let canvas = Canvas::new(&area)?;
    let (width, height) = (f64::from(Chart::SIZE.0), f64::from(Chart::SIZE.1));
    let inner = width - 2.0 * MARGIN;

    let mut top = MARGIN - 4.0;
    let texts = [(&chart.title, TITLE_EM, INK), (&chart.subtitle, SUBTITLE_EM, GREY)];
    for (text, em, colour) in texts {
        // The viewer may use a wider font.
        for line in font::wrap(em, text, inner / 1.1, 2) {
            top += em * 1.35;
            canvas.text((MARGIN, top), Anchor::Start, em, colour, &line)?;
        }
    }

    let footer = font::wrap(FOOTER_EM, &chart.footer, inner / 1.1, 3);
    let mut bottom = height - 14.0;
    for line in footer.iter().rev() {
        canvas.text((MARGIN, bottom), Anchor::Start, FOOTER_EM, GREY, line)?;
        bottom -= FOOTER_EM * 1.35;
    }

    let panels: Vec<_> = chart.panels.iter().filter(|panel| panel::is_visible(panel)).collect();
    if panels.is_empty() {
        return Err(ChartError::Empty);
    }
    let field = Area { left: MARGIN, top: top + 22.0, right: width - MARGIN, bottom: bottom - 4.0 };
    let legend_width = legend::width(chart);
    let legend_gap = if legend_width > 0.0 { GAP - 8.0 } else { 0.0 };
    let room = inner - legend_width - legend_gap - GAP * (panels.len() - 1) as f64;
    let each = room / panels.len() as f64;
    let mut left = field.left;
    for panel in panels {
        panel::draw(&canvas, panel, &Area { left, right: left + each, ..field })?;
        left += each + GAP;
    }
    let beside = Area { left: field.right - legend_width, top: field.top + 2.0, ..field };
    legend::draw(&canvas, chart, &beside)?;
    area.present().map_err(|error| ChartError::Drawing(error.to_string()))
}
