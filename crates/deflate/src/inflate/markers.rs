//! Decoding without the window: symbols that stand for bytes not known yet.
//!
//! A decoder that begins inside a stream does not know the window, the 32 KiB of output before it. It puts out
//! [`Marked`] symbols of 16 bits, which are bytes or *markers*. A marker is a place in that window, and a match
//! copies markers like bytes. When the window is known, a [`Resolver`] replaces each marker by its byte.
//! [`continue_with_markers`] and [`continue_with_bytes`] move a stream from one kind of decoder to the other. This
//! is the method of rapidgzip (Knespel and Brunst, 2023).

use super::{Inflate, Symbol, WINDOW_LEN};

/// Symbols from this number on are markers.
const FIRST: usize = 1 << 8;

/// A byte, or a marker: the place of a byte in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Marked(u16);

impl Symbol for Marked {
    #[inline(always)]
    fn literal(byte: u8) -> Self {
        Self(byte.into())
    }
}

impl Marked {
    /// The marker of a place in the window.
    fn marker(place: usize) -> Self {
        Self((FIRST + place) as u16)
    }

    /// The byte, or nothing if the symbol is a marker.
    pub fn byte(self) -> Option<u8> {
        u8::try_from(self.0).ok()
    }

    /// The byte of a symbol that is known to be one.
    fn low_byte(self) -> u8 {
        self.0 as u8
    }
}

/// Whether all of these symbols are bytes.
pub fn are_bytes(symbols: &[Marked]) -> bool {
    symbols.chunks(1 << 10).all(|part| part.iter().fold(0, |any, symbol| any | symbol.0) < FIRST as u16)
}

/// Replaces markers by the bytes of a window.
pub struct Resolver {
    /// The byte of each symbol. The table has an entry for every number of 16 bits, so that no index is checked.
    table: Box<[u8; 1 << 16]>,
    /// The first marker that stands for a byte. Those below it are places before the beginning of the stream.
    first: u16,
}

impl Default for Resolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Resolver {
    /// A resolver without a window: every marker is unknown.
    pub fn new() -> Self {
        let mut table = Box::new([0; 1 << 16]);
        for (byte, place) in (0..=u8::MAX).zip(&mut table[..]) {
            *place = byte;
        }
        Self { table, first: (FIRST + WINDOW_LEN) as u16 }
    }

    /// Sets the window: the last [`WINDOW_LEN`] bytes before the decoder began, or all if there are fewer.
    pub fn set(&mut self, window: &[u8]) {
        let window = &window[window.len().saturating_sub(WINDOW_LEN)..];
        let end = FIRST + WINDOW_LEN;
        let first = end - window.len();
        self.table[first..end].copy_from_slice(window);
        self.first = first as u16;
    }

    /// How many symbols come before the first marker that stands for no byte of the window.
    pub fn known(&self, symbols: &[Marked]) -> usize {
        let unknown = FIRST as u16..self.first;
        let is_known = |symbol: &Marked| !unknown.contains(&symbol.0);
        if unknown.is_empty() {
            symbols.len()
        } else {
            symbols.iter().take_while(|&one| is_known(one)).count()
        }
    }

    /// How many symbols at the front are markers that stand for no byte.
    fn unknown(&self, symbols: &[Marked]) -> usize {
        symbols.iter().take_while(|symbol| (FIRST as u16..self.first).contains(&symbol.0)).count()
    }

    /// Writes the bytes that the symbols stand for into `bytes`, which is as long as `symbols`. A marker at which
    /// [`Self::known`] stops becomes any byte.
    pub fn resolve(&self, symbols: &[Marked], bytes: &mut [u8]) {
        const STEP: usize = 512;
        debug_assert_eq!(symbols.len(), bytes.len());
        let (mut parts, mut places) = (symbols.chunks_exact(STEP), bytes.chunks_exact_mut(STEP));
        for (part, place) in (&mut parts).zip(&mut places) {
            if part.iter().fold(0, |any, symbol| any | symbol.0) < FIRST as u16 {
                part.iter().zip(place).for_each(|(symbol, byte)| *byte = symbol.low_byte());
            } else {
                self.look_up(part, place);
            }
        }
        self.look_up(parts.remainder(), places.into_remainder());
    }

    #[inline]
    fn look_up(&self, symbols: &[Marked], bytes: &mut [u8]) {
        let (mut parts, mut places) = (symbols.chunks_exact(4), bytes.chunks_exact_mut(4));
        for (part, place) in (&mut parts).zip(&mut places) {
            // One load for four symbols, as loads limit the speed.
            let word = (0..4).fold(0, |word, at| word | u64::from(part[at].0) << (16 * at));
            for (at, byte) in place.iter_mut().enumerate() {
                *byte = self.table[(word >> (16 * at)) as usize & 0xffff];
            }
        }
        for (&symbol, byte) in parts.remainder().iter().zip(places.into_remainder()) {
            *byte = self.table[usize::from(symbol.0)];
        }
    }
}

/// Continues a stream with markers.
///
/// `stream` began inside a stream and stands where it needs the window. `marked` takes it over, with the bytes that
/// `stream` put out as its history and markers before them. The caller resets `stream` before its next use.
pub fn continue_with_markers(marked: &mut Inflate<Marked>, stream: &mut Inflate) {
    marked.take_over(stream);
    let known = stream.window();
    marked.history.replace(WINDOW_LEN, |symbols| {
        let (unknown, symbols) = symbols.split_at_mut(WINDOW_LEN - known.len());
        for (place, symbol) in (known.len()..).zip(unknown) {
            *symbol = Marked::marker(place);
        }
        symbols.iter_mut().zip(known).for_each(|(symbol, &byte)| *symbol = Marked::literal(byte));
    });
}

/// Continues a stream with bytes: the reverse of [`continue_with_markers`].
///
/// The last [`WINDOW_LEN`] symbols of `marked` must be bytes, or the `resolver` must have the window that replaces
/// their markers. The caller resets `marked` before its next use.
pub fn continue_with_bytes(stream: &mut Inflate, marked: &mut Inflate<Marked>, resolver: Option<&Resolver>) {
    stream.take_over(marked);
    // Markers of places before the beginning of the stream are left out: no valid match reaches them.
    let symbols = marked.window();
    let symbols = &symbols[resolver.map_or(0, |resolver| resolver.unknown(symbols))..];
    stream.history.replace(symbols.len(), |bytes| match resolver {
        Some(resolver) => resolver.resolve(symbols, bytes),
        None => symbols.iter().zip(bytes).for_each(|(symbol, byte)| *byte = symbol.low_byte()),
    });
}
