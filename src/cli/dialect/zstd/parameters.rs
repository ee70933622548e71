//! Reads the parameters of `--zstd=`, such as `wlog=23,strategy=5`.
//!
//! [`parse`] takes the list and returns parameters and values for the encoder of libzstd. `Args` calls it. libzstd
//! checks the values later.

use pzcomp::ZstdParameter;

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
}
