//! Wrong lengths in headers, trailers and indexes: a range holds the bytes of the plain data there, or there is an
//! error.
//!
//! There is no peer. A test writes good data in frames of [`CHUNK`] bytes, changes what some frame or index says of
//! lengths, and reads the result from every place. Frames before the range are whole, so only a comparison of lengths
//! finds the lie.

use pzcomp::{Decode, Encode, Format, Layout, Seekable};

use crate::common::{compress, decompress, pipe, plain, small};

const CHUNK: usize = 8192;

fn chunked(format: Format) -> Encode {
    encode!(small(format), block_size: CHUNK)
}

fn unindexed(format: Format) -> Encode {
    encode!(chunked(format), index: false)
}

/// The coded frames of the data, without an index.
fn frames(data: &[u8], options: &Encode) -> Vec<Vec<u8>> {
    data.chunks(CHUNK).map(|chunk| compress(chunk, options)).collect()
}

/// Reads from many places. Every read gives the plain data or an error. Returns how many reads gave data.
fn agree(name: &str, coded: &[u8], data: &[u8]) -> usize {
    let mut right = 0;
    let step = (data.len() / 16).min(CHUNK / 2);
    let offsets = (0..data.len() + 2 * step).step_by(step);
    for (offset, len) in offsets.flat_map(|offset| [(offset, 1), (offset + 7, CHUNK + 100)]) {
        for is_position in [false, true] {
            let options = decode!(Decode::builder(), threads: 2);
            let Ok(mut seekable) = Seekable::with_options(coded.to_vec(), &options) else { continue };
            let mut found = vec![0; len];
            let read = if is_position {
                use std::io::{Read, Seek, SeekFrom};
                seekable.seek(SeekFrom::Start(offset as u64)).unwrap();
                seekable.read(&mut found)
            } else {
                seekable.read_at(&mut found, offset as u64)
            };
            let Ok(read) = read else { continue };
            let expected = data.get(offset..).unwrap_or_default();
            let is_end = read == 0 && !expected.is_empty();
            assert!(expected.starts_with(&found[..read]) && !is_end, "{name}: {read} bytes from {offset}");
            right += 1;
        }
    }
    right
}

/// A file that decoding accepts.
fn agree_with_decoding(name: &str, coded: &[u8], data: &[u8]) {
    assert!(decompress(coded).unwrap() == data, "{name}");
    agree(name, coded, data);
}

/// Changes the bytes at `at`.
fn patch(coded: &mut [u8], at: usize, bytes: &[u8]) {
    coded[at..at + bytes.len()].copy_from_slice(bytes);
}

#[test]
fn a_size_field_that_spans_gzip_members_moves_no_range() {
    let data = plain::text(6 * CHUNK);
    let bgzf = encode!(Encode::builder(Format::Gzip), layout: Layout::Bgzf);
    // The empty member at the end of BGZF follows each chunk here.
    for (options, at, less) in [(unindexed(Format::Gzip), 16, 0), (bgzf, 16, 1)] {
        for (member, count) in [(0, 2), (1, 2), (2, 3), (4, 2), (0, 6)] {
            let mut members = frames(&data, &options);
            let size: usize = members[member..member + count].iter().map(Vec::len).sum();
            let field = ((size - less) as u32).to_le_bytes();
            let field = if less == 1 { &field[..2] } else { &field[..] };
            patch(&mut members[member], at, field);
            agree_with_decoding(&format!("{member} and {count}"), &members.concat(), &data);
        }
    }
}

#[test]
fn a_trailer_of_lzip_in_other_data_moves_no_range() {
    // Behind the first member come other frames. The last one is skipped, and looks like the trailer of a member that
    // begins where the first one does.
    let member = |byte: u8| compress(&[byte; 100], &unindexed(Format::Lzip));
    let zstd = compress(&[b'z'; 70], &unindexed(Format::Zstd));
    let mut first = [member(b'a'), zstd, vec![0x50, 0x2a, 0x4d, 0x18, 20, 0, 0, 0]].concat();
    let len = first.len() as u64 + 20;
    first.extend([&[0; 4][..], &100_u64.to_le_bytes(), &len.to_le_bytes()].concat());
    let coded = [first, member(b'b'), compress(&[b'c'; 50], &unindexed(Format::Lzip))].concat();
    let data = [&[b'a'; 100][..], &[b'z'; 70], &[b'b'; 100], &[b'c'; 50]].concat();
    agree_with_decoding("a trailer in a skippable frame", &coded, &data);
}

/// A gzip member of one stored block, which states this size of itself.
fn stored_member(data: &[u8], size: Option<u32>) -> Vec<u8> {
    let size = size.unwrap_or(20 + 5 + data.len() as u32 + 8);
    let mut member = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 8, 0, b'I', b'G', 4, 0];
    member.extend(size.to_le_bytes());
    let len = data.len() as u16;
    member.extend([&[1][..], &len.to_le_bytes(), &(!len).to_le_bytes(), data].concat());
    [&member[..], &crc32fast::hash(data).to_le_bytes(), &u32::from(len).to_le_bytes()].concat()
}

