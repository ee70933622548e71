//! What a program of other people does with pzcomp: options, streams, pools, progress, lists, and files that are read
//! from any place.
//!
//! It sees the public API only, and is built without default features. `make features` checks it, and `make
//! features-each` builds and runs it. It is silent if everything is right.

use std::error::Error;
use std::io::{BufRead, Read, Seek, SeekFrom, Write};
use std::thread;

use pzcomp::inspect::List;
use pzcomp::{
    BackgroundReader, Compress, Decode, Decompress, Encode, EncodeBuilder, Error as PzError, Format, Index,
    IndexFormat, Input, Layout, Lz4Blocks, Member, Output, Pool, Progress, ReadSeek, Reader, Seekable,
    Writer,
};

type Outcome = Result<(), Box<dyn Error>>;

const FORMATS: [Format; 6] =
    [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Bzip2, Format::Lzip];

fn main() -> Outcome {
    let plain: Vec<u8> = (0..200_000_u32).flat_map(|number| (number / 7).to_be_bytes()).collect();
    builder()?;
    for format in FORMATS {
        let options = Encode::builder(format).level(1).threads(2).build()?;
        both_ways(&plain, &options)?;
        flush_and_abort(&plain, &options)?;
        from_any_place(&plain, &options)?;
        index(&plain, &options)?;
    }
    pool(&plain)?;
    progress(&plain)?;
    memory(&plain)
}

/// The builders refuse what the format does not have, and can begin with options that were built.
fn builder() -> Outcome {
    let options = Encode::gzip(9).block_size(1 << 20).build()?;
    assert_eq!((options.format(), options.level(), options.layout()), (Format::Gzip, 9, &Layout::Frames));
    let wrong = EncodeBuilder::from(options).level(100).build();
    assert!(matches!(wrong, Err(PzError::Level { level: 100, .. })), "a level that does not exist");

    let wrong = Encode::gzip(6).window_log(27).build();
    assert!(matches!(wrong, Err(PzError::Unavailable { format: "gzip", .. })), "gzip has no windows");
    let wrong = Encode::builder(Format::Lzw).build();
    assert!(matches!(wrong, Err(PzError::NotWritten { .. })), ".Z is only read");
    assert!(Decode::builder().accept(&[Format::Lzw]).build().is_ok(), ".Z is read");
    let little = Decode::builder().memory(1000).build()?;
    assert!(matches!(pzcomp::Decompressor::new(&little), Err(PzError::Memory { .. })), "so little memory");

    let blocks = Lz4Blocks::new().with_id(4).with_linked(true);
    assert_eq!(Encode::lz4(1).lz4_blocks(blocks).build()?.format(), Format::Lz4);
    let gzip = Encode::gzip(6).member(Member::new().with_name("plain").with_modified(1)).build()?;
    let mut coded = Vec::new();
    Compress::new(&gzip).run(Input::reader(&b"plain"[..]), &mut coded)?;
    let member = Member::read(&coded[..])?.and_then(|member| member.name);
    assert_eq!(member.as_deref(), Some(&b"plain"[..]));
    Ok(())
}

/// Functions, `Writer` and `Reader` agree, and `list` says what they made.
fn both_ways(plain: &[u8], options: &Encode) -> Outcome {
    let format = options.format();
    let mut coded = Vec::new();
    let summary = Compress::new(options).run(Input::reader(plain), &mut coded)?;
    assert_eq!((summary.plain_len, summary.coded_len), (plain.len() as u64, coded.len() as u64));

    let mut back = Vec::new();
    Decompress::new(&Decode::default()).run(Input::reader(&coded[..]), &mut back)?;
    assert!(back == plain, "{format}: decompress");

    let mut writer = Writer::new(Vec::new(), options.clone())?;
    writer.write_all(plain)?;
    let (written, _summary) = writer.finish()?;
    assert!(written == coded, "{format}: Writer");

    // A Reader borrows its input, and gives out its own buffer.
    let mut reader = Reader::new(&written[..], Decode::default())?;
    let mut len = 0;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        assert!(plain[len..].starts_with(bytes), "{format}: Reader at {len}");
        let here = bytes.len();
        len += here;
        reader.consume(here);
    }
    assert_eq!((len, reader.summary().map(|summary| summary.plain_len)), (plain.len(), Some(len as u64)));

    let mut back = Vec::new();
    let background = BackgroundReader::new(std::io::Cursor::new(written), Decode::default())?;
    background.take(u64::MAX).read_to_end(&mut back)?;
    assert!(back == plain, "{format}: BackgroundReader");

    let listing = List::default().run(Input::Memory(&coded))?;
    assert_eq!((listing.formats, listing.coded_len), (vec![format], coded.len() as u64));
    assert_eq!(
        List::new(&Decode::default()).decode(true).run(Input::Memory(&coded))?.plain_len,
        Some(plain.len() as u64)
    );

    coded.truncate(coded.len() / 2);
    let cut =
        Decompress::new(&Decode::default()).run(Input::reader(&coded[..]), Output::writer(std::io::sink()));
    assert!(cut.is_err(), "{format}: a cut stream");
    Ok(())
}

