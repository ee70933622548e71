//! pbzip2: its options, as of 1.1.13. What tunes its queues has no meaning here.

use std::ffi::{OsStr, OsString};

use pzcomp::{Error, Layout, Unknown};

use super::super::super::getopt::{Arguments, Digits, Item, Misuse, Opt, flag, number, value};
use super::super::super::name::Name;
use super::super::super::report::Status;
use super::super::super::request::Mode;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Asked, Dialect, Done, Ending, LICENSE, Refusal, Speaker, Verdict, plain};
use super::{Flag, Wishes, options, positive, refusal};

/// pbzip2.
pub(in super::super::super) struct Pbzip2;

static OPTIONS: &[Opt<Flag>] = options!(
    number(Flag::BlockSize, "b", ""),
    number(Flag::Threads, "p", ""),
    // Memory for what waits, stacks, and how the input is read.
    number(Flag::Idle, "m", ""),
    number(Flag::Idle, "S", ""),
    flag(Flag::Idle, "r", "read"),
    flag(Flag::Idle, "l", "loadavg"),
    value(Flag::TrailingGarbage, "", "ignore-trailing-garbage"),
);

/// What `-b` counts in.
const BLOCK_UNIT: usize = 100_000;

impl Dialect for Pbzip2 {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        wishes.request.options.layout = Layout::Frames;
        let mut arguments = Arguments::new(OPTIONS, Digits::Flags, args).in_full();
        while let Some(item) = arguments.next().map_err(|misuse| misused(called, &misuse))? {
            let (flag, value) = match item {
                Item::File(file) => {
                    wishes.files.push(file);
                    continue;
                }
                Item::Option(flag, value) => (flag, value),
                // Digits are flags.
                Item::Number(_) => continue,
            };
            let options = &mut wishes.request.options;
            let counted = |letter| counted(called, letter, value.as_deref());
            match flag {
                Flag::Help => return Ok(Asked::Text(help(called.program))),
                Flag::Version => return Ok(Asked::Text(version())),
                Flag::Threads => options.threads = counted('p')?,
                Flag::BlockSize => options.block_size = Some(counted('b')?.saturating_mul(BLOCK_UNIT)),
                Flag::TrailingGarbage if value.as_deref() == Some(OsStr::new("0")) => {
                    options.unknown = Unknown::Refuse;
                }
                Flag::TrailingGarbage => options.unknown = Unknown::Ignore,
                flag => wishes.take(flag),
            }
        }
        Ok(Asked::Work(Box::new(wishes.request())))
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        let what = match &trouble.kind {
            Kind::Cannot(_, error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("File [{name}] NOT found!  Skipping...")
            }
            Kind::Directory { .. } => format!("File [{name}] is a directory!  Skipping..."),
            Kind::HasSuffix(suffix) => {
                format!("Input file [{name}] already has a {} extension!  Skipping...", suffix.display())
            }
            Kind::Exists => format!("Output file [{name}] already exists!  Use -f to overwrite..."),
            Kind::Coding(error) | Kind::Discarded(error, _) => match error {
                Error::NotCompressed { .. } => format!("File [{name}] is NOT a valid bzip2!  Skipping..."),
                Error::Empty | Error::Truncated { .. } => {
                    format!("[{name}] File ends unexpectedly!  Skipping...")
                }
                Error::Corrupt { .. } => format!("[{name}] Data integrity (CRC) error in data!  Skipping..."),
                _ => return plain::verdict(speaker, name, trouble),
            },
            _ => return plain::verdict(speaker, name, trouble),
        };
        Verdict { status: Status::Error, text: format!("{}: *ERROR: {what}", speaker.program) }
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        if done.summary.trailing.garbage.is_none() {
            return plain::done(speaker, done);
        }
        let text = format!("{}: *WARNING: Trailing garbage after EOF ignored!", speaker.program);
        Verdict { status: Status::Fine, text }
    }

    /// What fails a test is told by a status of its own. Damage and what the system refuses end it.
    fn ending(&self, trouble: &Trouble, mode: Mode) -> Ending {
        match &trouble.kind {
            _ if mode == Mode::Test => Ending::Code(2),
            Kind::Coding(error) | Kind::Discarded(error, _) => match error {
                Error::NotCompressed { .. } | Error::Empty => Ending::Usual,
                _ => Ending::Abort(1),
            },
            _ => Ending::Usual,
        }
    }

    /// Everything that goes wrong is an error.
    fn code(&self, status: Status) -> u8 {
        u8::from(status != Status::Fine)
    }
}

fn counted(called: &Name, letter: char, value: Option<&OsStr>) -> Result<usize, Refusal> {
    positive(value).ok_or_else(|| {
        let given = value.unwrap_or_default().display();
        refusal(
            called,
            &format!("*ERROR: Cannot parse -{letter} argument '{given}': a number from 1 on is expected"),
        )
    })
}

fn misused(called: &Name, misuse: &Misuse) -> Refusal {
    refusal(called, &format!("*ERROR: {misuse}; see {} -h", called.program))
}

fn version() -> String {
    format!(
        "Parallel BZIP2 v1.1.13 (pzcomp {}, which does what that does)\n{LICENSE}",
        env!("CARGO_PKG_VERSION")
    )
}

fn help(program: &str) -> String {
    format!(
        "\
Usage: {program} [-1 .. -9] [-b#cdfhkp#qtvVz] <filename> <filename2> <filenameN>
  Compresses files in place, or decompresses them; without files, standard input.

 -1 .. -9        blocks of 100k .. 900k (default 900k)
 -b#             plain bytes in a stream, in steps of 100k (default: one block)
 -c,--stdout     write to standard output, keep the files
 -d,--decompress decompress
 -f,--force      overwrite, follow links
 -h,--help       this help
 -k,--keep       keep the files
 -p#             threads (default: the CPUs this process may use)
 -q,--quiet      no warnings
 -t,--test       test compressed files
 -v,--verbose    say what was done
 -V,--version    the version
 -z,--compress   compress
 --ignore-trailing-garbage=#
                 1 (the default): what is behind the last stream is passed over; 0: it is an error

-l, -m#, -r and -S# are taken and do nothing: memory is bounded and input is read ahead in any case.
This is pzcomp, called as {program}: see pzcomp(1).
"
    )
}
