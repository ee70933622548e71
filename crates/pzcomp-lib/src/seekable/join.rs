//! Files whose stretches are compressed by different processes or machines, and joined.
//!
//! [`compress_part`] compresses one stretch of the plain data: it gives the frames without the index behind them, and
//! their lengths. [`joined_index`] makes the bytes that belong behind the last stretch. If all stretches but the last
//! end where a chunk ends, then the joined file is the one that [`compress`](crate::compress) makes of all data; an xz
//! file is not, because each stretch becomes a Stream of its own.

use crate::compress::{Compressor, compress};
use crate::error::{Error, Result};
use crate::format::INDEX_MIN;
use crate::format::places::ListedFrame;
use crate::options::{Encode, Layout};
use engine::Report;
use engine::io::RandomAccess;

/// A part of a file, compressed by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodedPart {
    /// The frames, without an index behind them.
    pub coded: Vec<u8>,
    /// The coded and the plain length of each frame, if the format has an index of frames and the options ask for one.
    pub frames: Vec<(u64, u64)>,
}

/// Whether the output ends with a table of all frames.
fn has_table(options: &Encode) -> Result<bool> {
    Ok(!options.no_index && options.format.writing()?.has_table())
}

/// Checks that parts can be joined. The error is the message that a caller of a cluster sees.
fn check(options: &Encode) -> Result<()> {
    options.refuse_recovery()?;
    options.refuse_tar()?;
    let codec = options.format.writing()?;
    if codec.joins(&options.layout) {
        return Ok(());
    }
    /// The words for parts that cannot be joined, and for those that can if they have another layout.
    macro_rules! in_parts {
        ($layout:literal) => {
            concat!(
                $layout,
                "in parts that are compressed separately and joined; write it in one process, or choose zstd, gzip, lz4, \
                 bzip2, lzip or xz with the layout frames"
            )
        };
    }
    let how = if codec.joins(&Layout::Frames) { in_parts!("in this layout ") } else { in_parts!("") };
    Err(Error::Unavailable { format: options.format.name(), how })
}

/// Compresses a part of the plain data.
///
/// ```
/// use pzcomp::Encode;
/// use pzcomp::parts::{compress_part, joined_index};
///
/// let (plain, options) = (vec![b'a'; 3_000_000], Encode::zstd(3).block_size(1 << 20).build()?);
/// let (mut joined, mut frames) = (Vec::new(), Vec::new());
/// for part in plain.chunks(2 << 20) {
///     let part = compress_part(part, &options)?;
///     joined.extend(part.coded);
///     frames.extend(part.frames);
/// }
/// joined.extend(joined_index(frames, &options)?);
/// assert_eq!(joined, pzcomp::compress(&plain, &options)?);
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn compress_part(plain: &[u8], options: &Encode) -> Result<CodedPart> {
    check(options)?;
    if !has_table(options)? {
        return Ok(CodedPart { coded: compress(plain, options)?, frames: Vec::new() });
    }
    if (plain.len() as u64) < INDEX_MIN && !options.short_index {
        // Such a stream has no index from which the frames could be read.
        let (mut coded, mut frames) = (Vec::new(), Vec::new());
        let mut note = |frame: &Report| frames.push((frame.coded_len, frame.plain_len));
        Compressor::new(options)?.compress_frames(plain, &mut coded, &mut note)?;
        return Ok(CodedPart { coded, frames });
    }
    let mut coded = compress(plain, options)?;
    let lost = || Error::Internal("a part without its index".into());
    let (place, range) = (RandomAccess::Memory(&coded), 0..coded.len() as u64);
    let table = options.format.codec().places().listed(place, range, usize::MAX)?.ok_or_else(lost)?;
    let mut end = 0;
    let frame = |ListedFrame { coded, plain_len, .. }: ListedFrame| {
        end = coded.end;
        (coded.end - coded.start, plain_len)
    };
    let frames: Vec<(u64, u64)> = table.frames.map(frame).collect();
    if frames.iter().map(|(_, plain)| plain).sum::<u64>() != plain.len() as u64 {
        return Err(lost());
    }
    coded.truncate(usize::try_from(end).unwrap_or(usize::MAX));
    Ok(CodedPart { coded, frames })
}

/// The bytes behind the last part: the index of all frames. They are empty if the format has none, or the options ask
/// for none.
///
/// ```
/// use pzcomp::{Encode, parts::joined_index};
///
/// let index = joined_index([(100, 20_000), (50, 7_000)], &Encode::default())?;
/// // A skippable frame.
/// assert_eq!(index[..4], [0x5e, 0x2a, 0x4d, 0x18]);
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn joined_index(frames: impl IntoIterator<Item = (u64, u64)>, options: &Encode) -> Result<Vec<u8>> {
    check(options)?;
    if !has_table(options)? {
        return Ok(Vec::new());
    }
    let (_, mut joiner) = options.format.writing()?.framing(&options.settings()?);
    for (coded_len, plain_len) in frames {
        joiner.join(&Report { plain_len, coded_len, frames: 1, ..Report::default() });
    }
    Ok(joiner.trailer())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    #[test]
    fn joined_parts_are_the_file_that_one_call_writes() {
        let plain: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for format in [Format::Zstd, Format::Gzip, Format::Lz4, Format::Bzip2, Format::Lzip] {
            for index in [true, false] {
                let options = Encode::builder(format).block_size(50_000).index(index).build().unwrap();
                let (mut joined, mut frames) = (Vec::new(), Vec::new());
                for part in plain.chunks(150_000) {
                    let part = compress_part(part, &options).unwrap();
                    joined.extend(part.coded);
                    frames.extend(part.frames);
                }
                joined.extend(joined_index(frames, &options).unwrap());
                assert_eq!(joined, compress(&plain, &options).unwrap(), "{format:?}, index {index}");
            }
        }
    }

    #[test]
    fn layouts_that_cannot_be_joined_are_refused_by_their_names() {
        let refused = |format, layout| {
            let options = Encode::builder(format).layout(layout).build().unwrap();
            let error = compress_part(b"a", &options).unwrap_err();
            assert!(matches!(error, Error::Unavailable { .. }));
            assert_eq!(joined_index([], &options).unwrap_err().to_string(), error.to_string());
            error.to_string()
        };
        assert!(
            refused(Format::Zlib, Layout::Single(Default::default()))
                .starts_with("zlib cannot be written in parts")
        );
        assert!(
            refused(Format::Gzip, Layout::Bgzf).starts_with("gzip cannot be written in this layout in parts")
        );
        assert!(
            refused(Format::Xz, Layout::Alone).starts_with("xz cannot be written in this layout in parts")
        );
        assert!(
            refused(Format::Zstd, Layout::Single(Default::default()))
                .starts_with("zstd cannot be written in this layout")
        );
    }
}
