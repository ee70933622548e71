//! The legend, right of the panels.
//!
//! It has an entry for each name of a series and for each kind of line. `draw.rs` asks for its width first, and then
//! draws it. Series with the same name in several panels are one entry.

use plotters_backend::DrawingBackend;

use super::canvas::{Anchor, Canvas, GREY, INK};
use super::labels::Area;
use super::{Chart, ChartError, Line, font, marker};

const EM: f64 = 12.5;
/// From the left of an entry to its name.
const NAME: f64 = 30.0;
const WIDEST: f64 = 200.0;

/// The look of the entries.
enum Key {
    Marker(usize),
    Front,
    Line { dashed: bool },
}

/// The entries: series in the order of their first occurrence, then lines.
fn entries(chart: &Chart) -> Vec<(Key, &str)> {
    let mut entries: Vec<(Key, &str)> = Vec::new();
    let legible = chart.panels.iter().filter(|panel| !panel.names_at_end);
    for series in legible.flat_map(|panel| &panel.series).filter(|series| !series.name.is_empty()) {
        if entries.iter().all(|(_, name)| *name != series.name) {
            entries.push((Key::Marker(series.style), &series.name));
        }
    }
    if chart.panels.iter().any(|panel| panel.front.len() > 1) {
        entries.push((Key::Front, "Pareto front"));
    }
    let mut all = chart.panels.iter().flat_map(|panel| &panel.series);
    if all.any(|series| matches!(series.line, Line::SolidTo(_))) {
        entries.push((Key::Line { dashed: false }, "measured"));
        entries.push((Key::Line { dashed: true }, "computed"));
    }
    entries
}

/// The width of the legend, or zero if it has no entries.
pub(super) fn width(chart: &Chart) -> f64 {
    let entries = entries(chart);
    let names = entries.iter().map(|(_, name)| NAME + font::width(EM, name) * 1.06);
    let widest = names.fold(font::width(EM, &chart.legend) * 1.06, f64::max);
    if entries.is_empty() { 0.0 } else { (widest + 4.0).min(WIDEST) }
}

/// Draws it into the area.
pub(super) fn draw<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    chart: &Chart,
    area: &Area,
) -> Result<(), ChartError> {
    let entries = entries(chart);
    if entries.is_empty() {
        return Ok(());
    }
    let mut y = area.top + EM;
    if !chart.legend.is_empty() {
        let heading = font::shorten(EM, &chart.legend, area.right - area.left);
        canvas.text((area.left, y), Anchor::Start, EM, GREY, &heading)?;
        y += 24.0;
    }
    let row = ((area.bottom - y) / entries.len() as f64).min(21.0);
    for (key, name) in entries {
        let (left, middle) = (area.left + 1.0, y - EM * 0.35);
        let (from, to) = ((left, middle), (left + 22.0, middle));
        match key {
            Key::Marker(style) => marker::draw(canvas, (left + 11.0, middle), style, false)?,
            Key::Front => {
                let (low, high) = (middle + 4.0, middle - 4.0);
                let stairs = [(left, low), (left + 11.0, low), (left + 11.0, high), (left + 22.0, high)];
                canvas.line(&stairs, 1.2, GREY)?;
            }
            Key::Line { dashed: false } => canvas.line(&[from, to], 1.6, INK)?,
            Key::Line { dashed: true } => canvas.dashed(&[from, to], (5.0, 3.5), 1.6, INK)?,
        }
        let name = font::shorten(EM, name, area.right - area.left - NAME);
        canvas.text((area.left + NAME, y), Anchor::Start, EM, INK, &name)?;
        y += row;
    }
    Ok(())
}
