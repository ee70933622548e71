//! The picture as SVG: title, two panels with axes and grid, a legend, and the origin of the figures.
//!
//! A label is put where it covers no label and no mark, near its mark. Text is text and not outlines, so no font is
//! needed; its width is estimated. The same points always give the same bytes.

use std::fmt::Write;

use pzcomp::Format;

use super::super::measure::Point;
use super::{Panel, X_LABEL, Y_LABEL, panels};
use crate::request::Demand;

const SIZE: (f64, f64) = (1200.0, 560.0);
const MARGIN: f64 = 24.0;
const LEGEND: f64 = 130.0;
const GAP: f64 = 30.0;
const INK: &str = "#1e1e1e";
const GREY: &str = "#646464";
/// A digit or a usual letter has at most this part of the height of its font as its width.
const LETTER: f64 = 0.6;
const LABEL_EM: f64 = 11.5;

/// The palette of Okabe and Ito, which colour-blind readers can tell apart, without its yellow.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00", "#56b4e9"];
/// The shapes of the markers. A format has the first of them filled, and then hollow.
const SHAPES: [&str; 6] = [
    "M-4.8 0a4.8 4.8 0 1 0 9.6 0a4.8 4.8 0 1 0-9.6 0z",
    "M-4.3-4.3h8.6v8.6h-8.6z",
    "M0-6.2l5.4 9.3h-10.8z",
    "M0-6l6 6l-6 6l-6-6z",
    "M0 6.2l5.4-9.3h-10.8z",
    "M-1.7-5.5h3.4v3.8h3.8v3.4h-3.8v3.8h-3.4v-3.8h-3.8v-3.4h3.8z",
];

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

/// Draws the points, with a footer. None if no point has a place.
pub(in super::super) fn svg(points: &[Point], demand: Demand, footer: &str) -> Option<String> {
    let panels = panels(points, demand);
    let (width, height) = SIZE;
    let title = "Speed against size";
    let subtitle = match points.iter().any(|point| point.window_log.is_some()) {
        true => "Numbers beside the points are levels; \"long\" is a long window.",
        false => "Numbers beside the points are levels.",
    };
    let footer = wrapped(footer, ((width - 2.0 * MARGIN) / (11.0 * LETTER)) as usize);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" \
         font-family=\"Noto Sans, Ubuntu, Helvetica, Arial, sans-serif\">\n<title>{title}</title>\n<desc>{}</desc>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        escaped(&describe(&panels, subtitle)),
    );
    text(&mut svg, (MARGIN, 47.0), "start", 20.0, INK, title);
    text(&mut svg, (MARGIN, 65.0), "start", 13.0, GREY, subtitle);
    let mut bottom = height - 14.0;
    for line in footer.iter().rev() {
        text(&mut svg, (MARGIN, bottom), "start", 11.0, GREY, line);
        bottom -= 15.0;
    }
    let each = (width - 2.0 * MARGIN - LEGEND) / panels.len() as f64 - GAP;
    for (count, panel) in panels.iter().enumerate() {
        let left = MARGIN + count as f64 * (each + GAP);
        draw(&mut svg, panel, [left, 100.0, left + each, bottom - 42.0]);
    }
    legend(&mut svg, &panels, (width - MARGIN - LEGEND + 12.0, 100.0));
    svg.push_str("</svg>\n");
    (!panels.is_empty()).then_some(svg)
}

/// For readers who do not see the picture.
fn describe(panels: &[Panel], subtitle: &str) -> String {
    panels.iter().fold(subtitle.to_owned(), |all, panel| {
        let names: Vec<_> = panel.series.iter().map(|series| series.format.name()).collect();
        format!("{all} {}: {X_LABEL} across, {Y_LABEL} up, of {}.", panel.title, names.join(", "))
    })
}

