//! Whether bytes that are no record were the record of a list before they were damaged.
//!
//! Other programs may write frames that readers skip, so a frame is taken for a damaged record only by what no other
//! frame has. Damage is in one place as a rule. If it is in the head, the content is whole, and the other way round.

use pzcomp_deflate::inflate::{Inflate, Output, Pause};
use pzcomp_records::{HEADER_LEN, MAGIC};

use super::block::RAW_MAX;
use super::record::{HEAD_LEN, KIND, PLAIN_LEN_AT};

/// Whether these bytes, which are without their envelope, were a record of a list of so many plain bytes.
pub(super) fn began_as_list(record: &[u8], plain_len: u64) -> bool {
    let Some((start, content)) = record.split_at_checked(HEADER_LEN + HEAD_LEN) else { return false };
    // No other kind has a head of this length.
    let has_head_len = start[6..8] == (HEAD_LEN as u16).to_le_bytes();
    let is_marked = has_head_len && (start.starts_with(&MAGIC) || start[4] == KIND);
    let states_len = start[HEADER_LEN + PLAIN_LEN_AT..].starts_with(&plain_len.to_le_bytes());
    is_marked || states_len || is_coded(content)
}

/// Whether these bytes are a DEFLATE stream as long as the columns of a block.
fn is_coded(content: &[u8]) -> bool {
    let mut raw = vec![0; RAW_MAX + 1];
    let mut room = Output::new(&mut raw, 0);
    let Ok(progress) = Inflate::new().run(content, &mut room) else { return false };
    progress.pause == Pause::End && progress.read == content.len() && (1..=RAW_MAX).contains(&room.filled())
}

#[cfg(test)]
mod tests {
    use pzcomp_deflate::encode::{Encoder, Search};
    use pzcomp_records::Record;
    use pzcomp_tar::Member;

    use super::super::block::BlockWriter;
    use super::super::record::CodedBlock;
    use super::*;

    /// The record of a list of some members.
    fn record() -> Vec<u8> {
        let mut writer = BlockWriter::default();
        for number in 0..50_u64 {
            let name = format!("folder/{number}").into_bytes();
            let [header, data, end] = [0, 512, 1024].map(|at| number * 1024 + at);
            writer.push(&Member { name, size: 7, header, data, end, flag: b'0', ..Member::default() });
        }
        CodedBlock::of(&mut writer, 0, &mut Encoder::new(Search::Thorough)).unwrap().record(0, 1, 100_000)
    }

    #[test]
    fn damage_in_one_place_leaves_the_record_of_a_list_known() {
        let record = record();
        assert!(Record::parse(&record).is_some());
        for bit in 0..(HEADER_LEN + HEAD_LEN) * 8 {
            let mut damaged = record.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(began_as_list(&damaged, 100_000), "bit {bit}");
        }
        for len in [2, 16, 74] {
            for at in 0..record.len() - len {
                let mut damaged = record.clone();
                damaged[at..at + len].fill(0);
                assert!(began_as_list(&damaged, 100_000), "{len} bytes at {at}");
            }
        }
    }

    #[test]
    fn other_frames_are_no_lists() {
        let other = |kind, head: &[u8], content: &[u8]| {
            let mut damaged = Record { kind, head, content }.to_bytes();
            damaged[HEADER_LEN] ^= 1;
            damaged
        };
        let noise: Vec<u8> = (0..2000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for frame in [
            vec![],
            vec![0; 10],
            vec![0; 1000],
            vec![0xff; 1000],
            noise.clone(),
            b"a manifest of another program ".repeat(40),
            other(1, &noise[..32], &noise),
            other(1, &noise[..32 + 12 * 9], &noise),
            other(2, &noise[..40], &noise),
        ] {
            assert!(!began_as_list(&frame, 100_000), "{:?}", frame.get(..20));
        }
    }
}
