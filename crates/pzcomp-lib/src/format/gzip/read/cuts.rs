//! The walker of gzip: finds members, and places inside members at which decoding can begin.
//!
//! A member that states its size is passed as a whole. Other members are searched for flush points. A tool that
//! compresses chunks in parallel brings each chunk to a whole byte with an empty stored block. LEN and NLEN of such a
//! block are four bytes that are easy to find: here they are called the flush marker. These bytes may also occur by
//! chance, or be planted. And the data behind a true flush marker may refer to data before it, as in the output of
//! pigz. So the start of that data is decoded here as a test, which nearly always gives the right answer.
//!
//! If nothing in a member is independent and several workers share it, the member is cut at dynamic blocks
//! (`block_cuts.rs`). Such parts are decoded without the window before them, which costs more work, but less than is
//! gained.
//!
//! All tests depend on the bytes and the number of workers only. So the same input is cut at the same places, however
//! fast it comes.

use memchr::memmem;
use pzcomp_deflate::inflate::{Boundary, Inflate, Output, Pause};

use super::super::header::Header;
use super::super::index::{self, TABLE_END};
use super::block_cuts::{BlockCuts, PART_LEN, SEARCHED_LEN};
use crate::error::Result;
use crate::format::{Cursor, Unit, Walker, records};

/// LEN and NLEN of an empty stored block: the flush marker.
const FLUSH_BYTES: [u8; 4] = [0, 0, 0xff, 0xff];

/// How many coded and plain bytes behind a flush marker are tested. If a block refers to data before it, its first
/// such match comes within a few hundred bytes.
const TEST_LEN: usize = 1 << 10;
const TEST_PLAIN_LEN: usize = 4 << 10;

/// If several workers could share a member, the search for independent parts ends after this many bytes and this many
/// tests.
const INDEPENDENT_SEARCH_LEN: u64 = 2 << 20;
const INDEPENDENT_TESTS: usize = 2;

/// Finds members, and parts of members.
#[derive(Default)]
pub(in crate::format::gzip) struct MemberWalker {
    /// The boundary at which the next part begins, if that is inside a member.
    inside: Option<Boundary>,
    test: Option<IndependenceTest>,
    /// Cuts members at dynamic blocks, if that is wanted.
    block_cuts: Option<BlockCuts>,
    /// No independent part was found in this member, so its parts refer back to those before.
    refers_back: bool,
}

impl MemberWalker {
    /// For this many workers.
    pub(in crate::format::gzip) fn new(workers: usize) -> Self {
        Self { block_cuts: BlockCuts::among(workers), ..Self::default() }
    }

    /// Passes a part of a member, or everything that follows.
    fn pass_part(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        if !self.refers_back && self.pass_independent_part(cursor)? {
            self.inside = Some(Boundary::WHOLE_BYTE);
            return Ok(());
        }
        if let Some(block_cuts) = &mut self.block_cuts {
            self.inside = block_cuts.pass_part(cursor, !self.refers_back)?;
            self.refers_back = true;
        }
        if self.inside.is_some() { Ok(()) } else { cursor.take_rest() }
    }

    /// Passes a part behind which an independent part begins. False if there is none.
    fn pass_independent_part(&mut self, cursor: &mut dyn Cursor) -> Result<bool> {
        let (len, tests) = match self.block_cuts {
            Some(_) => (INDEPENDENT_SEARCH_LEN, INDEPENDENT_TESTS),
            None => (SEARCHED_LEN, usize::MAX),
        };
        let end = cursor.offset() + len;
        let mut tested = 0;
        while tested < tests && cursor.take(PART_LEN)? && pass_flush_marker(cursor, end)? {
            let next = cursor.glance(TEST_LEN)?;
            let test = self.test.get_or_insert_default();
            if !next.is_empty() && test.is_independent(&next[..next.len().min(TEST_LEN)]) {
                return Ok(true);
            }
            tested += 1;
        }
        Ok(false)
    }
}

