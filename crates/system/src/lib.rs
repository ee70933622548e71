//! What systems answer differently, behind functions of the same signature for each system. README.md has the table.
//!
//! The engine, the library and the command call it. It knows nothing of pzcomp. What a system cannot do is a constant,
//! an error or a `None`, so that the caller can say it. No other package asks which system it runs on. What only a
//! program needs, and no library may change, has the feature `program`.

pub mod allocator;
pub mod cache;
pub mod cgroup;
#[cfg(feature = "program")]
pub mod child;
pub mod cpu;
pub mod errors;
pub mod facts;
pub mod file;
pub mod folder;
pub mod handle;
pub mod memory;
pub mod name;
pub mod pipe;
pub mod place;
mod pressure;
pub mod priority;
pub mod sandbox;
#[cfg(feature = "program")]
pub mod signals;
#[cfg(feature = "program")]
pub mod streams;
pub mod symbol;
