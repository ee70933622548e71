//! [`printable`]: names from files and archives, as messages and lists show them.
//!
//! Archives can hold any name. A terminal obeys control characters, and some characters of Unicode change the order of
//! the letters around them, break the line or are invisible. With them a name could look like another one, or like a
//! message of pzcomp. Errors, listings and the readers of archives call this.

use std::borrow::Cow;

/// The name with U+FFFD in place of each byte that is not UTF-8, and of each character that is not shown as itself:
/// control characters, ends of lines, and characters that change the direction of writing or are invisible. So a name
/// can stand in a message.
///
/// ```
/// assert_eq!(pzcomp::printable(b"a\x1b[2Jb"), "a\u{fffd}[2Jb");
/// ```
pub fn printable(name: &[u8]) -> String {
    match String::from_utf8_lossy(name) {
        Cow::Borrowed(name) if !name.contains(misleads) => name.into(),
        name => {
            name.chars().map(|sign| if misleads(sign) { char::REPLACEMENT_CHARACTER } else { sign }).collect()
        }
    }
}

/// Whether this character is a control character, changes the direction of writing, ends a line, or is an invisible one
/// that no script needs.
fn misleads(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_replaced_and_letters_stay() {
        let replaced = "a\u{fffd}b";
        for sign in
            ['\n', '\u{1b}', '\u{9b}', '\u{202e}', '\u{2028}', '\u{2029}', '\u{2066}', '\u{200f}', '\u{feff}']
        {
            assert_eq!(printable(format!("a{sign}b").as_bytes()), replaced, "{sign:?}");
        }
        assert_eq!(printable(b"a\xffb"), replaced);
        // The two joiners belong to the spelling of some languages, and to emoji.
        for name in [
            "d/\u{e4}\u{f6}\u{fc} \u{65e5}\u{672c}",
            "\u{645}\u{6cc}\u{200c}\u{62e}",
            "a\u{200d}b",
            "\\ '\"*",
        ] {
            assert_eq!(printable(name.as_bytes()), name);
        }
    }
}
