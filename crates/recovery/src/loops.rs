//! The loops of the transforms, which are the same for all [`Processor`]s that have vectors of 32 bytes. `field.rs`
//! calls them with a [`Job`]. `avx2.rs` and `gfni.rs` have the processors.
//!
//! Everything here is inlined into the function of a processor that may use its instructions ([`Processor::run`]). So
//! nothing here is `unsafe`, and no call is left in a loop.

use crate::field::Unit;
use crate::table::Products;

/// Instructions that not every processor has. A value exists only where they do.
pub(crate) trait Processor: Copy {
    /// How to multiply by a factor.
    type Table: From<Products> + 'static;
    /// A table in registers.
    type Factor: Copy;
    /// The 32 numbers of a unit in registers.
    type Numbers: Copy;

    /// Those of the factors of the transforms ([`of_places`](crate::table::of_places)).
    fn tables(self) -> &'static [Self::Table];

    /// Does the work.
    fn run(self, job: Job<Self::Table>);

    fn factor(self, table: &Self::Table) -> Self::Factor;
    fn load(self, unit: &Unit) -> Self::Numbers;
    fn store(self, unit: &mut Unit, numbers: Self::Numbers);
    fn sum(self, one: Self::Numbers, other: Self::Numbers) -> Self::Numbers;
    /// The sum of `one` and the product of the factor and the other.
    fn sum_of_product(self, one: Self::Numbers, factor: Self::Factor, other: Self::Numbers) -> Self::Numbers;
    /// Has the processor fetch the unit, which is needed soon.
    fn expect(self, unit: &Unit);
}

/// Work for a processor. `tables` are those of all factors of the transforms.
pub(crate) enum Job<'a, T> {
    /// As [`Field::interpolate`](crate::field::Field::interpolate).
    Interpolate {
        tables: &'a [T],
        rows: &'a mut [Unit],
        width: usize,
        there: usize,
        first: usize,
    },
    /// Interpolates the rows of a whole chunk, and adds the polynomial to the sum. `data` has the shards, of which the
    /// rows are the units from `from` on. There are at least [`TILE`] rows; `rows` is memory for them.
    AddChunk {
        tables: &'a [T],
        data: &'a [Unit],
        from: usize,
        width: usize,
        first: usize,
        rows: &'a mut [Unit],
        sum: &'a mut [Unit],
    },
    /// As [`Field::evaluate`](crate::field::Field::evaluate).
    Evaluate {
        tables: &'a [T],
        rows: &'a mut [Unit],
        width: usize,
        wanted: usize,
    },
    AddProduct {
        sum: &'a mut [Unit],
        other: &'a [Unit],
        table: &'a T,
    },
}

/// So many rows are worked on at a time. They fit into the first cache of a core.
pub(crate) const TILE: usize = 16;

impl<T> Job<'_, T> {
    #[inline(always)]
    pub(crate) fn run(self, processor: impl Processor<Table = T>) {
        match self {
            Job::Interpolate { tables, rows, width, there, first } => {
                interpolate(processor, tables, rows, width, there, first);
            }
            Job::AddChunk { tables, data, from, width, first, rows, sum } => {
                add_chunk(processor, tables, (data, from), width, first, rows, sum);
            }
            Job::Evaluate { tables, rows, width, wanted } => evaluate(processor, tables, rows, width, wanted),
            Job::AddProduct { sum, other, table } => add_product(processor, sum, other, table),
        }
    }
}

/// Adds `one` to `other`, and then the product of `other` to `one`.
#[inline(always)]
fn interpolated<P: Processor>(
    p: P,
    factor: P::Factor,
    one: P::Numbers,
    other: P::Numbers,
) -> [P::Numbers; 2] {
    let other = p.sum(other, one);
    [p.sum_of_product(one, factor, other), other]
}

/// The reverse of [`interpolated`].
#[inline(always)]
fn evaluated<P: Processor>(p: P, factor: P::Factor, one: P::Numbers, other: P::Numbers) -> [P::Numbers; 2] {
    let one = p.sum_of_product(one, factor, other);
    [one, p.sum(other, one)]
}

/// The factors of two layers: near for the rows 0 and 1, behind for 2 and 3, and far for 0 and 2 and for 1 and 3.
struct Factors<F> {
    near: F,
    far: F,
    behind: F,
}

