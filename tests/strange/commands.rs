//! The command lines that are tried on strange files: each way to write, and each way to read what was written.
//!
//! A line is for a shell whose folder has the file. `pz` is pzcomp. In the tables `{}` stands for the options of a
//! layout, `{s}` for its suffix, and `{p}` for a number of threads.

/// A command line, and how its file is made.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Makes `source`, and what the line needs beside it, of the file `f`.
    pub(crate) make: String,
    /// The file that is strange. It is `f` if nothing has to be made.
    pub(crate) source: String,
    pub(crate) line: String,
    /// Decodes the outputs, if they are compressed: pzcomp, and the original if there is one.
    pub(crate) decoders: Vec<&'static str>,
}

/// Options of a layout, the suffix of its files, the command that decodes them as pzcomp, and the original's.
type Layout = (&'static str, &'static str, &'static str, &'static str);

/// pzcomp under its own name.
const OWN: [Layout; 12] = [
    ("-F zstd -b 64K", "zst", "pz -dc", "zstd -dcq"),
    ("-F zstd -b 64K --no-index", "zst", "pz -dc", "zstd -dcq"),
    ("-F zstd -b 64K --recovery=20", "zst", "pz -dc", "zstd -dcq"),
    ("-F gzip -b 64K", "gz", "pz -dc", "gzip -dc"),
    ("-F gzip -b 64K --recovery=20", "gz", "pz -dc", "gzip -dc"),
    ("-F gzip -b 64K --one-member", "gz", "pz -dc", "gzip -dc"),
    ("-F lz4 -b 64K", "lz4", "pz -dc", "lz4 -dcq"),
    ("-F lz4 -b 64K --recovery=20", "lz4", "pz -dc", "lz4 -dcq"),
    ("-F xz -0 -b 64K", "xz", "pz -dc", "xz -dc"),
    ("-F bzip2 -1", "bz2", "pz -dc", "bzip2 -dc"),
    ("-F lzip -0 -b 64K", "lz", "pz -dc", "lzip -dc"),
    ("-F snappy -b 64K", "sz", "pz -dc", ""),
];

/// pzcomp under the names of other tools.
const NAMED: [Layout; 19] = [
    ("--as gzip", "gz", "pz -dc", "gzip -dc"),
    ("--as pigz -p {p} -b 64", "gz", "pz -dc", "gzip -dc"),
    ("--as pigz -p {p} -b 64 -i", "gz", "pz -dc", "gzip -dc"),
    ("--as pigz -p {p} -b 64 -z", "zz", "pz --as pigz -dc", "pigz -dc"),
    ("--as pigz -p {p} -b 64 -K", "zip", "pz -dc", "gzip -dc"),
    ("--as igzip", "gz", "pz -dc", "gzip -dc"),
    ("--as bgzip -@ {p}", "gz", "pz -dc", "bgzip -dc"),
    ("--as zstd -q -T{p}", "zst", "pz -dc", "zstd -dcq"),
    ("--as zstd -q --single-thread", "zst", "pz -dc", "zstd -dcq"),
    ("--as lz4 -q", "lz4", "pz -dc", "lz4 -dcq"),
    ("--as lz4 -q -l", "lz4", "pz -dc", "lz4 -dcq"),
    ("--as xz -0 -T{p} --block-size=65536", "xz", "pz -dc", "xz -dc"),
    ("--as xz -0 -T1", "xz", "pz -dc", "xz -dc"),
    ("--as xz -0 --format=lzma", "lzma", "pz -dc", "xz -dc"),
    ("--as bzip2 -1", "bz2", "pz -dc", "bzip2 -dc"),
    ("--as pbzip2 -1", "bz2", "pz -dc", "pbzip2 -dc"),
    ("--as lbzip2 -1", "bz2", "pz -dc", "lbzip2 -dc"),
    ("--as lzip -0", "lz", "pz -dc", "lzip -dc"),
    ("--as plzip -0 -B 65536", "lz", "pz -dc", "plzip -dc"),
];

