//! THIRD-PARTY.md names everything of other people that is linked into the program, with the texts of the licences.
//!
//! The file is made from `cargo metadata` and the sources of the packages, and this test compares it with what is
//! committed. After a change of a dependency, `make third-party` makes it anew. A C library or another file that a
//! package brings along is not in the metadata: it gets a line in `INSIDE`.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What packages bring along: the package, the work, its licence as we use it, and the file with the text.
const INSIDE: [(&str, &str, &str, &str); 5] = [
    ("libdeflate-sys", "libdeflate", "MIT", "libdeflate/COPYING"),
    ("liblzma-sys", "liblzma of XZ Utils", "0BSD", "xz/COPYING.0BSD"),
    ("libsais-sys", "libsais", "Apache-2.0", "libsais/LICENSE"),
    ("lz4-sys", "liblz4", "BSD-2-Clause", "liblz4/lib/LICENSE"),
    ("zstd-sys", "libzstd", "BSD-3-Clause", "zstd/LICENSE"),
];

/// Licences that everything in the program may be used under, as the packages spell them.
const ACCEPTED: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0 OR Apache-2.0 OR Apache-2.0 WITH LLVM-exception",
    "CC0-1.0 OR MIT-0 OR Apache-2.0",
    "MIT",
    "MIT AND BSD-3-Clause",
    "MIT OR Apache-2.0",
    "Unlicense OR MIT",
    "Zlib",
    "bzip2-1.0.6",
    "Apache-2.0 OR BSL-1.0",
];

const HEAD: &str = "# Third-party notices

The program pzcomp is linked from the works below, beside its own code and the standard library of Rust (MIT or
Apache-2.0). This is so for a build with the default features on Linux. Programs that use the library have less of it:
the feature `cli` brings most of the packages. If a work has several licences, the text here is the one that
pzcomp uses it under. `make third-party` writes this file.
";

/// A package or a part of one.
struct Work {
    name: String,
    version: String,
    licence: String,
    texts: Vec<PathBuf>,
}

#[test]
fn the_notices_are_complete_and_current() {
    let works = works();
    let mut made = String::from(HEAD);
    // Texts that differ in white space only are one text.
    let mut texts: Vec<(String, String, Vec<&str>)> = Vec::new();
    for part in [false, true] {
        let title = if part { "C libraries" } else { "Packages" };
        write!(made, "\n## {title}\n| work | version | licence | text |\n|---|---|---|---|\n").unwrap();
        for work in works.iter().filter(|work| work.version.contains("in ") == part) {
            let mut numbers = Vec::new();
            for path in &work.texts {
                let text = fs::read_to_string(path).unwrap();
                let key = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let at = texts.iter().position(|(other, ..)| *other == key).unwrap_or_else(|| {
                    texts.push((key, text, Vec::new()));
                    texts.len() - 1
                });
                texts[at].2.push(&work.name);
                numbers.push((at + 1).to_string());
            }
            writeln!(
                made,
                "| {} | {} | {} | {} |",
                work.name,
                work.version,
                work.licence,
                numbers.join(", ")
            )
            .unwrap();
        }
    }
    made.push_str("\n## Texts\n");
    for (number, (_, text, users)) in texts.iter().enumerate() {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let text = lines.join("\n");
        let users = users.join(", ");
        write!(made, "\n### {}: {users}\n```text\n{}\n```\n", number + 1, text.trim_matches('\n')).unwrap();
    }
    let file = root().join("THIRD-PARTY.md");
    if std::env::var_os("UPDATE_THIRD_PARTY").is_some() {
        fs::write(&file, &made).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == made, "THIRD-PARTY.md is not current; make it with: make third-party");
}

/// The packages that are linked into the program, in the order of their names, and behind them what they bring along.
fn works() -> Vec<Work> {
    let metadata = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let package = |id: &str| array(&metadata["packages"]).iter().find(|package| package["id"] == id).unwrap();
    let node = |id: &str| array(&metadata["resolve"]["nodes"]).iter().find(|node| node["id"] == id).unwrap();
    let mut found = BTreeSet::new();
    let mut left = vec![array(&metadata["packages"]).iter().find(|one| one["name"] == "pzcomp").unwrap()];
    while let Some(here) = left.pop() {
        // Macros run in the compiler.
        let is_macro = array(&here["targets"]).iter().any(|target| target["kind"][0] == "proc-macro");
        let id = text(&here["id"]);
        if is_macro || !found.insert((text(&here["name"]), text(&here["version"]), id)) {
            continue;
        }
        let deps = array(&node(id)["deps"]).iter();
        let linked = deps.filter(|dep| array(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()));
        left.extend(linked.map(|dep| package(text(&dep["pkg"]))));
    }
    let (mut packages, mut parts) = (Vec::new(), Vec::new());
    for (name, version, id) in found {
        let package = package(id);
        if package["source"].is_null() {
            continue;
        }
        let folder = Path::new(text(&package["manifest_path"])).parent().unwrap();
        for (_, work, licence, file) in INSIDE.into_iter().filter(|(of, ..)| *of == name) {
            let texts = vec![folder.join(file)];
            let version = format!("in {name} {version}");
            parts.push(Work { name: work.into(), version, licence: licence.into(), texts });
        }
        let licence = text(&package["license"]).replace('/', " OR ");
        let is_free =
            |licence: &str| ACCEPTED.contains(&licence) || licence.split(" OR ").any(|one| one == "MIT");
        assert!(is_free(&licence), "{name}: may it be used under {licence}? Then it belongs in ACCEPTED.");
        packages.push(Work { name: name.into(), version: version.into(), licence, texts: notices(folder) });
    }
    assert_eq!(parts.len(), INSIDE.len(), "a package of INSIDE is no longer linked");
    packages.extend(parts);
    packages
}

/// The files with the notices of a package: the text of the licence that is chosen, and those of parts of the package.
fn notices(folder: &Path) -> Vec<PathBuf> {
    let choices = ["LICENSE-MIT", "LICENSE-APACHE", "LICENSE", "LICENSE.md", "COPYING", "LICENSE_A2"];
    let main = choices.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let main = main.unwrap_or_else(|| panic!("{} has no licence", folder.display()));
    let parts = ["LICENSE-THIRD-PARTY", "NOTICE"].iter().map(|name| folder.join(name));
    [main].into_iter().chain(parts.filter(|path| path.exists())).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
