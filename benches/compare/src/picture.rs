//! A picture of the results for each kind of data: speed against size, in both directions.
//!
//! [`of`] takes the findings and returns a chart, which the report saves. A mark is one program at one level.

use std::collections::BTreeMap;

use pzcomp_chart::{Axis, Better, Chart, Line, Mark, Panel, STYLES, Scale, Series};

use crate::finding::Finding;
use crate::outcome::Side;
use crate::row::{Direction, End, Party};
use crate::stats::Spread;

/// Points by the name and the level of a program: MB/s of every row with it, and size in percent.
type Points = BTreeMap<(String, String), (Vec<f64>, f64)>;

/// The chart for one kind of data: compression, and decompression of each program's own files. It has the rows with an
/// input pipe. A program that can use several threads must use them. None if there is no such row.
pub fn of(findings: &[Finding], data: &str, footer: &str) -> Option<Chart> {
    let (mut coding, mut decoding) = (Points::new(), Points::new());
    let of_data = findings.iter().filter(|finding| finding.data == data);
    for finding in of_data.filter(|finding| finding.row.shape.input == End::Pipe) {
        let Some(outcome) = finding.outcome() else { continue };
        let points = match finding.row.direction() {
            Direction::Coding => &mut coding,
            Direction::Decoding => &mut decoding,
        };
        let sides = [Some(&outcome.ours), outcome.peer.as_ref()];
        for (party, side) in finding.row.parties().zip(sides.into_iter().flatten()) {
            add(points, party, side, finding.plain_len);
        }
    }
    let names: Vec<String> = {
        let mut names: Vec<_> = coding.keys().chain(decoding.keys()).map(|(name, _)| name.clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    if names.is_empty() {
        return None;
    }
    let panels = [("Compression", coding), ("Decompression of each program's own files", decoding)];
    Some(Chart {
        title: format!("pzcomp and its peers: {data}"),
        subtitle: "Whole processes between pipes, two threads where they have them; numbers are levels."
            .into(),
        footer: footer.to_owned(),
        legend: "program".into(),
        panels: panels.into_iter().map(|(title, points)| panel(title, &points, &names)).collect(),
    })
}

fn add(points: &mut Points, party: &Party, side: &Side, plain_len: u64) {
    let writer = party.source.as_deref().unwrap_or(&party.run);
    if is_single(&party.run) || is_foreign(party) {
        return;
    }
    let speed = plain_len as f64 / 1e6 / side.wall_seconds();
    let percent = 100.0 * side.coded_len as f64 / plain_len.max(1) as f64;
    let (speeds, size) = points.entry((name_of(writer), level_of(writer))).or_default();
    speeds.push(speed);
    *size = percent;
}

/// Whether a program that could use two threads was told to use one.
fn is_single(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    ["-p1", "-T1", "-n1", "-P1", "-@1"].iter().any(|one| words.contains(one))
        || words.windows(2).any(|pair| pair == ["-p", "1"])
}

/// Whether the party reads a file of another program.
fn is_foreign(party: &Party) -> bool {
    party.source.as_deref().is_some_and(|source| program(source) != program(&party.run))
}

fn program(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// The name of the program. pzcomp has its format added.
fn name_of(line: &str) -> String {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    match words.skip_while(|word| *word != "-F").nth(1) {
        Some(format) => format!("{program} {format}"),
        None => program.to_owned(),
    }
}

/// The level in a command line: `-6`, `-l6` or `-l 6`.
fn level_of(line: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = line.split_whitespace().collect();
    let joined = words.iter().find_map(|word| {
        let number = word.strip_prefix("-l").or_else(|| word.strip_prefix('-'))?;
        is_number(number).then_some(number)
    });
    let apart = || words.windows(2).find(|pair| pair[0] == "-l" && is_number(pair[1])).map(|pair| pair[1]);
    joined.or_else(apart).unwrap_or_default().to_owned()
}

fn panel(title: &str, points: &Points, names: &[String]) -> Panel {
    let series = names.iter().enumerate().map(|(place, name)| {
        let own = points.iter().filter(|((of, _), _)| of == name);
        let marks = own.filter_map(|((_, level), (speeds, y))| {
            let x = Spread::of(speeds.iter().copied())?.median;
            Some(Mark { x, y: *y, label: level.clone() })
        });
        Series { name: name.clone(), style: place % STYLES, marks: marks.collect(), line: Line::None }
    });
    Panel {
        title: title.to_owned(),
        x: Axis { label: "MB/s of plain data (10⁶ bytes a second)".to_owned(), scale: Scale::Log },
        y: Axis { label: "size, % of the plain data".to_owned(), scale: Scale::Linear },
        better: Some(Better::LowerRight),
        series: series.filter(|series| !series.marks.is_empty()).collect(),
        ..Panel::default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::outcome::Outcome;
    use crate::row::{Goal, PIPE_TO_PIPE, Row, coding, decoding};
    use crate::run::Usage;

    #[test]
    fn levels_and_names_are_read_from_command_lines() {
        for (line, name, level) in [
            ("pzcomp -F gzip -6 -p 2", "pzcomp gzip", "6"),
            ("bgzip -@2 -l 6 -c", "bgzip", "6"),
            ("crabz -Q -p2 -l9", "crabz", "9"),
            ("zstd -T2 -19 -c", "zstd", "19"),
            ("bgzip -@2 -c", "bgzip", ""),
        ] {
            assert_eq!((name_of(line), level_of(line)), (name.into(), level.into()), "{line}");
        }
        assert!(is_single("pzcomp -d -p 1") && is_single("xz -T1 -d") && !is_single("pzcomp -d -p 2"));
    }

    #[test]
    fn a_picture_has_a_mark_for_each_program_and_level() {
        let side = |seconds, coded_len| {
            let usage = Usage { wall: Duration::from_secs(seconds), ..Usage::default() };
            Side { rounds: vec![usage], coded_len, watched_peak_bytes: 0 }
        };
        let finding = |ours: Party, peer: Party| {
            let row = Row::versus("test", PIPE_TO_PIPE, Goal::Ahead, ours, peer);
            let (ours, peer) = (side(1, 20_000_000), Some(side(2, 30_000_000)));
            let result = Ok(Outcome { plain_len: 100_000_000, ours, peer });
            Finding { row, data: "nodes".into(), plain_len: 100_000_000, result }
        };
        let findings = [
            finding(coding("pzcomp -F gzip -6 -p 2", "x"), coding("pigz -p2 -6 -c", "x")),
            finding(coding("pzcomp -F gzip -1 -p 2", "x"), coding("pigz -p2 -1 -c", "x")),
            finding(coding("pzcomp -F gzip -6 -p 1", "x"), coding("gzip -6 -c", "x")),
            finding(decoding("pigz -p2 -6 -c", "pzcomp -d -p 2"), decoding("pigz -p2 -6 -c", "pigz -d")),
        ];
        let chart = of(&findings, "nodes", "here").expect("there are findings");
        let names = |panel: &Panel| panel.series.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&chart.panels[0]), ["gzip", "pigz", "pzcomp gzip"]);
        assert_eq!(names(&chart.panels[1]), ["pigz"]);
        let mark = |x, y, label: &str| Mark { x, y, label: label.to_owned() };
        assert_eq!(chart.panels[0].series[1].marks, [mark(50.0, 30.0, "1"), mark(50.0, 30.0, "6")]);
        assert!(of(&findings, "pages", "here").is_none());
        assert!(chart.svg().is_ok());
    }
}
