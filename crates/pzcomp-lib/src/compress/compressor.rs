//! [`Compressor`]: compresses one payload after another on the thread of the caller.
//!
//! Slices come in, and vectors or slices go out. The encoder, with its tables and its dictionary, stays from call to
//! call. Nothing here starts a thread or takes a lock. `compress` and `Compress` use a `Compressor` for short data, so
//! the output of all three is the same.

use super::{Counts, Prepared, Splitter};
use crate::error::{Error, Result};
use crate::format::Encoder;
use crate::options::{Encode, Settings};
use crate::payload::Room;
use engine::io::Input;
use engine::{Joiner, Plan, Report};

/// Compresses payloads one after another, without threads. It keeps its memory from call to call, so that a short
/// payload takes little more time than the codec itself. A program that compresses on several threads makes one for
/// each. What it keeps besides the encoder is room for its longest frame so far.
///
/// The output of each call is a complete stream: that of [`compress`](crate::compress) with the same options. There are
/// two exceptions. [`EncodeBuilder::adapt`](crate::EncodeBuilder::adapt) never changes the level here. And a zstd frame
/// of [`Layout::Single`](crate::Layout::Single) with more than 512 KiB of plain data is coded by libzstd without
/// threads, which gives other bytes for the same data.
///
/// The options of threads, progress, times and buffers do not matter here.
///
/// ```
/// use pzcomp::{Compressor, Decode, Decompressor, Encode};
///
/// let options = Encode::zstd(3).index(false).build()?;
/// let mut compressor = Compressor::new(&options)?;
/// let mut decompressor = Decompressor::new(&Decode::default())?;
/// for message in ["three in the morning", "four in the morning"] {
///     let coded = compressor.compress(message.as_bytes())?;
///     assert_eq!(decompressor.decompress(&coded)?, message.as_bytes());
/// }
/// # Ok::<(), pzcomp::Error>(())
/// ```
///
/// A dictionary of zstd is prepared once, however many contexts use it:
///
/// ```
/// use pzcomp::{Compressor, Dictionary, Encode};
///
/// let dictionary = Dictionary::new(b"a text that others resemble".to_vec())?;
/// let options = Encode::zstd(3).dictionary(dictionary).build()?;
/// let mut compressors = (0..8).map(|_| Compressor::new(&options)).collect::<Result<Vec<_>, _>>()?;
/// let coded = compressors[7].compress(b"a text that resembles others")?;
/// # assert!(coded.len() > 10);
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub struct Compressor {
    prepared: Prepared,
    /// The settings for the chunk that is coded, whose length decides the room for its frame.
    of_chunk: Settings,
    /// Nothing if one encoder codes the whole frame. Such an encoder is made for each frame.
    encoder: Option<Box<dyn Encoder>>,
    /// Frames are coded here. What they may need at most is more than they mostly have: the caller gets a copy, and
    /// keeps no memory for nothing.
    spare: Vec<u8>,
}

/// What was compressed.
pub(crate) struct Done {
    pub(crate) total: Report,
    pub(crate) sidecar: Option<Vec<u8>>,
}

impl Compressor {
    /// Checks the options, and prepares an encoder.
    pub fn new(options: &Encode) -> Result<Self> {
        options.refuse_recovery()?;
        options.refuse_tar()?;
        let settings = options.settings()?;
        Self::with_settings(options, Settings { threads: None, ..settings })
    }

    /// A compressor with these settings, which were made of the options.
    pub(super) fn with_settings(options: &Encode, settings: Settings) -> Result<Self> {
        Counts::of_at_most(1, options, &settings)?;
        let of_chunk = settings.at_start();
        let prepared = Prepared::new(options, of_chunk.clone())?;
        let encoder = if of_chunk.is_serial { None } else { Some(prepared.encoder()?) };
        Ok(Self { prepared, of_chunk, encoder, spare: Vec::new() })
    }

    /// Compresses all of `plain`.
    pub fn compress(&mut self, plain: &[u8]) -> Result<Vec<u8>> {
        let mut coded = Vec::new();
        self.compress_into(plain, &mut coded)?;
        Ok(coded)
    }

    /// Compresses all of `plain` behind what is in `coded`, and returns how many bytes that added. If there is an
    /// error, `coded` stays as it was.
    pub fn compress_into(&mut self, plain: &[u8], coded: &mut Vec<u8>) -> Result<usize> {
        let before = coded.len();
        match self.run(plain, &mut Room::Grows(coded), true, &mut |_| {}) {
            Ok(_) => Ok(coded.len() - before),
            Err(error) => {
                coded.truncate(before);
                Err(error)
            }
        }
    }

    /// Compresses all of `plain` into the front of `coded`, and returns the coded length. It is an error if there is
    /// too little room; [`Self::bound`] is always enough.
    pub fn compress_to_slice(&mut self, plain: &[u8], coded: &mut [u8]) -> Result<usize> {
        let mut room = Room::Fixed { bytes: coded, filled: 0, advice: "Compressor::bound says" };
        self.run(plain, &mut room, true, &mut |_| {})?;
        Ok(room.filled())
    }

