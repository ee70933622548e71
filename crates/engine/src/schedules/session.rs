//! Sessions: an owner takes output and gives input. It stops, fails or drops the session at any point. Several sessions
//! share the threads of a crew.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use super::coders::{Frames, SLAB_LEN, Stream, feed_by_asking, filled};
use super::line::plan;
use super::{Pools, explore, one_in, pattern, pick};
use crate::error::{Error, Result};
use crate::sync::{has_no_threads_left, set_threads_left};
use crate::{Crew, PIECE_LEN, Plan, Session, Tag, Turn, Wait};

/// How far an owner goes before it drops its session.
fn patience() -> usize {
    if one_in(2) { usize::MAX } else { pick(12) }
}

fn session(crew: &Arc<Crew>, plan: Plan, fail_at: Option<u64>) -> Session {
    Session::new(plan, Arc::clone(crew), 1 + pick(2), Box::new(move || Ok(Box::new(Frames { fail_at }))))
}

/// Takes all output of coded frames. The inner reader can fail, or have no input now.
fn take(crew: &Arc<Crew>, turns: usize, use_output: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let stream = Stream::of(&[[1, 2, 0], [3, 0, 1]][pick(2)]);
    let shape = Shape {
        fail_at: one_in(4).then(|| stream.starts[pick(3)] as u64),
        breaks_at: one_in(5).then(|| pick(stream.coded.len())),
        cuts: stream.cuts(),
        may_read_ahead: true,
    };
    take_shape(crew, turns, &stream, shape, use_output)
}

/// What an owner meets that takes output.
struct Shape {
    /// Where a job fails, and where the inner reader does.
    fail_at: Option<u64>,
    breaks_at: Option<usize>,
    cuts: Vec<usize>,
    may_read_ahead: bool,
}

fn take_shape(
    crew: &Arc<Crew>,
    turns: usize,
    stream: &Stream,
    Shape { fail_at, breaks_at, cuts, may_read_ahead }: Shape,
    use_output: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let pools = Pools::new(SLAB_LEN * (3 + pick(3)), PIECE_LEN * (2 + pick(2)), PIECE_LEN);
    let session = session(crew, plan(&pools, 2 + pick(2)), fail_at);
    session.start_feeder(move |feed| feed_by_asking(feed, &cuts))?;
    let (mut read, mut taken) = (0, 0);
    for _ in 0..turns {
        let read_ahead = may_read_ahead && one_in(3);
        match session.turn_to_take(read_ahead, false) {
            Turn::Output(slice) => {
                assert!(stream.plain[taken..].starts_with(&slice), "the output is in order");
                taken += slice.len();
                use_output(&slice)?;
            }
            Turn::Proceed => {
                let Some(mut slab) = session.take_request() else { continue };
                let known = fail_at.map_or(read, |at| read.min(at as usize));
                assert!(
                    read_ahead || taken == stream.whole_before(known).len(),
                    "the owner reads before it has all output that the input so far allows: {read} {fail_at:?} {taken} {:?}",
                    stream.coded
                );
                if breaks_at.is_some_and(|at| read >= at) {
                    session
                        .supply(Err(Error::Read { offset: read as u64, source: ErrorKind::TimedOut.into() }));
                } else if one_in(5) {
                    session.return_request(slab);
                } else {
                    let rest = &stream.coded[read..];
                    let len = rest.len().min(1 + pick(SLAB_LEN));
                    slab[..len].copy_from_slice(&rest[..len]);
                    read += len;
                    session.supply(Ok((slab, len)));
                }
            }
            Turn::Interrupted(_) => unreachable!("this owner reads itself"),
            Turn::Over => {
                let result = session.ending(taken as u64).map(|(_, outcome)| outcome.total.frames);
                let end =
                    breaks_at.unwrap_or(usize::MAX).min(fail_at.map_or(stream.coded.len(), |at| at as usize));
                match result {
                    Ok(frames) => {
                        assert_eq!((frames as usize, taken), (stream.starts.len() - 1, stream.plain.len()));
                    }
                    Err(Error::Read { .. }) => assert!(breaks_at.is_some()),
                    Err(Error::Coder { .. }) => assert!(fail_at.is_some() || breaks_at.is_some()),
                    Err(Error::Threads { .. }) => {
                        assert!(has_no_threads_left());
                        break;
                    }
                    Err(error) => panic!("{error}"),
                }
                assert!(
                    taken >= stream.whole_before(end.min(read)).len(),
                    "all bytes before an error are there"
                );
                break;
            }
        }
    }
    drop(session);
    pools.assert_whole_at_the_end();
    Ok(())
}

