//! xz 5.8: its options, and the request that they make.
//!
//! [`Xz`] is the dialect of xz, unxz, xzcat, lzma, unlzma and lzcat. The last three use the .lzma format by default.
//! [`Args`] collects the options. Filters, memory limits, numbers and lists of names are in files of their own.

mod filters;
mod limits;
mod messages;
mod number;
mod options;
mod table;

use std::ffi::{OsStr, OsString};
use std::io::Read;

use filters::FilterKind;
use limits::FitError;
use options::INTERFACE;
use pzcomp::inspect::Listing;
use pzcomp::{Check, Error, Format, Layout, Unknown};

use super::{Action, Details, Dialect, Listed, Refusal, refusal, split_words, system_text, work};
use crate::error::{CliError, Kind};
use crate::interface::Given;
use crate::request::{
    FileRules, Mode, Options, Recompress, Request, Source, Sparse, Suffixes, Target, Verbosity,
};
use crate::source::OpenInput;
use crate::tool::Name;

/// The dialect of xz and lzma.
pub(in super::super) struct Xz;

impl Dialect for Xz {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        // File names in these variables have no effect.
        for variable in ["XZ_DEFAULTS", "XZ_OPT"] {
            let options = std::env::var_os(variable).unwrap_or_default();
            if let Given::Text(text) = INTERFACE.read(called.program, &mut args, split_words(&options))? {
                return Ok(Action::Text(text));
            }
        }
        work(&INTERFACE, called, args, arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unxz", "xzcat", "lzma", "unlzma", "lzcat"])
    }

    fn details(&self, opened: &OpenInput, listing: &Listing, _: &Request) -> Result<Details, CliError> {
        if !opened.facts.is_file() || listing.formats != [Format::Xz] {
            return Ok(Details::None);
        }
        Ok(Details::Xz(pzcomp::inspect::xz_streams(&opened.file).map_err(Kind::Library)?))
    }

