//! zstd 1.5.7: its options, and the request that they make.
//!
//! [`Zstd`] is the dialect of zstd, unzstd, zstdcat, zstdmt and pzstd. [`Args`] collects the options. The
//! options for a dictionary and for parameters of the encoder have files of their own.

pub(super) mod dictionary;
mod messages;
mod options;
mod parameters;
mod table;

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use options::INTERFACE;
use pzcomp::inspect::Listing;
use pzcomp::{Check, Format, Layout, Member, Unknown, ZstdParameter, printable};
pub(in super::super) use table::Frames;

use super::{Action, Details, Dialect, Listed, Refusal, number_in_variable, refusal, work};
use crate::error::{CliError, Kind};
use crate::report::{print_line, print_text};
use crate::request::{
    Ask, DICTIONARY_LEN, FileRules, Folder, HardLinks, Mode, Options, Origin, Recompress, Reporting, Request,
    ShowProgress, Source, Sparse, Suffixes, Target, Task, ZstdOptions,
};
use crate::size;
use crate::source::OpenInput;
use crate::tool::Name;

/// The dialect of zstd and pzstd.
pub(in super::super) struct Zstd;

impl Dialect for Zstd {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        args.take_variables();
        work(&INTERFACE, called, args, arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unzstd", "zstdcat", "zstdmt", "pzstd"])
    }

    fn details(&self, opened: &OpenInput, _: &Listing, _: &Request) -> Result<Details, CliError> {
        if !opened.facts.is_file() {
            return Ok(Details::None);
        }
        Ok(Details::Zstd(Frames::of(&opened.file).map_err(Kind::Library)?))
    }

