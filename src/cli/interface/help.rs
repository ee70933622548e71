//! The help of a tool, made from its table of options.
//!
//! [`Interface::help`] returns the text that `--help` prints. The man page uses the same rows. `interface::read` and
//! some messages call it.

use super::{Digits, Effect, Interface, Opt, Takes};

/// The column of the help texts, and the width of the help.
const COLUMN: usize = 27;
const WIDTH: usize = 100;

impl<T: Copy + PartialEq> Interface<T> {
    /// The text that `--help` prints. `program` is the name in it.
    pub(in super::super) fn help(&self, program: &str) -> String {
        let mut text = String::new();
        for (at, usage) in self.usage.iter().enumerate() {
            let word = if at == 0 { "Usage:" } else { "      " };
            text.push_str(&format!("{word} {program} {usage}\n"));
        }
        paragraph(&mut text, self.about);
        text.push('\n');
        for (names, help) in self.rows() {
            let names = format!("  {names}");
            let gap = COLUMN.saturating_sub(names.chars().count());
            match gap {
                0 | 1 => text.push_str(&format!("{names}\n{:COLUMN$}", "")),
                _ => text.push_str(&format!("{names}{:gap$}", "")),
            }
            wrap(&mut text, &help, COLUMN);
        }
        text.push('\n');
        for note in self.notes {
            paragraph(&mut text, note);
        }
        let lists = [("Accepted without effect", self.without_effect()), ("Refused", self.refused_names())];
        for (title, names) in lists.iter().filter(|(_, names)| !names.is_empty()) {
            paragraph(&mut text, &format!("{title}: {}.", names.join(", ")));
        }
        paragraph(
            &mut text,
            &format!("This is pzcomp, called as {program}: see {program}(1) and pzcomp(1)."),
        );
        text
    }

    /// The rows of the help: the names of an option, and its text.
    pub(super) fn rows(&self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let mut options = self.options.iter().peekable();
        while let Some(option) = options.next() {
            let mut names = vec![option];
            while let Some(alias) = options.next_if(|next| next.is_alias_of(option)) {
                names.push(alias);
            }
            if !option.help.is_empty() {
                rows.push((all_names(&names), option.help.to_owned()));
            }
        }
        match self.digits {
            Digits::Letters => {}
            Digits::Single(first, last, help) => rows.push((format!("-{first} ... -{last}"), help.into())),
            Digits::Number(names, help) => rows.push((names.into(), help.into())),
        }
        rows
    }

    /// The names of options that have no effect.
    pub(super) fn without_effect(&self) -> Vec<String> {
        let idle = self.options.iter().filter(|option| option.action == Effect::Ignored);
        idle.map(Opt::name).collect()
    }

    /// The refused options, and why each is refused.
    pub(super) fn refused(&self) -> Vec<(String, &'static str)> {
        let refused = self.options.iter().filter_map(|option| match option.action {
            Effect::Refused(why) => Some((option.name(), why)),
            _ => None,
        });
        refused.collect()
    }

    fn refused_names(&self) -> Vec<String> {
        self.refused().into_iter().map(|(name, _)| name).collect()
    }
}

impl<T: Copy + PartialEq> Opt<T> {
    /// Whether this row of the table is another name of the option in the row before.
    fn is_alias_of(&self, other: &Self) -> bool {
        (self.help.is_empty() || self.help == other.help) && self.action == other.action
    }
}

/// All names of an option as the help shows them, with the name of its value.
fn all_names<T>(options: &[&Opt<T>]) -> String {
    if options.iter().all(|option| option.is_word) {
        let names: Vec<String> =
            options.iter().map(|option| format!("-{}{}", option.long, option.value)).collect();
        return names.join(", ");
    }
    let letters = options.iter().flat_map(|option| option.short.chars());
    let mut names: Vec<String> = letters.map(|letter| format!("-{letter}")).collect();
    names.extend(options.iter().filter(|option| !option.long.is_empty()).map(|o| format!("--{}", o.long)));
    let mut names = names.join(", ");
    if options.iter().all(|option| option.short.is_empty()) {
        names.insert_str(0, "    ");
    }
    let Some(first) = options.first().filter(|option| !option.value.is_empty()) else {
        return names;
    };
    let value = first.value;
    let long = options.iter().find(|option| !option.long.is_empty());
    names
        + &match (long.map(|long| long.takes), first.takes) {
            (Some(Takes::Value), _) => format!("={value}"),
            (Some(_), _) => format!("[={value}]"),
            (None, Takes::Value) => format!(" {value}"),
            (None, _) => value.into(),
        }
}

/// Appends a paragraph.
fn paragraph(text: &mut String, paragraph: &str) {
    for line in paragraph.lines() {
        wrap(text, line, 0);
    }
}

/// Appends words in lines that begin at `column`. The text ends at that column already.
fn wrap(text: &mut String, words: &str, column: usize) {
    let mut at = column;
    for word in words.split(' ') {
        let len = word.chars().count();
        if at > column && at + 1 + len > WIDTH {
            text.push_str(&format!("\n{:column$}", ""));
            at = column;
        }
        if at > column {
            text.push(' ');
            at += 1;
        }
        text.push_str(word);
        at += len;
    }
    text.push('\n');
}