#[test]
fn a_member_inside_the_data_of_a_member_is_no_member() {
    // The plain data of the outer member looks like the end of a member, and then like two more members. The size of
    // the outer one leads to the first of these, and that of the second one to the true end.
    let mut plain = plain::text(300);
    plain.extend([0, 0, 0, 0]);
    plain.extend(200_u32.to_le_bytes());
    let size = 25 + plain.len() as u32;
    plain.extend(stored_member(b"what only the outer member holds", None));
    plain.extend(stored_member(b"abc", Some(36 + 8)));
    let outer = stored_member(&plain, Some(size));
    let last = stored_member(b"the last one", None);
    agree_with_decoding(
        "inner member",
        &[&outer[..], &last].concat(),
        &[&plain[..], b"the last one"].concat(),
    );
}

/// A seek table for these lengths.
fn table(lens: &[(usize, usize)]) -> Vec<u8> {
    let mut table = vec![0x5e, 0x2a, 0x4d, 0x18];
    table.extend((lens.len() as u32 * 8 + 9).to_le_bytes());
    for &(coded, plain) in lens {
        table.extend((coded as u32).to_le_bytes());
        table.extend((plain as u32).to_le_bytes());
    }
    table.extend((lens.len() as u32).to_le_bytes());
    table.extend([0, 0xb1, 0xea, 0x92, 0x8f]);
    table
}

#[test]
fn a_seek_table_that_hides_or_moves_frames_moves_no_range() {
    let data = plain::text(4 * CHUNK + 100);
    // Frames that state their plain lengths, and frames that do not.
    let piped = |tool: &str| data.chunks(CHUNK).map(|chunk| pipe(tool, chunk)).collect::<Vec<_>>();
    let forms = [
        ("zstd", frames(&data, &unindexed(Format::Zstd))),
        ("lz4", frames(&data, &unindexed(Format::Lz4))),
        ("zstd without lengths", piped("zstd -q -1")),
        ("lz4 without lengths", piped("lz4 -q -1")),
    ];
    for (name, frames) in forms {
        let right: Vec<(usize, usize)> =
            frames.iter().zip(data.chunks(CHUNK)).map(|(frame, chunk)| (frame.len(), chunk.len())).collect();
        let file = |lens: &[(usize, usize)]| [frames.concat(), table(lens)].concat();
        assert!(agree(name, &file(&right), &data) > 10, "{name}");
        // A frame is hidden behind the one before it.
        let mut hidden = right.clone();
        hidden[1].0 += hidden[2].0;
        hidden.remove(2);
        agree_with_decoding(&format!("{name}, hidden"), &file(&hidden), &data);
        // The lengths of two frames together are right.
        let mut moved = right.clone();
        (moved[0].1, moved[1].1) = (CHUNK - 5, CHUNK + 5);
        agree_with_decoding(&format!("{name}, moved"), &file(&moved), &data);
        for wrong in [0, 1, CHUNK - 1, CHUNK + 1, 1 << 30] {
            let mut longer = right.clone();
            longer[0].1 = wrong;
            agree_with_decoding(&format!("{name}, {wrong}"), &file(&longer), &data);
        }
    }
}

/// Reads a number of an xz Index.
fn vli(bytes: &[u8], at: &mut usize) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// A change of the plain lengths in an xz Index.
type Lie<'a> = &'a dyn Fn(&mut Vec<u64>);

/// The same xz file of one Stream, with an Index whose plain lengths are changed.
fn with_index(coded: &[u8], change: impl Fn(&mut Vec<u64>)) -> Vec<u8> {
    let end = coded.len();
    let backward = u32::from_le_bytes(coded[end - 8..end - 4].try_into().unwrap());
    let start = end - 12 - (backward as usize + 1) * 4;
    let mut at = start + 1;
    let count = vli(coded, &mut at);
    let (mut unpadded, mut lens) = (Vec::new(), Vec::new());
    for _ in 0..count {
        unpadded.push(vli(coded, &mut at));
        lens.push(vli(coded, &mut at));
    }
    change(&mut lens);
    let mut index = vec![0];
    let mut push = |mut number: u64| {
        while number >= 0x80 {
            index.push(number as u8 | 0x80);
            number >>= 7;
        }
        index.push(number as u8);
    };
    push(count);
    unpadded.iter().zip(&lens).for_each(|(&unpadded, &len)| [unpadded, len].into_iter().for_each(&mut push));
    index.resize(index.len().next_multiple_of(4), 0);
    let crc = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes();
    index.extend(crc(&index));
    let mut footer = (index.len() as u32 / 4 - 1).to_le_bytes().to_vec();
    footer.extend(&coded[end - 4..end - 2]);
    [&coded[..start], &index, &crc(&footer), &footer, b"YZ"].concat()
}

