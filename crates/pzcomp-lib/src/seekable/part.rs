//! [`Part`]: a stretch of a coded file, with all that is needed to decode it where the rest of the file is not at hand.
//!
//! Such a part holds one span of the map or several. It has nothing to do with the parts of a frame that workers share.
//! [`Seekable::parts`] divides a file into parts of about equal lengths. Other threads, processes or machines then read
//! only the coded bytes of their part. Most parts are files by themselves. The others come with a small index, and
//! [`Seekable::of_part`] reads them by it.

use std::ops::Range;
use std::sync::Arc;

use super::Seekable;
use super::index::{Index, part_front};
use super::map::{Lengths, Map, Span, SpanKind};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::restart::RestartPart;
use crate::options::Decode;
use engine::io::{RandomAccess, ReadAt};

/// A stretch of a coded file that can be decoded without the rest of the file.
///
/// The parts of a file follow each other in the plain data, and together they are all of it. All lengths are claims of
/// the file or of its index until the part has been decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The coded bytes that decoding needs.
    pub coded: Range<u64>,
    /// Offset of the data in the plain data.
    pub plain_offset: u64,
    /// Bytes of plain data. `None` if only decoding tells. Such a part is the last one.
    pub plain_len: Option<u64>,
    /// The format at the start of the part. `None` if only decoding tells.
    pub format: Option<Format>,
    /// Whether the coded bytes are a valid file by themselves. If not, [`Self::index`] and the windows are needed.
    pub is_file: bool,
    /// The front of an index of this part alone, for [`Seekable::of_part`]. It is empty if the part is a file.
    pub index: Vec<u8>,
    /// Where in the file of the index the windows of the part are. They belong behind [`Self::index`].
    pub windows: Range<u64>,
}

fn begins_file(span: &Span, parts: &[RestartPart]) -> bool {
    match span.kind {
        SpanKind::Unit { context, .. } => context == 0,
        SpanKind::Part { number, .. } => parts.get(number as usize).is_some_and(|part| part.header_len > 0),
    }
}

impl<R: ReadAt + 'static> Seekable<R> {
    /// Divides the file into parts. Each has at least `size` plain bytes, except the last one, and ends with the first
    /// frame or restart point behind that many. A part without an end that is known is as long as the file.
    ///
    /// Nothing is decoded. With `ahead`, the index of a part that is not a file also covers the span behind the part,
    /// so that a reader can finish a record there.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Seekable};
    ///
    /// let plain: Vec<u8> = (0..500_000_u32).flat_map(u32::to_le_bytes).collect();
    /// let mut coded = Vec::new();
    /// pzcomp::Compress::new(&Encode::zstd(3).block_size(1 << 18).build()?).run(&plain, &mut coded)?;
    ///
    /// let mut joined = Vec::new();
    /// for part in Seekable::new(coded.clone())?.parts(1 << 19, false)? {
    ///     let range = part.coded.start as usize..part.coded.end as usize;
    ///     assert!(part.is_file);
    ///     joined.extend(pzcomp::decompress(&coded[range], &Decode::default())?);
    /// }
    /// assert_eq!(joined, plain);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parts(&self, size: u64, ahead: bool) -> Result<Vec<Part>> {
        let map = &self.core.map;
        let mut parts = Vec::new();
        let mut start = 0;
        while let Some(first) = map.spans.get(start) {
            let enough = first.plain.saturating_add(size.max(1));
            let len = map.spans[start..].iter().position(|span| span.plain_end() >= enough);
            let end = len.map_or(map.spans.len(), |len| start + len + 1);
            parts.push(self.part(start..end, ahead)?);
            start = end;
        }
        if let Some(rest) = map.rest {
            parts.push(Part {
                coded: rest..map.coded_len,
                plain_offset: map.plain_end(),
                plain_len: None,
                format: None,
                is_file: true,
                index: Vec::new(),
                windows: 0..0,
            });
        }
        Ok(parts)
    }

    /// The part of these spans. There is at least one.
    fn part(&self, numbers: Range<usize>, ahead: bool) -> Result<Part> {
        let map = &self.core.map;
        let missing = || Error::Internal("a part without spans".into());
        let spans = &map.spans[numbers.clone()];
        let (first, last) = (spans.first().ok_or_else(missing)?, spans.last().ok_or_else(missing)?);
        let next = map.spans.get(numbers.end);
        let is_file = begins_file(first, &map.parts) && next.is_none_or(|next| begins_file(next, &map.parts));
        let mut part = Part {
            // Bytes without data belong to the part before them, so that each byte is in one part.
            coded: match numbers.start {
                0 => 0,
                _ => first.coded,
            }..next.map(|next| next.coded).or(map.rest).unwrap_or(map.coded_len),
            plain_offset: first.plain,
            plain_len: Some(last.plain_end() - first.plain),
            format: Some(first.kind.format()),
            is_file,
            index: Vec::new(),
            windows: 0..0,
        };
        if !is_file {
            let spans = &map.spans[numbers.start..(numbers.end + usize::from(ahead)).min(map.spans.len())];
            let end = spans.last().ok_or_else(missing)?.coded_range().end;
            // A block of bzip2 may begin in the byte before it.
            part.coded = first.coded.saturating_sub(1)..end;
            (part.index, part.windows) = part_front(&cut_out(map, spans, &part.coded))?;
        }
        Ok(part)
    }

    /// Reads a part that is not a file: its coded bytes, by its index with the windows behind it. The plain data begins
    /// at 0.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index, Seekable};
    /// let plain: Vec<u8> = (0..60_000_u32).flat_map(u32::to_le_bytes).collect();
    /// let coded = pzcomp::compress(&plain, &Encode::bzip2(1).single().build()?)?;
    /// let index = Index::build(&coded, &Decode::default())?;
    /// // The second block. bzip2 has no windows, so the index is complete.
    /// let part = Seekable::with_index(coded.clone(), index, &Decode::default())?.parts(1, false)?.swap_remove(1);
    /// let bytes = coded[part.coded.start as usize..part.coded.end as usize].to_vec();
    /// let seekable = Seekable::of_part(bytes, part.index, &Decode::default())?;
    /// assert_eq!(seekable.len(), part.plain_len);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn of_part(source: R, index: Vec<u8>, options: &Decode) -> Result<Self> {
        let index = Index::open(Arc::new(index))?;
        let found = RandomAccess::Source(&source).len(0)?;
        // The lengths in the index are those of the file, which need not be verified.
        let (map, windows) = index.into_map(found)?;
        let map = Map { lengths: Lengths::Stated, ..map };
        if map.coded_len != found {
            let what = format!("it is for a part of {} bytes, but the part has {found}", map.coded_len);
            return Err(Error::index(what));
        }
        Ok(Self::with_map(source, map, windows, None, options))
    }
}

/// The map of some spans alone, for a file that has only these coded bytes.
fn cut_out(map: &Map, spans: &[Span], coded: &Range<u64>) -> Map {
    let plain = spans.first().map_or(0, |span| span.plain);
    let mut cut = Map { coded_len: coded.end - coded.start, ..Map::default() };
    for span in spans {
        let kind = match span.kind {
            SpanKind::Part { format, number } => {
                cut.parts.push(map.parts.get(number as usize).copied().unwrap_or_default());
                SpanKind::Part { format, number: cut.parts.len() as u32 - 1 }
            }
            kind => kind,
        };
        cut.spans.push(Span { coded: span.coded - coded.start, plain: span.plain - plain, kind, ..*span });
    }
    cut
}