    /// How many bytes the coded form of so many plain bytes has at most.
    pub fn bound(&mut self, plain_len: usize) -> usize {
        let (header, mut joiner) = self.prepared.framing();
        let mut bound = header.len();
        let mut left = plain_len;
        loop {
            // Chunks that end by their content may all be as short as they can be. Then there are most of them.
            let (chunk, longest) =
                (left.min(self.prepared.cut.shortest.max(1)), left.min(self.prepared.cut.longest));
            let room = self.room_for(longest);
            bound = bound.saturating_add(room - longest + chunk);
            joiner.join(&Report {
                plain_len: chunk as u64,
                coded_len: room as u64,
                frames: 1,
                ..Report::default()
            });
            left -= chunk;
            if left == 0 {
                return bound.saturating_add(joiner.trailer().len());
            }
        }
    }

    /// The most bytes of the frame of a chunk.
    fn room_for(&mut self, chunk_len: usize) -> usize {
        self.of_chunk.chunk_len = chunk_len.max(1);
        self.prepared.codec.coded_bound(&self.of_chunk)
    }

    /// Compresses all of `plain` behind what is in `coded`, and shows the report of each frame.
    pub(crate) fn compress_frames(
        &mut self,
        plain: &[u8],
        coded: &mut Vec<u8>,
        see: &mut dyn FnMut(&Report),
    ) -> Result<Done> {
        self.run(plain, &mut Room::Grows(coded), false, see)
    }

    /// Compresses into `room`. If it `copies`, frames that may not fit are coded in memory that stays from call to call
    /// and need not be cleared.
    fn run(
        &mut self,
        plain: &[u8],
        room: &mut Room,
        copies: bool,
        see: &mut dyn FnMut(&Report),
    ) -> Result<Done> {
        let Some(mut encoder) = self.encoder.take() else { return self.run_serial(plain, room) };
        let mut spare = std::mem::take(&mut self.spare);
        let (header, joiner) = self.prepared.framing();
        let to = (&mut *room, copies.then_some(&mut spare));
        let done = to.0.put(&header).and_then(|()| self.run_chunks(plain, &mut *encoder, joiner, to, see));
        (self.encoder, self.spare) = (Some(encoder), spare);
        done
    }

    /// Codes chunk after chunk. An empty payload is one empty chunk.
    fn run_chunks(
        &mut self,
        mut plain: &[u8],
        encoder: &mut dyn Encoder,
        mut joiner: Box<dyn Joiner>,
        (room, mut spare): (&mut Room, Option<&mut Vec<u8>>),
        see: &mut dyn FnMut(&Report),
    ) -> Result<Done> {
        loop {
            let len = self.prepared.cut.len(&plain[..plain.len().min(self.prepared.cut.longest)]);
            let (chunk, more) = plain.split_at(len);
            let most = self.room_for(len);
            let coded_len = fill(room, spare.as_deref_mut(), most, |out| encoder.encode(chunk, out))?;
            let (plain_len, coded_len, note) = (len as u64, coded_len as u64, encoder.note());
            let report = Report { plain_len, coded_len, frames: 1, note, ..Report::default() };
            see(&report);
            joiner.join(&report);
            plain = more;
            if plain.is_empty() {
                break;
            }
        }
        room.put(&joiner.trailer())?;
        Ok(Done { total: joiner.total(), sidecar: joiner.sidecar() })
    }

    /// Codes everything as one frame, whose encoder needs an emitter.
    fn run_serial(&mut self, plain: &[u8], room: &mut Room) -> Result<Done> {
        let Prepared { cut, bound, .. } = self.prepared;
        let (header, joiner) = self.prepared.framing();
        let mut coder = self.prepared.coder()?;
        let input = Input::Memory(plain);
        let place = input.random_access().map(|(place, _)| place);
        let slots = (plain.len() / cut.longest + 2).max(engine::INLINE_SLOTS);
        // Such an encoder may want room for its longest chunk. What short data becomes fits into short pieces.
        let piece_len = bound.min(plain.len() + plain.len() / 8 + 1024);
        let plan = Plan { joiner, header, slots, piece_len, ..Plan::of_chunks(2, 0, bound) };
        let mut splitter = Splitter::new(input, cut, None);
        let mut take = |bytes: &[u8]| Ok(room.put(bytes)?);
        match engine::run_inline(plan, &mut *coder, place, &mut splitter, &mut take) {
            Some(total) => Ok(Done { total: total?, sidecar: None }),
            None => Err(Error::Internal("a payload was cut into too many chunks".into())),
        }
    }
}

/// Lets `code` fill a part of `most` bytes. Returns how many it has filled. If there is spare memory, a vector gets a
/// copy of these, and so does a slice that is too short for `most`.
fn fill(
    room: &mut Room,
    spare: Option<&mut Vec<u8>>,
    most: usize,
    code: impl FnOnce(&mut [u8]) -> Result<usize>,
) -> Result<usize> {
    let start = room.filled();
    let is_copied = matches!(room, Room::Grows(_)) && spare.is_some();
    if !is_copied && let Some(out) = room.next(most) {
        let len = code(out)?;
        room.emptied(start + len);
        return Ok(len);
    }
    let missing = || Error::Internal("output without room".into());
    let out = spared(spare.ok_or_else(missing)?, most);
    let len = code(out)?;
    if let Room::Grows(bytes) = room {
        bytes.reserve(len + INDEX_LEN);
    }
    room.put(&out[..len])?;
    Ok(len)
}

/// Room for the index of a few frames, behind a frame.
const INDEX_LEN: usize = 128;

/// The first bytes of the spare memory, which grows if it is too short.
fn spared(spare: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if spare.len() < len {
        // The system has zeros at hand.
        *spare = vec![0; len];
    }
    &mut spare[..len]
}