/// Feeds a session, and takes its output.
struct Feeding {
    session: Session,
    pools: Pools,
    given: Vec<u8>,
    taken: usize,
    /// Where a job fails.
    fail_at: Option<u64>,
}

impl Feeding {
    fn new(crew: &Arc<Crew>, fail_at: Option<u64>) -> Self {
        let slots = 2 + pick(2);
        let pools = Pools::new(2 * SLAB_LEN * (slots + 2), PIECE_LEN * (2 + pick(2)), PIECE_LEN);
        let session = session(crew, Plan { guesses: false, ..plan(&pools, slots) }, fail_at);
        Self { session, pools, given: Vec::new(), taken: 0, fail_at }
    }

    /// Takes output until what the owner waits for has come. False if the stream is over.
    fn advance(&mut self, wait: Wait) -> bool {
        loop {
            match self.session.turn(wait) {
                Turn::Output(slice) => {
                    assert!(self.given[self.taken..].starts_with(&slice), "the output is in order");
                    self.taken += slice.len();
                }
                Turn::Proceed => {
                    assert!(wait != Wait::Empty || self.taken == self.given.len(), "all output was taken");
                    return true;
                }
                Turn::Interrupted(_) => unreachable!("this owner feeds"),
                Turn::Over => return false,
            }
        }
    }

    /// Gives one frame of plain bytes.
    fn give(&mut self, plain: &[u8]) -> Result<bool> {
        if !self.advance(Wait::Room) {
            return Ok(false);
        }
        let coded = [&[plain.len() as u8], plain].concat();
        let start = (self.given.len() * 2) as u64;
        let feed = self.session.feed();
        if coded.len() <= SLAB_LEN {
            feed.open_whole(start, filled(feed.slab(SLAB_LEN)?, &coded), Tag::default())?;
        } else {
            let job = feed.open(start)?;
            for part in coded.chunks(SLAB_LEN) {
                feed.push(job, filled(feed.slab(SLAB_LEN)?, part));
            }
            feed.close(job, Tag::default());
        }
        self.given.extend(plain);
        Ok(true)
    }

    fn end(mut self) {
        self.session.end();
        assert!(!self.advance(Wait::End));
        match self.session.ending(self.taken as u64) {
            Ok((trailer, _)) => {
                assert_eq!((&trailer[..], self.taken), (&b">"[..], self.given.len()));
            }
            Err(Error::Coder { .. }) => assert!(self.fail_at.is_some()),
            Err(Error::Threads { .. }) => assert!(has_no_threads_left()),
            Err(error) => panic!("{error}"),
        }
        drop(self.session);
        self.pools.assert_whole_at_the_end();
    }

    fn give_up(self) {
        drop(self.session);
        self.pools.assert_whole_at_the_end();
    }
}

/// Gives frames and takes their output.
fn give(crew: &Arc<Crew>, turns: usize) {
    let mut feeding = Feeding::new(crew, one_in(4).then(|| 2 * pick(4) as u64));
    let plain = pattern(6);
    let mut at = 0;
    for _ in 0..turns {
        if at == plain.len() {
            return feeding.end();
        }
        let len = (plain.len() - at).min(pick(4));
        match feeding.give(&plain[at..at + len]) {
            Ok(true) => at += len,
            Ok(false) => return feeding.end(),
            // The stream has failed since the last turn.
            Err(Error::GivenUp) => return feeding.end(),
            Err(error) => panic!("{error}"),
        }
        if one_in(4) && !feeding.advance(Wait::Empty) {
            return feeding.end();
        }
    }
    feeding.give_up();
}

/// Takes output of one session and gives it to another one.
fn recode(crew: &Arc<Crew>, turns: usize) {
    let mut feeding = Feeding::new(crew, None);
    take(crew, turns, &mut |bytes| feeding.give(bytes).map(|is_open| assert!(is_open)))
        .expect("it gives and takes");
    if turns == usize::MAX { feeding.end() } else { feeding.give_up() }
}

