//! [`Prepared`] and [`Stream`]: what the options of a compression lead to, before its first byte.
//!
//! [`Encode`] comes in. A [`Prepared`] makes coders: those of `mod.rs`, which runs a stream from its first byte to its
//! last, those of a [`Compression`](super::Compression), and the coder of a serial frame of a
//! [`Compressor`](super::Compressor). A [`Stream`] has besides what the first two need, because they have threads. So a
//! chunk has the same frame in all of them.

use std::sync::Arc;

use super::adapt::{Adaptation, AdaptingEncoder};
use super::coders::{ChunkCoder, Knowledge, SerialCoder};
use super::{Counts, PlainSums, Records};
use crate::error::Result;
use crate::format::{Cut, Encoder, Format, WritingCodec};
use crate::options::{Encode, Layout, Settings};
use crate::summary::Summary;
use crate::tar_list::{self, Listing, Scan};
use engine::{Coder, Joiner, Outcome, Plan, Progress};

/// What makes the coders of a stream.
pub(super) struct Prepared {
    pub(super) format: Format,
    pub(super) codec: &'static dyn WritingCodec,
    pub(super) settings: Settings,
    pub(super) cut: Cut,
    /// The greatest length of a frame.
    pub(super) bound: usize,
    /// The level of each chunk, if it adapts.
    pub(super) adaptation: Option<Arc<Adaptation>>,
    pub(super) known: Knowledge,
}

impl Prepared {
    /// For options, and the settings that were made of them.
    pub(super) fn new(options: &Encode, settings: Settings) -> Result<Self> {
        let (format, codec) = (options.format, options.format.writing()?);
        let (cut, bound) = (Cut::of(&settings), settings.most(|settings| codec.coded_bound(settings)));
        Ok(Self { format, codec, settings, cut, bound, adaptation: None, known: Knowledge::default() })
    }

    /// An encoder of chunks.
    pub(super) fn encoder(&self) -> Result<Box<dyn Encoder>> {
        Ok(match &self.adaptation {
            None => self.codec.encoder(&self.settings)?,
            Some(adaptation) => {
                let (settings, adaptation) = (self.settings.at_start(), Arc::clone(adaptation));
                Box::new(AdaptingEncoder::new(self.codec, settings, adaptation)?)
            }
        })
    }

    /// The coder of a worker.
    pub(super) fn coder(&self) -> Result<Box<dyn Coder>> {
        if !self.settings.is_serial {
            return Ok(self.coder_with(self.encoder()?));
        }
        let (encoder, known) = (self.codec.serial_encoder(&self.settings)?, self.known.clone());
        Ok(Box::new(SerialCoder { encoder, chunk_len: self.cut.longest, known }))
    }

    /// The coders of so many workers. If one encoder codes the whole frame, there is one.
    fn coders(&self, count: usize) -> Result<Vec<Box<dyn Coder>>> {
        if self.settings.is_serial || self.adaptation.is_some() {
            return (0..count).map(|_| self.coder()).collect();
        }
        let encoders = self.codec.encoders(&self.settings, count)?;
        Ok(encoders.into_iter().map(|encoder| self.coder_with(encoder)).collect())
    }

    fn coder_with(&self, encoder: Box<dyn Encoder>) -> Box<dyn Coder> {
        let (chunk_len, bound, known) = (self.cut.longest, self.bound, self.known.clone());
        Box::new(ChunkCoder { encoder, chunk_len, bound, known })
    }

    /// The bytes at the start of the stream, and the joiner.
    pub(super) fn framing(&self) -> (Vec<u8>, Box<dyn Joiner>) {
        self.codec.framing(&self.settings)
    }

    /// The bytes that make readers refuse an output that is given up here.
    pub(super) fn unfinished(&self, is_begun: bool) -> &'static [u8] {
        self.codec.unfinished(&self.settings.layout, is_begun)
    }

    pub(super) fn summary(&self, outcome: Outcome) -> Summary {
        let levels = self.adaptation.as_ref().map_or_else(Vec::new, |adaptation| adaptation.shares());
        let remarks = self.settings.listing.as_ref().and_then(Listing::lack).into_iter().collect();
        Summary { format: Some(self.format), levels, remarks, ..outcome.into() }
    }
}

/// What a stream with threads needs.
pub(super) struct Stream {
    pub(super) prepared: Prepared,
    pub(super) counts: Counts,
    /// Finds the members of a tar archive.
    pub(super) scan: Option<Scan>,
    pub(super) records: Records,
    pub(super) progress: Progress,
}

impl Stream {
    /// For checked options, and so many threads that work on the stream. A codec with threads of its own has those of
    /// the options. The checksums of chunks are noted in `sums`.
    pub(super) fn new(options: &Encode, threads: usize, sums: Option<Arc<PlainSums>>) -> Result<Self> {
        let mut settings = options.settings()?;
        let scan = scan_for(options, &mut settings)?;
        let options = &Encode { threads, ..options.clone() };
        let counts = Counts::within(options, &settings)?;
        let progress = options.progress.clone().unwrap_or_default();
        let adapt = |adapt| Adaptation::new(&settings, adapt, counts.workers, progress.clone());
        let adaptation = settings.adapt.as_ref().map(adapt).map(Arc::new);
        let looks = settings.listing.is_some().then(Arc::default);
        let known = Knowledge { sums, looks };
        let prepared = Prepared { adaptation, known, ..Prepared::new(options, settings)? };
        let records = Records::new(prepared.codec, &prepared.settings, options);
        Ok(Self { prepared, counts, scan, records, progress })
    }

    pub(super) fn coders(&self) -> Result<Vec<Box<dyn Coder>>> {
        self.prepared.coders(self.counts.workers)
    }

    /// The plan with the bytes around the frames of this stream, and with its progress.
    pub(super) fn complete(&self, plan: Plan) -> Plan {
        let (header, joiner) = self.prepared.framing();
        Plan { header, joiner: self.records.watch(joiner), progress: Some(self.progress.clone()), ..plan }
    }
}

/// The scan of a stream that may be a tar archive. The settings get the listing, if the output has room for one.
fn scan_for(options: &Encode, settings: &mut Settings) -> Result<Option<Scan>> {
    if !options.tar.is_wanted() || settings.is_serial || settings.layout != Layout::Frames {
        return Ok(None);
    }
    let has_room = settings.index && options.format.writing()?.envelope().is_some();
    let (listing, scan) = tar_list::begin(options.memory, has_room, options.tar.is_demanded());
    settings.listing = listing;
    Ok(scan)
}
