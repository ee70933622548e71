//! The options of lzip and plzip.

use super::super::super::getopt::{Opt, flag, value};
use super::super::super::request::Mode;

/// What an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    DataSize,
    Force,
    Help,
    /// What has no effect here.
    Idle,
    Keep,
    Level(i32),
    LooseTrailing,
    /// What is not here, and why.
    Missing(&'static str, &'static str),
    Mode(Mode),
    Output,
    Quiet,
    Recompress,
    Stdout,
    Threads,
    TrailingError,
    Verbose,
    Version,
}

const BY_LEVEL: &str = "the level says it, -0 to -9";
const VOLUMES: &str = "the output is one file; cut it with split";
const MEMBERS: &str = "members are as long as the level makes them; -B says it in plain bytes";

pub(super) static OPTIONS: [Opt<Flag>; 33] = [
    flag(Flag::TrailingError, "a", "trailing-error"),
    value(Flag::Missing("--member-size", MEMBERS), "b", "member-size"),
    value(Flag::DataSize, "B", "data-size"),
    flag(Flag::Stdout, "c", "stdout"),
    flag(Flag::Mode(Mode::Decompress), "d", "decompress"),
    flag(Flag::Force, "f", "force"),
    flag(Flag::Recompress, "F", "recompress"),
    flag(Flag::Help, "h", "help"),
    flag(Flag::Keep, "k", "keep"),
    flag(Flag::Mode(Mode::List), "l", "list"),
    value(Flag::Missing("--match-length", BY_LEVEL), "m", "match-length"),
    value(Flag::Threads, "n", "threads"),
    value(Flag::Output, "o", "output"),
    flag(Flag::Quiet, "q", "quiet"),
    value(Flag::Missing("--dictionary-size", BY_LEVEL), "s", "dictionary-size"),
    value(Flag::Missing("--volume-size", VOLUMES), "S", "volume-size"),
    flag(Flag::Mode(Mode::Test), "t", "test"),
    flag(Flag::Verbose, "v", "verbose"),
    flag(Flag::Version, "V", "version"),
    flag(Flag::Level(0), "0", "fast"),
    flag(Flag::Level(1), "1", ""),
    flag(Flag::Level(2), "2", ""),
    flag(Flag::Level(3), "3", ""),
    flag(Flag::Level(4), "4", ""),
    flag(Flag::Level(5), "5", ""),
    flag(Flag::Level(6), "6", ""),
    flag(Flag::Level(7), "7", ""),
    flag(Flag::Level(8), "8", ""),
    flag(Flag::Level(9), "9", "best"),
    flag(Flag::LooseTrailing, "", "loose-trailing"),
    value(Flag::Idle, "", "in-slots"),
    value(Flag::Idle, "", "out-slots"),
    flag(Flag::Missing("--check-lib", "there is no lzlib in it"), "", "check-lib"),
];
