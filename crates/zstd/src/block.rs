//! Stage 1: the literals and sequences of compressed blocks, without the output of any other block.

use crate::context::{BlockLayout, HuffmanDescription, TableContext};
use crate::huffman::{self, HuffmanTable};
use crate::literals::LiteralsKind;
use crate::sequences::{self, Lane, Offsets, SequenceTables, Stage};
use crate::{BLOCK_LEN_MAX, Error};

/// How many bytes behind the literals may be read, and are.
pub(crate) const SLACK: usize = 64;

/// A compressed block, with all that is needed to decode its literals and sequences.
#[derive(Debug, Clone, Copy)]
pub struct CodedBlock<'a> {
    /// The block without its header.
    pub bytes: &'a [u8],
    /// The tables in force before the block.
    pub tables: &'a TableContext,
    /// [`crate::FrameHeader::block_len_max`] of the frame.
    pub block_len_max: usize,
}

/// The literals and sequences of a block. The memory is kept and used again.
#[derive(Debug, Default)]
pub struct DecodedBlock {
    /// As long as the longest literals so far, with [`SLACK`].
    literals: Vec<u8>,
    literals_len: usize,
    sequences: Vec<u64>,
    /// The sequences use all literals but this many. A block after an error has no sequences: the fast executor relies
    /// on both.
    literals_behind: usize,
    sequence_count: usize,
    /// The offset values that do not fit in a packed sequence, in the order of the sequences.
    wide: Vec<u32>,
    /// The block was decoded with a table that has such values.
    pub(crate) has_wide_offsets: bool,
    /// From this sequence on, each has its offset in place of the offset value.
    resolved_from: usize,
    /// The repeated offsets behind the block, if a sequence of it has its offset.
    offsets: Option<Offsets>,
    len: usize,
}

impl DecodedBlock {
    /// An empty block. It allocates nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The length of the decoded block.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the block decodes to nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The literals: the bytes that sequences copy, and those behind the last sequence.
    #[must_use]
    pub fn literals(&self) -> &[u8] {
        &self.literals[..self.literals_len]
    }

    /// How many sequences the block has.
    #[must_use]
    pub fn sequence_count(&self) -> usize {
        self.sequence_count
    }

    /// The memory that the block holds, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.literals.capacity() + 8 * self.sequences.capacity() + 4 * self.wide.capacity()
    }

    pub(crate) fn sequences(&self) -> &[u64] {
        &self.sequences[..self.sequence_count]
    }

    pub(crate) fn wide(&self) -> &[u32] {
        &self.wide
    }

    /// The literals with the readable bytes behind them.
    pub(crate) fn literals_and_slack(&self) -> &[u8] {
        &self.literals[..self.literals_len + SLACK]
    }

    /// From this sequence on, each has its offset in place of the offset value.
    pub(crate) fn resolved_from(&self) -> usize {
        self.resolved_from
    }

    /// The repeated offsets behind the block, if they are known without those before it.
    pub(crate) fn offsets_behind(&self) -> Option<Offsets> {
        self.offsets
    }

    fn clear(&mut self) {
        (self.resolved_from, self.offsets) = (0, None);
        (self.literals_len, self.literals_behind, self.sequence_count) = (0, 0, 0);
        self.wide.clear();
        self.has_wide_offsets = false;
        self.len = 0;
        if self.literals.len() < SLACK {
            self.literals.resize(SLACK, 0);
        }
    }

    /// How many literals come behind the last sequence.
    pub(crate) fn literals_behind(&self) -> usize {
        self.literals_behind
    }

    /// Makes the sequences count, or, after an error, the whole block empty. The first of them may be executed already.
    fn settle(
        &mut self,
        done: Result<Executed, Error>,
        count: usize,
        block_len_max: usize,
    ) -> Result<Executed, Error> {
        let result =
            done.and_then(|executed| self.measure(executed, count, block_len_max).map(|()| executed));
        if result.is_err() {
            self.clear();
        }
        result
    }

    /// Resolves the sequences and adds them up: what they use of the literals, and what the block decodes to. Only then
    /// they count.
    fn measure(&mut self, executed: Executed, count: usize, block_len_max: usize) -> Result<(), Error> {
        // The first of the rest may repeat offsets of those that are executed.
        let rest = &mut self.sequences[executed.sequences..count];
        let resolved = sequences::resolve(rest, !self.has_wide_offsets);
        let literals = executed.literals as u64 + resolved.literals;
        let len = self.literals_len as u64 + (executed.len - executed.literals) as u64 + resolved.matches;
        if literals > self.literals_len as u64 {
            return Err(Error::LiteralsExhausted);
        }
        if len > block_len_max as u64 {
            return Err(Error::BlockTooLarge);
        }
        self.resolved_from = executed.sequences + resolved.from;
        self.offsets = Some(resolved.offsets).filter(|_| self.resolved_from < count);
        let (literals, len) = (literals as usize, len as usize);
        self.literals_behind = self.literals_len - literals;
        (self.sequence_count, self.len) = (count, len);
        Ok(())
    }
}

