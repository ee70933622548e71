//! The parser on archives that the tests make: the members, their data, and any sizes of pieces.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

use pzcomp_tar::{Error, Event, Kind, Member, Parser};

/// A header of this type, with this length.
fn header(name: &str, flag: u8, size: u64, link: &str) -> Vec<u8> {
    let mut block = vec![0; 512];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000640\0");
    put(108, b"0001750\0");
    put(116, b"0000144\0");
    put(124, format!("{size:011o} ").as_bytes());
    put(136, b"14000000000\0");
    put(156, &[flag]);
    put(157, link.as_bytes());
    put(257, b"ustar\x0000");
    put(265, b"user");
    put(297, b"group");
    sum(block)
}

fn sum(mut block: Vec<u8>) -> Vec<u8> {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn padded(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(512), 0);
    data
}

fn with(header: Vec<u8>, data: &[u8]) -> Vec<u8> {
    [header, padded(data)].concat()
}

fn pax(flag: u8, records: &[u8]) -> Vec<u8> {
    with(header("pax", flag, records.len() as u64, ""), records)
}

fn end() -> Vec<u8> {
    vec![0; 1024]
}

/// The members with their data, and whether the archive has ended.
type Parsed = (Vec<(Member, Vec<u8>)>, bool);

/// All members with the content of their files, from pieces of this length; and whether the archive is complete.
fn parse(archive: &[u8], step: usize) -> Result<Parsed, Error> {
    let (mut parser, mut found) = (Parser::new(), Vec::<(Member, Vec<u8>)>::new());
    let mut is_open = false;
    for mut piece in archive.chunks(step) {
        loop {
            let (read, event) = parser.feed(piece)?;
            piece = &piece[read..];
            match event {
                Some(Event::Member(member)) => {
                    assert!(!std::mem::replace(&mut is_open, true));
                    found.push((*member, Vec::new()));
                }
                Some(Event::Data(bytes)) => found.last_mut().unwrap().1.extend(bytes),
                Some(Event::Hole(len)) => {
                    let data = &mut found.last_mut().unwrap().1;
                    data.resize(data.len() + len as usize, 0);
                }
                Some(Event::End) => {
                    assert!(std::mem::take(&mut is_open));
                    let (member, data) = found.last().unwrap();
                    assert_eq!(member.size, data.len() as u64);
                }
                None => {
                    assert!(piece.is_empty());
                    break;
                }
            }
        }
    }
    assert_eq!(parser.offset(), archive.len() as u64);
    Ok((found, parser.is_complete()))
}

/// The same from pieces of several lengths, which must all give the same.
fn members(archive: &[u8]) -> Vec<(Member, Vec<u8>)> {
    let (found, is_complete) = parse(archive, archive.len().max(1)).unwrap();
    assert!(is_complete);
    for step in [1, 7, 511, 512, 513] {
        assert_eq!(parse(archive, step).unwrap(), (found.clone(), true), "in pieces of {step} bytes");
    }
    assert_eq!(skipped(archive), found.iter().map(|(member, _)| member.clone()).collect::<Vec<_>>());
    found
}

/// All members, with all data left out.
fn skipped(archive: &[u8]) -> Vec<Member> {
    let (mut parser, mut found) = (Parser::new(), Vec::new());
    while parser.offset() < archive.len() as u64 {
        let at = parser.offset() as usize;
        if let (_, Some(Event::Member(member))) =
            parser.feed(&archive[at..archive.len().min(at + 512)]).unwrap()
        {
            found.push(*member);
            parser.skip_data();
        }
        parser.skip(parser.skippable().min(archive.len() as u64 - parser.offset()));
    }
    found
}

fn error(archive: &[u8]) -> Error {
    let found = parse(archive, archive.len()).unwrap_err();
    assert_eq!(parse(archive, 100).unwrap_err(), found);
    found
}