/// A panel with its title above the area and its axis below.
fn draw(svg: &mut String, panel: &Panel, [left, top, right, bottom]: Area) {
    text(svg, (left, top - 10.0), "start", 15.0, INK, panel.title);
    text(svg, (right, top - 10.0), "end", 12.0, GREY, Y_LABEL);
    let field = [left + 34.0, top, right, bottom];
    let spot = |(x, y): (f64, f64)| {
        let (across, up) = (panel.x.place(x), panel.y.place(y));
        (field[0] + across * (field[2] - field[0]), field[3] - up * (field[3] - field[1]))
    };
    let middle_x = panel.front.first().map_or(1.0, |at| at.0);
    let middle_y = panel.front.first().map_or(1.0, |at| at.1);
    for (tick, label) in panel.x.ticks(9) {
        let x = spot((tick, middle_y)).0;
        line(svg, &[(x, top), (x, bottom)], "stroke=\"#e6e6e6\"");
        text(svg, (x, bottom + 16.0), "middle", 12.0, INK, &label);
    }
    for (tick, label) in panel.y.ticks(8) {
        let y = spot((middle_x, tick)).1;
        line(svg, &[(field[0], y), (right, y)], "stroke=\"#e6e6e6\"");
        text(svg, (field[0] - 6.0, y + 4.0), "end", 12.0, INK, &label);
    }
    line(svg, &[(field[0], top), (field[0], bottom), (right, bottom)], &format!("stroke=\"{GREY}\""));
    text(svg, ((field[0] + right) / 2.0, bottom + 34.0), "middle", 12.0, GREY, X_LABEL);
    let mut taken = vec![[right - 60.0, bottom - 20.0, right, bottom]];
    text(svg, (right - 6.0, bottom - 8.0), "end", 12.0, GREY, "better ↘");
    rules(svg, panel, field, &spot, &mut taken);

    for series in &panel.series {
        let spots: Vec<_> = series.marks.iter().map(|mark| spot(mark.at)).collect();
        line(svg, &spots, &format!("stroke=\"{}\" stroke-opacity=\"0.33\"", colour(series.format)));
    }
    let mut stairs = Vec::new();
    for at in panel.front.iter().map(|at| spot(*at)) {
        // From a faster point up to the size of its successor there is a vertical step.
        stairs.extend(stairs.last().map(|&(_, y)| (at.0, y)));
        stairs.push(at);
    }
    line(svg, &stairs, &format!("stroke=\"{GREY}\" stroke-width=\"1.2\""));

    let marks = || panel.series.iter().flat_map(|series| series.marks.iter().map(move |mark| (series, mark)));
    for (series, mark) in marks() {
        let (x, y) = spot(mark.at);
        marker(svg, series.format, (x, y));
        taken.push([x - 6.0, y - 6.0, x + 6.0, y + 6.0]);
    }
    for (series, mark) in marks() {
        let at = spot(mark.at);
        let area = place(at, letters(&mark.label) * LABEL_EM * LETTER, field, &taken);
        let near = (at.0.clamp(area[0], area[2]), at.1.clamp(area[1], area[3]));
        if (near.0 - at.0).hypot(near.1 - at.1) > 14.0 {
            line(svg, &[at, near], &format!("stroke=\"{}\" stroke-width=\"0.6\"", colour(series.format)));
        }
        text(svg, (area[0], area[3] - 2.5), "start", LABEL_EM, INK, &mark.label);
        taken.push(area);
    }
}

/// The demanded speed and size, as dashed lines with their names.
fn rules(
    svg: &mut String,
    panel: &Panel,
    field: Area,
    spot: &dyn Fn((f64, f64)) -> (f64, f64),
    taken: &mut Vec<Area>,
) {
    let dashed = format!("stroke=\"{INK}\" stroke-dasharray=\"2 3\"");
    let width = 15.0 * LABEL_EM * LETTER;
    if let Some(speed) = panel.rules.0 {
        let x = spot((speed, 1.0)).0;
        line(svg, &[(x, field[1]), (x, field[3])], &dashed);
        let (start, anchor) = if x + width < field[2] { (x + 4.0, "start") } else { (x - 4.0, "end") };
        text(svg, (start, field[1] + 12.0), anchor, LABEL_EM, INK, "speed demanded");
        let left = if anchor == "start" { start } else { start - width };
        taken.push([left, field[1], left + width, field[1] + 15.0]);
    }
    if let Some(size) = panel.rules.1 {
        let y = spot((1.0, size)).1;
        line(svg, &[(field[0], y), (field[2], y)], &dashed);
        text(svg, (field[0] + 4.0, y - 4.0), "start", LABEL_EM, INK, "size demanded");
        taken.push([field[0], y - 16.0, field[0] + width, y]);
    }
}

