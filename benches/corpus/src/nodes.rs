//! Synthetic OpenStreetMap nodes as TSV: id, lat, lon, version, timestamp, changeset, uid, user.
//!
//! The model is nodes.csv of published backup benchmarks. A changeset is a run of nodes that are near each other, of
//! one user, within minutes. Compressors find the repetition in these runs.

use crate::Source;
use crate::random::{Random, Weighted};
use crate::text::{START_OF_2007, push_time};
use crate::text::{push_fixed, push_name, push_number, push_padded};

const USERS: usize = 3000;
/// A degree, in units of the seventh decimal place, which is the last in OpenStreetMap.
const DEGREE: i64 = 10_000_000;
/// The distance between two neighbouring nodes: 0.0006 degrees.
const NEIGHBOUR: i64 = 6_000;
const SEVEN_AND_A_HALF_YEARS: u64 = 7 * 365 * 86_400 + 365 * 43_200;

struct User {
    /// `uid TAB name NEWLINE`, the end of every row of this user.
    row_end: Vec<u8>,
}

pub struct Nodes {
    random: Random,
    users: Vec<User>,
    activity: Weighted,
    run_len: Weighted,
    node: u64,
    lat: i64,
    lon: i64,
}

impl Nodes {
    pub fn new(mut random: Random) -> Self {
        let users = (0..USERS).map(|_| User::new(&mut random)).collect();
        Self {
            random,
            users,
            activity: Weighted::zipf(USERS),
            run_len: Weighted::geometric(40.0, 2000),
            node: 171_773,
            lat: 40 * DEGREE,
            lon: -3 * DEGREE,
        }
    }
}

impl User {
    fn new(random: &mut Random) -> Self {
        let mut row_end = Vec::new();
        push_number(&mut row_end, random.between(1000, 2_000_000));
        row_end.push(b'\t');
        push_name(&mut row_end, random, 3, 14);
        row_end.push(b'\n');
        Self { row_end }
    }
}

impl Source for Nodes {
    /// One changeset.
    fn append(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        let user = &self.users[self.activity.draw(random)];
        let count = self.run_len.draw(random) + 1;
        let mut row_end = vec![b'\t'];
        push_number(&mut row_end, random.between(1000, 24_000_000));
        row_end.push(b'\t');
        row_end.extend_from_slice(&user.row_end);
        let mut seconds = START_OF_2007 + random.below(SEVEN_AND_A_HALF_YEARS);
        self.lat = (self.lat + random.normal(DEGREE / 2)).clamp(36 * DEGREE, 438 * DEGREE / 10);
        self.lon = (self.lon + random.normal(DEGREE / 2)).clamp(-93 * DEGREE / 10, 43 * DEGREE / 10);
        let (mut lat, mut lon) = (self.lat, self.lon);
        let mut time = Vec::new();
        for _ in 0..count {
            self.node += random.one_of(&[1, 1, 1, 1, 2, 3, 7, 41]);
            lat += random.normal(NEIGHBOUR);
            lon += random.normal(NEIGHBOUR);
            let elapsed = random.one_of(&[0, 0, 0, 0, 1, 2]);
            if elapsed > 0 || time.is_empty() {
                seconds += elapsed;
                time.clear();
                push_time(&mut time, seconds);
            }
            push_number(out, self.node);
            out.push(b'\t');
            push_fixed(out, lat, 7);
            out.push(b'\t');
            push_fixed(out, lon, 7);
            out.push(b'\t');
            push_padded(out, random.one_of(&[1, 1, 1, 2, 2, 3, 4, 5, 6]), 1);
            out.push(b'\t');
            out.extend_from_slice(&time);
            out.extend_from_slice(&row_end);
        }
    }
}
