//! The methods of [`EncodeBuilder`] for options that only one format has, or a few.
//!
//! A group of methods is one `impl` block, which the documentation shows under its heading. `format/settings.rs`
//! refuses an option that the format does not have.

use super::EncodeBuilder;
use crate::options::{Dictionary, Layout, Lz4Blocks, Member, Strategy, XzFilter, ZstdParameter};

/// Options of zstd.
impl EncodeBuilder {
    /// The binary logarithm of the length of the window, 10 to 31, or 10 to 30 on machines of 32 bits. The encoder
    /// searches for matches as far back as the window reaches, and by default frames are at least as long as the
    /// window. To decompress a window of more than 27, the reader must raise its limit
    /// ([`DecodeBuilder::window_limit`](crate::DecodeBuilder::window_limit)). The default depends on the level.
    pub fn window_log(mut self, log: u32) -> Self {
        self.0.window_log = Some(log);
        self
    }

    /// A dictionary: frames can refer to its bytes as if these came before the data. The same dictionary is needed to
    /// decompress the frames ([`DecodeBuilder::dictionary`](crate::DecodeBuilder::dictionary)).
    pub fn dictionary(mut self, dictionary: Dictionary) -> Self {
        self.0.zstd.dictionary = Some(dictionary);
        self
    }

    /// Whether frames do not state the id of the dictionary. The default is false.
    pub fn hide_dictionary_id(mut self, hide: bool) -> Self {
        self.0.zstd.hide_dictionary_id = hide;
        self
    }

    /// Whether frames do not state the length of their data. The default is false.
    pub fn hide_content_size(mut self, hide: bool) -> Self {
        self.0.zstd.hide_content_size = hide;
        self
    }

    /// Parameters of the encoder, in place of those of the level. The value 0 is that of the level.
    pub fn parameters(mut self, parameters: impl Into<Vec<(ZstdParameter, u32)>>) -> Self {
        self.0.zstd.parameters = parameters.into();
        self
    }

    /// Whether libzstd's parameters of the level are used for all data. The default is false: at the levels 2 to 4,
    /// chunks of more than 256 KiB with tables of numbers or with records have parameters of their own, which are
    /// faster and give shorter frames. A dictionary, a window and [`parameters`](Self::parameters) have the same effect
    /// as true.
    pub fn fixed_parameters(mut self, only: bool) -> Self {
        self.0.zstd.fixed_parameters = only;
        self
    }

    /// The frames of pzstd ([`Layout::Pzstd`]).
    pub fn pzstd(self) -> Self {
        self.layout(Layout::Pzstd)
    }
}

/// Options of gzip, and of zlib and zip where they have them.
impl EncodeBuilder {
    /// The members of bgzip ([`Layout::Bgzf`]).
    pub fn bgzf(self) -> Self {
        self.layout(Layout::Bgzf)
    }

    /// One gzip member or zip entry with this header, as [`Self::single`].
    pub fn member(self, member: Member) -> Self {
        self.layout(Layout::Single(member))
    }

    /// Which repetitions the encoder looks for. The default is that of the level.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.0.strategy = strategy;
        self
    }
}

/// Options of lz4.
impl EncodeBuilder {
    /// The blocks of a frame.
    pub fn lz4_blocks(mut self, blocks: Lz4Blocks) -> Self {
        self.0.lz4 = blocks;
        self
    }

    /// The legacy format of lz4 ([`Layout::Legacy`]).
    pub fn legacy(self) -> Self {
        self.layout(Layout::Legacy)
    }
}

/// Options of xz.
impl EncodeBuilder {
    /// More time for a little less output. The default is false.
    pub fn extreme(mut self, extreme: bool) -> Self {
        self.0.extreme = extreme;
        self
    }

    /// The filters in the order in which the data passes through them. The last is [`XzFilter::Lzma`]. Without filters
    /// the level decides.
    pub fn filters(mut self, filters: impl Into<Vec<XzFilter>>) -> Self {
        self.0.xz_filters = filters.into();
        self
    }

    /// The format before xz: a `.lzma` file ([`Layout::Alone`]).
    pub fn alone(self) -> Self {
        self.layout(Layout::Alone)
    }
}
