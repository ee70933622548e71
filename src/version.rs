//! The text of `pzcomp --version`, and of `pzcomp --version -v` for reports of errors.
//!
//! The dialect of pzcomp itself prints it.

use pzcomp::build_info::{cpu_features, libraries};

/// The version. If `is_long`, also the commit if it is known, the libraries, the CPU features and the platform, one of
/// them on each line.
pub(super) fn text(is_long: bool) -> String {
    let mut text = format!("pzcomp {}\n", env!("CARGO_PKG_VERSION"));
    if !is_long {
        return text;
    }
    if let Some(commit) = option_env!("PZCOMP_COMMIT") {
        text.push_str(&format!("commit: {commit}\n"));
    }
    let libraries: Vec<String> =
        libraries().into_iter().map(|(name, version)| format!("{name} {version}")).collect();
    let features = cpu_features();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    let libc = match (cfg!(target_env = "musl"), cfg!(target_feature = "crt-static")) {
        (true, _) => "musl",
        (false, true) => "static C library",
        (false, false) => "C library of the system",
    };
    text.push_str(&format!(
        "libraries: {}\nCPU features in use: {features}\nplatform: {} {}, {libc}\n",
        libraries.join(", "),
        std::env::consts::OS,
        std::env::consts::ARCH
    ));
    text
}
