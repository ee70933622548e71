//! Checks the C libraries of the system that the features `system-…` ask for, and tells the program from which commit
//! it is built.
//!
//! The crates with the bindings look for the libraries themselves. Two of them quietly build their own copy if the
//! library of the system is missing or too old. Whoever asks for the library of the system does not want that. So this
//! script fails, and says which version is needed.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, exit};

/// The feature, the name of the library for pkg-config, the oldest version, and the Debian package.
const LIBRARIES: [(&str, &str, &str, &str); 3] = [
    ("system-libdeflate", "libdeflate", "1.23", "libdeflate-dev"),
    ("system-lzma", "liblzma", "5.8.0", "liblzma-dev"),
    ("system-zstd", "libzstd", "1.5.4", "libzstd-dev"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LZMA_API_STATIC");
    state("PZCOMP_COMMIT", commit());
    state("PZCOMP_LIBDEFLATE", libdeflate());
    // Features are added up over a whole program, so one crate may ask for the bundled library and another for the
    // system's. Then the bundled one is built.
    let is_bundled = is_on("bundled-lzma") || env::var_os("LZMA_API_STATIC").is_some();
    if is_on("system-lzma") && is_bundled {
        println!(
            "cargo::warning=the bundled liblzma is used: system-lzma has no effect beside the default feature \
             bundled-lzma or the variable LZMA_API_STATIC"
        );
    }
    let asked = LIBRARIES.into_iter().filter(|&(feature, ..)| is_on(feature));
    let asked = asked.filter(|&(feature, ..)| feature != "system-lzma" || !is_bundled);
    let missing: Vec<String> = asked.filter_map(|library| missing(library).err()).collect();
    for message in &missing {
        println!("cargo::error={message}");
    }
    exit(i32::from(!missing.is_empty()));
}

/// Gives the program this value as the environment variable of that name. Without a value the variable is not set.
fn state(variable: &str, value: Option<String>) {
    if let Some(value) = value {
        println!("cargo::rustc-env={variable}={value}");
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

/// The version of libdeflate, which has no function that tells it: from the header of the bundled library, or from
/// pkg-config.
fn libdeflate() -> Option<String> {
    match env::var("DEP_LIBDEFLATE_INCLUDE") {
        Ok(folder) => {
            let header = fs::read_to_string(Path::new(&folder).join("libdeflate.h")).ok()?;
            Some(header.split_once("LIBDEFLATE_VERSION_STRING")?.1.split('"').nth(1)?.to_owned())
        }
        Err(_) => of_system("libdeflate"),
    }
}

#[cfg(any(feature = "system-libdeflate", feature = "system-lzma", feature = "system-zstd"))]
fn of_system(name: &str) -> Option<String> {
    pkg_config::Config::new().cargo_metadata(false).probe(name).ok().map(|library| library.version)
}

#[cfg(not(any(feature = "system-libdeflate", feature = "system-lzma", feature = "system-zstd")))]
fn of_system(_: &str) -> Option<String> {
    None
}

fn is_on(feature: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase().replace('-', "_"))).is_some()
}

#[cfg(any(feature = "system-libdeflate", feature = "system-lzma", feature = "system-zstd"))]
fn missing((feature, name, oldest, package): (&str, &str, &str, &str)) -> Result<(), String> {
    let probe = pkg_config::Config::new().cargo_metadata(false).probe(name);
    let found = probe.map(|library| library.version).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.split('\n').next().unwrap_or_default().to_owned();
        format!(
            "the feature {feature} needs {name} {oldest} or newer, and pkg-config finds none ({reason}); install it \
             (Debian: {package}), or build without the feature"
        )
    })?;
    if numbers(&found) >= numbers(oldest) {
        return Ok(());
    }
    Err(format!(
        "the feature {feature} needs {name} {oldest} or newer, and the system has {found}; build without the feature"
    ))
}

/// The numbers of a version. Anything behind them does not count.
#[cfg(any(feature = "system-libdeflate", feature = "system-lzma", feature = "system-zstd"))]
fn numbers(version: &str) -> Vec<u32> {
    version.split(|other: char| !other.is_ascii_digit()).map_while(|number| number.parse().ok()).collect()
}

#[cfg(not(any(feature = "system-libdeflate", feature = "system-lzma", feature = "system-zstd")))]
fn missing(_: (&str, &str, &str, &str)) -> Result<(), String> {
    Ok(())
}