#[test]
fn members_have_what_their_headers_say() {
    let archive = [
        header("folder/", b'5', 0, ""),
        with(header("folder/file", b'0', 5, ""), b"three"),
        header("folder/link", b'2', 0, "file"),
        header("other", b'1', 7, "folder/file"),
        with(header("old", 0, 512, ""), &[7; 512]),
        end(),
    ]
    .concat();
    let found = members(&archive);
    let kinds: Vec<Kind> = found.iter().map(|(member, _)| member.kind()).collect();
    assert_eq!(kinds, [Kind::Directory, Kind::File, Kind::Symlink, Kind::HardLink, Kind::File]);
    let (file, data) = &found[1];
    assert_eq!((&file.name[..], &data[..]), (&b"folder/file"[..], &b"three"[..]));
    assert_eq!((file.mode, file.uid, file.gid, file.mtime), (0o640, 1000, 100, 1_610_612_736));
    assert_eq!((&file.user[..], &file.group[..]), (&b"user"[..], &b"group"[..]));
    assert_eq!((file.header, file.data, file.end), (512, 1024, 1536));
    assert_eq!((&found[3].0.link[..], found[3].0.size), (&b"folder/file"[..], 0));
}

#[test]
fn long_names_and_pax_headers_belong_to_the_next_member() {
    let long = "d/".repeat(100) + "name";
    let archive = [
        with(header("././@LongLink", b'L', long.len() as u64 + 1, ""), format!("{long}\0").as_bytes()),
        with(header("././@LongLink", b'K', 4, ""), b"far\0"),
        header("short", b'2', 0, "near"),
        pax(b'g', b"12 uname=me\n14 comment=no\n"),
        pax(b'x', b"12 path=a b\n16 mtime=12.250\n10 size=3\n"),
        with(header("short", b'0', 0, ""), b"abc"),
        with(header("last", b'0', 1, ""), b"z"),
        end(),
    ]
    .concat();
    let found = members(&archive);
    assert_eq!((&found[0].0.name[..], &found[0].0.link[..]), (long.as_bytes(), &b"far"[..]));
    assert_eq!((found[0].0.header, found[0].0.data), (0, 2560));
    assert!(!found[0].0.is_global);
    let (second, data) = &found[1];
    assert_eq!((&second.name[..], &data[..], second.header), (&b"a b"[..], &b"abc"[..], 2560));
    assert_eq!((second.mtime, second.mtime_nanos, &second.user[..]), (12, 250_000_000, &b"me"[..]));
    assert_eq!((&found[2].0.name[..], found[2].0.is_global), (&b"last"[..], true));
}

#[test]
fn sparse_members_of_all_forms_have_the_content_of_their_files() {
    let mut expected = vec![0; 5000];
    expected[512..1024].fill(b'a');
    expected[4000..4010].fill(b'b');
    let stored = [&[b'a'; 512][..], &[b'b'; 10]].concat();

    let mut old = header("old", b'S', stored.len() as u64, "");
    old[257..265].copy_from_slice(b"ustar  \0");
    let entry = |offset: u64, len: u64| format!("{offset:011o}\0{len:011o}\0");
    old[386..410].copy_from_slice(entry(512, 512).as_bytes());
    old[482] = 1;
    old[483..495].copy_from_slice(b"00000011610\0");
    let mut more = vec![0; 512];
    more[..24].copy_from_slice(entry(4000, 10).as_bytes());
    more[24..48].copy_from_slice(entry(5000, 0).as_bytes());
    let old = [sum(old), more, padded(&stored)].concat();

    let record = |text: &str| {
        let len = text.len() + 4;
        format!("{} {text}\n", if len > 99 { len + 1 } else { len }).into_bytes()
    };
    let zero = [
        "GNU.sparse.size=5000",
        "GNU.sparse.numblocks=2",
        "GNU.sparse.offset=512",
        "GNU.sparse.numbytes=512",
        "GNU.sparse.offset=4000",
        "GNU.sparse.numbytes=10",
    ];
    let one = ["GNU.sparse.size=5000", "GNU.sparse.name=real", "GNU.sparse.map=512,512,4000,10"];
    let two =
        ["GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=real", "GNU.sparse.realsize=5000"];
    let of = |records: &[&str], data: &[u8]| {
        let records: Vec<u8> = records.iter().flat_map(|text| record(text)).collect();
        [pax(b'x', &records), with(header("GNUSparseFile.0/real", b'0', data.len() as u64, ""), data)]
            .concat()
    };
    let map_in_data = [padded(b"3\n512\n512\n4000\n10\n5000\n0\n"), stored.clone()].concat();
    let archive = [old, of(&zero, &stored), of(&one, &stored), of(&two, &map_in_data), end()].concat();
    let found = members(&archive);
    assert_eq!(found.len(), 4);
    for (member, data) in &found {
        assert!(member.is_sparse && *data == expected, "{}", member.name.escape_ascii());
    }
    let names: Vec<&[u8]> = found.iter().map(|(member, _)| &member.name[..]).collect();
    assert_eq!(names, [&b"old"[..], b"GNUSparseFile.0/real", b"real", b"real"]);
    // A file that is one hole has no parts.
    let hole = ["GNU.sparse.size=5000", "GNU.sparse.numblocks=0"];
    let found = members(&[of(&hole, b""), of(&["GNU.sparse.name=none"], b""), end()].concat());
    assert_eq!(
        found.iter().map(|(member, data)| (member.size, data.len())).collect::<Vec<_>>(),
        [(5000, 5000), (0, 0)]
    );
    assert_eq!(found[0].1, [0; 5000]);
}

