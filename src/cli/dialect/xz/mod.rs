//! xz: its options, as of 5.8, and what they ask for. `lzma` is xz with another format.

mod filters;
mod limits;
mod names;
mod number;
mod options;
mod table;
mod words;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;

use pzcomp::{Check, Error, Format, Layout, Listing, Options, Unknown};

use super::super::interface::{self, Args, Given, Misuse};
use super::super::name::Name;
use super::super::request::{Mode, Request, Source, Suffixes, Target, Voice};
use super::super::source::Opened;
use super::super::trouble::{Kind, Trouble};
use super::{Asked, Details, Dialect, Done, Listed, Refusal, Speaker, Verdict, words_of};
use limits::Unfit;
use options::{Flag, INTERFACE};

/// xz.
pub(in super::super) struct Xz;

impl Dialect for Xz {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        // Of the variables only options count.
        for variable in ["XZ_DEFAULTS", "XZ_OPT"] {
            let options = std::env::var_os(variable).unwrap_or_default();
            if let Given::Text(text) = wishes.read(words_of(&options))? {
                return Ok(Asked::Text(text));
            }
        }
        match wishes.read(args)? {
            Given::Text(text) => Ok(Asked::Text(text)),
            Given::Files(files) => wishes.request(files).map(Box::new).map(Asked::Work),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unxz", "xzcat", "lzma", "unlzma", "lzcat"])
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        words::verdict(speaker, name, trouble)
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        words::done(speaker, done)
    }

    fn details(&self, opened: &Opened, listing: &Listing, _: &Request) -> Result<Details, Trouble> {
        if !opened.metadata.is_file() || listing.formats != [Format::XZ] {
            return Ok(Details::None);
        }
        Ok(Details::Xz(pzcomp::xz_streams(&opened.file).map_err(Kind::Coding)?))
    }

    fn list(&self, listed: &[Listed], request: &Request) -> String {
        table::table(listed, request)
    }
}

/// Suffixes of coded files, and what takes their place.
const SUFFIXES: &[(&str, &str)] =
    &[(".xz", ""), (".txz", ".tar"), (".lzma", ""), (".tlz", ".tar"), (".lz", "")];

static XZ: [Format; 1] = [Format::XZ];
static LZMA: [Format; 1] = [Format::LZMA];
static LZIP: [Format; 1] = [Format::LZIP];
static ALL: [Format; 3] = [Format::XZ, Format::LZMA, Format::LZIP];

/// What `-F` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    /// xz is written, and all are read.
    Auto,
    Xz,
    Lzma,
    /// Read only.
    Lzip,
}

/// What the options seen so far amount to.
struct Wishes {
    called: &'static Name,
    request: Request,
    container: Container,
    stdout: bool,
    keep: bool,
    sync: bool,
    /// Warnings are told at 0, errors at -1 still, figures from 1 on.
    volume: i32,
    memory_compress: Option<u64>,
    memory_decompress: Option<u64>,
    /// Settings may change so that they fit a limit.
    adjust: bool,
    chain: filters::Chain,
    /// Where more names of files are.
    list: Option<names::List>,
}

