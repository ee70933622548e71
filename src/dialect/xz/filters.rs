//! Reads filters as xz takes them, and shows them.
//!
//! [`Chain`] collects single options such as `--x86`, `--delta=dist=4` and `--lzma2=preset=6,dict=32MiB`, or reads a
//! whole chain from `--filters=x86,lzma2:dict=1MiB`. It returns filters for the library. Errors are the messages of
//! xz.

use std::ffi::OsStr;

use pzcomp::{XzArch, XzFilter, XzFinder, XzLzma, XzMode};

use super::number;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterKind {
    Lzma1,
    Lzma2,
    Delta,
    Branches(XzArch),
}

const KINDS: [(&str, FilterKind); 11] = [
    ("lzma1", FilterKind::Lzma1),
    ("lzma2", FilterKind::Lzma2),
    ("delta", FilterKind::Delta),
    ("x86", FilterKind::Branches(XzArch::X86)),
    ("powerpc", FilterKind::Branches(XzArch::PowerPc)),
    ("ia64", FilterKind::Branches(XzArch::Ia64)),
    ("arm", FilterKind::Branches(XzArch::Arm)),
    ("armthumb", FilterKind::Branches(XzArch::ArmThumb)),
    ("arm64", FilterKind::Branches(XzArch::Arm64)),
    ("sparc", FilterKind::Branches(XzArch::Sparc)),
    ("riscv", FilterKind::Branches(XzArch::RiscV)),
];

/// The filters that were given, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chain(Vec<(FilterKind, XzFilter)>);

impl Chain {
    /// Adds a filter with its options. Fails if there are four already or if an option is wrong.
    pub(super) fn push(&mut self, kind: FilterKind, options: &OsStr) -> Result<(), String> {
        if self.0.len() == 4 {
            return Err("Maximum number of filters is four".into());
        }
        let text = options.to_str().ok_or_else(|| format!("{}: Invalid option name", options.display()))?;
        self.0.push((kind, parse(kind, text)?));
        Ok(())
    }

    /// Reads the value of `--filters`: filters separated by spaces or `--`, with options behind `:` or `=`; or a
    /// level, such as `6e`.
    pub(super) fn read(text: &OsStr) -> Result<Self, String> {
        let wrong = |what: &str| format!("Error in --filters=FILTERS option: {}: {what}", text.display());
        let words = text.to_str().ok_or_else(|| wrong("Invalid filter chain"))?;
        let mut chain = Self::default();
        if words.trim_start().starts_with(|first: char| first.is_ascii_digit()) {
            let lzma = preset(words.trim()).ok_or_else(|| wrong("Unsupported preset"))?;
            chain.0.push((FilterKind::Lzma2, XzFilter::Lzma(lzma)));
            return Ok(chain);
        }
        // `--` separates filters as a space does.
        let words = words.replace("--", " ");
        for word in words.split_whitespace() {
            let (name, options) = word.split_once([':', '=']).unwrap_or((word, ""));
            let kind = KINDS.iter().find(|(known, _)| *known == name);
            let (_, kind) = kind.ok_or_else(|| wrong("Unknown filter name"))?;
            chain.push(*kind, OsStr::new(options)).map_err(|what| wrong(&what))?;
        }
        if chain.0.is_empty() { Err(wrong("Empty filter chain")) } else { Ok(chain) }
    }

    /// Drops all filters. A level after them replaces them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The filters for the .lzma format if `is_alone` is set, otherwise for .xz. Fails if the format does not have
    /// them.
    pub(super) fn filters(&self, is_alone: bool) -> Result<Vec<XzFilter>, String> {
        let is_lzma1 = |(kind, _): &(FilterKind, XzFilter)| *kind == FilterKind::Lzma1;
        if is_alone && !self.0.is_empty() && !(self.0.len() == 1 && self.0.iter().all(is_lzma1)) {
            return Err("The .lzma format supports only the LZMA1 filter".into());
        }
        if !is_alone && self.0.iter().any(is_lzma1) {
            return Err("LZMA1 cannot be used with the .xz format".into());
        }
        Ok(self.0.iter().map(|(_, filter)| *filter).collect())
    }
}