#[test]
fn archives_follow_each_other_and_what_is_behind_them_is_nothing() {
    let one = [with(header("a", b'0', 1, ""), b"a"), end()].concat();
    let found = members(&[&one[..], &one, &[0; 5000], &[0xff; 700]].concat());
    assert_eq!(found.iter().map(|(member, _)| member.header).collect::<Vec<_>>(), [0, 2048]);
    assert_eq!(members(&end()), []);
}

#[test]
fn hostile_headers_are_errors_or_take_no_memory() {
    let file = with(header("a", b'0', 1, ""), b"a");
    assert_eq!(error(&[&file[..], &[7; 512]].concat()).offset, 1024);
    assert_eq!(error(&[&end()[..], &[7; 512]].concat()).offset, 1024);
    let mut wrong = file.clone();
    wrong[0] ^= 1;
    assert_eq!(error(&wrong).offset, 0);
    error(&header("n", b'L', 100_000, ""));
    error(&[pax(b'x', b"11 path=ab\n"), end()].concat());
    error(&pax(b'x', b"12 path=ab"));
    let mut huge = header("a", b'0', 0, "");
    huge[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    error(&sum(huge));
    error(&[pax(b'x', b"22 GNU.sparse.major=1\n"), with(header("s", b'0', 3, ""), b"1\n5"), end()].concat());
    error(
        &[pax(b'x', b"26 GNU.sparse.map=9,1,2,1\n"), with(header("s", b'0', 3, ""), b"abc"), end()].concat(),
    );
    // Cut off anywhere, it is not complete.
    for len in 0..file.len() {
        assert!(!parse(&file[..len], 600).unwrap().1 || len == 0, "{len} bytes");
    }
}

#[test]
fn an_error_has_its_offset_wherever_pieces_end() {
    let map = b"22 GNU.sparse.major=1\n28 GNU.sparse.realsize=1000\n";
    let archives = [
        [header("a", b'0', 0, ""), pax(b'x', b"12 path=a/b\n19 size=no number\n"), header("b", b'0', 0, "")]
            .concat(),
        [pax(b'g', b"9 path=b\n"), pax(b'x', b"12 path=a/b\n4 a="), header("b", b'0', 0, "")].concat(),
        [pax(b'x', map), with(header("s", b'0', 600, ""), b"2\n0\nx\n")].concat(),
        [pax(b'x', map), with(header("s", b'0', 600, ""), b"1\n900\n900\n")].concat(),
    ];
    for archive in archives {
        let expected = error(&archive);
        for step in 1..archive.len() {
            assert_eq!(parse(&archive, step).unwrap_err(), expected, "{step}");
        }
    }
}

#[test]
fn fields_that_are_not_valid_and_harm_no_data_are_told() {
    let mut odd = header("rights", b'0', 1, "");
    odd[100..108].copy_from_slice(b"garbage\0");
    let archive = [
        pax(b'x', b"13 mtime=abc\n"),
        with(header("time", b'0', 1, ""), b"t"),
        pax(b'x', b"10 uid=-2\n"),
        with(header("owner", b'0', 1, ""), b"o"),
        with(sum(odd), b"r"),
        with(header("right", b'0', 1, ""), b"r"),
        end(),
    ]
    .concat();
    let (mut parser, mut at, mut found) = (Parser::new(), 0, Vec::new());
    while at < archive.len() {
        let (read, event) = parser.feed(&archive[at..]).unwrap();
        at += read;
        if let Some(Event::Member(member)) = event {
            assert_eq!((member.mtime, member.uid), (1_610_612_736, 1000));
            found.push(parser.doubt().map_or("", |what| what.split(' ').nth(1).unwrap()));
        }
    }
    assert_eq!(found, ["time", "owner", "that", ""]);
    assert!(parser.is_complete());
}
