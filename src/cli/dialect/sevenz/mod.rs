//! 7z (p7zip and 7-Zip): as much of it as reads archives to standard output.
//!
//! [`SevenZip`] is the dialect of 7z, 7za and 7zr. [`Args`] collects the switches, and makes a request of the command,
//! the archive and the name of a file in it. pzcomp neither makes archives nor extracts them into folders, and says so.
//! Errors have the words of pzcomp, and the exit statuses of 7z.

mod options;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;

use pzcomp::{EntryChoice, Error, Format};

use super::super::error::{CliError, Kind};
use super::super::interface::Misuse;
use super::super::request::{FileRules, Mode, Options, Request, Source, Target};
use super::super::tool::{Done, Ending, Message, Messages, Name, Program, defaults};
use super::{Action, Dialect, LICENSE, OWN, Refusal, unverified, work};
use options::INTERFACE;

/// The dialect of 7z.
pub(in super::super) struct SevenZip;

/// The exit statuses for a command line that is refused, and for a lack of memory.
const MISUSE: u8 = 7;
const NO_MEMORY: u8 = 8;

impl Messages for SevenZip {
    fn done(&self, program: Program, done: &Done) -> Message {
        unverified(program, done).unwrap_or_else(|| defaults::done(program, done))
    }

    fn ending(&self, failure: &CliError, _: Mode) -> Ending {
        match &failure.kind {
            Kind::Library(Error::Memory { .. } | Error::NoMemory { .. }) => Ending::Code(NO_MEMORY),
            Kind::Usage(_) => Ending::Code(MISUSE),
            _ => Ending::Usual,
        }
    }

    fn codes(&self) -> (u8, u8) {
        (1, 2)
    }
}

impl Dialect for SevenZip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        if arguments.is_empty() {
            return Ok(Action::Text(INTERFACE.help(called.program)));
        }
        let args = Args::new(called);
        let before_dashes = arguments.iter().take_while(|argument| *argument != "--");
        if let Some(list) = before_dashes.into_iter().find(|argument| argument.as_bytes().starts_with(b"@")) {
            let what = "pzcomp reads no list files; for a file of this name, write -- before it";
            return Err(args.wrong(format_args!("{}: {what}", list.display())));
        }
        work(&INTERFACE, called, args, arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["7za", "7zr"])
    }
}

/// The formats that are read, which the original reads too, each with its name for `-t`.
static READ: [Format; 7] =
    [Format::SevenZ, Format::Gzip, Format::Bzip2, Format::Xz, Format::Lzma, Format::Zstd, Format::Lzw];
