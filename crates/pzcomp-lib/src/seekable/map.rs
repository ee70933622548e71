//! [`Map`]: the spans of a file that can be decoded by themselves, and which plain bytes they hold.
//!
//! `find.rs` makes a map from what a file says of itself, and `index/` makes one from an index beside the file. A span
//! is a unit, or the part of a frame between two restart points. A *restart point* is a place inside a frame at which
//! decoding can begin with the window that the index has. (A *resume point*, docs/decoding.md, is where a job begins:
//! there the job before has the window.) The reader looks up which spans hold a plain offset.
//! All numbers are claims until a span has been decoded.

use std::ops::Range;

use crate::decompress::CodedSpan;
use crate::error::{Error, Size};
use crate::format::Format;
use crate::format::restart::RestartPart;
use crate::options::Decode;

/// The most spans of a map. That is some terabytes of data, and some 500 MiB in memory.
pub(crate) const SPANS_MAX: usize = 8 << 20;

/// The most spans of a map if memory is limited. They take a quarter of it at most. Another quarter is for the parts of
/// gzip members, and for what is read while the map is made.
pub(crate) fn spans_max(options: &Decode) -> usize {
    let Some(memory) = options.memory else { return SPANS_MAX };
    usize::try_from(memory / 4).unwrap_or(usize::MAX).div_euclid(size_of::<Span>()).min(SPANS_MAX)
}

/// The error of an index that needs more spans than a map may have.
pub(crate) fn too_many_spans(options: &Decode) -> Error {
    let most = spans_max(options);
    match options.memory {
        Some(limit) if most < SPANS_MAX => Error::Memory {
            what: format!("an index of more than {most} places"),
            needed: Size(limit.saturating_add(4 * size_of::<Span>() as u64)),
            limit: Size(limit),
        },
        _ => Error::index(format!("there are more than {SPANS_MAX} places in it or in the file")),
    }
}

/// A frame, or a part of one at whose start decoding can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// Offset of its first byte in the coded file.
    pub coded_offset: u64,
    /// Bytes of coded data. If a frame begins in the middle of a byte, that byte belongs to both frames.
    pub coded_len: u64,
    /// Offset of its data in the plain data.
    pub plain_offset: u64,
    /// Bytes of plain data. `None` if only decoding tells. Such a frame is the last one, and it stands for everything
    /// that follows.
    pub plain_len: Option<u64>,
    /// The format. `None` for the frame that stands for everything that follows, and only decoding tells.
    pub format: Option<Format>,
    /// Whether the coded bytes are a valid file by themselves. Parts of gzip members, Blocks of xz and blocks of bzip2
    /// are not.
    pub is_file: bool,
}

/// A stretch of the file that is decoded by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) coded: u64,
    pub(crate) coded_len: u64,
    pub(crate) plain: u64,
    pub(crate) plain_len: u64,
    pub(crate) kind: SpanKind,
}

/// How a span is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// By the decoder of a format. `context` and `next` are those of [`CodedSpan`].
    Unit { format: Format, context: u8, next: u8 },
    /// From a restart point of this format. The number is that of the part in [`Map::parts`].
    Part { format: Format, number: u32 },
}

impl SpanKind {
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Unit { format, .. } | Self::Part { format, .. } => format,
        }
    }

    /// Whether the span needs no byte of the file in front of it or behind it.
    fn is_file(self) -> bool {
        match self {
            Self::Unit { context, next, .. } => context == 0 && next == 0,
            Self::Part { .. } => false,
        }
    }
}

impl Span {
    pub(crate) fn plain_end(&self) -> u64 {
        self.plain.saturating_add(self.plain_len)
    }

    /// Whether a frame without data at `start` becomes part of this span. A file may have millions of such frames. What
    /// needs a context is decoded alone.
    fn takes_in(&self, start: u64, kind: SpanKind) -> bool {
        let is_frame = matches!(kind, SpanKind::Unit { context: 0, next: 0, .. });
        self.plain_len == 0 && self.coded_range().end == start && self.kind == kind && is_frame
    }

    /// Whether this may be skippable frames, which a seek table lists with no plain bytes. No decoder of frames takes
    /// them.
    pub(crate) fn may_be_skippable(&self) -> bool {
        let SpanKind::Unit { format, .. } = self.kind else { return false };
        self.plain_len == 0 && format.codec().has_skippable()
    }