impl Wishes {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            mode: called.mode,
            options: Options { format: called.format, ..Options::default() },
            ..Request::default()
        };
        Self {
            called,
            request,
            container: if called.format == Format::XZ { Container::Auto } else { Container::Lzma },
            stdout: called.stdout,
            keep: false,
            sync: true,
            volume: 0,
            memory_compress: None,
            memory_decompress: None,
            adjust: true,
            chain: filters::Chain::default(),
            list: None,
        }
    }

    fn read(&mut self, args: Vec<OsString>) -> Result<Given, Refusal> {
        interface::read(&INTERFACE, self.called.program, self, args)
    }

    fn take_check(&mut self, check: &OsStr) -> Result<(), Refusal> {
        self.request.options.check = Some(match check.as_bytes() {
            b"none" => Check::None,
            b"crc32" => Check::Crc32,
            b"crc64" => Check::Crc64,
            b"sha256" => Check::Sha256,
            _ => {
                let what = format_args!("{}: Unsupported integrity check type", check.display());
                return Err(refusal(self.called, &what));
            }
        });
        Ok(())
    }

    fn request(self, files: Vec<OsString>) -> Result<Request, Refusal> {
        let Self { called, mut request, container, stdout, mut keep, sync, volume, list, .. } = self;
        let mode = request.mode;
        let is_alone = container == Container::Lzma;
        let accept = match container {
            Container::Auto if mode == Mode::List => &XZ[..],
            Container::Auto => &ALL[..],
            Container::Xz => &XZ[..],
            Container::Lzip if mode == Mode::Compress => {
                return Err(refusal(called, &"Compression of lzip files (.lz) is not supported"));
            }
            Container::Lzma | Container::Lzip if mode == Mode::List => {
                let what = "--list works only on .xz files (--format=xz or --format=auto)";
                return Err(refusal(called, &what));
            }
            Container::Lzma => &LZMA[..],
            Container::Lzip => &LZIP[..],
        };
        let mut own = request.suffixes.own.take();
        // Decompressing, those of all formats go, whichever it is.
        let known = match (mode, container) {
            (Mode::Compress, Container::Lzma) => &SUFFIXES[2..4],
            (Mode::Compress, _) => &SUFFIXES[..2],
            _ => SUFFIXES,
        };
        let compresses = mode == Mode::Compress;
        let options = &mut request.options;
        (options.format, options.accept) = (Format::XZ, Some(accept));
        if is_alone && compresses {
            // There are neither checks nor Blocks in it.
            (options.layout, options.check, options.block_size) = (Layout::Alone, None, None);
            own = own.or_else(|| Some(".lzma".into()));
        }
        if compresses {
            options.xz.filters = self.chain.filters(is_alone).map_err(|what| refusal(called, &what))?;
            request.notes = fitted(called, options, volume, self.memory_compress, self.adjust)?;
        } else {
            // No limit is a limit that nothing reaches.
            options.xz.decoder_memory = self.memory_decompress.or(Some(u64::MAX));
            (options.xz.one_format, options.xz.unknown_check) = (true, true);
            keep |= options.xz.single_stream;
        }
        request.suffixes = Suffixes { own, known, strict: true, ..Suffixes::default() };
        if stdout && request.force && mode == Mode::Decompress {
            request.options.unknown = Unknown::CopyWhole;
        }
        if stdout {
            request.target = Target::Stdout;
        }
        request.voice = Voice { quiet: volume < 0, verbose: u8::try_from(volume).unwrap_or(0) };
        request.mute = volume < -1;
        request.remove = !keep && !stdout && matches!(mode, Mode::Compress | Mode::Decompress);
        request.sync = request.remove && sync;
        request.wary = request.remove && !request.force;
        request.follow = keep;
        request.sources = match list {
            None => Request::sources_of(files),
            Some(list) => names::sources(files, list).map_err(|what| refusal(called, &what))?,
        };
        if mode == Mode::List && request.sources.contains(&Source::Stdin) {
            return Err(refusal(called, &"--list does not support reading from standard input"));
        }
        Ok(request)
    }
}

