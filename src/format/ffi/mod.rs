//! Safe and small wrappers of C libraries, where no crate offers what a format needs. All the
//! `unsafe` of the formats is here.

#[cfg(test)]
pub(super) mod bzip2;
pub(crate) mod deflate;
pub(super) mod lz4;
pub(crate) mod lzma;
pub(super) mod sais;
pub(super) mod zstd;