    pub(crate) fn coded_range(&self) -> Range<u64> {
        self.coded..self.coded.saturating_add(self.coded_len)
    }

    /// The span for the pipeline, if it is decoded there.
    pub(crate) fn unit(&self) -> Option<CodedSpan> {
        match self.kind {
            SpanKind::Unit { format, context, next } => {
                Some(CodedSpan { format, coded: self.coded_range(), context, next })
            }
            SpanKind::Part { .. } => None,
        }
    }
}

/// How the plain lengths of spans are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lengths {
    /// They are those of an index beside the file, which was made by decoding all of it.
    #[default]
    Decoded,
    /// A table or an Index in the file states them, and perhaps the frames state them too.
    Listed,
    /// Only the frames state them.
    Stated,
}

/// The spans of a file, in their order, and what follows them.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    /// The spans. Each begins in the plain data where the span before it ends.
    pub(crate) spans: Vec<Span>,
    /// Where the coded data begins that no span holds. It is decoded from there on. `None` if the spans are everything.
    pub(crate) rest: Option<u64>,
    /// The length of the coded file.
    pub(crate) coded_len: u64,
    /// Whether that length is not known.
    pub(crate) lacks_len: bool,
    pub(crate) parts: Vec<RestartPart>,
    pub(crate) lengths: Lengths,
    /// How many frames the spans are. Frames without data that follow each other are one span.
    pub(crate) frames: u64,
    /// The most spans that it may have.
    pub(crate) most: usize,
    /// Whether the last span states an end behind that of the file.
    pub(crate) is_cut: bool,
}

impl Default for Map {
    fn default() -> Self {
        Self {
            spans: Vec::new(),
            rest: None,
            coded_len: 0,
            lacks_len: false,
            parts: Vec::new(),
            lengths: Lengths::default(),
            frames: 0,
            most: SPANS_MAX,
            is_cut: false,
        }
    }
}

impl Map {
    /// Adds a span behind the others. False if there are too many spans or plain bytes.
    pub(crate) fn push(&mut self, coded: Range<u64>, plain_len: u64, kind: SpanKind) -> bool {
        let plain = self.plain_end();
        // Offsets of files have 63 bits.
        let fits = plain.checked_add(plain_len).is_some_and(|end| end <= i64::MAX as u64);
        let coded_len = coded.end.saturating_sub(coded.start);
        if fits
            && plain_len == 0
            && let Some(last) = self.spans.last_mut()
            && last.takes_in(coded.start, kind)
        {
            last.coded_len += coded_len;
            self.frames += 1;
            return true;
        }
        if self.spans.len() >= self.most || !fits {
            return false;
        }
        self.frames += 1;
        self.spans.push(Span { coded: coded.start, coded_len, plain, plain_len, kind });
        true
    }

    /// The end of the plain data of all spans.
    pub(crate) fn plain_end(&self) -> u64 {
        self.spans.last().map_or(0, Span::plain_end)
    }

    /// The number of the span that holds the plain byte at `offset`, which is in front of [`Self::plain_end`].
    pub(crate) fn holding(&self, offset: u64) -> usize {
        self.spans.partition_point(|span| span.plain <= offset).saturating_sub(1)
    }

    /// The format of each span that one decoder decodes.
    pub(crate) fn formats(&self) -> impl Iterator<Item = Format> + '_ {
        self.spans.iter().filter_map(|span| span.unit().map(|unit| unit.format))
    }

    /// All frames, and the rest as the last one.
    pub(crate) fn frames(&self) -> impl Iterator<Item = Frame> + '_ {
        let spans = self.spans.iter().map(|span| Frame {
            coded_offset: span.coded,
            coded_len: span.coded_len,
            plain_offset: span.plain,
            plain_len: Some(span.plain_len),
            format: Some(span.kind.format()),
            is_file: span.kind.is_file(),
        });
        let rest = self.rest.map(|start| Frame {
            coded_offset: start,
            coded_len: self.coded_len.saturating_sub(start),
            plain_offset: self.plain_end(),
            plain_len: None,
            format: None,
            is_file: true,
        });
        spans.chain(rest)
    }
}
