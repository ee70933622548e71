//! The encoders: one frame for a chunk, or one frame for all chunks. libzstd codes both.

use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::zstd_sys::ZSTD_cParameter::*;

use super::super::ffi::zstd::{Compressor, Prepared, Step};
use super::super::serial::StatedLen;
use super::super::{Encoder, SerialEncoder, Then, skippable};
use super::NAME;
use super::content::Content;
use crate::error::{Error, Result};
use crate::options::{Check, Layout, Settings, ZstdParameter, worker_count};
use engine::Emitter;

fn no_memory() -> Error {
    Error::NoMemory { what: "a zstd encoder" }
}

fn internal(code: zstd_safe::ErrorCode) -> Error {
    if is_starved(code) {
        return no_memory();
    }
    Error::Internal(format!("zstd: {}", zstd_safe::get_error_name(code)))
}

/// Whether libzstd got too little memory. It says the same if a thread of it does not start.
fn is_starved(code: zstd_safe::ErrorCode) -> bool {
    zstd_safe::get_error_name(code).starts_with("Allocation error")
}

pub(super) fn context(settings: &Settings) -> Result<Compressor> {
    let mut context = Compressor::new().ok_or_else(no_memory)?;
    let Settings { zstd, .. } = settings;
    context.set_signed(ZSTD_c_compressionLevel, settings.level).map_err(internal)?;
    let parameters = [
        (ZSTD_c_checksumFlag, u32::from(settings.check != Some(Check::None))),
        (ZSTD_c_contentSizeFlag, u32::from(!zstd.hide_content_size)),
        (ZSTD_c_dictIDFlag, u32::from(!zstd.hide_dictionary_id)),
    ];
    let window =
        settings.window_log.map(|log| [(ZSTD_c_windowLog, log), (ZSTD_c_enableLongDistanceMatching, 1)]);
    for (parameter, value) in parameters.into_iter().chain(window.into_iter().flatten()) {
        context.set(parameter, value).map_err(internal)?;
    }
    let refused = || Error::Unavailable { format: NAME, how: "with a parameter that libzstd refuses" };
    for (parameter, value) in zstd.parameters.iter().filter(|(_, value)| *value != 0) {
        context.set(parameter.name(), *value).map_err(|_| refused())?;
    }
    refer_to_dictionary(&mut context, settings)?;
    Ok(context)
}

fn refer_to_dictionary(context: &mut Compressor, settings: &Settings) -> Result<()> {
    if let Some(dictionary) = &settings.zstd.dictionary {
        let prepared = dictionary.for_encoding(settings.level, Prepared::new).ok_or_else(no_memory)?;
        context.refer_to(prepared).map_err(internal)?;
    }
    Ok(())
}

/// The most workers of libzstd on machines with 64-bit addresses.
const WORKERS_MAX: u32 = 256;

/// The frame that `pzstd` writes before each frame: a skippable frame with the first of the magic numbers, which holds
/// the length of the next frame as u32.
pub(super) const SIZE_FRAME_LEN: usize = skippable::HEADER_LEN + 4;
const SIZE_FRAME_HEADER: [u8; skippable::HEADER_LEN] = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0];

pub(super) struct FrameEncoder {
    context: Compressor,
    level: i32,
    /// The kind of data that the parameters of the context are for; `None` if they stay those of the options.
    content: Option<Content>,
    /// Whether a skippable frame before the frame states its length.
    states_size: bool,
}

impl FrameEncoder {
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        let Settings { zstd, level, .. } = settings;
        // A dictionary is prepared with the parameters of a level. A long window has parameters of its own.
        let is_free = !zstd.fixed_parameters && zstd.dictionary.is_none() && zstd.parameters.is_empty();
        Ok(Self {
            context: context(settings)?,
            level: *level,
            content: (is_free && settings.window_log.is_none()).then_some(Content::Any),
            states_size: settings.layout == Layout::Pzstd,
        })
    }

    /// Sets the parameters for a kind of data, if they are not set.
    fn prepare_for(&mut self, content: Content) -> Result<()> {
        if self.content.is_some_and(|set| set != content) {
            for (parameter, value) in content.parameters(self.level) {
                self.context.set(parameter, value).map_err(internal)?;
            }
            self.content = Some(content);
        }
        Ok(())
    }
}

