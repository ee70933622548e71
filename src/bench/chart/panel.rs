//! One panel: axes, grid, lines, markers, labels.

use plotters_backend::DrawingBackend;

use super::axis::Ruler;
use super::canvas::{Anchor, Canvas, GREY, INK, PALE, Spot};
use super::labels::{Area, Wanted, place, spread};
use super::{Across, Better, ChartError, Line, Panel, Series, marker};

const TITLE_EM: f64 = 15.0;
const AXIS_EM: f64 = 12.0;
const LABEL_EM: f64 = 11.0;
/// From the frame to the outermost markers.
const INSET: f64 = 20.0;
/// Fonts other than the one that was measured are wider by this.
const WIDER: f64 = 1.08;

/// Whether there is anything to draw in it.
pub(super) fn is_visible(panel: &Panel) -> bool {
    places(panel).next().is_some()
}

/// The values of all points that have a place.
fn places(panel: &Panel) -> impl Iterator<Item = Spot> + '_ {
    let marks = panel.series.iter().flat_map(|series| &series.marks).map(|mark| (mark.x, mark.y));
    marks
        .chain(panel.front.iter().copied())
        .filter(|(x, y)| panel.x.scale.takes(*x) && panel.y.scale.takes(*y))
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
    let mut taken = rules(canvas, panel, &field)?;

    let stairs: Vec<Spot> = stairs(&panel.front).into_iter().map(|point| field.spot(point)).collect();
    if stairs.len() > 1 {
        canvas.line(&stairs, 1.2, GREY)?;
    }
    let mut lines: Vec<(Spot, Spot)> = stairs.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let visible = |series: &Series| -> Vec<(Spot, String, bool)> {
        let beyond = |x: f64| matches!(series.line, Line::SolidTo(last) if x > last);
        let marks =
            series.marks.iter().filter(|mark| panel.x.scale.takes(mark.x) && panel.y.scale.takes(mark.y));
        marks.map(|mark| (field.spot((mark.x, mark.y)), mark.label.clone(), beyond(mark.x))).collect()
    };
    let series: Vec<_> = panel.series.iter().map(|series| (series, visible(series))).collect();
    for (series, marks) in &series {
        connect(canvas, series, marks)?;
        if series.line != Line::None {
            lines.extend(marks.windows(2).map(|pair| (pair[0].0, pair[1].0)));
        }
    }
    for (series, marks) in &series {
        for (at, _, hollow) in marks {
            marker::draw(canvas, *at, series.style, *hollow)?;
            taken.push(Area::around(*at, marker::REACH));
        }
    }
    if panel.names_at_end {
        names(canvas, &series, &field)?;
    }
    let labels = series.iter().flat_map(|(_, marks)| marks).map(|(at, label, _)| (*at, label.as_str()));
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
        right -= canvas.font.width(AXIS_EM, text) * WIDER + 8.0;
    }
    let title = canvas.font.shorten(TITLE_EM, &panel.title, (right - area.left) / WIDER);
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
    let rows = y.ticks((bottom, top), ((bottom - top) / 38.0) as usize);
    let widest = rows.iter().map(|(_, text)| canvas.font.width(AXIS_EM, text) * WIDER).fold(0.0, f64::max);

    let ends = panel.series.iter().map(|series| canvas.font.width(AXIS_EM, &series.name) * WIDER + 14.0);
    let end = if panel.names_at_end { ends.fold(0.0, f64::max).min(140.0) } else { INSET };
    let (left, right) = (area.left + widest + 10.0, area.right);
    let xs = places(panel).map(|(x, _)| x).chain(across(Across::X));
    let x = Ruler::new(panel.x.scale, xs, (left + INSET, right - end)).ok_or_else(empty)?;
    let columns = x.ticks((left, right), ((right - left) / 44.0) as usize);

    for (value, text) in &rows {
        let at = y.place(*value);
        canvas.line(&[(left, at), (right, at)], 0.8, PALE)?;
        canvas.text((left - 7.0, at + AXIS_EM * 0.35), Anchor::End, AXIS_EM, INK, text)?;
    }
    for (value, text) in &columns {
        let at = x.place(*value);
        // Where names stand at the ends of lines, there is no value to read.
        if panel.names_at_end && at > right - end + 1.0 {
            continue;
        }
        canvas.line(&[(at, top), (at, bottom)], 0.8, PALE)?;
        canvas.line(&[(at, bottom), (at, bottom + 4.0)], 1.0, GREY)?;
        canvas.text((at, bottom + 17.0), Anchor::Middle, AXIS_EM, INK, text)?;
    }
    canvas.line(&[(left, top), (left, bottom)], 1.0, GREY)?;
    canvas.line(&[(left, bottom), (right, bottom)], 1.0, GREY)?;
    let label = canvas.font.shorten(AXIS_EM, &panel.y.label, (right - area.left) / WIDER);
    canvas.text((area.left, top - 8.0), Anchor::Start, AXIS_EM, GREY, &label)?;
    let label = canvas.font.shorten(AXIS_EM, &panel.x.label, (right - left) / WIDER);
    canvas.text(((left + right) / 2.0, bottom + 36.0), Anchor::Middle, AXIS_EM, GREY, &label)?;
    Ok(Field { x, y, area: Area { left, top, right, bottom } })
}

