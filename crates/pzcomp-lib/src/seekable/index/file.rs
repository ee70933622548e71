//! Index files: opening and writing an [`Index`].
//!
//! The first bytes of a file tell its format. `pzi.rs` has the bytes of our own, and the formats have those of other
//! tools ([`IndexFile`]). What a file says is checked by itself before it becomes a [`Map`].

use std::io::{Read, Write};
use std::ops::Range;
use std::sync::Arc;

use super::pzi::{self, Front};
use super::{INDEX_INTERVAL, Index};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::index_file::{IndexEnds, IndexFile, IndexFormat, IndexedPart, NewIndex};
use crate::options::Decode;
use crate::seekable::decode::stored_window;
use crate::seekable::map::{Map, Span, SpanKind, spans_max, too_many_spans};
use crate::tar_list::Walk;
use engine::io::{RandomAccess, ReadAt};

/// The forms of other tools, and the formats whose files they are for.
fn index_files() -> impl Iterator<Item = (Format, &'static dyn IndexFile)> {
    let forms = |format: Format| {
        let restarts = format.codec().places().restarts();
        let forms = restarts.map_or(&[][..], |restarts| restarts.index_files());
        forms.iter().map(move |&form| (format, form))
    };
    Format::EVERY.into_iter().flat_map(forms)
}

impl Index {
    /// Reads an index file into memory. The first bytes tell its format.
    pub fn read_from(mut reader: impl Read) -> Result<Self> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|source| Error::Read { offset: 0, source })?;
        Self::open(Arc::new(bytes))
    }

    /// Opens an index file. Its windows are read when they are needed.
    pub fn open(file: Arc<dyn ReadAt>) -> Result<Self> {
        Self::open_with(file, &Decode::default())
    }

    /// Like [`Self::open`], within the memory of `options`. It is an error if the index has too many places for it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pzcomp::{Decode, Error, Index};
    /// // A `.gzi` of 1,000 places.
    /// let file = Arc::new([&1000_u64.to_le_bytes()[..], &[0; 16_000]].concat());
    /// let little = Decode::builder().memory(100_000).build()?;
    /// assert!(matches!(Index::open_with(file, &little), Err(Error::Memory { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn open_with(file: Arc<dyn ReadAt>, options: &Decode) -> Result<Self> {
        let place = RandomAccess::Source(&*file);
        let len = place.len(0)?;
        let mut head = [0; pzi::MAGIC.len()];
        let read = place.read_at(&mut head, 0)?;
        if head == pzi::MAGIC {
            return Self::open_pzi(file, len, options);
        }
        let (format, form) = index_files()
            .find(|(_, form)| form.sniff(&head[..read], len))
            .ok_or_else(|| Error::index("it is in no known format"))?;
        let front = Front { map: map_of(format, form, (place, len), options)?, ..Front::default() };
        Ok(Self { format: form.format(), front, windows: file, list: None })
    }

    fn open_pzi(file: Arc<dyn ReadAt>, len: u64, options: &Decode) -> Result<Self> {
        let place = RandomAccess::Source(&*file);
        let mut front = pzi::parse(place, len, options)?;
        let windows_at = front.len();
        for window in front.map.parts.iter_mut().filter_map(|part| part.window.as_mut()) {
            window.offset += windows_at;
        }
        let mut list = None;
        if front.list_len > 0 {
            list = Walk::in_records(place, len - front.list_len..len, front.map.plain_end())?;
            if cfg!(feature = "tar") && list.is_none() {
                return Err(Error::index("the list of members in it is that of other data"));
            }
        }
        Ok(Self { format: IndexFormat::Pzi, front, windows: file, list })
    }

    /// The format of the file that it was read from. An index that was built is a [`IndexFormat::Pzi`].
    pub fn format(&self) -> IndexFormat {
        self.format
    }

    /// Writes an index file. It is an error if the format cannot hold the index.
    pub fn write_to(&self, format: IndexFormat, mut writer: impl Write) -> Result<()> {
        if format == IndexFormat::Pzi {
            return match self.format {
                IndexFormat::Pzi => self.write_pzi(&mut writer),
                _ => Err(Error::index("a .pzi cannot be made of an index in another format")),
            };
        }
        let map = &self.front.map;
        let (owner, form) = index_files()
            .find(|(_, form)| form.format() == format)
            .ok_or_else(|| Error::index("this build cannot make it"))?;
        let part = |span: &Span| match span.kind {
            SpanKind::Part { format, number } if format == owner => {
                let (coded, part) = (span.coded_range(), *map.parts.get(number as usize)?);
                Some(IndexedPart { coded, plain: span.plain, part })
            }
            _ => None,
        };
        let parts = map.spans.iter().map(part).collect::<Option<Vec<_>>>().ok_or_else(|| {
            let (suffix, what) = (format.suffix(), "that do not state their sizes, and this file has others");
            Error::index(format!("a {suffix} is only for frames of {owner} {what}"))
        })?;
        let place = RandomAccess::Source(&*self.windows);
        let mut window = |stored| stored_window(place, stored).ok_or_else(wrong_window);
        let (coded_len, plain_len, spacing) = (map.coded_len, map.plain_end(), INDEX_INTERVAL);
        form.write(&NewIndex { coded_len, plain_len, spacing, parts }, &mut window, &mut writer)
    }

    /// Writes a `.pzi`: its front, its windows behind each other, and its list.
    fn write_pzi(&self, out: &mut dyn Write) -> Result<()> {
        let failed = |source| Error::Write { offset: 0, source };
        let Front { map, samples, .. } = &self.front;
        let stored = || map.parts.iter().filter_map(|part| part.window);
        let windows_len = stored().map(|window| u64::from(window.len)).sum();
        let mut end = 0;
        let records = self.list.as_ref().map_or(&[][..], Walk::records);
        let list_len = records.iter().map(|&(_, len)| u64::from(len)).sum();
        let front = pzi::encode(map, samples, (windows_len, list_len), |window| {
            end += u64::from(window.len);
            end - u64::from(window.len)
        })?;
        out.write_all(&front).map_err(failed)?;
        let mut bytes = Vec::new();
        let windows = stored().map(|window| (window.offset, window.len));
        for (offset, len) in windows.chain(records.iter().copied()) {
            bytes.resize(len as usize, 0);
            let read = RandomAccess::Source(&*self.windows).read_at(&mut bytes, offset)?;
            if read < bytes.len() {
                return Err(wrong_window());
            }
            out.write_all(&bytes).map_err(failed)?;
        }
        Ok(())
    }
}

