//! Strange files: inputs that change, fail or lie about their length while they are read, and outputs on file systems
//! that lack calls or fail late.
//!
//! `filesystem.rs` is a file system that misbehaves as told, and `commands.rs` has the command lines. Each test here
//! has a table of faults, and tries each fault with many lines; `judge.rs` demands the same of all of them. To add a
//! fault, add a field to `Faults` and a row here. A run of the tests tries some lines with each fault; with
//! `PZCOMP_EXHAUSTIVE` in the environment it is all of them, about 35,000 runs. `--cargo-profile quick` makes them
//! shorter. The file system needs `/dev/fuse` and the right to mount; a test without them says so and passes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod commands;
mod filesystem;
#[path = "../common/harness.rs"]
#[allow(dead_code)] // Part of it is about folders of the system.
mod harness;
mod judge;
mod protocol;

use rustix::io::Errno;

use crate::commands::{reading, writing};
use crate::filesystem::{Faults, When};
use crate::judge::{Change, Fault, changing, fault, harmless, hidden, is_held_to_the_rule};

/// Faults of the source without a change of its bytes.
fn misread() -> Vec<Fault> {
    vec![
        harmless("short reads", |f| f.short_reads = Some(5000)),
        harmless("interrupted reads", |f| f.interrupted_reads = true),
        fault("EIO in the middle", |f| f.read = Some(Errno::IO)),
        fault("a time that never stays", |f| f.restless = true),
    ]
}

#[test]
fn repair_goes_on_after_reads_that_a_signal_interrupts() {
    let rows: Vec<_> = reading().into_iter().filter(|row| row.line.contains("--repair")).collect();
    is_held_to_the_rule(&[harmless("interrupted reads", |f| f.interrupted_reads = true)], &rows, 1);
}

/// Lengths that `stat` states, and that the source does not have. Who only reads it need not care.
fn misstated(row: fn(&str, fn(&mut Faults)) -> Fault) -> Vec<Fault> {
    vec![
        row("a stated length of 0", |f| f.stated = Some(|_| 0)),
        row("a stated length that is too small", |f| f.stated = Some(|len| len.saturating_sub(100_000))),
        row("a stated length that is too small by one", |f| f.stated = Some(|len| len.saturating_sub(1))),
        row("a stated length that is too large", |f| f.stated = Some(|len| len + 100_000)),
        row("a stated length of 9 TB", |f| f.stated = Some(|_| 9 << 40)),
    ]
}

#[test]
fn an_input_whose_reads_are_strange_is_compressed_whole_or_refused() {
    is_held_to_the_rule(&misread(), &writing(), 23);
}

#[test]
fn an_input_whose_reads_are_strange_is_decompressed_whole_or_refused() {
    is_held_to_the_rule(&misread(), &reading(), 31);
}

#[test]
fn an_input_of_another_length_than_is_stated_is_compressed_whole() {
    // A frame of zstd states the length before its data.
    let (zstd, rest): (Vec<_>, Vec<_>) =
        writing().into_iter().partition(|row| row.line.contains("--as zstd"));
    is_held_to_the_rule(&misstated(harmless), &rest, 23);
    is_held_to_the_rule(&misstated(fault), &zstd, 5);
}

#[test]
fn an_input_of_another_length_than_is_stated_is_decompressed_whole_or_refused() {
    is_held_to_the_rule(&misstated(fault), &reading(), 31);
}

/// The source becomes something else, in these ways too.
fn changed(more: &[Change]) -> Vec<Fault> {
    use Change::{Cut, Emptied, Grown, Removed, Replaced, Rewritten};
    let changes = [Grown, Cut, Emptied, Rewritten, Replaced, Removed];
    let moments = [When::Start, When::Third, When::End, When::Removal].into_iter();
    moments.flat_map(|when| changes.iter().chain(more).map(move |change| changing(when, *change))).collect()
}

#[test]
fn an_input_that_changes_is_compressed_as_it_was_read_or_refused() {
    is_held_to_the_rule(&changed(&[]), &writing(), 61);
}

#[test]
fn an_input_that_changes_is_decompressed_as_it_was_or_refused() {
    is_held_to_the_rule(&changed(&[Change::CutAtFrame]), &reading(), 127);
}