/// How much of a block was executed while its sequences were decoded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Executed {
    pub sequences: usize,
    /// How many literals they used.
    pub literals: usize,
    /// The length of their output, literals included.
    pub len: usize,
}

/// A block, what its headers say, and where it goes.
pub(crate) type LaidOut<'a> = (&'a CodedBlock<'a>, Result<&'a BlockLayout, &'a Error>, &'a mut DecodedBlock);

/// Decodes the literals and sequences of blocks. It holds tables, about 40 KiB, and keeps them from block to block.
pub struct BlockDecoder {
    huffman: [HuffmanTable; 2],
    /// Which of the two Huffman tables was used last.
    newest: usize,
    /// One set for each of two blocks that are decoded in one loop.
    sequences: [SequenceTables; 2],
}

impl Default for BlockDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for BlockDecoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("BlockDecoder").finish_non_exhaustive()
    }
}

impl BlockDecoder {
    /// A decoder without tables.
    #[must_use]
    pub fn new() -> Self {
        Self {
            huffman: [HuffmanTable::new(), HuffmanTable::new()],
            newest: 0,
            sequences: [SequenceTables::new(), SequenceTables::new()],
        }
    }

    /// Decodes one block. After an error `decoded` is empty.
    pub fn decode(&mut self, coded: CodedBlock<'_>, decoded: &mut DecodedBlock) -> Result<(), Error> {
        let layout = BlockLayout::parse(coded.bytes, coded.block_len_max);
        self.decode_laid_out((&coded, layout.as_ref(), decoded))
    }

    /// Decodes a block whose headers were read.
    pub(crate) fn decode_laid_out(&mut self, block: LaidOut<'_>) -> Result<(), Error> {
        self.decode_executing(block, |_, _| Ok(Executed::default())).map(drop)
    }

