//! The command-line interface of one tool: one table gives its options, their effects, its help and its man page.
//!
//! Each dialect has a static [`Interface`] and a type `A` that collects what the options ask for. A row of the table
//! has the names of an option, its help, and a function that changes an `A`. [`Interface::read`] is the only loop over
//! arguments. It calls the functions of the rows, collects the file names, and answers `--help`, `--version` and
//! refused options itself. The help does not show a row without a help text.

mod getopt;
mod help;
mod manual;

use std::ffi::OsString;

pub(super) use getopt::Misuse;
use getopt::{Arguments, Item};

/// The interface of one tool. `A` is the type that collects what the options of one command line ask for.
pub(super) struct Interface<A: 'static> {
    /// What the tool does, in a few words that begin with a verb: for the head of its man page.
    pub(super) summary: &'static str,
    /// What follows the name of the program, for each way to call it.
    pub(super) usage: &'static [&'static str],
    /// What the tool does and where the output goes, in sentences.
    pub(super) about: &'static str,
    /// The options of the tool. A message about an ambiguous abbreviation lists them in this order.
    pub(super) options: &'static [Opt<A>],
    pub(super) digits: Digits<A>,
    pub(super) rules: Rules,
    /// Facts about the options, in sentences. Each is a paragraph.
    pub(super) notes: &'static [&'static str],
    /// Environment variables and what they hold.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Exit statuses and what they mean.
    pub(super) statuses: &'static [(&'static str, &'static str)],
    /// What `--version` prints after the options so far.
    pub(super) version: fn(&A) -> String,
    /// The words in which the tool refuses an option.
    pub(super) misuse: fn(&A, Misuse) -> Refusal,
}

/// An option of a tool: a row of its table.
pub(super) struct Opt<A> {
    text: Text,
    effect: Effect<A>,
    takes: Takes,
    /// How the help calls the value.
    value: &'static str,
}

/// The names of an option and its help: the part of a row that has no effect yet.
#[derive(Clone, Copy)]
pub(super) struct Text {
    /// All names with their dashes, separated by spaces: `-c --stdout --to-stdout`. A slash instead of a space says
    /// that messages show both names together.
    names: &'static str,
    help: &'static str,
    /// The names belong to the option in the row before.
    is_alias: bool,
}

/// A function that takes the value of an option, which can be wrong.
type Take<A, V> = fn(&mut A, V) -> Result<(), Refusal>;

/// What [`Interface::read`] does when an option is given.
enum Effect<A> {
    Flag(fn(&mut A)),
    Checked(fn(&mut A) -> Result<(), Refusal>),
    Value(fn(&mut A, OsString)),
    Parsed(Take<A, OsString>),
    Optional(Take<A, Option<OsString>>),
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
    /// A number that is joined to the letter, with its unit if it has one: `-T4`, `-M64MB`. The rest of the cluster
    /// holds more options. A long name takes its value as with `Value`.
    Number,
}

/// How the tool reads its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Long options are spelled in full, and stand before and behind file names.
    InFull,
    /// Long options can be shortened to their first letters.
    Abbreviated,
    /// As `Abbreviated`. If the environment has the variable `POSIXLY_CORRECT`, all that stands behind the first file
    /// name is file names, too: the function `getopt_long` of the C library reads it.
    GetoptLong,
}

/// What digits mean among short options in one argument, as in `-9v`. The strings are the name and the text for the
/// help. The functions take the number.
pub(super) enum Digits<A> {
    /// Each digit is an option letter like any other.
    Letters,
    /// Numbers of one digit, from the first to the last one: `-19` is `-1 -9`.
    Single(u32, u32, &'static str, fn(&mut A, u64)),
    /// Numbers: `-19` is nineteen.
    Number(&'static str, &'static str, Take<A, u64>),
}

/// Help texts of options that several tools have.
pub(super) mod texts {
    pub(crate) const STDOUT: &str = "write to standard output and keep the files";
    pub(crate) const KEEP: &str = "keep the input files";
    pub(crate) const VERBOSE: &str = "print the name and the ratio of each file";
    pub(crate) const FORCE: &str =
        "overwrite files and follow links; with -dc, copy data of other formats unchanged";
    pub(crate) const RSYNCABLE: &str =
        "let the content decide where blocks end, so that rsync finds unchanged parts";
    pub(crate) const THREADS: &str = "number of threads; the default is the CPUs that this process may use";
    pub(crate) const THREADS_OR_0: &str =
        "number of threads; 0, the default, stands for the CPUs that this process may use";
    pub(crate) const SPARSE: &str =
        "make holes of zeros in decompressed files, and also in a file that standard output is redirected to";
    pub(crate) const NO_SPARSE: &str = "make no holes of zeros in decompressed files";
    pub(crate) const BENCHMARK: &str =
        "pzcomp has no such benchmark; pzcomp --bench measures levels and formats";
}

/// The names of an option and its help. A method of [`Text`] adds the effect.
pub(super) const fn option(names: &'static str, help: &'static str) -> Text {
    Text { names, help, is_alias: false }
}

/// More names of the option in the row before, which take their value in another way.
pub(super) const fn alias(names: &'static str) -> Text {
    Text { names, help: "", is_alias: true }
}

/// The option that prints the help.
pub(super) const fn help<A>(names: &'static str) -> Opt<A> {
    option(names, "print this help").row(Effect::Help, Takes::Nothing, "")
}

/// The option that prints the version.
pub(super) const fn version<A>(names: &'static str) -> Opt<A> {
    option(names, "print the version and the licence").row(Effect::Version, Takes::Nothing, "")
}

/// Options that are accepted and have no effect.
pub(super) const fn no_effect<A>(takes: Takes, names: &'static str) -> Opt<A> {
    option(names, "").row(Effect::Ignored, takes, "")
}

/// Options of the original that pzcomp refuses, and why.
pub(super) const fn refused<A>(names: &'static str, why: &'static str) -> Opt<A> {
    option(names, "").row(Effect::Refused(why), Takes::Joined, "")
}

impl Text {
    const fn row<A>(self, effect: Effect<A>, takes: Takes, value: &'static str) -> Opt<A> {
        Opt { text: self, effect, takes, value }
    }

