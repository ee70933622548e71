//! The arithmetic of the model, on loads with round numbers. No test needs a clock.
//!
//! Each test changes one cost, and expects the limit and the speed that follow from the table in docs/scaling.md.

use std::time::Duration;

use model::load::{Curve, Limit, Load, Machine, SerialStep, Shape, traffic};
use pzcomp::CpuTimes;
use pzcomp::bench::Direction;

/// 1 ns of reader, 10 of workers, 2 of the writer for a byte.
const LOAD: Load =
    Load { reader: 1e-9, workers: 10e-9, writer: 2e-9, traffic: 4.0, job_len: 1e6, serial: 0.0 };
const BOUNDLESS: Machine = Machine { bandwidth: f64::INFINITY, jobs: f64::INFINITY };

fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} for {expected}");
}

fn expect(cores: usize, workers: usize, machine: &Machine, speed: f64, limit: Limit) {
    let forecast = LOAD.on(cores, workers, machine);
    assert_near(forecast.speed, speed);
    assert_eq!(forecast.limit, limit);
}

#[test]
fn reader_and_writer_share_the_cores_with_the_workers_until_one_of_them_is_busy() {
    expect(1, 1, &BOUNDLESS, 1e9 / 13.0, Limit::Cores);
    expect(2, 2, &BOUNDLESS, 2e9 / 13.0, Limit::Cores);
    expect(2, 1, &BOUNDLESS, 1e9 / 10.0, Limit::Workers);
    expect(6, 6, &BOUNDLESS, 6e9 / 13.0, Limit::Cores);
    expect(7, 7, &BOUNDLESS, 1e9 / 2.0, Limit::Writer);
    expect(128, 128, &BOUNDLESS, 1e9 / 2.0, Limit::Writer);
    let (cores, limit) = LOAD.saturation(&BOUNDLESS);
    assert_near(cores, 6.5);
    assert_eq!(limit, Limit::Writer);
}

#[test]
fn memory_and_the_line_are_limits_too() {
    let machine = Machine { bandwidth: 1e9, ..BOUNDLESS };
    expect(128, 128, &machine, 0.25e9, Limit::Memory);
    assert_near(LOAD.saturation(&machine).0, 0.25 * 13.0);
    let machine = Machine { jobs: 100.0, ..BOUNDLESS };
    expect(128, 128, &machine, 0.1e9, Limit::Line);
}

#[test]
fn what_jobs_do_one_after_another_is_a_limit_where_there_is_any() {
    let load = Load { serial: 4e-9, ..LOAD };
    assert_eq!(load.on(2, 2, &BOUNDLESS).limit, Limit::Cores);
    let forecast = load.on(4, 4, &BOUNDLESS);
    assert_near(forecast.speed, 0.25e9);
    assert_eq!(forecast.limit, Limit::Windows);
}

#[test]
fn workers_that_read_and_write_themselves_have_no_serial_limit() {
    let load = Load { reader: 0.0, writer: 0.0, ..LOAD };
    assert_near(load.on(128, 128, &BOUNDLESS).speed, 12.8e9);
    assert_eq!(load.saturation(&BOUNDLESS), (f64::INFINITY, Limit::Cores));
}

#[test]
fn every_copy_is_traffic() {
    assert_near(traffic(Direction::Compress, Shape::Pipe, 0.5), 4.5);
    assert_near(traffic(Direction::Compress, Shape::File, 0.5), 4.5);
    assert_near(traffic(Direction::Decompress, Shape::Pipe, 0.5), 5.5);
    assert_near(traffic(Direction::Decompress, Shape::File, 0.5), 4.5);
}

#[test]
fn a_load_is_what_was_measured_by_byte() {
    let second = Duration::from_secs;
    let mut cpu = CpuTimes::default();
    (cpu.reader, cpu.workers, cpu.writer) = (second(1), second(10), second(2));
    let load = Load::new(&cpu, 1_000_000_000, 1000, 4.0);
    for (found, expected) in [
        (load.reader, LOAD.reader),
        (load.workers, LOAD.workers),
        (load.writer, LOAD.writer),
        (load.job_len, LOAD.job_len),
    ] {
        assert_near(found, expected);
    }
}

#[test]
fn a_curve_holds_what_was_computed_and_what_was_measured() {
    let curve = Curve::new("zstd".into(), &LOAD, &BOUNDLESS, &[(1, 70e6), (2, 140e6)]);
    assert_eq!(curve.points.len(), Curve::CORES.len() + 2);
    assert!(curve.points.is_sorted_by_key(|point| point.cores));
    let measured: Vec<f64> =
        curve.points.iter().filter(|point| point.measured).map(|point| point.speed).collect();
    assert_eq!(measured, [70.0, 140.0]);
    assert_near(curve.points.last().map_or(0.0, |point| point.speed), 500.0);
}

const JOB: SerialStep =
    SerialStep { job_len: 32.0, waking: 0.125, windows: 0.25, replacing: 0.0, decoding: 0.0 };

#[test]
fn what_is_replaced_behind_the_window_is_not_serial() {
    assert_eq!((JOB.seconds(), JOB.seconds_per_byte()), (0.375, 0.375 / 32.0));
}

#[test]
fn what_has_to_be_done_before_the_window_is_there_is_serial() {
    let job = SerialStep { replacing: 1.0, decoding: 0.5, ..JOB };
    assert_eq!((job.seconds(), job.seconds_per_byte()), (1.875, 1.875 / 32.0));
}
