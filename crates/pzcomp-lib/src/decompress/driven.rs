//! [`Decompression`]: a stream from which a caller takes plain data, and to which it gives coded input when asked.
//!
//! `Reader` and `BackgroundReader` run on it. [`Driven`] starts a session of the engine and a thread for the feeder.
//! The feeder asks for input. The caller gives it, or a second thread reads it from a reader that the caller has given
//! away. If the system starts no thread, [`Kept`] takes the place of `Driven`.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use super::coder::FrameCoder;
use super::cursor::Supplier;
use super::kept::Kept;
use super::resources::{BLOCKS_MEMORY, Resources};
use super::walk::Walk;
use super::{Survey, plan};
use crate::error::{Error, Result};
use crate::format::rings::Rings;
use crate::options::Decode;
use crate::summary::Summary;
use engine::waits::{End, Meter};
use engine::{Coder, Crew, Feeder, Lease, MakeCoder, Session, Turn};

/// A stream that is being decompressed.
pub(crate) enum Decompression {
    /// By threads.
    Driven(Box<Driven>),
    /// By its owner.
    Kept(Box<Kept>),
}

impl Decompression {
    /// A stream whose input the caller gives when it is asked ([`Self::take_request`]). If the system starts no thread
    /// for it, the caller decodes inside its calls. `is_shared` says whether other streams use the crew too.
    pub(crate) fn new(options: &Decode, crew: Arc<Crew>, is_shared: bool) -> Result<Self> {
        let threads = crew.size();
        match Driven::start(options, crew, is_shared) {
            Err(Error::Threads { source }) => Ok(Self::Kept(Box::new(Kept::new(options, threads, source)))),
            driven => driven.map(|driven| Self::Driven(Box::new(driven))),
        }
    }

    /// Has a thread read the input in the background. Returns the reader if the caller has to read it.
    pub(crate) fn start_reader<R: Read + Send + 'static>(&mut self, reader: R) -> Option<R> {
        let Self::Driven(driven) = self else { return Some(reader) };
        let reader = driven.session.start_reader(reader);
        driven.reads_itself = reader.is_none();
        reader
    }

    /// Frees what the stream does not need while no input comes. All output that the input allows must have been taken.
    /// Returns the most memory that the stream has until then.
    pub(crate) fn rest(&self) -> u64 {
        match self {
            Self::Driven(driven) => driven.rest(),
            Self::Kept(kept) => kept.rest(),
        }
    }

    /// Takes `others` bytes from the memory for windows, because other streams that share the limit have them. It is an
    /// error if that is more than there is.
    pub(crate) fn share_with(&self, others: u64) -> Result<()> {
        match self {
            Self::Driven(driven) => driven.share_with(others),
            Self::Kept(kept) => kept.share_with(others),
        }
    }

    pub(crate) fn meter(&self) -> &Meter {
        match self {
            Self::Driven(driven) => driven.session.meter(),
            Self::Kept(kept) => kept.meter(),
        }
    }

    /// The next output, or what the stream needs. With `read_ahead`, input that the feeder wants comes before output
    /// that is ready. Otherwise all output that the input so far allows comes first.
    pub(crate) fn turn(&self, read_ahead: bool) -> Turn {
        match self {
            Self::Driven(driven) => driven.turn(read_ahead),
            Self::Kept(kept) => kept.turn(read_ahead),
        }
    }

    /// The slab that the feeder wants to be filled.
    pub(crate) fn take_request(&self) -> Option<Lease> {
        match self {
            Self::Driven(driven) => driven.take_request(),
            Self::Kept(kept) => kept.take_request(),
        }
    }

    /// Gives the feeder a slab with so many bytes. None means the end of the input.
    pub(crate) fn supply(&self, supply: engine::Result<(Lease, usize)>) {
        match self {
            Self::Driven(driven) => driven.supply(supply),
            Self::Kept(kept) => kept.supply(supply),
        }
    }

    /// Puts the slab back, because there is no input yet.
    pub(crate) fn return_request(&self, slab: Lease) {
        match self {
            Self::Driven(driven) => driven.return_request(slab),
            Self::Kept(_) => {}
        }
    }

    /// The summary, after the stream is over.
    pub(crate) fn summary(&self) -> Result<Summary> {
        match self {
            Self::Driven(driven) => driven.summary(),
            Self::Kept(kept) => kept.summary(),
        }
    }
}

