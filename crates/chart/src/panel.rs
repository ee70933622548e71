//! One panel: axes, grid, lines, markers and labels.
//!
//! `draw.rs` gives each panel its area. The panel makes its axes from the values, draws everything, and lets
//! `labels.rs` place the labels. Values without a place on the axes are left out.

use plotters_backend::DrawingBackend;

use super::axis::Ruler;
use super::canvas::{Anchor, Canvas, GREY, INK, PALE, Spot};
use super::labels::{Area, Wanted, cost, place, spread};
use super::{Across, Better, ChartError, Line, Panel, Scale, Series, font, marker};

const TITLE_EM: f64 = 15.0;
const AXIS_EM: f64 = 12.0;
const LABEL_EM: f64 = 11.5;
/// The distance from the frame to the outermost markers.
const INSET: f64 = 20.0;
/// A viewer may use a font that is wider than the measured font by up to this factor.
const WIDER: f64 = 1.08;

/// Whether the panel has a point with a place.
pub(super) fn is_visible(panel: &Panel) -> bool {
    places(panel).next().is_some()
}

/// A mark: its place in the picture, its label, and whether it is hollow.
type Placed = (Spot, String, bool);

fn has_place(panel: &Panel, (x, y): Spot) -> bool {
    panel.x.scale.takes(x) && panel.y.scale.takes(y)
}

/// The values of all points that have a place.
fn places(panel: &Panel) -> impl Iterator<Item = Spot> + '_ {
    let marks = panel.series.iter().flat_map(|series| &series.marks).map(|mark| (mark.x, mark.y));
    marks.chain(panel.front.iter().copied()).filter(|point| has_place(panel, *point))
}

/// Both axes of a panel.
struct Field {
    x: Ruler,
    y: Ruler,
    area: Area,
}

impl Field {
    fn spot(&self, (x, y): Spot) -> Spot {
        (self.x.place(x), self.y.place(y))
    }
}

pub(super) fn draw<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    panel: &Panel,
    area: &Area,
) -> Result<(), ChartError> {
    head(canvas, panel, area)?;
    let field = axes(canvas, panel, area)?;
    let rules = rules(canvas, panel, &field)?;
    let (mut taken, mut lines) = (Vec::new(), Vec::new());

    let visible = |series: &Series| -> Vec<Placed> {
        let beyond = |x: f64| matches!(series.line, Line::SolidTo(last) if x > last);
        let marks = series.marks.iter().filter(|mark| has_place(panel, (mark.x, mark.y)));
        marks.map(|mark| (field.spot((mark.x, mark.y)), mark.label.clone(), beyond(mark.x))).collect()
    };
    let series: Vec<_> = panel.series.iter().map(|series| (series, visible(series))).collect();
    for (series, marks) in &series {
        connect(canvas, series, marks)?;
        if series.line != Line::None {
            lines.extend(marks.windows(2).map(|pair| (pair[0].0, pair[1].0)));
        }
    }
    let front: Vec<Spot> = panel.front.iter().copied().filter(|point| has_place(panel, *point)).collect();
    let stairs: Vec<Spot> = stairs(front).into_iter().map(|point| field.spot(point)).collect();
    if stairs.len() > 1 {
        canvas.line(&stairs, 1.2, GREY)?;
        lines.extend(stairs.windows(2).map(|pair| (pair[0], pair[1])));
    }
    for (series, marks) in &series {
        for (at, _, hollow) in marks {
            marker::draw(canvas, *at, series.style, *hollow)?;
            taken.push(Area::around(*at, marker::REACH));
        }
    }
    if panel.names_at_end {
        names(canvas, &series, &Area { right: area.right, ..field.area })?;
    }
    name_rules(canvas, panel, &field.area, &rules, &mut taken, &lines)?;
    lines.extend(rules);
    let labels = series.iter().flat_map(|(series, marks)| marks.iter().map(|mark| (series.style, mark)));
    let labels = labels.map(|(style, (at, label, _))| (*at, label.as_str(), style));
    write_labels(canvas, &field.area, labels, &taken, &lines)
}

fn head<DB: DrawingBackend>(canvas: &Canvas<'_, DB>, panel: &Panel, area: &Area) -> Result<(), ChartError> {
    let baseline = area.top + TITLE_EM;
    let mut right = area.right;
    if let Some(better) = panel.better {
        let (text, (dx, dy)) = match better {
            Better::LowerRight => ("lower right is better", (9.0, 9.0)),
            Better::Higher => ("higher is better", (0.0, -11.0)),
        };
        let tip = (right - 2.0, baseline + if dy > 0.0 { 0.0 } else { -10.5 });
        let tail = (tip.0 - dx, tip.1 - dy);
        canvas.line(&[tail, tip], 1.3, GREY)?;
        let length = f64::hypot(dx, dy);
        for side in [0.6, -0.6] {
            let (sin, cos) = f64::sin_cos(side);
            let back = ((-dx * cos + dy * sin) / length * 5.0, (-dx * sin - dy * cos) / length * 5.0);
            canvas.line(&[tip, (tip.0 + back.0, tip.1 + back.1)], 1.3, GREY)?;
        }
        right -= 18.0;
        canvas.text((right, baseline), Anchor::End, AXIS_EM, GREY, text)?;
        right -= font::width(AXIS_EM, text) * WIDER + 8.0;
    }
    let title = font::shorten(TITLE_EM, &panel.title, (right - area.left) / WIDER);
    canvas.text((area.left, baseline), Anchor::Start, TITLE_EM, INK, &title)
}

