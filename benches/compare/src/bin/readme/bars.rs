//! The picture of the README: a bar for each work, as long as the speed beside the peer. A line stands where both are
//! equal.
//!
//! The picture has no background, and its colours follow the page, so it can be read on light and on dark pages. It is
//! as wide as the text of a README.

/// One bar.
pub struct Bar {
    pub name: String,
    /// The time of the peer divided by that of pzcomp.
    pub ratio: f64,
    /// The program that pzcomp is compared with.
    pub peer: String,
}

const WIDTH: f64 = 840.0;
/// Where bars begin, and the room that the words behind the longest bar need.
const LEFT: f64 = 180.0;
const WORDS: f64 = 130.0;
/// From one bar to the next, and the height of a bar.
const STEP: f64 = 26.0;
const HEIGHT: f64 = 16.0;
/// The room above the first bar.
const TOP: f64 = 34.0;

const STYLE: &str = "text{font:13px sans-serif;fill:#1f2328}.bar{fill:#2f6fb5}.slower{fill:#b5562f}.rule{stroke:#59636e}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#5b9bdd}.slower{fill:#dd7a5b}.rule{stroke:#9198a1}}";

/// The picture as SVG.
pub fn svg(bars: &[Bar]) -> String {
    let longest = bars.iter().map(|bar| bar.ratio).fold(1.0, f64::max);
    let unit = (WIDTH - LEFT - WORDS) / longest;
    let height = TOP + STEP * bars.len() as f64 + 6.0;
    let rule = LEFT + unit;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>The speed of pzcomp beside other programs</title>\n<style>{STYLE}</style>\n\
         <text x=\"{rule:.1}\" y=\"18\" text-anchor=\"middle\">1 × = the other program</text>\n"
    );
    for (place, Bar { name, ratio, peer }) in bars.iter().enumerate() {
        let y = TOP + STEP * place as f64;
        let (base, length) = (y + 13.0, unit * ratio);
        let class = if *ratio < 1.0 { "slower" } else { "bar" };
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{base}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{HEIGHT}\" rx=\"2\"/>\
             <text x=\"{:.1}\" y=\"{base}\">{ratio:.2} × {}</text>\n",
            LEFT - 10.0,
            escaped(name),
            LEFT + length + 8.0,
            escaped(peer),
        );
    }
    let end = height - 6.0;
    svg + &format!(
        "<line class=\"rule\" x1=\"{rule:.1}\" y1=\"{:.1}\" x2=\"{rule:.1}\" y2=\"{end}\"/>\n</svg>\n",
        TOP - 8.0
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_ratios() {
        let bar = |name: &str, ratio| Bar { name: name.into(), ratio, peer: "a<b".into() };
        let svg = svg(&[bar("fast", 2.0), bar("slow", 0.5)]);
        let widths: Vec<f64> = svg
            .split("width=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().and_then(|width| width.parse().ok()).expect("a width"))
            .collect();
        assert_eq!(widths[0], 4.0 * widths[1]);
        assert!(svg.contains("2.00 × a&lt;b") && svg.contains("class=\"slower\"") && !svg.contains("a<b"));
    }
}
