//! Compares libraries that pzcomp uses with libraries that it could use: the measurements behind the table of
//! dependencies in ARCHITECTURE.md.
//!
//! `dependencies DATA XZ2 REPORT` reads the file DATA and writes a table in Markdown to the file REPORT. XZ2 is the
//! program of the workspace `xz2` beside this one: xz2 and liblzma both link a library called `lzma`, so one program
//! cannot hold both. All work is done on one thread, from memory to memory. The two libraries of a row work in turns,
//! and a row shows the median, the lowest and the highest ratio of their times.

mod contest;
mod deflate;
mod lz4;
mod lzma;
mod sorting;

use std::env;
use std::fs;
use std::process::ExitCode;

/// An error is a sentence for the person at the terminal.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dependencies: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [data_file, xz2, report] = &args[..] else {
        return Err("expected three arguments: DATA XZ2 REPORT".into());
    };
    let data = fs::read(data_file).map_err(|error| format!("{data_file}: {error}"))?;
    let mut table = format!(
        "# Libraries that pzcomp uses, and others\n\n\
         Written by `make bench-dependencies` from {} bytes of the data `nodes`, on one thread, from memory to memory. *time* is \
         the time of the other library divided by the time of the library that pzcomp uses: the median of {} rounds \
         (lowest–highest). Above 1, the library that pzcomp uses is faster. *size* is the size of its output divided by \
         the size of the other's.\n\n\
         | work | pzcomp uses | other library | time | size |\n|---|---|---|---|---|\n",
        data.len(),
        contest::ROUNDS
    );
    for contests in [
        deflate::contests(&data)?,
        lz4::contests(&data)?,
        lzma::contests(data_file, &data, xz2)?,
        sorting::contests(&data),
    ] {
        for contest in contests {
            let row = contest.run()?;
            eprint!("{row}");
            table.push_str(&row);
        }
    }
    fs::write(report, table).map_err(|error| format!("{report}: {error}").into())
}