impl<F: Copy> Factors<F> {
    #[inline(always)]
    fn of<P: Processor<Factor = F>>(p: P, tables: &[P::Table], place: usize, distance: usize) -> Self {
        Self {
            near: p.factor(&tables[place]),
            far: p.factor(&tables[place + distance]),
            behind: p.factor(&tables[place + 2 * distance]),
        }
    }

    #[inline(always)]
    fn interpolated<P: Processor<Factor = F>>(&self, p: P, [a, b, c, d]: [P::Numbers; 4]) -> [P::Numbers; 4] {
        let ([a, b], [c, d]) = (interpolated(p, self.near, a, b), interpolated(p, self.behind, c, d));
        let ([a, c], [b, d]) = (interpolated(p, self.far, a, c), interpolated(p, self.far, b, d));
        [a, b, c, d]
    }

    #[inline(always)]
    fn evaluated<P: Processor<Factor = F>>(&self, p: P, [a, b, c, d]: [P::Numbers; 4]) -> [P::Numbers; 4] {
        let ([a, c], [b, d]) = (evaluated(p, self.far, a, c), evaluated(p, self.far, b, d));
        let ([a, b], [c, d]) = (evaluated(p, self.near, a, b), evaluated(p, self.behind, c, d));
        [a, b, c, d]
    }
}

/// Four rows with the same distance from each other.
#[inline(always)]
fn four(rows: &mut [Unit], width: usize, row: usize, distance: usize) -> [&mut [Unit]; 4] {
    let (first, rest) = rows[row * width..].split_at_mut(distance * width);
    let (second, rest) = rest.split_at_mut(distance * width);
    let (third, fourth) = rest.split_at_mut(distance * width);
    [&mut first[..width], &mut second[..width], &mut third[..width], &mut fourth[..width]]
}

#[inline(always)]
fn load_four<P: Processor>(p: P, units: [&Unit; 4]) -> [P::Numbers; 4] {
    [p.load(units[0]), p.load(units[1]), p.load(units[2]), p.load(units[3])]
}

#[inline(always)]
fn store_four<P: Processor>(p: P, units: [&mut Unit; 4], numbers: [P::Numbers; 4]) {
    let [one, two, three, four] = units;
    p.store(one, numbers[0]);
    p.store(two, numbers[1]);
    p.store(three, numbers[2]);
    p.store(four, numbers[3]);
}

/// Two layers of four rows.
#[inline(always)]
fn interpolate_four<P: Processor>(p: P, factors: &Factors<P::Factor>, rows: [&mut [Unit]; 4]) {
    let [one, two, three, four] = rows;
    for (((one, two), three), four) in one.iter_mut().zip(two).zip(three).zip(four) {
        let numbers = load_four(p, [one, two, three, four]);
        store_four(p, [one, two, three, four], factors.interpolated(p, numbers));
    }
}

/// As [`interpolate_four`], from the units of four shards. Those of the next four are needed soon.
#[inline(always)]
fn interpolate_from<P: Processor>(
    p: P,
    factors: &Factors<P::Factor>,
    [now, next]: [[&[Unit]; 4]; 2],
    rows: [&mut [Unit]; 4],
) {
    let [one, two, three, four] = rows;
    for (column, (((one, two), three), four)) in one.iter_mut().zip(two).zip(three).zip(four).enumerate() {
        for shard in next {
            p.expect(&shard[column]);
        }
        let units = [&now[0][column], &now[1][column], &now[2][column], &now[3][column]];
        let numbers = load_four(p, units);
        store_four(p, [one, two, three, four], factors.interpolated(p, numbers));
    }
}

/// One layer of two rows, or of two halves of all rows.
#[inline(always)]
fn interpolate_two<P: Processor>(p: P, table: &P::Table, one: &mut [Unit], other: &mut [Unit]) {
    let factor = p.factor(table);
    for (one, other) in one.iter_mut().zip(other) {
        let numbers = interpolated(p, factor, p.load(one), p.load(other));
        p.store(one, numbers[0]);
        p.store(other, numbers[1]);
    }
}

/// Two layers: of each so many rows from `begin` on, and of the three at this distance behind each.
#[inline(always)]
fn interpolate_layers<P: Processor>(
    p: P,
    tables: &[P::Table],
    rows: &mut [Unit],
    width: usize,
    first: usize,
    (begin, step): (usize, usize),
    distance: usize,
) {
    for start in (0..rows.len() / width).step_by(4 * distance) {
        let factors = Factors::of(p, tables, first + start + distance - 1, distance);
        for row in (start + begin..start + distance).step_by(step) {
            interpolate_four(p, &factors, four(rows, width, row, distance));
        }
    }
}