#[test]
fn repair_leaves_a_file_that_takes_the_name_meanwhile() {
    let rows: Vec<_> = reading().into_iter().filter(|row| row.line.contains("--repair")).collect();
    let faults = [When::Third, When::End, When::Removal].map(|when| changing(when, Change::Replaced));
    is_held_to_the_rule(&faults, &rows, 1);
}

#[test]
fn rm_keeps_an_input_that_changes_in_the_second_in_which_it_was_made() {
    let rows: Vec<_> = writing().into_iter().filter(|row| row.line.contains("--rm")).collect();
    let faults = [When::Third, When::End, When::Removal].map(|when| {
        let mut fault = changing(when, Change::Rewritten);
        fault.faults.whole_seconds = true;
        fault
    });
    is_held_to_the_rule(&faults, &rows, 23);
}

#[test]
fn a_change_whose_time_is_put_back_keeps_the_input_and_makes_no_records() {
    let minds =
        |line: &str| line.contains("--rm") && !line.contains("--repair") || line.contains("--protect -p");
    let rows = [writing(), reading()].concat().into_iter().filter(|row| minds(&row.line));
    let faults = [When::Third, When::End, When::Removal].map(hidden);
    is_held_to_the_rule(&faults, &rows.collect::<Vec<_>>(), 23);
}

/// Faults of outputs.
fn miswritten() -> Vec<Fault> {
    vec![
        fault("ENOSPC in the middle", |f| f.write = Some((50_000, Errno::NOSPC))),
        fault("EIO in the middle", |f| f.write = Some((50_000, Errno::IO))),
        fault("EDQUOT at the first byte", |f| f.write = Some((0, Errno::DQUOT))),
        harmless("short writes", |f| f.short_writes = Some(5000)),
        harmless("interrupted writes", |f| f.interrupted_writes = true),
        fault("EIO at the first sync", |f| f.sync = Some(Errno::IO)),
        fault("ENOSPC at the first sync", |f| f.sync = Some(Errno::NOSPC)),
        fault("EDQUOT at close", |f| f.close = Some(Errno::DQUOT)),
        fault("EIO at close", |f| f.close = Some(Errno::IO)),
        fault("EIO at the sync of a folder", |f| f.sync_folder = Some(Errno::IO)),
        harmless("EINVAL at the sync of a folder", |f| f.sync_folder = Some(Errno::INVAL)),
        fault("a source that cannot be removed", |f| f.unlink = Some(Errno::PERM)),
        fault("a done rename that fails", |f| f.done_but = Some(Errno::IO)),
    ]
}

/// File systems that lack calls.
fn without() -> Vec<Fault> {
    vec![
        harmless("no hard links", |f| f.link = Some(Errno::PERM)),
        harmless("no RENAME_NOREPLACE", |f| f.rename_new = Some(Errno::INVAL)),
        harmless("no hard links and no RENAME_NOREPLACE", |f| {
            (f.link, f.rename_new) = (Some(Errno::PERM), Some(Errno::INVAL));
        }),
        fault("no rename", |f| (f.rename, f.rename_new) = (Some(Errno::PERM), Some(Errno::PERM))),
        fault("no rename and no hard links", |f| {
            (f.rename, f.rename_new, f.link) =
                (Some(Errno::OPNOTSUPP), Some(Errno::OPNOTSUPP), Some(Errno::OPNOTSUPP));
        }),
        harmless("only appending writes", |f| f.only_appends = true),
        fault("no rename and only appending writes", |f| {
            (f.rename, f.rename_new, f.link) = (Some(Errno::PERM), Some(Errno::PERM), Some(Errno::PERM));
            (f.only_appends, f.truncate) = (true, Some(Errno::PERM));
        }),
        fault("no modes and times", |f| f.attributes = Some(Errno::PERM)),
        fault("no truncation", |f| f.truncate = Some(Errno::OPNOTSUPP)),
    ]
}

#[test]
fn an_output_that_fails_is_no_file_and_keeps_the_input() {
    is_held_to_the_rule(&miswritten(), &writing(), 37);
}

#[test]
fn a_decompressed_output_that_fails_is_no_file_and_keeps_the_input() {
    is_held_to_the_rule(&miswritten(), &reading(), 113);
}

#[test]
fn file_systems_that_lack_calls_take_compressed_files() {
    is_held_to_the_rule(&without(), &writing(), 37);
}

#[test]
fn file_systems_that_lack_calls_take_decompressed_files() {
    is_held_to_the_rule(&without(), &reading(), 79);
}
