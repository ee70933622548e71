//! What several tests need: data, random numbers, libzstd as the reference, and every way to decode with this crate.

#![allow(dead_code)] // Each test uses some of it.
#![allow(clippy::expect_used, clippy::unwrap_used)] // A test that cannot continue fails.

pub mod encoder;
pub mod generate;
#[path = "../../../deflate/tests/common/random.rs"]
mod random;

use std::sync::Arc;

use pzcomp_zstd::{
    Block, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Dictionary, Error, Executor,
    Format, Frame, FrameDecoder, FrameHeader, Pause, StreamDecoder, TableContext,
};
pub use random::Random;
use zstd_safe::{CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer};

impl Random {
    /// Less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Mostly small, at times anything up to `max`.
    pub fn skewed(&mut self, max: usize) -> usize {
        let bits = self.below(usize::BITS as usize - max.leading_zeros() as usize + 1);
        self.below((1_usize << bits).min(max + 1))
    }
}

/// Lines of numbers and words, with some noise and some runs.
pub fn text(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut text = Vec::with_capacity(len + 100);
    let mut count = 0;
    while text.len() < len {
        count += random.below(5);
        match random.below(60) {
            0 => text.extend((0..random.skewed(900)).map(|_| random.next() as u8).collect::<Vec<_>>()),
            1 => text.resize(text.len() + random.skewed(3000), b' '),
            _ => {
                let line = format!(
                    "{count}\t{}.{:05}\tfish {}\n",
                    count / 9,
                    random.skewed(99999),
                    random.below(50)
                );
                text.extend(line.bytes());
            }
        }
    }
    text.truncate(len);
    text
}

/// Compresses with libzstd's parameters.
pub fn compress(plain: &[u8], parameters: &[CParameter]) -> Vec<u8> {
    compress_with(plain, parameters, &[])
}

pub fn compress_with(plain: &[u8], parameters: &[CParameter], dictionary: &[u8]) -> Vec<u8> {
    let mut context = CCtx::create();
    for &parameter in parameters {
        context.set_parameter(parameter).expect("libzstd knows the parameter");
    }
    context.load_dictionary(dictionary).expect("libzstd takes the dictionary");
    let mut coded = Vec::with_capacity(zstd_safe::compress_bound(plain.len()) + 1000);
    context.compress2(&mut coded, plain).expect("libzstd compresses");
    coded
}

/// How a frame is decoded.
#[derive(Default, Clone)]
pub struct Setting {
    pub format: Format,
    pub dictionary: Vec<u8>,
}

/// What libzstd makes of one frame, in memory as a whole.
pub fn reference(coded: &[u8], room: usize, setting: &Setting) -> Option<Vec<u8>> {
    let mut context = reference_context(setting);
    let mut plain = Vec::with_capacity(room);
    context.decompress(&mut plain, coded).ok()?;
    Some(plain)
}

/// The longest windows of libzstd's streams: two gigabytes, and one on machines of 32 bits.
const WINDOW_LOG_MAX: u32 = if usize::BITS == 32 { 30 } else { 31 };

fn reference_context(setting: &Setting) -> DCtx<'static> {
    let mut context = DCtx::create();
    context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).expect("a known parameter");
    if setting.format == Format::Magicless {
        let format = zstd_safe::FrameFormat::Magicless;
        context.set_parameter(DParameter::Format(format)).expect("a known parameter");
    }
    if !setting.dictionary.is_empty() {
        context.load_dictionary(&setting.dictionary).expect("the dictionary is valid");
    }
    context
}

/// What libzstd makes of one frame that arrives piece by piece, and whose output is taken the same way.
pub fn reference_in_pieces(coded: &[u8], setting: &Setting) -> Option<Vec<u8>> {
    let mut context = reference_context(setting);
    let mut plain = Vec::new();
    let mut space = [0; 4096];
    let mut at = 0;
    loop {
        let end = coded.len().min(at + 1000);
        let mut input = InBuffer::around(&coded[..end]);
        input.set_pos(at);
        let mut output = OutBuffer::around(&mut space[..]);
        let hint = context.decompress_stream(&mut output, &mut input).ok()?;
        plain.extend_from_slice(output.as_slice());
        let filled = output.as_slice().len();
        let moved = input.pos > at;
        at = input.pos;
        if hint == 0 {
            return (at == coded.len()).then_some(plain);
        }
        if !moved && filled == 0 && at == coded.len() {
            return None;
        }
    }
}