    /// An option without a value.
    pub(super) const fn flag<A>(self, set: fn(&mut A)) -> Opt<A> {
        self.row(Effect::Flag(set), Takes::Nothing, "")
    }

    /// An option without a value that can be refused.
    pub(super) const fn checked<A>(self, set: fn(&mut A) -> Result<(), Refusal>) -> Opt<A> {
        self.row(Effect::Checked(set), Takes::Nothing, "")
    }

    /// An option with any value.
    pub(super) const fn value<A>(self, value: &'static str, set: fn(&mut A, OsString)) -> Opt<A> {
        self.row(Effect::Value(set), Takes::Value, value)
    }

    /// An option with a value that can be wrong.
    pub(super) const fn parsed<A>(self, value: &'static str, set: Take<A, OsString>) -> Opt<A> {
        self.row(Effect::Parsed(set), Takes::Value, value)
    }

    pub(super) const fn joined<A>(self, value: &'static str, set: Take<A, Option<OsString>>) -> Opt<A> {
        self.row(Effect::Optional(set), Takes::Joined, value)
    }

    /// An option whose letter can have a number joined to it.
    pub(super) const fn number<A>(self, value: &'static str, set: Take<A, Option<OsString>>) -> Opt<A> {
        self.row(Effect::Optional(set), Takes::Number, value)
    }

    /// All names with their dashes.
    fn names(self) -> impl Iterator<Item = &'static str> {
        self.names.split([' ', '/'])
    }

    /// The letters among the names.
    fn letters(self) -> impl Iterator<Item = char> {
        self.names().filter(|name| !name.starts_with("--")).filter_map(|name| name.chars().nth(1))
    }

    /// The names that are words, without their dashes.
    fn words(self) -> impl Iterator<Item = &'static str> {
        self.names().filter_map(|name| name.strip_prefix("--"))
    }

    /// The name as messages show it, for one of the names with its dashes.
    fn shown(self, name: &str) -> &'static str {
        self.names.split(' ').find(|names| names.split('/').any(|known| known == name)).unwrap_or_default()
    }
}

/// Why a command line is refused: the message, which may be empty, and the exit status.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) text: String,
    pub(super) code: u8,
}

/// The result of reading a command line.
pub(super) enum Given {
    /// A text to print, which is all that it asks for.
    Text(String),
    /// Work on these files.
    Files(Vec<OsString>),
}

impl<A> Interface<A> {
    /// Reads arguments, from the first to the last. Help calls the program by the name `program`.
    pub(super) fn read(
        &'static self,
        program: &str,
        args: &mut A,
        given: Vec<OsString>,
    ) -> Result<Given, Refusal> {
        let mut files = Vec::new();
        let is_posix = std::env::var_os("POSIXLY_CORRECT").is_some();
        let files_end_options = self.rules == Rules::GetoptLong && is_posix;
        let mut arguments = Arguments::new(self, files_end_options, given);
        while let Some(item) = arguments.next().map_err(|misuse| (self.misuse)(args, misuse))? {
            match item {
                Item::File(file) => files.push(file),
                Item::Number(number) => match self.digits {
                    Digits::Letters => {}
                    Digits::Single(_, _, _, set) => set(args, number),
                    Digits::Number(_, _, set) => set(args, number)?,
                },
                Item::Option(option, name, value) => match option.effect {
                    Effect::Flag(set) => set(args),
                    Effect::Checked(set) => set(args)?,
                    Effect::Value(set) => set(args, value.unwrap_or_default()),
                    Effect::Parsed(set) => set(args, value.unwrap_or_default())?,
                    Effect::Optional(set) => set(args, value)?,
                    Effect::Help => return Ok(Given::Text(self.help(program))),
                    Effect::Version => return Ok(Given::Text((self.version)(args))),
                    Effect::Ignored => {}
                    Effect::Refused(why) => {
                        return Err((self.misuse)(args, Misuse::Refused(option.text.shown(&name), why)));
                    }
                },
            }
        }
        Ok(Given::Files(files))
    }
}
