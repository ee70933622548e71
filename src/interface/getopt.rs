//! Splits a command line into options, numbers and file names, as GNU programs do.
//!
//! [`Arguments`] takes the arguments and the table of options, and returns one [`Item`] after the other to
//! `Interface::read`. Short options can be joined in a cluster, long options can be abbreviated, and file names can
//! stand between options. The messages of [`Misuse`] are those of `getopt_long` of the C library, word for word,
//! because scripts and users know them. Programs with a parser of their own (`zstd`, `lz4`) read numbers in other
//! ways: see [`Digits`].

use std::collections::VecDeque;
use std::ffi::OsString;

use super::{Digits, Interface, Opt, Rules, Takes};

/// The next part of a command line.
pub(super) enum Item<A: 'static> {
    /// The row of the table, the name that was given, in full and with its dashes, and the value.
    Option(&'static Opt<A>, String, Option<OsString>),
    /// A number that is too large is the largest one.
    Number(u64),
    File(OsString),
}

/// Why an option is refused, in the words of the C library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum Misuse {
    #[error("invalid option -- '{0}'")]
    Short(char),
    /// With its value.
    #[error("unrecognized option '--{0}'")]
    Long(String),
    #[error("option '--{0}' is ambiguous; possibilities:{1}")]
    Ambiguous(String, String),
    #[error("option requires an argument -- '{0}'")]
    ShortLacks(char),
    #[error("option '--{0}' requires an argument")]
    LongLacks(&'static str),
    #[error("option '--{0}' doesn't allow an argument")]
    Surplus(&'static str),
    /// The original has this option. The fields are its name and the reason why pzcomp refuses it.
    #[error("{0} is not supported by pzcomp: {1}")]
    Refused(&'static str, &'static str),
}

/// The arguments of a program, taken one by one.
pub(super) struct Arguments<A: 'static> {
    interface: &'static Interface<A>,
    waiting: VecDeque<OsString>,
    /// The rest of a cluster of short options.
    cluster: Vec<u8>,
    only_files: bool,
    /// The first file name ends the options.
    files_end_options: bool,
}

impl<A> Arguments<A> {
    pub(super) fn new(
        interface: &'static Interface<A>,
        files_end_options: bool,
        args: impl IntoIterator<Item = OsString>,
    ) -> Self {
        let waiting = args.into_iter().collect();
        Self { interface, waiting, cluster: Vec::new(), only_files: false, files_end_options }
    }

