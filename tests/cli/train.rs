//! `--train`: a dictionary of many short files, and what it gains.

use crate::harness::Folder;

/// A folder with 500 short files in `set`.
fn short_files() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("set")).unwrap();
    for n in 0..500 {
        let text = format!(
            "{{\"id\": {n}, \"city\": \"place {}\", \"name\": \"user {}\"}}",
            n % 17,
            n * 7919 % 1000
        );
        folder.write(&format!("set/{n}.json"), text);
    }
    folder
}

#[test]
fn train_makes_a_dictionary_that_shortens_short_files() {
    let folder = short_files();
    let run = folder.run("--train -r set -o dict --max-dict 4K -v").says(0, &["of 500 samples with "]);
    assert!(run.stdout.is_empty() && (256..=4096).contains(&folder.read("dict").len()));
    let plain = folder.read("set/7.json");
    let [with, without] =
        ["-D dict", ""].map(|args| folder.run(&format!("{args} --no-index -c set/7.json")).fine());
    assert!(with.len() * 3 < without.len() * 2, "{} {}", with.len(), without.len());
    assert_eq!(folder.pipe("-D dict -d", &with).fine(), plain);
    folder.pipe("-d", &with).says(1, &["dictionary"]);
    // It does not depend on the run, and replaces no file unless that is wanted.
    let first = folder.read("dict");
    folder.run("--train -r set -o dict --max-dict 4K").says(2, &["already exists"]);
    folder.run("--train -r set -o dict --max-dict 4K -f").fine();
    assert_eq!(folder.read("dict"), first);
}

#[test]
fn train_says_why_there_is_no_dictionary() {
    let folder = short_files();
    folder.write("empty", "");
    for (args, part) in [
        ("--train set/7.json", "--output"),
        ("--train -o dict set/7.json empty", "they are too few"),
        ("--train -o dict set/missing", "set/missing"),
        ("--train -o - -r set", "-o"),
        ("--train -d -o dict set/7.json", "--train makes a dictionary"),
        ("--max-dict 4K -o dict set/7.json", "--train"),
    ] {
        folder.run(args).says(1, &[part]);
        assert!(!folder.has("dict"), "{args}");
    }
}
