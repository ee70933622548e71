//! Decoding part of a member, whatever is known of what is before it, and two parts at once.
//!
//! ```text
//! bytes, until a match reaches back before the part │ symbols with markers │ bytes, once the last 32 KiB are
//! ```
//!
//! Where the window comes, markers are replaced, and bytes go on. What is behind symbols waits for that: it is put
//! aside. Most data soon leaves nothing in the window that was before the part; where that never comes, or memory
//! ends, the lane stands still until the window is known. What all later jobs wait for comes first: the window behind
//! this one is made of its last symbols and handed on before the rest of them is replaced.
//!
//! Two lanes are decoded on one core at once, in little more time than one: see
//! [`decode_pair`](pzcomp_deflate::inflate::decode_pair).

mod work;

use pzcomp_deflate::inflate::{Boundary, Inflate, Invalid, Marked, Resolver, WINDOW_LEN};

use crate::error::Result;
use crate::pipeline::{Emitter, RunningSum, Source};
use work::{Halt, Work};

/// So many symbols are decoded between two looks at whether they are still needed.
pub(crate) const STEP: usize = 128 << 10;

/// The most symbols there can be: 4 MiB.
pub(crate) const SYMBOLS_MAX: usize = 1 << 21;

/// What decodes a part.
pub(super) struct Lane {
    pub(super) stream: Inflate,
    marked: Option<Box<Inflate<Marked>>>,
    symbols: Vec<Marked>,
}

impl Lane {
    pub(super) fn new() -> Self {
        Self { stream: Inflate::new(), marked: None, symbols: Vec::new() }
    }
}

/// Goes on without the window until it is there, or the span ends; what is put out by then.
pub(super) fn ahead(
    lane: &mut Lane,
    resolver: &mut Resolver,
    source: &mut Source,
    out: &mut Emitter,
) -> Result<(RunningSum, Option<Invalid>)> {
    let mut work = Work::new(lane, None);
    work.begin_symbols();
    while work.goes_on() && !source.has_window() {
        let coded = source.available()?;
        if coded.is_empty() {
            // What is behind the span is for who is certain.
            work.halt = Some(Halt::Input);
            break;
        }
        let before = work.read;
        work.step(coded, out)?;
        source.consume(work.read - before);
        if matches!(work.halt, Some(Halt::Input)) {
            work.halt = None;
        }
    }
    hand_on_window(&[&work], 0, resolver, source)?;
    work.wait(source, resolver, out)?;
    let invalid = work.invalid().map(|Invalid { read, defect }| Invalid { read: read - work.read, defect });
    Ok((work.sum, invalid))
}

/// What came of two parts.
pub(super) struct Both {
    pub(super) sum: RunningSum,
    pub(super) read: usize,
    pub(super) invalid: Option<Invalid>,
    /// Whether the second began where the first ended.
    pub(super) is_joined: bool,
}

/// Goes on with the stream of a lane, and decodes what is said to go on behind the first `len` bytes of the input at
/// hand beside it. The first lane has the stream in the end.
pub(super) fn both(
    [first, second]: [&mut Lane; 2],
    resolver: &mut Resolver,
    source: &Source,
    (len, boundary): (usize, Boundary),
    out: &mut Emitter,
) -> Result<Both> {
    let (coded, others) = source.bytes().split_at(len);
    second.stream.reset_inside(boundary);
    let mut one = Work::new(first, None);
    let mut other = Work::new(second, Some(out.aside()));
    while one.goes_on() && other.goes_on() {
        let inputs = (&coded[one.read..], &others[other.read..]);
        one.step_both(&mut other, inputs, out)?;
        one.look_back(source, resolver, out)?;
        other.go_on_without_window();
    }
    while one.end() != Some(boundary) && (one.goes_on() || one.waits()) {
        if one.goes_on() {
            one.step(&coded[one.read..], out)?;
            one.look_back(source, resolver, out)?;
        } else if other.goes_on() && !source.has_window() {
            other.step(&others[other.read..], out)?;
            other.go_on_without_window();
        } else {
            one.wait(source, resolver, out)?;
        }
    }
    let ended = one.end() == Some(boundary);
    while ended && one.waits() && other.goes_on() && !source.has_window() {
        other.step(&others[other.read..], out)?;
        other.go_on_without_window();
    }
    if ended && (one.waits() || source.has_window()) {
        hand_on_window(&[&one, &other], len + other.read, resolver, source)?;
    }
    one.wait(source, resolver, out)?;
    if !ended {
        return Ok(Both { sum: one.sum, read: one.read, invalid: one.invalid(), is_joined: false });
    }
    // What comes before the place where they meet is as certain as that which is before a job.
    out.flush()?;
    let stream = &mut one.lane.stream;
    if stream.window_is_missing() && stream.window().len() < WINDOW_LEN {
        stream.set_window(source.window()?);
    }
    if other.has_failed(stream.window(), resolver) {
        // Who decodes it again, now knowing the window, says what is wrong, and puts out what is before that.
        return Ok(Both { sum: one.sum, read: len, invalid: None, is_joined: true });
    }
    other.settle(stream.window(), resolver, out)?;
    let (sum, read) = (other.sum.behind(one.sum), len + other.read);
    std::mem::swap(&mut first.stream, &mut second.stream);
    Ok(Both { sum, read, invalid: None, is_joined: true })
}

/// Hands on the window behind these lanes, which follow each other, before the rest of them is replaced: all later
/// jobs wait for it. `read` bytes of those at hand are used up.
fn hand_on_window(works: &[&Work], read: usize, resolver: &mut Resolver, source: &Source) -> Result<()> {
    let Some(boundary) = works.last().and_then(|last| last.end()) else { return Ok(()) };
    let mut window = [0; WINDOW_LEN];
    if let Some(first) = works.first().filter(|first| first.waits()) {
        match source.window()?.try_into() {
            Ok(before) => window = before,
            // Behind a shorter one there may be markers that stand for nothing.
            Err(_) if first.has_symbols() => return Ok(()),
            Err(_) => {}
        }
    }
    if works.iter().all(|work| work.pass_window(&mut window, resolver)) {
        source.publish_window(read, boundary.to_byte(), &window);
    }
    Ok(())
}
