//! The command-line interface of one tool: one table gives its options, its help and its man page.
//!
//! Each dialect has a static [`Interface`] and a type with the trait [`TakeOptions`], which collects what the
//! options ask for. [`read`] is the only loop over arguments. It calls [`TakeOptions`] for each option and number, collects
//! the file names, and answers `--help`, `--version` and refused options itself. If a row of the table has no help text,
//! it is another name for the option of the row before, or the help does not show it.

mod getopt;
mod help;
mod manual;

use std::ffi::OsString;

pub(super) use getopt::Misuse;
use getopt::{Arguments, Item};

/// The interface of one tool. `T` is the type of its flags: an enum with a value for each option.
pub(super) struct Interface<T: 'static> {
    /// What the tool does, in a few words that begin with a verb: for the head of its man page.
    pub(super) summary: &'static str,
    /// What follows the name of the program, for each way to call it.
    pub(super) usage: &'static [&'static str],
    /// What the tool does and where the output goes, in sentences.
    pub(super) about: &'static str,
    /// The options of the tool. A message about an ambiguous abbreviation lists them in this order.
    pub(super) options: &'static [Opt<T>],
    pub(super) digits: Digits,
    pub(super) rules: Rules,
    /// Facts about the options, in sentences. Each is a paragraph.
    pub(super) notes: &'static [&'static str],
    /// Environment variables and what they hold.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Exit statuses and what they mean.
    pub(super) statuses: &'static [(&'static str, &'static str)],
}

/// An option of a tool: a row of its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opt<T> {
    action: Effect<T>,
    /// All its letters.
    short: &'static str,
    /// Its long name, which may be empty.
    long: &'static str,
    takes: Takes,
    /// How the help calls the value.
    value: &'static str,
    help: &'static str,
    /// The long name stands behind a single dash, as 7z has it: see [`Rules::Words`].
    is_word: bool,
}

/// What [`read`] does when an option is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect<T> {
    /// [`TakeOptions::option`] takes it.
    Flag(T),
    Help,
    Version,
    /// Nothing: pzcomp accepts the option because scripts use it.
    Ignored,
    /// An error, with the reason.
    Refused(&'static str),
}

/// Whether an option has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// The rest of the cluster, or the next argument.
    Value,
    /// Only what is joined to the option: `-b4`, `--long=27`.
    Joined,
    /// A number that is joined to the option, with its unit if it has one: `-T4`, `-M64MB`. The rest of the
    /// cluster holds more options.
    Number,
}

/// How the tool reads its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Long options are spelled in full, and stand before and behind file names.
    InFull,
    /// Long options can be shortened to their first letters.
    Abbreviated,
    /// Long names stand behind a single dash, in lower or upper case, and a value is joined to them: `-so`, `-mmt2`.
    /// There are no letters.
    Words,
    /// As `Abbreviated`. If the environment has the variable `POSIXLY_CORRECT`, all that stands behind the first file
    /// name is file names, too: the function `getopt_long` of the C library reads it.
    GetoptLong,
}

