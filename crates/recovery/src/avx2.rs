//! [`Avx2`]: processors with AVX2 multiply 32 numbers at a time. Each of the four digits of a number looks up the two
//! bytes of its product.

use std::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm256_add_epi16, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_cvtepu8_epi16, _mm256_loadu_si256, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_xor_si256,
};
use std::sync::OnceLock;

use crate::field::Unit;
use crate::loops::{Job, Processor};
use crate::table::{Products, of_places};

// A unit is the low bytes of 32 numbers, and their high bytes.
const _: () = assert!(size_of::<Unit>() == 2 * size_of::<__m256i>());

/// A processor that has AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// This processor, if it has AVX2.
    pub(crate) fn find() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// The sums of each 16th byte of these blocks, for [`sum`](crate::hashes::sum): low and high ones.
    pub(crate) fn lanes(self, blocks: &[[u8; 16]]) -> [[u16; 16]; 2] {
        #[target_feature(enable = "avx2")]
        fn lanes(blocks: &[[u8; 16]]) -> [[u16; 16]; 2] {
            let (mut low, mut high) = (_mm256_setzero_si256(), _mm256_setzero_si256());
            for block in blocks {
                // SAFETY: a block has 16 bytes, and the load needs no alignment.
                let bytes = unsafe { _mm_loadu_si128(block.as_ptr().cast::<__m128i>()) };
                high = _mm256_add_epi16(high, low);
                low = _mm256_add_epi16(low, _mm256_cvtepu8_epi16(bytes));
            }
            let mut sums = [[0; 16]; 2];
            for (sums, lanes) in sums.iter_mut().zip([low, high]) {
                // SAFETY: there are 32 bytes, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast::<__m256i>(), lanes) }
            }
            sums
        }
        // SAFETY: the processor has AVX2, because `self` exists.
        unsafe { lanes(blocks) }
    }
}

/// The products of a factor with each value of the four digits of a number, in base 16: four times the low bytes of the
/// products, from the lowest digit on, then four times the high bytes.
pub(crate) struct Digits([[u8; 16]; 8]);

impl From<Products> for Digits {
    fn from(bits: Products) -> Self {
        let mut table = [[0; 16]; 8];
        for digit in 0..4 {
            let mut products = [0_u16; 16];
            for bit in 0..4 {
                // The other products are sums of these.
                for value in 1 << bit..2 << bit {
                    products[value] = products[value - (1 << bit)] ^ bits.0[4 * digit + bit];
                }
            }
            for (value, product) in products.into_iter().enumerate() {
                [table[digit][value], table[4 + digit][value]] = product.to_le_bytes();
            }
        }
        Self(table)
    }
}

/// The low and the high bytes of 32 numbers.
pub(crate) type Numbers = [__m256i; 2];

impl Processor for Avx2 {
    type Table = Digits;
    type Factor = [__m256i; 8];
    type Numbers = Numbers;

    fn tables(self) -> &'static [Digits] {
        static TABLES: OnceLock<Vec<Digits>> = OnceLock::new();
        TABLES.get_or_init(of_places)
    }

    fn run(self, job: Job<Digits>) {
        #[target_feature(enable = "avx2")]
        fn run(processor: Avx2, job: Job<Digits>) {
            job.run(processor);
        }
        // SAFETY: as in `lanes`.
        unsafe { run(self, job) }
    }

    #[inline(always)]
    fn factor(self, Digits([a, b, c, d, e, f, g, h]): &Digits) -> [__m256i; 8] {
        [
            twice(self, a),
            twice(self, b),
            twice(self, c),
            twice(self, d),
            twice(self, e),
            twice(self, f),
            twice(self, g),
            twice(self, h),
        ]
    }

    #[inline(always)]
    fn load(self, unit: &Unit) -> Numbers {
        let halves = unit.as_ptr().cast::<__m256i>();
        // SAFETY: the processor has AVX2. A unit has 64 bytes, and the loads need no alignment.
        unsafe { [_mm256_loadu_si256(halves), _mm256_loadu_si256(halves.add(1))] }
    }

    #[inline(always)]
    fn store(self, unit: &mut Unit, numbers: Numbers) {
        let halves = unit.as_mut_ptr().cast::<__m256i>();
        // SAFETY: the processor has AVX2. A unit has 64 bytes, and the stores need no alignment.
        unsafe {
            _mm256_storeu_si256(halves, numbers[0]);
            _mm256_storeu_si256(halves.add(1), numbers[1]);
        }
    }

    #[inline(always)]
    fn sum(self, one: Numbers, other: Numbers) -> Numbers {
        // SAFETY: the processor has AVX2.
        unsafe { [_mm256_xor_si256(one[0], other[0]), _mm256_xor_si256(one[1], other[1])] }
    }

    #[inline(always)]
    fn sum_of_product(self, one: Numbers, factor: [__m256i; 8], other: Numbers) -> Numbers {
        let mut total = one;
        for digit in 0..4 {
            // SAFETY: the processor has AVX2.
            let products = unsafe {
                let byte = other[digit / 2];
                let byte = if digit % 2 == 0 { byte } else { _mm256_srli_epi64::<4>(byte) };
                let values = _mm256_and_si256(byte, _mm256_set1_epi8(15));
                [_mm256_shuffle_epi8(factor[digit], values), _mm256_shuffle_epi8(factor[4 + digit], values)]
            };
            total = self.sum(total, products);
        }
        total
    }

    #[inline(always)]
    fn expect(self, unit: &Unit) {
        // SAFETY: each x86-64 processor can prefetch, which has no effect that the program can see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(unit.as_ptr().cast::<i8>()) }
    }
}

#[inline(always)]
fn twice(_: Avx2, products: &[u8; 16]) -> __m256i {
    // SAFETY: the processor has AVX2. There are 16 bytes, and the load needs no alignment.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(products.as_ptr().cast::<__m128i>())) }
}
