//! What stands for the package `crates/recovery` in a build without the feature `recovery`. No program can ask for
//! records there: [`Recovery`] has no value, and so none of these types has one.

use std::io;
use std::num::NonZeroUsize;

use super::super::Cursor;
use super::Envelope;
use crate::error::Result;

use crate::options::Recovery;

#[derive(Clone, Copy, Debug)]
enum Never {}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings(Never);

impl Settings {
    pub(crate) fn memory(self, _: usize) -> u64 {
        match self.0 {}
    }
}

/// Nothing is known of records in this build.
pub(crate) fn more_follows(_: &[u8]) -> Option<bool> {
    None
}

pub(crate) fn more_follows_behind(_: &mut dyn Cursor, _: usize) -> Result<Option<bool>> {
    Ok(None)
}

pub(crate) fn settings(wanted: Recovery, _: Envelope) -> Settings {
    match wanted {}
}

pub(crate) struct Run(Never);

impl Run {
    pub(crate) fn record_lens(&self) -> std::iter::Empty<usize> {
        match self.0 {}
    }
}

pub(crate) struct Planner(Never);

impl Planner {
    pub(crate) fn new(settings: Settings) -> Self {
        match settings.0 {}
    }

    pub(crate) fn begin(&mut self) -> Option<Run> {
        match self.0 {}
    }

    pub(crate) fn frame(&mut self, _: u64) {
        match self.0 {}
    }

    pub(crate) fn finish(&mut self, _: Option<impl Fn(usize) -> usize>) -> Run {
        match self.0 {}
    }
}

pub(crate) struct Recorder(Never);

impl Recorder {
    pub(crate) fn new(settings: Settings, _: NonZeroUsize) -> Self {
        match settings.0 {}
    }

    pub(crate) fn frame(&mut self, _: u64) {
        match self.0 {}
    }

    pub(crate) fn write(&mut self, _: &[u8], _: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn finish(&mut self, _: &[u8], _: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self.0 {}
    }
}
