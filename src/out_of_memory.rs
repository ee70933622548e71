//! The end of a process that gets no more memory: no file with incomplete content stays behind, and the user is told in
//! words.
//!
//! The library reports an error if a C library gets no memory, or if a thread does not start. But any allocation can
//! fail, in this package and in others, and the standard library ends the process then by SIGABRT. So [`Watched`]
//! stands before the allocator of the system. It ends the process with the exit status of an error when the allocator
//! has nothing to give. Some failures get around it: a new thread that finds no memory for its alternative stack panics
//! where no panic is allowed. That comes as SIGABRT, and
//! [`prepare`] sets up an answer to that.
//!
//! This file holds `unsafe` code: an allocator is unsafe to write, and what runs here may not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pzcomp::Size;
use system::signals;

use super::pending;

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// The allocator of the system. If it has no memory, the process ends. Much memory is in huge pages if possible.
struct Watched;

// SAFETY: every call goes to the allocator of the system with the same arguments, and what that gives is passed on.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.realloc(memory, layout, len) }, len)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// What the allocator has given. If that is nothing, the process ends.
#[inline]
fn given(memory: *mut u8, len: usize) -> *mut u8 {
    if memory.is_null() {
        end(Some(len));
    }
    if len >= MUCH {
        // SAFETY: the memory was given just now, and nobody has it yet.
        unsafe { system::allocator::ask_for_huge_pages(memory, len) };
    }
    memory
}

/// For so much memory and more the system is asked for huge pages. An encoder looks up any place of its tables next,
/// and with huge pages the processor remembers where all of these places are. Shorter memory may be used in part only:
/// a huge page would make it count in full, and `-M` would not be kept.
const MUCH: usize = 16 << 20;

/// How the process ends if it gets no memory.
struct Ending {
    /// The name at the beginning of the message.
    program: &'static str,
    code: u8,
    advice: &'static str,
}

static ENDING: OnceLock<Ending> = OnceLock::new();

/// Sets the name in the message, the exit status and what the user can do, and answers SIGABRT from here on.
pub(super) fn prepare(program: &'static str, code: u8, advice: &'static str) {
    if ENDING.set(Ending { program, code, advice }).is_err() {
        return;
    }
    signals::answer_abort(on_abort);
}

/// Answers SIGABRT. If there is still memory, the cause is another, and the process ends as it would have.
fn on_abort() {
    // What a thread takes.
    if !system::memory::has(4 << 20) {
        end(None);
    }
    pending::abandon();
}

/// Ends the process, because `len` bytes are not to be had. Nothing here allocates, unless the name of a file is long.
#[cold]
fn end(len: Option<usize>) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    let (program, code, advice) = match ENDING.get() {
        Some(ending) => (ending.program, ending.code, ending.advice),
        None => ("pzcomp", 1, "; "),
    };
    let mut text = [0; 512];
    let mut len_of_text = 0;
    if !ENDS.swap(true, Ordering::Relaxed) {
        pending::abandon();
        let mut rest = &mut text[..];
        // A text that does not fit is cut.
        let _ = match len {
            Some(len) => {
                write!(rest, "{program}: out of memory: cannot get {} more", Size(len as u64))
            }
            None => write!(rest, "{program}: out of memory: probably a thread could not be started"),
        };
        let _ = writeln!(rest, "{advice}{}", system::memory::MORE);
        len_of_text = 512 - rest.len();
    } else {
        // Another thread removes the files and tells the user. It needs less time, and then ends the process. If it is
        // this thread, which allocated for a long name, nothing more can be done.
        std::thread::sleep(Duration::from_secs(5));
    }
    signals::exit_now(code, &text[..len_of_text])
}