    fn list(&self, listed: &[Listed], request: &Request) -> Result<String, CliError> {
        Ok(table::table(listed, request.reporting.verbosity.verbose))
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] = &[
    (".zst", ""),
    (".tzst", ".tar"),
    (UNLISTED_SUFFIX, ""),
    (".gz", ""),
    (".tgz", ".tar"),
    (".lzma", ""),
    (".xz", ""),
    (".txz", ".tar"),
    (".lz4", ""),
    (".tlz4", ".tar"),
];

/// A suffix that zstd knows but does not list in its message.
const UNLISTED_SUFFIX: &str = ".zstd";

/// The suffixes for `--exclude-compressed`, as in zstd 1.5.7: scripts rely on which files are skipped. Upper and lower
/// case make a difference.
pub(in super::super) const EXCLUDED: &[&str] = &[
    ".zst", ".tzst", ".gz", ".tgz", ".lzma", ".xz", ".txz", ".lz4", ".tlz4", ".7z", ".aa3", ".aac", ".aar",
    ".ace", ".alac", ".ape", ".apk", ".apng", ".arc", ".archive", ".arj", ".ark", ".asf", ".avi", ".avif",
    ".ba", ".br", ".bz2", ".cab", ".cdx", ".chm", ".cr2", ".divx", ".dmg", ".dng", ".docm", ".docx", ".dotm",
    ".dotx", ".dsft", ".ear", ".eftx", ".emz", ".eot", ".epub", ".f4v", ".flac", ".flv", ".gho", ".gif",
    ".gifv", ".gnp", ".iso", ".jar", ".jpeg", ".jpg", ".jxl", ".lz", ".lzh", ".m4a", ".m4v", ".mkv", ".mov",
    ".mp2", ".mp3", ".mp4", ".mpa", ".mpc", ".mpe", ".mpeg", ".mpg", ".mpl", ".mpv", ".msi", ".odp", ".ods",
    ".odt", ".ogg", ".ogv", ".otp", ".ots", ".ott", ".pea", ".png", ".pptx", ".qt", ".rar", ".s7z", ".sfx",
    ".sit", ".sitx", ".sqx", ".svgz", ".swf", ".tbz2", ".tib", ".tlz", ".vob", ".war", ".webm", ".webp",
    ".wma", ".wmv", ".woff", ".woff2", ".wvl", ".xlsx", ".xpi", ".xps", ".zip", ".zipx", ".zoo", ".zpaq",
];

/// The formats that zstd decodes.
static READ: [Format; 5] = [Format::Zstd, Format::Gzip, Format::Xz, Format::Lzma, Format::Lz4];
static LISTED: [Format; 1] = [Format::Zstd];

/// The values of `--format`: the name, the format, its layout, and the suffix if it is not the one of the format.
/// There is one frame only, because readers may stop after the first.
static FORMATS: [(&str, Format, Layout, Option<&str>); 5] = [
    ("zstd", Format::Zstd, SINGLE, None),
    ("gzip", Format::Gzip, SINGLE, None),
    ("xz", Format::Xz, Layout::Frames, None),
    ("lzma", Format::Xz, Layout::Alone, Some(".lzma")),
    ("lz4", Format::Lz4, SINGLE, None),
];
const SINGLE: Layout = Layout::Single(Member::new());

/// The highest level without and with `--ultra`.
const HIGHEST: (i32, i32) = (19, 22);
/// The highest N of `--fast=N`. Larger numbers are reduced to it.
const FASTEST: i32 = 100;
/// The logarithm of the window for `--long` without a number.
const LONG: u32 = 27;

/// Logarithms of the windows that can be written, which depend on the machine, and the limits that can be set for
/// decompression.
const WINDOW_LOGS: RangeInclusive<u32> = 10..=if usize::BITS == 32 { 30 } else { 31 };
const WINDOWS: RangeInclusive<u64> = 1 << 10..=1 << 31;

/// The display level without options.
const DISPLAY_LEVEL: i32 = 2;

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdout: bool,
    level: Option<i32>,
    ultra: bool,
    single_thread: bool,
    pass_through: Option<bool>,
    /// The largest window that a frame may need for decompression.
    memory: Option<u64>,
    /// The file of the dictionary.
    dictionary: Option<PathBuf>,
    /// Make a dictionary, which has at most so many bytes.
    train: bool,
    max_dict: usize,
    /// See [`super::verbosity`].
    display_level: i32,
    files: Vec<OsString>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let is_cat = called.stdout;
        let request = Request {
            task: called.mode.into(),
            origin: Origin { size: true, ..Origin::default() },
            options: Options {
                format: called.format,
                layout: if called.name == "pzstd" { Layout::Pzstd } else { SINGLE },
                accept: Some(READ.to_vec()),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, recompress: Recompress::Always, ..Suffixes::default() },
            reporting: Reporting { progress: ShowProgress::Auto, ..Reporting::default() },
            rules: FileRules {
                force: is_cat,
                hard_links: HardLinks::Removed,
                sparse: if called.name == "pzstd" { Sparse::Never } else { Sparse::Files },
                ..FileRules::default()
            },
            ..Request::default()
        };
        Self {
            called,
            request,
            stdout: is_cat,
            level: None,
            ultra: false,
            single_thread: false,
            pass_through: is_cat.then_some(true),
            memory: None,
            dictionary: None,
            train: false,
            max_dict: DICTIONARY_LEN,
            display_level: if is_cat { 1 } else { DISPLAY_LEVEL },
            files: Vec::new(),
        }
    }

    /// Takes the default level and the default number of threads from the environment.
    fn take_variables(&mut self) {
        self.level = number_in_variable("ZSTD_CLEVEL", "integer");
        self.request.options.threads = number_in_variable("ZSTD_NBTHREADS", "unsigned").unwrap_or_default();
    }

    /// Makes the request for these files. Fails if options contradict each other or the dictionary cannot be used.
    fn request(mut self, files: Vec<OsString>) -> Result<Request, Refusal> {
        // The option --filelist names files too.
        let files = [files, std::mem::take(&mut self.files)].concat();
        let (called, request) = (self.called, &mut self.request);
        if self.stdout {
            // Standard output may be a pipe, so the input is kept.
            (request.target, request.rules.remove) = (Target::Stdout, false);
            request.rules.to_terminal = true;
        }
        request.rules.sync = request.rules.remove;
        request.sources = Request::sources_of(files);
        if self.train {
            request.task = Task::Train(self.max_dict);
            // The original replaces a dictionary without a question.
            request.rules.force = true;
            if request.target == Target::Beside {
                request.target = Target::File("dictionary".into());
            }
        }
        let from_stdin = request.sources.contains(&Source::Stdin);
        let to_stdout =
            self.stdout || request.target == Target::Beside && matches!(request.sources[..], [Source::Stdin]);
        if to_stdout && self.display_level == DISPLAY_LEVEL {
            self.display_level -= 1;
        }
        request.reporting.verbosity = super::verbosity(self.display_level);
        request.rules.ask =
            if self.display_level < DISPLAY_LEVEL || from_stdin { Ask::Never } else { Ask::Always };
        let pass_through = self.pass_through.unwrap_or(to_stdout && request.rules.force);
        match request.mode() {
            Mode::List if from_stdin => {
                return Err(refusal(called, "--list does not support reading from standard input"));
            }
            Mode::List => request.options.accept = Some(LISTED.to_vec()),
            Mode::Decompress if pass_through => request.options.unknown = Unknown::Copy,
            _ => {}
        }
        if let Some(path) = self.dictionary.as_ref().filter(|_| request.mode() != Mode::List) {
            let read = dictionary::read(path)
                .map_err(|(code, what)| messages::error(called, code, what))
                .map_err(|refusal| match self.display_level {
                    ..1 => Refusal { text: String::new(), ..refusal },
                    _ => refusal,
                });
            let (dictionary, file) = read?;
            request.options.zstd.dictionary = Some(dictionary);
            request.dictionary = Some(file);
        }
        if request.mode() != Mode::Test && !self.train {
            confirm(called, request, self.display_level)?;
        }
        match request.mode() {
            Mode::Compress => {
                let options = &mut request.options;
                if options.format != Format::Zstd {
                    options.zstd = ZstdOptions::default();
                }
                // The bytes are those of the original.
                options.zstd.fixed_parameters = options.format == Format::Zstd;
                if options.adapt.is_some() && self.single_thread {
                    return Err(messages::error(
                        called,
                        1,
                        "Adaptive mode is not compatible with single thread mode ",
                    ));
                }
                match (options.format, &options.layout) {
                    // Each chunk is a frame of its own, because the original's encoder for one frame has one level.
                    (Format::Zstd, Layout::Single(_)) if options.adapt.is_some() => {
                        (options.layout, options.no_index, options.plain_len) = (Layout::Frames, true, None);
                    }
                    (Format::Zstd, _) => {}
                    _ => options.adapt = None,
                }
                if options.window_log.is_some_and(|log| !WINDOW_LOGS.contains(&log)) {
                    return Err(messages::out_of_bound(called));
                }
                if options.format == Format::Gzip && self.level.is_some_and(|level| level < 0) {
                    return Err(messages::error(called, 71, "gzip has no levels below 0"));
                }
                request.options.level = self.level.map(|level| clamp_level(level, self.ultra, request))
            }
            _ => {
                let limit = self.window_limit();
                if limit.is_some_and(|limit| !WINDOWS.contains(&limit)) {
                    return Err(messages::out_of_bound(called));
                }
                self.request.options.window_limit = limit;
            }
        }
        Ok(self.request)
    }

    /// The largest window for decompression, if -M or an option for the window of compression sets it.
    fn window_limit(&self) -> Option<u64> {
        let options = &self.request.options;
        let named = options.zstd.parameters.iter().rev();
        let named =
            named.clone().find(|(parameter, value)| *parameter == ZstdParameter::WindowLog && *value != 0);
        let log = named.map(|(_, log)| *log).or(options.window_log);
        self.memory.or(log.map(|log| 1_u64.checked_shl(log).unwrap_or(0)))
    }

    fn set_output(&mut self, value: OsString) -> Result<(), Refusal> {
        (self.request.target, self.stdout) = (Target::File(self.path(value)?), false);
        Ok(())
    }

    fn set_folder(&mut self, value: OsString, mirror: bool) -> Result<(), Refusal> {
        self.request.folder = Some(Folder { path: self.path(value)?, mirror });
        Ok(())
    }

    /// Adds the names in a file, one on each line.
    fn add_files(&mut self, value: OsString) -> Result<(), Refusal> {
        let path = self.path(value)?;
        let list = std::fs::read(&path).map_err(|error| {
            let what = super::system_text(&error);
            refusal(self.called, format_args!("error reading {}: {what}", path.display()))
        })?;
        self.files.extend(system::name::listed(list, b'\n'));
        Ok(())
    }

    fn set_size_hint(&mut self, value: OsString) -> Result<(), Refusal> {
        let hint = self.number(Some(value))?.unwrap_or_default();
        self.request.reporting.size_hint = (hint > 0).then_some(hint);
        // The encoder takes no larger hint.
        let most = hint.min(i32::MAX as u64) as u32;
        self.request.options.zstd.parameters.push((ZstdParameter::SizeHint, most));
        Ok(())
    }

    fn set_target_block_size(&mut self, value: OsString) -> Result<(), Refusal> {
        let len = self.number_32(Some(value))?.unwrap_or_default();
        self.request.options.zstd.parameters.push((ZstdParameter::TargetBlockSize, len));
        Ok(())
    }

    fn set_threads(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        self.request.options.threads = self.number_32(value)?.unwrap_or(0) as usize;
        Ok(())
    }

    fn set_adapt(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        self.request.options.adapt = Some(self.known("--adapt", value.as_deref(), parameters::adapt)?);
        Ok(())
    }

    fn add_parameters(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        let parameters = self.known("--zstd", value.as_deref(), parameters::parse)?;
        self.request.options.zstd.parameters.extend(parameters);
        Ok(())
    }

    fn set_format(&mut self, value: OsString) -> Result<(), Refusal> {
        let known = |name: &str| FORMATS.iter().find(|(known, ..)| *known == name);
        let (_, format, layout, suffix) = self.known("--format", Some(&value), known)?.clone();
        (self.request.options.format, self.request.options.layout) = (format, layout);
        self.request.suffixes.custom = suffix.map(OsString::from);
        Ok(())
    }

    fn set_level(&mut self, level: u64) -> Result<(), Refusal> {
        let level = u32::try_from(level).map_err(|_| overflow())?;
        // The original reads the larger half of these numbers as negative levels.
        self.level = Some(level.cast_signed());
        Ok(())
    }

    fn set_fast(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        self.level = match self.number_32(value)? {
            None => Some(-1),
            Some(0) => return Err(messages::incorrect(self.called, "--fast=0")),
            Some(fast) => Some(-i32::try_from(fast).unwrap_or(FASTEST).min(FASTEST)),
        };
        Ok(())
    }

    fn set_long(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        let log = self.number_32(value)?.unwrap_or(LONG);
        self.request.options.window_log = (log != 0).then_some(log);
        Ok(())
    }

    fn set_check(&mut self, check: bool) {
        self.request.options.check = (!check).then_some(Check::None);
        self.request.options.zstd.ignore_checksums = !check;
    }

    fn set_memory(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        self.memory = self.number_32(value)?.filter(|&limit| limit != 0).map(u64::from);
        Ok(())
    }

    /// The value of an option that names a file or folder.
    fn path(&self, value: OsString) -> Result<PathBuf, Refusal> {
        if value.is_empty() || value.as_encoded_bytes().starts_with(b"-") {
            let what = "error: command cannot be separated from its argument by another command";
            return Err(refusal(self.called, what));
        }
        Ok(value.into())
    }

    /// The value of an option as `read` understands it.
    fn known<T>(
        &self,
        option: &str,
        value: Option<&OsStr>,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Refusal> {
        let value = value.and_then(OsStr::to_str).unwrap_or_default();
        read(value).ok_or_else(|| messages::incorrect(self.called, format_args!("{option}={value}")))
    }

    fn number_32(&self, value: Option<OsString>) -> Result<Option<u32>, Refusal> {
        let number = self.number(value)?.map(u32::try_from).transpose();
        number.map_err(|_| overflow())
    }

    fn number(&self, value: Option<OsString>) -> Result<Option<u64>, Refusal> {
        let Some(value) = value else { return Ok(None) };
        let number = value.to_str().and_then(|value| size::parse(value).ok());
        number.map(Some).ok_or_else(|| {
            let what = "error: only numeric values with optional suffixes K, KB, KiB, M, MB, MiB are allowed";
            refusal(self.called, what)
        })
    }
}

