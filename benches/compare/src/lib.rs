//! The data and the description of the machine, for the programs of this crate and of `model`.
//!
//! `corpus` writes the data to a pipe, and `compare` to a file. The same name means the same bytes
//! in all of them, so that anybody can repeat a measurement.

pub mod calendar;
pub mod corpus;
pub mod machine;
