//! Rewrites what clap cannot read: levels in groups of short options, and a program behind `--exec`.
//!
//! `-19` is one level and not the flags 1 and 9, and `-c19p4` is `-c --level=19 -p4`. Behind `--exec`, the first word
//! that is no option begins the program. All words from there on are of the program, so `--` comes before it.
//! [`spell_out`] takes the arguments of the command line or of `PZCOMP` and returns arguments that clap understands. It
//! asks the clap definitions which options take a value, because the value of an option must not be rewritten.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

/// Returns `args` with each number in a group of short options spelled as `--level=N`, and with `--` before a program.
pub(super) fn spell_out(command: &Command, args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter();
    let mut spelled = Vec::new();
    let mut is_exec = false;
    while let Some(arg) = args.next() {
        let wants_value = match arg.as_encoded_bytes() {
            b"--" => {
                spelled.push(arg);
                spelled.extend(args);
                break;
            }
            [b'-', b'-', name @ ..] => {
                let named = long(command, name);
                is_exec |= named.is_some_and(|option| option.get_id() == "exec");
                let wants_value =
                    named.is_some_and(|option| takes_value(option) && !option.is_require_equals_set());
                spelled.push(arg);
                wants_value
            }
            [b'-', cluster @ ..] if !cluster.is_empty() => split_cluster(command, cluster, &mut spelled),
            _ if is_exec => {
                spelled.extend(["--".into(), arg]);
                spelled.extend(args);
                break;
            }
            _ => {
                spelled.push(arg);
                false
            }
        };
        if wants_value {
            spelled.extend(args.next());
        }
    }
    spelled
}

/// Appends the options of a group one by one. Returns whether the value of the last one is the next argument.
fn split_cluster(command: &Command, mut cluster: &[u8], spelled: &mut Vec<OsString>) -> bool {
    while let [first, rest @ ..] = cluster {
        let digits = cluster.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            let (level, rest) = cluster.split_at(digits);
            spelled.push(joined(b"--level=", level));
            cluster = rest;
            continue;
        }
        if !first.is_ascii() || short_takes_value(command, char::from(*first)) {
            spelled.push(joined(b"-", cluster));
            return first.is_ascii() && rest.is_empty();
        }
        spelled.push(joined(b"-", &[*first]));
        cluster = rest;
    }
    false
}

fn joined(front: &[u8], back: &[u8]) -> OsString {
    system::name::from_bytes([front, back].concat())
}

fn short_takes_value(command: &Command, short: char) -> bool {
    command.get_arguments().any(|arg| {
        let names = arg.get_short_and_visible_aliases().unwrap_or_default();
        names.contains(&short) && takes_value(arg)
    })
}

/// The long option of this name, which may be shortened to its first letters.
fn long<'a>(command: &'a Command, name: &[u8]) -> Option<&'a Arg> {
    let name = String::from_utf8_lossy(name);
    let mut named =
        command.get_arguments().filter(|arg| arg.get_long().is_some_and(|long| long.starts_with(&*name)));
    let exact = command.get_arguments().find(|arg| arg.get_long() == Some(&*name));
    exact.or_else(|| named.next())
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    fn spelled(args: &str) -> String {
        let args = args.split(' ').map(OsString::from);
        spell_out(&command(), args).join(std::ffi::OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn numbers_in_clusters_are_levels() {
        assert_eq!(spelled("-9c"), "--level=9 -c");
        assert_eq!(spelled("-c19"), "-c --level=19");
        assert_eq!(spelled("-d1k"), "-d --level=1 -k");
        assert_eq!(spelled("-22"), "--level=22");
        assert_eq!(spelled("-0"), "--level=0");
    }

    #[test]
    fn numbers_behind_options_that_take_a_value_are_the_value() {
        assert_eq!(spelled("-p4"), "-p4");
        assert_eq!(spelled("-T0"), "-T0");
        assert_eq!(spelled("-b1M"), "-b1M");
        assert_eq!(spelled("-c19p4"), "-c --level=19 -p4");
        assert_eq!(spelled("-p 4 -4"), "-p 4 --level=4");
        assert_eq!(spelled("-o -9 -9"), "-o -9 --level=9");
        assert_eq!(spelled("--output -9 -9"), "--output -9 --level=9");
        assert_eq!(spelled("--thr -9 -9"), "--thr -9 --level=9");
        assert_eq!(spelled("--output=-9 -9"), "--output=-9 --level=9");
        assert_eq!(spelled("--fast -9"), "--fast --level=9");
    }

    #[test]
    fn behind_exec_all_words_from_the_first_that_is_no_option_are_the_program() {
        assert_eq!(spelled("--exec -o e -9 ls -f -1 -- x"), "--exec -o e --level=9 -- ls -f -1 -- x");
        assert_eq!(spelled("--exe - -9"), "--exe -- - -9");
        assert_eq!(spelled("--exec -- ls -9"), "--exec -- ls -9");
        assert_eq!(spelled("-o --exec ls -9"), "-o --exec ls --level=9");
    }

    #[test]
    fn files_and_what_follows_two_dashes_stay_as_they_are() {
        assert_eq!(spelled("- 9 a-9 -- -9"), "- 9 a-9 -- -9");
    }

    #[test]
    fn bytes_that_are_no_text_pass_through() {
        let odd = system::name::from_bytes(b"-o\xff9".to_vec());
        assert_eq!(spell_out(&command(), [odd.clone()]), [odd]);
        let odd = system::name::from_bytes(b"-\xff9".to_vec());
        assert_eq!(spell_out(&command(), [odd.clone()]), [odd]);
    }
}
