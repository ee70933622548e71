//! What this build of pzcomp consists of, and what it uses of the CPU.
//!
//! [`libraries`] names the C libraries with their versions. [`cpu_features`] names the CPU features for which faster
//! code is used. `pzcomp --version -v` prints both.

use crate::format::ffi;

/// The C libraries that are linked, by name, with the versions that they state.
///
/// ```
/// assert!(pzcomp::build_info::libraries().iter().any(|(name, _)| *name == "libzstd"));
/// ```
pub fn libraries() -> Vec<(&'static str, String)> {
    let libdeflate = option_env!("PZCOMP_LIBDEFLATE").map(|version| ("libdeflate", version.to_owned()));
    ffi::versions().into_iter().chain(libdeflate).collect()
}

/// The CPU features that this CPU has and for which pzcomp or a library in it has faster code.
///
/// ```
/// println!("{}", pzcomp::build_info::cpu_features().join(" "));
/// ```
pub fn cpu_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! found {
            ($($name:tt)*) => { [$(($name, std::is_x86_feature_detected!($name))),*] };
        }
        let known = found![
            "ssse3" "sse4.1" "pclmulqdq" "sha" "lzcnt" "bmi1" "bmi2" "avx2" "avx512f" "avx512bw" "avx512vl"
            "avx512vnni" "vpclmulqdq"
        ];
        known.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }
    #[cfg(target_arch = "aarch64")]
    {
        macro_rules! found {
            ($($name:tt)*) => { [$(($name, std::arch::is_aarch64_feature_detected!($name))),*] };
        }
        let known = found!["neon" "crc" "aes" "sha2" "sha3" "dotprod"];
        known.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_states_a_version() {
        let libraries = libraries();
        let all = cfg!(feature = "all-formats");
        for name in ["libzstd", "libdeflate"]
            .into_iter()
            .chain(["liblzma", "liblz4", "libsais"].into_iter().filter(|_| all))
        {
            let version =
                libraries.iter().find(|(known, _)| *known == name).map(|(_, version)| version.as_str());
            let parts: Vec<&str> = version.unwrap_or_default().split('.').collect();
            assert!(
                parts.len() >= 2 && parts.iter().all(|part| part.parse::<u32>().is_ok()),
                "{name}: {parts:?}"
            );
        }
    }
}
