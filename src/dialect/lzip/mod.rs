//! lzip 1.23 and plzip 1.10: their options, and the request that they make.
//!
//! [`Lzip`] is the dialect of both. They differ by their names only. [`Args`] collects the options.

mod messages;
mod number;
mod options;
mod table;

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use pzcomp::inspect::Listing;
use pzcomp::{Error, Format, Unknown};

use super::super::error::{CliError, Kind};
use super::super::interface::Misuse;
use super::super::request::{
    FileRules, HardLinks, LzipOptions, Mode, Options, Recompress, Request, Source, Suffixes, Target,
    XzOptions,
};
use super::super::source::OpenInput;
use super::super::tool::Name;
use super::{Action, Details, Dialect, Listed, Refusal, refusal, refusal_with_hint, work};
use options::INTERFACE;
pub(in super::super) use table::Members;

/// The dialect of lzip and plzip.
pub(in super::super) struct Lzip;

impl Dialect for Lzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        work(&INTERFACE, called, Args::new(called), arguments, |args, files| Ok(args.request(files)))
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }

    fn details(&self, opened: &OpenInput, listing: &Listing, request: &Request) -> Result<Details, CliError> {
        if request.options.unknown == Unknown::Refuse && listing.trailing.zeros > 0 {
            let offset = table::end(listing);
            return Err(Kind::Library(Error::TrailingGarbage { offset, found: "00".into() }).into());
        }
        if !opened.facts.is_file() {
            return Ok(Details::None);
        }
        Ok(Details::Lzip(Members::of(&opened.file, listing).map_err(Kind::Library)?))
    }

    fn list(&self, listed: &[Listed], request: &Request) -> Result<String, CliError> {
        Ok(table::table(listed, request.reporting.verbosity.verbose))
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] = &[(".lz", ""), (".tlz", ".tar")];

/// What is appended to the name of a decompressed file if the name of the input has no known suffix.
const PLAIN_FALLBACK: &str = ".out";

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    /// The mode, if an option sets it. Only one option may do so.
    mode: Option<Mode>,
    stdout: bool,
    keep: bool,
    output: Option<OsString>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            task: called.mode.into(),
            options: Options {
                format: called.format,
                accept: Some(vec![called.format]),
                unknown: Unknown::Ignore,
                lzip: LzipOptions { only_version_1: true, ..LzipOptions::default() },
                // lzip has no limit.
                xz: XzOptions { decoder_memory: Some(u64::MAX), ..XzOptions::default() },
                ..Options::default()
            },
            suffixes: Suffixes {
                known: SUFFIXES,
                plain_fallback: Some(PLAIN_FALLBACK),
                case_sensitive: true,
                recompress: Recompress::Never,
                ..Suffixes::default()
            },
            rules: FileRules {
                follow_links: true,
                make_folders: true,
                hard_links: HardLinks::Removed,
                ..FileRules::default()
            },
            ..Request::default()
        };
        Self { called, request, mode: None, stdout: called.stdout, keep: false, output: None }
    }

    /// Makes the request for these files.
    fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, mode, stdout, keep, output, .. } = self;
        request.task = (mode.unwrap_or(request.mode())).into();
        request.sources = Request::sources_of(files);
        // Standard input is read once, even if it is named several times.
        let first = request.sources.iter().position(|source| *source == Source::Stdin);
        let mut at = 0..;
        request.sources.retain(|source| {
            let is_first = at.next() == first;
            *source != Source::Stdin || is_first
        });
        let codes = matches!(request.mode(), Mode::Compress | Mode::Decompress);
        request.target = match output {
            _ if stdout => Target::Stdout,
            Some(output) if codes && output != "-" => Target::File(named(output, &request)),
            Some(_) => Target::Stdout,
            None => Target::Beside,
        };
        request.stop_at_error = request.mode() == Mode::Decompress;
        request.rules.remove = codes && !keep && request.target == Target::Beside;
        request
    }

    /// Fails if another operation was asked for before.
    fn set_mode(&mut self, mode: Mode) -> Result<(), Refusal> {
        if self.mode.is_some_and(|known| known != mode) {
            return Err(refusal_with_hint(self.called, "Only one operation can be specified."));
        }
        self.mode = Some(mode);
        Ok(())
    }

    fn set_level(&mut self, level: u64) {
        self.request.options.level = i32::try_from(level).ok();
    }

    fn set_output(&mut self, file: OsString) -> Result<(), Refusal> {
        if file.is_empty() {
            return Err(refusal_with_hint(self.called, Misuse::LongLacks("output")));
        }
        self.output = Some(file);
        Ok(())
    }

    fn number(&self, text: &OsStr, option: &str, range: RangeInclusive<u64>) -> Result<usize, Refusal> {
        let number = number::parse(text, option, range).map_err(|what| refusal(self.called, what))?;
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    }
}

/// The output file of `-o`. If standard input is compressed and the name has no suffix of lzip, the suffix is
/// appended.
fn named(output: OsString, request: &Request) -> PathBuf {
    let mut name = output;
    let known = SUFFIXES.iter().any(|(suffix, _)| name.to_string_lossy().ends_with(suffix));
    if request.mode() == Mode::Compress && request.sources == [Source::Stdin] && !known {
        name.push(Format::Lzip.suffix());
    }
    name.into()
}
