//! The picture of the points that were measured.
//!
//! Points and a demand come in, and a chart for `pzcomp-chart` comes out: compression in the left panel, decompression
//! in the right one, a series for each format. `cli/bench` is the caller. This is the only file that knows both the
//! points and the chart.

use pzcomp_chart::{Across, Axis, Better, Chart, Line, Mark, Panel, Rule, Scale, Series};

use super::choose::{Demand, front};
use super::measure::{Direction, Point};
use crate::format::Format;

/// Speed against size of the formats and levels measured, with the demand as lines. The caller may change the title,
/// the subtitle and the footer.
///
/// ```
/// use pzcomp::bench::{Demand, Point, picture};
/// let mut point = Point::new(pzcomp::Format::Gzip, 6);
/// (point.plain_len, point.coded_len, point.compress.wall) = (100, 50, std::time::Duration::from_secs(2));
/// let chart = picture(&[point], Demand::default());
/// assert_eq!(chart.panels[0].series[0].name, "gzip");
/// ```
pub fn picture(points: &[Point], demand: Demand) -> Chart {
    let panel = |direction| panel(points, direction, demand);
    Chart {
        title: "Speed against size".into(),
        subtitle: match points.iter().any(|point| point.window_log.is_some()) {
            true => "Numbers beside the points are levels; \"long\" is a long window.".into(),
            false => "Numbers beside the points are levels.".into(),
        },
        footer: String::new(),
        legend: "format".into(),
        panels: vec![panel(Direction::Compress), panel(Direction::Decompress)],
    }
}

fn panel(points: &[Point], direction: Direction, demand: Demand) -> Panel {
    // A pass without a duration has no speed. It must not be on the front.
    let timed = |point: &&Point| !point.pass(direction).wall.is_zero() && point.plain_len > 0;
    let points: Vec<Point> = points.iter().filter(timed).cloned().collect();
    let place = |point: &Point| (point.speed(direction) / 1e6, point.ratio() * 100.0);
    // Styles are numbered in the order of the table, so that a format looks the same in every picture.
    let formats = Format::all().enumerate();
    let series = formats.filter_map(|(style, format)| {
        let mut own: Vec<&Point> = points.iter().filter(|point| point.format == format).collect();
        own.sort_by_key(|point| (point.level, point.window_log));
        let mark = |point: &&Point| {
            let (x, y) = place(point);
            let long = if point.window_log.is_some() { " long" } else { "" };
            Mark { x, y, label: format!("{}{long}", point.level) }
        };
        let marks: Vec<Mark> = own.iter().map(mark).collect();
        let series = Series { name: format.to_string(), style, marks, line: Line::Faint };
        (!series.marks.is_empty()).then_some(series)
    });
    let on_front = front(&points, direction);
    let best = points.iter().zip(on_front).filter(|(_, on)| *on).map(|(point, _)| place(point));
    let mut rules = Vec::new();
    if let (Some(speed), Direction::Compress) = (demand.speed, direction) {
        rules.push(Rule { across: Across::X, at: speed / 1e6, label: "speed demanded".into() });
    }
    if let Some(ratio) = demand.ratio {
        rules.push(Rule { across: Across::Y, at: ratio * 100.0, label: "size demanded".into() });
    }
    Panel {
        title: match direction {
            Direction::Compress => "Compression".into(),
            Direction::Decompress => "Decompression".into(),
        },
        x: Axis { label: "MB/s of plain data (10⁶ bytes a second)".into(), scale: Scale::Log },
        y: Axis { label: "size, % of the plain data".into(), scale: Scale::Linear },
        better: Some(Better::LowerRight),
        series: series.collect(),
        front: best.collect(),
        rules,
        names_at_end: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Pass;
    use crate::bench::measure::point;

    fn points() -> Vec<Point> {
        vec![
            point(Format::Lz4, 1, 1000, 2000, 31),
            point(Format::Zstd, 9, 100, 1000, 15),
            point(Format::Zstd, 1, 800, 1250, 16),
            point(Format::Lz4, 9, 50, 2000, 40),
        ]
    }

    #[test]
    fn a_format_is_a_series_with_its_levels_in_order() {
        let chart = picture(&points(), Demand::default());
        let [compress, decompress] = &chart.panels[..] else { panic!("two panels") };
        let names = |panel: &Panel| panel.series.iter().map(|series| series.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(compress), ["zstd", "lz4"]);
        assert_eq!(names(decompress), ["zstd", "lz4"]);
        let mark = |x, y, label: &str| Mark { x, y, label: label.into() };
        assert_eq!(compress.series[0].marks, [mark(800.0, 16.0, "1"), mark(100.0, 15.0, "9")]);
        assert_eq!(decompress.series[1].marks, [mark(2000.0, 31.0, "1"), mark(2000.0, 40.0, "9")]);
        assert_eq!(compress.front, [(1000.0, 31.0), (100.0, 15.0), (800.0, 16.0)]);
        assert!(chart.svg().is_ok());
    }

    #[test]
    fn a_point_with_a_long_window_is_named() {
        let long = Point { window_log: Some(27), ..points()[1].clone() };
        let chart = picture(&[long, points()[1].clone()], Demand::default());
        let labels: Vec<_> = chart.panels[0].series[0].marks.iter().map(|mark| &mark.label[..]).collect();
        assert_eq!(labels, ["9", "9 long"]);
        assert!(chart.subtitle.contains("long"));
    }

    #[test]
    fn a_demand_is_a_rule_where_it_applies() {
        let chart = picture(&points(), Demand { speed: Some(300e6), ratio: Some(0.25) });
        let rules = |panel: &Panel| panel.rules.iter().map(|rule| (rule.across, rule.at)).collect::<Vec<_>>();
        assert_eq!(rules(&chart.panels[0]), [(Across::X, 300.0), (Across::Y, 25.0)]);
        assert_eq!(rules(&chart.panels[1]), [(Across::Y, 25.0)]);
    }

    #[test]
    fn a_pass_without_a_duration_is_left_out() {
        let timeless = Point { compress: Pass::default(), ..points()[0].clone() };
        let chart = picture(&[timeless.clone(), points()[1].clone()], Demand::default());
        assert_eq!(chart.panels.iter().map(|panel| panel.series.len()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(chart.panels[0].front.len(), 1);
        let timeless = Point { decompress: Pass::default(), ..timeless };
        assert!(picture(&[timeless], Demand::default()).svg().is_err());
    }
}
