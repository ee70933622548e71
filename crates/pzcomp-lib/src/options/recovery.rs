//! [`Recovery`]: how much damage a compressed file can lose and be mended.

/// Recovery records in the output, by which damage is mended without another copy.
///
/// The records are parity of the coded data, in frames that every reader of the format skips.
/// [`Repair`](crate::recovery::Repair) mends by them.
#[cfg(feature = "recovery")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// The share of parity, in thousandths of the coded data: 5 to 1000. Other numbers count as the nearest of these.
    pub per_mille: u16,
    /// For how many coded bytes the share counts: 64 KiB to 64 MiB. Other numbers count as the nearest of these.
    pub span: u64,
}

#[cfg(feature = "recovery")]
impl Default for Recovery {
    /// 5 %, for 64 MiB each.
    fn default() -> Self {
        Self { per_mille: 50, span: 64 << 20 }
    }
}

/// A build without the feature `recovery` has no value for this option.
#[cfg(not(feature = "recovery"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {}
