//! The archive of chosen members is the same wherever the pieces of the plain data end.

use pzcomp_tar::{Event, Parser};

use super::Problems;
use super::archive::{Archive, END, Joined};
use super::choice::Choice;
use super::extractor::{Extractor, Take};

fn header(name: &str, flag: u8, size: usize, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut block = vec![0; 512];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000640\0");
    put(124, format!("{size:011o} ").as_bytes());
    put(148, b"        ");
    put(156, &[flag]);
    put(257, b"ustar\x0000");
    change(&mut block);
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn with(mut header: Vec<u8>, data: &[u8]) -> Vec<u8> {
    header.extend_from_slice(data);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

fn plain(name: &str, flag: u8, data: &[u8]) -> Vec<u8> {
    with(header(name, flag, data.len(), |_| ()), data)
}

/// An archive of each form. All headers have data that ends inside a block.
fn archives() -> Vec<Vec<u8>> {
    let records = |text: &[u8]| plain("pax", b'x', text);
    let sparse = |block: &mut [u8]| {
        block[257..265].copy_from_slice(b"ustar  \0");
        block[386..410].copy_from_slice(b"00000001000\x0000000000003\0");
        block[482] = 1;
        block[483..495].copy_from_slice(b"00000003000\0");
    };
    let mut more = b"00000002000\x0000000000002\0".to_vec();
    more.resize(512, 0);
    let members = [
        vec![plain("a", b'0', b"three"), plain("b", b'2', b""), plain("c", b'0', &[7; 700])],
        vec![
            records(b"12 path=a b\n"),
            plain("x", b'0', b"a"),
            records(b"9 path=c\n"),
            plain("y", b'0', b""),
        ],
        vec![
            plain("n", b'L', b"long"),
            plain("n", b'K', b"far"),
            plain("s", b'2', b""),
            plain("l", b'0', b"l"),
        ],
        vec![header("s", b'S', 5, sparse), with(more, b"abcde"), plain("t", b'0', b"t")],
        vec![
            records(b"22 GNU.sparse.major=1\n27 GNU.sparse.realsize=600\n22 GNU.sparse.name=sp\n"),
            plain("s", b'0', &[&with(b"1\n512\n3\n".to_vec(), b"")[..], b"abc"].concat()),
            plain("v", b'0', b"v"),
        ],
        vec![plain("e", b'0', b"e"), vec![0; 1024], plain("n", b'L', b"f\0"), plain("n", b'0', b"f")],
    ];
    members.into_iter().map(|parts| [parts.concat(), vec![0; 1024]].concat()).collect()
}

/// The archive of the members with these names, from these pieces.
fn taken<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, names: &[Vec<u8>]) -> Vec<u8> {
    let (mut out, mut choice) = (Vec::new(), Choice::new(names));
    let mut problems = Problems::default();
    let mut joined = Joined::default();
    let mut archive = Archive::new(&mut out, &mut problems, &mut joined);
    let mut extractor = Extractor::new(&mut choice, &mut archive as &mut dyn Take);
    pieces.into_iter().try_for_each(|piece| extractor.feed(piece)).and_then(|()| extractor.end()).unwrap();
    out.extend(END);
    out
}

#[test]
fn cuts_at_any_place_leave_the_archive_as_it_is() {
    for archive in archives() {
        let (mut parser, mut at, mut members) = (Parser::new(), 0, Vec::new());
        while at < archive.len() {
            let (read, event) = parser.feed(&archive[at..]).unwrap();
            at += read;
            if let Some(Event::Member(member)) = event {
                members.push(member);
            }
        }
        assert!(members.len() > 1 && parser.is_complete());
        let copy = |names: &[&[u8]]| {
            let chosen = members.iter().filter(|member| names.contains(&&member.name[..]));
            let parts = chosen.flat_map(|member| &archive[member.header as usize..member.end as usize]);
            parts.copied().chain([0; 1024]).collect::<Vec<u8>>()
        };
        let all: Vec<&[u8]> = members.iter().map(|member| &member.name[..]).collect();
        for name in &all {
            let (expected, names) = (copy(&[*name]), [name.to_vec()]);
            for len in (1..700).step_by(3) {
                assert!(taken(archive.chunks(len), &names) == expected, "{names:?} in pieces of {len} bytes");
            }
        }
        let expected = copy(&all);
        for cut in 0..=archive.len() {
            let (one, other) = archive.split_at(cut);
            assert!(taken([one, other], &[]) == expected, "cut at {cut}");
        }
        for len in 1..=archive.len() {
            assert!(taken(archive.chunks(len), &[]) == expected, "in pieces of {len} bytes");
        }
    }
}