/// The refusal of a number that does not fit into 32 bits.
fn overflow() -> Refusal {
    Refusal { text: "error: numeric value overflows 32-bit unsigned int ".into(), code: 1 }
}

/// The level within the limits of the format and of --ultra. Prints a warning if it was too high.
fn clamp_level(level: i32, ultra: bool, request: &Request) -> i32 {
    let format = request.options.format;
    let (lowest, highest) = match (format == Format::Zstd, ultra) {
        (true, true) => (-FASTEST, HIGHEST.1),
        (true, false) => (-FASTEST, HIGHEST.0),
        // The levels of the tools for those formats.
        _ if format == Format::Lz4 => (1, 12),
        _ => (1, 9),
    };
    if level > highest && !request.reporting.verbosity.quiet {
        print_line(format_args!("Warning : compression level higher than max, reduced to {highest}"));
    }
    match level {
        // 0 stands for the default level.
        0 => format.default_level(),
        level => level.clamp(lowest, highest),
    }
}

/// Asks the user if there are several inputs, and makes sure that they are kept. Fails if the answer is no, or if the
/// question cannot be asked.
fn confirm(called: &Name, request: &mut Request, display_level: i32) -> Result<(), Refusal> {
    let Target::File(path) = &request.target else {
        return Ok(());
    };
    let is_folder = |source: &Source| matches!(source, Source::Path(path) if path.is_dir());
    let are_several =
        request.sources.len() > 1 || request.rules.recursive && request.sources.iter().any(is_folder);
    if !are_several {
        return Ok(());
    }
    let is_kept = std::mem::take(&mut request.rules.remove);
    request.rules.sync = false;
    if request.rules.force {
        return Ok(());
    }
    let refuse = |text: &str| Err(Refusal { text: text.into(), code: 1 });
    if display_level < DISPLAY_LEVEL {
        let text =
            "Concatenating multiple processed inputs into a single output loses file metadata. \nAborting. ";
        return refuse(if display_level > 0 { text } else { "" });
    }
    let program = called.program;
    print_line(format_args!(
        "{program}: WARNING: all input files will be processed and concatenated into a single output file: {} \n\
         The concatenated output CANNOT regenerate original file names nor directory structure. ",
        printable(path.as_os_str().as_encoded_bytes())
    ));
    if is_kept {
        print_line("Since it's a destructive operation, input files will not be removed. ");
    }
    if request.sources.contains(&Source::Stdin) {
        return refuse("stdin is an input - not proceeding.");
    }
    print_text("Proceed? (y/n): ");
    let mut answer = String::new();
    match std::io::stdin().read_line(&mut answer) {
        Ok(_) if answer.starts_with(['y', 'Y']) => Ok(()),
        _ => refuse("Aborting... "),
    }
}
