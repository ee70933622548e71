//! [`Table`]: the products of a factor with each digit, by which `avx2.rs` multiplies; and [`places`], the tables of the factors
//! of the transforms.
//!
//! A group has at most 2,048 shards of data in chunks of at most half as many, so its transforms use at most [`PLACES`]
//! factors. The tables of these are made in less than a millisecond.

use std::sync::OnceLock;

use reed_solomon_simd::engine::GF_MODULUS;
use reed_solomon_simd::engine::tables::{ExpLog, get_exp_log, get_skew, mul};

/// The factors of the transforms stand in a list. Those of a group are before this place.
const PLACES: usize = 4096;

/// The products of a factor with each value of the four digits of a number, in base 16: four times the low bytes of the
/// products, from the lowest digit on, then four times the high bytes.
pub(crate) struct Table(pub(crate) [[u8; 16]; 8]);

impl Table {
    /// The products of the factor with this logarithm. `None` is the factor zero.
    pub(crate) fn of(log: Option<u16>) -> Self {
        let mut table = [[0; 16]; 8];
        let Some(log_factor) = log else { return Self(table) };
        let ExpLog { exp, log } = get_exp_log();
        for digit in 0..4 {
            let mut products = [0_u16; 16];
            for bit in 0..4 {
                // The other products are sums of these.
                let product = mul(1 << (4 * digit + bit), log_factor, exp, log);
                for value in 1 << bit..2 << bit {
                    products[value] = products[value - (1 << bit)] ^ product;
                }
            }
            for (value, product) in products.into_iter().enumerate() {
                [table[digit][value], table[4 + digit][value]] = product.to_le_bytes();
            }
        }
        Self(table)
    }
}

/// The tables of the factors of the transforms, by their places in the list of the crate.
pub(crate) fn places() -> &'static [Table] {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let logs = get_skew().iter().take(PLACES);
        logs.map(|&log| Table::of((log != GF_MODULUS).then_some(log))).collect()
    })
}
