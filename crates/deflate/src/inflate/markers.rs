//! Decoding without the window: symbols that stand for bytes not known yet.
//!
//! A decoder that begins inside a stream does not know the window, the 32 KiB of output before it. It puts out
//! [`Marked`] symbols of 16 bits, which are bytes or *markers*. A marker is a place in that window, and a match
//! copies markers like bytes. When the window is known, a [`Resolver`] replaces each marker by its byte.
//! [`continue_with_markers`] and [`continue_with_bytes`] move a stream from one kind of decoder to the other. This
//! is the method of rapidgzip (Knespel and Brunst, 2023).

#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
use super::markers_avx512;
use super::{Inflate, Symbol, WINDOW_LEN};

/// Symbols from this number on are markers.
pub(super) const FIRST: usize = 1 << 8;

/// A byte for every number of 16 bits, so that no index is checked. One lookup may read four bytes.
pub(super) type Table = [u8; (1 << 16) + 3];

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
    /// The byte of each symbol.
    table: Box<Table>,
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
        let mut table = Box::new([0; size_of::<Table>()]);
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
        debug_assert_eq!(symbols.len(), bytes.len());
        #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
        if markers_avx512::is_there() {
            let done = markers_avx512::resolve(&self.table, symbols, bytes);
            return self.look_up(&symbols[done..], &mut bytes[done..]);
        }
        self.resolve_by_steps(symbols, bytes);
    }

    /// As [`Self::resolve`], on every processor.
    fn resolve_by_steps(&self, symbols: &[Marked], bytes: &mut [u8]) {
        const STEP: usize = 512;
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

#[cfg(all(test, target_arch = "x86_64", not(pzcomp_safe)))]
mod tests {
    use super::*;

    #[test]
    fn every_processor_replaces_markers_alike() {
        if !markers_avx512::is_there() {
            return;
        }
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as usize
        };
        let window: Vec<u8> = (0..WINDOW_LEN).map(|_| next() as u8).collect();
        let mut resolver = Resolver::new();
        resolver.set(&window);
        let symbol = |number: usize, kind: usize| match kind % 4 {
            0 => Marked::literal(number as u8),
            1 => Marked::marker(number % WINDOW_LEN),
            2 => Marked::marker([0, WINDOW_LEN - 1][number % 2]),
            // No decoder puts out such a symbol, but the lookup must stay in the table.
            _ => Marked([u16::MAX, u16::MAX - 1, 255, 256][number % 4]),
        };
        let lens = [0, 1, 63, 511, 512, 513, 1023, 1024, 3 * 512 + 100];
        for (len, mixed) in lens.into_iter().flat_map(|len| (0..40).map(move |mixed| (len, mixed))) {
            // Each step of 512 has markers of one density, from none to all.
            let symbols: Vec<_> = (0..len)
                .map(|at| {
                    symbol(
                        next(),
                        if next() % 10 < (mixed + at / 512) % 11 { 1 + next() % 40 / 13 } else { 0 },
                    )
                })
                .collect();
            let (mut expected, mut bytes) = (vec![0xa5; len], vec![0x5a; len]);
            resolver.resolve_by_steps(&symbols, &mut expected);
            resolver.resolve(&symbols, &mut bytes);
            assert!(bytes == expected, "{len} symbols, {mixed}");
            let one_by_one: Vec<_> =
                symbols.iter().map(|&Marked(number)| resolver.table[usize::from(number)]).collect();
            assert!(expected == one_by_one, "{len} symbols, {mixed}, on every processor");
        }
    }
}
