//! The flags about recovery records (`--protect`, `--check`, `--repair`) and damaged files (`--salvage`, `--fill`,
//! `--keep-unverified`).
//!
//! clap reads them as part of the flags of pzcomp. [`MendingFlags::work`] and [`DamageFlags::work`] say what they ask
//! for.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pzcomp::Recovery;
use pzcomp::salvage::Fill;

use crate::request::{Mode, RecoveryWork, SalvageWork};
use crate::size;

const DAMAGE: &str = "Damaged files";

#[derive(Debug, Default, Args)]
pub(super) struct MendingFlags {
    /// Write recovery records for each file, compressed or not, to FILE.pzr, or to the file that -o names. With them,
    /// --repair mends damage up to 5 % of the file, or to the share of --recovery. FILE is only read. With -r, each
    /// file in a folder gets its own
    #[arg(
        long, conflicts_with_all = ["decompress", "test", "list", "to", "exec", "stdout", "rm", "repair", "bench", "salvage"],
        help_heading = DAMAGE
    )]
    pub(super) protect: bool,

    /// With --protect: write nothing, and verify each file by its FILE.pzr. The exit status is 1 if anything is damaged
    #[arg(long, requires = "protect", conflicts_with_all = ["output", "repair"], help_heading = DAMAGE)]
    check: bool,

    /// Write recovery records between the frames of zstd, gzip and lz4, by which --repair mends damage to the file.
    /// PERCENT is how much of the file may be damaged, from 0.5 to 100 [default: 5]. Every program that reads the
    /// format skips the records. With --protect: the share of the records beside the file
    #[arg(
        long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "5",
        value_parser = per_mille, help_heading = DAMAGE
    )]
    pub(super) recovery: Option<u16>,

    /// With --recovery or --protect: the share counts for each SIZE bytes of the file, from 64K to 64M [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = span, help_heading = DAMAGE)]
    pub(super) recovery_span: Option<u64>,

    /// Mend each damaged file by its recovery records, which are in it or in FILE.pzr. The new file takes the place of
    /// the old one, which is kept as FILE.damaged, unless there is --rm; with -o, the new file goes there. It appears
    /// only if all of it is as it was. If more is damaged than can be mended, no file is made, and the exit status is 2
    #[arg(
        long, conflicts_with_all = ["decompress", "test", "list", "to", "exec", "stdout", "bench", "salvage"],
        help_heading = DAMAGE
    )]
    pub(super) repair: bool,
}

impl MendingFlags {
    /// Asks for what `--protect --check` asks for.
    pub(super) fn check_by_records(&mut self) {
        (self.protect, self.check) = (true, true);
    }

    /// The recovery records in the output, if the flags ask for them.
    pub(super) fn records(&self) -> Option<Recovery> {
        let mut records = Recovery::default();
        records.per_mille = self.recovery.unwrap_or(records.per_mille);
        records.span = self.recovery_span.unwrap_or(records.span);
        self.recovery.map(|_| records)
    }

    /// The work with recovery records, if the flags ask for it.
    pub(super) fn work(&self) -> Option<RecoveryWork> {
        match (self.repair, self.check) {
            (true, _) => Some(RecoveryWork::Repair),
            (_, true) => Some(RecoveryWork::Check),
            _ => self
                .protect
                .then_some(RecoveryWork::Protect { share: self.recovery, span: self.recovery_span }),
        }
    }
}

fn per_mille(text: &str) -> Result<u16, String> {
    let percent: f64 =
        text.trim_end_matches('%').parse().map_err(|_| "expected a number, as 5 or 2.5".to_owned())?;
    match (0.5..=100.0).contains(&percent) {
        true => Ok((percent * 10.0).round() as u16),
        false => Err("expected 0.5 to 100".into()),
    }
}

fn span(text: &str) -> Result<u64, String> {
    match size::parse(text)? {
        span @ 0x1_0000..=0x400_0000 => Ok(span),
        _ => Err("expected 64K to 64M".into()),
    }
}

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
