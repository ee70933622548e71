//! A stream of mydumper of any bytes, or of known members with damage: the same verdict and the same bytes on any
//! number of threads, and the same plain stream from another format.

#![cfg_attr(fuzzing, no_main)]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pzcomp::{Decode, Encode, Error, Format, Output, mydumper};
use pzcomp_fuzz::Damage;

/// A member, and its name and its bytes in the plain stream.
struct Member {
    name: &'static str,
    data: Vec<u8>,
    plain_name: &'static str,
    plain: Vec<u8>,
}

static MEMBERS: LazyLock<Vec<Member>> = LazyLock::new(|| {
    let plain: Vec<u8> = (0..3000_u32).flat_map(|number| (number / 7 * number % 251).to_le_bytes()).collect();
    let options = |format| Encode::builder(format).block_size(4096).build().unwrap();
    let coded = |format| pzcomp::compress(&plain, &options(format)).unwrap();
    let member =
        |name, data, plain_name, plain: &[u8]| Member { name, data, plain_name, plain: plain.to_vec() };
    vec![
        member("a.sql.zst", coded(Format::Zstd), "a.sql", &plain),
        member("b.dat.gz", coded(Format::Gzip), "b.dat", &plain),
        member("c.lz4", coded(Format::Lz4), "c", &plain),
        member("d.sql", plain.clone(), "d.sql", &plain),
        member("e.zst", Vec::new(), "e.zst", b""),
        member("metadata", b"\n-- x 1\n".to_vec(), "metadata", b"\n-- x 1\n"),
    ]
});

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes { bytes: &'a [u8] },
    Made { members: Vec<u8>, damage: [Option<Damage>; 3] },
}

fn put(stream: &mut Vec<u8>, name: &str, data: &[u8]) {
    stream.extend(format!("\n-- {name} {}\n", data.len()).as_bytes());
    stream.extend(data);
}

fn decompress(stream: &[u8], threads: usize) -> (Vec<u8>, Result<(), Error>) {
    let options = Decode::builder().threads(threads).memory(256 << 20).build().unwrap();
    let mut back = Vec::new();
    let result = mydumper::decompress(stream, &mut back, &options);
    (back, result.map(drop))
}

/// Asserts that threads and formats make no difference. Returns the plain stream, if the stream is right.
fn compare(stream: &[u8]) -> Option<Vec<u8>> {
    let (alone, several) = (decompress(stream, 1), decompress(stream, 3));
    // Threads share the memory, so a window may have room on one thread only.
    if [&alone, &several].iter().any(|(_, result)| matches!(result, Err(Error::Memory { .. }))) {
        return None;
    }
    let text = |result: &Result<(), Error>| result.as_ref().map_err(Error::to_string).copied();
    assert_eq!(text(&alone.1), text(&several.1));
    let options = Decode::builder().threads(1).memory(256 << 20).build().unwrap();
    let verified = mydumper::decompress(stream, Output::Nothing, &options);
    if alone.1.is_err() {
        return None;
    }
    assert!(alone.0 == several.0, "other bytes on three threads");
    assert!(verified.is_ok());
    let mut recoded = Vec::new();
    let to = Encode::builder(Format::Lz4).threads(1).build().unwrap();
    if mydumper::recode(stream, &mut recoded, &options, &to).is_ok() {
        let (back, result) = decompress(&recoded, 1);
        assert!(result.is_ok() && back == alone.0, "other bytes in another format");
    }
    Some(alone.0)
}

fuzz_target!(|case: Case| match case {
    Case::Bytes { bytes } => {
        compare(bytes);
    }
    Case::Made { members, damage } => {
        let (mut stream, mut plain, mut known) = (Vec::new(), Vec::new(), [false; 6]);
        let mut is_right = !members.is_empty();
        for number in members.into_iter().take(50) {
            let number = usize::from(number) % MEMBERS.len();
            let member = &MEMBERS[number];
            put(&mut stream, member.name, &member.data);
            put(&mut plain, member.plain_name, &member.plain);
            is_right &= !known[number];
            known[number] = true;
            if member.name == "metadata" {
                known = [false; 6];
            }
        }
        let back = compare(&stream);
        assert_eq!(back, is_right.then_some(plain));
        if damage.iter().flatten().next().is_some() {
            damage.iter().flatten().for_each(|damage| damage.apply(&mut stream));
            compare(&stream);
        }
    }
});
