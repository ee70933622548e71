//! Reads the usual command lines without clap.
//!
//! clap makes the definitions of all options before it reads the first word. This takes longer than a short file, so
//! [`flags`] reads lines of a few options by itself, and leaves all other lines to clap. `parse` calls it. For each
//! line, both give the same flags.

use std::ffi::OsString;

use pzcomp::Format;

use super::flags::Flags;

/// The flags of these arguments. Nothing if clap must read them.
pub(super) fn flags(args: &[OsString]) -> Option<Flags> {
    let mut flags = Flags::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_encoded_bytes() {
            b"-F" => {
                let name = args.next()?;
                flags.format = Some(Format::all().find(|format| name == format.name())?);
            }
            [b'-', letters @ ..] if !letters.is_empty() => group(letters, &mut flags)?,
            _ => flags.files.push(arg.clone()),
        }
    }
    Some(flags)
}

/// Reads a group of flags without values, with one level at most.
fn group(letters: &[u8], flags: &mut Flags) -> Option<()> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let level = letters.iter().position(is_digit).unwrap_or(letters.len());
    let (front, level) = letters.split_at(level);
    let (level, back) = level.split_at(level.iter().take_while(|byte| is_digit(byte)).count());
    if !level.is_empty() {
        flags.level = Some(std::str::from_utf8(level).ok()?.parse().ok()?);
    }
    for letter in front.iter().chain(back) {
        match letter {
            b'c' => flags.stdout = true,
            b'd' => flags.decompress = true,
            b'f' => flags.force = true,
            b'k' => flags.keep = true,
            b'q' => flags.quiet = true,
            b't' => flags.test = true,
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::{command, read};
    use super::*;

    #[test]
    fn usual_lines_mean_what_they_mean_to_clap() {
        let words = ["-1", "-c", "-dk", "-c19f", "-9q", "-F zstd", "-F gzip", "-tq", "file", "-", "-d", "-3"];
        let mut usual = 0;
        for first in words {
            for second in words {
                let line: Vec<_> = format!("{first} {second}").split(' ').map(OsString::from).collect();
                let Some(flags) = flags(&line) else { continue };
                let by_clap = read(command(), line.clone()).unwrap();
                assert_eq!(format!("{flags:?}"), format!("{by_clap:?}"), "{line:?}");
                usual += 1;
            }
        }
        assert_eq!(usual, 144);
        assert_eq!(format!("{:?}", flags(&[])), format!("{:?}", read(command(), []).ok()));
    }

    #[test]
    fn lines_that_are_not_usual_are_left_to_clap() {
        for line in
            ["-h", "-V", "-9x", "-p4", "-1c2", "--", "--list", "-v", "-99999999999", "-F xyz", "-F", "-é"]
        {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(flags(&words).is_none(), "{line}");
        }
    }
}
