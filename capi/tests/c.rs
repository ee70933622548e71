//! Programs in C and C++ that use the library, and what the shared library shows to them.

#![allow(clippy::expect_used)] // A test that cannot go on fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of this package.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with the shared library: that of this program.
fn libraries() -> PathBuf {
    let program = std::env::current_exe().expect("the program has a path");
    program.parent().expect("the program is in a folder").to_owned()
}

fn shared_library() -> PathBuf {
    let library = libraries().join("libpzcomp_capi.so");
    assert!(library.exists(), "{} does not exist", library.display());
    library
}

fn succeeded(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    output
}

/// Compiles a source without a warning, and returns the program.
fn compiled(compiler: &str, standard: &str, source: &str, folder: &Path) -> PathBuf {
    // Programs are linked with the name that the library gets when it is installed.
    let linked = folder.join("libpzcomp.so.0");
    if !linked.exists() {
        std::os::unix::fs::symlink(shared_library(), &linked).expect("a link can be made");
    }
    let program = folder.join("program");
    let mut command = Command::new(compiler);
    command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", "-O1", "-o"]).arg(&program);
    command.arg(package().join(source)).arg("-I").arg(package().join("include")).arg(&linked);
    command.arg(format!("-Wl,-rpath,{}", folder.display()));
    succeeded(&mut command);
    program
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

#[test]
fn every_call_works_from_c() {
    let folder = folder();
    let program = compiled("cc", "-std=c11", "tests/calls.c", folder.path());
    // `make test-capi` sets it.
    if std::env::var_os("PZCOMP_VALGRIND").is_some() {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
        succeeded(valgrind.arg(program).arg(folder.path()));
    } else {
        succeeded(Command::new(program).arg(folder.path()));
    }
}

#[test]
fn a_forked_child_is_told_so_and_makes_objects_of_its_own() {
    let folder = folder();
    let program = compiled("cc", "-std=c11", "tests/fork.c", folder.path());
    succeeded(Command::new(program).arg(folder.path()));
}

#[test]
fn the_header_is_one_of_cpp_too() {
    let folder = folder();
    succeeded(&mut Command::new(compiled("c++", "-std=c++17", "tests/cpp.cpp", folder.path())));
}

#[test]
fn the_example_copies() {
    let folder = folder();
    let program = compiled("cc", "-std=c11", "examples/copy.c", folder.path());
    let script = r#"seq 1000000 >plain; "$1" <plain >coded && "$1" -d <coded | cmp - plain && head -c 99 coded >cut;
        if "$1" -d <cut >/dev/null 2>words; then exit 9; fi; grep -q 'unexpected end of zstd data' words"#;
    succeeded(Command::new("sh").current_dir(&folder).args(["-c", script, "sh"]).arg(program));
}

/// No symbol of Rust or of a C library leaves the library, so it disturbs no program that has its own zstd.
#[test]
fn only_the_calls_of_the_header_are_exported() {
    let listed = succeeded(Command::new("nm").args(["-D", "--defined-only"]).arg(shared_library()));
    let listed = String::from_utf8(listed.stdout).expect("names are text");
    let exported: BTreeSet<&str> = listed.lines().filter_map(|line| line.split_whitespace().last()).collect();
    let header = std::fs::read_to_string(package().join("include/pzcomp.h")).expect("the header exists");
    let stripped: String = header.split("/*").map(|piece| piece.split("*/").last().unwrap_or("")).collect();
    let names = stripped.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    let types = ["pz_options", "pz_writer", "pz_reader", "pz_file", "pz_info"];
    let declared: BTreeSet<&str> = names
        .filter(|name| name.starts_with("pz_") && !name.ends_with("_callback") && !types.contains(name))
        .chain(["pz_writer_callback", "pz_reader_callback"])
        .collect();
    assert_eq!(exported, declared);
    let facts = succeeded(Command::new("readelf").arg("-d").arg(shared_library()));
    assert!(String::from_utf8_lossy(&facts.stdout).contains("[libpzcomp.so.0]"));
}
