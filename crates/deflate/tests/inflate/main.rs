//! The decoder compared with zlib-rs and libdeflate: streams of all makers, every refusal, every way to be cut.

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
