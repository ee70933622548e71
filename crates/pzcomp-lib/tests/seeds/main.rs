//! The fuzz targets on their seeds, without libFuzzer.
//!
//! This crate stands in for both crates that a target uses: `libfuzzer_sys`, of which it has the macro, and
//! `pzcomp_fuzz`. So each target compiles here as it is, and gets a test that runs it on each file of
//! `fuzz/seeds/TARGET.tar`. To add a target, add its module here.
// A test that cannot go on fails. The lints of this workspace are not those of the targets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::type_complexity, clippy::duplicate_mod)]

extern crate self as libfuzzer_sys;
extern crate self as pzcomp_fuzz;

#[path = "../../../../fuzz/src/lib.rs"]
mod helpers;
pub(crate) use helpers::*;

#[path = "../../../../fuzz/src/seeds.rs"]
mod packed;

#[path = "../../../../fuzz/fuzz_targets"]
mod targets {
    mod bzip2_blocks;
    mod deflate_encoder;
    mod formats_parallel_vs_serial;
    mod gzip_parallel_vs_serial;
    mod index_files;
    mod inflate;
    mod lzma_encoder;
    mod lzo_blocks;
    mod mydumper;
    mod quicklz_packets;
    mod recovery_records;
    mod salvage;
    mod tar_members;
    mod xbstream;
    mod zstd_frame;
    mod zstd_parallel_vs_serial;
}

/// Makes a test of a target, with the words that libFuzzer's macro takes.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: $kind:ty| $body:expr) => {
        fn run($input: $kind) {
            $body
        }

        #[test]
        fn seeds() {
            use arbitrary::{Arbitrary, Unstructured};
            for (name, bytes) in $crate::seeds(module_path!()) {
                eprintln!("{name}"); // A test that fails prints the seeds up to the one that it fails on.
                // libFuzzer skips an input that is too short for the type.
                if bytes.len() >= <$kind as Arbitrary>::size_hint(0).0 {
                    run(<$kind as Arbitrary>::arbitrary_take_rest(Unstructured::new(&bytes)).unwrap());
                }
            }
        }
    };
}

/// The seeds of the target in this module, with their names.
fn seeds(module: &str) -> Vec<(String, Vec<u8>)> {
    let target = module.rsplit("::").next().unwrap();
    // `scripts/fuzz-coverage.sh` measures folders too.
    let Ok(corpus) = std::env::var("PZCOMP_FUZZ_CORPUS") else { return packed::seeds(target) };
    let entries = std::fs::read_dir(std::path::Path::new(&corpus).join(target)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut seeds: Vec<_> =
        paths.map(|path| (path.display().to_string(), std::fs::read(&path).unwrap())).collect();
    seeds.sort();
    seeds
}

/// Each target is listed here, in the manifest and in the target of make, and has its seeds.
#[test]
fn no_target_is_left_out() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().path().file_stem().unwrap().display().to_string()).collect();
        names.sort();
        names
    };
    // The target `arguments` is the program itself, and replayed by `src/arguments.rs`.
    let mut targets = names("fuzz/fuzz_targets");
    targets.insert(0, "arguments".into());
    assert_eq!(names("fuzz/seeds"), targets);
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let (manifest, make, here) = (
        read("fuzz/Cargo.toml"),
        read("benches/repository.mk"),
        read("crates/pzcomp-lib/tests/seeds/main.rs"),
    );
    let mut listed: Vec<_> = make
        .split_once("FUZZ_TARGETS = ")
        .and_then(|(_, behind)| behind.split_once("\n\n"))
        .map(|(list, _)| list.split_whitespace().filter(|&word| word != "\\").map(str::to_owned).collect())
        .unwrap();
    listed.sort();
    assert_eq!(listed, targets);
    for target in targets {
        assert!(manifest.contains(&format!("name = \"{target}\"")), "{target} is not in fuzz/Cargo.toml");
        // The tests of `src/sevenz/archive.rs` replay those of `sevenz`.
        let is_here = ["arguments", "sevenz"].contains(&&*target) || here.contains(&format!("mod {target};"));
        assert!(is_here, "{target} is not in this file");
    }
}
