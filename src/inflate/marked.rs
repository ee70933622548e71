//! Output whose beginning refers to what is not known yet.
//!
//! A decoder that begins inside a stream does not know the window: the 32 KiB before it. It puts out symbols
//! of 16 bits, which are bytes or *markers*: places in that window. A match copies markers like bytes. When
//! the window is known, each marker is replaced by what it stands for.

use super::{Inflate, Symbol, WINDOW_LEN};

/// Symbols from here on are markers.
const FIRST: usize = 1 << 8;

/// A byte, or the place of one in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Marked(u16);

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

    /// The byte, of what is one.
    pub(super) fn byte(self) -> u8 {
        self.0 as u8
    }
}

/// Whether these are bytes, all of them.
pub(crate) fn are_bytes(symbols: &[Marked]) -> bool {
    symbols.chunks(1 << 10).all(|part| part.iter().fold(0, |any, symbol| any | symbol.0) < FIRST as u16)
}

/// Replaces markers.
pub(crate) struct Resolver {
    /// What each symbol stands for; no symbol is beyond the markers, but then no index has to be looked at.
    table: Box<[u8; 1 << 16]>,
    /// The first marker that stands for anything: the others are before the beginning of the stream.
    first: u16,
}

impl Resolver {
    pub(crate) fn new() -> Self {
        let mut table = Box::new([0; 1 << 16]);
        for (byte, place) in (0..=u8::MAX).zip(&mut table[..]) {
            *place = byte;
        }
        Self { table, first: FIRST as u16 }
    }

    /// Takes the last output before the markers, [`WINDOW_LEN`] of it or all there was.
    pub(crate) fn set(&mut self, window: &[u8]) {
        let window = &window[window.len().saturating_sub(WINDOW_LEN)..];
        let end = FIRST + WINDOW_LEN;
        let first = end - window.len();
        self.table[first..end].copy_from_slice(window);
        self.first = first as u16;
    }

    /// How many of the symbols stand for something, up to the first that does not.
    pub(crate) fn known(&self, symbols: &[Marked]) -> usize {
        let unknown = FIRST as u16..self.first;
        let is_known = |symbol: &Marked| !unknown.contains(&symbol.0);
        if unknown.is_empty() {
            symbols.len()
        } else {
            symbols.iter().take_while(|&one| is_known(one)).count()
        }
    }

    /// How many symbols at the front stand for nothing.
    fn unknown(&self, symbols: &[Marked]) -> usize {
        symbols.iter().take_while(|symbol| (FIRST as u16..self.first).contains(&symbol.0)).count()
    }

    /// Writes what the symbols stand for.
    pub(crate) fn resolve(&self, symbols: &[Marked], bytes: &mut [u8]) {
        const STEP: usize = 512;
        let (mut parts, mut places) = (symbols.chunks_exact(STEP), bytes.chunks_exact_mut(STEP));
        for (part, place) in (&mut parts).zip(&mut places) {
            if part.iter().fold(0, |any, symbol| any | symbol.0) < FIRST as u16 {
                part.iter().zip(place).for_each(|(symbol, byte)| *byte = symbol.byte());
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
            // Four symbols at once, as loads are what there are most of.
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

/// Goes on with a stream that was begun inside, and has come to where it needs the window.
pub(crate) fn without_window(marked: &mut Inflate<Marked>, stream: &mut Inflate) {
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

/// The reverse, where the window is known: all of it are bytes, or it is resolved.
pub(crate) fn with_window(stream: &mut Inflate, marked: &mut Inflate<Marked>, resolver: Option<&Resolver>) {
    stream.take_over(marked);
    // Markers of what was before the beginning stand for nothing that a match could reach.
    let symbols = marked.window();
    let symbols = &symbols[resolver.map_or(0, |resolver| resolver.unknown(symbols))..];
    stream.history.replace(symbols.len(), |bytes| match resolver {
        Some(resolver) => resolver.resolve(symbols, bytes),
        None => symbols.iter().zip(bytes).for_each(|(symbol, byte)| *byte = symbol.byte()),
    });
}
