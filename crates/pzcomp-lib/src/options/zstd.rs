//! What only zstd has: parameters of its encoder, and dictionaries.
//!
//! The builders take them. The format zstd gives the parameters to libzstd, which checks them.
//! A dictionary is prepared once for each direction and level, and all workers share the result.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use zstd_safe::zstd_sys::ZSTD_cParameter;

use crate::error::{Error, Result};

/// How zstd frames are coded, beyond the options of all formats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZstdWriting {
    pub(crate) dictionary: Option<Dictionary>,
    /// Frames do not state the id of the dictionary.
    pub(crate) hide_dictionary_id: bool,
    /// Frames do not state the length of their data.
    pub(crate) hide_content_size: bool,
    /// Parameters of the encoder, in place of those of the level. The value 0 is that of the level.
    pub(crate) parameters: Vec<(ZstdParameter, u32)>,
    /// The parameters of the level for all data.
    pub(crate) fixed_parameters: bool,
}

/// A parameter of the encoder, as libzstd and the manual of zstd describe them
/// ([`EncodeBuilder::parameters`](super::EncodeBuilder::parameters)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are libzstd's")]
#[non_exhaustive]
pub enum ZstdParameter {
    WindowLog,
    ChainLog,
    HashLog,
    SearchLog,
    MinMatch,
    TargetLength,
    Strategy,
    OverlapLog,
    LdmHashLog,
    LdmMinMatch,
    LdmBucketSizeLog,
    LdmHashRateLog,
    TargetBlockSize,
    SizeHint,
}

impl ZstdParameter {
    /// The parameter of libzstd.
    pub(crate) fn name(self) -> ZSTD_cParameter {
        use ZSTD_cParameter::*;
        match self {
            Self::WindowLog => ZSTD_c_windowLog,
            Self::ChainLog => ZSTD_c_chainLog,
            Self::HashLog => ZSTD_c_hashLog,
            Self::SearchLog => ZSTD_c_searchLog,
            Self::MinMatch => ZSTD_c_minMatch,
            Self::TargetLength => ZSTD_c_targetLength,
            Self::Strategy => ZSTD_c_strategy,
            Self::OverlapLog => ZSTD_c_overlapLog,
            Self::LdmHashLog => ZSTD_c_ldmHashLog,
            Self::LdmMinMatch => ZSTD_c_ldmMinMatch,
            Self::LdmBucketSizeLog => ZSTD_c_ldmBucketSizeLog,
            Self::LdmHashRateLog => ZSTD_c_ldmHashRateLog,
            Self::TargetBlockSize => ZSTD_c_targetCBlockSize,
            // Of the parameters without a lasting name, as zstd.h has them.
            Self::SizeHint => ZSTD_c_experimentalParam7,
        }
    }

    /// The memory in bytes that this parameter asks for.
    pub(crate) fn memory(self, value: u32) -> u64 {
        let log = value.min(MEMORY_LOG_MAX);
        match self {
            Self::WindowLog => 1 << log,
            Self::ChainLog | Self::HashLog => 4 << log,
            Self::LdmHashLog => 8 << log,
            _ => 0,
        }
    }
}

/// libzstd accepts no logarithm greater than this.
const MEMORY_LOG_MAX: u32 = 40;

/// A dictionary of zstd: a trained one, or any bytes. Frames can refer to its content.
///
/// `zstd --train` makes a trained dictionary from many payloads; pzcomp trains none. Any bytes that payloads have in
/// common also serve, best with the most frequent at their end. Only a trained dictionary has an id. So a frame that
/// needs other bytes does not say so, and without them it is reported as damaged.
///
/// It is prepared once: for decompression by [`Dictionary::new`], and for compression when a level first needs it.
/// Clones share what is prepared, with all contexts and streams on all threads that got one of them. The form of the
/// level that was used last stays in memory as long as the dictionary.
///
/// ```
/// use pzcomp::{Decode, Dictionary, Encode};
/// let dictionary = Dictionary::new(b"a text that others resemble".to_vec())?;
/// let coded = pzcomp::compress(
///     b"a text that resembles others",
///     &Encode::zstd(3).dictionary(dictionary.clone()).build()?,
/// )?;
/// let plain = pzcomp::decompress(&coded, &Decode::builder().dictionary(dictionary).build()?)?;
/// assert_eq!(plain, b"a text that resembles others");
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone)]
pub struct Dictionary(Arc<Shared>);

/// The data of a dictionary, which all workers of all streams share.
struct Shared {
    bytes: Vec<u8>,
    id: u32,
    decoding: Arc<pzcomp_zstd::Dictionary>,
    encoding: Mutex<Forms>,
}

/// A form for encoders. The format knows its type.
type Form = dyn Any + Send + Sync;

/// The forms for encoders.
#[derive(Default)]
struct Forms {
    /// The form that was asked for last stays, so that one context after another finds it.
    last: Option<Arc<Form>>,
    /// All forms that somebody uses, by compression level.
    used: Vec<(i32, Weak<Form>)>,
}

