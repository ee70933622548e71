//! The promises of the project on two cores: one row for each.
//!
//! [`promises`] returns them. A promise is a command of pzcomp, usually a command of a peer, and a figure. To change a
//! promise, change its figure here.

use super::old_formats::old_formats;
use crate::row::{
    COPIED_TO_COPIED, FILE_TO_FILE, FILE_TO_NULL, FILE_TO_PIPE, Goal, PIPE_TO_FILE, PIPE_TO_PIPE, Pace, Row,
    coding, decoding,
};

/// All promises, the fast ones first.
pub fn promises() -> Vec<Row> {
    let fast = [
        compression(),
        decompression(),
        one_member(),
        zstd_files(),
        foreign_files(),
        layers(),
        old_formats(),
        serial_part(),
    ]
    .concat();
    [fast, encoding_memory(), decoding_memory(), slow()].concat()
}

const fn speed_and_size(at_least: f64, size_at_most: f64) -> Goal {
    Goal::Speed { at_least, size_at_most: Some(size_at_most) }
}

const fn speed(at_least: f64) -> Goal {
    Goal::Speed { at_least, size_at_most: None }
}

fn compression() -> Vec<Row> {
    const ZSTD_3: Goal = speed_and_size(1.12, 1.01);
    vec![
        Row::versus(
            "zstd -1",
            PIPE_TO_PIPE,
            speed_and_size(1.25, 1.01),
            coding("pzcomp -F zstd -1 -p 2", "zstd -dc"),
            coding("zstd -T2 -1 -c", "zstd -dc"),
        ),
        Row::versus(
            "zstd -3",
            PIPE_TO_PIPE,
            ZSTD_3,
            coding("pzcomp -F zstd -3 -p 2", "zstd -dc"),
            coding("zstd -T2 -3 -c", "zstd -dc"),
        ),
        Row::versus(
            "zstd -3",
            PIPE_TO_FILE,
            ZSTD_3,
            coding("pzcomp -F zstd -3 -p 2", "zstd -dc"),
            coding("zstd -T2 -3 -c", "zstd -dc"),
        ),
        Row::versus(
            "zstd -3",
            FILE_TO_PIPE,
            ZSTD_3,
            coding("pzcomp -F zstd -3 -p 2 -c {in}", "zstd -dc"),
            coding("zstd -T2 -3 -c {in}", "zstd -dc"),
        ),
        Row::versus(
            "zstd -3",
            FILE_TO_FILE,
            ZSTD_3,
            coding("pzcomp -F zstd -3 -p 2 -o {out} {in}", "zstd -dc"),
            coding("zstd -T2 -3 -o {out} {in}", "zstd -dc"),
        ),
        Row::versus(
            "zstd -9",
            PIPE_TO_PIPE,
            speed_and_size(0.95, 1.02),
            coding("pzcomp -F zstd -9 -p 2", "zstd -dc"),
            coding("zstd -T2 -9 -c", "zstd -dc"),
        ),
        Row::versus(
            "gzip -1",
            PIPE_TO_PIPE,
            speed_and_size(2.0, 0.95),
            coding("pzcomp -F gzip -1 -p 2", "gzip -dc"),
            coding("pigz -p2 -1 -c", "gzip -dc"),
        ),
        // One core against hand-written assembly.
        Row::versus(
            "gzip -1",
            FILE_TO_PIPE,
            speed_and_size(0.72, 1.005),
            coding("pzcomp -F gzip -1 -p 1 -c {in}", "gzip -dc"),
            coding("igzip -1 -c {in}", "gzip -dc"),
        ),
        Row::versus(
            "gzip -6",
            PIPE_TO_PIPE,
            speed_and_size(2.8, 1.0),
            coding("pzcomp -F gzip -6 -p 2", "gzip -dc"),
            coding("pigz -p2 -6 -c", "gzip -dc"),
        ),
        Row::versus(
            "lz4 -1",
            PIPE_TO_PIPE,
            speed_and_size(1.8, 1.01),
            coding("pzcomp -F lz4 -1 -p 2", "lz4 -dc"),
            coding("lz4 -1 -c", "lz4 -dc"),
        ),
    ]
}

