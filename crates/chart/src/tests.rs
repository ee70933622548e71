//! Tests of whole charts: the SVG is read as XML, and the PNG as pixels.
//!
//! The helpers find the texts and the markers of an SVG, with their places. `check` asserts what must hold for any
//! picture: no text covers another text, and everything is inside the picture.

use roxmltree::{Document, Node};

use super::canvas::UNITS;
use super::labels::Area;
use super::*;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Name, level, size in thousandths, and MB/s in both directions, as measured on a dump.
const MEASURED: [(&str, u32, u64, u64, u64); 17] = [
    ("zstd", 1, 162, 813, 1342),
    ("zstd", 3, 191, 507, 1032),
    ("zstd", 6, 174, 180, 1050),
    ("zstd", 9, 162, 95, 1074),
    ("gzip", 1, 195, 624, 1412),
    ("gzip", 3, 190, 295, 1412),
    ("gzip", 6, 166, 204, 1417),
    ("gzip", 9, 159, 52, 1420),
    ("lz4", 1, 314, 994, 1678),
    ("lz4", 3, 263, 150, 1700),
    ("lz4", 6, 260, 90, 1720),
    ("lz4", 9, 259, 60, 1710),
    ("xz", 1, 151, 61, 280),
    ("bzip2", 1, 170, 40, 120),
    ("bzip2", 3, 172, 39, 119),
    ("bzip2", 6, 173, 38, 118),
    ("bzip2", 9, 174, 38, 116),
];

/// Speed against size in both directions, with limits as lines.
fn speeds(speed: Option<f64>, size: Option<f64>) -> Chart {
    let mut chart = Chart {
        title: "Speed against size".into(),
        subtitle: "Numbers beside the points are levels.".into(),
        legend: "format".into(),
        panels: vec![speeds_one_way("Compression", false), speeds_one_way("Decompression", true)],
        ..Chart::default()
    };
    let rule = |across, at: f64, label: &str| Rule { across, at, label: label.into() };
    chart.panels[0].rules.extend(speed.map(|speed| rule(Across::X, speed, "speed demanded")));
    for panel in &mut chart.panels {
        panel.rules.extend(size.map(|size| rule(Across::Y, size, "size demanded")));
    }
    chart
}

fn speeds_one_way(title: &str, back: bool) -> Panel {
    let at = |&(_, _, size, speed, back_speed): &(&str, u32, u64, u64, u64)| {
        ((if back { back_speed } else { speed }) as f64, size as f64 / 10.0)
    };
    let series = ["zstd", "gzip", "lz4", "xz", "bzip2"].into_iter().enumerate().map(|(style, name)| {
        let own = MEASURED.iter().filter(|point| point.0 == name);
        let mark = |point| (at(point), point.1.to_string());
        let marks = own.map(mark).map(|((x, y), label)| Mark { x, y, label }).collect();
        Series { name: name.into(), style, marks, line: Line::Faint }
    });
    let places: Vec<(f64, f64)> = MEASURED.iter().map(at).collect();
    let beaten = |&(x, y): &(f64, f64)| {
        places.iter().any(|&(faster, smaller)| faster >= x && smaller <= y && (faster, smaller) != (x, y))
    };
    Panel {
        title: title.into(),
        x: Axis { label: "MB/s of plain data (10⁶ bytes a second)".into(), scale: Scale::Log },
        y: Axis { label: "size, % of the plain data".into(), scale: Scale::Linear },
        better: Some(Better::LowerRight),
        series: series.collect(),
        front: places.iter().copied().filter(|place| !beaten(place)).collect(),
        ..Panel::default()
    }
}

/// A chart with as many series as styles. Some series have equal points.
fn tools() -> Chart {
    let series = |style: usize| {
        let speed = 20.0 * 1.2_f64.powi(style as i32 * 7 % 20);
        let mark = |level: usize| Mark {
            x: speed / level as f64,
            y: 12.0 + (style * 5 % 13) as f64 - 0.3 * level as f64,
            label: level.to_string(),
        };
        Series { name: format!("tool {style}"), style, marks: vec![mark(1), mark(3)], line: Line::None }
    };
    let panel = |title: &str| Panel {
        title: title.into(),
        x: Axis { label: "MB/s".into(), scale: Scale::Log },
        y: Axis { label: "size, %".into(), scale: Scale::Linear },
        better: Some(Better::LowerRight),
        series: (0..20).map(series).collect(),
        ..Panel::default()
    };
    Chart {
        title: "Tools".into(),
        panels: vec![panel("Compression"), panel("Decompression")],
        ..Chart::default()
    }
}

