//! `libpzcomp-gz.so`: the `gz` functions of zlib on all cores, for programs that nobody will change.
//!
//! ```text
//! calls, printf.c ── the functions of zlib.h: pointers of the caller become references, and results become codes
//! handle ── what a gzFile is: the public start that the macro gzgetc uses, and a stream that is read or written
//! reading, looking, seeking ── reading: inline with inflate of zlib, or by parallel
//! writing, coding ── writing: inline with deflate of zlib, or by parallel
//! parallel ── Reader and Writer of pzcomp, and the pool that all files share
//! zlib, real, memory, descriptor ── what is unsafe: zlib, its own gz functions, memory and descriptors of the caller
//! ```
//!
//! Short data is coded inline, so it needs no thread. A stream becomes parallel at its length ([`settings`]). If the
//! parallel decoding of a file fails, zlib decodes the file again from the start. So errors are those of zlib, with its
//! words, and at the same bytes.

// zlib.h documents the functions. It states what their pointers must be.
#![allow(missing_docs, clippy::missing_safety_doc)]

mod calls;
mod coding;
mod descriptor;
mod fault;
mod handle;
mod looking;
mod memory;
mod mode;
mod parallel;
mod reading;
mod real;
mod seeking;
mod settings;
mod writing;
mod zlib;
