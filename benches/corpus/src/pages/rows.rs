//! The rows of three tables in InnoDB's COMPACT format.
//!
//! The page calls [`RowSource::push_row`] for each row. It writes the record header of five bytes itself, because that
//! header has the distance to the next record.

use crate::random::{Random, Weighted};
use crate::text::{Words, push_name, push_number};

/// Makes the rows of a table, in the order of their key.
pub trait RowSource {
    /// Appends one row: to `prefix` the lengths of its variable columns (last column first) and
    /// its NULL bits, to `row` the columns.
    fn push_row(&mut self, random: &mut Random, prefix: &mut Vec<u8>, row: &mut Vec<u8>);
}

/// The hidden columns after the key: the last transaction and the address of its undo record.
struct Hidden {
    transaction: u64,
    undo: u64,
}

impl Hidden {
    fn new(transaction: u64) -> Self {
        Self { transaction, undo: 0x80_0000_0134_0110 }
    }

    fn push(&mut self, random: &mut Random, row: &mut Vec<u8>) {
        if random.below(400) == 0 {
            self.transaction += 1;
            self.undo = (self.undo & !0xffff) + 0x1_0110;
        }
        self.undo += 0x1e;
        row.extend_from_slice(&self.transaction.to_be_bytes()[2..]);
        row.extend_from_slice(&self.undo.to_be_bytes()[1..]);
    }
}

/// Appends a signed integer: big-endian with the sign bit inverted, so that integers sort as bytes.
fn push_int(row: &mut Vec<u8>, value: u32) {
    row.extend_from_slice(&(value ^ 0x8000_0000).to_be_bytes());
}

fn push_bigint(row: &mut Vec<u8>, value: u64) {
    row.extend_from_slice(&(value ^ (1 << 63)).to_be_bytes());
}

/// The OpenStreetMap nodes of the text corpus: numbers with much noise.
pub struct Nodes {
    users: Vec<Vec<u8>>,
    activity: Weighted,
    hidden: Hidden,
    id: u64,
    left_in_changeset: u64,
    user: usize,
    changeset: u32,
    seconds: u64,
    lat: i64,
    lon: i64,
}

impl Nodes {
    pub fn new(random: &mut Random) -> Self {
        const USERS: usize = 3000;
        let users = (0..USERS)
            .map(|_| {
                let mut name = Vec::new();
                push_name(&mut name, random, 3, 14);
                name
            })
            .collect();
        Self {
            users,
            activity: Weighted::zipf(USERS),
            hidden: Hidden::new(0x2f31),
            id: 171_773,
            left_in_changeset: 0,
            user: 0,
            changeset: 0,
            seconds: 0,
            lat: 400_000_000,
            lon: -30_000_000,
        }
    }
}

impl RowSource for Nodes {
    fn push_row(&mut self, random: &mut Random, prefix: &mut Vec<u8>, row: &mut Vec<u8>) {
        if self.left_in_changeset == 0 {
            self.left_in_changeset = random.between(1, 80);
            self.user = self.activity.draw(random);
            self.changeset = random.between(1000, 24_000_000) as u32;
            self.seconds = 1_167_609_600 + random.below(236_000_000);
            self.lat = 400_000_000 + random.normal(15_000_000);
            self.lon = -30_000_000 + random.normal(30_000_000);
        }
        self.left_in_changeset -= 1;
        self.id += random.one_of(&[1, 1, 1, 1, 2, 3, 7, 41]);
        self.seconds += random.one_of(&[0, 0, 0, 0, 1, 2]);
        self.lat += random.normal(6000);
        self.lon += random.normal(6000);
        let user = &self.users[self.user];
        prefix.push(user.len() as u8);
        push_bigint(row, self.id);
        self.hidden.push(random, row);
        for degree in [self.lat, self.lon] {
            // DOUBLE has the byte order of the processor. Its last bits look random.
            row.extend_from_slice(&(degree as f64 / 1e7).to_le_bytes());
        }
        push_int(row, random.one_of(&[1, 1, 1, 2, 2, 3, 4, 5, 6]));
        row.extend_from_slice(&(self.seconds as u32).to_be_bytes());
        push_int(row, self.changeset);
        push_int(row, 1000 + self.user as u32 * 617);
        row.extend_from_slice(user);
    }
}

