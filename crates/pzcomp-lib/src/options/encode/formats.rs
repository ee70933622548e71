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
    ///
    /// ```
    /// use pzcomp::{Encode, Error};
    ///
    /// let wrong = Encode::bzip2(9).window_log(27).build();
    /// assert!(matches!(wrong, Err(Error::Unavailable { format: "bzip2", .. })));
    /// ```
    pub fn window_log(mut self, log: u32) -> Self {
        self.0.window_log = Some(log);
        self
    }

    /// A dictionary: frames can refer to its bytes as if these came before the data. The same dictionary is needed to
    /// decompress the frames ([`DecodeBuilder::dictionary`](crate::DecodeBuilder::dictionary)).
    ///
    /// ```
    /// use pzcomp::{Dictionary, Encode, compress};
    /// let dictionary = Dictionary::new(b"three in the afternoon".to_vec())?;
    /// let (without, with) = (Encode::zstd(3).build()?, Encode::zstd(3).dictionary(dictionary).build()?);
    /// let plain = b"three in the afternoon or the morning";
    /// assert!(compress(plain, &with)?.len() < compress(plain, &without)?.len());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn dictionary(mut self, dictionary: Dictionary) -> Self {
        self.0.zstd.dictionary = Some(dictionary);
        self
    }

    /// Whether frames do not state the id of the dictionary. The default is false.
    ///
    /// ```
    /// use pzcomp::{Dictionary, Encode, compress};
    /// # let trained = b"\x37\xa4\x30\xec\x07\0\0\0\x17\x10\xe0\x0a\xa5\x0e\xff\xff\xff\xff\xff\xff\xc6\xed\xbd\xf7\
    /// #     \xde\x5b\xb6\xaa\x88\xd7\x5a\x0b\x10\x3f\x10\x3f\x10\x3f\x01\0\0\0\x04\0\0\0\x08\0\0\0three in";
    /// let usual = Encode::zstd(3).dictionary(Dictionary::new(trained.to_vec())?);
    /// let hiding = usual.clone().hide_dictionary_id(true);
    /// let [usual, hiding] = [compress(b"three", &usual.build()?)?, compress(b"three", &hiding.build()?)?];
    /// // The two bits that say how long the id is.
    /// assert_eq!((usual[4] & 3, hiding[4] & 3), (1, 0));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn hide_dictionary_id(mut self, hide: bool) -> Self {
        self.0.zstd.hide_dictionary_id = hide;
        self
    }

    /// Whether frames do not state the length of their data. The default is false.
    ///
    /// ```
    /// use pzcomp::{Encode, Seekable, compress};
    /// let (usual, hiding) = (Encode::zstd(3).build()?, Encode::zstd(3).hide_content_size(true).build()?);
    /// assert_eq!(Seekable::new(compress(b"three in the morning", &usual)?)?.len(), Some(20));
    /// assert_eq!(Seekable::new(compress(b"three in the morning", &hiding)?)?.len(), None);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn hide_content_size(mut self, hide: bool) -> Self {
        self.0.zstd.hide_content_size = hide;
        self
    }

    /// Parameters of the encoder, in place of those of the level. The value 0 is that of the level.
    ///
    /// ```
    /// use pzcomp::{Encode, ZstdParameter};
    /// let options = Encode::zstd(3).parameters([(ZstdParameter::MinMatch, 5)]).build()?;
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn parameters(mut self, parameters: impl Into<Vec<(ZstdParameter, u32)>>) -> Self {
        self.0.zstd.parameters = parameters.into();
        self
    }

    /// Whether libzstd's parameters of the level are used for all data. The default is false: at the levels 2 to 4,
    /// chunks of more than 256 KiB with tables of numbers or with records have parameters of their own, which are
    /// faster and give shorter frames. A dictionary, a window and [`parameters`](Self::parameters) have the same effect
    /// as true.
    ///
    /// ```
    /// use pzcomp::{Encode, compress};
    /// let (usual, fixed) = (Encode::zstd(3).build()?, Encode::zstd(3).fixed_parameters(true).build()?);
    /// let row = |row: u64| format!("{row},{}.{}\n", row * 7 % 1_009, row * row % 9_973);
    /// let table: String = (0..50_000).map(row).collect();
    /// assert!(compress(table.as_bytes(), &usual)?.len() < compress(table.as_bytes(), &fixed)?.len());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn fixed_parameters(mut self, only: bool) -> Self {
        self.0.zstd.fixed_parameters = only;
        self
    }

    /// The frames of pzstd ([`Layout::Pzstd`]).
    ///
    /// ```
    /// let options = pzcomp::Encode::zstd(3).pzstd().build()?;
    /// // A skippable frame.
    /// assert_eq!(pzcomp::compress(b"three in the morning", &options)?[..4], [0x50, 0x2a, 0x4d, 0x18]);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn pzstd(self) -> Self {
        self.layout(Layout::Pzstd)
    }
}

