//! The settings of a stream in words, for `-v` and `-vv`.
//!
//! `work` prints them before a stream begins.

use pzcomp::{CompressionNeeds, Format, Layout, Size};

use super::request::{Mode, Request};
use super::size::{count, human};

/// What long frames take, in words: memory, and input before the first output. Empty for other frames, which take
/// little.
pub(super) fn needs(request: &Request) -> String {
    let options = &request.options;
    if !request.mode().writes_coded() || options.window_log.is_none() || options.layout != Layout::Frames {
        return String::new();
    }
    // An error of the options is reported when the work begins.
    let Ok(CompressionNeeds { workers, memory, frame_len, read_ahead: Some(read_ahead), .. }) =
        options.encode().and_then(|options| options.compression_needs())
    else {
        return String::new();
    };
    format!(
        "frames of {} on {} take at most {} of memory; the first byte leaves when one frame is coded, \
         and until then at most {} of input are read",
        Size(frame_len),
        count(workers as u64, "thread"),
        Size(memory),
        Size(read_ahead)
    )
}

/// The settings of a stream in words, for `-vv`.
pub(super) fn settings(request: &Request, to: &str) -> String {
    let options = &request.options;
    let threads = options.worker_count();
    let memory = match (options.memory, options.memory_aim) {
        (Some(memory), _) => format!(", memory at most {}", human(memory)),
        (None, Some(aim)) => format!(", memory by the limits about {} at most", human(aim)),
        (None, None) => String::new(),
    };
    let work = match request.mode() {
        Mode::Compress | Mode::Recode => {
            let level = options.level.unwrap_or(options.format.default_level());
            let blocks = options.block_size.map_or_else(|| "by level".into(), |len| human(len as u64));
            let has_index = !options.no_index
                && options.layout == Layout::Frames
                && ![Format::Bzip2, Format::Lzip, Format::Snappy, Format::Lzma].contains(&options.format);
            let index = if has_index { "with" } else { "without" };
            let from = if request.mode() == Mode::Recode { "from any format " } else { "" };
            format!("{from}to {} level {level}, blocks {blocks}, {index} index", options.format)
        }
        _ => "from any format".into(),
    };
    format!("{work}, {}{memory}, to {to}", count(threads as u64, "thread"))
}