impl Args for Wishes {
    type Flag = Flag;

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let (called, request) = (self.called, &mut self.request);
        let given = value.as_deref().unwrap_or_default();
        let wrong = |what: &dyn Display| refusal(called, what);
        match flag {
            Flag::Compress => request.mode = Mode::Compress,
            Flag::Decompress => request.mode = Mode::Decompress,
            Flag::Test => request.mode = Mode::Test,
            Flag::List => request.mode = Mode::List,
            Flag::Keep => self.keep = true,
            Flag::Force => request.force = true,
            Flag::Stdout => self.stdout = true,
            Flag::Suffix if given.is_empty() || given.as_bytes().contains(&b'/') => {
                return Err(wrong(&format_args!("{}: Invalid filename suffix", given.display())));
            }
            Flag::Suffix => request.suffixes.own = value,
            Flag::Files(_) if self.list.is_some() => {
                return Err(wrong(&"Only one file can be specified with '--files' or '--files0'."));
            }
            Flag::Files(end) => {
                self.list = Some(names::List { path: value.filter(|name| name != "-"), end });
            }
            Flag::Format => {
                self.container = match given.as_bytes() {
                    b"auto" => Container::Auto,
                    b"xz" => Container::Xz,
                    b"lzma" | b"alone" => Container::Lzma,
                    b"lzip" => Container::Lzip,
                    b"raw" => {
                        let what = "this format is not for pzcomp; the xz of XZ Utils knows it";
                        return Err(wrong(&format_args!("--format={}: {what}", given.display())));
                    }
                    _ => return Err(wrong(&format_args!("{}: Unknown file format type", given.display()))),
                }
            }
            Flag::Check => self.take_check(given)?,
            Flag::Level(level) => {
                request.options.level = Some(level);
                self.chain.forget();
            }
            Flag::Extreme => {
                request.options.extreme = true;
                self.chain.forget();
            }
            Flag::Filter(kind) => self.chain.push(kind, given).map_err(|what| wrong(&what))?,
            Flag::Filters => self.chain = filters::Chain::read(given).map_err(|what| wrong(&what))?,
            Flag::SingleStream => request.options.xz.single_stream = true,
            Flag::IgnoreCheck => request.options.xz.ignore_check = true,
            Flag::NoAdjust => self.adjust = false,
            Flag::BlockSize => {
                let size = number::parse(given).map_err(|what| wrong(&what))?;
                request.options.block_size = Some(usize::try_from(size).unwrap_or(usize::MAX));
            }
            Flag::Threads => {
                request.options.threads = number::threads(given).map_err(|what| wrong(&what))?;
            }
            Flag::MemoryCompress | Flag::MemoryDecompress | Flag::Memory => {
                let limit = number::memory(given).map_err(|what| wrong(&what))?;
                if flag != Flag::MemoryDecompress {
                    self.memory_compress = limit;
                }
                if flag != Flag::MemoryCompress {
                    self.memory_decompress = limit;
                }
            }
            Flag::NoSync => self.sync = false,
            Flag::Quiet => self.volume -= 1,
            Flag::Verbose => self.volume += 1,
            Flag::NoWarn => request.lenient = true,
            Flag::Robot => request.robot = true,
        }
        Ok(())
    }

    fn number(&mut self, level: u32) -> Result<(), Refusal> {
        self.request.options.level = i32::try_from(level).ok();
        self.chain.forget();
        Ok(())
    }

    fn version(&self) -> String {
        words::version(self.request.robot)
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        let program = self.called.program;
        match misuse {
            refused @ Misuse::Refused(..) => refusal(self.called, &refused),
            other => {
                let hint = format_args!("{other}\n{program}: Try '{program} --help' for more information.");
                refusal(self.called, &hint)
            }
        }
    }
}

/// Makes compression fit its limit. What is worth a word at this volume.
fn fitted(
    called: &Name,
    options: &mut Options,
    volume: i32,
    limit: Option<u64>,
    adjust: bool,
) -> Result<Vec<String>, Refusal> {
    let mut notes = Vec::new();
    let contradiction = |error: Error| match error {
        Error::Unavailable { .. } => {
            refusal(called, &format_args!("Unsupported filter chain or filter options: {error}"))
        }
        _ => refusal(called, &error),
    };
    if limit.is_none() {
        limits::moderate(options, number::total_memory()).map_err(contradiction)?;
    }
    if volume > 1 {
        let is_alone = options.layout == Layout::Alone;
        let threads = if is_alone { 1 } else { options.worker_count() };
        let needed = options.compression_memory(threads).map_err(contradiction)?;
        notes.push(format!("Filter chain: {}", filters::shown(&limits::chain(options), is_alone)));
        notes.push(format!("Using up to {threads} threads."));
        notes.push(limits::needed(needed, limit));
        let needed = options.decoder_memory().map_err(contradiction)?;
        notes.push(format!("Decompression will need {} MiB of memory.", needed.div_ceil(1 << 20)));
    }
    let Some(limit) = limit else {
        return Ok(notes);
    };
    match limits::fit(options, limit, adjust) {
        Ok(changes) if volume >= 0 => notes.extend(changes),
        Ok(_) => {}
        Err(Unfit::Options(error)) => return Err(contradiction(error)),
        Err(Unfit::TooLow(needed)) => {
            let (what, program) =
                ("Memory usage limit is too low for the given filter setup.", called.program);
            let refused =
                refusal(called, &format_args!("{what}\n{program}: {}", limits::needed(needed, Some(limit))));
            return Err(if volume < -1 { Refusal { text: String::new(), ..refused } } else { refused });
        }
    }
    Ok(notes)
}

fn refusal(called: &Name, what: &dyn Display) -> Refusal {
    Refusal { text: format!("{}: {what}", called.program), code: 1 }
}
