//! Tar archives: any bytes.
//!
//! Whatever the bytes are, the parser must stay inside them. Pieces of any size must give the same members and the same
//! data, and so must a parser that leaves the data out. Checksums are made right, so that changed headers are parsed.

#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;
use pzcomp_tar::{Error, Event, Member, Parser};

/// Data that is stored, and the lengths of holes.
type Data = (Vec<u8>, Vec<u64>);

fn parse(bytes: &[u8], step: usize, takes_data: bool) -> (Vec<(Member, Data)>, Result<bool, Error>) {
    let (mut parser, mut found) = (Parser::new(), Vec::<(Member, Data)>::new());
    for mut piece in bytes.chunks(step) {
        loop {
            if !takes_data {
                let len = (parser.skippable() as usize).min(piece.len());
                parser.skip(len as u64);
                piece = &piece[len..];
            }
            match parser.feed(piece) {
                Err(error) => return (found, Err(error)),
                Ok((read, event)) => {
                    piece = &piece[read..];
                    match (event, found.last_mut()) {
                        (Some(Event::Member(member)), _) => {
                            assert!(member.header < member.data && member.data <= member.end);
                            found.push((*member, Data::default()));
                            if !takes_data {
                                parser.skip_data();
                            }
                        }
                        (Some(Event::Data(data)), Some((_, (stored, _)))) => stored.extend_from_slice(data),
                        (Some(Event::Hole(len)), Some((_, (_, holes)))) => holes.push(len),
                        (Some(Event::End), Some((member, (stored, holes)))) => {
                            let len = stored.len() as u64 + holes.iter().sum::<u64>();
                            assert!(!takes_data || len == member.size);
                        }
                        (Some(_), None) => panic!("data without a member"),
                        (None, _) => break,
                    }
                }
            }
            assert!(parser.pending() <= parser.offset());
        }
    }
    (found, Ok(parser.is_complete()))
}

fuzz_target!(|bytes: &[u8]| {
    let mut archive = bytes.to_vec();
    for block in archive.chunks_exact_mut(512).filter(|block| block[257..262] == *b"ustar") {
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    let whole = parse(&archive, archive.len().max(1), true);
    for step in [1, 100, 512, 1000] {
        assert!(parse(&archive, step, true) == whole);
    }
    let (without_data, verdict) = parse(&archive, 700, false);
    let members =
        |found: &[(Member, Data)]| found.iter().map(|(member, _)| member.clone()).collect::<Vec<_>>();
    // A map in the data is not read then, and may be wrong.
    if whole.1.is_ok() {
        assert!(verdict == whole.1 && members(&without_data) == members(&whole.0));
    }
});
