//! The same results for programs: one record a row, after RFC 4180.

use crate::outcome::{Outcome, Side, Verdict};
use crate::report::{Line, command_of};

/// What a record holds, in this order.
const FIELDS: [&str; 23] = [
    "data",
    "plain_bytes",
    "work",
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

/// The names of the fields, as the first record.
pub fn heading() -> String {
    record(&FIELDS.map(str::to_owned))
}

/// One row's record; what was not measured is empty.
pub fn line(line: &Line) -> String {
    let outcome = line.result.as_ref().ok();
    let ours = outcome.map(|outcome| &outcome.ours);
    let peer = outcome.and_then(|outcome| outcome.peer.as_ref());
    let speed = outcome.and_then(Outcome::speed);
    let cores = outcome.and_then(Outcome::cores);
    record(&[
        line.data.to_owned(),
        line.plain_len.to_string(),
        line.row.work.to_owned(),
        line.row.shape.to_string(),
        command_of(line.row.ours),
        line.row.peer.map_or_else(String::new, command_of),
        line.row.goal.to_string(),
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
        Verdict::of(line.row.goal, line.result).to_string(),
        ours.map_or_else(String::new, walls),
        peer.map_or_else(String::new, walls),
    ])
}

fn number(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:.4}"))
}

fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, |bytes| bytes.to_string())
}

/// Every round's wall seconds, for whoever wants another statistic.
fn walls(side: &Side) -> String {
    let walls = side.rounds.iter().map(|usage| usage.wall.as_secs_f64());
    let walls: Vec<_> = walls.map(|seconds| format!("{seconds:.4}")).collect();
    walls.join(" ")
}

/// As long as the list of names, so that no field can lack one.
fn record(fields: &[String; FIELDS.len()]) -> String {
    let fields: Vec<_> = fields.iter().map(|field| quoted(field)).collect();
    fields.join(",") + "\n"
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_survive_commas_and_quotes() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("speed, size"), "\"speed, size\"");
        assert_eq!(quoted("he said \"no\""), "\"he said \"\"no\"\"\"");
    }
}
