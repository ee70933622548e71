//! What pzcomp does on many cores, computed from what it costs on one core and two.
//!
//! [`load`] is the arithmetic: the cost of a byte goes in, and the speed on any number of cores comes out. The other
//! modules measure what goes into it on this machine: the pipeline without a codec ([`ceiling`], [`pipes`]), the
//! machine itself ([`cores`]), and each stage of decoding a gzip file ([`stages`]). The program `scaling` calls all
//! of them and writes the report.
//!
//! Every measurement runs the code of pzcomp itself, through its public API and the module `internals`, which exists
//! for this package only.

pub mod ceiling;
pub mod cores;
// The library does not export the DEFLATE decoder of pzcomp, so this package compiles it from the same source. Its unit
// tests need more of the library and run there; so both modules are absent when clippy checks this library as a test.
#[cfg(not(test))]
#[allow(dead_code, unexpected_cfgs, unused_imports)]
#[path = "../../../src/inflate/mod.rs"]
mod inflate;
pub mod load;
pub mod pipes;
#[cfg(not(test))]
pub mod stages;