    fn list(&self, listed: &[Listed], request: &Request) -> Result<String, CliError> {
        if table::totals_overflow(listed) {
            let what = "The sizes are too large to be added".into();
            return Err(CliError::from(Kind::Failed(what)).about("(totals)"));
        }
        Ok(table::table(listed, request))
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] =
    &[(".xz", ""), (".txz", ".tar"), (".lzma", ""), (".tlz", ".tar"), (".lz", "")];

static XZ: [Format; 1] = [Format::Xz];
static LZMA: [Format; 1] = [Format::Lzma];
static LZIP: [Format; 1] = [Format::Lzip];
static ALL: [Format; 3] = [Format::Xz, Format::Lzma, Format::Lzip];

/// The value of `-F`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    /// Write xz, and read all.
    Auto,
    Xz,
    Lzma,
    /// Read only.
    Lzip,
}

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    container: Container,
    keep: bool,
    /// The number of -v minus the number of -q. Warnings are printed from 0 on, errors from -1 on, figures from 1 on.
    message_level: i32,
    memory_compress: Option<u64>,
    memory_decompress: Option<u64>,
    /// Settings may change to meet a memory limit.
    adjust: bool,
    chain: filters::Chain,
    /// The file with more names of inputs.
    list: Option<NameList>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            task: called.mode.into(),
            target: called.target(),
            options: Options { format: called.format, ..Options::default() },
            rules: FileRules { sparse: Sparse::Always, sync: true, ..FileRules::default() },
            ..Request::default()
        };
        Self {
            called,
            request,
            container: if called.format == Format::Xz { Container::Auto } else { Container::Lzma },
            keep: false,
            message_level: 0,
            memory_compress: None,
            memory_decompress: None,
            adjust: true,
            chain: filters::Chain::default(),
            list: None,
        }
    }

    fn set_suffix(&mut self, suffix: OsString) -> Result<(), Refusal> {
        if suffix.is_empty() || suffix.as_encoded_bytes().contains(&b'/') {
            return self.right(Err(format!("{}: Invalid filename suffix", suffix.display())));
        }
        self.request.suffixes.custom = Some(suffix);
        Ok(())
    }

    /// Sets the file that has more names of inputs. Each of them ends with the byte `end`.
    fn set_list(&mut self, file: Option<OsString>, end: u8) -> Result<(), Refusal> {
        if self.list.is_some() {
            return self.right(Err("Only one file can be specified with '--files' or '--files0'.".into()));
        }
        self.list = Some(NameList { path: file.filter(|name| name != "-"), end });
        Ok(())
    }

    fn set_format(&mut self, format: OsString) -> Result<(), Refusal> {
        self.container = match format.as_encoded_bytes() {
            b"auto" => Container::Auto,
            b"xz" => Container::Xz,
            b"lzma" | b"alone" => Container::Lzma,
            b"lzip" => Container::Lzip,
            b"raw" => {
                let what = "this format is not for pzcomp; the xz of XZ Utils knows it";
                return self.right(Err(format!("--format={}: {what}", format.display())));
            }
            _ => return self.right(Err(format!("{}: Unknown file format type", format.display()))),
        };
        Ok(())
    }

    fn set_check(&mut self, check: OsString) -> Result<(), Refusal> {
        self.request.options.check = Some(match check.as_encoded_bytes() {
            b"none" => Check::None,
            b"crc32" => Check::Crc32,
            b"crc64" => Check::Crc64,
            b"sha256" => Check::Sha256,
            _ => return self.right(Err(format!("{}: Unsupported integrity check type", check.display()))),
        });
        Ok(())
    }

    /// A level replaces the filters before it.
    fn set_level(&mut self, level: u64) {
        self.request.options.level = i32::try_from(level).ok();
        self.chain.clear();
    }

    fn add_filter(&mut self, kind: FilterKind, options: Option<OsString>) -> Result<(), Refusal> {
        let added = self.chain.push(kind, &options.unwrap_or_default());
        self.right(added)
    }

    /// The value of an option, or the refusal that says what is wrong with it.
    fn right<T>(&self, value: Result<T, String>) -> Result<T, Refusal> {
        value.map_err(|what| refusal(self.called, what))
    }

    /// Makes the request for these files. Fails if options contradict each other or a limit cannot be met.
    fn request(self, files: Vec<OsString>) -> Result<Request, Refusal> {
        let Self { called, mut request, container, mut keep, message_level, list, .. } = self;
        let mode = request.mode();
        let is_alone = container == Container::Lzma;
        let accept = match container {
            Container::Auto if mode == Mode::List => &XZ[..],
            Container::Auto => &ALL[..],
            Container::Xz => &XZ[..],
            Container::Lzip if mode == Mode::Compress => {
                return Err(refusal(called, "Compression of lzip files (.lz) is not supported"));
            }
            Container::Lzma | Container::Lzip if mode == Mode::List => {
                let what = "--list works only on .xz files (--format=xz or --format=auto)";
                return Err(refusal(called, what));
            }
            Container::Lzma => &LZMA[..],
            Container::Lzip => &LZIP[..],
        };
        let mut own = request.suffixes.custom.take();
        // Decompression removes the suffix of any of these formats, whatever the format of the data is.
        let known = match (mode, container) {
            (Mode::Compress, Container::Lzma) => &SUFFIXES[2..4],
            (Mode::Compress, _) => &SUFFIXES[..2],
            _ => SUFFIXES,
        };
        let compresses = mode == Mode::Compress;
        let options = &mut request.options;
        (options.format, options.accept) = (Format::Xz, Some(accept.to_vec()));
        if is_alone && compresses {
            // The .lzma format has neither checks nor Blocks.
            (options.layout, options.check, options.block_size) = (Layout::Alone, None, None);
            own = own.or_else(|| Some(".lzma".into()));
        }
        if compresses {
            if is_alone && options.flush_interval.is_some() {
                return Err(refusal(called, "The filter chain is incompatible with --flush-timeout"));
            }
            options.xz.filters = self.chain.filters(is_alone).map_err(|what| refusal(called, what))?;
            request.reporting.notes =
                fit_limit(called, options, message_level, self.memory_compress, self.adjust)?;
        } else {
            // Without an option there is no limit.
            options.xz.decoder_memory = self.memory_decompress.or(Some(u64::MAX));
            (options.xz.one_format, options.xz.unknown_check) = (true, true);
            keep |= options.xz.single_stream;
        }
        request.suffixes = Suffixes {
            custom: own,
            known,
            case_sensitive: true,
            recompress: Recompress::NotInPlace,
            foreign: Some("File format not recognized"),
            ..Suffixes::default()
        };
        let in_place = request.target == Target::Beside;
        if !in_place && request.rules.force && mode == Mode::Decompress {
            request.options.unknown = Unknown::CopyWhole;
        }
        request.reporting.verbosity =
            Verbosity { quiet: message_level < 0, verbose: u8::try_from(message_level).unwrap_or(0) };
        request.reporting.silent = message_level < -1;
        request.rules.remove = !keep && in_place && matches!(mode, Mode::Compress | Mode::Decompress);
        request.rules.sync &= request.rules.remove;
        request.rules.skip_special = request.rules.remove && !request.rules.force;
        request.rules.follow_links = keep;
        request.sources = match list {
            None => Request::sources_of(files),
            Some(list) => sources(files, list).map_err(|what| refusal(called, what))?,
        };
        if mode == Mode::List && request.sources.contains(&Source::Stdin) {
            return Err(refusal(called, "--list does not support reading from standard input"));
        }
        Ok(request)
    }
}