#[inline(always)]
fn interpolate<P: Processor>(
    p: P,
    tables: &[P::Table],
    rows: &mut [Unit],
    width: usize,
    there: usize,
    first: usize,
) {
    let (size, mut distance) = (rows.len() / width, 1);
    while 4 * distance <= size {
        // Behind these rows all are zero, and stay so.
        let there = there.next_multiple_of(4 * distance);
        interpolate_layers(p, tables, &mut rows[..there * width], width, first, (0, 1), distance);
        distance *= 4;
    }
    if distance < size {
        let (one, other) = rows.split_at_mut(distance * width);
        interpolate_two(p, &tables[first + distance - 1], one, other);
    }
}

#[inline(always)]
fn add_chunk<P: Processor>(
    p: P,
    tables: &[P::Table],
    (data, from): (&[Unit], usize),
    width: usize,
    first: usize,
    rows: &mut [Unit],
    sum: &mut [Unit],
) {
    let size = rows.len() / width;
    let units = data.len() / size;
    let shard = |row: usize| &data[row * units + from..][..width];
    let shards = |row: usize| [shard(row), shard(row + 1), shard(row + 2), shard(row + 3)];
    for (tile, rows) in rows.chunks_exact_mut(TILE * width).enumerate() {
        let start = first + tile * TILE;
        for row in (0..TILE).step_by(4) {
            let factors = Factors::of(p, tables, start + row, 1);
            let place = tile * TILE + row;
            let near = [shards(place), shards((place + 4) % size)];
            interpolate_from(p, &factors, near, four(rows, width, row, 1));
        }
        interpolate_layers(p, tables, rows, width, start, (0, 1), 4);
    }
    for place in 0..TILE {
        for row in (place..size).step_by(TILE) {
            for unit in &sum[row * width..][..width] {
                p.expect(unit);
            }
        }
        let mut distance = TILE;
        while 4 * distance <= size {
            interpolate_layers(p, tables, rows, width, first, (place, TILE), distance);
            distance *= 4;
        }
        for row in (place..distance).step_by(TILE).filter(|_| distance < size) {
            let (one, other) = rows.split_at_mut(distance * width);
            let place = row * width..(row + 1) * width;
            interpolate_two(p, &tables[first + distance - 1], &mut one[place.clone()], &mut other[place]);
        }
        for row in (place..size).step_by(TILE) {
            let place = row * width..(row + 1) * width;
            add(p, &mut sum[place.clone()], &rows[place]);
        }
    }
}

/// Adds in the field.
#[inline(always)]
fn add<P: Processor>(p: P, total: &mut [Unit], other: &[Unit]) {
    for (total, other) in total.iter_mut().zip(other) {
        let added = p.sum(p.load(total), p.load(other));
        p.store(total, added);
    }
}

#[inline(always)]
fn evaluate<P: Processor>(p: P, tables: &[P::Table], rows: &mut [Unit], width: usize, wanted: usize) {
    let mut distance = rows.len() / width;
    while distance >= 4 {
        let step = distance;
        distance /= 4;
        for start in (0..wanted).step_by(step) {
            let factors = Factors::of(p, tables, start + distance - 1, distance);
            for row in start..start + distance {
                let [one, two, three, four] = four(rows, width, row, distance);
                for (((one, two), three), four) in one.iter_mut().zip(two).zip(three).zip(four) {
                    let numbers = load_four(p, [one, two, three, four]);
                    store_four(p, [one, two, three, four], factors.evaluated(p, numbers));
                }
            }
        }
    }
    if distance == 2 {
        for start in (0..wanted).step_by(2) {
            let factor = p.factor(&tables[start]);
            let (one, other) = rows[start * width..].split_at_mut(width);
            for (one, other) in one.iter_mut().zip(&mut other[..width]) {
                let numbers = evaluated(p, factor, p.load(one), p.load(other));
                p.store(one, numbers[0]);
                p.store(other, numbers[1]);
            }
        }
    }
}

#[inline(always)]
fn add_product<P: Processor>(p: P, total: &mut [Unit], other: &[Unit], table: &P::Table) {
    let factor = p.factor(table);
    for (total, other) in total.iter_mut().zip(other) {
        let added = p.sum_of_product(p.load(total), factor, p.load(other));
        p.store(total, added);
    }
}