/// Every tool decompresses its own file, because its layout is part of the work.
fn decompression() -> Vec<Row> {
    vec![
        Row::versus(
            "zstd -d",
            PIPE_TO_PIPE,
            speed(1.25),
            decoding("pzcomp -F zstd -3 -p 2", "pzcomp -d -p 2"),
            decoding("pzstd -p2 -3 -c", "pzstd -p2 -d -c"),
        ),
        Row::versus(
            "zstd -d",
            FILE_TO_PIPE,
            speed(1.25),
            decoding("pzcomp -F zstd -3 -p 2", "pzcomp -d -p 2 -c {in}"),
            decoding("pzstd -p2 -3 -c", "pzstd -p2 -d -c {in}"),
        ),
        Row::versus(
            "gzip -d",
            PIPE_TO_PIPE,
            speed(1.3),
            decoding("pzcomp -F gzip -6 -p 2", "pzcomp -d -p 2"),
            decoding("bgzip -@2 -c", "bgzip -@2 -d -c"),
        ),
        Row::versus(
            "gzip -d",
            FILE_TO_FILE,
            speed(3.0),
            decoding("pzcomp -F gzip -6 -p 2", "pzcomp -d -p 2 -o {out} {in}"),
            decoding("pigz -p2 -6 -c", "pigz -p2 -d -c {in}"),
        ),
        Row::versus(
            "lz4 -d",
            PIPE_TO_PIPE,
            speed(1.1),
            decoding("pzcomp -F lz4 -1 -p 2", "pzcomp -d -p 2"),
            decoding("lz4 -1 -c", "lz4 -d -c"),
        ),
        Row::versus(
            "lz4 -d",
            FILE_TO_PIPE,
            speed(1.1),
            decoding("pzcomp -F lz4 -1 -p 2", "pzcomp -d -p 2 -c {in}"),
            decoding("lz4 -1 -c", "lz4 -d -c {in}"),
        ),
    ]
}

/// Under the names of gzip and pigz, pzcomp writes one member, as they do.
fn one_member() -> Vec<Row> {
    const ONE_MEMBER: &str = "pzcomp --as pigz -p 2 -6 -c";
    let row = |work, goal, level| {
        let ours = format!("pzcomp --as pigz -p 2 -{level} -c");
        let theirs = format!("pigz -p2 -{level} -c");
        Row::versus(work, PIPE_TO_PIPE, goal, coding(ours, "gzip -dc"), coding(theirs, "gzip -dc"))
    };
    vec![
        row("gzip -6, one member", speed_and_size(2.2, 1.0), 6),
        row("gzip -1, one member", speed_and_size(1.8, 1.0), 1),
        Row::versus(
            "gzip -d, one member",
            PIPE_TO_PIPE,
            speed(1.3),
            decoding(ONE_MEMBER, "pzcomp -d -p 2"),
            decoding("bgzip -@2 -c", "bgzip -@2 -d -c"),
        ),
        Row::versus(
            "gzip -d, one member",
            FILE_TO_PIPE,
            speed(1.3),
            decoding(ONE_MEMBER, "pzcomp -d -p 2 -c {in}"),
            decoding("bgzip -@2 -c", "bgzip -@2 -d -c {in}"),
        ),
    ]
}

