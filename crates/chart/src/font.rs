//! The font: the width of a text, and the pixels that its letters cover in a bitmap.
//!
//! The layout asks this file for the widths of texts, in pixels for a given size of the letter m. They come from a
//! table, so that SVG needs no font and both outputs have the same layout. With the feature `png` this file also has
//! the outlines of Noto Sans Regular. A test compares the table with them.

/// Units of the table in an em.
const UNITS_PER_EM: f64 = 2048.0;

/// The widths of the characters from U+0020 to U+007E.
const ASCII: [u16; 95] = [
    532, 551, 836, 1323, 1171, 1702, 1499, 461, 614, 614, 1128, 1171, 549, 659, 549, 762, 1171, 1171, 1171,
    1171, 1171, 1171, 1171, 1171, 1171, 1171, 549, 549, 1171, 1171, 1171, 889, 1841, 1309, 1331, 1294, 1495,
    1139, 1063, 1491, 1518, 694, 559, 1268, 1073, 1858, 1556, 1599, 1239, 1599, 1274, 1124, 1139, 1497, 1229,
    1905, 1200, 1159, 1171, 674, 762, 674, 1171, 909, 1188, 1149, 1260, 983, 1260, 1155, 705, 1260, 1266,
    528, 528, 1094, 528, 1915, 1266, 1239, 1260, 1260, 846, 981, 739, 1266, 1040, 1610, 1083, 1044, 963, 778,
    1128, 778, 1171,
];

/// The widths of the characters from U+00A0 to U+00FF.
const LATIN_1: [u16; 96] = [
    532, 551, 1171, 1171, 1171, 1171, 1128, 1051, 1188, 1704, 731, 1042, 1171, 659, 1704, 1024, 877, 1171,
    717, 717, 1188, 1276, 1341, 549, 461, 717, 770, 1042, 1618, 1618, 1618, 889, 1309, 1309, 1309, 1309,
    1309, 1309, 1804, 1294, 1139, 1139, 1139, 1139, 694, 694, 694, 694, 1495, 1556, 1599, 1599, 1599, 1599,
    1599, 1171, 1599, 1497, 1497, 1497, 1497, 1159, 1239, 1292, 1149, 1149, 1149, 1149, 1149, 1149, 1769,
    983, 1155, 1155, 1155, 1155, 528, 528, 528, 528, 1239, 1266, 1239, 1239, 1239, 1239, 1239, 1171, 1239,
    1266, 1266, 1266, 1266, 1044, 1260, 1044,
];

/// The widths of some other characters.
const OTHERS: [(char, u16); 11] = [
    ('–', 1024),
    ('—', 2048),
    ('’', 358),
    ('“', 735),
    ('”', 735),
    ('…', 1620),
    ('⁶', 717),
    ('⁹', 717),
    ('→', 2048),
    ('≤', 1171),
    ('≥', 1171),
];

/// The width of any other character: that of a wide letter, or for Chinese and the like that of an em.
const WIDE: u16 = 1266;
const EM: u16 = 2048;

fn advance(letter: char) -> u16 {
    match letter {
        ' '..='~' => ASCII[letter as usize - 0x20],
        '\u{a0}'..='\u{ff}' => LATIN_1[letter as usize - 0xa0],
        _ => match OTHERS.iter().find(|(other, _)| *other == letter) {
            Some(&(_, width)) => width,
            None if letter < '\u{1100}' => WIDE,
            None => EM,
        },
    }
}

/// The width of a text.
pub(super) fn width(em: f64, text: &str) -> f64 {
    em * text.chars().map(|letter| f64::from(advance(letter))).sum::<f64>() / UNITS_PER_EM
}

/// A text in lines of at most `room`, at most `most` of them.
pub(super) fn wrap(em: f64, text: &str, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let full = lines.len() == most;
        match lines.last_mut() {
            Some(line) if full || width(em, &format!("{line} {word}")) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.into_iter().map(|line| shorten(em, &line, room)).collect()
}

/// A text without the end that is wider than `room`.
pub(super) fn shorten(em: f64, text: &str, room: f64) -> String {
    if width(em, text) <= room {
        return text.to_string();
    }
    let mut short: String = text.to_string();
    while short.pop().is_some() && width(em, &format!("{short}…")) > room {}
    format!("{}…", short.trim_end())
}

/// Draws a text in letters of a size, from x = 0, with its baseline at `baseline`. Reports how much of each pixel is
/// covered.
#[cfg(feature = "png")]
pub(super) fn cover(
    em: f64,
    baseline: f64,
    text: &str,
    mut draw: impl FnMut(i32, i32, f32),
) -> Result<(), super::ChartError> {
    use ab_glyph::{Font, FontRef, PxScale};

    let font = FontRef::try_from_slice(ttf_noto_sans::REGULAR)
        .map_err(|error| super::ChartError::Drawing(error.to_string()))?;
    // A scale is the height of a line, not of an em.
    let scale = PxScale::from((em * f64::from(font.height_unscaled()) / UNITS_PER_EM) as f32);
    let mut x = 0.0;
    for letter in text.chars() {
        let at = ab_glyph::point(x as f32, baseline as f32);
        x += em * f64::from(advance(letter)) / UNITS_PER_EM;
        if let Some(outline) = font.outline_glyph(font.glyph_id(letter).with_scale_and_position(scale, at)) {
            let corner = outline.px_bounds().min;
            let (left, top) = (corner.x as i32, corner.y as i32);
            outline.draw(|x, y, covered| draw(left + x as i32, top + y as i32, covered));
        }
    }
    Ok(())
}

/// Without the feature `png` there is no bitmap.
#[cfg(not(feature = "png"))]
pub(super) fn cover(_: f64, _: f64, _: &str, _: impl FnMut(i32, i32, f32)) -> Result<(), super::ChartError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "png")]
    #[test]
    fn the_table_has_the_widths_of_the_font() -> Result<(), Box<dyn std::error::Error>> {
        use ab_glyph::{Font, FontRef};

        let font = FontRef::try_from_slice(ttf_noto_sans::REGULAR)?;
        assert_eq!(font.units_per_em(), Some(UNITS_PER_EM as f32));
        let others = OTHERS.iter().map(|(letter, _)| *letter);
        for letter in (' '..='~').chain('\u{a0}'..='\u{ff}').chain(others) {
            assert_ne!(font.glyph_id(letter).0, 0, "{letter:?}");
            assert_eq!(
                font.h_advance_unscaled(font.glyph_id(letter)),
                f32::from(advance(letter)),
                "{letter:?}"
            );
        }
        Ok(())
    }

    #[cfg(feature = "png")]
    #[test]
    fn the_font_says_that_its_licence_is_apache_2() {
        let licence: Vec<u8> = "Licensed under the Apache License, Version 2.0"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert!(ttf_noto_sans::REGULAR.windows(licence.len()).any(|bytes| bytes == licence));
    }

    #[test]
    fn any_text_has_a_width() {
        assert_eq!(width(2048.0, "a…"), 1149.0 + 1620.0);
        assert_eq!(width(2048.0, "\u{434}\u{6f22}"), 1266.0 + 2048.0);
        assert_eq!(width(10.0, ""), 0.0);
    }

    #[test]
    fn a_text_is_cut_to_a_width() {
        assert_eq!(shorten(10.0, "mmmm", 100.0), "mmmm");
        let short = shorten(10.0, "mmmm", 30.0);
        assert!(short.ends_with('…') && width(10.0, &short) <= 30.0, "{short}");
        assert_eq!(wrap(10.0, "some words", 35.0, 2), ["some", "words"]);
    }
}
