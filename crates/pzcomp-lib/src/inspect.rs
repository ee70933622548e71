//! Lists what a compressed file holds, and reads as little of it as possible.
//!
//! An [`Input`] goes into a [`List`], and a [`Listing`] comes out. An index, or the trailers at the ends of the frames,
//! are enough if they account for every byte of the file. Otherwise the headers of all frames are read. If these do not
//! state everything, the lengths stay open, or [`List::decode`] has the input decoded. An input that is no file is
//! decoded.
//!
//! The lists of single formats are here too: the members of lzip, the Streams of xz and the frames of zstd.

use std::ops::Range;

use crate::decompress::{CodedSpan, RangeCursor, Survey, survey_io};
use crate::error::{Error, Result, hex};
use crate::format::blocks::check_at;
use crate::format::places::{Listed, ListedFrame};
use crate::format::{Accepted, Format, Reading, SNIFF_LEN};
use crate::options::{ArchiveEntry, Decode};
use crate::seekable::{find, spans_max};
use engine::io::{Input, Output, RandomAccess, ReadAt};
use engine::{Facts, Trailing};

#[cfg(feature = "lzip")]
#[cfg_attr(docsrs, doc(cfg(feature = "lzip")))]
pub use crate::format::{LzipMember, lzip_members};
#[cfg(feature = "xz")]
#[cfg_attr(docsrs, doc(cfg(feature = "xz")))]
pub use crate::format::{XzBlock, XzStream, xz_streams};
pub use crate::format::{ZstdFrame, zstd_frames};

/// The content of a compressed file or stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The formats, in the order of their first frames.
    pub formats: Vec<Format>,
    /// The number of frames. A format may call them members, blocks or streams. `None` if only decoding tells.
    pub frames: Option<u64>,
    /// Bytes of coded data, with the index.
    pub coded_len: u64,
    /// Bytes of plain data. `None` if only decoding tells.
    pub plain_len: Option<u64>,
    /// The name of the check that the first frame carries, `-` if none.
    pub check: &'static str,
    /// Whether there is an index that describes the frames.
    pub is_indexed: bool,
    /// When the original file was last modified, in seconds since 1970, as the first gzip member states it.
    pub modified: Option<u32>,
    /// The CRC-32 of the last gzip member that holds data.
    pub crc: Option<u32>,
    /// Whether the empty block is missing with which BGZF data ends. The data may have been cut off between two blocks.
    pub lacks_end: bool,
    /// The bytes behind the last frame that belong to no frame.
    pub trailing: Trailing,
    /// The files of an archive, in its order. At most 65,536 are listed. Empty for other formats.
    pub entries: Vec<ArchiveEntry>,
}

impl Listing {
    /// A content of which only these things are known. Only gzip states facts: the time, the CRC-32, and whether BGZF
    /// lacks its end.
    fn new(formats: Vec<Format>, coded_len: u64, check: &'static str, facts: Facts) -> Self {
        Self {
            formats,
            frames: None,
            coded_len,
            plain_len: None,
            check,
            is_indexed: false,
            modified: facts.first,
            crc: facts.last,
            lacks_end: facts.lacks_end == Some(true),
            trailing: Trailing::default(),
            entries: Vec::new(),
        }
    }
}

/// Says what an input holds, and reads as little of it as possible.
///
/// Of a file with an index only the index and the first header are read. Of an lzip file only headers and trailers are
/// read, and of an xz file only headers, Indexes and footers. Of other files the headers are read, up to the first
/// frame that does not state its length. If there is one, as in the output of gzip, the length and the number of frames
/// are `None`, unless [`Self::decode`] is asked for. An input that is no file is decoded. Lengths that are not decoded
/// are claims of the file. A `&File` counts from its current offset, which does not move;
/// [`Input::whole_file`](crate::Input::whole_file) takes all of it.
///
/// ```
/// use pzcomp::inspect::List;
///
/// let coded = pzcomp::compress(&[7; 20_000], &pzcomp::Encode::default())?;
/// let listing = List::default().run(&coded)?;
/// assert_eq!((listing.plain_len, listing.check, listing.is_indexed), (Some(20_000), "XXH64", true));
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "nothing is listed before `run`"]
pub struct List {
    options: Decode,
    decodes: bool,
}

