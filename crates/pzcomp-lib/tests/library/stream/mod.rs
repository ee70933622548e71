//! `Writer`, `Reader`, `BackgroundReader` and `Pool`: the ways in which a program uses, breaks, leaks and drops them.

mod pool;
mod reader;
mod socket;
mod writer;

use pzcomp::{Encode, Format, Layout, Member};

/// Options for every format and layout that is written, with small chunks where the layout allows that, and programs
/// that read the output.
fn layouts() -> Vec<(Encode, &'static [&'static str])> {
    let single = || Layout::Single(Member::default());
    let all: [(Format, Layout, &[&str]); 16] = [
        (Format::Zstd, Layout::Frames, &["zstd -t"]),
        (Format::Zstd, Layout::Pzstd, &["zstd -t", "pzstd -t"]),
        (Format::Zstd, single(), &["zstd -t"]),
        (Format::Gzip, Layout::Frames, &["gzip -t", "pigz -t"]),
        (Format::Gzip, Layout::Bgzf, &["gzip -t"]),
        (Format::Gzip, single(), &["gzip -t", "pigz -t"]),
        (Format::Lz4, Layout::Frames, &["lz4 -t"]),
        (Format::Lz4, Layout::Legacy, &["lz4 -t"]),
        (Format::Lz4, single(), &["lz4 -t"]),
        (Format::Xz, Layout::Frames, &["xz -t"]),
        (Format::Xz, single(), &["xz -t"]),
        (Format::Xz, Layout::Alone, &["xz -t --format=lzma"]),
        (Format::Bzip2, Layout::Frames, &["bzip2 -t", "lbzip2 -t"]),
        (Format::Bzip2, single(), &["bzip2 -t", "lbzip2 -t"]),
        (Format::Lzip, Layout::Frames, &["lzip -t", "plzip -t"]),
        (Format::Zip, Layout::Single(Member::default()), &[]),
    ];
    let options = |(format, layout, tools): (Format, Layout, &'static [&'static str])| {
        let is_cut = layout == Layout::Frames;
        let options = Encode::builder(format).layout(layout).level(1).threads(2);
        (encode!(if is_cut { options.block_size(64 << 10) } else { options }), tools)
    };
    all.into_iter().map(options).collect()
}

/// What the options are called in a message.
fn name(options: &Encode) -> String {
    format!("{} {:?}", options.format(), options.layout())
}
