//! Checks the options of a caller against the format that is written.
//!
//! [`Encode`] come in, and [`Settings`] go to the encoders of the format, which check nothing again. `compress` is the
//! caller. An error names the format and what it does not have.

use super::info::recovery_elsewhere;
use super::{Extra, Info, WritingCodec};
use crate::error::{Error, Result, Size};
use crate::options::{
    Adapt, AdaptSettings, Encode, Layout, Lz4Blocks, Member, Settings, Strategy, ZstdWriting,
};

/// The longest chunk if levels adapt, so that a change of the level takes effect soon. If the chunks of the first level
/// are longer, theirs is the length, so that the output is not longer than at that level.
const ADAPTIVE_CHUNK_MAX: usize = 4 << 20;

/// The most levels below 1 that adapt.
const FAST_MAX: i32 = 100;

impl Info {
    fn check_level(&self, level: i32) -> Result<()> {
        let known = self.levels.contains(&level)
            || self.fast.as_ref().is_some_and(|fast| fast.contains(&level.wrapping_neg()));
        if known {
            return Ok(());
        }
        let lowest = self.fast.as_ref().map_or(*self.levels.start(), |fast| -fast.end());
        Err(Error::Level { format: self.name, level, lowest, highest: *self.levels.end() })
    }
}

impl Adapt {
    /// The levels of this format from the lowest to the highest, and the nearest one to `asked` to begin with.
    fn levels(self, codec: &dyn WritingCodec, asked: i32) -> Result<AdaptSettings> {
        let info = codec.info();
        let min = self.min.unwrap_or_else(|| self.max.map_or(asked, |max| max.min(asked)));
        let max = self.max.unwrap_or_else(|| min.max(codec.adaptive_max()));
        [min, max].into_iter().try_for_each(|level| info.check_level(level))?;
        if min > max {
            let how = "with a lowest level above the highest: exchange them";
            return Err(Error::Unavailable { format: info.name, how });
        }
        let fast = min.max(-FAST_MAX)..=max.min(-1);
        let ordinary = min.max(*info.levels.start())..=max;
        let levels = fast.filter(|_| info.fast.is_some()).chain(ordinary);
        Ok(AdaptSettings {
            start: asked.clamp(min, max),
            levels: levels.map(|level| (level, codec.usual_speed(level))).collect(),
        })
    }
}

