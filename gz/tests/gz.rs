//! The library beside zlib: random sequences of calls, programs, and what the shared library shows.

#![allow(clippy::expect_used)] // A test that cannot go on fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The folder of this package.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn succeeded(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    output
}

/// The newest static library of this package beside this program.
fn archive() -> PathBuf {
    let program = std::env::current_exe().expect("the program has a path");
    let folder = program.parent().expect("the program is in a folder");
    let files = fs::read_dir(folder).expect("the folder can be read").flatten();
    let archives = files.map(|file| file.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        name.starts_with("libpzcomp_gz") && name.ends_with(".a")
    });
    let changed = |path: &PathBuf| path.metadata().and_then(|facts| facts.modified()).ok();
    archives.max_by_key(changed).expect("cargo has built the static library")
}

/// The shared library. It is linked when the archive is newer. `make test-gz` gives the released one.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(linked)
}

fn linked() -> PathBuf {
    if let Some(path) = std::env::var_os("PZCOMP_GZ_SO") {
        return PathBuf::from(path);
    }
    let archive = archive();
    let library = archive.with_file_name("libpzcomp-gz.so.0");
    let changed = |path: &Path| path.metadata().and_then(|facts| facts.modified()).ok();
    if changed(&library) < changed(&archive) {
        // Tests in other processes may link at the same time.
        let own = archive.with_file_name(format!("libpzcomp-gz.so.{}", std::process::id()));
        succeeded(Command::new(package().join("link.sh")).arg(&archive).arg(&own));
        fs::rename(&own, &library).expect("the library gets its name");
    }
    library
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// Compiles a source without a warning, and returns the program.
fn compiled(source: &str, folder: &Path, more: &[&str]) -> PathBuf {
    let program = folder.join("program");
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-o"]).arg(&program);
    succeeded(command.arg(package().join("tests").join(source)).args(more));
    program
}

/// Runs the differential test. `make test-gz` asks for more sequences.
fn differ(inline: &str, count: u64, is_exact: bool) {
    let folder = folder();
    let program = compiled("differ.c", folder.path(), &["-ldl"]);
    let count =
        std::env::var("PZCOMP_GZ_SEQUENCES").ok().and_then(|count| count.parse().ok()).unwrap_or(count);
    let mut command = Command::new(program);
    command.arg(library()).arg(folder.path()).args(["1", &count.to_string()]);
    if is_exact {
        command.arg("exact");
    }
    succeeded(command.env("PZCOMP_GZ_INLINE", inline));
}

#[test]
fn short_files_are_those_of_zlib_in_each_call() {
    differ("1000000000", 200, true);
}

#[test]
fn parallel_files_give_what_zlib_gives() {
    differ("0", 100, false);
}

#[test]
fn files_that_become_parallel_give_what_zlib_gives() {
    differ("20000", 100, false);
}

/// The functions of zlib leave the library under their versions, and nothing else does.
#[test]
fn only_the_functions_of_zlib_are_exported() {
    let exported = |path: &Path| -> Vec<String> {
        let listed = succeeded(Command::new("objdump").arg("-T").arg(path)).stdout;
        let listed = String::from_utf8(listed).expect("names are text");
        let defined = listed.lines().filter(|line| line.contains(" DF .text"));
        let mut names: Vec<String> =
            defined.map(|line| line.split_whitespace().rev().take(2).collect::<Vec<_>>().join("@")).collect();
        names.sort();
        names
    };
    let of_system = Command::new("cc").arg("-print-file-name=libz.so.1").output().expect("cc runs").stdout;
    let of_system = String::from_utf8(of_system).expect("a path is text");
    let mut zlib = exported(Path::new(of_system.trim()));
    zlib.retain(|name| name.starts_with("gz"));
    assert!(zlib.len() > 30, "{zlib:?}");
    assert_eq!(exported(library()), zlib);
}

/// A program runs with the library in front of zlib, and with the library switched off.
fn run_in_both_ways(program: &Path, words: &[&str], folder: &Path) {
    for switch in ["on", "off"] {
        for inline in ["0", "1000000"] {
            let mut command = Command::new(program);
            command.args(words).current_dir(folder).env("LD_PRELOAD", library());
            succeeded(command.env("PZCOMP_GZ", switch).env("PZCOMP_GZ_INLINE", inline));
        }
    }
}

#[test]
fn the_program_of_calls_runs_and_forked_children_read_on() {
    let folder = folder();
    let program = compiled("calls.c", folder.path(), &["-lz"]);
    run_in_both_ways(&program, &[], folder.path());
}
