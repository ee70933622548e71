//! The command `pzcomp`, which `src/cli` implements. `pzcomp --help` and `man/pzcomp.1` describe it.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