/// Draws the lines of reference; the areas of their texts.
fn rules<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    panel: &Panel,
    field: &Field,
) -> Result<Vec<Area>, ChartError> {
    let Area { left, top, right, bottom } = field.area;
    let mut texts = Vec::new();
    for rule in &panel.rules {
        let axis = if rule.across == Across::X { &panel.x } else { &panel.y };
        if !axis.scale.takes(rule.at) {
            continue;
        }
        let width = canvas.font.width(LABEL_EM, &rule.label) * WIDER;
        let (line, text) = match rule.across {
            Across::X => {
                let x = field.x.place(rule.at);
                let start = if x + width + 6.0 < right { x + 5.0 } else { x - 5.0 - width };
                ([(x, bottom), (x, top)], (start, top + LABEL_EM))
            }
            Across::Y => {
                let y = field.y.place(rule.at);
                ([(left, y), (right, y)], (left + 6.0, y - 4.0))
            }
        };
        canvas.dashed(&line, (2.0, 3.0), 1.2, INK)?;
        canvas.text(text, Anchor::Start, LABEL_EM, INK, &rule.label)?;
        let (left, bottom) = text;
        texts.push(Area { left, top: bottom - LABEL_EM, right: left + width, bottom: bottom + 3.0 });
    }
    Ok(texts)
}

/// The border of what can be had: from each point on to the next better one in x, at its y.
fn stairs(front: &[Spot]) -> Vec<Spot> {
    let mut front: Vec<Spot> =
        front.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
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
    marks: &[(Spot, String, bool)],
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

/// Writes the names of series right of their last marks.
fn names<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    series: &[(&Series, Vec<(Spot, String, bool)>)],
    field: &Field,
) -> Result<(), ChartError> {
    let ends = series.iter().filter_map(|(series, marks)| Some((&series.name, marks.last()?.0)));
    let ends: Vec<(&String, Spot)> = ends.collect();
    let heights: Vec<f64> = ends.iter().map(|(_, at)| at.1).collect();
    let limits = (field.area.top + 6.0, field.area.bottom - 6.0);
    for ((name, at), y) in ends.iter().zip(spread(&heights, AXIS_EM * 1.15, limits)) {
        let x = at.0 + 11.0;
        let name = canvas.font.shorten(AXIS_EM, name, (field.area.right - x).max(20.0));
        canvas.text((x, y + AXIS_EM * 0.35), Anchor::Start, AXIS_EM, INK, &name)?;
    }
    Ok(())
}

/// Writes the labels of marks where there is room.
fn write_labels<'a, DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    field: &Area,
    labels: impl Iterator<Item = (Spot, &'a str)>,
    taken: &[Area],
    lines: &[(Spot, Spot)],
) -> Result<(), ChartError> {
    let labels: Vec<(Spot, &str)> = labels.filter(|(_, label)| !label.trim().is_empty()).collect();
    let want = |(at, label): &(Spot, &str)| Wanted {
        at: *at,
        width: canvas.font.width(LABEL_EM, label) * WIDER + 2.0,
        height: LABEL_EM,
    };
    let wanted: Vec<Wanted> = labels.iter().map(want).collect();
    let placed = place(&wanted, field, taken, lines);
    for ((at, _), place) in labels.iter().zip(&placed).filter(|(_, place)| place.far) {
        let end = (
            at.0.clamp(place.area.left, place.area.right),
            at.1.clamp(place.area.top + 1.0, place.area.bottom - 1.0),
        );
        let length = f64::hypot(end.0 - at.0, end.1 - at.1).max(marker::REACH);
        let part = marker::REACH / length;
        let start = (at.0 + (end.0 - at.0) * part, at.1 + (end.1 - at.1) * part);
        canvas.line(&[start, end], 0.8, GREY)?;
    }
    for ((_, label), place) in labels.iter().zip(&placed) {
        let Area { left, right, bottom, .. } = place.area;
        let at = ((left + right) / 2.0, bottom - LABEL_EM * 0.14);
        canvas.text(at, Anchor::Middle, LABEL_EM, INK, label)?;
    }
    Ok(())
}
