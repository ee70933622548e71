//! The flags about damaged files: `--salvage`, `--fill` and `--keep-unverified`.
//!
//! clap reads them as part of the flags of pzcomp. [`DamageFlags::work`] says what they ask for.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pzcomp::salvage::Fill;

use crate::request::{Mode, SalvageWork};

const DAMAGE: &str = "Damaged files";

#[derive(Debug, Default, Args)]
pub(super) struct DamageFlags {
    /// With -d: skip what is damaged, and write everything else. Standard error says which coded and plain bytes are
    /// lost, as ranges A-B without the byte B, and the exit status is 2 if anything is. Frames, members and blocks are
    /// written only if their check is right. A gzip member that states no size is written up to the damage, and again
    /// from the next block on before which 32 KiB are known; these bytes are listed as not verified. With -t: write
    /// only the report. The input must be a regular file
    #[arg(long, help_heading = DAMAGE)]
    pub(super) salvage: bool,

    /// With --salvage: write as many zeros as bytes are lost, if their number is known, so that everything behind them
    /// keeps its offset
    #[arg(long, value_name = "WITH", value_parser = fills(), requires = "salvage", help_heading = DAMAGE)]
    fill: Option<Fill>,

    /// With --salvage: also write what decodes of a damaged frame before the damage is seen. Some of these bytes may be
    /// wrong; they are listed as not verified
    #[arg(long, requires = "salvage", help_heading = DAMAGE)]
    keep_unverified: bool,
}

impl DamageFlags {
    /// How damaged inputs are salvaged, if the flags ask for it.
    pub(super) fn work(&self, mode: Mode) -> Option<SalvageWork> {
        self.salvage.then(|| SalvageWork {
            fill: self.fill.unwrap_or_default(),
            keep_unverified: self.keep_unverified,
            only_test: mode == Mode::Test,
        })
    }
}

fn fills() -> impl TypedValueParser<Value = Fill> {
    PossibleValuesParser::new(["zero"]).map(|_| Fill::Zero)
}