/// The area of a label: near its mark, inside of the field, and on nothing that is taken, as far as there is room.
fn place(at: (f64, f64), width: f64, field: Area, taken: &[Area]) -> Area {
    const HEIGHT: f64 = 13.0;
    const WAYS: [(f64, f64); 8] = [
        (1.0, 0.0),
        (0.0, -1.0),
        (0.0, 1.0),
        (-1.0, 0.0),
        (0.8, -0.8),
        (0.8, 0.8),
        (-0.8, -0.8),
        (-0.8, 0.8),
    ];
    let overlap = |one: &Area, other: &Area| {
        let side = |low: usize, high: usize| (one[high].min(other[high]) - one[low].max(other[low])).max(0.0);
        side(0, 2) * side(1, 3)
    };
    let mut best = (f64::INFINITY, [at.0, at.1, at.0 + width, at.1 + HEIGHT]);
    for step in 0..8 {
        for (rank, (across, down)) in WAYS.into_iter().enumerate() {
            let distance = 7.0 + 9.0 * f64::from(step);
            let (x, y) = (at.0 + across * (distance + width / 2.0), at.1 + down * (distance + HEIGHT / 2.0));
            let area = [x - width / 2.0, y - HEIGHT / 2.0, x + width / 2.0, y + HEIGHT / 2.0];
            let inside = area[0] > field[0] && area[1] > field[1] && area[2] < field[2] && area[3] < field[3];
            let hidden: f64 = taken.iter().map(|other| overlap(&area, other)).sum();
            let touched = if hidden > 0.0 { 200.0 } else { 0.0 };
            let outside = if inside { 0.0 } else { 1e6 };
            let cost = outside + touched + 10.0 * hidden + rank as f64 + 14.0 * f64::from(step);
            if cost < best.0 {
                best = (cost, area);
            }
        }
    }
    best.1
}

/// The formats with their markers, and the front.
fn legend(svg: &mut String, panels: &[Panel], (left, top): (f64, f64)) {
    let mut y = top + 12.0;
    text(svg, (left, y), "start", 12.5, GREY, "format");
    let mut formats: Vec<Format> =
        panels.iter().flat_map(|panel| &panel.series).map(|one| one.format).collect();
    formats.sort();
    formats.dedup();
    for format in formats {
        y += 21.0;
        marker(svg, format, (left + 11.0, y - 4.0));
        text(svg, (left + 30.0, y), "start", 12.5, INK, format.name());
    }
    if panels.iter().any(|panel| panel.front.len() > 1) {
        y += 21.0;
        let (low, high) = (y, y - 8.0);
        let stairs = [(left, low), (left + 11.0, low), (left + 11.0, high), (left + 22.0, high)];
        line(svg, &stairs, &format!("stroke=\"{GREY}\" stroke-width=\"1.2\""));
        text(svg, (left + 30.0, y), "start", 12.5, INK, "Pareto front");
    }
}

/// The place of a format in the table, so that a format looks the same in every picture.
fn style(format: Format) -> usize {
    Format::all().position(|other| other == format).unwrap_or_default()
}

fn colour(format: Format) -> &'static str {
    COLOURS[style(format) % COLOURS.len()]
}

