//! Reads in any order of the data that no span holds.
//!
//! [`Seekable`] asks [`Seekable::read_noted`] for such data. A read that follows another one goes on in order. The
//! first read that does not follow another one starts [`Noted`], if the format has restart points. Later reads begin at
//! the nearest point, and what they decode goes into the cache.

use std::io;

use super::Block;
use super::forward::Of;
use super::index::Index;
use super::noted::{self, IsOver, Noted, Reached};
use super::{Core, Seekable};
use crate::error::{Error, Result};
use crate::format::restart::ScannedPart;
use crate::format::{Accepted, Format, SNIFF_LEN};
use engine::io::{RandomAccess, ReadAt};

/// A read this far behind another one reads on in order.
const NEAR: u64 = 1 << 20;

impl<R: ReadAt + 'static> Seekable<R> {
    /// Whether reads in any order note restart points, so that later ones are short: there is data that no index leads
    /// to, in a format with restart points.
    pub fn notes_points(&self) -> bool {
        self.restarting_rest().is_some()
    }

    /// An index of the restart points that reads in any order have noted. `None` if they do not lead to all of the
    /// file: no such read has come to its end, or there is data in another format. [`Index::build`] makes an index in
    /// any case.
    pub fn noted_index(&self) -> Result<Option<Index>> {
        let whole = self.noted.get().and_then(Option::as_ref).and_then(Noted::whole);
        match whole {
            // Frames in front of the points were not decoded.
            Some((map, windows)) if self.core.map.spans.is_empty() => {
                Index::of_points(&self.core.source, map, windows).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The format of the data behind the last span, if it has restart points, and where it begins.
    fn restarting_rest(&self) -> Option<(Format, u64)> {
        let Core { source, map, options, .. } = &*self.core;
        let start = map.rest?;
        let mut head = [0; SNIFF_LEN];
        let read = RandomAccess::Source(source).read_at(&mut head, start).ok()?;
        let format = Accepted::new(options.accept.as_deref()).sniff(&head[..read], start)?;
        format.codec().places().restarts().map(|_| (format, start))
    }

    /// Reads data that no span holds from the nearest restart point. `None` if it is read in order.
    pub(super) fn read_noted(&self, buffer: &mut [u8], offset: u64) -> Result<Option<usize>> {
        if self.is_in_order(offset) {
            return Ok(None);
        }
        self.verify_lengths(self.core.map.spans.len())?;
        let Some(noted) = self.noted.get_or_init(|| self.start_noted()) else { return Ok(None) };
        let (number, part) = match noted.reach(offset) {
            Reached::Part(number, part) if self.is_short(&part.span) => (number, part),
            Reached::End(len) => {
                self.found_len.get_or_init(|| len);
                return Ok(Some(0));
            }
            _ => return Ok(None),
        };
        let block = match self.cache.get(number) {
            Some(block) => block,
            None => {
                let block = Block::new(part.decode(self.core.decoder())?);
                self.cache.put(number, &block);
                block
            }
        };
        let bytes = usize::try_from(offset - part.span.plain).ok().and_then(|skip| block.get(skip..));
        let bytes = bytes.unwrap_or_default();
        let len = bytes.len().min(buffer.len());
        buffer[..len].copy_from_slice(&bytes[..len]);
        Ok(Some(len))
    }

    /// Whether a read of data that no span holds goes on where another one has ended, or begins at the start of that
    /// data.
    fn is_in_order(&self, offset: u64) -> bool {
        let follows = |start: u64| offset >= start && offset - start <= NEAR;
        if self.noted.get().is_none() && follows(self.core.map.plain_end()) {
            return true;
        }
        self.lock_forwards().iter().any(|forward| forward.of == Of::Rest && follows(forward.offset))
    }

    fn start_noted(&self) -> Option<Noted> {
        let (format, start) = self.restarting_rest()?;
        let core = self.core.clone();
        let interval = noted::interval(core.map.coded_len, self.cache.most() as u64);
        let scan = move |is_over: IsOver, take: &mut dyn FnMut(ScannedPart) -> Result<()>| {
            let source = Watched { source: &core.source, is_over };
            let restarts = format.codec().places().restarts();
            let restarts = restarts.ok_or_else(|| Error::Internal("no restarts".into()))?;
            restarts.scan(RandomAccess::Source(&source), start..core.map.coded_len, interval, take)
        };
        // Without a thread everything is decoded in order.
        Noted::start(format, self.core.map.clone(), &self.core.options, scan).ok()
    }
}

/// The source of a scan. Its reads fail when nobody needs more of the scan: the data of a single block can be very
/// long, and the scan gives nothing before its end.
struct Watched<'a, R> {
    source: &'a R,
    is_over: IsOver<'a>,
}

impl<R: ReadAt> ReadAt for Watched<'_, R> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if (self.is_over)() {
            return Err(io::Error::other("nobody needs more of the scan"));
        }
        self.source.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.source.size()
    }
}
