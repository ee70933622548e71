//! Chains of filters in the form that liblzma reads.
//!
//! [`XzFilter`]s come in, which the caller has checked. A [`Chain`] goes out, which owns the options of all filters and
//! makes the array of pointers to them. The encoders of liblzma and the estimates of memory use it.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use liblzma_sys as sys;

use super::lzma_options;
use crate::options::{XzArch, XzFilter, XzFinder, XzLzma, XzMode};

const FILTERS_MAX: usize = sys::LZMA_FILTERS_MAX as usize;

/// The filters of a chain, with the terminator.
pub(super) type RawChain = [sys::lzma_filter; FILTERS_MAX + 1];

pub(super) const TERMINATOR: sys::lzma_filter =
    sys::lzma_filter { id: sys::LZMA_VLI_UNKNOWN, options: ptr::null_mut() };

/// The options of a preset, which is a level and possibly [`super::EXTREME`].
pub(crate) fn preset(preset: u32) -> XzLzma {
    let sys::lzma_options_lzma { dict_size, lc, lp, pb, mode, nice_len, mf, depth, .. } =
        lzma_options(preset, None);
    XzLzma {
        dict_len: dict_size,
        lc,
        lp,
        pb,
        mode: if mode == sys::LZMA_MODE_FAST { XzMode::Fast } else { XzMode::Normal },
        nice_len,
        finder: match mf {
            sys::LZMA_MF_HC3 => XzFinder::Hc3,
            sys::LZMA_MF_HC4 => XzFinder::Hc4,
            sys::LZMA_MF_BT2 => XzFinder::Bt2,
            sys::LZMA_MF_BT3 => XzFinder::Bt3,
            _ => XzFinder::Bt4,
        },
        depth,
    }
}

/// These options in the form of liblzma.
pub(super) fn raw_lzma(options: &XzLzma) -> sys::lzma_options_lzma {
    let mut raw = lzma_options(sys::LZMA_PRESET_DEFAULT, Some(options.dict_len));
    (raw.lc, raw.lp, raw.pb) = (options.lc, options.lp, options.pb);
    raw.mode = match options.mode {
        XzMode::Fast => sys::LZMA_MODE_FAST,
        XzMode::Normal => sys::LZMA_MODE_NORMAL,
    };
    raw.nice_len = options.nice_len;
    raw.mf = match options.finder {
        XzFinder::Hc3 => sys::LZMA_MF_HC3,
        XzFinder::Hc4 => sys::LZMA_MF_HC4,
        XzFinder::Bt2 => sys::LZMA_MF_BT2,
        XzFinder::Bt3 => sys::LZMA_MF_BT3,
        XzFinder::Bt4 => sys::LZMA_MF_BT4,
    };
    raw.depth = options.depth;
    raw
}

fn id_of(arch: XzArch) -> sys::lzma_vli {
    match arch {
        XzArch::X86 => sys::LZMA_FILTER_X86,
        XzArch::PowerPc => sys::LZMA_FILTER_POWERPC,
        XzArch::Ia64 => sys::LZMA_FILTER_IA64,
        XzArch::Arm => sys::LZMA_FILTER_ARM,
        XzArch::ArmThumb => sys::LZMA_FILTER_ARMTHUMB,
        XzArch::Arm64 => sys::LZMA_FILTER_ARM64,
        XzArch::Sparc => sys::LZMA_FILTER_SPARC,
        XzArch::RiscV => sys::LZMA_FILTER_RISCV,
    }
}

enum RawOptions {
    Branches(sys::lzma_vli, sys::lzma_options_bcj),
    Delta(sys::lzma_options_delta),
    Lzma2(sys::lzma_options_lzma),
}

/// A chain of filters for xz, with the memory for their options.
pub(super) struct Chain(Vec<RawOptions>);

impl Chain {
    /// The dictionary becomes at most `dict_max` long.
    pub(super) fn new(filters: &[XzFilter], dict_max: u32) -> Self {
        let raw = |filter: &XzFilter| match filter {
            XzFilter::Branches { arch, start } => {
                RawOptions::Branches(id_of(*arch), sys::lzma_options_bcj { start_offset: *start })
            }
            XzFilter::Delta { distance } => {
                // SAFETY: the struct has only numbers and pointers, for which zero is valid. The type of delta is 0
                // too.
                let mut options: sys::lzma_options_delta = unsafe { MaybeUninit::zeroed().assume_init() };
                options.dist = *distance;
                RawOptions::Delta(options)
            }
            XzFilter::Lzma(lzma) => {
                let dict_len = lzma.dict_len.min(dict_max);
                RawOptions::Lzma2(raw_lzma(&XzLzma { dict_len, ..*lzma }))
            }
        };
        Self(filters.iter().take(FILTERS_MAX).map(raw).collect())
    }

    /// The chain as an array. It points into `self`, so it is valid until `self` is moved or changed.
    pub(super) fn raw(&mut self) -> RawChain {
        let mut chain = [TERMINATOR; FILTERS_MAX + 1];
        for (raw, options) in chain.iter_mut().zip(&mut self.0) {
            *raw = match options {
                RawOptions::Branches(id, options) => filter(*id, options),
                RawOptions::Delta(options) => filter(sys::LZMA_FILTER_DELTA, options),
                RawOptions::Lzma2(options) => filter(sys::LZMA_FILTER_LZMA2, options),
            };
        }
        chain
    }

    /// The memory of an encoder, as liblzma estimates it. It is the greatest number if liblzma refuses the chain.
    pub(super) fn encoder_memory(&mut self) -> u64 {
        // SAFETY: the chain ends with its terminator, and its options live in `self`.
        unsafe { sys::lzma_raw_encoder_memusage(self.raw().as_ptr()) }
    }

    /// The memory of a decoder, in the same way.
    pub(super) fn decoder_memory(&mut self) -> u64 {
        // SAFETY: as above.
        unsafe { sys::lzma_raw_decoder_memusage(self.raw().as_ptr()) }
    }
}

fn filter<T>(id: sys::lzma_vli, options: &mut T) -> sys::lzma_filter {
    sys::lzma_filter { id, options: ptr::from_mut(options).cast::<c_void>() }
}
