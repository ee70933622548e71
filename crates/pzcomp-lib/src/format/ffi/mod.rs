//! Safe wrappers of the C libraries that the formats use: libdeflate, liblz4, liblzma and libzstd.
//!
//! Each wrapper takes and gives slices, and turns the return codes of its library into Rust values. Only the formats
//! call them. All `unsafe` code of the formats is in this folder, and each use states why it is sound.

pub(crate) mod deflate;
#[cfg(feature = "lz4")]
pub(super) mod lz4;
#[cfg(any(feature = "lzip", feature = "lzma", feature = "xz"))]
pub(crate) mod lzma;
pub(super) mod zstd;

/// The libraries with the versions that they state at run time.
pub(crate) fn versions() -> Vec<(&'static str, String)> {
    let of_decimals = |number: u32| format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100);
    vec![
        ("libzstd", of_decimals(zstd_safe::version_number())),
        #[cfg(any(feature = "lzip", feature = "lzma", feature = "xz"))]
        ("liblzma", lzma::version()),
        #[cfg(feature = "lz4")]
        ("liblz4", of_decimals(lz4::version_number())),
        // The bindings of libsais-sys 0.2 say 2.10.3, but they come with 2.10.4.
        #[cfg(feature = "bzip2")]
        ("libsais", "2.10.4".to_owned()),
    ]
}
