//! The methods of [`DecodeBuilder`] for options that only one format has, or a few.
//!
//! A group of methods is one `impl` block, which the documentation shows under its heading. A stream in another format
//! ignores them.

use super::DecodeBuilder;
use crate::options::Dictionary;

/// Options of zstd.
impl DecodeBuilder {
    /// The dictionary that frames were coded with ([`EncodeBuilder::dictionary`](crate::EncodeBuilder::dictionary)).
    pub fn dictionary(mut self, dictionary: Dictionary) -> Self {
        self.0.dictionary = Some(dictionary);
        self
    }

    /// Whether checksums are ignored, so that damaged data may be accepted. The default is false.
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
    pub fn xz_decoder_memory(mut self, bytes: u64) -> Self {
        self.0.xz.decoder_memory = Some(bytes);
        self
    }

    /// Whether that which follows the first frame is treated as xz does: only frames of the same format may follow.
    /// Behind lzip members other bytes are ignored. Behind `.lzma` data every byte is an error. The default is false.
    pub fn xz_one_format(mut self, one_format: bool) -> Self {
        self.0.xz.one_format = one_format;
        self
    }

    /// Whether decompression stops behind the first Stream or member, and ignores all that follows. The default is
    /// false.
    pub fn xz_single_stream(mut self, single_stream: bool) -> Self {
        self.0.xz.single_stream = single_stream;
        self
    }

    /// Whether the checks of the data are not verified. Headers and lengths are still verified. The default is false.
    pub fn xz_ignore_check(mut self, ignore: bool) -> Self {
        self.0.xz.ignore_check = ignore;
        self
    }

    /// Whether Streams whose Check is of an unknown kind are decoded, although nothing can be verified.
    /// [`Summary::unverified`](crate::Summary::unverified) then reports that. By default they are an error.
    pub fn xz_unknown_check(mut self, unknown_check: bool) -> Self {
        self.0.xz.unknown_check = unknown_check;
        self
    }
}

/// Options of lzip.
impl DecodeBuilder {
    /// Whether bytes behind a member are ignored even if they look like a damaged header. By default such bytes are an
    /// error.
    pub fn lzip_loose_trailing(mut self, loose: bool) -> Self {
        self.0.lzip.loose_trailing = loose;
        self
    }

    /// Whether members of version 0 are refused, as lzip does. The default is false.
    pub fn lzip_only_version_1(mut self, only: bool) -> Self {
        self.0.lzip.only_version_1 = only;
        self
    }
}
