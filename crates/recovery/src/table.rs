//! [`Products`]: those of a factor, from which the tables of the processors are made; and [`of_places`], the tables of
//! the factors of the transforms.
//!
//! A group has at most 2,048 shards of data in chunks of at most half as many, so its transforms use at most [`PLACES`]
//! factors. The tables of these are made in less than a millisecond.

use reed_solomon_simd::engine::GF_MODULUS;
use reed_solomon_simd::engine::tables::{ExpLog, get_exp_log, get_skew, mul};

/// The factors of the transforms stand in a list. Those of a group are before this place. Miri runs small groups.
const PLACES: usize = if cfg!(miri) { 64 } else { 4096 };

/// The products of a factor with the numbers that have a single bit, from the lowest bit on. All other products are
/// sums of these.
pub(crate) struct Products(pub(crate) [u16; 16]);

impl Products {
    /// Those of the factor with this logarithm. `None` is the factor zero.
    pub(crate) fn of(log: Option<u16>) -> Self {
        let Some(factor) = log else { return Self([0; 16]) };
        let ExpLog { exp, log } = get_exp_log();
        Self(std::array::from_fn(|bit| mul(1 << bit, factor, exp, log)))
    }
}

/// The tables of the factors of the transforms, by their places in the list of the crate.
pub(crate) fn of_places<T: From<Products>>() -> Vec<T> {
    let logs = get_skew().iter().take(PLACES);
    logs.map(|&log| T::from(Products::of((log != GF_MODULUS).then_some(log)))).collect()
}
