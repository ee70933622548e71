//! Safe wrappers of the C libraries that the formats use: libdeflate, liblz4, liblzma and libzstd.
//!
//! Each wrapper takes and gives slices, and turns the return codes of its library into Rust values. Only the formats
//! call them. All `unsafe` code of the formats is in this folder, and each use states why it is sound.

pub(crate) mod deflate;
pub(super) mod lz4;
pub(crate) mod lzma;
pub(super) mod zstd;

/// The libraries with the versions that they state at run time.
pub(crate) fn versions() -> [(&'static str, String); 3] {
    let of_decimals = |number: u32| format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100);
    [
        ("libzstd", of_decimals(zstd_safe::version_number())),
        ("liblzma", lzma::version()),
        ("liblz4", of_decimals(lz4::version_number())),
    ]
}