/// Options of gzip, and of zlib and zip where they have them.
impl EncodeBuilder {
    /// The members of bgzip ([`Layout::Bgzf`]).
    ///
    /// ```
    /// use pzcomp::Encode;
    /// let options = Encode::gzip(6).bgzf().build()?;
    /// assert_eq!(pzcomp::compress(b"three in the morning", &options)?[12..14], *b"BC");
    ///
    /// let wrong = Encode::zstd(3).bgzf().build().unwrap_err();
    /// assert_eq!(wrong.to_string(), "zstd cannot be written as BGZF; leave that option out or choose another format");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn bgzf(self) -> Self {
        self.layout(Layout::Bgzf)
    }

    /// One gzip member or zip entry with this header, as [`Self::single`].
    ///
    /// ```
    /// use pzcomp::{Encode, Member};
    /// let options = Encode::gzip(6).member(Member::new().with_name("notes.txt")).build()?;
    /// assert_eq!(pzcomp::compress(b"three in the morning", &options)?[10..20], *b"notes.txt\0");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn member(self, member: Member) -> Self {
        self.layout(Layout::Single(member))
    }

    /// Which repetitions the encoder looks for. The default is that of the level.
    ///
    /// ```
    /// use pzcomp::{Encode, Strategy, compress};
    /// let (usual, huffman) = (Encode::gzip(6).build()?, Encode::gzip(6).strategy(Strategy::Huffman).build()?);
    /// assert!(compress(&b"three".repeat(100), &huffman)?.len() > compress(&b"three".repeat(100), &usual)?.len());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.0.strategy = strategy;
        self
    }
}

/// Options of lz4.
impl EncodeBuilder {
    /// The blocks of a frame.
    ///
    /// ```
    /// use pzcomp::{Encode, Lz4Blocks, compress};
    /// let checked = Encode::lz4(1).lz4_blocks(Lz4Blocks::new().with_checksums(true)).build()?;
    /// let [usual, checked] = [Encode::lz4(1).build()?, checked].map(|options| compress(b"three", &options));
    /// assert_eq!(checked?.len(), usual?.len() + 4);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn lz4_blocks(mut self, blocks: Lz4Blocks) -> Self {
        self.0.lz4 = blocks;
        self
    }

    /// The legacy format of lz4 ([`Layout::Legacy`]).
    ///
    /// ```
    /// let options = pzcomp::Encode::lz4(1).legacy().build()?;
    /// assert_eq!(pzcomp::compress(b"three in the morning", &options)?[..4], [0x02, 0x21, 0x4c, 0x18]);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn legacy(self) -> Self {
        self.layout(Layout::Legacy)
    }
}

/// Options of xz.
impl EncodeBuilder {
    /// More time for a little less output. The default is false.
    ///
    /// ```
    /// use pzcomp::{Encode, compress};
    /// let plain: Vec<u8> = (0..5000_u32).flat_map(|n| n.to_string().into_bytes()).collect();
    /// let (usual, extreme) = (Encode::xz(0).build()?, Encode::xz(0).extreme(true).build()?);
    /// assert!(compress(&plain, &extreme)?.len() < compress(&plain, &usual)?.len());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn extreme(mut self, extreme: bool) -> Self {
        self.0.extreme = extreme;
        self
    }

    /// The filters in the order in which the data passes through them. The last is [`XzFilter::Lzma`]. Without filters
    /// the level decides.
    ///
    /// ```
    /// use pzcomp::{Encode, XzFilter, XzLzma, compress};
    /// let plain: Vec<u8> = (0..5000_u32).flat_map(u32::to_le_bytes).collect();
    /// let lzma = XzFilter::Lzma(XzLzma::preset(6, false).expect("xz has a preset 6"));
    /// let differences = Encode::xz(6).filters([XzFilter::Delta { distance: 4 }, lzma]).build()?;
    /// assert!(compress(&plain, &differences)?.len() < compress(&plain, &Encode::xz(6).build()?)?.len() / 4);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn filters(mut self, filters: impl Into<Vec<XzFilter>>) -> Self {
        self.0.xz_filters = filters.into();
        self
    }

    /// The format before xz: a `.lzma` file ([`Layout::Alone`]).
    ///
    /// ```
    /// use pzcomp::{Encode, Format};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::xz(6).alone().build()?)?;
    /// assert_eq!(Format::sniff(&coded), Some(Format::Lzma));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn alone(self) -> Self {
        self.layout(Layout::Alone)
    }
}