const TYPES: [&str; 7] = ["7z", "gzip", "bzip2", "xz", "lzma", "zstd", "Z"];

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    archive: Option<OsString>,
    included: Vec<OsString>,
    has_no_archive: bool,
    stdin: bool,
    stdout: bool,
    /// Names are no patterns.
    verbatim: bool,
    hides_list: bool,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            options: Options { accept: Some(READ.to_vec()), ..Options::default() },
            target: Target::Stdout,
            rules: FileRules { follow_links: true, ..FileRules::default() },
            ..Request::default()
        };
        Self {
            called,
            request,
            archive: None,
            included: Vec::new(),
            has_no_archive: false,
            stdin: false,
            stdout: false,
            verbatim: false,
            hides_list: false,
        }
    }

    /// Makes the request for these words: the command, the archive unless a switch names it, and the names of files.
    fn request(mut self, words: Vec<OsString>) -> Result<Request, Refusal> {
        let mut words = words.into_iter();
        let command = words.next().ok_or_else(|| self.wrong("no command is given, as x, t or l"))?;
        let mode = self.mode(&command)?;
        let source = match (self.stdin, self.has_no_archive, self.archive.take()) {
            (true, _, None) => Source::Stdin,
            (true, _, Some(_)) => return Err(self.wrong("-si and -ai name two archives; name one")),
            (false, true, Some(archive)) => Source::Path(archive.into()),
            (false, true, None) => {
                return Err(self.wrong("no archive is named: with -an, -ai!ARCHIVE or -si names it"));
            }
            (false, false, Some(_)) => return Err(self.wrong("-ai names an archive; use -an with it")),
            (false, false, None) => match words.next() {
                Some(archive) => Source::Path(archive.into()),
                None => return Err(self.wrong("no archive is named")),
            },
        };
        let mut names = std::mem::take(&mut self.included);
        names.extend(words);
        let entry = match (&names[..], mode) {
            ([], _) => EntryChoice::All,
            (_, Mode::List) => {
                return Err(self.wrong("l lists all files of an archive, so no name can follow it"));
            }
            ([name], _) => EntryChoice::named(self.checked(name)?),
            _ => {
                return Err(
                    self.wrong("more than one file is named; pzcomp takes one, or all without a name")
                );
            }
        };
        (self.request.mode, self.request.options.entry) = (mode, entry);
        self.request.sources = vec![source];
        Ok(self.request)
    }

    /// What the command asks for.
    fn mode(&self, command: &OsStr) -> Result<Mode, Refusal> {
        let name = command.to_ascii_lowercase();
        match name.to_str() {
            Some("x" | "e") if self.stdout => Ok(Mode::Decompress),
            Some("x" | "e") => Err(self.wrong(
                "without -so the files would be extracted into a folder, which pzcomp does not do; use x -so \
                 ARCHIVE NAME, or pzcomp -d --extract NAME",
            )),
            Some("t") => Ok(Mode::Test),
            Some("l") if self.hides_list => {
                Err(self.wrong("-bso0 and -bso2 would keep the list from standard output; leave them out"))
            }
            Some("l") => Ok(Mode::List),
            Some("a" | "d" | "rn" | "u") => Err(self.wrong(format_args!(
                "pzcomp does not make or change archives (command {}); use the 7z of the package 7zip, or compress with pzcomp",
                command.display()
            ))),
            Some("b") => Err(self.wrong("there is no benchmark under this name; use pzcomp --bench")),
            Some("h") => {
                Err(self.wrong("pzcomp does not hash files (command h); use pzcomp --hash or sha256sum"))
            }
            Some("i") => Err(self.wrong("the command i is not supported; pzcomp(1) lists the formats")),
            _ => Err(self.wrong(format_args!(
                "the command '{}' is unknown; expected x -so, e -so, t or l",
                command.display()
            ))),
        }
    }

    /// The name of a file in an archive, unless it is a pattern.
    fn checked<'a>(&self, name: &'a OsStr) -> Result<&'a [u8], Refusal> {
        let bytes = name.as_bytes();
        if !self.verbatim && bytes.iter().any(|byte| matches!(byte, b'*' | b'?')) {
            return Err(self.wrong(format_args!(
                "'{}' is a pattern, and pzcomp takes the name of one file; with -spd, * and ? are part of the name",
                name.display()
            )));
        }
        Ok(bytes)
    }

    fn include(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        let name = self.name_in(value, "-i")?;
        self.included.push(name);
        Ok(())
    }

    fn set_archive(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        let name = self.name_in(value, "-ai")?;
        match self.archive.replace(name) {
            None => Ok(()),
            Some(_) => Err(self.wrong("more than one archive is named")),
        }
    }

    /// The name behind the `!` of a switch.
    fn name_in(&self, value: Option<OsString>, switch: &str) -> Result<OsString, Refusal> {
        let value = value.unwrap_or_default();
        let Some(name) = value.as_bytes().strip_prefix(b"!") else {
            return Err(self.wrong(format_args!(
                "{switch} expects ! and a name; list files and -r are not supported by pzcomp"
            )));
        };
        let name = OsStr::from_bytes(name);
        self.checked(name)?;
        Ok(name.into())
    }

    fn set_threads(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        let value = text(value).map(|value| value.strip_prefix('=').unwrap_or(&value).to_ascii_lowercase());
        let threads = match value.as_deref() {
            Some("" | "on" | "+") => Some(0),
            Some("off" | "-") => Some(1),
            Some(number) => number.parse().ok().filter(|&threads| threads > 0),
            None => None,
        };
        self.request.options.threads =
            threads.ok_or_else(|| self.wrong("-mmt expects a number of threads from 1, or on or off"))?;
        Ok(())
    }

    fn set_type(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        let text = text(value).unwrap_or_default();
        let known = TYPES.iter().position(|name| name.eq_ignore_ascii_case(&text));
        let accepted = match known.and_then(|at| READ.get(at..=at)) {
            Some(format) => format,
            None if text == "*" => &READ,
            None => {
                return Err(self.wrong(format_args!(
                    "-t{text}: this format is not supported; expected one of {}",
                    TYPES.join(", ")
                )));
            }
        };
        self.request.options.accept = Some(accepted.to_vec());
        Ok(())
    }

    fn set_errors(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        self.request.telling.silent = match text(value).as_deref() {
            Some("2") => false,
            Some("0") => true,
            Some("1") => {
                return Err(self.wrong("-bse1: standard output has the data; errors go to standard error"));
            }
            _ => return Err(self.wrong("-bse expects 0 or 2")),
        };
        Ok(())
    }

    fn set_messages(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        self.hides_list = match text(value).as_deref() {
            Some("1") => false,
            Some("0" | "2") => true,
            _ => return Err(self.wrong("-bso expects 0, 1 or 2")),
        };
        Ok(())
    }

    /// Fails with this message if the value is another one.
    fn expect(&self, value: Option<OsString>, expected: &str, what: &str) -> Result<(), Refusal> {
        match text(value).is_some_and(|value| value.eq_ignore_ascii_case(expected)) {
            true => Ok(()),
            false => Err(self.wrong(what)),
        }
    }

    fn wrong(&self, what: impl Display) -> Refusal {
        Refusal { text: format!("{}: {what}", self.called.program), code: MISUSE }
    }

    fn version(&self) -> String {
        format!("{} of pzcomp {OWN}, which reads 7z archives\n{LICENSE}", self.called.program)
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        match misuse {
            Misuse::Long(word) => self.wrong(format_args!("the switch -{word} is unknown")),
            Misuse::Surplus(word) => self.wrong(format_args!("the switch -{word} takes no value")),
            other => self.wrong(other),
        }
    }
}

/// The text that is joined to a switch. `None` if it is not UTF-8.
fn text(value: Option<OsString>) -> Option<String> {
    value.unwrap_or_default().into_string().ok()
}