impl Walker for MemberWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        if let Some(boundary) = self.inside {
            let part = Unit::part(boundary.to_byte(), "CRC32");
            // Parts that refer to those before are decoded without their windows. Two workers do that for one part at a
            // time only.
            let is_lone =
                self.refers_back && self.block_cuts.as_ref().is_some_and(|cuts| !cuts.makes_pairs());
            return Ok(if is_lone { part } else { part.paired() });
        }
        let Some((header, member)) = Header::peek(cursor)? else {
            return Ok(Unit::part(0, "CRC32"));
        };
        let (record, end) = (header.subfield(member, records::SUBFIELD), header.subfield(member, TABLE_END));
        // The stream ends behind the last member of its index.
        let more_follows = record.and_then(records::more_follows).or(end.map(|_| false));
        let is_without_data = header.is_index || header.is_record;
        if is_without_data && index::is_empty_body(cursor.peek(header.len + index::EMPTY_BODY_LEN)?, &header)
        {
            let unit = if header.is_index { Unit::INDEX } else { Unit::SKIP };
            return Ok(unit.followed(more_follows));
        }
        Ok(Unit::frame(header.plain_len, "CRC32").paired())
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        // The inside of a member may look like a header.
        if self.inside.take().is_none() {
            self.refers_back = false;
            if let Some(size) = Header::peek(cursor)?.and_then(|(header, _)| header.size) {
                return cursor.take(size).map(drop);
            }
        }
        self.pass_part(cursor)
    }

    fn is_inside(&self) -> bool {
        self.inside.is_some()
    }
}

/// Passes everything up to the end of the next flush marker. False if there is none before the offset `end`.
fn pass_flush_marker(cursor: &mut dyn Cursor, end: u64) -> Result<bool> {
    loop {
        let left = usize::try_from(end.saturating_sub(cursor.offset())).unwrap_or(usize::MAX);
        let bytes = cursor.glance(FLUSH_BYTES.len())?;
        let bytes = &bytes[..bytes.len().min(left)];
        if let Some(at) = memmem::find(bytes, &FLUSH_BYTES) {
            return cursor.take((at + FLUSH_BYTES.len()) as u64);
        }
        // A flush marker may be cut off at the end of the bytes.
        let (have, len) = (bytes.len(), (bytes.len() + 1).saturating_sub(FLUSH_BYTES.len()));
        if len == 0 {
            // The search, the input or a part of it ends here. If the input only pauses, a marker that is cut off by
            // the pause is not found.
            if left < FLUSH_BYTES.len() || !pass_pause(cursor, have)? {
                return Ok(false);
            }
            continue;
        }
        cursor.take(len as u64)?;
    }
}

/// Passes the `len` bytes that came before a pause of the input or its end. False if it is the end.
pub(super) fn pass_pause(cursor: &mut dyn Cursor, len: usize) -> Result<bool> {
    Ok(cursor.take(len as u64)? && !cursor.peek(1)?.is_empty())
}

/// Decodes the start of a part on trial.
struct IndependenceTest {
    inflate: Inflate,
    plain: Box<[u8]>,
}

impl Default for IndependenceTest {
    fn default() -> Self {
        Self { inflate: Inflate::new(), plain: vec![0; TEST_PLAIN_LEN].into_boxed_slice() }
    }
}

