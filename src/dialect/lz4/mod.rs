//! lz4 1.10: its options, and the request that they make.
//!
//! [`Lz4`] is the dialect of lz4, unlz4 and lz4cat. [`Args`] collects the options. Without `-m` the second file name
//! is that of the output, and without a mode option the name of the first input decides what is done.

mod messages;
mod options;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;

use options::INTERFACE;
use pzcomp::{Layout, Member, Unknown};

use super::{Action, Dialect, Listed, Refusal, number_in_variable, refusal, work};
use crate::error::CliError;
use crate::report::print_line;
use crate::request::{
    Ask, FileRules, HardLinks, Mode, Options, Recompress, Request, Source, Sparse, Suffixes, Target,
};
use crate::tool::Name;

/// The dialect of lz4.
pub(in super::super) struct Lz4;

impl Dialect for Lz4 {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        args.take_variables();
        work(&INTERFACE, called, args, arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unlz4", "lz4cat"])
    }

    fn list(&self, listed: &[Listed], _: &Request) -> Result<String, CliError> {
        Ok(table(listed))
    }
}

const SUFFIX: &str = ".lz4";
const SUFFIXES: &[(&str, &str)] = &[(SUFFIX, "")];

const HIGHEST: i32 = 12;
/// The highest N of `--fast=N`. Larger numbers are reduced to it.
const FASTEST: i32 = 65_537;

/// The display level without options.
const DISPLAY_LEVEL: i32 = 2;

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    /// `None`: the name of the first input decides.
    mode: Option<Mode>,
    stdout: bool,
    /// All names are inputs. Otherwise the second name is the output.
    multiple: bool,
    /// Copy an input that is not compressed, if `force` is set, too. Only the option `-c` sets this. Output that goes
    /// to standard output for another reason does not.
    pass_through: bool,
    /// See [`super::verbosity`].
    display_level: i32,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let is_cat = called.stdout;
        let request = Request {
            options: Options {
                format: called.format,
                layout: Layout::Single(Member::new()),
                accept: Some(vec![called.format]),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, recompress: Recompress::Always, ..Suffixes::default() },
            accept_empty: true,
            rules: FileRules {
                force: is_cat,
                follow_links: true,
                hard_links: HardLinks::Removed,
                sparse: Sparse::Files,
                ..FileRules::default()
            },
            ..Request::default()
        };
        Self {
            called,
            request,
            mode: (called.mode == Mode::Decompress).then_some(Mode::Decompress),
            stdout: is_cat,
            multiple: is_cat,
            pass_through: is_cat,
            display_level: if is_cat { 1 } else { DISPLAY_LEVEL },
        }
    }

    /// Takes the default level and the default number of threads from the environment.
    fn take_variables(&mut self) {
        if let Some(level) = number_in_variable::<u32>("LZ4_CLEVEL", "unsigned") {
            self.set_level(i32::try_from(level).unwrap_or(HIGHEST));
        }
        let threads = number_in_variable::<u32>("LZ4_NBWORKERS", "unsigned");
        self.request.options.threads = threads.unwrap_or_default() as usize;
    }

    /// Sets the level. 0 stands for the default, and a number beyond the limits for the limit.
    fn set_level(&mut self, level: i32) {
        self.request.options.level = (level != 0).then_some(level.clamp(-FASTEST, HIGHEST));
    }

    /// Makes the request for these files. Fails if there are too many.
    fn request(mut self, mut files: Vec<OsString>) -> Result<Request, Refusal> {
        if !self.multiple {
            self.name_output(&mut files)?;
        }
        let request = &mut self.request;
        request.sources = files.into_iter().map(source).collect();
        if request.sources.is_empty() {
            request.sources.push(Source::Stdin);
        }
        request.task = (self.mode.unwrap_or(mode_for(&request.sources[0]))).into();
        if self.stdout {
            // Standard output may be a pipe, so the input is kept.
            (request.target, request.rules.remove) = (Target::Stdout, false);
            request.rules.to_terminal = true;
        }
        request.rules.sync = request.rules.remove;
        let from_stdin = request.sources.contains(&Source::Stdin);
        if self.display_level == DISPLAY_LEVEL && (self.multiple || self.stdout) {
            self.display_level -= 1;
        }
        request.reporting.verbosity = super::verbosity(self.display_level);
        request.rules.ask =
            if self.display_level < DISPLAY_LEVEL || from_stdin { Ask::Never } else { Ask::Always };
        if request.mode() == Mode::Decompress && self.pass_through && request.rules.force {
            request.options.unknown = Unknown::CopyWhole;
        }
        Ok(self.request)
    }

    /// Takes the second name as the output. Without a second name, standard output is used, unless it is a terminal.
    fn name_output(&mut self, files: &mut Vec<OsString>) -> Result<(), Refusal> {
        let expected = if self.stdout { 1 } else { 2 };
        if let Some(surplus) = files.get(expected) {
            let text =
                format!("{} won't be used ! Do you want multiple input files (-m) ?", surplus.display());
            if !self.request.rules.force {
                return Err(refusal(self.called, format_args!("Error : {text}")));
            }
            print_line(format_args!("Warning : {text}"));
            files.truncate(expected);
        }
        if files.len() == 2 {
            let output = files.pop().unwrap_or_default();
            match output.to_str() {
                Some("-" | "stdout") => self.stdout = true,
                Some("null") => self.request.target = Target::File(system::file::NULL.into()),
                _ => self.request.target = Target::File(output.into()),
            }
            return Ok(());
        }
        let is_named = files.first().is_some_and(|input| source(input.clone()) != Source::Stdin);
        if is_named && !self.stdout && self.mode != Some(Mode::Test) && !std::io::stdout().is_terminal() {
            print_line(
                "Warning : using stdout as default output. Do not rely on this behavior: use explicit `-c` instead !",
            );
            self.stdout = true;
        }
        Ok(())
    }

    fn set_threads(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        self.request.options.threads = value.map_or(Ok(0), |value| self.number(&value))? as usize;
        Ok(())
    }

    fn set_fast(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        match value.map_or(Ok(1), |value| self.number(&value))? {
            0 => return Err(messages::incorrect(self.called)),
            // The original adds one: the level 1 has the acceleration 1, and `--fast=1` has 2.
            fast => self.set_level(-i32::try_from(fast).unwrap_or(FASTEST).saturating_add(1)),
        }
        Ok(())
    }

    fn number(&self, value: &OsStr) -> Result<u32, Refusal> {
        value.to_str().and_then(|value| value.parse().ok()).ok_or_else(|| messages::incorrect(self.called))
    }

    /// Reads the properties of blocks behind `-B`. Fails if one is unknown.
    fn set_blocks(&mut self, properties: Option<OsString>) -> Result<(), Refusal> {
        let blocks = &mut self.request.options.lz4;
        for property in properties.iter().filter_map(|properties| properties.to_str()).flat_map(str::bytes) {
            match property {
                b'D' => blocks.linked = true,
                b'I' => blocks.linked = false,
                b'X' => blocks.checksums = true,
                b'4'..=b'7' => blocks.id = Some(property - b'0'),
                _ => return Err(messages::incorrect(self.called)),
            }
        }
        Ok(())
    }
}