/// zstd files of other programs: a single frame, and the frames of pzstd.
///
/// The figures are those for nodes. For an archive of programs the first is 1.75. The figure for `zstd -19` is 1.5 for
/// a backup and 1.15 for an archive of programs.
fn zstd_files() -> Vec<Row> {
    const FROM_PIPE: [&str; 2] = ["pzcomp -d -p 2", "zstd -d -c"];
    const FROM_FILE: [&str; 2] = ["pzcomp -d -p 2 -c {in}", "zstd -d -c {in}"];
    const LONG: [&str; 2] = ["pzcomp -d -p 2 -c {in}", "zstd -d --long=27 -c {in}"];
    let row = |work, shape, at_least, source: &str, [ours, theirs]: [&str; 2]| {
        Row::versus(work, shape, speed(at_least), decoding(source, ours), decoding(source, theirs))
    };
    let frame = |shape, at_least, source, lines| row("zstd -d, one frame", shape, at_least, source, lines);
    let pzstd = |shape, lines| row("zstd -d, pzstd's frames", shape, 1.25, "pzstd -p2 -3 -c", lines);
    vec![
        frame(FILE_TO_NULL, 2.0, "zstd -T2 -1 -c", FROM_FILE),
        frame(FILE_TO_NULL, 2.0, "zstd -T2 -3 -c", FROM_FILE),
        frame(FILE_TO_NULL, 2.0, "zstd -T2 -9 -c", FROM_FILE),
        frame(PIPE_TO_PIPE, 1.45, "zstd -T2 -1 -c", FROM_PIPE),
        frame(PIPE_TO_PIPE, 1.45, "zstd -T2 -3 -c", FROM_PIPE),
        frame(PIPE_TO_PIPE, 1.45, "zstd -T2 -9 -c", FROM_PIPE),
        frame(FILE_TO_PIPE, 1.45, "zstd -T2 -1 -c", FROM_FILE),
        frame(FILE_TO_PIPE, 1.45, "zstd -T2 -3 -c", FROM_FILE),
        frame(FILE_TO_PIPE, 1.45, "zstd -T2 -9 -c", FROM_FILE),
        frame(FILE_TO_NULL, 1.05, "zstd -T2 -19 -c", FROM_FILE).at_pace(Pace::Slow),
        frame(FILE_TO_NULL, 1.4, "zstd -T2 -3 --long=27 -c", LONG),
        pzstd(PIPE_TO_PIPE, ["pzcomp -d -p 2", "pzstd -p2 -d -c"]),
        pzstd(FILE_TO_PIPE, ["pzcomp -d -p 2 -c {in}", "pzstd -p2 -d -c {in}"]),
    ]
}

/// Files of other programs, against the fastest decoders. For gzip on two cores, the figure is the promise for nodes;
/// for pages it is 1.4, and 1.5 into a file.
fn foreign_files() -> Vec<Row> {
    let gzip = |shape, at_least, source, [ours, theirs]: [&str; 2]| {
        let (ours, theirs) = (decoding(source, ours), decoding(source, theirs));
        Row::versus("gzip -d, foreign files", shape, speed(at_least), ours, theirs)
    };
    const FROM_PIPE: [&str; 2] = ["pzcomp -d -p 2", "igzip -T2 -d -c"];
    const FROM_FILE: [&str; 2] = ["pzcomp -d -p 2 -c {in}", "igzip -T2 -d -c {in}"];
    let slow = |work, source: &str, ours: &str, theirs: &str, at_least| {
        let goal = speed(at_least);
        Row::versus(work, PIPE_TO_PIPE, goal, decoding(source, ours), decoding(source, theirs))
            .at_pace(Pace::Slow)
    };
    let bzip2 = |at_least, ours, theirs| {
        let (ours, theirs) = (coding(ours, "bzip2 -dc"), coding(theirs, "bzip2 -dc"));
        Row::versus("bzip2 -9", PIPE_TO_PIPE, speed_and_size(at_least, 1.0), ours, theirs).at_pace(Pace::Slow)
    };
    vec![
        gzip(PIPE_TO_PIPE, 1.15, "gzip -6 -c", FROM_PIPE),
        gzip(FILE_TO_PIPE, 1.15, "gzip -6 -c", FROM_FILE),
        gzip(FILE_TO_PIPE, 1.15, "pigz -p2 -6 -c", FROM_FILE),
        gzip(PIPE_TO_FILE, 1.3, "gzip -6 -c", FROM_PIPE),
        // Two workers never lose much if they share a member, whatever the data.
        gzip(PIPE_TO_PIPE, 0.97, "gzip -6 -c", ["pzcomp -d -p 2", "pzcomp -d -p 1"]),
        gzip(PIPE_TO_PIPE, 1.05, "gzip -6 -c", ["pzcomp -d -p 1", "igzip -T1 -d -c"]),
        gzip(FILE_TO_PIPE, 1.4, "bgzip -@2 -c", ["pzcomp -d -p 2 -c {in}", "bgzip -@2 -d -c {in}"]),
        slow("bzip2 -d, foreign files", "bzip2 -9 -c", "pzcomp -d -p 2", "lbzip2 -n2 -d -c", 1.2),
        slow("xz -d, foreign files", "xz -T2 -1 -c", "pzcomp -d -p 2", "xz -T2 -d -c", 1.0),
        slow("lzip -d, foreign files", "plzip -n2 -6 -c", "pzcomp -d -p 2", "plzip -n2 -d -c", 1.0),
        bzip2(1.15, "pzcomp -F bzip2 -9 -p 2", "lbzip2 -n2 -9 -c"),
        // This row is here for the size.
        bzip2(1.0, "pzcomp -F bzip2 -9 -p 2", "bzip2 -9 -c"),
    ]
}

