//! What the two programs of this crate share: the data that everything is measured on.
//!
//! `corpus` writes it to a pipe, `compare` to a file; both must mean the same bytes by the same
//! name, so that a figure can be made again by anyone.

pub mod calendar;
pub mod corpus;