impl IndependenceTest {
    /// Whether these bytes decode without the data before them, as far as they go.
    fn is_independent(&mut self, coded: &[u8]) -> bool {
        self.inflate.reset_inside(Boundary::WHOLE_BYTE);
        let progress = self.inflate.run(coded, &mut Output::new(&mut self.plain, 0));
        progress.is_ok_and(|progress| progress.pause != Pause::Window)
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;
    use crate::decompress::RangeCursor;
    use engine::io::RandomAccess;

    /// Where the walker cuts a member.
    fn cuts(coded: &[u8]) -> Vec<u64> {
        let mut cursor = RangeCursor::new(RandomAccess::Memory(coded), 0..coded.len() as u64);
        let mut walker = MemberWalker::new(1);
        let mut cuts = Vec::new();
        loop {
            walker.unit(&mut cursor).unwrap();
            walker.pass(&mut cursor).unwrap();
            if !walker.is_inside() {
                return cuts;
            }
            cuts.push(Cursor::offset(&cursor));
        }
    }

    /// A header, `len` bytes of noise, a flush marker, and the bytes `next`.
    fn planted(len: usize, next: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        bytes.extend((0..len as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 | 1));
        bytes.extend(FLUSH_BYTES);
        bytes.extend(next);
        bytes
    }

    #[test]
    fn a_member_is_cut_behind_a_marker_that_a_block_follows() {
        let stored = [0, 1, 0, 0xfe, 0xff, b'x'];
        // A fixed block that begins with a match: three bits of header, seven for the length, five for the distance.
        let (before_start, reserved) = ([0b0000_0010, 0b0000_0010, 0, 0], [0b0000_0110, 0]);
        for len in [PART_LEN as usize, 300_000, 262_144 * 2 - 14, 262_144 * 2 - 13, 8_388_590] {
            let at = (10 + len + FLUSH_BYTES.len()) as u64;
            let expected: &[u64] = if at <= SEARCHED_LEN { &[at] } else { &[] };
            assert_eq!(cuts(&planted(len, &stored)), expected, "{len}");
            assert_eq!(cuts(&planted(len, &before_start)), [0_u64; 0], "{len}: a match before the start");
            assert_eq!(cuts(&planted(len, &reserved)), [0_u64; 0], "{len}: a reserved type");
            assert_eq!(cuts(&planted(len, &[])), [0_u64; 0], "{len}: the end");
        }
        assert_eq!(cuts(&planted(PART_LEN as usize - 15, &stored)), [0_u64; 0], "too near");
    }

    /// A member of noise, which zlib flushed after each MiB.
    fn flushed(level: u32, flush: FlushCompress) -> Vec<u8> {
        // Five bits of each byte are noise.
        let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let noise = std::iter::successors(Some(1_u32), next).map(|state| (state >> 27) as u8);
        let data: Vec<u8> = noise.take(8 << 20).collect();
        let mut encoder = Compress::new(Compression::new(level), false);
        let mut coded = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        for part in data.chunks(1 << 20) {
            coded.reserve(2 << 20);
            encoder.compress_vec(part, &mut coded, flush).unwrap();
        }
        coded
    }

    #[test]
    fn parts_that_refer_to_each_other_stay_together() {
        assert_eq!(cuts(&flushed(1, FlushCompress::Full)).len(), 7);
        assert_eq!(cuts(&flushed(1, FlushCompress::Sync)), [0_u64; 0]);
    }

    #[test]
    fn two_workers_decode_parts_without_windows_one_at_a_time() {
        let are_paired = |flush, workers| {
            let coded = flushed(6, flush);
            let mut cursor = RangeCursor::new(RandomAccess::Memory(&coded), 0..coded.len() as u64);
            let mut walker = MemberWalker::new(workers);
            let mut paired = Vec::new();
            loop {
                paired.push(walker.unit(&mut cursor).unwrap().is_paired);
                walker.pass(&mut cursor).unwrap();
                if !walker.is_inside() {
                    return paired.split_off(1);
                }
            }
        };
        for (flush, workers, expected) in
            [(FlushCompress::Full, 2, true), (FlushCompress::Sync, 2, false), (FlushCompress::Sync, 3, true)]
        {
            let paired = are_paired(flush, workers);
            assert!(paired.len() >= 3, "{flush:?}, {workers} workers: {} parts", paired.len() + 1);
            assert!(paired.iter().all(|&one| one == expected), "{flush:?}, {workers} workers");
        }
    }

    #[test]
    fn the_search_ends_where_parts_would_be_too_long() {
        let stored = [0, 1, 0, 0xfe, 0xff, b'x'];
        let mut coded = planted(SEARCHED_LEN as usize, &stored);
        coded.extend(planted(PART_LEN as usize, &stored));
        assert_eq!(cuts(&coded), [0_u64; 0]);
    }
}