fn scaling() -> Chart {
    let series = |style: usize| {
        let mark = |power: i32| Mark {
            x: 2f64.powi(power),
            y: 50.0 * 3f64.powi(style as i32) * 1.9_f64.powi(power),
            label: String::new(),
        };
        let marks = (0..8).map(mark).collect();
        Series { name: format!("format {style}"), style, marks, line: Line::SolidTo(2.0) }
    };
    let panel = Panel {
        title: "Compression".into(),
        x: Axis { label: "cores".into(), scale: Scale::Log2 },
        y: Axis { label: "MB/s".into(), scale: Scale::Log },
        better: Some(Better::Higher),
        series: (0..5).map(series).collect(),
        rules: vec![Rule { across: Across::Y, at: 3000.0, label: "what a pipe carries".into() }],
        names_at_end: true,
        ..Panel::default()
    };
    Chart { title: "Scaling".into(), panels: vec![panel], ..Chart::default() }
}

fn named<'a>(svg: &'a Document, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    svg.descendants().filter(move |node| node.has_tag_name(name))
}

fn texts<'a>(svg: &'a Document) -> Vec<&'a str> {
    named(svg, "text").filter_map(|node| node.text()).map(str::trim).collect()
}

/// The markers with closed shapes, without the white around them.
fn markers(svg: &Document) -> usize {
    let shapes = named(svg, "circle").chain(named(svg, "polygon"));
    shapes.filter(|shape| shape.attribute("fill") != Some("#FFFFFF")).count()
}

fn number(node: &Node, name: &str) -> f64 {
    node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or(f64::NAN)
}

/// The area of the letters of a text, without the parts below the line.
fn letters(node: &Node) -> Area {
    let em = number(node, "font-size");
    let width = font::width(em, node.text().unwrap_or_default().trim());
    let left = number(node, "x")
        - match node.attribute("text-anchor") {
            Some("end") => width,
            Some("middle") => width / 2.0,
            _ => 0.0,
        };
    let bottom = number(node, "y") + 0.76 * em;
    Area { left, top: bottom - 0.7 * em, right: left + width, bottom }
}

/// Asserts what must hold for any picture.
fn check(chart: &Chart) -> Result<String, Box<dyn std::error::Error>> {
    let text = chart.svg()?;
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let svg = Document::parse(&text)?;
    let (width, height) = (f64::from(Chart::SIZE.0 * UNITS), f64::from(Chart::SIZE.1 * UNITS));
    assert_eq!(svg.root_element().attribute("viewBox"), Some(format!("0 0 {width} {height}").as_str()));
    let inside =
        |x: f64, y: f64| assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "{x} {y}");
    for node in svg.descendants() {
        for (x, y) in [("x", "y"), ("cx", "cy"), ("x1", "y1"), ("x2", "y2")] {
            if node.has_attribute(x) {
                inside(number(&node, x), number(&node, y));
            }
        }
        for pair in node.attribute("points").unwrap_or_default().split_whitespace() {
            let (x, y) = pair.split_once(',').ok_or("a point")?;
            inside(x.parse()?, y.parse()?);
        }
    }
    let areas: Vec<(Area, &str)> =
        named(&svg, "text").map(|node| (letters(&node), node.text().unwrap_or_default())).collect();
    for (index, (area, text)) in areas.iter().enumerate() {
        inside(area.left, area.top);
        inside(area.right, area.bottom);
        for (other, over) in &areas[..index] {
            assert_eq!(area.overlap(other), 0.0, "{text:?} and {over:?}");
        }
    }
    Ok(text)
}

#[test]
fn speeds_and_sizes_are_all_there() -> Tested {
    let mut chart = speeds(Some(300.0), Some(25.0));
    chart.footer = "a machine, a sample".into();
    let text = check(&chart)?;
    let svg = Document::parse(&text)?;
    let texts = texts(&svg);
    let count = |wanted: &str| texts.iter().filter(|text| **text == wanted).count();
    for once in ["zstd", "gzip", "lz4", "xz", "bzip2", "Pareto front", "a machine, a sample"] {
        assert_eq!(count(once), 1, "{once}");
    }
    assert_eq!((count("Compression"), count("Decompression")), (1, 1));
    assert_eq!((count("speed demanded"), count("size demanded")), (1, 2));
    // Each point has a label in each panel. No tick has the text of one of these levels.
    for (level, points) in [("1", 5), ("3", 4), ("6", 4), ("9", 4)] {
        assert_eq!(count(level), 2 * points, "{level}");
    }
    assert_eq!(markers(&svg), 2 * MEASURED.len() + 5);
    assert_eq!(named(&svg, "title").next().and_then(|node| node.text()), Some("Speed against size"));
    let told = named(&svg, "desc").next().and_then(|node| node.text()).unwrap_or_default();
    assert!(told.contains("zstd") && told.contains("a sample"), "{told}");
    Ok(())
}

#[test]
fn twenty_tools_have_their_names_and_labels() -> Tested {
    let text = check(&tools())?;
    let svg = Document::parse(&text)?;
    for tool in 0..20 {
        assert_eq!(texts(&svg).iter().filter(|text| **text == format!("tool {tool}")).count(), 1);
    }
    assert_eq!(texts(&svg).iter().filter(|text| **text == "3").count(), 40);
    Ok(())
}

