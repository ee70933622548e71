//! `corpus KIND BYTES [SEED]`: writes data for measurements to stdout.
//!
//! The generators are in `compare/src/corpus`. The same arguments give the same bytes. If the reader closes the pipe,
//! the program ends as if SIGPIPE had killed it.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::process::ExitCode;

use clap::Parser;
use compare::corpus::{self, Kind};
use rustix::pipe::fcntl_setpipe_size;

/// Writes generated data to stdout. The same arguments give the same bytes.
#[derive(Parser)]
#[command(name = "corpus", version)]
struct Args {
    /// nodes: OpenStreetMap TSV; sql: a mysqldump; pages: InnoDB pages; toolchain: a tar of the Rust
    /// toolchain; random; zeros
    kind: Kind,
    /// The number of bytes; a toolchain may have fewer
    bytes: u64,
    /// The same seed gives the same bytes
    #[arg(default_value_t = 1)]
    seed: u64,
}

/// The status that a shell reports for a filter that SIGPIPE has killed.
const DIED_OF_SIGPIPE: u8 = 128 + 13;

fn main() -> ExitCode {
    let args = Args::parse();
    match write(args.kind, args.bytes, args.seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(DIED_OF_SIGPIPE),
        Err(error) => {
            eprintln!("corpus: the data cannot be written: {}.", error.to_string().trim_end_matches('.'));
            ExitCode::FAILURE
        }
    }
}

fn write(kind: Kind, bytes: u64, seed: u64) -> io::Result<()> {
    // Stdout of std looks for the last newline in every write, and copies the bytes behind it.
    let mut stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // A larger pipe is faster. stdout may also be a file.
    let _ = fcntl_setpipe_size(&stdout, 1 << 20);
    corpus::write(kind, bytes, seed, &mut stdout)?;
    Ok(())
}
