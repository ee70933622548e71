//! What the programs of this crate and of `model` share: the data that they measure, and a description of the
//! machine.
//!
//! `corpus` writes the data to a pipe, `compare` to a file, and `scaling` to memory. All of them mean the same bytes
//! by the same name, so that anybody can make a figure again.

pub mod calendar;
pub mod corpus;
pub mod machine;
