//! The memory orderings of the ring, by loom: bytes that come back are read before they are written again.
//!
//! Loom tries each value that an atomic may have by the rules of C11. It does not see the bytes of the memory. So each
//! thread touches a cell of loom where it touches the bytes, and loom finds two such accesses that nothing orders. This
//! test compiles `memory.rs` once more, with the atomics of loom. So what is tested is what ships.

#![allow(
    clippy::unwrap_used,
    dead_code,
    missing_docs,
    reason = "a test, with parts of the crate that it does not use"
)]

#[path = "../src/execute/memory.rs"]
mod memory;
#[path = "../src/execute/target.rs"]
mod target;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicBool;
use loom::thread;
use memory::Memory;

/// Fills all bytes if none is lent. `cell` stands for the bytes.
fn fill(memory: &mut Memory, cell: &UnsafeCell<()>, value: u8) -> bool {
    let Some(mut target) = memory.target(0, 4, 0..0) else { return false };
    cell.with_mut(|_| target.split().1.fill(value));
    true
}

#[test]
fn bytes_are_written_again_only_behind_the_last_read() {
    loom::model(|| {
        let cell = Arc::new(UnsafeCell::new(()));
        let mut memory = Memory::new(4);
        assert!(fill(&mut memory, &cell, 1));
        let readers = [0..2, 2..4].map(|range| {
            let (lent, cell) = (memory.lend(range), Arc::clone(&cell));
            thread::spawn(move || {
                cell.with(|_| assert_eq!(lent[..], [1; 2]));
                drop(lent);
            })
        });
        let is_filled = fill(&mut memory, &cell, 2);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        assert!(is_filled || fill(&mut memory, &cell, 2), "all bytes are back");
    });
}

#[test]
fn what_is_lent_of_a_ring_that_was_renewed_is_still_there() {
    loom::model(|| {
        let cell = Arc::new(UnsafeCell::new(()));
        let mut memory = Memory::new(4);
        assert!(fill(&mut memory, &cell, 1));
        let lent = memory.lend(0..4);
        let reader = thread::spawn(move || assert_eq!(lent[..], [1; 4]));
        let mut memory = memory.renewed(4, 2);
        assert!(fill(&mut memory, &cell, 2), "nothing of the new memory is lent");
        reader.join().unwrap();
    });
}
