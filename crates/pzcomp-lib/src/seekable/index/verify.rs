//! Compares an index with all of its file.
//!
//! The file is decoded in order, which verifies all its checks, and then from the places in the index. The plain data
//! of each span must have the same CRC-32 both times. This also finds wrong windows in an index without checksums.

use std::io::{self, Write};

use super::Index;
use crate::decompress::decompress_io;
use crate::error::{Error, Result};
use crate::options::Decode;
use crate::seekable::decode::{IdleDecoders, SpanDecoder};
use crate::seekable::map::Span;
use engine::io::{Input, Output, RandomAccess, ReadAt};

/// How much plain data is decoded from the places in the index at a time.
const BATCH_LEN: u64 = 32 << 20;

pub(super) fn verify(index: &Index, source: &dyn ReadAt, options: &Decode) -> Result<()> {
    let place = RandomAccess::Source(source);
    let len = place.len(0)?;
    let (map, windows) = index.clone().into_map(len)?;
    let mut in_order = SpanSums::new(&map.spans);
    let input = Input::At { source, start: 0, end: len };
    let decoded = decompress_io(input, Output::Writer(Box::new(&mut in_order)), options)?;
    if map.rest.is_none() && decoded.plain_len != map.plain_end() {
        let what =
            format!("it states {} bytes of plain data, but there are {}", map.plain_end(), decoded.plain_len);
        return Err(Error::index(what));
    }
    let idle = IdleDecoders::default();
    let decoder = SpanDecoder { place, parts: &map.parts, windows: &*windows, options, idle: &idle };
    let mut by_index = SpanSums::new(&map.spans);
    let mut at = 0;
    while let Some(first) = map.spans.get(at) {
        let fits = |span: &&Span| span.plain_end() - first.plain <= BATCH_LEN;
        let count = map.spans[at..].iter().take_while(fits).count();
        if count == 0 {
            decoder.stream(first, &mut by_index)?;
        } else {
            let blocks = decoder.blocks(&map.spans[at..at + count])?;
            blocks.iter().for_each(|block| by_index.update(block));
        }
        at += count.max(1);
    }
    match in_order.finish().iter().zip(by_index.finish()).position(|(one, other)| *one != other) {
        Some(span) => {
            let start = map.spans.get(span).map_or(0, |span| span.plain);
            Err(Error::index(format!("the plain data from offset {start} on is not what it leads to")))
        }
        None => Ok(()),
    }
}

/// The CRC-32 of the plain data of each span. The data comes in order. What is behind the last span is dropped.
struct SpanSums<'a> {
    spans: &'a [Span],
    sums: Vec<u32>,
    current: crc32fast::Hasher,
    offset: u64,
}

impl<'a> SpanSums<'a> {
    fn new(spans: &'a [Span]) -> Self {
        Self { spans, sums: Vec::new(), current: crc32fast::Hasher::new(), offset: 0 }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        while let Some(span) = self.spans.get(self.sums.len()) {
            let left = span.plain_end().saturating_sub(self.offset);
            let len = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            let (now, later) = bytes.split_at(len);
            self.current.update(now);
            self.offset += len as u64;
            bytes = later;
            if self.offset < span.plain_end() {
                return;
            }
            self.sums.push(std::mem::take(&mut self.current).finalize());
        }
    }

    /// The sums of the spans that the data has filled, and of the one that it has not.
    fn finish(mut self) -> Vec<u32> {
        self.sums.push(self.current.finalize());
        self.sums
    }
}

impl Write for SpanSums<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
