//! The members that `--extract` names: by their names, by the folder that they are in, or by patterns.
//!
//! `*` stands for any characters, also slashes, `?` for one, and `[...]` for one of a set, as GNU tar takes them.
//! Slashes at both ends of a name and `./` at its start do not count, and `.` is the folder of all members.

/// Names and patterns, and which of them were found.
pub(super) struct Choice<'a> {
    names: Vec<(&'a [u8], bool)>,
}

impl<'a> Choice<'a> {
    /// All members, if there are no names.
    pub(super) fn new(names: &'a [Vec<u8>]) -> Self {
        Self { names: names.iter().map(|name| (&name[..], false)).collect() }
    }

    /// Whether all members are chosen.
    pub(super) fn is_all(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a member of this name is chosen.
    pub(super) fn takes(&mut self, name: &[u8]) -> bool {
        let name = plain(name);
        let mut is_chosen = self.names.is_empty();
        for (pattern, is_found) in &mut self.names {
            if matches(plain(pattern), name) {
                (*is_found, is_chosen) = (true, true);
            }
        }
        is_chosen
    }

    /// The names that no member has.
    pub(super) fn missing(&self) -> impl Iterator<Item = &'a [u8]> {
        self.names.iter().filter(|(_, is_found)| !is_found).map(|&(name, _)| name)
    }
}

/// A name without slashes and `./` before it, and without slashes behind it. That of the folder of all members is
/// empty.
pub(super) fn plain(mut name: &[u8]) -> &[u8] {
    while let Some(rest) = name.strip_prefix(b"./").or_else(|| name.strip_prefix(b"/")) {
        name = rest;
    }
    while let Some(rest) = name.strip_suffix(b"/") {
        name = rest;
    }
    if name == b"." { b"" } else { name }
}

/// Whether one of the names is that of this member, without a pattern.
pub(super) fn is_named(names: &[Vec<u8>], member: &[u8]) -> bool {
    names.iter().any(|name| plain(name) == plain(member))
}

/// Whether the name, or a folder that it is in, is that of the pattern.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if pattern.is_empty() || name.strip_prefix(pattern).is_some_and(|rest| matches!(rest, [] | [b'/', ..])) {
        return true;
    }
    let is_pattern = pattern.iter().any(|byte| b"*?[\\".contains(byte));
    is_pattern && (is_like(pattern, name) || is_like(&within(pattern), name))
}

/// The pattern of what is in the folders of this pattern. One pass over a name is enough for it, however many folders
/// the name has.
fn within(pattern: &[u8]) -> Vec<u8> {
    let escapes = pattern.iter().rev().take_while(|&&byte| byte == b'\\').count();
    // A last backslash that escapes nothing stands for itself.
    let escape: &[u8] = if escapes % 2 == 1 { b"\\" } else { b"" };
    [pattern, escape, b"/*"].concat()
}

fn is_like(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    // Behind the last star, and where the text goes on behind what the star stands for.
    let mut again = None;
    while from < text.len() {
        let next = pattern.get(at).map(|&byte| (byte, element(&pattern[at..], text[from])));
        match next {
            Some((b'*', _)) => {
                at += 1;
                again = Some((at, from));
            }
            Some((_, Some(len))) => {
                at += len;
                from += 1;
            }
            _ => match again {
                Some((behind, passed)) => {
                    again = Some((behind, passed + 1));
                    (at, from) = (behind, passed + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

/// How many bytes of the pattern stand for this byte, if they do.
fn element(pattern: &[u8], byte: u8) -> Option<usize> {
    match *pattern {
        [b'?', ..] => Some(1),
        [b'\\', escaped, ..] => (escaped == byte).then_some(2),
        [b'[', ref set @ ..] => match in_set(set, byte) {
            Some((holds, len)) => holds.then_some(len + 1),
            // Without its end it is no set.
            None => (byte == b'[').then_some(1),
        },
        [first, ..] => (first == byte).then_some(1),
        [] => None,
    }
}

/// Whether a byte is in the set behind a bracket, and the length of the set with its end.
fn in_set(set: &[u8], byte: u8) -> Option<(bool, usize)> {
    let is_not = matches!(set.first(), Some(b'!' | b'^'));
    let start = usize::from(is_not);
    let (mut at, mut holds) = (start, false);
    loop {
        let first = *set.get(at)?;
        if first == b']' && at > start {
            return Some((holds != is_not, at + 1));
        }
        match (set.get(at + 1), set.get(at + 2)) {
            (Some(b'-'), Some(&last)) if last != b']' => {
                holds |= (first..=last).contains(&byte);
                at += 3;
            }
            _ => {
                holds |= first == byte;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_folders_and_patterns_choose_members() {
        let yes = [
            ("a/b", "a/b"),
            ("a/b", "./a/b"),
            ("./a", "a/"),
            ("a", "a/b/c"),
            ("a/", "a/b"),
            ("*.txt", "a/b.txt"),
            ("a/?", "a/b/c"),
            ("[a-c]?", "bx"),
            ("[!a]*", "bcd"),
            ("a\\*", "a*"),
            ("[", "["),
            ("a[b", "a[b"),
            ("*b*d", "abcbd"),
            ("[]]", "]"),
            ("a**", "a"),
            (".", "./a/b"),
            ("./", "c"),
            ("/a", "a/b"),
            ("a", "/a"),
            ("?*", "a/b/c"),
            ("b*\\", "bc\\/d"),
            ("[a]", "a/[b]"),
            ("*/c", "a/b/c/d"),
        ];
        let no = [
            ("a/b", "a/bc"),
            ("b", "a/b"),
            ("*.txt", "b.txt.gz"),
            ("[!a]", "a"),
            ("a\\*", "ab"),
            ("?", ""),
            ("a?", "a"),
            ("*/c", "a/b/cd"),
            ("[a", "a/b"),
            ("?", "ab/c"),
        ];
        for (pattern, name) in yes {
            assert!(matches(plain(pattern.as_bytes()), plain(name.as_bytes())), "{pattern} {name}");
        }
        for (pattern, name) in no {
            assert!(!matches(plain(pattern.as_bytes()), plain(name.as_bytes())), "{pattern} {name}");
        }
        let names = [b"a".to_vec(), b"x*".to_vec(), b"y".to_vec()];
        let mut choice = Choice::new(&names);
        assert_eq!([choice.takes(b"a/b"), choice.takes(b"xyz"), choice.takes(b"c")], [true, true, false]);
        assert_eq!(choice.missing().collect::<Vec<_>>(), [b"y"]);
        // A pattern of many stars takes no long time.
        assert!(!matches(&b"*a".repeat(500), &b"b".repeat(5000)));
        // Neither does a name of many folders.
        assert!(!matches(b"*.conf", &b"a/".repeat(1 << 20)));
    }
}
