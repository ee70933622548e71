//! The command `pzcomp`. `pzcomp --help` and `man/pzcomp.1` describe it.
//!
//! This file only calls `src/cli`, which reads the arguments, calls the library and gives the exit code.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
