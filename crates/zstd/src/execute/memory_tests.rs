//! The memory of a ring: what is lent, and what is written meanwhile.

use std::ops::Range;

use super::memory::Memory;

#[test]
fn what_is_lent_is_not_written_to() {
    let mut memory = Memory::new(100);
    let fill = |memory: &mut Memory, range: Range<usize>, value| {
        let Some(mut target) = memory.target(range.start, range.end, 0..0) else { return false };
        target.split().1.fill(value);
        true
    };
    assert!(fill(&mut memory, 0..100, 1));
    let lent = memory.lend(40..60);
    for range in [0..41, 59..60, 0..100, 50..51] {
        assert!(!memory.is_free(&range) && !fill(&mut memory, range, 2));
    }
    assert!(fill(&mut memory, 0..40, 3) && fill(&mut memory, 60..100, 4));
    assert_eq!((&lent[..], memory.slice(39..41)), (&[1; 20][..], &[3, 1][..]));
    drop(lent);
    assert!(fill(&mut memory, 0..100, 5));
}

#[test]
fn what_is_lent_outlives_its_memory() {
    let mut memory = Memory::new(10);
    memory.target(0, 10, 0..0).unwrap().split().1.fill(7);
    let lent = memory.lend(2..10);
    let mut memory = memory.renewed(20, 10);
    assert!(memory.is_free(&(0..20)), "nothing of the new memory is lent");
    memory.target(0, 20, 0..0).unwrap().split().1.fill(8);
    drop(memory);
    assert_eq!(lent[..], [7; 8]);
}

#[test]
fn the_bytes_before_are_those_that_a_block_does_not_reach() {
    let mut memory = Memory::new(10);
    memory.target(0, 10, 0..0).unwrap().split().1.copy_from_slice(b"0123456789");
    let _lent = memory.lend(7..10);
    let mut target = memory.target(2, 5, 5..9).unwrap();
    assert_eq!((target.before(), target.filled(), target.len()), (&b"5678"[..], 2, 5));
    let (filled, room) = target.split();
    assert_eq!((filled, &room[..]), (&b"01"[..], &b"234"[..]));
}

#[test]
#[should_panic(expected = "end <= before.start")]
fn the_bytes_before_are_behind_the_room() {
    let _ = Memory::new(10).target(2, 6, 5..9);
}
