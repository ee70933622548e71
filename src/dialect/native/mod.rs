//! The interface of pzcomp itself.
//!
//! `flags` defines the flags once, with clap, `help` shortens them for -h, and `request` makes the request of them.
//! This file reads the command line and the options in the environment variable `PZCOMP`.

mod archives;
mod argv;
mod bench;
mod conflicts;
pub(in super::super) mod flags;
mod generate;
mod habits;
mod help;
mod mending;
mod messages;
mod places;
mod reporting;
mod request;
pub(super) mod table;
mod usual;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, FromArgMatches};
use pzcomp::WINDOW_LIMIT;

use super::super::tool::Name;
use super::super::version;
use super::{Action, Dialect, Refusal};
use flags::{Artefact, Flags};

/// The environment variable with default options, separated by white space.
pub(in super::super) const VARIABLE: &str = "PZCOMP";

/// The binary logarithm of the window that `--long` without a number asks for. Readers accept it by default.
pub(in super::super) const LONG: u32 = WINDOW_LIMIT.ilog2();
/// The greatest binary logarithm of a window that `--long` writes. With `-d` it takes one more, as zstd does.
const LONG_MAX: u32 = 30;

/// The dialect of pzcomp itself.
pub(in super::super) struct Native;

impl Dialect for Native {
    fn parse(&self, _: &'static Name, args: Vec<OsString>) -> Result<Action, Refusal> {
        parse(args, std::env::var_os(VARIABLE))
            .map_err(|what| Refusal { text: format!("pzcomp: {what}"), code: 1 })
    }

    fn page(&self, _: &str) -> String {
        generate::page()
    }
}

/// The clap definitions of the flags.
fn command() -> Command {
    Flags::command()
}

/// Reads the arguments behind the name of the program, after the options in `variable`. The error is a sentence
/// without the name of the program.
fn parse(args: Vec<OsString>, variable: Option<OsString>) -> Result<Action, String> {
    if let (None, Some(flags)) = (&variable, usual::flags(&args)) {
        return flags.action();
    }
    let defaults = match variable {
        Some(variable) => {
            default_options(variable).map_err(|what| format!("environment variable {VARIABLE}: {what}"))?
        }
        None => Vec::new(),
    };
    let command = command();
    let args = argv::spell_out(&command, args);
    let defaults = without_opposites(defaults, &args);
    let options = args.iter().take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str());
    if let Some(topic) = options.filter_map(|arg| arg.strip_prefix("--help=")).next() {
        return help::topic(topic).map(Action::Text);
    }
    let flags = match read(command, defaults.into_iter().chain(args)) {
        Ok(flags) => flags,
        Err(error) if !error.use_stderr() => return Ok(Action::Text(error.render().to_string())),
        Err(error) => return Err(format!("{}; see 'pzcomp --help'", sentence(&error))),
    };
    if flags.version {
        return Ok(Action::Text(version::text(flags.verbose > 0)));
    }
    match flags.generate {
        Some(Artefact::Page(name)) => return Ok(Action::Page(name)),
        Some(Artefact::Completions(shell)) => return Ok(Action::Text(generate::completions(shell))),
        None => {}
    }
    if let Some(folder) = flags.install_links {
        return Ok(Action::InstallLinks(folder));
    }
    flags.action()
}

/// Reads arguments. The command takes as long to make as a short file to compress, so the caller makes it once.
fn read(command: Command, args: impl IntoIterator<Item = OsString>) -> Result<Flags, clap::Error> {
    let args = argv::spell_out(&command, args);
    let command = if args.iter().any(may_ask_for_help) { help::short(command) } else { command };
    let mut command = command.no_binary_name(true);
    let matches = command.try_get_matches_from_mut(args)?;
    let first = matches.indices_of("files").and_then(|mut places| places.next());
    if matches.get_flag("exec") && first < matches.index_of("exec") && first.is_some() {
        return Err(
            command.error(ErrorKind::ArgumentConflict, "the program and its words belong behind --exec")
        );
    }
    Flags::from_arg_matches(&matches)
}

/// Whether the argument is `-h`, also among other letters, or a beginning of `--help`.
fn may_ask_for_help(arg: &OsString) -> bool {
    let letters = arg.as_encoded_bytes().strip_prefix(b"-").unwrap_or_default();
    match letters.strip_prefix(b"-") {
        Some(word) => word.starts_with(b"h"),
        None => letters.contains(&b'h'),
    }
}

/// Options that contradict each other on the command line. In the environment variable they count less.
const OPPOSITES: [&str; 2] = ["--tar", "--no-tar"];

/// The default options without the opposites of those on the command line.
fn without_opposites(mut defaults: Vec<OsString>, args: &[OsString]) -> Vec<OsString> {
    if args.iter().take_while(|arg| *arg != "--").any(|arg| OPPOSITES.iter().any(|option| arg == option)) {
        defaults.retain(|default| OPPOSITES.iter().all(|option| default != option));
    }
    defaults
}

/// The error for options that print a text, in the environment variable.
const MISPLACED: &str = "--help and --version belong on the command line";

/// The options in the environment variable. Fails if it holds anything but valid options.
fn default_options(variable: OsString) -> Result<Vec<OsString>, String> {
    let text = variable.into_string().map_err(|_| "not valid UTF-8".to_owned())?;
    let options: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
    let flags = read(command(), options.iter().cloned()).map_err(|error| match error.use_stderr() {
        true => sentence(&error),
        false => MISPLACED.into(),
    })?;
    if flags.version {
        return Err(MISPLACED.into());
    }
    match flags.files.first() {
        Some(file) => {
            Err(format!("'{}' is not an option; file names belong on the command line", file.display()))
        }
        None if options.iter().any(|option| option == "--") => Err("'--' belongs on the command line".into()),
        None => Ok(options),
    }
}

/// The text of a clap error on one line. Its tips name hidden and unrelated options.
fn sentence(error: &clap::Error) -> String {
    let mut sentence = String::new();
    for paragraph in error.render().to_string().split("\n\n") {
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(what) = line.strip_prefix("error: ") {
            sentence.push_str(&what.replace("invalid digit found in string", "expected a whole number"));
        }
    }
    sentence
}