#[test]
fn lines_carry_their_names() -> Tested {
    let text = check(&scaling())?;
    let svg = Document::parse(&text)?;
    for text in ["format 0", "format 4", "measured", "computed", "128", "what a pipe carries"] {
        assert!(texts(&svg).contains(&text), "{text}");
    }
    // All marks and all names.
    assert_eq!(markers(&svg), 5 * 8 + 5);
    Ok(())
}

#[test]
fn what_is_odd_is_drawn_nevertheless() -> Tested {
    let of = |marks: Vec<Mark>| {
        let mut chart = speeds(None, None);
        for panel in &mut chart.panels {
            panel.front = marks.iter().map(|mark| (mark.x, mark.y)).collect();
            panel.series = vec![Series { name: "zstd".into(), marks: marks.clone(), ..Series::default() }];
        }
        chart
    };
    let mark = Mark { x: 813.0, y: 16.2, label: "1".into() };
    check(&of(vec![mark.clone()]))?;
    check(&of(vec![mark.clone(); 6]))?;
    let same = (1..20).map(|speed| Mark { x: f64::from(speed), ..mark.clone() });
    check(&of(same.collect()))?;
    // A panel without a point is left out.
    let mut half = of(vec![mark]);
    half.panels[0].series.clear();
    assert_eq!(markers(&Document::parse(&check(&half)?)?), 1 + 1);
    assert!(matches!(of(Vec::new()).svg(), Err(ChartError::Empty)));
    assert!(matches!(Chart::default().svg(), Err(ChartError::Empty)));
    let mut wild = scaling();
    for (mark, value) in
        wild.panels[0].series[0].marks.iter_mut().zip([f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300])
    {
        mark.y = value;
    }
    wild.panels[0].front = vec![(0.0, 1.0), (f64::NAN, 3.0), (8.0, 1000.0)];
    wild.panels[0].rules.push(Rule { across: Across::X, at: -1.0, label: "nowhere".into() });
    assert!(!texts(&Document::parse(&check(&wild)?)?).contains(&"nowhere"));
    Ok(())
}

#[test]
fn text_is_escaped_and_kept_within_the_picture() -> Tested {
    let mut chart = speeds(None, None);
    chart.title = "a < b & \"c\" > 'd' \u{1}\u{0}".into();
    chart.footer = "a long story ".repeat(100);
    chart.panels[0].title = "<Compression> of an overlong name ".repeat(9);
    chart.panels[0].series[0].name = "<zstd>".into();
    chart.panels[1].series[0].name = "<zstd>".into();
    let text = check(&chart)?;
    let svg = Document::parse(&text)?;
    assert!(texts(&svg).contains(&"a < b & \"c\" > 'd'") && texts(&svg).contains(&"<zstd>"));
    Ok(())
}

#[cfg(feature = "png")]
#[test]
fn png_holds_the_picture() -> Tested {
    use std::io::Read;

    let file = speeds(None, None).png()?;
    assert_eq!(file[..8], *b"\x89PNG\r\n\x1a\n");
    let (mut rest, mut kinds, mut pixels) = (&file[8..], Vec::new(), Vec::new());
    while let Some((head, tail)) = rest.split_first_chunk::<4>() {
        let len = u32::from_be_bytes(*head) as usize;
        let (checked, tail) = tail.split_at(len + 4);
        let (crc, tail) = tail.split_at(4);
        assert_eq!(crc, crc32fast::hash(checked).to_be_bytes());
        kinds.push(&checked[..4]);
        match &checked[..4] {
            b"IHDR" => {
                let size = [2 * Chart::SIZE.0, 2 * Chart::SIZE.1].map(u32::to_be_bytes).concat();
                assert_eq!((&checked[4..12], &checked[12..]), (&size[..], &[8, 2, 0, 0, 0][..]));
            }
            b"IDAT" => {
                flate2::read::ZlibDecoder::new(&checked[4..]).read_to_end(&mut pixels)?;
            }
            _ => {}
        }
        rest = tail;
    }
    assert_eq!(kinds, [b"IHDR", b"IDAT", b"IEND"]);

    let row_len = 1 + 6 * Chart::SIZE.0 as usize;
    assert_eq!(pixels.len(), row_len * 2 * Chart::SIZE.1 as usize);
    let (mut row, mut inked, mut blue) = (vec![0u8; row_len - 1], 0, 0);
    for line in pixels.chunks(row_len) {
        assert_eq!(line[0], 2);
        row.iter_mut().zip(&line[1..]).for_each(|(byte, up)| *byte = byte.wrapping_add(*up));
        inked += row.chunks(3).filter(|pixel| *pixel != [255; 3]).count();
        blue += row.chunks(3).filter(|pixel| *pixel == [0, 114, 178]).count();
    }
    let all = pixels.len() / 3;
    assert!((all / 100..all / 5).contains(&inked), "{inked} of {all}");
    // The four points of zstd twice, and the marker of the legend. Each is a disc of about 290 pixels.
    assert!((1500..3000).contains(&blue), "{blue}");
    Ok(())
}
