//! The picture in characters, for a terminal of 80 columns.
//!
//! A mark is the letter of its format and its level. The letter is large if the point is on the front.

use std::fmt::Write;

use pzcomp::Format;

use super::super::measure::Point;
use super::{Panel, Y_LABEL, panels};
use crate::request::Demand;

const COLUMNS: usize = 70;
const ROWS: usize = 16;

/// Both panels, one below the other, and what the letters mean. It is empty if no point has a place.
pub(in super::super) fn terminal(points: &[Point], demand: Demand) -> String {
    let panels = panels(points, demand);
    let mut letters: Vec<(Format, char)> = Vec::new();
    for format in panels.iter().flat_map(|panel| &panel.series).map(|series| series.format) {
        if letters.iter().all(|(other, _)| *other != format) {
            let free = |letter: &char| letters.iter().all(|(_, other)| other != letter);
            let own = format.name().chars().filter(char::is_ascii_lowercase);
            letters.push((format, own.chain('a'..='z').find(free).unwrap_or('*')));
        }
    }
    let mut drawn = String::new();
    for panel in &panels {
        // Writing to memory does not fail, here and below.
        let _ = writeln!(drawn, "{}: {Y_LABEL}, against MB/s; better is right and low", panel.title);
        draw(&mut drawn, panel, &letters);
    }
    if !panels.is_empty() {
        let names: Vec<_> = letters.iter().map(|(format, letter)| format!("{letter} {format}")).collect();
        for line in names.chunks(6) {
            let _ = writeln!(drawn, "{}", line.join(", "));
        }
        drawn.push_str("A number is a level, and a large letter is on the front.\n");
    }
    drawn
}

fn draw(drawn: &mut String, panel: &Panel, letters: &[(Format, char)]) {
    let mut cells = vec![vec![' '; COLUMNS]; ROWS];
    let column = |x: f64| (panel.x.place(x) * (COLUMNS - 1) as f64).round() as usize;
    let row = |y: f64| ROWS - 1 - (panel.y.place(y) * (ROWS - 1) as f64).round() as usize;
    if let Some(speed) = panel.rules.0 {
        cells.iter_mut().for_each(|cells| cells[column(speed)] = ':');
    }
    if let Some(size) = panel.rules.1 {
        cells[row(size)].fill('.');
    }
    let is_free = |cell: &char| matches!(cell, ' ' | ':' | '.');
    let mut marks: Vec<_> = panel
        .series
        .iter()
        .flat_map(|series| series.marks.iter().map(move |mark| (series.format, mark)))
        .collect();
    // Points on the front come first, so that nothing hides them.
    marks.sort_by_key(|(_, mark)| !mark.is_on_front);
    for (format, mark) in marks {
        let letter = letters.iter().find(|(other, _)| *other == format).map_or('*', |(_, letter)| *letter);
        let letter = if mark.is_on_front { letter.to_ascii_uppercase() } else { letter };
        let text: Vec<char> =
            std::iter::once(letter).chain(mark.label.replace(" long", "L").chars()).collect();
        let (at, line) = (column(mark.at.0), &mut cells[row(mark.at.1)]);
        let fits = |start: &usize| {
            line.get(*start..*start + text.len()).is_some_and(|room| room.iter().all(is_free))
        };
        // A mark that has no room at its place moves by a few columns. Without any room it is not drawn.
        let places = (0..8).flat_map(|away| [at + away, at.saturating_sub(away)]);
        if let Some(start) = { places }.find(fits) {
            line[start..start + text.len()].copy_from_slice(&text);
        }
    }
    let ticks = panel.y.ticks(6);
    for (place, cells) in cells.iter().enumerate() {
        let tick = ticks.iter().find(|(tick, _)| row(*tick) == place).map_or("", |(_, text)| text);
        let _ = writeln!(drawn, "{tick:>7} |{}", cells.iter().collect::<String>().trim_end());
    }
    let mut scale = vec![' '; COLUMNS + 8];
    let mut end = 0;
    for (tick, text) in panel.x.ticks(9) {
        let start = column(tick).saturating_sub(text.len() / 2);
        if start >= end {
            end = start + text.len() + 1;
            scale[start..start + text.len()].copy_from_slice(&text.chars().collect::<Vec<_>>());
        }
    }
    let scale: String = scale.into_iter().collect();
    let _ = writeln!(drawn, "{:>8}+{}\n{:>9}{}\n", "", "-".repeat(COLUMNS), "", scale.trim_end());
}

#[cfg(test)]
mod tests {
    use super::super::tests::{point, points};
    use super::*;

    #[test]
    fn characters_show_all_marks_within_80_columns() {
        for demand in [Demand::default(), Demand { speed: Some(300e6), ratio: Some(0.25) }] {
            let drawn = terminal(&points(), demand);
            assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
            for mark in
                ["L1", "Z1", "z3", "G9", "l9", "b6", "z zstd", "b bzip2", "Compression", "Decompression"]
            {
                assert!(drawn.contains(mark), "{mark} is not in:\n{drawn}");
            }
            let colons = drawn.lines().filter(|line| line.contains('|') && line.contains(':')).count();
            assert_eq!(colons > ROWS / 2, demand.speed.is_some(), "{drawn}");
        }
        assert!(terminal(&[point(Format::Zstd, 1, 1, 1, 1)], Demand::default()).contains("Z1"));
        assert_eq!(terminal(&[], Demand::default()), "");
    }
}