/// A stream that threads decompress.
pub(crate) struct Driven {
    session: Session,
    resources: Resources,
    rings: Arc<Rings>,
    /// What the feeder has found and how much it has read, after it has ended.
    found: Arc<Mutex<Option<(Survey, u64)>>>,
    /// A thread reads the input.
    reads_itself: bool,
}

impl Driven {
    /// A stream whose input the caller gives when it is asked. No job of another stream of the crew waits for anything.
    pub(crate) fn new(options: &Decode, crew: Arc<Crew>) -> Result<Self> {
        Self::start(options, crew, false)
    }

    fn start(options: &Decode, crew: Arc<Crew>, is_shared: bool) -> Result<Self> {
        let options = Decode { threads: crew.size(), ..options.clone() };
        let resources = Resources::within(&options)?;
        if !is_shared && crew.is_short() {
            return Err(Error::Threads { source: std::io::ErrorKind::WouldBlock.into() });
        }
        let plan = plan(&resources, &options);
        let (reading, coder_options) = (resources.reading(&options), options.clone());
        let rings = Arc::clone(&reading.rings);
        let make_coder: MakeCoder = Box::new(move || {
            Ok(Box::new(FrameCoder::new(&resources, &reading, &coder_options)) as Box<dyn Coder>)
        });
        let session = Session::new(plan, crew, resources.workers, make_coder);
        // Outside of the calls that wait, the stream waits for its owner.
        session.meter().enter(End::Sink);
        let found = Arc::new(Mutex::new(None));
        let result = Arc::clone(&found);
        if is_shared {
            session.start_worker()?;
        }
        session.start_feeder(move |feed| {
            let mut walk = Walk::supplied(Supplier::Owner, &options, resources.workers);
            let fed = walk.feed(feed);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(walk.into_survey());
            fed
        })?;
        Ok(Self { session, resources, rings, found, reads_itself: false })
    }

    fn rest(&self) -> u64 {
        let buffers = self.session.trim() as u64;
        // A worker that waits inside a frame keeps what it has decoded.
        self.rings.trim().saturating_add(buffers).saturating_add(BLOCKS_MEMORY as u64)
    }

    fn share_with(&self, others: u64) -> Result<()> {
        self.resources.share_with(others)?;
        self.rings.share_with(others.div_ceil(self.resources.workers as u64));
        Ok(())
    }

    /// The next output, or what the stream needs. With `read_ahead`, input that the feeder wants comes before output
    /// that is ready. Otherwise all output that the input so far allows comes first.
    pub(crate) fn turn(&self, read_ahead: bool) -> Turn {
        self.session.turn_to_take(read_ahead, self.reads_itself)
    }

    /// The slab that the feeder wants to be filled.
    pub(crate) fn take_request(&self) -> Option<Lease> {
        self.session.take_request()
    }

    /// Gives the feeder a slab with so many bytes. None means the end of the input.
    pub(crate) fn supply(&self, supply: engine::Result<(Lease, usize)>) {
        self.session.supply(supply);
    }

    /// Puts the slab back, because there is no input yet.
    pub(crate) fn return_request(&self, slab: Lease) {
        self.session.return_request(slab);
    }

    /// The summary, after the stream is over.
    pub(crate) fn summary(&self) -> Result<Summary> {
        let (_, outcome) = self.session.ending(0)?;
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut survey, coded_len) =
            found.ok_or_else(|| Error::Internal("a feeder that has no result".into()))?;
        Ok(survey.summary(coded_len, outcome))
    }
}
