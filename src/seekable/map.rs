//! [`Map`]: where the frames and restart points of a file are, and which plain bytes they hold.
//!
//! `find.rs` makes a map from what a file says of itself, and `index/` makes one from an index beside the file. The
//! reader looks up in it which spans hold a plain offset. All numbers are claims until a span has been decoded.

use std::ops::Range;

use crate::decompress::CodedSpan;
use crate::format::Format;

/// The most spans of a map. That is some terabytes of data, and some 500 MiB in memory.
pub(crate) const SPANS_MAX: usize = 8 << 20;

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
    /// As a part of gzip members. The number is that of the part in [`Map::parts`].
    Deflate(u32),
}

/// What is known of a part of gzip members besides its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeflatePart {
    /// Length of the header of the member with which the part begins. 0 if it begins with a block.
    pub(crate) header_len: u32,
    /// The bit of the first byte at which the first block begins.
    pub(crate) bit: u8,
    /// The window before the part.
    pub(crate) window: Option<StoredWindow>,
    /// The CRC-32 of the plain data, if the index states it.
    pub(crate) crc: Option<u32>,
}

/// Where a window is in the windows of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredWindow {
    pub(crate) offset: u64,
    pub(crate) len: u32,
    /// The CRC-32 of the stored bytes. `None` if the window is stored as it is.
    pub(crate) crc: Option<u32>,
}

impl SpanKind {
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Unit { format, .. } => format,
            Self::Deflate(_) => Format::Gzip,
        }
    }

    /// Whether the span needs no byte of the file in front of it or behind it.
    fn is_file(self) -> bool {
        match self {
            Self::Unit { format, context, .. } => {
                context == 0 && !matches!(format, Format::Xz | Format::Bzip2)
            }
            Self::Deflate(_) => false,
        }
    }
}

impl Span {
    pub(crate) fn plain_end(&self) -> u64 {
        self.plain.saturating_add(self.plain_len)
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
            SpanKind::Deflate(_) => None,
        }
    }
}

/// The spans of a file, in their order, and what follows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    /// The spans. Each begins in the plain data where the span before it ends.
    pub(crate) spans: Vec<Span>,
    /// Where the coded data begins that no span holds. It is decoded from there on. `None` if the spans are everything.
    pub(crate) rest: Option<u64>,
    /// The length of the coded file.
    pub(crate) coded_len: u64,
    pub(crate) parts: Vec<DeflatePart>,
    /// Whether the lengths come from a table that must be compared with the headers of the frames.
    pub(crate) is_unchecked: bool,
    /// Whether the last span states an end behind that of the file.
    pub(crate) is_cut: bool,
}

impl Map {
    /// Adds a span behind the others. False if there are too many spans or plain bytes.
    pub(crate) fn push(&mut self, coded: Range<u64>, plain_len: u64, kind: SpanKind) -> bool {
        let plain = self.plain_end();
        // Offsets of files have 63 bits.
        let fits = plain.checked_add(plain_len).is_some_and(|end| end <= i64::MAX as u64);
        if self.spans.len() >= SPANS_MAX || !fits {
            return false;
        }
        let coded_len = coded.end.saturating_sub(coded.start);
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
