//! The lines of `-l --tar`, which are those of `tar -tv`: rights, owner and group, size, time, and name.

use std::borrow::Cow;
use std::io::Write;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use pzcomp::printable;
use pzcomp::tar::{Kind, Member};

use super::super::write;
use crate::error::CliError;

/// So many bytes are written at a time.
const WRITE_LEN: usize = 64 << 10;

/// The least width of owner, group and size together, and that of the time.
const WIDTH: usize = 19;
const TIME_WIDTH: usize = 16;

/// The seconds of 400 years, after which the calendar and its weekdays are the same again.
const CYCLE: i64 = 146_097 * 86_400;

/// The seconds behind which `jiff` has no times: the end of the year 9999, less two days for time zones.
const LAST: i64 = 253_402_300_799 - 2 * 86_400;

/// Writes a line for each member.
pub(super) struct Lines<'a, W> {
    out: &'a mut W,
    text: Vec<u8>,
    zone: TimeZone,
    /// The width of owner, group and size. It grows, as that of GNU tar.
    width: usize,
    time_width: usize,
    /// The last minute and its text. Members of one time often follow each other.
    minute: (i64, String),
}

impl<'a, W: Write> Lines<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        Self {
            out,
            text: Vec::new(),
            zone: TimeZone::system(),
            width: WIDTH,
            time_width: TIME_WIDTH,
            minute: (i64::MIN, String::new()),
        }
    }

    /// Writes the line of a member.
    pub(super) fn put(&mut self, member: &Member) -> Result<(), CliError> {
        let (user, group) = (owner(&member.user, member.uid), owner(&member.group, member.gid));
        let size = match member.kind() {
            Kind::CharDevice | Kind::BlockDevice => format!("{},{}", member.device.0, member.device.1),
            _ => member.size.to_string(),
        };
        let len = user.len() + group.len() + size.len() + 2;
        self.width = self.width.max(len);
        let (minute, pad) = (member.mtime.div_euclid(60), self.width - len + size.len());
        if self.minute.0 != minute {
            self.minute = (minute, time(member.mtime, &self.zone));
            self.time_width = self.time_width.max(self.minute.1.len());
        }
        let text = &mut self.text;
        text.extend_from_slice(&rights(member));
        text.push(b' ');
        text.extend_from_slice(&user);
        text.push(b'/');
        text.extend_from_slice(&group);
        let time_pad = self.time_width;
        // Writing to a vector does not fail.
        let _ = write!(text, " {size:>pad$} {:<time_pad$} ", self.minute.1);
        text.extend_from_slice(&quoted(&member.name));
        match member.kind() {
            Kind::Symlink => {
                text.extend_from_slice(b" -> ");
                text.extend_from_slice(&quoted(&member.link));
            }
            Kind::HardLink => {
                text.extend_from_slice(b" link to ");
                text.extend_from_slice(&quoted(inside(&member.link)));
            }
            Kind::Unknown | Kind::Other => match member.flag {
                b'V' => text.extend_from_slice(b"--Volume Header--"),
                b'M' => text.extend_from_slice(b"--Continued at another volume--"),
                flag => {
                    text.extend_from_slice(" unknown file type ‘".as_bytes());
                    text.extend_from_slice(&quoted(&[flag]));
                    text.extend_from_slice("’".as_bytes());
                }
            },
            _ => {}
        }
        text.push(b'\n');
        if self.text.len() >= WRITE_LEN { self.flush() } else { Ok(()) }
    }

    /// Writes what is left.
    pub(super) fn flush(&mut self) -> Result<(), CliError> {
        let written = write(self.out, &self.text);
        self.text.clear();
        written
    }
}

fn owner(name: &[u8], number: u64) -> Cow<'_, [u8]> {
    if name.is_empty() { number.to_string().into_bytes().into() } else { quoted(name) }
}