/// Layers of images, as container engines unpack them: on one thread no slower than igzip, which is what they run, and
/// faster on two.
fn layers() -> Vec<Row> {
    let row = |at_least, ours| {
        let (ours, theirs) = (decoding("gzip -6 -c", ours), decoding("gzip -6 -c", "igzip -cd"));
        Row::versus("gzip -d, layers", COPIED_TO_COPIED, speed(at_least), ours, theirs)
    };
    vec![row(1.0, "pzcomp --as igzip -cd -T1"), row(1.2, "pzcomp --as igzip -cd -T2")]
}

/// `worker_cpu / max(reader_cpu, writer_cpu)`: the number of cores on which scaling ends.
fn serial_part() -> Vec<Row> {
    vec![
        Row::alone(
            "serial part",
            FILE_TO_PIPE,
            Goal::Cores { at_least: 20.0 },
            coding("pzcomp -F zstd -3 -p 2 -v -c {in}", "zstd -dc"),
        ),
        Row::alone(
            "serial part",
            PIPE_TO_PIPE,
            Goal::Cores { at_least: 8.0 },
            coding("pzcomp -F zstd -3 -p 2 -v", "zstd -dc"),
        ),
    ]
}

fn encoding_memory() -> Vec<Row> {
    let row = |run, check, at_most_mib, pace| {
        let goal = Goal::Memory { at_most_mib };
        Row::alone("memory, coding", PIPE_TO_PIPE, goal, coding(run, check)).at_pace(pace)
    };
    vec![
        row("pzcomp -F zstd -3 -p 2", "zstd -dc", 48, Pace::Fast),
        row("pzcomp -F gzip -6 -p 2", "gzip -dc", 32, Pace::Fast),
        row("pzcomp -F lz4 -1 -p 2", "lz4 -dc", 48, Pace::Fast),
        row("pzcomp -F bzip2 -9 -p 2", "bzip2 -dc", 64, Pace::Slow),
    ]
}

