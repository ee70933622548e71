//! `libpzcomp`: pzcomp for programs in C, and in languages that call C.
//!
//! ```text
//! include/pzcomp.h ── the interface, in words of C
//! whole, writer, reader, file, options ── one file for each kind of call, each a thin layer over the library
//! border ── pointers of the caller as references, and objects as pointers
//! errors ── the last error of each thread; no panic leaves the library
//! ```
//!
//! The functions are `extern "C"`, and their documentation is in the header and in `libpzcomp.3`. An object remembers
//! the process that made it: the threads of a pool do not exist in a forked child, so a child that waited for them
//! would wait for ever.

// The header and the man page document the functions. Each states what its pointers must be.
#![allow(missing_docs, clippy::missing_safety_doc)]

mod border;
mod ends;
mod errors;
mod file;
mod options;
mod reader;
mod whole;
mod writer;
