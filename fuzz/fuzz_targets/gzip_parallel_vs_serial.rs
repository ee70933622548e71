//! gzip on one thread and on several: the same bytes before the same error, and the bytes of zlib.
//!
//! The input is any bytes, or members that are built so that they are cut: a part has at least 256 KiB of coded data.

#![cfg_attr(fuzzing, no_main)]

use arbitrary::Arbitrary;
use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};
use libfuzzer_sys::fuzz_target;
use pzcomp::{Encode, Format, Input, Layout, Member};
use pzcomp_fuzz::{Damage, End, Feed, LIMIT, Part, by_us, compare_threads};

static GZIP: [Format; 1] = [Format::Gzip];
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes {
        feed: Feed,
        is_headed: bool,
        bytes: &'a [u8],
    },
    Ours {
        feed: Feed,
        level: u8,
        chunk: u8,
        kind: Written,
        damage: [Option<Damage>; 3],
        parts: Vec<Part<'a>>,
    },
    Built {
        feed: Feed,
        level: u8,
        damage: [Option<Damage>; 3],
        is_sealed: bool,
        twice: bool,
        parts: Vec<(Part<'a>, Flush)>,
    },
}

/// What we write: members that say how long they are, or one.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Written {
    Members,
    Bgzf,
    Single,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Flush {
    None,
    Partial,
    Sync,
    Full,
    /// So long parts are flushed, as by those who write member by member or line by line.
    Often {
        log: u8,
    },
}

/// A DEFLATE stream of the parts, and what they hold.
fn built(parts: &[(Part, Flush)], level: u8) -> (Vec<u8>, Vec<u8>) {
    let mut encoder = Compress::new(Compression::new(u32::from(level) % 10), false);
    let (mut plain, mut coded) = (Vec::new(), Vec::new());
    for (part, flush) in parts.iter().take(5) {
        let start = plain.len();
        part.append(&mut plain, 1 << 20);
        let (len, flush) = match *flush {
            Flush::None => (usize::MAX, FlushCompress::None),
            Flush::Partial => (usize::MAX, FlushCompress::Partial),
            Flush::Sync => (usize::MAX, FlushCompress::Sync),
            Flush::Full => (usize::MAX, FlushCompress::Full),
            Flush::Often { log } => (64 << (log % 14), FlushCompress::Sync),
        };
        plain[start..].chunks(len).for_each(|chunk| compress(&mut encoder, chunk, &mut coded, flush));
    }
    compress(&mut encoder, &[], &mut coded, FlushCompress::Finish);
    (coded, plain)
}

fn compress(encoder: &mut Compress, plain: &[u8], coded: &mut Vec<u8>, flush: FlushCompress) {
    let start = encoder.total_in();
    loop {
        coded.reserve(64 << 10);
        let (read, written) = ((encoder.total_in() - start) as usize, coded.len());
        let room = coded.capacity() - written;
        encoder.compress_vec(&plain[read..], coded, flush).unwrap();
        if coded.len() - written < room {
            return;
        }
    }
}

/// What zlib makes of a stream: the bytes, and where it ended, if it did; nothing if that is too much.
fn by_zlib(coded: &[u8]) -> Option<(Vec<u8>, Option<usize>)> {
    let mut decoder = Decompress::new(false);
    let mut plain = Vec::new();
    while plain.len() <= LIMIT / 3 {
        plain.reserve(256 << 10);
        let (read, written) = (decoder.total_in() as usize, plain.len());
        match decoder.decompress_vec(&coded[read..], &mut plain, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return Some((plain, Some(decoder.total_in() as usize))),
            Ok(_) if decoder.total_in() as usize > read || plain.len() > written => {}
            _ => {
                plain.truncate(decoder.total_out() as usize);
                return Some((plain, None));
            }
        }
    }
    None
}

/// The member of a stream, with the trailer that is right for it, and what zlib makes of it.
fn sealed(mut body: Vec<u8>) -> Option<(Vec<u8>, Vec<u8>, bool)> {
    let (plain, end) = by_zlib(&body)?;
    if let Some(end) = end {
        let mut crc = Crc::new();
        crc.update(&plain);
        body.truncate(end);
        body.extend_from_slice(&crc.sum().to_le_bytes());
        body.extend_from_slice(&(plain.len() as u32).to_le_bytes());
    }
    Some(([&HEADER[..], &body].concat(), plain, end.is_some()))
}

/// What we make of the parts.
fn ours(parts: &[Part], level: u8, chunk: u8, kind: Written) -> (Vec<u8>, Vec<u8>) {
    let (mut plain, mut coded) = (Vec::new(), Vec::new());
    parts.iter().take(5).for_each(|part| part.append(&mut plain, 1 << 20));
    let layout = match kind {
        Written::Members => Layout::Frames,
        Written::Bgzf => Layout::Bgzf,
        Written::Single => Layout::Single(Member::default()),
    };
    let is_cut = layout != Layout::Bgzf;
    let options = Encode::gzip(i32::from(level % 10)).threads(2).layout(layout);
    let options = if is_cut { options.block_size(4096 << (chunk % 9)) } else { options }.build().unwrap();
    pzcomp::Compress::new(&options).run(Input::reader(&plain[..]), &mut coded).unwrap();
    (coded, plain)
}

fuzz_target!(|case: Case| match case {
    Case::Bytes { feed, is_headed, bytes } => {
        let coded = if is_headed { [&HEADER[..], bytes].concat() } else { bytes.to_vec() };
        compare_threads(&coded, &GZIP, feed, &by_us(&coded, &GZIP, 1, Feed::Memory));
    }
    Case::Ours { feed, level, chunk, kind, damage, parts } => {
        let (mut coded, plain) = ours(&parts, level, chunk, kind);
        let whole = (plain, End::Whole);
        compare_threads(&coded, &GZIP, feed, &whole);
        damage.iter().flatten().for_each(|damage| damage.apply(&mut coded));
        compare_threads(&coded, &GZIP, feed, &by_us(&coded, &GZIP, 1, Feed::Memory));
    }
    Case::Built { feed, level, damage, is_sealed, twice, parts } => {
        let (mut body, data) = built(&parts, level);
        let damage = || damage.iter().flatten();
        if is_sealed {
            damage().for_each(|damage| damage.apply(&mut body));
        }
        let Some((mut coded, mut plain, ends)) = sealed(body) else { return };
        assert!(damage().next().is_some() || ends && plain == data);
        if twice && ends {
            coded.extend_from_within(..);
            plain.extend_from_within(..);
        }
        let is_damaged = !is_sealed && damage().next().is_some();
        if is_damaged {
            damage().for_each(|damage| damage.apply(&mut coded));
        }
        let alone = by_us(&coded, &GZIP, 1, Feed::Memory);
        if !is_damaged {
            assert_eq!(alone.1 == End::Whole, ends, "{:?}", alone.1);
            // Of a member that is not valid, what has not left yet is taken back.
            let is_right = if ends { alone.0 == plain } else { plain.starts_with(&alone.0) };
            assert!(is_right, "{} bytes, {} by zlib", alone.0.len(), plain.len());
        }
        compare_threads(&coded, &GZIP, feed, &alone);
    }
});
