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
    // `make test-capi` sets it, and PZCOMP_VALGRIND.
    if std::env::var_os("PZCOMP_ASAN").is_some() {
        command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    }
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

/// An example compresses and decompresses its standard input.
fn copies(program: &Path, folder: &Path) {
    let script = r#"seq 1000000 >plain; "$1" <plain >coded && "$1" -d <coded | cmp - plain && head -c 99 coded >cut;
        if "$1" -d <cut >/dev/null 2>words; then exit 9; fi; grep -q 'unexpected end of zstd data' words"#;
    succeeded(Command::new("sh").current_dir(folder).args(["-c", script, "sh"]).arg(program));
}

#[test]
fn the_example_copies() {
    let folder = folder();
    copies(&compiled("cc", "-std=c11", "examples/copy.c", folder.path()), folder.path());
}

/// `make test-capi` runs it.
#[test]
#[ignore = "needs Go"]
fn the_example_in_go_copies() {
    let folder = folder();
    std::os::unix::fs::symlink(shared_library(), folder.path().join("libpzcomp.so"))
        .expect("a link can be made");
    std::os::unix::fs::symlink(shared_library(), folder.path().join("libpzcomp.so.0"))
        .expect("a link can be made");
    let program = folder.path().join("program");
    let mut command = Command::new("go");
    command.args(["build", "-o"]).arg(&program).arg(package().join("examples/copy.go"));
    command.env("CGO_CFLAGS", format!("-I{}", package().join("include").display()));
    let place = folder.path().display();
    command.env("CGO_LDFLAGS", format!("-L{place} -Wl,-rpath,{place}")).env("GO111MODULE", "off");
    succeeded(&mut command);
    copies(&program, folder.path());
}

/// The text of the header without its comments, with single spaces.
fn header() -> String {
    let header = std::fs::read_to_string(package().join("include/pzcomp.h")).expect("the header exists");
    let stripped: String = header.split("/*").map(|piece| piece.split("*/").last().unwrap_or("")).collect();
    stripped.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The names of the calls that leave the shared library.
fn exported() -> BTreeSet<String> {
    let listed = succeeded(Command::new("nm").args(["-D", "--defined-only"]).arg(shared_library()));
    let listed = String::from_utf8(listed.stdout).expect("names are text");
    listed.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
}

/// No symbol of Rust or of a C library leaves the library, so it disturbs no program that has its own zstd. `abi.c` has
/// every call with its type, and what else must not change.
#[test]
fn calls_values_and_layout_are_those_of_earlier_versions() {
    let source = std::fs::read_to_string(package().join("tests/abi.c")).expect("the source exists");
    let calls = source.lines().filter_map(|line| line.strip_prefix("CALL("));
    let names: BTreeSet<String> =
        calls.filter_map(|line| line.split(',').nth(1)).map(|name| name.trim().to_owned()).collect();
    assert_eq!(exported(), names);
    let declared: BTreeSet<String> = header()
        .split('(')
        .filter_map(|piece| piece.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("pz_") && !name.ends_with(')'))
        .map(str::to_owned)
        .collect();
    assert_eq!(declared, names);
    let folder = folder();
    succeeded(&mut Command::new(compiled("cc", "-std=c11", "tests/abi.c", folder.path())));
    let facts = succeeded(Command::new("readelf").arg("-d").arg(shared_library()));
    assert!(String::from_utf8_lossy(&facts.stdout).contains("[libpzcomp.so.0]"));
}

/// A programmer needs nothing but the page: it has all calls, as they are in the header, and a whole program.
#[test]
fn the_page_has_every_call_and_the_example() {
    let page = std::fs::read_to_string(package().join("libpzcomp.3")).expect("the page exists");
    let (header, mut rest) = (header(), exported());
    for line in page.lines().filter_map(|line| line.strip_prefix(".Fn pz_")) {
        let Some((name, arguments)) = line.split_once(' ') else { continue };
        let arguments: Vec<&str> =
            arguments.split('"').map(str::trim).filter(|argument| !argument.is_empty()).collect();
        if ![".", ","].contains(&arguments.join(" ").as_str()) {
            let declared = format!("pz_{name}({});", arguments.join(", "));
            assert!(header.contains(&declared), "{declared}");
            rest.remove(&format!("pz_{name}"));
        }
    }
    assert!(rest.is_empty(), "the page lacks {rest:?}");
    let example = std::fs::read_to_string(package().join("examples/copy.c")).expect("the example exists");
    let shown = page.split(".Bd -literal\n").nth(1).and_then(|rest| rest.split(".Ed\n").next());
    assert_eq!(shown.map(|text| text.replace("\\e", "\\")), Some(example));
}
