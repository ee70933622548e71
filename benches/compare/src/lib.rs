//! What the programs of this crate share: the data that everything is measured on, and on what machine.
//!
//! `corpus` writes the data to a pipe, `compare` to a file, `scaling` to memory; all must mean the same
//! bytes by the same name, so that a figure can be made again by anyone.

pub mod calendar;
pub mod corpus;
pub mod machine;
