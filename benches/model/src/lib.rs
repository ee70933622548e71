//! What pzcomp does on many cores, computed from what it costs on one core and two.
//!
//! [`load`] is the arithmetic: the cost of a byte goes in, and the speed on any number of cores comes out. The other
//! modules measure what goes into it on this machine: the pipeline without a codec ([`ceiling`], [`pipes`]), the
//! machine itself ([`cores`]), and each stage of decoding a gzip file or a zstd frame ([`stages`]). The program
//! `scaling` calls all of them and writes the report.
//!
//! Every measurement runs the code of pzcomp itself, through its public API and the module `internals`, which exists
//! for this package only.

pub mod ceiling;
pub mod cores;
pub mod load;
pub mod pipes;
pub mod stages;