/// The front of a `.pzi` for a map of a part of a file, without samples; and where its windows are. Their offsets in
/// the front count from the start of that range.
pub(in crate::seekable) fn part_front(map: &Map) -> Result<(Vec<u8>, Range<u64>)> {
    let stored = || map.parts.iter().filter_map(|part| part.window);
    if stored().any(|window| window.crc.is_none()) {
        let what = "a .gzidx has no checksums, so its parts cannot be read elsewhere; make a .pzi with pzcomp --index";
        return Err(Error::index(what));
    }
    let start = stored().map(|window| window.offset).min().unwrap_or(0);
    let end = stored().map(|window| window.offset + u64::from(window.len)).max().unwrap_or(start);
    let front = pzi::encode(map, &Default::default(), (end - start, 0), |window| window.offset - start)?;
    Ok((front, start..end))
}

fn wrong_window() -> Error {
    Error::index("a window in it is not valid")
}

/// The map of an index file of `len` bytes.
fn map_of(
    format: Format,
    form: &dyn IndexFile,
    (place, len): (RandomAccess, u64),
    options: &Decode,
) -> Result<Map> {
    let mut map = Map::default();
    let ends =
        form.read(place, len, spans_max(options) as u64, &mut |IndexedPart { coded, plain, part }| {
            let number = u32::try_from(map.parts.len()).unwrap_or(u32::MAX);
            map.parts.push(part);
            let coded_len = coded.end.saturating_sub(coded.start);
            let kind = SpanKind::Part { format, number };
            map.spans.push(Span { coded: coded.start, coded_len, plain, plain_len: 0, kind });
        })?;
    let IndexEnds { coded_len, plain_len, rest } = ends.ok_or_else(|| too_many_spans(options))?;
    (map.rest, map.lacks_len, map.coded_len) = (rest, coded_len.is_none(), coded_len.unwrap_or(u64::MAX));
    fill_lengths(&mut map, plain_len)?;
    Ok(map)
}

/// Checks that the spans follow each other up to this plain length, fills in their plain lengths, and drops those
/// without data.
pub(super) fn fill_lengths(map: &mut Map, plain_len: u64) -> Result<()> {
    let wrong = || Error::index("the places in it do not follow each other");
    let (mut coded, mut plain) = (0, 0);
    for at in 0..map.spans.len() {
        let end = map.spans.get(at + 1).map_or(plain_len, |next| next.plain);
        let Some(span) = map.spans.get_mut(at) else { continue };
        span.plain_len = end.checked_sub(span.plain).filter(|_| end <= i64::MAX as u64).ok_or_else(wrong)?;
        let coded_end = span.coded.checked_add(span.coded_len).filter(|&end| end <= map.coded_len);
        let follows = span.plain == plain && span.coded >= coded;
        let is_nothing = span.coded_len == 0 && span.plain_len > 0;
        if coded_end.is_none() || !follows || is_nothing {
            return Err(wrong());
        }
        (coded, plain) = (span.coded, end);
    }
    // No windows, no data, and nothing to read.
    if map.spans.is_empty() && plain_len > 0 {
        return Err(wrong());
    }
    map.spans.retain(|span| span.plain_len > 0);
    Ok(())
}