/// What was flushed can be read, and what was dropped or given up is refused.
fn flush_and_abort(plain: &[u8], options: &Encode) -> Outcome {
    let format = options.format();
    for gives_up in [false, true] {
        let mut output = Vec::new();
        let mut writer = Writer::new(&mut output, options.clone())?;
        writer.write_all(plain)?;
        writer.flush()?;
        let flushed = writer.get_ref().len();
        assert!(flushed > 0, "{format}: flush");
        if gives_up {
            writer.abort();
        } else {
            drop(writer);
        }
        let mut back = vec![0; plain.len()];
        let mut reader = Reader::new(&output[..], Decode::default())?;
        reader.read_exact(&mut back)?;
        assert!(back == plain, "{format}: flush");
        let error = reader.read(&mut [0]).err().ok_or("an output without an end was taken")?;
        assert!(matches!(PzError::of(&error), Some(PzError::Truncated { .. })), "{format}: {error}");
    }
    Ok(())
}

/// Two threads read one file at different places.
fn from_any_place(plain: &[u8], options: &Encode) -> Outcome {
    let options = EncodeBuilder::from(options.clone()).block_size(100_000).build()?;
    let mut coded = Vec::new();
    Compress::new(&options).run(Input::reader(plain), &mut coded)?;
    let mut seekable =
        Seekable::with_options(ReadSeek::new(std::io::Cursor::new(coded)), &Decode::default())?;
    let found = thread::scope(|scope| {
        let read = |offset: usize| {
            let seekable = &seekable;
            scope.spawn(move || {
                let mut found = vec![0; 150_000];
                let len = seekable.read_at(&mut found, offset as u64)?;
                found.truncate(len);
                Ok::<_, std::io::Error>((offset, found))
            })
        };
        [read(50_000), read(700_000)].map(|thread| thread.join())
    });
    for read in found {
        let (offset, found) = read.map_err(|_| "a thread has panicked")??;
        let end = plain.len().min(offset + 150_000);
        assert!(found == plain[offset..end], "{}: at {offset}", options.format());
    }
    assert_eq!(seekable.measure()?, plain.len() as u64);
    seekable.seek(SeekFrom::End(-3))?;
    let mut end = Vec::new();
    seekable.read_to_end(&mut end)?;
    assert!(plain.ends_with(&end) && end.len() == 3, "{}: the end", options.format());
    Ok(())
}

/// An index is made, written, read and used.
fn index(plain: &[u8], options: &Encode) -> Outcome {
    let mut coded = Vec::new();
    Compress::new(options).run(Input::reader(plain), &mut coded)?;
    let built = Index::build(&coded, &Decode::default())?;
    let mut file = Vec::new();
    built.write_to(IndexFormat::Pzi, &mut file)?;
    let read = Index::read_from(&file[..])?;
    assert_eq!(read.format(), IndexFormat::Pzi);
    read.verify(&coded, &Decode::default())?;
    let seekable = Seekable::with_index(coded, read, &Decode::default())?;
    let mut found = [0; 1000];
    assert_eq!(seekable.read_at(&mut found, 600_000)?, found.len());
    assert!(found == plain[600_000..601_000], "{}: by index", options.format());
    Ok(())
}

/// Many streams share the threads of one pool, from several threads of the program.
fn pool(plain: &[u8]) -> Outcome {
    let pool = Pool::new(2)?;
    assert_eq!(pool.threads(), 2);
    let streams = thread::scope(|scope| {
        let code = |format| {
            let pool = pool.clone();
            scope.spawn(move || {
                let options = Encode::builder(format).level(1).build()?;
                let mut writer = Writer::with_pool(Vec::new(), options, &pool)?;
                writer.write_all(plain)?;
                let (coded, _summary) = writer.finish()?;
                let mut back = Vec::new();
                Reader::with_pool(&coded[..], Decode::default(), &pool)?.read_to_end(&mut back)?;
                Ok::<_, std::io::Error>(back == plain)
            })
        };
        FORMATS.map(code).map(|thread| thread.join())
    });
    for stream in streams {
        assert!(stream.map_err(|_| "a thread has panicked")??, "a stream of a pool");
    }
    Ok(())
}

/// A clone of a `Progress` counts, and stops the stream.
fn progress(plain: &[u8]) -> Outcome {
    let progress = Progress::default();
    let options = Encode::zstd(3).progress(progress.clone()).build()?;
    let mut writer = Writer::new(Vec::new(), options.clone())?;
    writer.write_all(plain)?;
    writer.flush()?;
    assert_eq!(progress.bytes_in(), plain.len() as u64);
    assert!(progress.bytes_out() > 0);
    progress.cancel();
    let cancelled = Compress::new(&options).run(Input::reader(plain), Output::writer(std::io::sink()));
    assert!(matches!(cancelled, Err(PzError::Cancelled)), "a stream that is cancelled");
    Ok(())
}

/// From memory to memory, without a copy.
fn memory(plain: &[u8]) -> Outcome {
    let (options, mut coded) = (Decode::default(), Vec::new());
    Compress::new(&Encode::default()).run(Input::Memory(plain), &mut coded)?;
    let mut back = vec![0; plain.len()];
    Decompress::new(&options).run(Input::Memory(&coded), Output::Memory(&mut back))?;
    assert!(back == plain, "memory");
    let short = &mut back[1..];
    assert!(
        Decompress::new(&options).run(Input::Memory(&coded), Output::Memory(short)).is_err(),
        "too little room"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    /// `make test` compiles this with the features of the workspace, and checks the program without them.
    #[test]
    fn the_program_works() -> super::Outcome {
        super::main()
    }
}