/// What went wrong with a frame that this crate decodes.
pub type Verdict = Result<Vec<u8>, Option<Error>>;

fn check(frame: Frame, coded: &[u8], mut plain: Vec<u8>) -> Verdict {
    plain.truncate(frame.plain_len);
    finish(frame.coded_len == coded.len(), frame.checksum, plain)
}

fn finish(is_all: bool, checksum: Option<u32>, plain: Vec<u8>) -> Verdict {
    let hash = xxhash_rust::xxh64::xxh64(&plain, 0) as u32;
    if is_all && checksum.is_none_or(|checksum| checksum == hash) { Ok(plain) } else { Err(None) }
}

pub fn dictionary(setting: &Setting) -> Option<Arc<Dictionary>> {
    (!setting.dictionary.is_empty())
        .then(|| Arc::new(Dictionary::new(&setting.dictionary).expect("the dictionary is valid")))
}

/// Decodes one frame in memory.
pub fn decode(coded: &[u8], room: usize, setting: &Setting) -> Verdict {
    let mut plain = vec![0; room];
    let mut decoder = FrameDecoder::with(setting.format, dictionary(setting));
    let frame = decoder.decode(coded, &mut plain)?;
    check(frame, coded, plain)
}

/// A frame whose blocks go through the two stages one by one.
struct Staged<'a> {
    header: FrameHeader,
    rest: &'a [u8],
    tables: TableContext,
    executor: Executor,
    plain: Vec<u8>,
    is_done: bool,
}

impl<'a> Staged<'a> {
    fn begin(coded: &'a [u8], room: usize, setting: &Setting) -> Result<Self, Error> {
        let header = FrameHeader::parse(coded, setting.format)?.ok_or(Error::Truncated)?;
        let dictionary = dictionary(setting);
        let given = dictionary.as_ref().and_then(|it| it.id());
        if let Some(needed) = header.dictionary_id.filter(|&needed| given != Some(needed)) {
            return Err(Error::DictionaryId { needed, given });
        }
        let tables = dictionary.as_ref().map_or(TableContext::new(), |it| TableContext::with_dictionary(it));
        let (rest, executor) = (&coded[header.header_len..], Executor::new(&header, dictionary));
        Ok(Self { header, rest, tables, executor, plain: vec![0; room], is_done: false })
    }

    fn next(&mut self) -> Result<(BlockHeader, &'a [u8], TableContext), Error> {
        let block_len_max = self.header.block_len_max();
        let (head, behind) = self.rest.split_first_chunk().ok_or(Error::Truncated)?;
        let block = BlockHeader::parse(*head, block_len_max)?;
        let (bytes, behind) = behind.split_at_checked(block.coded_len()).ok_or(Error::Truncated)?;
        (self.rest, self.is_done) = (behind, block.is_last);
        let tables = self.tables;
        if block.kind == BlockKind::Compressed {
            self.tables.scan(bytes, block_len_max)?;
        }
        Ok((block, bytes, tables))
    }

    fn execute(
        &mut self,
        (header, bytes): (BlockHeader, &[u8]),
        decoded: &DecodedBlock,
    ) -> Result<(), Error> {
        let block = match header.kind {
            BlockKind::Raw => Block::Raw(bytes),
            BlockKind::Rle => Block::Rle(bytes[0], header.size),
            BlockKind::Compressed => Block::Decoded(decoded),
        };
        self.executor.run(block, &mut self.plain)
    }

    fn end(self) -> Verdict {
        let mut plain = self.plain;
        plain.truncate(self.executor.produced() as usize);
        if self.header.content_size.is_some_and(|stated| stated != plain.len() as u64) {
            return Err(None);
        }
        let (checksum, rest) = match self.header.has_checksum {
            true => {
                let (bytes, rest) = self.rest.split_first_chunk().ok_or(None)?;
                (Some(u32::from_le_bytes(*bytes)), rest)
            }
            false => (None, self.rest),
        };
        finish(rest.is_empty(), checksum, plain)
    }
}

