//! What is put out: mended data, and bytes of the source that are right.
//!
//! As long as everything is as it was written, and at its place, nothing is put out: [`Run::is_noted`] takes the
//! ranges. Only the first damage begins the output. So a source is read once, whether it is damaged or not.

use std::io;
use std::ops::Range;

use super::Run;

impl Run<'_> {
    /// Puts out bytes of the data.
    pub(super) fn put(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.begin()?;
        self.sink.as_mut().map_or(Ok(()), |sink| sink.data(bytes, at))
    }

    /// Takes a range of the source that is as it was written and at its place. Returns whether that is enough, because
    /// nothing was put out yet.
    pub(super) fn is_noted(&mut self, range: Range<u64>) -> bool {
        // Zeros at the end of a source that was cut look as if they were there.
        let Some(same) = self.same.as_mut().filter(|_| range.end <= self.mend.source.len()) else {
            return false;
        };
        match same.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => same.push(range),
        }
        true
    }

    /// Puts out what was noted.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        for range in self.same.take().into_iter().flatten() {
            self.copy(range.clone(), range.start)?;
        }
        Ok(())
    }

    /// Puts out bytes of the source.
    pub(super) fn copy(&mut self, range: Range<u64>, to: u64) -> io::Result<()> {
        let (mut block, mut at) = (Vec::new(), range.start);
        while at < range.end && self.sink.is_some() {
            block.resize((1 << 20).min(range.end - at) as usize, 0);
            self.mend.source.read_at(&mut block, at)?;
            self.put(&block, to + at - range.start)?;
            at += block.len() as u64;
        }
        Ok(())
    }

    /// Bytes of the source that belong to no stream. They are kept if they are whole by themselves. Otherwise nobody
    /// can say whether they were inserted or are damaged data, so they are never left out. Returns whether they are
    /// kept.
    pub(super) fn between(&mut self, range: Range<i64>) -> io::Result<bool> {
        let len = self.mend.source.len();
        let range = (range.start.max(0) as u64).min(len)..(range.end.max(0) as u64).min(len);
        if range.is_empty() {
            return Ok(true);
        }
        if !(self.mend.is_whole)(range.clone()) {
            self.doubtful = Some(range);
            return Ok(false);
        }
        let to = self.report.whole_len;
        if to != range.start || !self.is_noted(range.clone()) {
            self.copy(range.clone(), to)?;
        }
        self.report.whole_len += range.end - range.start;
        self.report.kept.push(range);
        Ok(true)
    }
}
