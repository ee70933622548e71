//! Checks the C libraries of the system that the features `system-…` ask for.
//!
//! The crates with the bindings look for the libraries themselves. Two of them quietly build their own copy if the
//! library of the system is missing or too old. Whoever asks for the library of the system does not want that. So this
//! script fails, and says which version is needed.

use std::env;
use std::fs;
use std::path::Path;
use std::process::exit;

/// The feature, the name of the library for pkg-config, the oldest version, and the Debian package.
const LIBRARIES: [(&str, &str, &str, &str); 3] = [
    ("system-libdeflate", "libdeflate", "1.23", "libdeflate-dev"),
    ("system-lzma", "liblzma", "5.8.0", "liblzma-dev"),
    ("system-zstd", "libzstd", "1.5.4", "libzstd-dev"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LZMA_API_STATIC");
    if let Some(version) = libdeflate() {
        println!("cargo::rustc-env=PZCOMP_LIBDEFLATE={version}");
    }
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