/// Decodes the frame at once with another: stage 1 of a block of each, then stage 2 of both.
pub fn decode_beside(coded: &[u8], room: usize, other: &[u8], setting: &Setting) -> (Verdict, Verdict) {
    let mut frames =
        [(coded, room), (other, 1 << 20)].map(|(coded, room)| Staged::begin(coded, room, setting));
    let (mut decoder, mut decoded) = (BlockDecoder::new(), [DecodedBlock::new(), DecodedBlock::new()]);
    loop {
        let taken = frames.each_mut().map(|frame| {
            let begun = frame.as_mut().ok().filter(|begun| !begun.is_done)?;
            let len_max = begun.header.block_len_max();
            let next = begun.next();
            if let Err(error) = next {
                *frame = Err(error);
            }
            next.ok().map(|(block, bytes, tables)| (block, bytes, tables, len_max))
        });
        if taken.iter().all(Option::is_none) {
            break;
        }
        let coded = taken.each_ref().map(|taken| {
            let (_, bytes, tables, block_len_max) =
                taken.as_ref().filter(|(block, ..)| block.kind == BlockKind::Compressed)?;
            Some(CodedBlock { bytes, tables, block_len_max: *block_len_max })
        });
        let [to_a, to_b] = &mut decoded;
        let results = match coded {
            [Some(a), Some(b)] => <[_; 2]>::from(decoder.decode_two((a, to_a), (b, to_b))),
            [a, b] => [(a, to_a), (b, to_b)]
                .map(|(coded, to)| coded.map_or(Ok(()), |coded| decoder.decode(coded, to))),
        };
        for (((frame, taken), result), decoded) in frames.iter_mut().zip(taken).zip(results).zip(&decoded) {
            if let (Ok(begun), Some((block, bytes, ..))) = (&mut *frame, taken)
                && let Err(error) = result.and_then(|()| begun.execute((block, bytes), decoded))
            {
                *frame = Err(error);
            }
        }
    }
    let [a, b] = frames.map(|frame| frame.map_err(Some).and_then(Staged::end));
    (a, b)
}

/// Decodes one frame that arrives in pieces of the lengths that `pieces` gives.
pub fn decode_in_pieces(coded: &[u8], setting: &Setting, mut pieces: impl FnMut() -> usize) -> Verdict {
    let mut decoder = StreamDecoder::new(setting.format, dictionary(setting), u64::MAX);
    let (mut plain, mut at) = (Vec::new(), 0);
    loop {
        let end = coded.len().min(at + pieces());
        let progress = decoder.feed(&coded[at..end])?;
        at += progress.read;
        match progress.pause {
            Pause::Input if at == coded.len() => return Err(None),
            Pause::Input => {}
            Pause::Output => plain.extend_from_slice(decoder.fresh()),
            Pause::End { checksum } => return finish(at == coded.len(), checksum, plain),
        }
    }
}

/// Errors that libzstd does not always find, depending on which of its decoders runs.
///
/// - Its fast decoders of four Huffman streams do not check that the streams end at their start. The format demands it.
/// - It lets matches reach out of the window, as far as its output buffer goes.
pub fn is_known_laxity(error: Option<Error>) -> bool {
    matches!(error, Some(Error::HuffmanStream | Error::OffsetTooFar))
}

/// Decodes a frame in every way, and compares verdicts and bytes with those of libzstd. Gives the verdict.
pub fn compare(coded: &[u8], room: usize, setting: &Setting, what: &dyn std::fmt::Display) -> Verdict {
    let ours = decode(coded, room, setting);
    let mut small = Random(coded.len() as u64);
    let in_pieces = decode_in_pieces(coded, setting, || 1 + small.skewed(5000));
    // A frame may be fine and not fit in the room.
    if ours != Err(Some(Error::OutputTooSmall)) {
        assert_eq!(
            ours.as_ref().ok(),
            in_pieces.as_ref().ok(),
            "{what}: in memory and in pieces: {ours:?} {in_pieces:?}"
        );
    }
    if cfg!(miri) {
        return ours; // Miri calls no C.
    }
    let (theirs, streamed) = (reference(coded, room, setting), reference_in_pieces(coded, setting));
    match &ours {
        Ok(plain) => {
            let header =
                FrameHeader::parse(coded, setting.format).expect("it was decoded").expect("as a whole");
            // The format allows windows that libzstd refuses, whatever the memory.
            let is_refused = header.window_size >= 1 << 32 && theirs.is_none();
            assert!(
                is_refused || theirs.as_ref() == Some(plain),
                "{what}: libzstd does not accept it, or decodes other bytes"
            );
            let is_too_large = streamed.is_none() && header.window_size > 1 << WINDOW_LOG_MAX;
            assert!(
                is_too_large || streamed.as_ref() == Some(plain),
                "{what}: libzstd does not accept it as a stream"
            );
        }
        Err(error) => {
            let accepted = theirs.is_some() && streamed.is_some();
            assert!(!accepted || is_known_laxity(*error), "{what}: libzstd accepts it: {error:?}");
        }
    }
    ours
}
