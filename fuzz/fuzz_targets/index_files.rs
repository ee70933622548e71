//! Index files of any bytes: an error, or reads that give the plain data or an error.
//!
//! An index is read from the input in each of its forms and used for a fixed file. If the index is accepted, what is read
//! with it at any place must be a part of the plain data of the file.

#![no_main]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pzcomp::{Format, Index, IndexFormat, Options, Seekable};
use pzcomp_fuzz::Damage;

/// Two files with their plain data, and their indexes in all forms that they have.
struct File {
    coded: Vec<u8>,
    plain: Vec<u8>,
    indexes: Vec<Vec<u8>>,
}

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let plain: Vec<u8> =
        (0..60_000_u32).flat_map(|number| (number / 7 * number % 251).to_le_bytes()).collect();
    let file = |format| {
        let options = Options::builder().format(format).block_size(16 << 10).build().unwrap();
        let mut coded = Vec::new();
        pzcomp::compress(&plain[..], &mut coded, &options).unwrap();
        let index = Index::build_with_interval(&coded, 32 << 10, &Options::default()).unwrap();
        let forms = [IndexFormat::Pzi, IndexFormat::Gzidx, IndexFormat::Gzi];
        let written = forms.into_iter().filter_map(|form| {
            let mut bytes = Vec::new();
            index.write_to(form, &mut bytes).is_ok().then_some(bytes)
        });
        File { indexes: written.collect(), coded, plain: plain.clone() }
    };
    vec![file(Format::Gzip), file(Format::Zstd), file(Format::Bzip2)]
});

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes { file: u8, bytes: &'a [u8], at: u32 },
    Damaged { file: u8, index: u8, damage: [Option<Damage>; 3], at: u32 },
}

fuzz_target!(|case: Case| {
    let (file, bytes, at) = match case {
        Case::Bytes { file, bytes, at } => (&FILES[usize::from(file) % FILES.len()], bytes.to_vec(), at),
        Case::Damaged { file, index, damage, at } => {
            let file = &FILES[usize::from(file) % FILES.len()];
            if file.indexes.is_empty() {
                return;
            }
            let mut bytes = file.indexes[usize::from(index) % file.indexes.len()].clone();
            damage.iter().flatten().for_each(|damage| damage.apply(&mut bytes));
            (file, bytes, at)
        }
    };
    let Ok(index) = Index::read_from(&bytes[..]) else { return };
    let Ok(reader) = Seekable::with_index(&file.coded[..], index, &Options::default()) else { return };
    let at = at as usize % (file.plain.len() + 10);
    let mut buffer = [0; 5000];
    if let Ok(len) = reader.read_at(&mut buffer, at as u64) {
        let expected = file.plain.get(at..).unwrap_or_default();
        assert!(expected.starts_with(&buffer[..len]), "wrong bytes at {at}");
    }
});