/// Ways to compress `f`.
const WRITE: [&str; 11] = [
    "pz {} -p {p} f",
    "pz {} -p {p} --rm f",
    "pz {} -p {p} -c f >out",
    "pz {} -p {p} <f >out",
    "pz {} -p {p} -o x f",
    "pz {} -p {p} --verify --rm f",
    "pz {} -p {p} --drop-cache --rm f",
    "pz {} -p {p} --synchronous --rm f",
    "pz {} -p {p} --json j --hash-file h -o x f",
    "exec 5<>u; rm u; pz {} -p {p} -f --rm -o /dev/fd/5 f",
    "pz {} -p {p} -f --rm -o old f",
];
const WRITE_NAMED: [&str; 4] = ["pz {} f", "pz {} -k f", "pz {} -c f >out", "pz {} -c <f >out"];

/// Ways to read `g`.
const READ: [&str; 21] = [
    "pz -d -p {p} g.{s}",
    "pz -d -p {p} --rm g.{s}",
    "pz -dc -p {p} g.{s} >out",
    "pz -d -p {p} <g.{s} >out",
    "pz -d -p {p} -o x g.{s}",
    "pz -d -p {p} --verify --rm g.{s}",
    "pz -d -p {p} --sparse --drop-cache --rm g.{s}",
    "pz -d -p {p} --synchronous --rm --hash-file h g.{s}",
    "pz -d -p {p} --json j -f --rm -o old g.{s}",
    "exec 5<>u; rm u; pz -d -p {p} -f --rm -o /dev/fd/5 g.{s}",
    "pz -t -p {p} g.{s}",
    "pz -t -p {p} <g.{s}",
    "pz -l g.{s}",
    "pz --to lz4 -b 128K -p {p} -o x g.{s}",
    "pz --to bzip2 -1 -p {p} -o x --rm g.{s}",
    "pz -d -p {p} --range 1000-300000 -c g.{s} >out",
    "pz -d -p {p} --range 1000-300000,5+20 -o x g.{s}",
    "pz --index -p {p} g.{s}",
    "pz -d --salvage -o x g.{s}",
    "pz -t --salvage g.{s}",
    "pz --protect -p {p} g.{s}",
];
const READ_NAMED: [&str; 5] =
    ["pz {} -d g.{s}", "pz {} -dk g.{s}", "pz {} -dc g.{s} >out", "pz {} -dc <g.{s} >out", "pz {} -t g.{s}"];

/// Makes a tar archive of parts of `f`.
const TAR: &str =
    "split -b 90000 f n; tar --format=ustar --mtime=@1 -cf t.tar naa nab nac nad nae naf; rm n*";

/// Lines for special files: what makes the file, the file, and the line.
const SPECIAL: [(&str, &str, &str); 18] = [
    (TAR, "t.tar", "pz -F zstd -b 64K -p {p} --rm t.tar"),
    (TAR, "t.tar", "pz -F gzip -b 64K -p {p} -o x t.tar"),
    (TAR, "t.tar", "pz -F lz4 -b 64K -p {p} --tar -c t.tar >out"),
    ("", "f", "pz --bench --bench-formats lz4 --bench-levels 1 --bench-seconds 0.001 --csv csv f >table"),
    ("{tar}; pz -b 64K t.tar", "t.tar.zst", "pz -l --tar t.tar.zst"),
    ("{tar}; pz -b 64K t.tar", "t.tar.zst", "pz -d -p {p} --extract nac -c t.tar.zst >out"),
    ("{tar}; pz -b 64K t.tar", "t.tar.zst", "pz -d -p {p} --extract-to d t.tar.zst"),
    ("{tar}; pz -F gzip -b 64K --no-tar t.tar", "t.tar.gz", "pz -d -p {p} --extract-to d t.tar.gz"),
    (
        "{tar}; pz -F xz -0 -b 64K t.tar",
        "t.tar.xz",
        "pz -d -p {p} --extract 'na[bd]' --extract-tar -o x t.tar.xz",
    ),
    ("pz -b 64K f -o g.zst; pz --index g.zst", "g.zst", "pz -d -p {p} --range 1000-300000 -c g.zst >out"),
    (
        "gzip -c f >g.gz; pz --index --index-interval 64K g.gz",
        "g.gz",
        "pz -d -p {p} --range 9K-290K -o x g.gz",
    ),
    ("pz -b 64K f -o g.zst; pz --index g.zst", "g.zst", "pz -t --index g.zst"),
    ("pz -b 64K f -o g.zst; pz --protect g.zst", "g.zst", "pz --protect --check g.zst"),
    ("{harm}", "g.zst", "pz --repair g.zst"),
    ("{harm}", "g.zst", "pz --repair --rm g.zst"),
    ("{harm}", "g.zst", "pz --repair -o x g.zst"),
    ("pz -b 64K --recovery=20 f -o g.zst; {spoil}", "g.zst", "pz --repair g.zst"),
    ("bgzip -c f >g.gz", "g.gz", "pz --as bgzip -r -I x g.gz"),
];
const SPOIL: &str = "printf XXXXXXXX | dd of=g.zst bs=1 seek=100000 conv=notrunc status=none";