/// The input of this name.
fn source(name: OsString) -> Source {
    if name == "-" || name == "stdin" { Source::Stdin } else { Source::Path(name.into()) }
}

/// The mode for an input of this name.
fn mode_for(source: &Source) -> Mode {
    match source {
        Source::Path(path) if path.as_os_str().as_encoded_bytes().ends_with(SUFFIX.as_bytes()) => {
            Mode::Decompress
        }
        _ => Mode::Compress,
    }
}

/// A heading and a line for each input.
fn table(listed: &[Listed]) -> String {
    let mut table =
        String::from("    Frames           Type Block  Compressed  Uncompressed     Ratio   Filename\n");
    for listed in listed {
        let (coded, plain) = (listed.listing.coded_len, listed.plain_len());
        let ratio = match plain {
            0 => "-".into(),
            _ => format!("{:.2}%", 100.0 * coded as f64 / plain as f64),
        };
        let (frames, name) = (listed.frames(), listed.source.name());
        table.push_str(&format!(
            "{frames:>10} {:>14} {:>5} {:>11} {:>13} {ratio:>9}   {name}\n",
            "LZ4Frame",
            "-",
            scaled(coded),
            scaled(plain)
        ));
    }
    table
}

/// A number of bytes with two decimals and the initial of its unit.
fn scaled(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];
    let power = (bytes.checked_ilog2().unwrap_or(0) / 10) as usize;
    format!("{:.2}{}", bytes as f64 / (1_u64 << (10 * power)) as f64, UNITS[power])
}
