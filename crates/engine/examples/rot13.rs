//! Turns standard input into ROT13 on all cores, in order and in bounded memory: `cargo run --example rot13 <in >out`.

use std::io::{Error, stdin, stdout};

use pzcomp_engine::io::{Input, InputStream, Output, Patience};
use pzcomp_engine::{Coder, Emitter, Ends, Feed, Feeder, Plan, Report, Result, Segment, Source, Tag, run};

/// Bytes of input in a job.
const CHUNK_LEN: usize = 1 << 20;

/// The codec: each worker has its own.
struct Rot13;

impl Coder for Rot13 {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let chunk = source.gather(CHUNK_LEN)?;
        for (to, &from) in out.room(chunk.len())?.iter_mut().zip(chunk) {
            *to = match from {
                b'a'..=b'z' => (from - b'a' + 13) % 26 + b'a',
                b'A'..=b'Z' => (from - b'A' + 13) % 26 + b'A',
                other => other,
            };
        }
        let len = chunk.len();
        source.consume(len);
        out.commit(len)?;
        Ok(Report { plain_len: len as u64, coded_len: len as u64, frames: 1, ..Report::default() })
    }
}

/// The feeder: it reads the input on the thread of the caller, and makes a job of each chunk.
struct Chunks<'a>(InputStream<'a>);

impl Feeder for Chunks<'_> {
    fn feed(&mut self, feed: &Feed) -> Result<()> {
        let (mut start, mut ended) = (0, false);
        while !ended {
            let mut slab = feed.slab(CHUNK_LEN)?;
            let len;
            (len, ended) = self.0.fill(&mut slab, start, false, &|| Patience::Wait)?;
            if len > 0 {
                feed.open_whole(start, Segment::Slice(slab.freeze(0..len)), Tag::default())?;
            }
            start += len as u64;
        }
        Ok(())
    }
}

fn main() -> std::result::Result<(), Error> {
    let workers = std::thread::available_parallelism()?.get();
    let input = Input::reader(stdin()).into_stream().ok_or_else(|| Error::other("no stream"))?;
    let coders = (0..workers).map(|_| Box::new(Rot13) as Box<dyn Coder>).collect();
    let plan = Plan::of_chunks(2 * workers, CHUNK_LEN, CHUNK_LEN);
    let outcome = run(plan, coders, Ends::to(Output::writer(stdout())), &mut Chunks(input))?;
    eprintln!("{} bytes on {} threads", outcome.written, outcome.threads);
    Ok(())
}
