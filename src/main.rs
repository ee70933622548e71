//! The `pzcomp` command: see `pzcomp --help`, or `man/pzcomp.1`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
