//! The decoder compared with zlib-rs and libdeflate.
//!
//! The streams are of all makers, valid and invalid, whole and cut at every place. Each file has one subject, and
//! `../compare` has the comparisons. To add a case, add a test to the file of its subject.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

#[path = "../common/mod.rs"]
mod common;
#[path = "../compare/mod.rs"]
mod compare;
mod differential;
mod inside;
mod pair;
mod resume;
mod verdicts;
mod writer;

use common::Random;
use compare::{Verdict, compare, compare_steps, ours};
use pzcomp_deflate::inflate::{Boundary, Defect, Inflate, Output, Pause};