impl Encode {
    /// Checks the options against the format.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let codec = self.format.writing()?;
        let info = codec.info();
        let asked = self.level.unwrap_or(info.default_level);
        info.check_level(asked)?;
        self.check_extras(codec)?;
        let adapt = self.adapt.map(|adapt| adapt.levels(codec, asked)).transpose()?;
        // With several levels, everything has room for the highest.
        let level = adapt.as_ref().and_then(|adapt| adapt.levels.last()).map_or(asked, |&(level, _)| level);
        // A chunk is as long as the window, and blocks of the legacy format have one length.
        let may_be_short = self.window_log.is_none() && self.layout != Layout::Legacy;
        let usual_len = codec.chunk_len(level, self);
        let usual_len = match &adapt {
            Some(adapt) if may_be_short => {
                usual_len.min(ADAPTIVE_CHUNK_MAX.max(codec.chunk_len(adapt.start, self)))
            }
            _ => usual_len,
        };
        let chunk_len = self.block_size.unwrap_or(usual_len);
        if !info.chunk_len.contains(&chunk_len) {
            let size = |len: usize| Size(len as u64);
            let (lowest, highest) = (size(*info.chunk_len.start()), size(*info.chunk_len.end()));
            return Err(Error::BlockSize { format: info.name, asked: size(chunk_len), lowest, highest });
        }
        let is_serial = codec.is_serial(&self.layout);
        let chunk_room = codec.chunk_room(level, self).filter(|_| self.block_size.is_none());
        Ok(Settings {
            level,
            chunk_len,
            chunk_room,
            is_serial,
            index: !self.no_index,
            short_index: self.short_index,
            recovery: self.recovery,
            layout: self.layout.clone(),
            check: self.check,
            window_log: self.window_log,
            plain_len: self.plain_len,
            rsyncable: self.rsyncable,
            align_lines: self.align_lines,
            listing: None,
            // Each thread of libzstd has tables of its own, so a limit of memory allows one.
            threads: Some(if self.memory.is_none() { self.threads } else { 1 }),
            extreme: self.extreme,
            strategy: self.strategy,
            lz4: self.lz4,
            xz_filters: self.xz_filters.clone(),
            zstd: self.zstd.clone(),
            adapt,
        })
    }

    /// Checks that the format has all that is asked for beyond what every format has.
    fn check_extras(&self, codec: &dyn WritingCodec) -> Result<()> {
        let info = codec.info();
        let refused = self.extras().find(|extra| !info.extras.contains(extra)).map(Extra::how);
        let contradiction = || {
            self.recovery_contradiction()
                .or_else(|| self.tar_contradiction(codec))
                .or_else(|| self.align_contradiction(codec))
                .or_else(|| codec.contradiction(self))
                .or_else(|| self.serial_contradiction(codec))
        };
        match refused.or_else(contradiction) {
            Some(how) => Err(Error::Unavailable { format: info.name, how }),
            None => Ok(()),
        }
    }

    /// The extras that the options ask for.
    fn extras(&self) -> impl Iterator<Item = Extra> {
        let layout = match &self.layout {
            Layout::Frames => None,
            Layout::Single(_) => Some(Extra::Single),
            Layout::Bgzf => Some(Extra::Bgzf),
            Layout::Pzstd => Some(Extra::Pzstd),
            Layout::Legacy => Some(Extra::Legacy),
            Layout::Alone => Some(Extra::Alone),
        };
        let is_named = matches!(&self.layout, Layout::Single(member) if *member != Member::default());
        let others = [
            is_named.then_some(Extra::Name),
            self.check.map(Extra::Check),
            self.window_log.map(|_| Extra::Window),
            self.recovery.map(|_| Extra::Recovery),
            self.extreme.then_some(Extra::Extreme),
            (self.strategy != Strategy::default()).then_some(Extra::Strategy),
            (self.lz4 != Lz4Blocks::default()).then_some(Extra::Lz4Blocks),
            (!self.xz_filters.is_empty()).then_some(Extra::XzFilters),
            (self.zstd != ZstdWriting::default()).then_some(Extra::Zstd),
        ];
        layout.into_iter().chain(others.into_iter().flatten())
    }

    /// Fails if a list of members is wanted where the plain data does not pass one place in order.
    pub(crate) fn refuse_tar(&self) -> Result<()> {
        let how = "with a list of the members of a tar archive by this call; use Compress";
        match self.tar.is_wanted() {
            false => Ok(()),
            true => Err(Error::Unavailable { format: self.format.name(), how }),
        }
    }

    /// A list that is demanded needs room for records, and a table that leads to them.
    fn tar_contradiction(&self, codec: &dyn WritingCodec) -> Option<&'static str> {
        if !self.tar.is_demanded() {
            return None;
        }
        macro_rules! list_elsewhere {
            ($layout:literal) => {
                concat!(
                    $layout,
                    "with a list of the members of a tar archive; make an index with the list beside the file: pzcomp \
                     --index FILE"
                )
            };
        }
        match (codec.envelope().is_some(), &self.layout) {
            (false, _) => Some(list_elsewhere!("")),
            (true, Layout::Frames) => {
                self.no_index.then_some("with a list of the members of a tar archive, but without an index")
            }
            (true, _) => Some(list_elsewhere!("in this layout ")),
        }
    }

    /// What decides where frames end cannot be two things.
    fn align_contradiction(&self, codec: &dyn WritingCodec) -> Option<&'static str> {
        match self.align_lines {
            true if self.rsyncable => Some("with frames that end behind lines, and for rsync"),
            true if self.tar.is_demanded() => Some("with frames that end behind lines, and behind members"),
            true if codec.is_serial(&self.layout) => Some("as a single frame with ends behind lines"),
            _ => None,
        }
    }

    /// Fails if recovery records are wanted where the frames of a stream do not pass one place in order.
    pub(crate) fn refuse_recovery(&self) -> Result<()> {
        let how = "with recovery records by this call; use Compress, or make records beside the output with Protect";
        match self.recovery {
            Some(_) => Err(Error::Unavailable { format: self.format.name(), how }),
            None => Ok(()),
        }
    }

    /// Recovery records stand between frames, so no other layout has room for them.
    fn recovery_contradiction(&self) -> Option<&'static str> {
        let is_wrong = self.recovery.is_some() && self.layout != Layout::Frames;
        is_wrong.then_some(concat!("in this layout ", recovery_elsewhere!()))
    }

    /// What a layout that one worker codes from start to end cannot have: the words follow "cannot be written".
    fn serial_contradiction(&self, codec: &dyn WritingCodec) -> Option<&'static str> {
        Some(match self.layout {
            _ if !codec.is_serial(&self.layout) => return None,
            _ if self.adapt.is_some() => {
                "as a single frame whose level adapts: one encoder codes such a frame"
            }
            _ if self.block_size.is_some() => {
                "as a single frame with a block size: a single frame is not divided"
            }
            _ if self.rsyncable && !codec.cuts_serial_by_content() => {
                "as a single frame for rsync: a single frame is not divided"
            }
            _ => return None,
        })
    }
}