const THREADS: [&str; 3] = ["1", "2", "4"];

/// All rows that read plain data.
pub(crate) fn writing() -> Vec<Row> {
    let mut rows = Vec::new();
    let own = OWN.iter().map(|layout| (layout, &WRITE[..]));
    for ((options, suffix, ours, original), lines) in
        own.chain(NAMED.iter().map(|layout| (layout, &WRITE_NAMED[..])))
    {
        for line in lines {
            let line = fill(line, options, suffix, rows.len());
            let make = if line.contains("old") { "echo older >old" } else { "" };
            let decoders = [*ours, *original].into_iter().filter(|line| !line.is_empty()).collect();
            rows.push(Row { make: make.to_owned(), source: "f".to_owned(), line, decoders });
        }
    }
    rows
}

/// All rows that read what pzcomp has written, and the special ones.
pub(crate) fn reading() -> Vec<Row> {
    let mut rows = Vec::new();
    let row = |make: &str, source: &str, line: &str, at: usize| {
        let make = make.replace("{harm}", "pz -b 64K f -o g.zst; pz --protect g.zst; {spoil}");
        let make = make.replace("{spoil}", SPOIL).replace("{tar}", TAR);
        // What makes an archive alone is for a line that compresses it.
        let decoders = if make == TAR { vec!["pz -dc"] } else { Vec::new() };
        Row { make, source: source.to_owned(), line: fill(line, "", "", at), decoders }
    };
    for (at, (options, suffix, ..)) in OWN.iter().chain(&NAMED).enumerate() {
        let (make, source) =
            (format!("pz {options} -c f >g.{suffix}; echo older >old"), format!("g.{suffix}"));
        let make = fill(&make, "", "", 0);
        let name =
            options.strip_prefix("--as").map(|rest| rest.split_whitespace().next().unwrap_or_default());
        // zlib streams must be named, and two formats have no places to begin at.
        let is_read =
            |line: &&&str| *suffix != "zz" && !(line.contains("--index") && ["lzma", "zip"].contains(suffix));
        // The own name reads the files of other tools as it reads its own, so each has a third of the lines.
        let step = if name.is_some() { 3 } else { 1 };
        for line in READ.iter().filter(is_read).skip(at % step).step_by(step) {
            rows.push(row(&make, &source, &fill(line, "", suffix, rows.len()), 0));
        }
        for line in READ_NAMED.iter().filter(|_| name.is_some()) {
            let line = fill(line, &format!("--as {}", name.unwrap_or_default()), suffix, 0);
            rows.push(row(&make, &source, &line, 0));
        }
    }
    for (make, source, line) in SPECIAL {
        rows.push(row(make, source, line, rows.len()));
    }
    rows
}

fn fill(line: &str, options: &str, suffix: &str, at: usize) -> String {
    line.replace("{}", options).replace("{s}", suffix).replace("{p}", THREADS[at % 3])
}