impl Encoder for FrameEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        if self.content.is_some() {
            self.prepare_for(Content::of(chunk))?;
        }
        if !self.states_size {
            return self.context.frame(chunk, out).map_err(internal);
        }
        let len = self.context.frame(chunk, &mut out[SIZE_FRAME_LEN..]).map_err(internal)?;
        out[..skippable::HEADER_LEN].copy_from_slice(&SIZE_FRAME_HEADER);
        out[skippable::HEADER_LEN..SIZE_FRAME_LEN].copy_from_slice(&(len as u32).to_le_bytes());
        Ok(SIZE_FRAME_LEN + len)
    }

    fn change_level(&mut self, settings: &Settings) -> Result<bool> {
        // The parameters of the new level take the place of those for a kind of data.
        self.prepare_for(Content::Any)?;
        self.level = settings.level;
        self.context.set_signed(ZSTD_c_compressionLevel, settings.level).map_err(internal)?;
        // A prepared dictionary has the parameters of a level in it.
        refer_to_dictionary(&mut self.context, settings)?;
        Ok(true)
    }
}

/// One frame for all chunks. libzstd codes it with its own workers, which may refer to the data before their parts. The
/// output does not depend on the number of these workers, if there is at least one. If the system starts too few
/// threads, libzstd gets fewer workers, and at last none: then it codes the frame in another way.
pub(super) struct SerialFrame {
    context: Compressor,
    stated: StatedLen,
    workers: u32,
    /// The settings, until libzstd has begun to work.
    untried: Option<Settings>,
}

impl SerialFrame {
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        let workers = settings.threads.map_or(0, worker_count);
        Self::with_workers(settings, u32::try_from(workers).unwrap_or(u32::MAX).min(WORKERS_MAX))
    }

    fn with_workers(settings: &Settings, workers: u32) -> Result<Self> {
        let mut context = context(settings)?;
        let rsyncable = ZSTD_c_experimentalParam1;
        for (parameter, value) in [(ZSTD_c_nbWorkers, workers), (rsyncable, settings.rsyncable.into())] {
            context.set(parameter, value).map_err(internal)?;
        }
        // A length that the frame does not state may be wrong. It is worth as much for the choice of the window.
        let (stated, hint) = match settings.zstd.hide_content_size {
            true => (None, settings.plain_len),
            false => (settings.plain_len, None),
        };
        if let Some(plain_len) = stated {
            context.pledge(plain_len).map_err(internal)?;
        }
        if let Some(hint) = hint {
            let hint = hint.min(i32::MAX as u64) as u32;
            context.set(ZstdParameter::SizeHint.name(), hint).map_err(internal)?;
        }
        let untried = (workers > 0).then(|| settings.clone());
        Ok(Self { context, stated: StatedLen::new(stated), workers, untried })
    }
}

impl SerialEncoder for SerialFrame {
    fn encode(&mut self, chunk: &[u8], then: Then, out: &mut Emitter) -> Result<()> {
        self.stated.pass(chunk.len(), then == Then::End, NAME)?;
        let mut chunk = chunk;
        let directive = match then {
            Then::More => ZSTD_EndDirective::ZSTD_e_continue,
            Then::Flush => ZSTD_EndDirective::ZSTD_e_flush,
            Then::End => ZSTD_EndDirective::ZSTD_e_end,
        };
        loop {
            let Step { read, written, left } = match self.context.stream(out.room(1)?, chunk, directive) {
                Ok(step) => step,
                Err(code) if is_starved(code) => {
                    // The first call starts the workers.
                    let settings = self.untried.as_ref().ok_or_else(no_memory)?;
                    let Self { context, workers, untried, .. } =
                        Self::with_workers(settings, self.workers / 2)?;
                    (self.context, self.workers, self.untried) = (context, workers, untried);
                    continue;
                }
                Err(code) => return Err(internal(code)),
            };
            self.untried = None;
            chunk = &chunk[read..];
            out.commit(written)?;
            if if then == Then::More { chunk.is_empty() } else { left == 0 } {
                return Ok(());
            }
        }
    }
}