impl Dictionary {
    /// The most bytes of a dictionary.
    pub const MAX_LEN: usize = 32 << 20;

    /// A dictionary of these bytes. It is an error if there are more than [`Self::MAX_LEN`], or if they begin like a
    /// trained dictionary and are not a valid one (RFC 8878, section 5).
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        let unavailable = |how| Error::Unavailable { format: "zstd", how };
        if bytes.len() > Self::MAX_LEN {
            return Err(unavailable("with a dictionary of more than 32 MiB; use a shorter one"));
        }
        let id = zstd_safe::get_dict_id_from_dict(&bytes).map_or(0, u32::from);
        let decoding = pzcomp_zstd::Dictionary::new(&bytes)
            .map_err(|_| unavailable("with this dictionary: it is damaged; fetch it again"))?;
        let decoding = Arc::new(decoding);
        Ok(Self(Arc::new(Shared { bytes, id, decoding, encoding: Mutex::default() })))
    }

    /// Trains a dictionary of at most `max_len` bytes on samples of short data, as `zstd --train` does. The samples
    /// stand behind each other in `samples`, with these lengths. A good dictionary has about 110 KiB, and some thousand
    /// samples with 100 times as many bytes.
    ///
    /// It is an error if the lengths are not those of the samples, or if the samples are too few or too short.
    ///
    /// ```
    /// let sample = |at| format!("{{\"user\": {at}, \"city\": {}}}", at % 7);
    /// let samples: Vec<String> = (0..2000).map(sample).collect();
    /// let lens: Vec<usize> = samples.iter().map(String::len).collect();
    /// let dictionary = pzcomp::Dictionary::train(samples.concat().as_bytes(), &lens, 4096)?;
    /// assert!(dictionary.id() > 0 && dictionary.as_bytes().len() <= 4096);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn train(samples: &[u8], lens: &[usize], max_len: usize) -> Result<Self> {
        let unavailable = |how| Error::Unavailable { format: "zstd", how };
        let len = lens.iter().try_fold(0_usize, |sum, &len| sum.checked_add(len));
        if len != Some(samples.len()) {
            return Err(unavailable("with a dictionary of samples that have other lengths"));
        }
        let mut bytes = Vec::with_capacity(max_len.min(Self::MAX_LEN));
        zstd_safe::train_from_buffer(&mut bytes, samples, lens).map_err(|_| {
            unavailable(
                "with a dictionary of these samples: they are too few, too short or all equal; take more, or a shorter \
                 dictionary",
            )
        })?;
        Self::new(bytes)
    }

    /// The bytes of the dictionary, as they are stored in its file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The id in the headers of frames that need this dictionary. It is 0 for a dictionary that is not trained.
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// The bytes of memory that the dictionary takes with its prepared forms.
    pub(crate) fn memory(&self) -> u64 {
        // The bytes themselves, a copy in each of the two forms, and tables of at most ten bytes for each byte.
        self.0.bytes.len() as u64 * 13
    }

    /// The form for decoders.
    pub(crate) fn for_decoding(&self) -> Arc<pzcomp_zstd::Dictionary> {
        Arc::clone(&self.0.decoding)
    }

    /// The form for encoders of this level. If nobody uses it yet, it is made of the bytes; `None` if that fails.
    pub(crate) fn for_encoding<T: Any + Send + Sync>(
        &self,
        level: i32,
        prepare: impl FnOnce(&[u8], i32) -> Option<T>,
    ) -> Option<Arc<T>> {
        let mut forms = lock(&self.0.encoding);
        let found = forms.used.iter().find(|(of, _)| *of == level).and_then(|(_, form)| form.upgrade());
        let form = match found {
            Some(form) => form,
            None => {
                let new: Arc<Form> = Arc::new(prepare(&self.0.bytes, level)?);
                forms.used.push((level, Arc::downgrade(&new)));
                new
            }
        };
        forms.last = Some(Arc::clone(&form));
        forms.used.retain(|(_, form)| form.strong_count() > 0);
        form.downcast().ok()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.bytes == other.0.bytes
    }
}

impl Eq for Dictionary {}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} bytes, id {})", self.0.bytes.len(), self.0.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_context_after_another_gets_the_same_form_for_encoders() {
        let dictionary = Dictionary::new(b"three in the morning".to_vec()).unwrap();
        let form = |level| {
            let form =
                dictionary.clone().for_encoding(level, |bytes, level| Some((bytes.len(), level))).unwrap();
            assert_eq!(*form, (20, level));
            Arc::downgrade(&form)
        };
        let three = form(3);
        assert!(three.ptr_eq(&form(3)), "nobody holds it between the two calls");
        let nine = form(9);
        assert!(three.upgrade().is_none() && nine.upgrade().is_some(), "only the last form stays");
        let (held, seven) = (form(3).upgrade().unwrap(), form(7));
        assert!(Arc::downgrade(&held).ptr_eq(&form(3)), "a form that is used stays too");
        assert!(seven.upgrade().is_none());
    }
}