/// The LZMA options of a level such as `6` or `9e`.
fn preset(text: &str) -> Option<XzLzma> {
    let (level, is_extreme) = match text.as_bytes() {
        [level] => (level, false),
        [level, b'e'] => (level, true),
        _ => return None,
    };
    XzLzma::preset(u32::from(level.checked_sub(b'0')?), is_extreme)
}

fn parse(kind: FilterKind, text: &str) -> Result<XzFilter, String> {
    match kind {
        FilterKind::Delta => {
            let mut distance = 1;
            for_each_pair(text, |name, value| match name {
                "dist" => set_number(&mut distance, name, value, 1..=256),
                _ => Ok(false),
            })?;
            Ok(XzFilter::Delta { distance })
        }
        FilterKind::Branches(arch) => {
            let mut start = 0;
            for_each_pair(text, |name, value| match name {
                "start" => set_number(&mut start, name, value, 0..=u32::MAX),
                _ => Ok(false),
            })?;
            Ok(XzFilter::Branches { arch, start })
        }
        FilterKind::Lzma1 | FilterKind::Lzma2 => lzma(text).map(XzFilter::Lzma),
    }
}

fn lzma(text: &str) -> Result<XzLzma, String> {
    let unsupported = |text: &str| format!("Unsupported LZMA1/LZMA2 preset: {text}");
    let mut lzma = preset("6").ok_or_else(|| unsupported("6"))?;
    for_each_pair(text, |name, value| {
        match name {
            "preset" => lzma = preset(value).ok_or_else(|| unsupported(value))?,
            "dict" => return set_number(&mut lzma.dict_len, name, value, 4096..=3 << 29),
            "lc" => return set_number(&mut lzma.lc, name, value, 0..=4),
            "lp" => return set_number(&mut lzma.lp, name, value, 0..=4),
            "pb" => return set_number(&mut lzma.pb, name, value, 0..=4),
            "nice" => return set_number(&mut lzma.nice_len, name, value, 2..=273),
            "depth" => return set_number(&mut lzma.depth, name, value, 0..=u32::MAX),
            "mode" => {
                lzma.mode = match value {
                    "fast" => XzMode::Fast,
                    "normal" => XzMode::Normal,
                    _ => return Err(format!("{value}: Invalid option value")),
                }
            }
            "mf" => {
                lzma.finder = match value {
                    "hc3" => XzFinder::Hc3,
                    "hc4" => XzFinder::Hc4,
                    "bt2" => XzFinder::Bt2,
                    "bt3" => XzFinder::Bt3,
                    "bt4" => XzFinder::Bt4,
                    _ => return Err(format!("{value}: Invalid option value")),
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if lzma.lc + lzma.lp > 4 {
        return Err("The sum of lc and lp must not exceed 4".into());
    }
    Ok(lzma)
}

/// Calls `take` for each `name=value`. `take` returns whether it knows the name.
fn for_each_pair(text: &str, mut take: impl FnMut(&str, &str) -> Result<bool, String>) -> Result<(), String> {
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, value)| !name.is_empty() && !value.is_empty())
            .ok_or_else(|| format!("{text}: Options must be 'name=value' pairs separated with commas"))?;
        if !take(name, value)? {
            return Err(format!("{name}: Invalid option name"));
        }
    }
    Ok(())
}

/// Sets a number. Fails if the value is outside of the range.
fn set_number(
    number: &mut u32,
    name: &str,
    value: &str,
    range: std::ops::RangeInclusive<u32>,
) -> Result<bool, String> {
    let given = number::parse(OsStr::new(value))?;
    *number = u32::try_from(given).ok().filter(|given| range.contains(given)).ok_or_else(|| {
        format!("Value of the option '{name}' must be in the range [{}, {}]", range.start(), range.end())
    })?;
    Ok(true)
}

/// The chain in the form of options.
pub(super) fn as_options(filters: &[XzFilter], is_alone: bool) -> String {
    let one = |filter: &XzFilter| match filter {
        XzFilter::Delta { distance } => format!("--delta=dist={distance}"),
        XzFilter::Branches { arch, start } => {
            let named = KINDS.iter().find(|(_, kind)| *kind == FilterKind::Branches(*arch));
            let name = named.map_or("", |(name, _)| name);
            if *start == 0 { format!("--{name}") } else { format!("--{name}=start={start}") }
        }
        XzFilter::Lzma(lzma) => {
            let XzLzma { dict_len, lc, lp, pb, mode, nice_len, finder, depth, .. } = lzma;
            let number = if is_alone { 1 } else { 2 };
            let mode = if *mode == XzMode::Fast { "fast" } else { "normal" };
            let finder = format!("{finder:?}").to_ascii_lowercase();
            format!(
                "--lzma{number}=dict={},lc={lc},lp={lp},pb={pb},mode={mode},nice={nice_len},mf={finder},depth={depth}",
                binary(*dict_len)
            )
        }
        other => format!("{other:?}"),
    };
    filters.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// A number with the largest unit that leaves a whole number.
fn binary(bytes: u32) -> String {
    match bytes {
        0 => "0".into(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{}MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{}KiB", bytes >> 10),
        _ => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(text: &str) -> Result<String, String> {
        Chain::read(OsStr::new(text))?.filters(false).map(|filters| as_options(&filters, false))
    }

    const PLAIN: &str = "lc=3,lp=0,pb=2,mode=normal,nice=64,mf=bt4,depth=0";

    #[test]
    fn chains_are_shown_as_they_are_read() {
        for text in
            ["x86 lzma2=dict=8MiB", "--x86 --lzma2:dict=8MiB", "--x86--lzma2", "x86=start=0 lzma2:preset=6"]
        {
            assert_eq!(chain(text), Ok(format!("--x86 --lzma2=dict=8MiB,{PLAIN}")), "{text}");
        }
        assert_eq!(chain("6"), Ok(format!("--lzma2=dict=8MiB,{PLAIN}")));
        assert!(chain("9e").unwrap().contains("dict=64MiB") && chain("9e").unwrap().contains("nice=273"));
        assert_eq!(
            chain("arm=start=64 delta=dist=4 lzma2:preset=1,dict=4097,lc=0,lp=4,pb=0,mode=fast,nice=2,mf=bt2,depth=9"),
            Ok("--arm=start=64 --delta=dist=4 --lzma2=dict=4097,lc=0,lp=4,pb=0,mode=fast,nice=2,mf=bt2,depth=9".into())
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("", "Empty"),
            ("foo", "Unknown filter"),
            ("10", "preset"),
            ("lzma2=preset=6f", "preset: 6f"),
            ("lzma2=foo=1", "foo: Invalid option name"),
            ("lzma2=dict", "name=value"),
            ("lzma2=dict=", "name=value"),
            ("lzma2=dict=4095", "range [4096, 1610612736]"),
            ("lzma2=mf=bt9", "bt9: Invalid option value"),
            ("lzma2=mode=slow", "slow: Invalid option value"),
            ("lzma2=lc=3,lp=2", "sum of lc and lp"),
            ("lzma2=nice=1", "range [2, 273]"),
            ("delta=dist=257", "range [1, 256]"),
            ("x86=start=99999999999", "range"),
            ("delta delta delta delta lzma2", "four"),
            ("lzma1", "LZMA1 cannot"),
        ] {
            assert!(chain(text).is_err_and(|what| what.contains(part)), "{text}: {:?}", chain(text));
        }
    }
}