/// TPC-H's `lineitem`: keys, prices, dates, short words and a comment.
pub struct LineItems {
    words: Words,
    hidden: Hidden,
    order: u32,
    line: u32,
    date: u32,
}

impl LineItems {
    pub fn new(random: &mut Random) -> Self {
        Self { words: Words::new(random, 6000), hidden: Hidden::new(0x2f52), order: 1, line: 0, date: 0 }
    }
}

impl RowSource for LineItems {
    fn push_row(&mut self, random: &mut Random, prefix: &mut Vec<u8>, row: &mut Vec<u8>) {
        const INSTRUCTIONS: [&str; 4] = ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"];
        const MODES: [&str; 7] = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"];
        if self.line == 0 || random.percent(25) {
            self.order += random.one_of(&[1, 1, 1, 25]);
            self.line = 0;
            self.date = random.below(2406) as u32;
        }
        self.line += 1;
        push_int(row, self.order);
        push_int(row, self.line);
        self.hidden.push(random, row);
        push_int(row, random.below(200_000) as u32);
        push_int(row, random.below(10_000) as u32);
        for bound in [50, 100_000, 11, 9] {
            // DECIMAL(15,2): the sign bit, the whole part, the hundredths.
            row.extend_from_slice(&[0x80, 0, 0]);
            row.extend_from_slice(&(random.below(bound) as u32).to_be_bytes()[..]);
            row.push(if bound > 50 { random.below(100) as u8 } else { 0 });
        }
        row.push(random.one_of(b"NNAR"));
        row.push(random.one_of(b"OF"));
        for _ in 0..3 {
            let date = 0x008f_9021 + self.date + random.below(90) as u32;
            row.extend_from_slice(&date.to_be_bytes()[1..]);
        }
        let instruction = random.one_of(&INSTRUCTIONS).as_bytes();
        let mode = random.one_of(&MODES).as_bytes();
        row.extend_from_slice(instruction);
        row.extend_from_slice(mode);
        let comment = row.len();
        let count = random.between(2, 8);
        self.words.push(row, random, count);
        let comment_len = (row.len() - comment) as u8;
        prefix.extend([comment_len, mode.len() as u8, instruction.len() as u8, 0]);
    }
}

/// Customers. They were inserted in no order, so their pages have been split.
pub struct Customers {
    words: Words,
    hidden: Hidden,
    id: u64,
}

impl Customers {
    pub fn new(random: &mut Random) -> Self {
        Self { words: Words::new(random, 8000), hidden: Hidden::new(0x2f77), id: 0 }
    }
}

impl RowSource for Customers {
    fn push_row(&mut self, random: &mut Random, prefix: &mut Vec<u8>, row: &mut Vec<u8>) {
        self.id += 1;
        push_bigint(row, self.id);
        self.hidden.push(random, row);
        let mut lens = Vec::new();
        let mut start = row.len();
        push_name(row, random, 6, 16);
        lens.push((row.len() - start) as u8);
        start = row.len();
        row.extend_from_slice(b"+34 ");
        push_number(row, random.between(600_000_000, 800_000_000));
        lens.push((row.len() - start) as u8);
        start = row.len();
        let count = random.between(2, 10);
        self.words.push(row, random, count);
        lens.push((row.len() - start) as u8);
        row.extend_from_slice(&(random.below(1_000_000) as u32).to_be_bytes());
        // BINARY(16): half a password hash.
        row.extend_from_slice(&random.next().to_be_bytes());
        row.extend_from_slice(&random.next().to_be_bytes());
        prefix.extend(lens.iter().rev());
        prefix.push(0);
    }
}