#[test]
fn an_xz_index_with_wrong_plain_lengths_moves_no_range() {
    let data = plain::text(5 * CHUNK + 100);
    // Blocks that state their sizes, and Blocks that do not.
    let forms = [compress(&data, &chunked(Format::Xz)), pipe("xz -0 -T1 --block-size=8192", &data)];
    for (number, coded) in forms.iter().enumerate() {
        assert_eq!(with_index(coded, |_| {}), *coded, "the index is understood");
        assert!(agree("right", coded, &data) > 10);
        let changes: [Lie; 6] = [
            &|lens| lens[0] -= 1,
            &|lens| lens[0] += 5,
            &|lens| lens[1] = 0,
            &|lens| (lens[0], lens[1]) = (lens[0] + 9, lens[1] - 9),
            &|lens| lens.iter_mut().for_each(|len| *len -= 1),
            &|lens| lens[4] = 1 << 40,
        ];
        for (change, lie) in changes.iter().enumerate() {
            agree(&format!("xz {number}, change {change}"), &with_index(coded, lie), &data);
        }
    }
}

#[test]
fn a_length_that_only_the_frame_states_moves_no_range() {
    let data = plain::text(6 * CHUNK + 100);
    // lzip: the length of the data is the second field from the end.
    let lzip: fn(&mut Vec<u8>, i64) = |frame, by| {
        let at = frame.len() - 16;
        let len = i64::from_le_bytes(frame[at..at + 8].try_into().unwrap());
        patch(frame, at, &(len + by).to_le_bytes());
    };
    // zstd: a content size of two bytes is stored less 256, behind the descriptor of a single segment.
    let zstd: fn(&mut Vec<u8>, i64) = |frame, by| {
        assert_eq!(frame[4] & 0xe0, 0x60, "a single segment, and a size of two bytes");
        let len = i64::from(u16::from_le_bytes([frame[5], frame[6]]));
        patch(frame, 5, &((len + by) as u16).to_le_bytes());
    };
    for (format, lie) in [(Format::Lzip, lzip), (Format::Zstd, zstd)] {
        let right = frames(&data, &unindexed(format));
        assert!(agree("right", &right.concat(), &data) > 10, "{format}");
        for (wrong, by) in
            [(vec![0], -1), (vec![0], 7), (vec![1, 2], -100), (vec![0, 1, 2], 20), (vec![4], -8000)]
        {
            let mut frames = right.clone();
            wrong.iter().for_each(|&frame| lie(&mut frames[frame], by));
            agree(&format!("{format}: {by} in {wrong:?}"), &frames.concat(), &data);
            // There is one frame in front of the range, and nothing that it can be compared with.
            let (two, plain) = (frames[..2].concat(), &data[..2 * CHUNK]);
            agree(&format!("{format}: two frames, {by} in {wrong:?}"), &two, plain);
        }
    }
}

#[test]
fn a_place_that_counts_from_the_end_depends_on_all_lengths() {
    use std::io::{Read, Seek, SeekFrom};
    let data = plain::text(6 * CHUNK);
    let mut members = frames(&data, &unindexed(Format::Lzip));
    let at = members[4].len() - 16;
    patch(&mut members[4], at, &1_u64.to_le_bytes());
    let mut seekable = Seekable::new(members.concat()).unwrap();
    assert!(seekable.seek(SeekFrom::End(-5 * CHUNK as i64)).is_err());
    // The last length is verified too: what looks like the end is none.
    let mut members = frames(&data, &unindexed(Format::Lzip));
    let at = members[5].len() - 16;
    patch(&mut members[5], at, &1_u64.to_le_bytes());
    let mut seekable = Seekable::new(members.concat()).unwrap();
    seekable.seek(SeekFrom::Start(5 * CHUNK as u64 + 1)).unwrap();
    assert!(seekable.read(&mut [0; 10]).is_err());
}

#[test]
fn spans_that_are_longer_than_the_cache_are_verified_too() {
    // The cache takes a quarter of the memory, and a longer frame is decoded in order.
    let data = plain::text(1 << 20).repeat(32);
    let options = decode!(Decode::builder(), threads: 1, memory: 60 << 20);
    let long = encode!(unindexed(Format::Gzip), block_size: data.len() / 2);
    for lie in [false, true] {
        let mut members: Vec<Vec<u8>> =
            data.chunks(data.len() / 2).map(|chunk| compress(chunk, &long)).collect();
        if lie {
            let size = members.iter().map(Vec::len).sum::<usize>() as u32;
            patch(&mut members[0], 16, &size.to_le_bytes());
        }
        let seekable = Seekable::with_options(members.concat(), &options).unwrap();
        let (mut at, mut found) = (0, vec![0; 300_000]);
        while let Ok(read @ 1..) =
            seekable.read_at(&mut found, at as u64).inspect_err(|error| assert!(lie, "{error}"))
        {
            assert!(data[at..].starts_with(&found[..read]), "{lie}: {at}");
            at += read;
        }
        assert!(lie || at == data.len());
    }
}
