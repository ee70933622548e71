//! Safe and small wrappers of C libraries, where no crate offers what a format needs. All the
//! `unsafe` of the formats is here.

pub(crate) mod deflate;
pub(super) mod lz4;
pub(crate) mod lzma;
pub(super) mod zstd;