impl List {
    /// A list with these options, which are those of decompression: the accepted formats, the files of archives,
    /// threads and memory.
    pub fn new(options: &Decode) -> Self {
        Self { options: options.clone(), decodes: false }
    }

    /// Whether a file is decoded if its headers do not tell all lengths. Then no length is `None`.
    pub fn decode(self, decode: bool) -> Self {
        Self { decodes: decode, ..self }
    }

    /// Lists the content of the input.
    ///
    /// It is an error if the input cannot be read, is not in an accepted format, or is damaged as far as it is read.
    pub fn run<'i>(&self, input: impl Into<Input<'i>>) -> Result<Listing> {
        let (input, options) = (input.into(), &self.options);
        match input.random_access() {
            Some((place, range)) if !self.decodes => headers((place, range), options),
            _ => decoded(input, options),
        }
    }
}

/// Lists without decoding.
fn headers((place, range): (RandomAccess, Range<u64>), options: &Decode) -> Result<Listing> {
    match by_places(place, range.clone(), options)? {
        Some(listing) => Ok(listing),
        None => by_headers(Tail { place, start: range.start, end: range.end }, options),
    }
}

/// Lists, and decodes what does not state its length.
fn decoded(input: Input, options: &Decode) -> Result<Listing> {
    // Decoding a file as a file would move its offset.
    let input = match input {
        Input::File { file, start, len } => Input::At { source: file, start, end: len },
        input => input,
    };
    if let Some((place, range)) = input.random_access() {
        if let Some(listing) = by_places(place, range.clone(), options)? {
            return Ok(listing);
        }
        let mut survey = Survey::new(options);
        let mut cursor = RangeCursor::new(place, range.clone());
        survey.walk(&mut cursor)?;
        // If the file is cut off, decoding it finds the error.
        if !survey.is_vague && !cursor.is_cut() {
            let facts = facts(place, range.start..range.start + survey.end, &survey.formats())?;
            let (check, coded_len) = (survey.check.unwrap_or("-"), range.end - range.start);
            return Ok(Listing {
                frames: Some(survey.frames),
                plain_len: Some(survey.plain_len),
                is_indexed: survey.is_indexed,
                entries: survey.entries(),
                ..Listing::new(survey.formats(), coded_len, check, facts)
            });
        }
    }
    let (summary, survey, facts) = survey_io(input, Output::Nothing, options)?;
    Ok(Listing {
        frames: Some(summary.frames),
        plain_len: Some(summary.plain_len),
        is_indexed: survey.is_indexed,
        trailing: summary.trailing,
        entries: summary.entries,
        ..Listing::new(survey.formats(), summary.coded_len, survey.check.unwrap_or("-"), facts)
    })
}

/// A part of an input, as an input of its own.
struct Tail<'a> {
    place: RandomAccess<'a>,
    start: u64,
    end: u64,
}

impl ReadAt for Tail<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let left = self.size()?.saturating_sub(offset);
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        Ok(self.place.read_at(&mut buffer[..len], self.start.saturating_add(offset))?)
    }

    fn size(&self) -> std::io::Result<u64> {
        Ok(self.end - self.start)
    }
}

