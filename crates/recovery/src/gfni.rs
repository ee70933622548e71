//! [`Gfni`]: processors with GFNI multiply 32 numbers at a time by matrices of bits.
//!
//! Each bit of a product is the sum of some bits of the number. So a factor is a matrix of 16 by 16 bits. It is taken
//! as four matrices of 8 by 8 bits, from the low and the high byte of a number to those of the product.

use std::arch::x86_64::{__m256i, _mm256_gf2p8affine_epi64_epi8, _mm256_set1_epi64x};
use std::sync::OnceLock;

use crate::avx2::{Avx2, Numbers};
use crate::field::Unit;
use crate::loops::{Job, Processor};
use crate::table::{Products, of_places};

/// From the low bytes to the low and to the high bytes, and from the high bytes to both.
pub(crate) struct Matrices([[u64; 2]; 2]);

impl From<Products> for Matrices {
    fn from(products: Products) -> Self {
        let mut matrices = [[0; 2]; 2];
        for (from, products) in products.0.chunks_exact(8).enumerate() {
            for (bit, product) in products.iter().enumerate() {
                for made in (0..16).filter(|made| product >> made & 1 == 1) {
                    // The instruction takes the last byte for the lowest bit of its result.
                    matrices[from][made / 8] |= 1 << (8 * (7 - made % 8) + bit);
                }
            }
        }
        Self(matrices)
    }
}

/// A processor that has GFNI and AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Gfni(Avx2);

impl Gfni {
    /// This processor, if it has both.
    pub(crate) fn find() -> Option<Self> {
        Avx2::find().filter(|_| is_x86_feature_detected!("gfni")).map(Self)
    }
}

impl Processor for Gfni {
    type Table = Matrices;
    type Factor = [[__m256i; 2]; 2];
    type Numbers = Numbers;

    fn tables(self) -> &'static [Matrices] {
        static TABLES: OnceLock<Vec<Matrices>> = OnceLock::new();
        TABLES.get_or_init(of_places)
    }

    fn run(self, job: Job<Matrices>) {
        #[target_feature(enable = "avx2,gfni")]
        fn run(processor: Gfni, job: Job<Matrices>) {
            job.run(processor);
        }
        // SAFETY: the processor has both, because `self` exists.
        unsafe { run(self, job) }
    }

    #[inline(always)]
    fn factor(self, Matrices([low, high]): &Matrices) -> Self::Factor {
        [
            [everywhere(self, low[0]), everywhere(self, low[1])],
            [everywhere(self, high[0]), everywhere(self, high[1])],
        ]
    }

    #[inline(always)]
    fn load(self, unit: &Unit) -> Numbers {
        self.0.load(unit)
    }

    #[inline(always)]
    fn store(self, unit: &mut Unit, numbers: Numbers) {
        self.0.store(unit, numbers);
    }

    #[inline(always)]
    fn sum(self, one: Numbers, other: Numbers) -> Numbers {
        self.0.sum(one, other)
    }

    #[inline(always)]
    fn sum_of_product(self, one: Numbers, [low, high]: Self::Factor, other: Numbers) -> Numbers {
        self.sum(self.sum(one, times(self, other[0], low)), times(self, other[1], high))
    }

    #[inline(always)]
    fn expect(self, unit: &Unit) {
        self.0.expect(unit);
    }
}

/// The same matrix for all bytes.
#[inline(always)]
fn everywhere(_: Gfni, matrix: u64) -> __m256i {
    // SAFETY: the processor has AVX2, because a `Gfni` exists.
    unsafe { _mm256_set1_epi64x(matrix.cast_signed()) }
}

/// What a byte of each number adds to the low and to the high byte of the product.
#[inline(always)]
fn times(_: Gfni, bytes: __m256i, [low, high]: [__m256i; 2]) -> Numbers {
    // SAFETY: the processor has GFNI and AVX2, because a `Gfni` exists.
    unsafe {
        [_mm256_gf2p8affine_epi64_epi8::<0>(bytes, low), _mm256_gf2p8affine_epi64_epi8::<0>(bytes, high)]
    }
}
