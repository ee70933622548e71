//! What a program of other people does with pzcomp: streams, `Writer` and `Reader`, and the list of a file.
//!
//! It sees the public API only, and is built without default features. `make features` builds and runs it. It is silent
//! if everything is right.

use std::error::Error;
use std::io::{Read, Write};

use pzcomp::{Format, Input, Options, Reader, Writer, compress, decompress, list};

fn main() -> Result<(), Box<dyn Error>> {
    let plain: Vec<u8> = (0..200_000_u32).flat_map(|number| (number / 7).to_be_bytes()).collect();
    for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Xz, Format::Bzip2, Format::Lzip] {
        let options = Options::builder().format(format).level(1).threads(2).build()?;

        let mut coded = Vec::new();
        let summary = compress(&plain[..], &mut coded, &options)?;
        assert_eq!((summary.plain_len, summary.coded_len), (plain.len() as u64, coded.len() as u64));

        let mut back = Vec::new();
        decompress(&coded[..], &mut back, &Options::default())?;
        assert!(back == plain, "{format}: decompress");

        let mut writer = Writer::new(Vec::new(), options)?;
        writer.write_all(&plain)?;
        let (written, _summary) = writer.finish()?;
        assert!(written == coded, "{format}: Writer");

        let mut back = Vec::new();
        Reader::new(&written[..], Options::default())?.read_to_end(&mut back)?;
        assert!(back == plain, "{format}: Reader");

        let listing = list(Input::Memory(&coded))?;
        assert_eq!((listing.formats, listing.coded_len), (vec![format], coded.len() as u64));

        coded.truncate(coded.len() / 2);
        assert!(
            decompress(&coded[..], std::io::sink(), &Options::default()).is_err(),
            "{format}: a cut stream"
        );
    }
    Ok(())
}
