//! DEFLATE (RFC 1951): a fast encoder, and a decoder for programs that decode one stream with many threads.
//!
//! Both work on slices. The crate opens no files, starts no threads, and knows nothing of gzip, zlib or zip,
//! which are containers of DEFLATE streams. It has no dependencies.
//!
//! - [`encode`] compresses one chunk at a time. It is made for speed: its output is about as long as that of
//!   zlib's low levels. Coded chunks can be concatenated to one stream.
//! - [`inflate`] decompresses. It takes input of any length and fills output of any length, and it can stop
//!   and continue at any point. Its verdicts on invalid streams are those of zlib. It also has what a parallel
//!   decoder needs: a block finder, decoding without the 32 KiB before a block, and two streams at once on
//!   one core.
//! - [`huffman`] chooses prefix codes of limited length.
//!
//! ```
//! use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
//! use pzcomp_deflate::inflate::{Inflate, Output, Pause};
//!
//! let plain = b"one fish, two fish, red fish, blue fish";
//!
//! let mut coded = vec![0; coded_bound(plain.len())];
//! let mut encoder = Encoder::new(Search::Matches);
//! let len = encoder.encode(plain, &mut coded, End::Final).ok_or("the coded chunk has no room")?;
//!
//! let mut memory = [0; 100];
//! let mut output = Output::new(&mut memory, 0);
//! let progress = Inflate::new().run(&coded[..len], &mut output)?;
//! assert_eq!((progress.read, progress.pause), (len, Pause::End));
//! let filled = output.filled();
//! assert_eq!(&memory[..filled], plain);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(pzcomp_safe, forbid(unsafe_code), allow(dead_code, unused_mut))]

pub mod encode;
pub mod huffman;
pub mod inflate;