/// What digits mean among short options in one argument, as in `-9v`. The strings are the name and the text for the help.
#[derive(Clone, Copy, Debug)]
pub(super) enum Digits {
    /// Each digit is an option letter like any other.
    Letters,
    /// Numbers of one digit, from the first to the last one: `-19` is `-1 -9`.
    Single(u32, u32, &'static str),
    /// Numbers: `-19` is nineteen.
    Number(&'static str, &'static str),
}

/// Help texts of options that several tools have.
pub(super) mod texts {
    pub(in crate::cli) const STDOUT: &str = "write to standard output and keep the files";
    pub(in crate::cli) const KEEP: &str = "keep the input files";
    pub(in crate::cli) const VERBOSE: &str = "print the name and the ratio of each file";
    pub(in crate::cli) const FORCE: &str =
        "overwrite files and follow links; with -dc, copy data of other formats unchanged";
    pub(in crate::cli) const RSYNCABLE: &str =
        "let the content decide where blocks end, so that rsync finds unchanged parts";
    pub(in crate::cli) const THREADS: &str =
        "number of threads; the default is the CPUs that this process may use";
    pub(in crate::cli) const THREADS_OR_0: &str =
        "number of threads; 0, the default, stands for the CPUs that this process may use";
    pub(in crate::cli) const BENCHMARK: &str =
        "pzcomp has no such benchmark; pzcomp --bench measures levels and formats";
}

/// An option without a value. `short` holds all its letters, `long` its long name; either may be empty.
pub(super) const fn flag<T: Copy>(
    id: T,
    short: &'static str,
    long: &'static str,
    help: &'static str,
) -> Opt<T> {
    Opt { action: Effect::Flag(id), short, long, takes: Takes::Nothing, value: "", help, is_word: false }
}

/// An option with a value.
pub(super) const fn value<T: Copy>(
    id: T,
    short: &'static str,
    long: &'static str,
    value: &'static str,
    help: &'static str,
) -> Opt<T> {
    Opt { action: Effect::Flag(id), short, long, takes: Takes::Value, value, help, is_word: false }
}

/// An option that can have a value joined to it.
pub(super) const fn joined<T: Copy>(
    id: T,
    short: &'static str,
    long: &'static str,
    value: &'static str,
    help: &'static str,
) -> Opt<T> {
    Opt { action: Effect::Flag(id), short, long, takes: Takes::Joined, value, help, is_word: false }
}

/// An option that can have a number joined to it.
pub(super) const fn number<T: Copy>(
    id: T,
    short: &'static str,
    long: &'static str,
    value: &'static str,
    help: &'static str,
) -> Opt<T> {
    Opt { action: Effect::Flag(id), short, long, takes: Takes::Number, value, help, is_word: false }
}

/// The same option with its long name behind a single dash, for [`Rules::Words`].
pub(super) const fn word<T: Copy>(option: Opt<T>) -> Opt<T> {
    Opt { is_word: true, ..option }
}

/// The option that prints the help.
pub(super) const fn help<T: Copy>(short: &'static str, long: &'static str) -> Opt<T> {
    Opt {
        action: Effect::Help,
        short,
        long,
        takes: Takes::Nothing,
        value: "",
        help: "print this help",
        is_word: false,
    }
}

/// The option that prints the version.
pub(super) const fn version<T: Copy>(short: &'static str, long: &'static str) -> Opt<T> {
    let help = "print the version and the licence";
    Opt { action: Effect::Version, short, long, takes: Takes::Nothing, value: "", help, is_word: false }
}

/// An option that is accepted and has no effect.
pub(super) const fn no_effect<T: Copy>(takes: Takes, short: &'static str, long: &'static str) -> Opt<T> {
    Opt { action: Effect::Ignored, short, long, takes, value: "", help: "", is_word: false }
}

/// An option of the original that pzcomp refuses, and why.
pub(super) const fn refused<T: Copy>(short: &'static str, long: &'static str, why: &'static str) -> Opt<T> {
    Opt {
        action: Effect::Refused(why),
        short,
        long,
        takes: Takes::Joined,
        value: "",
        help: "",
        is_word: false,
    }
}

/// Why a command line is refused: the message, which may be empty, and the exit status.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) text: String,
    pub(super) code: u8,
}

/// What the options of one command line ask for.
pub(super) trait TakeOptions {
    type Flag: Copy + PartialEq + 'static;

    /// Takes an option, with its value.
    fn option(&mut self, flag: Self::Flag, value: Option<OsString>) -> Result<(), Refusal>;

    /// Takes the digits of a cluster.
    fn number(&mut self, number: u64) -> Result<(), Refusal> {
        let _ = number;
        Ok(())
    }

    /// What `--version` prints after the options so far.
    fn version(&self) -> String;

    /// The words in which the tool refuses an option.
    fn misuse(&self, misuse: Misuse) -> Refusal;
}

/// The result of reading a command line.
pub(super) enum Given {
    /// A text to print, which is all that it asks for.
    Text(String),
    /// Work on these files.
    Files(Vec<OsString>),
}

/// Reads arguments, from the first to the last. Help calls the program by the name `program`.
pub(super) fn read<A: TakeOptions>(
    interface: &'static Interface<A::Flag>,
    program: &str,
    args: &mut A,
    given: Vec<OsString>,
) -> Result<Given, Refusal> {
    let mut files = Vec::new();
    let is_posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    let files_end_options = interface.rules == Rules::GetoptLong && is_posix;
    let mut arguments = Arguments::new(interface, files_end_options, given);
    while let Some(item) = arguments.next().map_err(|misuse| args.misuse(misuse))? {
        match item {
            Item::File(file) => files.push(file),
            Item::Number(number) => args.number(number)?,
            Item::Option(option, value) => match option.action {
                Effect::Flag(flag) => args.option(flag, value)?,
                Effect::Help => return Ok(Given::Text(interface.help(program))),
                Effect::Version => return Ok(Given::Text(args.version())),
                Effect::Ignored => {}
                Effect::Refused(why) => return Err(args.misuse(Misuse::Refused(option.name(), why))),
            },
        }
    }
    Ok(Given::Files(files))
}

impl<T> Opt<T> {
    /// Its first letter and its long name.
    fn name(&self) -> String {
        match (self.short.chars().next(), self.long) {
            (_, word) if self.is_word => format!("-{word}"),
            (Some(letter), "") => format!("-{letter}"),
            (None, long) => format!("--{long}"),
            (Some(letter), long) => format!("-{letter}/--{long}"),
        }
    }
}
