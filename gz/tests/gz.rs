//! The library beside zlib: random sequences of calls, programs, and what the shared library shows.

#![allow(clippy::expect_used)] // A test that cannot go on fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use pzcomp::Encode;

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

/// The words with which the compiler links the library in front of zlib. cargo has other builds in LD_LIBRARY_PATH, and
/// the old kind of path comes before it.
fn linked_in_front() -> [String; 3] {
    let folder = library().parent().expect("the library is in a folder").display();
    [library().display().to_string(), format!("-Wl,--disable-new-dtags,-rpath,{folder}"), "-lz".to_owned()]
}

/// A program that reads, compiled with the library in front of zlib.
fn reader(folder: &Path) -> PathBuf {
    compiled("read.c", folder, &linked_in_front().each_ref().map(String::as_str))
}

/// What a program prints, and what it says.
fn said(command: &mut Command) -> (Vec<u8>, String) {
    let output = succeeded(command);
    (output.stdout, String::from_utf8(output.stderr).expect("words are text"))
}

#[test]
fn other_formats_are_plain_data_unless_they_are_named() {
    let folder = folder();
    let program = reader(folder.path());
    let plain: Vec<u8> = (0..60_000_u32).flat_map(|number| format!("{number}\n").into_bytes()).collect();
    let formats = [("gzip", Encode::gzip(1)), ("zstd", Encode::zstd(1)), ("xz", Encode::xz(1))];
    for (name, options) in formats {
        let coded =
            pzcomp::compress(&plain, &options.build().expect("options fit")).expect("the data is compressed");
        let path = folder.path().join(name);
        fs::write(&path, &coded).expect("a file is written");
        for named in ["", "nonsense", "zstd", " xz,zstd", "all"] {
            let is_read = name == "gzip" || named == "all" || named.contains(name);
            let expected = if is_read { &plain } else { &coded };
            let command = || {
                let mut command = Command::new(&program);
                command.env("PZCOMP_GZ_FORMATS", named);
                command
            };
            let (read, words) = said(command().arg(&path));
            assert!(read == *expected, "{name}, formats {named:?}");
            let start = format!("direct {} ", u8::from(!is_read));
            assert!(words.starts_with(&start), "{name}, formats {named:?}: {words}");
            let piped = fs::File::open(&path).expect("the file is there");
            let mut cat = Command::new("cat").stdin(piped).stdout(Stdio::piped()).spawn().expect("cat runs");
            let (read, _) = said(command().stdin(cat.stdout.take().expect("cat has an output")));
            assert!(cat.wait().expect("cat ends").success());
            assert!(read == *expected, "a pipe, {name}, formats {named:?}");
        }
        fs::write(&path, &coded[..coded.len() / 2]).expect("a file is written");
        let refused =
            Command::new(&program).arg(&path).env("PZCOMP_GZ_FORMATS", "all").output().expect("it runs");
        assert!(!refused.status.success(), "half of {name} is read without an error");
    }
}

/// The functions come from the library under their versions, and the others from zlib.
#[test]
fn a_program_is_linked_with_the_library_in_place_of_zlib() {
    let folder = folder();
    let program = reader(folder.path());
    let needed = succeeded(Command::new("readelf").arg("-d").arg(&program)).stdout;
    let needed = String::from_utf8_lossy(&needed);
    let ours = needed.find("libpzcomp-gz.so.0").expect("the library is needed");
    assert!(needed.find("libz.so.1").is_some_and(|zlib| ours < zlib), "{needed}");
    let path = folder.path().join("file.zst");
    let plain = vec![b'z'; 2_000_000];
    let options = Encode::zstd(1).build().expect("options fit");
    let coded = pzcomp::compress(&plain, &options).expect("the data is compressed");
    fs::write(&path, &coded).expect("a file is written");
    // zlib reads no zstd.
    let mut command = Command::new(&program);
    let (read, words) = said(command.arg(&path).env("PZCOMP_GZ_FORMATS", "all"));
    assert!(read == plain && words.starts_with("direct 0 crc "), "{words}");
    // Off, the functions of zlib do the work.
    fs::write(&path, vec![b'z'; 10_000]).expect("a file is written");
    let (read, words) = said(command.env("PZCOMP_GZ", "off"));
    assert!(read.len() == 10_000 && words.starts_with("direct 1 "), "{words}");
    let calls = compiled("calls.c", folder.path(), &linked_in_front().each_ref().map(String::as_str));
    for inline in ["0", "1000000"] {
        succeeded(Command::new(&calls).current_dir(&folder).env("PZCOMP_GZ_INLINE", inline));
    }
}

/// `make test-gz` runs it with the released library. In one that is not optimised, valgrind takes branches on padding
/// for errors.
#[test]
#[ignore = "takes long, and needs valgrind and the released library"]
fn valgrind_finds_no_wrong_access_and_no_leak() {
    let folder = folder();
    let [ours, path, zlib] = linked_in_front();
    let calls = compiled("calls.c", folder.path(), &[&ours, &path, &zlib]);
    let valgrind = |leaks: &str| {
        let mut command = Command::new("valgrind");
        command.args(["-q", "--error-exitcode=9", "--errors-for-leak-kinds=definite", leaks]);
        command.env("PZCOMP_GZ_INLINE", "0").current_dir(&folder);
        command
    };
    // Forked children leave the memory of their parents' threads.
    succeeded(valgrind("--leak-check=no").arg(calls));
    let differ = compiled("differ.c", folder.path(), &["-ldl"]);
    succeeded(valgrind("--leak-check=full").arg(differ).arg(library()).arg(folder.path()).args(["1", "40"]));
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

#[test]
fn a_program_that_loads_zlib_by_itself_gets_its_files_back() {
    let folder = folder();
    let program = compiled("loaded.c", folder.path(), &["-ldl"]);
    run_in_both_ways(&program, &[], folder.path());
}
