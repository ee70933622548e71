//! Reads the parameters of `--zstd=`, such as `wlog=23,strategy=5`.
//!
//! [`parse`] takes the list and returns parameters and values for the encoder of libzstd. `Args` calls it. libzstd
//! checks the values later.

use pzcomp::{Adapt, Format, ZstdParameter};

/// The long and the short names that the manual of zstd lists.
const NAMES: [(&str, &str, ZstdParameter); 12] = [
    ("windowLog", "wlog", ZstdParameter::WindowLog),
    ("chainLog", "clog", ZstdParameter::ChainLog),
    ("hashLog", "hlog", ZstdParameter::HashLog),
    ("searchLog", "slog", ZstdParameter::SearchLog),
    ("minMatch", "mml", ZstdParameter::MinMatch),
    ("targetLength", "tlen", ZstdParameter::TargetLength),
    ("strategy", "strat", ZstdParameter::Strategy),
    ("overlapLog", "ovlog", ZstdParameter::OverlapLog),
    ("ldmHashLog", "lhlog", ZstdParameter::LdmHashLog),
    ("ldmMinMatch", "lmml", ZstdParameter::LdmMinMatch),
    ("ldmBucketSizeLog", "lblog", ZstdParameter::LdmBucketSizeLog),
    ("ldmHashRateLog", "lhrlog", ZstdParameter::LdmHashRateLog),
];

/// The parameters of a list. Returns `None` if the list has an unknown name or a value that is not a number.
pub(super) fn parse(list: &str) -> Option<Vec<(ZstdParameter, u32)>> {
    let parse = |item: &str| {
        let (name, value) = item.split_once('=')?;
        let (.., parameter) = NAMES.iter().find(|(long, short, _)| name == *long || name == *short)?;
        Some((*parameter, value.parse().ok()?))
    };
    list.split(',').map(parse).collect()
}

/// The levels of `--adapt=`: `min=N`, `max=N`, both or none. Returns `None` for anything else, and if they contradict
/// each other.
pub(super) fn adapt(list: &str) -> Option<Adapt> {
    let mut adapt = Adapt::new();
    for item in list.split(',').filter(|_| !list.is_empty()) {
        let (name, level) = item.split_once('=')?;
        let level = level.parse::<i32>().ok()?.clamp(-super::FASTEST, super::HIGHEST.1);
        // 0 stands for the default level.
        let level = if level == 0 { Format::Zstd.default_level() } else { level };
        adapt = match name {
            "min" => adapt.with_min(level),
            "max" => adapt.with_max(level),
            _ => return None,
        };
    }
    let is_coherent = adapt.min.zip(adapt.max).is_none_or(|(min, max)| min <= max);
    is_coherent.then_some(adapt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_names_and_numbers_and_nothing_else() {
        let parsed = vec![(ZstdParameter::WindowLog, 23), (ZstdParameter::Strategy, 5)];
        assert_eq!(parse("wlog=23,strategy=5"), Some(parsed));
        for wrong in ["", "wlog", "wlog=", "wlog=x", "wlog=1,", ",wlog=1", "w=1", "wlog=1 ", "wlog=-1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn levels_that_adapt_have_limits() {
        assert_eq!(adapt(""), Some(Adapt::new()));
        assert_eq!(adapt("min=1,max=15"), Some(Adapt::new().with_min(1).with_max(15)));
        assert_eq!(adapt("max=99,min=-1000"), Some(Adapt::new().with_min(-100).with_max(22)));
        for wrong in ["min", "min=", "min=x", "min=1,", "least=1", "min=9,max=1"] {
            assert_eq!(adapt(wrong), None, "{wrong}");
        }
    }
}