/// A time to the minute. The seconds, if the year has no name.
fn time(seconds: i64, zone: &TimeZone) -> String {
    // Times that `jiff` does not have are those of a like year.
    let cycles = match seconds {
        ..0 => seconds.saturating_add(LAST).div_euclid(CYCLE).min(0),
        _ => seconds.saturating_sub(LAST).div_euclid(CYCLE).max(-1) + 1,
    };
    let like = cycles.checked_mul(CYCLE).and_then(|past| Timestamp::from_second(seconds - past).ok());
    let Some(like) = like.map(|like| like.to_zoned(zone.clone())) else { return seconds.to_string() };
    let year = i64::from(like.year()) + 400 * cycles;
    // The system has years of 32 bits.
    match i32::try_from(year - 1900) {
        Ok(_) => format!("{year}-{}", like.strftime("%m-%d %H:%M")),
        Err(_) => seconds.to_string(),
    }
}

/// The target of a hard link as tar takes it: without what is before the last `..`, and without slashes at its start.
fn inside(link: &[u8]) -> &[u8] {
    let (mut at, mut start) = (0, 0);
    for part in link.split_inclusive(|&byte| byte == b'/') {
        if matches!(part, b".." | b"../") {
            start = at + 2;
        }
        at += part.len();
    }
    let slashes = link[start..].iter().take_while(|&&byte| byte == b'/').count();
    match &link[start + slashes..] {
        [] => b".",
        inside => inside,
    }
}

/// The kind of a member and its rights, in ten letters.
fn rights(member: &Member) -> [u8; 10] {
    let kind = match (member.kind(), member.flag) {
        (Kind::File, b'7') => b'C',
        (Kind::File, _) => b'-',
        (Kind::HardLink, _) => b'h',
        (Kind::Symlink, _) => b'l',
        (Kind::CharDevice, _) => b'c',
        (Kind::BlockDevice, _) => b'b',
        (Kind::Directory, _) => b'd',
        (Kind::Fifo, _) => b'p',
        (_, flag @ (b'V' | b'M')) => flag,
        _ => b'?',
    };
    let mut letters = *b"?---------";
    letters[0] = kind;
    for (at, letter) in b"rwxrwxrwx".iter().enumerate() {
        if member.mode >> (8 - at) & 1 != 0 {
            letters[at + 1] = *letter;
        }
    }
    for (bit, at, with, without) in
        [(0o4000, 3, b's', b'S'), (0o2000, 6, b's', b'S'), (0o1000, 9, b't', b'T')]
    {
        if member.mode & bit != 0 {
            letters[at] = if letters[at] == b'x' { with } else { without };
        }
    }
    letters
}

/// A name as GNU tar prints it: characters that are not shown as themselves become escapes.
fn quoted(name: &[u8]) -> Cow<'_, [u8]> {
    // Most names are shown as they are.
    if name.iter().all(|&byte| matches!(byte, b' '..=b'~') && byte != b'\\') {
        return name.into();
    }
    let mut text = Vec::with_capacity(name.len());
    for part in name.utf8_chunks() {
        for sign in part.valid().chars() {
            let escape = match sign {
                '\\' => b'\\',
                '\x07' => b'a',
                '\x08' => b'b',
                '\t' => b't',
                '\n' => b'n',
                '\x0b' => b'v',
                '\x0c' => b'f',
                '\r' => b'r',
                sign => {
                    let mut bytes = [0; 4];
                    let bytes = sign.encode_utf8(&mut bytes).as_bytes();
                    match sign.is_ascii_graphic() || sign == ' ' || printable(bytes).as_bytes() == bytes {
                        true => text.extend_from_slice(bytes),
                        false => octal(&mut text, bytes),
                    }
                    continue;
                }
            };
            text.extend([b'\\', escape]);
        }
        octal(&mut text, part.invalid());
    }
    text.into()
}

fn octal(text: &mut Vec<u8>, bytes: &[u8]) {
    bytes.iter().for_each(|byte| text.extend_from_slice(format!("\\{byte:03o}").as_bytes()));
}
