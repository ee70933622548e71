//! [`Listing`]: the list of an archive that is being compressed. The feeder adds members, and the joiner takes the
//! records.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pzcomp_deflate::encode::{Encoder, Search};
use pzcomp_records::Envelope;
use pzcomp_tar::Member;

use super::block::BlockWriter;
use super::record::CodedBlock;

/// The most memory for the coded list, if no limit of memory is lower. It is enough for 20 million members as a rule.
const LIST_MAX: u64 = 256 << 20;

/// A list that several parts of a stream share.
#[derive(Clone, Default)]
pub(crate) struct Listing(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    writer: BlockWriter,
    blocks: Vec<CodedBlock>,
    encoder: Option<Encoder>,
    /// Members in the coded blocks.
    count: u64,
    /// Memory that the coded blocks take, and the most that they may take.
    len: u64,
    most: u64,
    is_complete: bool,
    /// The lengths of all records with their envelopes, after they were taken.
    lens: Vec<usize>,
    /// Why there is no list, although the stream is an archive.
    lack: Option<String>,
}

impl Listing {
    /// An empty list for a stream that may take so much memory.
    pub(crate) fn new(memory: Option<u64>) -> Self {
        let most = memory.map_or(LIST_MAX, |memory| (memory / 8).min(LIST_MAX));
        Self(Arc::new(Mutex::new(State { most, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next member.
    pub(super) fn push(&self, member: &Member) {
        self.state().push(member);
    }

    /// The archive is complete, and all its members were added.
    pub(super) fn complete(&self) {
        let mut state = self.state();
        state.code();
        state.is_complete = state.lack.is_none();
    }

    /// There is no list, for this reason.
    pub(super) fn give_up(&self, why: impl Into<String>) {
        self.state().give_up(why.into());
    }

    /// A sentence about a stream that is an archive and gets no list.
    pub(crate) fn lack(&self) -> Option<String> {
        self.state().lack.clone()
    }

    /// The records of the list of a stream of so many plain bytes, in their envelopes. None if there is no list.
    pub(crate) fn records(&self, plain_len: u64, envelope: Envelope) -> Vec<Vec<u8>> {
        let mut state = self.state();
        let Ok(count) = u32::try_from(state.blocks.len()) else { return Vec::new() };
        let blocks = state.blocks.iter().zip(0..).filter(|_| state.is_complete);
        let wrapped = blocks.map(|(block, number)| envelope.wrap(&block.record(number, count, plain_len)));
        let records: Vec<_> = wrapped.collect();
        state.lens = records.iter().map(Vec::len).collect();
        records
    }

    /// The lengths of the records that were taken.
    pub(crate) fn lens(&self) -> Vec<usize> {
        self.state().lens.clone()
    }
}

impl State {
    fn push(&mut self, member: &Member) {
        if self.lack.is_some() {
            return;
        }
        if !BlockWriter::takes(member) {
            return self.give_up("a name in it is too long".into());
        }
        if self.writer.is_full_before(member) {
            self.code();
        }
        self.writer.push(member);
    }

    /// Codes the block that is being filled.
    fn code(&mut self) {
        if self.writer.count == 0 || self.lack.is_some() {
            return;
        }
        let encoder = self.encoder.get_or_insert_with(|| Encoder::new(Search::Thorough));
        let members = u64::from(self.writer.count);
        let Some(block) = CodedBlock::of(&mut self.writer, self.count, encoder) else {
            return self.give_up("its list cannot be coded".into());
        };
        self.len += block.len();
        self.count += members;
        self.blocks.push(block);
        if self.len > self.most {
            let most = crate::error::Size(self.most);
            self.give_up(format!("its list would take more than {most} of memory"));
        }
    }

    fn give_up(&mut self, why: String) {
        let lack = format!("the tar archive gets no list of its members: {why}");
        *self = Self { lack: Some(lack), ..Self::default() };
    }
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Listing").field(&self.state().count).finish()
    }
}

/// The same list.
impl PartialEq for Listing {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Listing {}