/// Draws the axes with their labels and the grid.
fn axes<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    panel: &Panel,
    area: &Area,
) -> Result<Field, ChartError> {
    let (top, bottom) = (area.top + 46.0, area.bottom - 40.0);
    let across = |axis| panel.rules.iter().filter(move |rule| rule.across == axis).map(|rule| rule.at);
    let empty = || ChartError::Empty;
    let ys = places(panel).map(|(_, y)| y).chain(across(Across::Y));
    let y = Ruler::new(panel.y.scale, ys, (bottom - INSET, top + INSET)).ok_or_else(empty)?;
    // Steps of 1, 2 and 5 may be closer together.
    let step = if panel.y.scale == Scale::Linear { 38.0 } else { 26.0 };
    let rows = y.ticks((bottom, top), ((bottom - top) / step) as usize);
    let widest = rows.iter().map(|(_, text)| font::width(AXIS_EM, text) * WIDER).fold(0.0, f64::max);

    let ends = panel.series.iter().map(|series| font::width(AXIS_EM, &series.name) * WIDER + 34.0);
    let end = if panel.names_at_end { ends.fold(0.0, f64::max).min(160.0) } else { INSET };
    let left = area.left + widest + 10.0;
    // The space for names at the ends of lines has no values.
    let right = if panel.names_at_end { area.right - end + INSET / 2.0 } else { area.right };
    let xs = places(panel).map(|(x, _)| x).chain(across(Across::X));
    let x = Ruler::new(panel.x.scale, xs, (left + INSET, area.right - end)).ok_or_else(empty)?;
    let columns = x.ticks((left, right), ((right - left) / 44.0) as usize);

    for (value, text) in &rows {
        let at = y.place(*value);
        canvas.line(&[(left, at), (right, at)], 0.8, PALE)?;
        canvas.text((left - 7.0, at + AXIS_EM * 0.35), Anchor::End, AXIS_EM, INK, text)?;
    }
    for (value, text) in &columns {
        let at = x.place(*value);
        canvas.line(&[(at, top), (at, bottom)], 0.8, PALE)?;
        canvas.line(&[(at, bottom), (at, bottom + 4.0)], 1.0, GREY)?;
        canvas.text((at, bottom + 17.0), Anchor::Middle, AXIS_EM, INK, text)?;
    }
    canvas.line(&[(left, top), (left, bottom)], 1.0, GREY)?;
    canvas.line(&[(left, bottom), (right, bottom)], 1.0, GREY)?;
    let label = font::shorten(AXIS_EM, &panel.y.label, (right - area.left) / WIDER);
    canvas.text((area.left, top - 8.0), Anchor::Start, AXIS_EM, GREY, &label)?;
    let label = font::shorten(AXIS_EM, &panel.x.label, (right - left) / WIDER);
    canvas.text(((left + right) / 2.0, bottom + 36.0), Anchor::Middle, AXIS_EM, GREY, &label)?;
    Ok(Field { x, y, area: Area { left, top, right, bottom } })
}

/// Draws the lines of reference.
fn rules<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    panel: &Panel,
    field: &Field,
) -> Result<Vec<(Spot, Spot)>, ChartError> {
    let Area { left, top, right, bottom } = field.area;
    let ends = panel.rules.iter().map(|rule| match rule.across {
        Across::X => ((field.x.place(rule.at), bottom), (field.x.place(rule.at), top)),
        Across::Y => ((left, field.y.place(rule.at)), (right, field.y.place(rule.at))),
    });
    let lines: Vec<(Spot, Spot)> = ends.collect();
    for (from, to) in
        lines.iter().filter(|(from, to)| [from.0, from.1, to.0, to.1].iter().all(|v| v.is_finite()))
    {
        canvas.dashed(&[*from, *to], (2.0, 3.0), 1.2, INK)?;
    }
    Ok(lines)
}