/// Own files and foreign files. Some foreign files are one frame or block that cannot be split.
///
/// The limit is 64 MiB and the window or dictionary that the stream demands: 2 MiB for zstd -3, 1 MiB for xz -1, and
/// the window of `--long`.
fn decoding_memory() -> Vec<Row> {
    const ON_TOP_OF_WINDOW_MIB: u64 = 64;
    let row = |source, window_mib, pace| {
        let goal = Goal::Memory { at_most_mib: ON_TOP_OF_WINDOW_MIB + window_mib };
        let ours = decoding(source, "pzcomp -d -p 2");
        Row::alone("memory, decoding", PIPE_TO_PIPE, goal, ours).at_pace(pace)
    };
    vec![
        row("pzcomp -F zstd -3 -p 2", 2, Pace::Fast),
        row("pzcomp -F gzip -6 -p 2", 0, Pace::Fast),
        row("pzcomp -F lz4 -1 -p 2", 0, Pace::Fast),
        row("pzcomp -F xz -1 -p 2", 1, Pace::Slow),
        row("pzcomp -F bzip2 -9 -p 2", 0, Pace::Slow),
        row("zstd -T2 -3 -c", 2, Pace::Fast),
        row("zstd -T2 -3 --long=27 -c", 128, Pace::Fast),
        row("pzstd -p2 -3 -c", 2, Pace::Fast),
        row("gzip -6 -c", 0, Pace::Fast),
        row("pigz -p2 -1 -c", 0, Pace::Fast),
        row("bgzip -@2 -c", 0, Pace::Fast),
        row("lz4 -1 -c", 0, Pace::Fast),
        row("lz4 -1 -BD -c", 0, Pace::Fast),
        row("xz -T2 -1 -c", 1, Pace::Slow),
        row("xz -T1 -1 -c", 1, Pace::Slow),
        row("bzip2 -9 -c", 0, Pace::Slow),
        row("pbzip2 -p2 -9 -c", 0, Pace::Slow),
    ]
}

/// The slow codecs get a part of the data; the table says how much. The slowest get four jobs of zstd -19 (32 MiB each)
/// and six Blocks of xz -6 (24 MiB), or two of each with `--quick`. xz -9 gets 128 MiB, which is one Block of xz.
fn slow() -> Vec<Row> {
    const XZ_6: Pace = Pace::VerySlow { mib: 144, quick_mib: 48 };
    const XZ_9: Pace = Pace::VerySlow { mib: 128, quick_mib: 128 };
    const ZSTD_19: Pace = Pace::VerySlow { mib: 128, quick_mib: 64 };
    vec![
        Row::versus(
            "xz -1",
            PIPE_TO_PIPE,
            speed(0.97),
            coding("pzcomp -F xz -1 -p 2", "xz -dc"),
            coding("xz -T2 -1 -c", "xz -dc"),
        )
        .at_pace(Pace::Slow),
        Row::versus(
            "bzip2 -9",
            PIPE_TO_PIPE,
            speed(1.05),
            coding("pzcomp -F bzip2 -9 -p 2", "bzip2 -dc"),
            coding("pbzip2 -p2 -9 -c", "bzip2 -dc"),
        )
        .at_pace(Pace::Slow),
        Row::versus(
            "xz -6",
            PIPE_TO_PIPE,
            speed_and_size(2.0, 1.01),
            coding("pzcomp -F xz -6 -p 2", "xz -dc"),
            coding("xz -T2 -6 -c", "xz -dc"),
        )
        .at_pace(XZ_6),
        Row::versus(
            "xz -9",
            PIPE_TO_PIPE,
            speed_and_size(3.0, 1.01),
            coding("pzcomp -F xz -9 -p 2", "xz -dc"),
            coding("xz -T2 -9 -c", "xz -dc"),
        )
        .at_pace(XZ_9),
        Row::versus(
            "lzip -6",
            PIPE_TO_PIPE,
            speed_and_size(1.8, 1.01),
            coding("pzcomp -F lzip -6 -p 2", "lzip -dc"),
            coding("plzip -n2 -6 -c", "lzip -dc"),
        )
        .at_pace(XZ_6),
        Row::versus(
            "zstd -19",
            PIPE_TO_PIPE,
            speed_and_size(0.95, 1.02),
            coding("pzcomp -F zstd -19 -p 2", "zstd -dc"),
            coding("zstd -T2 -19 -c", "zstd -dc"),
        )
        .at_pace(ZSTD_19),
    ]
}
