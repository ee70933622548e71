//! The loops of the transforms for processors with AVX2, which [`is_there`] finds. `table.rs` has the tables, and
//! `field.rs` calls them.
//!
//! 32 numbers are multiplied at a time. Each of the four digits of a number looks up the two bytes of its product.

use std::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_loadu_si256, _mm256_set1_epi8, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_xor_si256,
};

use crate::field::Unit;
use crate::table::Table;

/// Whether this processor has AVX2.
pub(crate) fn is_there() -> bool {
    is_x86_feature_detected!("avx2")
}

/// As [`Field::interpolate`](crate::field::Field::interpolate).
pub(crate) fn interpolate(tables: &[Table], rows: &mut [Unit], width: usize, there: usize, first: usize) {
    assert!(is_there());
    // SAFETY: the processor has AVX2.
    unsafe { interpolate_by_two(tables, rows, width, there, first) }
}

/// As [`Field::evaluate`](crate::field::Field::evaluate).
pub(crate) fn evaluate(tables: &[Table], rows: &mut [Unit], width: usize, wanted: usize) {
    assert!(is_there());
    // SAFETY: the processor has AVX2.
    unsafe { evaluate_by_two(tables, rows, width, wanted) }
}

/// Interpolates the rows of a whole chunk, and adds the polynomial to the sum. `data` has the shards, of which the rows
/// are the units from `from` on. There are at least [`TILE`] rows; `rows` is memory for them.
pub(crate) fn add_chunk(
    tables: &[Table],
    (data, from): (&[Unit], usize),
    width: usize,
    first: usize,
    rows: &mut [Unit],
    sum: &mut [Unit],
) {
    assert!(is_there());
    // SAFETY: the processor has AVX2.
    unsafe { add_chunk_by_tiles(tables, (data, from), width, first, rows, sum) }
}

/// Adds the products with the factor of the table to the sum.
pub(crate) fn add_product(sum: &mut [Unit], other: &[Unit], table: &Table) {
    assert!(is_there());
    // SAFETY: the processor has AVX2.
    unsafe { add_products(sum, other, table) }
}

/// So many rows are worked on at a time. They fit into the first cache of a core.
pub(crate) const TILE: usize = 16;

/// A table in registers.
#[derive(Clone, Copy)]
struct Factor([__m256i; 8]);

/// The low and the high bytes of 32 numbers.
type Numbers = [__m256i; 2];

#[inline]
#[target_feature(enable = "avx2")]
fn twice(products: &[u8; 16]) -> __m256i {
    // SAFETY: there are 16 bytes, and the load needs no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(products.as_ptr().cast::<__m128i>()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn factor(table: &Table) -> Factor {
    let [a, b, c, d, e, f, g, h] = &table.0;
    Factor([twice(a), twice(b), twice(c), twice(d), twice(e), twice(f), twice(g), twice(h)])
}

