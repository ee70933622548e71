//! Parity as docs/recovery-format.md describes it, computed by a plain implementation of the description.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

use reed_solomon_simd::encode;

const BASIS: [u16; 16] = [
    0x0001, 0xacca, 0x3c0e, 0x163e, 0xc582, 0xed2e, 0x914c, 0x4012, 0x6c98, 0x10d8, 0x6a72, 0xb900, 0xfdb8,
    0xfb34, 0xff38, 0x991e,
];

/// The element whose number is this: the exclusive or of the basis elements of its bits.
fn element(number: u16) -> u16 {
    (0..16).filter(|bit| number >> bit & 1 == 1).fold(0, |sum, bit| sum ^ BASIS[bit])
}

/// A product of elements, modulo the polynomial 0x1002D.
fn product(one: u16, other: u16) -> u16 {
    let mut wide =
        (0..16).filter(|bit| other >> bit & 1 == 1).fold(0_u32, |sum, bit| sum ^ u32::from(one) << bit);
    for bit in (16..32).rev() {
        if wide >> bit & 1 == 1 {
            wide ^= 0x1002D << (bit - 16);
        }
    }
    wide as u16
}

fn inverse(one: u16) -> u16 {
    // The power 2^16 - 2.
    let (mut result, mut power) = (1, one);
    for _ in 0..15 {
        power = product(power, power);
        result = product(result, power);
    }
    result
}

/// The value at the index `at` of the polynomial of least degree with these values at these indexes.
fn interpolated(values: &[(u16, u16)], at: u16) -> u16 {
    values.iter().fold(0, |sum, &(index, value)| {
        let others = values.iter().filter(|&&(other, _)| other != index);
        let weight = others.fold(1, |weight, &(other, _)| {
            let [x, own, other] = [at, index, other].map(element);
            product(weight, product(x ^ other, inverse(own ^ other)))
        });
        sum ^ product(weight, value)
    })
}

#[test]
fn parity_is_that_of_the_description() {
    let numbers: Vec<u16> = (0..=u16::MAX).map(element).collect();
    let number_of = |element: u16| numbers.iter().position(|&other| other == element).unwrap() as u16;
    for (n, p) in [(1, 1), (2, 1), (5, 2), (7, 3), (4, 3), (4, 4), (8, 5), (13, 1)] {
        let shards: Vec<Vec<u8>> =
            (0..n).map(|shard| (0..64).map(|byte| (shard * 77 + byte * 29 + 5) as u8).collect()).collect();
        let parity = encode(n, p, &shards).unwrap();
        let (n2, p2) = (n.next_power_of_two(), p.next_power_of_two());
        let is_high = n2 > p2 || n2 == p2 && n <= p;
        for place in [0, 31] {
            let value = |shard: &[u8]| element(u16::from_le_bytes([shard[place], shard[32 + place]]));
            let at = |number: usize| shards.get(number).map_or(0, |shard| value(shard));
            for (number, shard) in parity.iter().enumerate() {
                let expected = match is_high {
                    true => (0..n.div_ceil(p2)).fold(0, |sum, chunk| {
                        let points: Vec<_> = (0..p2)
                            .map(|place| (((chunk + 1) * p2 + place) as u16, at(chunk * p2 + place)))
                            .collect();
                        sum ^ interpolated(&points, number as u16)
                    }),
                    false => {
                        let points: Vec<_> = (0..n2).map(|place| (place as u16, at(place))).collect();
                        interpolated(&points, (n2 + number) as u16)
                    }
                };
                let found = u16::from_le_bytes([shard[place], shard[32 + place]]);
                assert_eq!(found, number_of(expected), "{n} and {p}, parity {number}");
            }
        }
    }
}
