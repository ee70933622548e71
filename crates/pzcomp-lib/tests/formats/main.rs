//! One format at a time: what we write, the format's own tools and libraries read, and the other way round.
//!
//! The peers are the tools that `make test` installs (a missing one is a failure), flate2 and libbz2-rs, and for
//! formats that nothing writes any more encoders of a few lines. A case pipes data through a peer with `common::pipe`,
//! and decodes with `common::decompress`, or with `common::outcome` on several numbers of threads from memory and
//! files. For longer runs of `legacy::damage` and `bzip2_encoder::mixtures`: `make fuzz`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

#[macro_use]
#[path = "../../../../tests/common/mod.rs"]
mod common;

mod bgzf;
mod bzip2_encoder;
mod bzip2_stream;
mod flush;
mod gzidx;
mod headers;
mod interop;
mod legacy;
mod lz4_blocks;
mod lzip;
mod member;
mod mydumper;
mod old_formats;
mod qpress;
mod rsyncable;
mod wrappers;
mod xbstream;
mod xz;
mod xz_options;
mod zstd_blocks;
mod zstd_parameters;
