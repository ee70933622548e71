//! The methods of [`DecodeBuilder`] for options that only one format has, or a few.
//!
//! A group of methods is one `impl` block, which the documentation shows under its heading. A stream in another format
//! ignores them.

use super::DecodeBuilder;
use crate::options::Dictionary;

/// Options of zstd.
impl DecodeBuilder {
    /// The dictionary that frames were coded with ([`EncodeBuilder::dictionary`](crate::EncodeBuilder::dictionary)).
    ///
    /// ```
    /// use pzcomp::{Decode, Dictionary, Encode};
    /// let dictionary = Dictionary::new(b"three in the afternoon".to_vec())?;
    /// let options = Encode::zstd(3).dictionary(dictionary.clone()).build()?;
    /// let coded = pzcomp::compress(b"three in the afternoon or the morning", &options)?;
    /// let with = Decode::builder().dictionary(dictionary).build()?;
    /// assert_eq!(pzcomp::decompress(&coded, &with)?, b"three in the afternoon or the morning");
    /// assert!(pzcomp::decompress(&coded, &Decode::default()).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn dictionary(mut self, dictionary: Dictionary) -> Self {
        self.0.dictionary = Some(dictionary);
        self
    }

    /// Whether checksums are ignored, so that damaged data may be accepted. The default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::zstd(3).build()?)?;
    /// *coded.last_mut().expect("a checksum") ^= 1;
    /// let ignoring = Decode::builder().zstd_ignore_checksums(true).build()?;
    /// assert_eq!(pzcomp::decompress(&coded, &ignoring)?, b"three in the morning");
    /// assert!(pzcomp::decompress(&coded, &Decode::default()).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn zstd_ignore_checksums(mut self, ignore: bool) -> Self {
        self.0.zstd_ignore_checksums = ignore;
        self
    }
}

/// Options of xz, and of `.lzma` and lzip where they have them.
impl DecodeBuilder {
    /// The memory that all decoders may use together, counted as xz counts it: dictionaries count, buffers do not. A
    /// frame that needs more than its worker's share waits until no other frame is decoded. Without this figure
    /// [`Self::window_limit`] applies to each frame.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Error};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::xz(6).build()?)?;
    /// let little = Decode::builder().xz_decoder_memory(1000).build()?;
    /// assert!(matches!(pzcomp::decompress(&coded, &little), Err(Error::Memory { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn xz_decoder_memory(mut self, bytes: u64) -> Self {
        self.0.xz.decoder_memory = Some(bytes);
        self
    }

    /// Whether that which follows the first frame is treated as xz does: only frames of the same format may follow.
    /// Behind lzip members other bytes are ignored. Behind `.lzma` data every byte is an error. The default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode};
    /// let mut joined = pzcomp::compress(b"three", &Encode::xz(6).build()?)?;
    /// joined.extend(pzcomp::compress(b"four", &Encode::gzip(6).build()?)?);
    /// assert_eq!(pzcomp::decompress(&joined, &Decode::default())?, b"threefour");
    /// let as_xz = Decode::builder().xz_one_format(true).build()?;
    /// assert!(pzcomp::decompress(&joined, &as_xz).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn xz_one_format(mut self, one_format: bool) -> Self {
        self.0.xz.one_format = one_format;
        self
    }

    /// Whether decompression stops behind the first Stream or member, and ignores all that follows. The default is
    /// false.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode};
    /// let two = pzcomp::compress(b"three", &Encode::xz(6).build()?)?.repeat(2);
    /// let first = Decode::builder().xz_single_stream(true).build()?;
    /// assert_eq!(pzcomp::decompress(&two, &first)?, b"three");
    /// assert_eq!(pzcomp::decompress(&two, &Decode::default())?, b"threethree");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn xz_single_stream(mut self, single_stream: bool) -> Self {
        self.0.xz.single_stream = single_stream;
        self
    }

    /// Whether the checks of the data are not verified. Headers and lengths are still verified. The default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::xz(6).build()?)?;
    /// // The Check stands before an Index of 8 bytes and a footer of 12.
    /// let last = coded.len() - 21;
    /// coded[last] ^= 1;
    /// let ignoring = Decode::builder().xz_ignore_check(true).build()?;
    /// assert_eq!(pzcomp::decompress(&coded, &ignoring)?, b"three in the morning");
    /// assert!(pzcomp::decompress(&coded, &Decode::default()).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn xz_ignore_check(mut self, ignore: bool) -> Self {
        self.0.xz.ignore_check = ignore;
        self
    }

    /// Whether Streams whose Check is of an unknown kind are decoded, although nothing can be verified.
    /// [`Summary::unverified`](crate::Summary::unverified) then reports that. By default they are an error.
    ///
    /// ```
    /// use pzcomp::{Decode, Decompress, Encode};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::xz(6).build()?)?;
    /// // In the header and the footer, a kind of Check that is not assigned.
    /// # let end = coded.len();
    /// coded[7..12].copy_from_slice(b"\x05\x70\xe6\xb3\x31");
    /// coded[end - 12..end - 2].copy_from_slice(b"\x89\x86\xf4\x0a\x01\0\0\0\0\x05");
    /// let options = Decode::builder().xz_unknown_check(true).build()?;
    /// assert!(Decompress::new(&options).run(&coded, &mut Vec::new())?.unverified);
    /// assert!(pzcomp::decompress(&coded, &Decode::default()).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn xz_unknown_check(mut self, unknown_check: bool) -> Self {
        self.0.xz.unknown_check = unknown_check;
        self
    }
}

/// Options of lzip.
impl DecodeBuilder {
    /// Whether bytes behind a member are ignored even if they look like a damaged header. By default such bytes are an
    /// error.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Unknown};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::lzip(6).build()?)?;
    /// coded.extend(b"LZxP, which is nearly a header");
    /// let strict = Decode::builder().unknown(Unknown::Ignore);
    /// let loose = strict.clone().lzip_loose_trailing(true);
    /// assert_eq!(pzcomp::decompress(&coded, &loose.build()?)?, b"three in the morning");
    /// assert!(pzcomp::decompress(&coded, &strict.build()?).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn lzip_loose_trailing(mut self, loose: bool) -> Self {
        self.0.lzip.loose_trailing = loose;
        self
    }

    /// Whether members of version 0 are refused, as lzip does. The default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::lzip(6).build()?)?;
    /// // Version 0 has no length of the member at its end.
    /// coded[4] = 0;
    /// coded.truncate(coded.len() - 8);
    /// let refusing = Decode::builder().lzip_only_version_1(true).build()?;
    /// assert!(pzcomp::decompress(&coded, &refusing).is_err());
    /// assert_eq!(pzcomp::decompress(&coded, &Decode::default())?, b"three in the morning");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn lzip_only_version_1(mut self, only: bool) -> Self {
        self.0.lzip.only_version_1 = only;
        self
    }
}
