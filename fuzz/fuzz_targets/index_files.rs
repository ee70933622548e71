//! Index files of any bytes: an error, or reads that give the plain data or an error.
//!
//! An index is read from the input in each of its forms and used for a fixed file. If the index is accepted, what is
//! read with it at any place must be a part of the plain data of the file. A `.pzi` has a checksum, which damage makes
//! wrong. So the target also sets it right, as a forger does. A forged index can lie about places, so then only the
//! kind of an error is tested: it is none that blames pzcomp.

#![cfg_attr(fuzzing, no_main)]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pzcomp::{Decode, Encode, Format, Index, IndexFormat, Layout, Member, Seekable};
use pzcomp_fuzz::Damage;
use xxhash_rust::xxh64::Xxh64;

/// The plain data of most files.
const PLAIN_LEN: u32 = 240_000;
/// Where the fields of a `.pzi` are: the checksum, the end of the header, and the length of a record.
const SUM_AT: usize = 120;
const HEADER_LEN: usize = 128;
const RECORD_LEN: usize = 48;

/// A file with its plain data, and its indexes in all forms that it has.
struct File {
    coded: Vec<u8>,
    plain: Vec<u8>,
    indexes: Vec<Vec<u8>>,
}

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let plain: Vec<u8> =
        (0..PLAIN_LEN / 4).flat_map(|number| (number / 7 * number % 251).to_le_bytes()).collect();
    let file = |format: Format, layout: Option<Layout>, plain: &[u8]| {
        let mut builder = Encode::builder(format);
        builder = match layout {
            Some(layout) => builder.layout(layout),
            None => builder.block_size(16 << 10),
        };
        let coded = pzcomp::compress(plain, &builder.threads(1).build().unwrap()).unwrap();
        let index = Index::build_with_interval(&coded, 32 << 10, &Decode::default()).unwrap();
        let forms = [IndexFormat::Pzi, IndexFormat::Gzidx, IndexFormat::Gzi];
        let written = forms.into_iter().filter_map(|form| {
            let mut bytes = Vec::new();
            index.write_to(form, &mut bytes).is_ok().then_some(bytes)
        });
        File { indexes: written.collect(), coded, plain: plain.to_vec() }
    };
    let one = || Some(Layout::Single(Member::default()));
    vec![
        file(Format::Gzip, None, &plain),
        file(Format::Zstd, None, &plain),
        file(Format::Bzip2, None, &plain),
        file(Format::Gzip, one(), &plain),
        file(Format::Bzip2, one(), &plain.repeat(4)),
        file(Format::Xz, None, &plain),
        file(Format::Lz4, None, &plain),
        file(Format::Lzip, None, &plain),
        file(Format::Zstd, one(), &plain[..60_000]),
        file(Format::Snappy, None, &plain),
    ]
});

/// A change of a field of a `.pzi`.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Field {
    /// A number of eight bytes in a record.
    Long {
        record: u8,
        number: u8,
        value: u64,
    },
    /// The same, a little more or less.
    Nudge {
        record: u8,
        number: u8,
        by: i8,
    },
    Byte {
        record: u8,
        at: u8,
        value: u8,
    },
    Head {
        number: u8,
        value: u64,
    },
}

impl Field {
    fn apply(self, pzi: &mut [u8]) {
        let records = (pzi.len().saturating_sub(HEADER_LEN) / RECORD_LEN).max(1);
        let record = |number: u8| HEADER_LEN + usize::from(number) % records * RECORD_LEN;
        let (at, len) = match self {
            Self::Long { record: of, number, .. } | Self::Nudge { record: of, number, .. } => {
                (record(of) + usize::from(number % 6) * 8, 8)
            }
            Self::Byte { record: of, at, .. } => (record(of) + usize::from(at) % RECORD_LEN, 1),
            Self::Head { number, .. } => (16 + usize::from(number % 4) * 8, 8),
        };
        let Some(bytes) = pzi.get_mut(at..at + len) else { return };
        match self {
            Self::Long { value, .. } | Self::Head { value, .. } => {
                bytes.copy_from_slice(&value.to_le_bytes())
            }
            Self::Byte { value, .. } => bytes[0] = value,
            Self::Nudge { by, .. } => {
                let before = u64::from_le_bytes(bytes.try_into().unwrap());
                bytes.copy_from_slice(&before.wrapping_add_signed(by.into()).to_le_bytes());
            }
        }
    }
}

/// Sets the checksum of a `.pzi` right.
fn seal(pzi: &mut [u8]) {
    let Some(count) = pzi.get(32..40).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())) else {
        return;
    };
    let records_len = usize::try_from(count).ok().and_then(|count| count.checked_mul(RECORD_LEN));
    let end = records_len.and_then(|len| len.checked_add(HEADER_LEN)).unwrap_or(usize::MAX).min(pzi.len());
    if pzi.len() < HEADER_LEN {
        return;
    }
    let mut sum = Xxh64::new(0);
    sum.update(&pzi[..SUM_AT]);
    sum.update(&pzi[HEADER_LEN..end]);
    pzi[SUM_AT..HEADER_LEN].copy_from_slice(&sum.digest().to_le_bytes());
}

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes { file: u8, bytes: &'a [u8], at: u32 },
    Damaged { file: u8, index: u8, damage: [Option<Damage>; 3], at: u32 },
    Forged { file: u8, fields: [Option<Field>; 4], damage: Option<Damage>, at: u32 },
}

fuzz_target!(|case: Case| {
    let (mut is_forged, files) = (false, FILES.len());
    let (file, bytes, at) = match case {
        Case::Bytes { file, bytes, at } => (&FILES[usize::from(file) % files], bytes.to_vec(), at),
        Case::Damaged { file, index, damage, at } => {
            let file = &FILES[usize::from(file) % files];
            if file.indexes.is_empty() {
                return;
            }
            let mut bytes = file.indexes[usize::from(index) % file.indexes.len()].clone();
            damage.iter().flatten().for_each(|damage| damage.apply(&mut bytes));
            (file, bytes, at)
        }
        Case::Forged { file, fields, damage, at } => {
            is_forged = true;
            let file = &FILES[usize::from(file) % files];
            let Some(mut bytes) = file.indexes.first().cloned() else { return };
            damage.iter().for_each(|damage| damage.apply(&mut bytes));
            fields.iter().flatten().for_each(|field| field.apply(&mut bytes));
            seal(&mut bytes);
            (file, bytes, at)
        }
    };
    let check = |error: &dyn std::error::Error| {
        let words = error.to_string();
        assert!(!words.contains("internal error"), "{words}");
        // That is one before the start of the file.
        assert!(!words.contains("offset 18446744073709551615"), "{words}");
    };
    let options = Decode::builder().threads(1).build().unwrap();
    let index = match Index::read_from(&bytes[..]) {
        Ok(index) => index,
        Err(error) => return check(&error),
    };
    let reader = match Seekable::with_index(&file.coded[..], index, &options) {
        Ok(reader) => reader,
        Err(error) => return check(&error),
    };
    let at = at as usize % (file.plain.len() + 10);
    let mut buffer = [0; 5000];
    match reader.read_at(&mut buffer, at as u64) {
        Ok(len) => {
            let expected = file.plain.get(at..).unwrap_or_default();
            assert!(is_forged || expected.starts_with(&buffer[..len]), "wrong bytes at {at}");
        }
        Err(error) => check(&error),
    }
});
