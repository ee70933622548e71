//! The picture of what was measured.

use super::{Across, Axis, Better, Chart, Line, Mark, Panel, Rule, Scale, Series};
use crate::bench::{Demand, Direction, Point, front};
use crate::format::Format;

impl Chart {
    /// Speed against size of formats and levels, compression beside decompression, with what is
    /// demanded as lines. Title, subtitle and footer are the caller's to change.
    pub fn of_points(points: &[Point], demand: Demand) -> Self {
        let panel = |direction| panel(points, direction, demand);
        Self {
            title: "Speed against size".into(),
            subtitle: "Numbers beside the points are levels.".into(),
            footer: String::new(),
            legend: "format".into(),
            panels: vec![panel(Direction::Compress), panel(Direction::Decompress)],
        }
    }
}

fn panel(points: &[Point], direction: Direction, demand: Demand) -> Panel {
    // What took no time has no speed, and must not be on the front.
    let timed = |point: &&Point| !point.pass(direction).wall.is_zero() && point.plain_len > 0;
    let points: Vec<Point> = points.iter().filter(timed).cloned().collect();
    let place = |point: &Point| (point.speed(direction) / 1e6, point.ratio() * 100.0);
    // The order of the table, so that a format looks the same in every picture.
    let formats = Format::all().enumerate();
    let series = formats.filter_map(|(style, format)| {
        let mut own: Vec<&Point> = points.iter().filter(|point| point.format == format).collect();
        own.sort_by_key(|point| point.level);
        let mark = |point: &&Point| {
            let (x, y) = place(point);
            Mark { x, y, label: point.level.to_string() }
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