pub(super) fn one_owner() {
    // At least one thread of the crew and that of the feeder.
    set_threads_left(if one_in(3) { 2 + pick(2) } else { usize::MAX });
    let crew = Crew::new(1 + pick(2), None);
    if one_in(2) {
        take(&crew, patience(), &mut |_| Ok(())).expect("there are threads");
    } else {
        give(&crew, patience());
    }
    crew.close();
}

#[test]
fn an_owner_may_stop_fail_or_drop_its_session_at_any_point() {
    explore(one_owner);
}

/// A frame continues into the next span and ends there. The output behind that span leaves before the owner reads,
/// however late the worker of the span learns that its job was cancelled.
pub(super) fn cancelled_job() {
    let crew = Crew::new(2, None);
    let stream = Stream::of(&[2, 1]);
    let shape = Shape { fail_at: None, breaks_at: None, cuts: vec![2, 3], may_read_ahead: false };
    take_shape(&crew, usize::MAX, &stream, shape, &mut |_| Ok(())).expect("there are threads");
    crew.close();
}

#[test]
fn an_owner_does_not_read_before_a_cancelled_job_was_given_up() {
    explore(cancelled_job);
}

pub(super) fn several_owners() {
    let crew = Crew::new(1 + pick(2), None);
    let owners: Vec<_> = (0..2)
        .map(|_| {
            let crew = Arc::clone(&crew);
            shuttle::thread::spawn(move || match pick(3) {
                0 => take(&crew, patience(), &mut |_| Ok(())).expect("there are threads"),
                1 => give(&crew, patience()),
                _ => recode(&crew, patience()),
            })
        })
        .collect();
    for owner in owners {
        owner.join().expect("it does not panic");
    }
    crew.close();
}

#[test]
fn several_sessions_share_the_threads_of_a_crew() {
    explore(several_owners);
}

/// A reader that a session reads in the background. It blocks at times, or fails.
struct Background {
    coded: Vec<u8>,
    at: usize,
    breaks_at: usize,
}

impl Read for Background {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        shuttle::thread::yield_now();
        match pick(6) {
            0 => return Err(ErrorKind::Interrupted.into()),
            1 => return Err(ErrorKind::WouldBlock.into()),
            _ if self.at >= self.breaks_at => return Err(ErrorKind::ConnectionReset.into()),
            _ => {}
        }
        let rest = &self.coded[self.at..self.coded.len().min(self.breaks_at)];
        let len = rest.len().min(1 + pick(buffer.len()));
        buffer[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

pub(super) fn in_the_background() {
    let crew = Crew::new(1 + pick(2), None);
    let stream = Stream::of(&[1, 3, 0]);
    let pools = Pools::new(SLAB_LEN * (3 + pick(3)), PIECE_LEN * (2 + pick(2)), PIECE_LEN);
    let session = session(&crew, plan(&pools, 2 + pick(2)), None);
    let cuts = stream.cuts();
    let breaks_at = if one_in(4) { pick(stream.coded.len()) } else { usize::MAX };
    session.start_feeder(move |feed| feed_by_asking(feed, &cuts)).expect("there are threads");
    let reader = Background { coded: stream.coded.clone(), at: 0, breaks_at };
    assert!(session.start_reader(reader).is_none());
    let mut taken = 0;
    for _ in 0..patience() {
        match session.turn_to_take(false, true) {
            Turn::Output(slice) => {
                assert!(stream.plain[taken..].starts_with(&slice), "the output is in order");
                taken += slice.len();
            }
            Turn::Interrupted(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            Turn::Proceed => unreachable!("the session reads itself"),
            Turn::Over => {
                match session.ending(taken as u64) {
                    Ok((_, outcome)) => assert_eq!(
                        (outcome.total.frames, taken),
                        (3, stream.plain.len()),
                        "{:?} {:?} {}",
                        stream.coded,
                        stream.cuts(),
                        breaks_at
                    ),
                    Err(Error::Read { .. } | Error::Coder { .. }) => {
                        assert!(taken >= stream.whole_before(breaks_at).len());
                    }
                    Err(error) => panic!("{error}"),
                }
                break;
            }
        }
    }
    drop(session);
    pools.assert_whole_at_the_end();
    crew.close();
}

#[test]
fn a_session_that_reads_in_the_background_ends_with_its_owner() {
    explore(in_the_background);
}