    /// Decodes a block whose headers were read. `execute` may decode and execute sequences from the first one on; a
    /// sequence that it decodes and does not execute goes to its place in [`Stage::sequences`]. The others are decoded
    /// here. If the block is not valid, the error may come after sequences were executed.
    pub(crate) fn decode_executing(
        &mut self,
        (coded, layout, decoded): LaidOut<'_>,
        execute: impl FnOnce(&mut Lane, &mut Stage<'_>) -> Result<Executed, Error>,
    ) -> Result<Executed, Error> {
        decoded.clear();
        let layout = layout.map_err(|error| *error)?;
        let literals = self.decode_literals(coded, layout, decoded);
        let [tables, _] = &mut self.sequences;
        let stage = literals.and_then(|()| prepare(coded, layout, tables, decoded));
        let done = stage.and_then(|stage| {
            let Some(mut stage) = stage else { return Ok(Executed::default()) };
            let mut lane = stage.begin()?;
            let executed = execute(&mut lane, &mut stage)?;
            stage.finish(lane)?;
            Ok(executed)
        });
        decoded.settle(done, layout.sequences.count, coded.block_len_max)
    }

    /// Decodes two blocks at once, in less time than one after the other. They may be of one frame or of two.
    pub fn decode_two(
        &mut self,
        a: (CodedBlock<'_>, &mut DecodedBlock),
        b: (CodedBlock<'_>, &mut DecodedBlock),
    ) -> (Result<(), Error>, Result<(), Error>) {
        let [layout_a, layout_b] =
            [&a.0, &b.0].map(|coded| BlockLayout::parse(coded.bytes, coded.block_len_max));
        self.decode_two_laid_out((&a.0, layout_a.as_ref(), a.1), (&b.0, layout_b.as_ref(), b.1))
    }

    /// Decodes two blocks whose headers were read.
    pub(crate) fn decode_two_laid_out(
        &mut self,
        a: LaidOut<'_>,
        b: LaidOut<'_>,
    ) -> (Result<(), Error>, Result<(), Error>) {
        if let (Ok(layout_a), Ok(layout_b)) = (a.1, b.1) {
            let ((coded_a, _, decoded_a), (coded_b, _, decoded_b)) = (a, b);
            decoded_a.clear();
            decoded_b.clear();
            let result_a = self.decode_literals(coded_a, layout_a, decoded_a);
            let result_b = self.decode_literals(coded_b, layout_b, decoded_b);
            let [tables_a, tables_b] = &mut self.sequences;
            let stage_a = result_a.and_then(|()| prepare(coded_a, layout_a, tables_a, decoded_a));
            let stage_b = result_b.and_then(|()| prepare(coded_b, layout_b, tables_b, decoded_b));
            let (result_a, result_b) = match (stage_a, stage_b) {
                (Ok(Some(stage_a)), Ok(Some(stage_b))) => sequences::decode_two(stage_a, stage_b),
                (stage_a, stage_b) => (decode_alone(stage_a), decode_alone(stage_b)),
            };
            let settle = |decoded: &mut DecodedBlock,
                          done: Result<(), Error>,
                          layout: &BlockLayout,
                          coded: &CodedBlock<'_>| {
                let done = done.map(|()| Executed::default());
                decoded.settle(done, layout.sequences.count, coded.block_len_max).map(drop)
            };
            return (
                settle(decoded_a, result_a, layout_a, coded_a),
                settle(decoded_b, result_b, layout_b, coded_b),
            );
        }
        (self.decode_laid_out(a), self.decode_laid_out(b))
    }

    /// The table of a description: one of the two that are there, or the older one built anew.
    fn huffman_table(&mut self, description: &HuffmanDescription) -> Result<&HuffmanTable, Error> {
        if !self.huffman[self.newest].is_built_from(description) {
            self.newest ^= 1;
        }
        let table = &mut self.huffman[self.newest];
        table.build(description)?;
        Ok(table)
    }

    fn decode_literals(
        &mut self,
        coded: &CodedBlock<'_>,
        layout: &BlockLayout,
        decoded: &mut DecodedBlock,
    ) -> Result<(), Error> {
        let literals = &layout.literals;
        let (block, content, len) = (coded.bytes, literals.content.clone(), literals.len);
        if decoded.literals.len() < len + SLACK {
            grow(&mut decoded.literals, in_steps(len, BLOCK_LEN_MAX / 8) + SLACK);
        }
        decoded.literals_len = len;
        let output = &mut decoded.literals[..];
        match &literals.kind {
            LiteralsKind::Raw => output[..len].copy_from_slice(&block[content]),
            LiteralsKind::Rle => output[..len].fill(block[content.start]),
            LiteralsKind::Compressed { .. } | LiteralsKind::Treeless => {
                let own = literals.description(block);
                let description =
                    own.as_ref().or(coded.tables.huffman.as_ref()).ok_or(Error::NoHuffmanTable)?;
                let table = self.huffman_table(description)?;
                let decode =
                    if literals.has_four_streams { huffman::decode_four } else { huffman::decode_one };
                decode(block, content.start, content.end, table, output, len)?;
            }
        }
        Ok(())
    }
}

fn decode_alone(stage: Result<Option<Stage<'_>>, Error>) -> Result<(), Error> {
    stage?.map_or(Ok(()), sequences::decode_one)
}

/// Rounds up a length, so that memory does not grow a little with each block: to a multiple of `step`, or, if it is
/// shorter, to a power of two. So many short blocks need little memory together.
fn in_steps(len: usize, step: usize) -> usize {
    if len < step { len.next_power_of_two().max(64) } else { len.next_multiple_of(step) }
}

/// Grows to this length, and not to twice the length before: callers count with the most that a block can need.
fn grow<T: Clone + Default>(memory: &mut Vec<T>, len: usize) {
    memory.reserve_exact(len - memory.len());
    memory.resize(len, T::default());
}

/// Builds the tables of a block, and makes room for its sequences. None if it has no sequences.
fn prepare<'a>(
    coded: &CodedBlock<'a>,
    layout: &BlockLayout,
    tables: &'a mut SequenceTables,
    decoded: &'a mut DecodedBlock,
) -> Result<Option<Stage<'a>>, Error> {
    let sequences = &layout.sequences;
    if sequences.count == 0 {
        return Ok(None);
    }
    let own = [0, 1, 2].map(|kind| sequences.modes[kind].description(coded.bytes));
    tables.build([0, 1, 2].map(|kind| own[kind].as_ref().unwrap_or(&coded.tables.fse[kind])))?;
    decoded.has_wide_offsets = tables.has_wide_offsets;
    if decoded.sequences.len() < sequences.count {
        grow(&mut decoded.sequences, in_steps(sequences.count, 4096));
    }
    Ok(Some(Stage {
        block: coded.bytes,
        stream: sequences.stream,
        tables,
        sequences: &mut decoded.sequences[..sequences.count],
        wide: &mut decoded.wide,
        literals: &decoded.literals[..decoded.literals_len + SLACK],
    }))
}