fn marker(svg: &mut String, format: Format, (x, y): (f64, f64)) {
    let (style, colour) = (style(format), colour(format));
    let is_full = (style / SHAPES.len()).is_multiple_of(2);
    let (fill, edge) = if is_full { (colour, "#ffffff") } else { ("#ffffff", colour) };
    // Writing to memory does not fail, here and below.
    let _ = writeln!(
        svg,
        "<path transform=\"translate({x:.1} {y:.1})\" d=\"{}\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"1.4\"/>",
        SHAPES[style % SHAPES.len()],
    );
}

fn line(svg: &mut String, spots: &[(f64, f64)], look: &str) {
    if spots.len() > 1 {
        let points: Vec<_> = spots.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" {look}/>", points.join(" "));
    }
}

/// A line of text with its baseline at the place.
fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, em: f64, colour: &str, text: &str) {
    let text = escaped(text);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{em}\" fill=\"{colour}\">{text}</text>"
    );
}

fn letters(text: &str) -> f64 {
    text.chars().count() as f64
}

/// Breaks a text into lines of at most so many letters, and keeps three of them.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let word: String = word.chars().take(most).collect();
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = word,
            Some(line) if line.chars().count() + word.chars().count() < most => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.truncate(3);
    lines
}

fn escaped(text: &str) -> String {
    let unfit = |letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}');
    text.replace(unfit, " ").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::super::tests::{point, points};
    use super::*;

    fn number(node: &roxmltree::Node<'_, '_>, name: &str) -> f64 {
        node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or(f64::NAN)
    }

    /// Asserts that no text covers another one, and that all are inside of the picture. Returns the texts.
    fn check(svg: &str) -> Vec<String> {
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let document = Document::parse(svg).expect("it is XML");
        let nodes: Vec<_> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
        let area = |node: &roxmltree::Node<'_, '_>| {
            let (x, y, em) = (number(node, "x"), number(node, "y"), number(node, "font-size"));
            let width = letters(node.text().unwrap_or_default()) * em * LETTER * 0.9;
            let left = match node.attribute("text-anchor") {
                Some("end") => x - width,
                Some("middle") => x - width / 2.0,
                _ => x,
            };
            [left, y - em * 0.7, left + width, y]
        };
        let areas: Vec<Area> = nodes.iter().map(area).collect();
        for (place, one) in areas.iter().enumerate() {
            assert!(one[0] >= 0.0 && one[2] <= SIZE.0 && one[3] <= SIZE.1, "{:?}", nodes[place].text());
            for (other_place, other) in areas[..place].iter().enumerate() {
                let apart =
                    one[0] >= other[2] || other[0] >= one[2] || one[1] >= other[3] || other[1] >= one[3];
                assert!(apart, "{:?} covers {:?}", nodes[place].text(), nodes[other_place].text());
            }
        }
        nodes.iter().filter_map(|node| node.text()).map(str::to_owned).collect()
    }

    #[test]
    fn svg_has_all_formats_and_levels_and_no_text_covers_another() {
        for demand in [Demand::default(), Demand { speed: Some(300e6), ratio: Some(0.25) }] {
            let texts =
                check(&svg(&points(), demand, "Sample: a < b & c > d \u{1}").expect("there are points"));
            for text in ["zstd", "bzip2", "Compression", "Decompression", "Pareto front", X_LABEL, Y_LABEL] {
                assert!(texts.iter().any(|one| one == text), "{text} is not in {texts:?}");
            }
            assert_eq!(texts.iter().filter(|text| *text == "9").count(), 8);
            assert_eq!(texts.iter().any(|text| text == "size demanded"), demand.ratio.is_some());
            assert!(texts.iter().any(|text| text.starts_with("Sample: a < b & c > d")));
        }
    }

    #[test]
    fn svg_keeps_one_point_equal_points_and_long_footers_inside() {
        let one = point(Format::Zstd, 3, 5, 5, 90);
        check(
            &svg(std::slice::from_ref(&one), Demand::default(), &"a long story ".repeat(100))
                .expect("a point"),
        );
        check(&svg(&[one.clone(), one.clone(), one], Demand::default(), &"x".repeat(999)).expect("points"));
        assert_eq!(svg(&[], Demand::default(), ""), None);
    }
}