/// Changes the options so that compression meets its memory limit. Returns the notes for this message level. Fails if
/// the limit cannot be met.
fn fit_limit(
    called: &Name,
    options: &mut Options,
    message_level: i32,
    limit: Option<u64>,
    adjust: bool,
) -> Result<Vec<String>, Refusal> {
    let mut notes = Vec::new();
    let contradiction = |error: Error| match error {
        Error::Unavailable { .. } => {
            refusal(called, format_args!("Unsupported filter chain or filter options: {error}"))
        }
        _ => refusal(called, error),
    };
    if limit.is_none() {
        limits::limit_default_threads(options, system::memory::total()).map_err(contradiction)?;
    }
    if message_level > 1 {
        let is_alone = options.layout == Layout::Alone;
        let threads = if is_alone { 1 } else { options.worker_count() };
        let needed = options
            .encode()
            .and_then(|options| options.compression_memory(threads))
            .map_err(contradiction)?;
        notes.push(format!("Filter chain: {}", filters::as_options(&limits::chain(options), is_alone)));
        notes.push(format!("Using up to {threads} threads."));
        notes.push(limits::needed(needed, limit));
        let needed = options.encode().and_then(|options| options.decoder_memory()).map_err(contradiction)?;
        notes.push(format!("Decompression will need {} MiB of memory.", needed.div_ceil(1 << 20)));
    }
    let Some(limit) = limit else {
        return Ok(notes);
    };
    match limits::fit(options, limit, adjust) {
        Ok(changes) if message_level >= 0 => notes.extend(changes),
        Ok(_) => {}
        Err(FitError::Options(error)) => return Err(contradiction(error)),
        Err(FitError::LimitTooLow(needed)) => {
            let (what, program) =
                ("Memory usage limit is too low for the given filter setup.", called.program);
            let refused =
                refusal(called, format_args!("{what}\n{program}: {}", limits::needed(needed, Some(limit))));
            return Err(if message_level < -1 {
                Refusal { text: String::new(), ..refused }
            } else {
                refused
            });
        }
    }
    Ok(notes)
}

/// A file with names.
#[derive(Clone, Debug)]
pub(super) struct NameList {
    /// `None` for standard input.
    pub(super) path: Option<OsString>,
    /// The byte that ends each name.
    pub(super) end: u8,
}

/// The inputs that are named on the command line and in the list. The error is the message of xz. pzcomp itself uses it
/// too.
pub(super) fn sources(files: Vec<OsString>, list: NameList) -> Result<Vec<Source>, String> {
    let mut bytes = Vec::new();
    let read = match &list.path {
        Some(path) => std::fs::read(path).map(|read| bytes = read),
        None => std::io::stdin().read_to_end(&mut bytes).map(|_| ()),
    };
    let name = list.path.as_deref().unwrap_or(OsStr::new("(stdin)"));
    read.map_err(|error| format!("{}: {}", name.display(), system_text(&error)))?;
    let all: Vec<OsString> = files.into_iter().chain(system::name::listed(bytes, list.end)).collect();
    if list.path.is_none() && all.iter().any(|name| name == "-") {
        return Err("Cannot read data from standard input when reading filenames from standard input".into());
    }
    // An empty list stands for no input, and not for standard input.
    Ok(if all.is_empty() { Vec::new() } else { Request::sources_of(all) })
}
