//! What gzip members say besides their data, and what `list` says of them.
//!
//! There is no peer: names, times and comments are written by the test, and read back with `list` from readers, memory
//! and files. Add a fact to `Member` and a line here.

use std::io::{Seek, Write};

use crate::common::{Dribble, compress, pipe, plain, small};
use pzcomp::inspect::{List, Listing};
use pzcomp::{Error, Format, Input, Layout, Member};

fn member(name: Option<&str>, modified: u32) -> Member {
    with!(Member { name: name.map(|name| name.as_bytes().to_vec()), modified, comment: None })
}

fn gzip(data: &[u8], member: Member) -> Vec<u8> {
    compress(data, &encode!(small(Format::Gzip), layout: Layout::Single(member)))
}

/// Lists as a stream, as memory and as a file, which must agree.
fn list(coded: &[u8]) -> Listing {
    let listing = List::default().run(Input::reader(Dribble::new(coded, 1000))).unwrap();
    assert_eq!(List::default().decode(true).run(Input::Memory(coded)).unwrap(), listing);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(coded).unwrap();
    file.rewind().unwrap();
    let from_file = List::default().decode(true).run(Input::from_file(&file).unwrap()).unwrap();
    assert_eq!(from_file, listing);
    listing
}

#[test]
fn a_header_is_read_whatever_it_holds() {
    for said in [member(None, 0), member(Some("dump.sql"), 1_000_000_000), member(Some(""), u32::MAX)] {
        let coded = gzip(b"data", said.clone());
        assert_eq!(Member::read(&coded[..]).unwrap(), Some(said.clone()));
        assert_eq!(Member::read(Dribble::new(&coded, 1)).unwrap(), Some(said));
    }
    // All fields at once, with a CRC of the header.
    let mut all = vec![0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3, 2, 0, 7, 7];
    all.extend(b"caf\xe9\0a comment\0");
    let crc = crc32fast::hash(&all) as u16;
    all.extend(crc.to_le_bytes());
    let expected = with!(Member {
        name: Some(b"caf\xe9".to_vec()),
        modified: 0x0403_0201,
        comment: Some(b"a comment".to_vec()),
    });
    assert_eq!(Member::read(&all[..]).unwrap(), Some(expected));
    for len in 2..all.len() {
        let error = Member::read(&all[..len]).unwrap_err();
        assert!(matches!(error, Error::Truncated { offset, .. } if offset == len as u64), "{error}");
    }
    *all.last_mut().unwrap() ^= 1;
    assert!(matches!(Member::read(&all[..]), Err(Error::Corrupt { .. })));
    for other in [&b""[..], b"\x1f", b"plain text", &compress(b"x", &small(Format::Zstd))] {
        assert_eq!(Member::read(other).unwrap(), None);
    }
}

#[test]
fn a_name_without_end_takes_bounded_memory() {
    let header = [0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
    let endless = std::io::Read::chain(&header[..], std::io::Read::take(std::io::repeat(b'n'), 1 << 26));
    assert!(matches!(Member::read(endless), Err(Error::Truncated { .. })));
    let mut long = header.to_vec();
    long.extend([b'n'; 10_000]);
    long.push(0);
    assert_eq!(Member::read(&long[..]).unwrap().unwrap().name.unwrap().len(), 4096);
}

#[test]
fn listings_have_the_time_of_the_first_member_and_the_crc_of_the_last() {
    let (one, two) = (plain::text(100_000), plain::text(90_000));
    let crc = |data: &[u8]| Some(crc32fast::hash(data));
    let first = gzip(&one, member(None, 1_000_000_000));
    let listing = list(&first);
    assert_eq!(
        (listing.modified, listing.crc, listing.plain_len),
        (Some(1_000_000_000), crc(&one), Some(100_000))
    );
    let both = list(&[&first[..], &gzip(&two, member(Some("two"), 1_500_000_000))].concat());
    assert_eq!((both.modified, both.crc, both.plain_len), (Some(1_000_000_000), crc(&two), Some(190_000)));
    // Members with sizes, which are decoded side by side, with an index and without.
    for index in [true, false] {
        let listing = list(&compress(&one, &encode!(small(Format::Gzip), index)));
        let last = &one[80_000..];
        assert_eq!(
            (listing.modified, listing.crc, listing.plain_len),
            (None, crc(last), Some(100_000)),
            "{index}"
        );
    }
    let other = list(&compress(&one, &small(Format::Zstd)));
    assert_eq!((other.modified, other.crc), (None, None));
}

#[test]
fn old_formats_are_listed_by_what_they_decode_to() {
    // ".Z" of nothing, and of one byte.
    for (coded, plain_len) in [(&[0x1f, 0x9d, 0x90][..], 0), (&[0x1f, 0x9d, 0x90, 0x41, 0], 1)] {
        let listing = list(coded);
        assert_eq!((&listing.formats[..], listing.plain_len), (&[Format::Lzw][..], Some(plain_len)));
        assert_eq!((listing.coded_len, listing.check, listing.crc), (coded.len() as u64, "-", None));
    }
}

#[test]
fn lengths_beyond_4_gib_are_right() {
    // Members of 16 MiB of zeros each, without sizes in their headers.
    let one = gzip(&vec![0; 16 << 20], Member::default());
    let listing = List::default().decode(true).run(Input::Memory(&one.repeat(257))).unwrap();
    assert_eq!((listing.plain_len, listing.frames), (Some(257 << 24), Some(257)));
}

#[test]
fn a_file_is_listed_without_decoding_and_its_offset_stays() {
    let data = plain::text(300_000);
    let mut forms: Vec<(Vec<u8>, bool)> = Vec::new();
    for format in Format::all() {
        let coded = compress(&data, &small(format));
        forms.push((coded, format != Format::Bzip2));
    }
    forms.push((gzip(&data, Member::default()), false));
    forms.push((pipe("gzip -1", &data), false));
    forms.push((pipe("zstd -q -1", &data), false));
    for (coded, is_known) in forms {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before").unwrap();
        file.write_all(&coded).unwrap();
        for decodes in [false, true] {
            file.seek(std::io::SeekFrom::Start(6)).unwrap();
            let input = Input::from_file(&file).unwrap();
            let listing = match decodes {
                true => List::default().decode(true).run(input).unwrap(),
                false => List::default().run(input).unwrap(),
            };
            assert_eq!(file.stream_position().unwrap(), 6, "{listing:?}");
            let expected = (is_known || decodes).then_some(data.len() as u64);
            assert_eq!((listing.plain_len, listing.coded_len), (expected, coded.len() as u64), "{listing:?}");
            assert_eq!(listing.frames.is_some(), expected.is_some(), "{listing:?}");
            assert_eq!(listing.formats.len(), 1);
        }
    }
    // Damage in the data of a long frame is not seen without decoding.
    let mut coded = pipe("gzip -1", &data);
    coded[1000] ^= 1;
    assert_eq!(List::default().run(Input::Memory(&coded)).unwrap().plain_len, None);
    assert!(List::default().decode(true).run(Input::Memory(&coded)).is_err());
    assert!(matches!(List::default().run(Input::Memory(b"")), Err(Error::Empty)));
    assert!(matches!(List::default().run(Input::Memory(b"plain")), Err(Error::NotCompressed { .. })));
}