/// Writes the labels of lines of reference beside them, where they cover the least. Returns the areas of the texts.
fn name_rules<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    panel: &Panel,
    field: &Area,
    rules: &[(Spot, Spot)],
    taken: &mut Vec<Area>,
    lines: &[(Spot, Spot)],
) -> Result<(), ChartError> {
    for (rule, ((x, y), _)) in panel.rules.iter().zip(rules) {
        let width = font::width(LABEL_EM, &rule.label) * WIDER;
        let parts = (0..8).map(|part| f64::from(part) / 7.0);
        let corner = |part: f64, first: bool| match rule.across {
            Across::X => (
                if first { x + 5.0 } else { x - 5.0 - width },
                field.top + part * (field.bottom - field.top - 20.0),
            ),
            Across::Y => (
                field.left + 5.0 + part * (field.right - field.left - width - 10.0),
                if first { y - 4.0 - LABEL_EM } else { y + 4.0 },
            ),
        };
        let areas = parts
            .flat_map(|part| [corner(part, true), corner(part, false)])
            .map(|(left, top)| Area { left, top, right: left + width, bottom: top + LABEL_EM });
        let best = areas.min_by(|a, b| cost(a, field, taken, lines).total_cmp(&cost(b, field, taken, lines)));
        if let Some(area) = best.filter(|area| area.left.is_finite() && area.top.is_finite()) {
            canvas.text(
                (area.left, area.bottom - LABEL_EM * 0.2),
                Anchor::Start,
                LABEL_EM,
                INK,
                &rule.label,
            )?;
            taken.push(area);
        }
    }
    Ok(())
}

/// The staircase: from each point up to the size of the next faster point, and then along to that point.
fn stairs(mut front: Vec<Spot>) -> Vec<Spot> {
    front.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut stairs: Vec<Spot> = Vec::new();
    for point in front {
        if let Some(&(x, _)) = stairs.last() {
            stairs.push((x, point.1));
        }
        stairs.push(point);
    }
    stairs
}

fn connect<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    series: &Series,
    marks: &[Placed],
) -> Result<(), ChartError> {
    for pair in marks.windows(2) {
        let ends = [pair[0].0, pair[1].0];
        let (strong, faint) = (marker::colour(series.style), marker::faint(series.style));
        match series.line {
            Line::None => {}
            Line::Faint => canvas.line(&ends, 1.4, faint)?,
            Line::SolidTo(_) if pair[1].2 => canvas.dashed(&ends, (6.0, 4.0), 1.6, strong)?,
            Line::Solid | Line::SolidTo(_) => canvas.line(&ends, 1.8, strong)?,
        }
    }
    Ok(())
}

/// Writes the names of series right of their last marks. Each name has its marker, because ends may coincide.
fn names<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    series: &[(&Series, Vec<Placed>)],
    field: &Area,
) -> Result<(), ChartError> {
    let ends = series.iter().filter_map(|(series, marks)| Some((*series, marks.last()?.0)));
    let ends: Vec<(&Series, Spot)> = ends.collect();
    let heights: Vec<f64> = ends.iter().map(|(_, at)| at.1).collect();
    let limits = (field.top + 6.0, field.bottom - 6.0);
    for ((series, at), y) in ends.iter().zip(spread(&heights, AXIS_EM * 1.25, limits)) {
        let x = at.0 + 20.0;
        marker::draw(canvas, (x, y), series.style, false)?;
        let name = font::shorten(AXIS_EM, &series.name, (field.right - x - 12.0).max(20.0));
        let colour = marker::dark(series.style);
        canvas.text((x + 11.0, y + AXIS_EM * 0.35), Anchor::Start, AXIS_EM, colour, &name)?;
    }
    Ok(())
}

/// Writes the labels of marks, where there is room.
fn write_labels<'a, DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    field: &Area,
    labels: impl Iterator<Item = (Spot, &'a str, usize)>,
    taken: &[Area],
    lines: &[(Spot, Spot)],
) -> Result<(), ChartError> {
    let labels: Vec<(Spot, &str, usize)> = labels.filter(|(_, label, _)| !label.trim().is_empty()).collect();
    let want = |(at, label, _): &(Spot, &str, usize)| Wanted {
        at: *at,
        width: font::width(LABEL_EM, label) * WIDER + 2.0,
        height: LABEL_EM,
    };
    let wanted: Vec<Wanted> = labels.iter().map(want).collect();
    let placed = place(&wanted, field, taken, lines);
    for ((at, ..), place) in labels.iter().zip(&placed).filter(|(_, place)| place.far) {
        let end = (
            at.0.clamp(place.area.left, place.area.right),
            at.1.clamp(place.area.top + 1.0, place.area.bottom - 1.0),
        );
        let length = f64::hypot(end.0 - at.0, end.1 - at.1).max(marker::REACH);
        let part = marker::REACH / length;
        let start = (at.0 + (end.0 - at.0) * part, at.1 + (end.1 - at.1) * part);
        canvas.line(&[start, end], 0.8, GREY)?;
    }
    for ((_, label, style), place) in labels.iter().zip(&placed) {
        let Area { left, right, bottom, .. } = place.area;
        let at = ((left + right) / 2.0, bottom - LABEL_EM * 0.14);
        canvas.text(at, Anchor::Middle, LABEL_EM, marker::dark(*style), label)?;
    }
    Ok(())
}
