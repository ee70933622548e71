//! The flags about damaged files: `--salvage`, `--fill` and `--keep-unverified`.
//!
//! clap reads them as part of the flags of pzcomp. [`DamageFlags::work`] says what they ask for.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pzcomp::salvage::Fill;

use super::flags::Flags;
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
    salvage: bool,

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
    pub(super) fn work(&self, mode: Mode, flags: &Flags) -> Result<Option<SalvageWork>, String> {
        if !self.salvage {
            return Ok(None);
        }
        if !matches!(mode, Mode::Decompress | Mode::Test) {
            return Err("--salvage needs -d, or -t for the report only".into());
        }
        if flags.rm {
            return Err("--rm cannot be used with --salvage: the damaged file may still be needed".into());
        }
        if flags.telling.hashes_anything() {
            return Err("--hash and --hash-file cannot be used with --salvage; hash what was salvaged".into());
        }
        if flags.idle {
            return Err("--idle cannot be used with --salvage; start pzcomp by chrt -i 0 ionice -c 3".into());
        }
        if flags.sparse || flags.drop_cache {
            return Err("--sparse and --drop-cache cannot be used with --salvage".into());
        }
        if flags.buffer.is_some() {
            return Err("--buffer has no use with --salvage, which reads a file".into());
        }
        let fill = self.fill.unwrap_or_default();
        Ok(Some(SalvageWork { fill, keep_unverified: self.keep_unverified }))
    }
}

/// Takes the names of fillings.
fn fills() -> impl TypedValueParser<Value = Fill> {
    PossibleValuesParser::new(["zero"]).map(|_| Fill::Zero)
}