/// Has the processor fetch the unit, which is needed soon.
#[inline]
fn expect(unit: &Unit) {
    // SAFETY: each x86-64 processor can prefetch, which has no effect that the program can see.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(unit.as_ptr().cast::<i8>()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(unit: &Unit) -> Numbers {
    let halves = unit.as_ptr().cast::<__m256i>();
    // SAFETY: a unit has 64 bytes, and the loads need no alignment.
    unsafe { [_mm256_loadu_si256(halves), _mm256_loadu_si256(halves.add(1))] }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(unit: &mut Unit, numbers: Numbers) {
    let halves = unit.as_mut_ptr().cast::<__m256i>();
    // SAFETY: a unit has 64 bytes, and the stores need no alignment.
    unsafe {
        _mm256_storeu_si256(halves, numbers[0]);
        _mm256_storeu_si256(halves.add(1), numbers[1]);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum(one: Numbers, other: Numbers) -> Numbers {
    [_mm256_xor_si256(one[0], other[0]), _mm256_xor_si256(one[1], other[1])]
}

#[inline]
#[target_feature(enable = "avx2")]
fn product(factor: &Factor, numbers: Numbers) -> Numbers {
    let mask = _mm256_set1_epi8(15);
    let mut total = [_mm256_setzero_si256(); 2];
    for digit in 0..4 {
        let byte = numbers[digit / 2];
        let byte = if digit % 2 == 0 { byte } else { _mm256_srli_epi64::<4>(byte) };
        let values = _mm256_and_si256(byte, mask);
        total = sum(
            total,
            [_mm256_shuffle_epi8(factor.0[digit], values), _mm256_shuffle_epi8(factor.0[4 + digit], values)],
        );
    }
    total
}

/// Adds `one` to `other`, and then the product of `other` to `one`.
#[inline]
#[target_feature(enable = "avx2")]
fn interpolate_pair(table: &Table, one: &mut [Unit], other: &mut [Unit]) {
    let factor = factor(table);
    for (one, other) in one.iter_mut().zip(other) {
        let first = load(one);
        let second = sum(load(other), first);
        store(other, second);
        store(one, sum(first, product(&factor, second)));
    }
}

/// As [`interpolate_pair`], from other memory.
#[inline]
#[target_feature(enable = "avx2")]
fn interpolate_from(
    table: &Table,
    from: [&[Unit]; 2],
    next: [&[Unit]; 2],
    one: &mut [Unit],
    other: &mut [Unit],
) {
    let factor = factor(table);
    let from = from[0].iter().zip(from[1]).zip(next[0].iter().zip(next[1]));
    for (((first, second), next), (one, other)) in from.zip(one.iter_mut().zip(other)) {
        expect(next.0);
        expect(next.1);
        let first = load(first);
        let second = sum(load(second), first);
        store(other, second);
        store(one, sum(first, product(&factor, second)));
    }
}

/// The reverse of [`interpolate_pair`].
#[inline]
#[target_feature(enable = "avx2")]
fn evaluate_pair(table: &Table, one: &mut [Unit], other: &mut [Unit]) {
    let factor = factor(table);
    for (one, other) in one.iter_mut().zip(other) {
        let second = load(other);
        let first = sum(load(one), product(&factor, second));
        store(one, first);
        store(other, sum(second, first));
    }
}

/// Four rows with the same distance from each other.
#[inline]
fn four(rows: &mut [Unit], width: usize, row: usize, distance: usize) -> [&mut [Unit]; 4] {
    let (first, rest) = rows[row * width..].split_at_mut(distance * width);
    let (second, rest) = rest.split_at_mut(distance * width);
    let (third, fourth) = rest.split_at_mut(distance * width);
    [first, second, third, fourth].map(|rows| &mut rows[..width])
}

#[target_feature(enable = "avx2")]
fn interpolate_by_two(tables: &[Table], rows: &mut [Unit], width: usize, there: usize, first: usize) {
    let (size, mut distance) = (rows.len() / width, 1);
    while 4 * distance <= size {
        // Behind these rows all are zero, and stay so.
        let there = there.next_multiple_of(4 * distance);
        interpolate_four(tables, &mut rows[..there * width], width, first, (0, 1), distance);
        distance *= 4;
    }
    if distance < size {
        let (one, other) = rows.split_at_mut(distance * width);
        interpolate_pair(&tables[first + distance - 1], one, other);
    }
}

#[target_feature(enable = "avx2")]
fn add_chunk_by_tiles(
    tables: &[Table],
    (data, from): (&[Unit], usize),
    width: usize,
    first: usize,
    rows: &mut [Unit],
    sum: &mut [Unit],
) {
    let size = rows.len() / width;
    let units = data.len() / size;
    let shard = |row: usize| &data[row * units + from..][..width];
    for (tile, rows) in rows.chunks_exact_mut(TILE * width).enumerate() {
        let start = first + tile * TILE;
        for row in (0..TILE).step_by(4) {
            let [near, far, behind] = [0, 1, 2].map(|number| &tables[start + row + number]);
            let [one, two, three, four] = four(rows, width, row, 1);
            let row = tile * TILE + row;
            let [now, next] =
                [row, (row + 4) % size].map(|row| [0, 1, 2, 3].map(|number| shard(row + number)));
            interpolate_from(near, [now[0], now[1]], [next[0], next[1]], one, two);
            interpolate_from(behind, [now[2], now[3]], [next[2], next[3]], three, four);
            interpolate_pair(far, one, three);
            interpolate_pair(far, two, four);
        }
        interpolate_four(tables, rows, width, start, (0, 1), 4);
    }
    for place in 0..TILE {
        for row in (place..size).step_by(TILE) {
            sum[row * width..][..width].iter().for_each(expect);
        }
        let mut distance = TILE;
        while 4 * distance <= size {
            interpolate_four(tables, rows, width, first, (place, TILE), distance);
            distance *= 4;
        }
        for row in (place..distance).step_by(TILE).filter(|_| distance < size) {
            let (one, other) = rows.split_at_mut(distance * width);
            let place = row * width..(row + 1) * width;
            interpolate_pair(&tables[first + distance - 1], &mut one[place.clone()], &mut other[place]);
        }
        for row in (place..size).step_by(TILE) {
            let place = row * width..(row + 1) * width;
            add(&mut sum[place.clone()], &rows[place]);
        }
    }
}

/// Two layers, for every so many rows: each fourth and the three at this distance behind it.
#[inline]
#[target_feature(enable = "avx2")]
fn interpolate_four(
    tables: &[Table],
    rows: &mut [Unit],
    width: usize,
    first: usize,
    (begin, step): (usize, usize),
    distance: usize,
) {
    for start in (0..rows.len() / width).step_by(4 * distance) {
        let place = first + start + distance - 1;
        let [near, far, behind] = [0, 1, 2].map(|number| &tables[place + number * distance]);
        for row in (start + begin..start + distance).step_by(step) {
            let [one, two, three, four] = four(rows, width, row, distance);
            interpolate_pair(near, one, two);
            interpolate_pair(behind, three, four);
            interpolate_pair(far, one, three);
            interpolate_pair(far, two, four);
        }
    }
}

/// Adds in the field.
#[inline]
#[target_feature(enable = "avx2")]
fn add(total: &mut [Unit], other: &[Unit]) {
    for (total, other) in total.iter_mut().zip(other) {
        let added = sum(load(total), load(other));
        store(total, added);
    }
}

#[target_feature(enable = "avx2")]
fn evaluate_by_two(tables: &[Table], rows: &mut [Unit], width: usize, wanted: usize) {
    let mut distance = rows.len() / width;
    while distance >= 4 {
        let step = distance;
        distance /= 4;
        for start in (0..wanted).step_by(step) {
            let place = start + distance - 1;
            let [near, far, behind] = [0, 1, 2].map(|number| &tables[place + number * distance]);
            for row in start..start + distance {
                let [one, two, three, four] = four(rows, width, row, distance);
                evaluate_pair(far, one, three);
                evaluate_pair(far, two, four);
                evaluate_pair(near, one, two);
                evaluate_pair(behind, three, four);
            }
        }
    }
    if distance == 2 {
        for start in (0..wanted).step_by(2) {
            let (one, other) = rows[start * width..].split_at_mut(width);
            evaluate_pair(&tables[start], one, &mut other[..width]);
        }
    }
}

#[target_feature(enable = "avx2")]
fn add_products(total: &mut [Unit], other: &[Unit], table: &Table) {
    let factor = factor(table);
    for (total, other) in total.iter_mut().zip(other) {
        let added = sum(load(total), product(&factor, load(other)));
        store(total, added);
    }
}
