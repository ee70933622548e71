//! The results as CSV: a record for each row.
//!
//! The report adds each [`Finding`] and writes the bytes to compare.csv. A field without a measurement is empty.

use csv::Writer;

use crate::finding::Finding;
use crate::outcome::{Outcome, Side};
use crate::row::{Direction, Party};

/// The fields of a record, in this order.
const FIELDS: [&str; 24] = [
    "data",
    "plain_bytes",
    "work",
    "direction",
    "shape",
    "ours",
    "peer",
    "needed",
    "speed_median",
    "speed_min",
    "speed_max",
    "size_ratio",
    "ours_coded_bytes",
    "peer_coded_bytes",
    "ours_wall_s",
    "peer_wall_s",
    "ours_cpu_s",
    "peer_cpu_s",
    "ours_peak_bytes",
    "peer_peak_bytes",
    "cores_at_saturation",
    "verdict",
    "ours_walls_s",
    "peer_walls_s",
];

/// The records so far. The first record has the names of the fields.
pub struct Records(Writer<Vec<u8>>);

impl Records {
    pub fn new() -> Result<Self, String> {
        let mut records = Self(Writer::from_writer(Vec::new()));
        records.write(FIELDS.map(str::to_owned))?;
        Ok(records)
    }

    /// Adds the record of a row.
    pub fn add(&mut self, finding: &Finding) -> Result<(), String> {
        let (row, outcome) = (&finding.row, finding.outcome());
        let ours = outcome.map(|outcome| &outcome.ours);
        let peer = outcome.and_then(|outcome| outcome.peer.as_ref());
        let speed = outcome.and_then(Outcome::speed);
        let cores = outcome.and_then(Outcome::cores);
        let direction = match row.direction() {
            Direction::Coding => "compress",
            Direction::Decoding => "decompress",
        };
        self.write([
            finding.data.clone(),
            finding.plain_len.to_string(),
            row.work.clone(),
            direction.to_owned(),
            row.shape.to_string(),
            row.ours.to_string(),
            row.peer.as_ref().map_or_else(String::new, Party::to_string),
            row.goal.to_string(),
            number(speed.map(|speed| speed.median)),
            number(speed.map(|speed| speed.min)),
            number(speed.map(|speed| speed.max)),
            number(outcome.and_then(Outcome::size)),
            bytes(ours.map(|side| side.coded_len)),
            bytes(peer.map(|side| side.coded_len)),
            number(ours.map(Side::wall_seconds)),
            number(peer.map(Side::wall_seconds)),
            number(ours.map(Side::cpu_seconds)),
            number(peer.map(Side::cpu_seconds)),
            bytes(ours.map(Side::peak_bytes)),
            bytes(peer.map(Side::peak_bytes)),
            number(cores.map(|cores| cores.median)),
            finding.verdict().to_string(),
            ours.map_or_else(String::new, walls),
            peer.map_or_else(String::new, walls),
        ])
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.get_ref()
    }

    /// Writes a record. Its length is that of the list of names, so that every field has a name.
    fn write(&mut self, fields: [String; FIELDS.len()]) -> Result<(), String> {
        let written = self.0.write_record(fields).and_then(|()| Ok(self.0.flush()?));
        written.map_err(|error| format!("Cannot write a record: {error}."))
    }
}

fn number(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:.4}"))
}

fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, |bytes| bytes.to_string())
}

/// The wall seconds of every round, for other statistics.
fn walls(side: &Side) -> String {
    let walls = side.rounds.iter().map(|usage| usage.wall.as_secs_f64());
    let walls: Vec<_> = walls.map(|seconds| format!("{seconds:.4}")).collect();
    walls.join(" ")
}