/// Lists a file from the headers of its frames, up to the first frame that does not state its length.
fn by_headers(tail: Tail, options: &Decode) -> Result<Listing> {
    let place = RandomAccess::Source(&tail);
    let len = place.len(0)?;
    let map = find(place, len, options)?;
    let is_known = map.rest.is_none() && !map.is_cut;
    let mut head = [0; SNIFF_LEN];
    let read = place.read_at(&mut head, 0)?;
    let accepted = Accepted::new(options.accept.as_deref());
    // Skippable frames may be in front of the first frame, or be everything.
    let mut behind = [0; SNIFF_LEN];
    let behind_read = match map.rest {
        Some(rest) => place.read_at(&mut behind, rest)?,
        None => 0,
    };
    let first = accepted.sniff(&head[..read], 0).or_else(|| map.formats().next());
    let first = first.or_else(|| accepted.sniff(&behind[..behind_read], map.rest?));
    if first.is_none() && accepted.skippable(&head[..read]).is_none() {
        return Err(Error::NotCompressed { found: hex(&head[..read]) });
    }
    let mut formats: Vec<Format> = Vec::new();
    for format in first.into_iter().chain(map.formats()) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    let start = map.spans.first().map_or(map.rest.unwrap_or(0), |span| span.coded);
    let cursor = &mut RangeCursor::new(place, start..len);
    let blocks = first.and_then(|first| first.codec().blocks());
    let check = match (first, blocks, map.spans.first().and_then(|span| span.unit())) {
        (None, ..) => "-",
        (_, Some(blocks), Some(CodedSpan { context: context @ 1.., .. })) => {
            check_at(blocks, cursor, context)?
        }
        (Some(first), ..) => first.codec().walker(1, &Reading::default()).unit(cursor)?.check,
    };
    let mut facts = facts(place, 0..len, &formats)?;
    if !is_known {
        (facts.last, facts.lacks_end) = (None, None);
    }
    Ok(Listing {
        frames: is_known.then_some(map.frames),
        plain_len: is_known.then_some(map.plain_end()),
        ..Listing::new(formats, len, check, facts)
    })
}

/// What the frames in `range` state besides their lengths, if all are of one format.
fn facts(place: RandomAccess, range: Range<u64>, formats: &[Format]) -> Result<Facts> {
    let [format] = formats else { return Ok(Facts::default()) };
    format.codec().places().facts(place, range)
}

/// Lists a file from an index in it or from the trailers of its frames, if these account for every byte of it. The
/// lengths are believed, as by `xz -l`.
fn by_places(place: RandomAccess, range: Range<u64>, options: &Decode) -> Result<Option<Listing>> {
    let mut head = [0; SNIFF_LEN];
    place.read_at(&mut head, range.start)?;
    let Some(format) = Accepted::new(options.accept.as_deref()).sniff(&head, 0) else { return Ok(None) };
    let listed = format.codec().places().listed(place, range.clone(), spans_max(options))?;
    let Some(Listed { frames, is_index, check }) = listed else { return Ok(None) };
    let (mut count, mut sum, mut end, mut first) = (0, 0_u64, range.start, None);
    // Recovery records are listed as frames without data.
    let has_records = format.writing().is_ok_and(|codec| codec.envelope().is_some());
    for ListedFrame { coded, plain_len, .. } in frames {
        if plain_len > 0 || !has_records {
            (count, end) = (count + 1, coded.end);
        }
        first = first.or(Some(plain_len));
        let Some(more) = sum.checked_add(plain_len) else { return Ok(None) };
        sum = more;
    }
    let check = match check {
        Some(check) => check,
        None => {
            let mut cursor = RangeCursor::new(place, range.clone());
            let unit = format.codec().walker(1, &Reading::default()).unit(&mut cursor)?;
            // The first frame and its entry must agree. A frame that does not state its length agrees with any entry.
            if unit.plain_len.is_some() && unit.plain_len != first {
                return Ok(None);
            }
            unit.check
        }
    };
    let facts = format.codec().places().facts(place, range.start..end)?;
    Ok(Some(Listing {
        frames: Some(count),
        plain_len: Some(sum),
        is_indexed: is_index,
        ..Listing::new(vec![format], range.end - range.start, check, facts)
    }))
}
