//! Tells the program from which commit it is built.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=PZCOMP_COMMIT={commit}");
    }
}

/// The commit of the sources, for `pzcomp --version -v`. The environment variable `PZCOMP_COMMIT` states it where there
/// is no repository. A package of a registry states it in a file. Otherwise git is asked, for release builds only:
/// other builds would be made again after each commit.
fn commit() -> Option<String> {
    println!("cargo::rerun-if-env-changed=PZCOMP_COMMIT");
    let stated = env::var("PZCOMP_COMMIT").ok().or_else(|| {
        let info = fs::read_to_string(".cargo_vcs_info.json").ok()?;
        Some(info.split_once("\"sha1\"")?.1.split('"').nth(1)?.to_owned())
    });
    let is_repository = Path::new(".git").exists() && env::var("PROFILE").as_deref() == Ok("release");
    let commit = stated.or_else(|| if is_repository { commit_of_repository() } else { None })?;
    let is_plain = commit.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_plain && !commit.is_empty()).then_some(commit)
}

/// The commit that is checked out. Changes that are not committed are stated too.
fn commit_of_repository() -> Option<String> {
    let head = git(&["rev-parse", "HEAD"])?;
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for watched in [log.as_str(), "src", "crates", "Cargo.toml", "Cargo.lock"] {
        if Path::new(watched).exists() {
            println!("cargo::rerun-if-changed={watched}");
        }
    }
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { head } else { format!("{head}-changed") })
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
