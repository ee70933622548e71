//! What stands for lists of members in a build without the feature `tar`. [`Tar`](crate::Tar) has only `Never` there,
//! so no list is made, and lists in indexes are passed over.

use std::ops::{Range, RangeInclusive};

use crate::error::Result;
use engine::io::RandomAccess;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Never {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing(Never);

impl Listing {
    pub(crate) fn lack(&self) -> Option<String> {
        match self.0 {}
    }

    pub(crate) fn records<E>(&self, _: u64, _: E) -> Vec<Vec<u8>> {
        match self.0 {}
    }

    pub(crate) fn lens(&self) -> Vec<usize> {
        match self.0 {}
    }
}

pub(crate) struct Scan(Never);

pub(crate) fn begin(_: Option<u64>, _: bool, _: bool) -> (Option<Listing>, Option<Scan>) {
    (None, None)
}

impl Scan {
    pub(crate) fn begins_tar(_: &[u8]) -> bool {
        false
    }

    pub(crate) fn wanted(&self) -> Option<u64> {
        match self.0 {}
    }

    pub(crate) fn skippable(&self) -> u64 {
        match self.0 {}
    }

    pub(crate) fn headers_len(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn is_tar(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn see(&mut self, _: u64, _: &[u8]) -> Result<()> {
        match self.0 {}
    }

    pub(crate) fn cut(&mut self, _: RangeInclusive<u64>) -> u64 {
        match self.0 {}
    }

    pub(crate) fn end(&mut self, _: u64) -> Result<()> {
        match self.0 {}
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Walk(Never);

impl Walk {
    /// Finds none.
    pub(crate) fn in_records(_: RandomAccess, _: Range<u64>, _: u64) -> Result<Option<Self>> {
        Ok(None)
    }

    pub(crate) fn records(&self) -> &[(u64, u32)] {
        match self.0 {}
    }
}
