//! Texts that the DEFLATE encoder codes come back from libdeflate and from our decoder, with each search and any room.
//!
//! One encoder serves two texts, and their coded chunks also make one stream. The build without unsafe loops writes the
//! same bytes.

#![cfg_attr(fuzzing, no_main)]

use arbitrary::Arbitrary;
use libdeflater::Decompressor;
use libfuzzer_sys::fuzz_target;
use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
use pzcomp_deflate::inflate::{Inflate, Output, Pause};
use pzcomp_fuzz::Part;

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    room: u16,
    texts: [Vec<Part<'a>>; 2],
    raw: &'a [u8],
}

fn decode(coded: &[u8], plain: &[u8]) {
    let mut back = vec![0; plain.len()];
    assert_eq!(Decompressor::new().deflate_decompress(coded, &mut back), Ok(plain.len()));
    assert!(back == plain);
    back.fill(0xa5);
    let progress = Inflate::new().run(coded, &mut Output::new(&mut back, 0)).unwrap();
    assert_eq!((progress.read, progress.pause), (coded.len(), Pause::End));
    assert!(back == plain);
}

/// What a build of the encoder makes of texts with a search.
#[cfg(fuzzing)]
macro_rules! encoded {
    ($deflate:ident, $search:ident, $texts:expr) => {{
        use $deflate::encode::{Encoder, End, Search, coded_bound};
        let mut encoder = Encoder::new(Search::$search);
        $texts.each_ref().map(|plain| {
            let mut coded = vec![0; coded_bound(plain.len())];
            let len = encoder.encode(plain, &mut coded, End::SyncFlush);
            coded.truncate(len.unwrap());
            coded
        })
    }};
}

/// Asserts that both builds of the encoder write the same bytes.
#[cfg(fuzzing)]
macro_rules! assert_builds_agree {
    ($texts:expr, $($search:ident)*) => {
        $(assert!(encoded!(pzcomp_deflate, $search, $texts) == encoded!(pzcomp_deflate_safe, $search, $texts));)*
    };
}

fuzz_target!(|case: Case| {
    let Case { room, texts, raw } = case;
    let texts = texts.map(|parts| {
        let mut plain = Vec::new();
        for part in parts.iter().take(6) {
            part.append(&mut plain, 60_000);
            // Bytes of libFuzzer, which it changes with care.
            plain.extend_from_slice(&raw[..raw.len().min(64)]);
        }
        plain.extend_from_slice(raw);
        plain
    });
    for search in
        [Search::Quick, Search::Matches, Search::Thorough, Search::Lazy, Search::Runs, Search::Nothing]
    {
        let mut encoder = Encoder::new(search);
        let mut stream = Vec::new();
        for plain in &texts {
            let mut coded = vec![0; coded_bound(plain.len())];
            let len = encoder.encode(plain, &mut coded, End::Final).unwrap();
            decode(&coded[..len], plain);
            let len = encoder.encode(plain, &mut coded, End::SyncFlush).unwrap();
            stream.extend_from_slice(&coded[..len]);
            // With any room there is a whole chunk or none, and nothing is written behind the room.
            coded.fill(0xa5);
            let room = usize::from(room).min(coded.len());
            if let Some(len) = encoder.encode(plain, &mut coded[..room], End::Final) {
                decode(&coded[..len], plain);
            }
            assert!(coded[room..].iter().all(|&byte| byte == 0xa5));
        }
        stream.extend([3, 0]);
        decode(&stream, &texts.concat());
    }
    #[cfg(fuzzing)]
    assert_builds_agree!(texts, Quick Matches Thorough Lazy Runs Nothing);
});