    /// The next option, number or file. Returns `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Item<A>>, Misuse> {
        if !self.cluster.is_empty() {
            return self.short().map(Some);
        }
        let Some(argument) = self.waiting.pop_front() else {
            return Ok(None);
        };
        if self.only_files {
            return Ok(Some(Item::File(argument)));
        }
        match argument.as_encoded_bytes() {
            b"--" => {
                self.only_files = true;
                self.next()
            }
            [b'-', b'-', long @ ..] => self.long(long).map(Some),
            [b'-', cluster @ ..] if !cluster.is_empty() => {
                self.cluster = cluster.to_vec();
                self.short().map(Some)
            }
            _ => {
                self.only_files = self.files_end_options;
                Ok(Some(Item::File(argument)))
            }
        }
    }

    fn short(&mut self) -> Result<Item<A>, Misuse> {
        let digits = self.cluster.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let len = match self.interface.digits {
            Digits::Letters => 0,
            Digits::Single(first, last, ..) => {
                let digit = u32::from(self.cluster[0].wrapping_sub(b'0'));
                usize::from((first..=last).contains(&digit))
            }
            Digits::Number(..) => digits,
        };
        if len > 0 {
            let number = self.cluster.drain(..len);
            let number = number.fold(0_u64, |number, digit| {
                number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
            });
            return Ok(Item::Number(number));
        }
        let letter = char::from(self.cluster.remove(0));
        let mut options = self.interface.options.iter();
        let Some(option) = options.find(|option| option.text.letters().any(|known| known == letter)) else {
            return Err(Misuse::Short(letter));
        };
        let value = match option.takes {
            Takes::Nothing => None,
            Takes::Joined => self.rest(),
            Takes::Number => self.number(),
            Takes::Value => {
                Some(self.rest().or_else(|| self.waiting.pop_front()).ok_or(Misuse::ShortLacks(letter))?)
            }
        };
        Ok(Item::Option(option, format!("-{letter}"), value))
    }

    /// Takes the next digits of the cluster, with the unit behind them.
    fn number(&mut self) -> Option<OsString> {
        let digits = self.cluster.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let behind = &self.cluster[digits..];
        let unit = ["KiB", "MiB", "GiB", "KB", "MB", "GB", "Ki", "Mi", "Gi", "K", "M", "G"]
            .iter()
            .find(|unit| digits > 0 && behind.starts_with(unit.as_bytes()));
        let number: Vec<u8> = self.cluster.drain(..digits + unit.map_or(0, |unit| unit.len())).collect();
        (!number.is_empty()).then(|| system::name::from_bytes(number))
    }

    /// Takes the rest of the cluster as a value.
    fn rest(&mut self) -> Option<OsString> {
        let rest = std::mem::take(&mut self.cluster);
        (!rest.is_empty()).then(|| system::name::from_bytes(rest))
    }

    fn long(&mut self, argument: &[u8]) -> Result<Item<A>, Misuse> {
        let mut parts = argument.splitn(2, |&byte| byte == b'=');
        let name = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let value = parts.next().map(system::name::from_bytes);
        let (option, word) = self.named(&name).map_err(|misuse| match misuse {
            Misuse::Long(_) => Misuse::Long(String::from_utf8_lossy(argument).into_owned()),
            other => other,
        })?;
        let value = match (option.takes, value) {
            (Takes::Nothing, Some(_)) => return Err(Misuse::Surplus(word)),
            (Takes::Value | Takes::Number, None) => {
                Some(self.waiting.pop_front().ok_or(Misuse::LongLacks(word))?)
            }
            (_, value) => value,
        };
        Ok(Item::Option(option, format!("--{word}"), value))
    }

    /// The options with each of their words.
    fn words(&self) -> impl Iterator<Item = (&'static Opt<A>, &'static str)> {
        let options = self.interface.options.iter();
        options.flat_map(|option| option.text.words().map(move |word| (option, word)))
    }

    /// The option of this name, or the only option whose name begins with it, and its full name.
    fn named(&self, name: &str) -> Result<(&'static Opt<A>, &'static str), Misuse> {
        if let Some(named) = self.words().find(|(_, word)| *word == name) {
            return Ok(named);
        }
        let can_be_short = self.interface.rules != Rules::InFull;
        let begun: Vec<_> = self.words().filter(|(_, word)| can_be_short && word.starts_with(name)).collect();
        match &begun[..] {
            [] => Err(Misuse::Long(name.into())),
            [first, others @ ..] if others.iter().all(|(option, _)| std::ptr::eq(*option, first.0)) => {
                Ok(*first)
            }
            _ => {
                let names: String = begun.iter().map(|(_, word)| format!(" '--{word}'")).collect();
                Err(Misuse::Ambiguous(name.into(), names))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Refusal, option};
    use super::*;

    static OPTIONS: [Opt<()>; 6] = [
        option("-c --stdout --to-stdout", "write to standard output").flag(|()| ()),
        option("-S --suffix", "suffix of compressed files").value("SUF", |(), _| ()),
        option("--synchronous", "").flag(|()| ()),
        option("-b --long", "").joined("N", |(), _| Ok(())),
        option("-T", "threads").number("N", |(), _| Ok(())),
        option("--fast", "fastest").flag(|()| ()),
    ];

    const fn interface(digits: Digits<()>, rules: Rules) -> Interface<()> {
        Interface {
            summary: "",
            usage: &[],
            about: "",
            options: &OPTIONS,
            digits,
            rules,
            notes: &[],
            variables: &[],
            statuses: &[],
            version: |()| String::new(),
            misuse: |(), misuse| Refusal { text: misuse.to_string(), code: 1 },
        }
    }
    static SINGLE: Interface<()> = interface(Digits::Single(1, 9, "", |(), _| ()), Rules::Abbreviated);
    static NUMBERS: Interface<()> = interface(Digits::Number("", "", |(), _| Ok(())), Rules::GetoptLong);
    static IN_FULL: Interface<()> = interface(Digits::Letters, Rules::InFull);

    /// The items of a command line, one word each. A plus sign in front of it says that file names end the options.
    fn items(interface: &'static Interface<()>, line: &str) -> Result<Vec<String>, String> {
        let is_posix = line.starts_with("+ ");
        let line = line.trim_start_matches("+ ");
        let mut arguments = Arguments::new(interface, is_posix, line.split(' ').map(OsString::from));
        let mut items = Vec::new();
        while let Some(item) = arguments.next().map_err(|misuse| misuse.to_string())? {
            items.push(match item {
                Item::Option(_, name, None) => name,
                Item::Option(_, name, Some(value)) => format!("{name}={}", value.display()),
                Item::Number(number) => number.to_string(),
                Item::File(file) => file.display().to_string(),
            });
        }
        Ok(items)
    }

    #[test]
    fn options_and_files_come_in_any_order() {
        let got = items(&SINGLE, "a -c - --std b -- -c").unwrap_or_default();
        assert_eq!(got, ["a", "-c", "-", "--stdout", "b", "-c"]);
    }

    #[test]
    fn the_first_file_can_end_the_options() {
        assert_eq!(items(&SINGLE, "+ -c a -c -- b").unwrap_or_default(), ["-c", "a", "-c", "--", "b"]);
        assert_eq!(items(&SINGLE, "+ -- a -c").unwrap_or_default(), ["a", "-c"]);
    }

    #[test]
    fn values_are_joined_or_next() {
        let got = items(&SINGLE, "-cS.z -S .y --suf=.x --suffix .w -b -b4 --long --long=5");
        let expected = "-c -S=.z -S=.y --suffix=.x --suffix=.w -b -b=4 --long --long=5";
        assert_eq!(got.unwrap_or_default().join(" "), expected);
    }

    #[test]
    fn digits_are_flags_or_numbers() {
        assert_eq!(items(&SINGLE, "-19c").unwrap_or_default(), ["1", "9", "-c"]);
        assert_eq!(items(&SINGLE, "-0").unwrap_err(), "invalid option -- '0'");
        assert_eq!(items(&IN_FULL, "-1").unwrap_err(), "invalid option -- '1'");
        assert_eq!(items(&NUMBERS, "-c19c").unwrap_or_default(), ["-c", "19", "-c"]);
        assert_eq!(items(&NUMBERS, "-99999999999999999999").unwrap_or_default(), [u64::MAX.to_string()]);
    }

    #[test]
    fn a_number_ends_where_its_unit_does() {
        assert_eq!(items(&NUMBERS, "-TK").unwrap_err(), "invalid option -- 'K'");
        let got = items(&NUMBERS, "-T4c -T64KiBc -T -cT0").unwrap_or_default();
        assert_eq!(got.join(" "), "-T=4 -c -T=64KiB -c -T -c -T=0");
    }

    #[test]
    fn long_options_can_have_to_be_spelled_in_full() {
        assert_eq!(
            items(&IN_FULL, "--stdout --suffix=.x").unwrap_or_default().join(" "),
            "--stdout --suffix=.x"
        );
        assert_eq!(items(&IN_FULL, "--suff=.x").unwrap_err(), "unrecognized option '--suff=.x'");
    }

    #[test]
    fn misuse_is_told_as_the_c_library_tells_it() {
        let wrong = |line| items(&SINGLE, line).unwrap_err();
        assert_eq!(wrong("-x"), "invalid option -- 'x'");
        assert_eq!(wrong("--foo"), "unrecognized option '--foo'");
        assert_eq!(wrong("--foo=1"), "unrecognized option '--foo=1'");
        let ambiguous = "option '--s' is ambiguous; possibilities: '--stdout' '--suffix' '--synchronous'";
        assert_eq!(wrong("--s"), ambiguous);
        assert_eq!(wrong("-S"), "option requires an argument -- 'S'");
        assert_eq!(wrong("--suf"), "option '--suffix' requires an argument");
        assert_eq!(wrong("--fast=3"), "option '--fast' doesn't allow an argument");
    }
}
