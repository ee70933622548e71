//! A picture of curves: a panel for compression beside a panel for decompression.
//!
//! [`of`] takes the curves of all formats and returns a chart. The report saves it as SVG. Measured points are solid,
//! and computed points are dashed.

use model::load::Curve;
use pzcomp::bench::Direction;
use pzcomp_chart::{Axis, Better, Chart, Line, Mark, Panel, Scale, Series};

/// The chart of these curves, each with its direction. `way` says how input and output go.
pub fn of(way: &str, curves: &[(Direction, Curve)], footer: &str) -> Chart {
    let panel = |title: &str, direction| {
        let own = curves.iter().filter(|(of, _)| *of == direction);
        Panel {
            title: title.to_owned(),
            x: Axis { label: "cores".to_owned(), scale: Scale::Log2 },
            y: Axis { label: "MB/s of plain data (10⁶ bytes a second)".to_owned(), scale: Scale::Log },
            better: Some(Better::Higher),
            series: own.enumerate().map(|(style, (_, curve))| series(style, curve)).collect(),
            names_at_end: true,
            ..Panel::default()
        }
    };
    Chart {
        title: format!("What more cores would do, {way}"),
        subtitle:
            "Solid and filled: measured from memory to memory. Dashed and hollow: computed from the CPU \
                   seconds of reader, workers and writer."
                .to_owned(),
        footer: footer.to_owned(),
        legend: String::new(),
        panels: vec![
            panel("Compression", Direction::Compress),
            panel("Decompression", Direction::Decompress),
        ],
    }
}

fn series(style: usize, curve: &Curve) -> Series {
    let mut marks: Vec<Mark> = Vec::new();
    let mut measured_to = 0;
    for point in &curve.points {
        let mark = Mark { x: point.cores as f64, y: point.speed, label: String::new() };
        // A measured point takes the place of a computed point for the same number of cores.
        match marks.last_mut().filter(|last| last.x == mark.x) {
            Some(last) if point.measured => *last = mark,
            Some(_) => {}
            None => marks.push(mark),
        }
        if point.measured {
            measured_to = point.cores;
        }
    }
    Series { name: curve.name.clone(), style, marks, line: Line::SolidTo(measured_to as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::load::CurvePoint;

    #[test]
    fn measured_points_take_the_place_of_computed_ones() {
        let point = |cores, speed, measured| CurvePoint { cores, speed, measured };
        let points = vec![point(1, 10.0, false), point(1, 9.0, true), point(2, 20.0, false)];
        let curve = Curve { name: "zstd -1".into(), points };
        let chart = of("between pipes", &[(Direction::Compress, curve)], "here");
        let series = &chart.panels[0].series[0];
        assert_eq!((series.name.as_str(), series.line), ("zstd -1", Line::SolidTo(1.0)));
        let places: Vec<_> = series.marks.iter().map(|mark| (mark.x, mark.y)).collect();
        assert_eq!(places, [(1.0, 9.0), (2.0, 20.0)]);
        assert!(chart.svg().is_ok() && chart.panels[1].series.is_empty());
    }
}
