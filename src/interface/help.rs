//! The help of a tool, made from its table of options.
//!
//! [`Interface::help`] returns the text that `--help` prints. The man page uses the same rows. `Interface::read` and
//! some messages call it.

use super::{Digits, Effect, Interface, Opt, Takes, Text};

/// The column of the help texts, and the width of the help.
const COLUMN: usize = 27;
const WIDTH: usize = 100;

impl<A> Interface<A> {
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
            let mut named = vec![option];
            while let Some(alias) = options.next_if(|next| next.text.is_alias) {
                named.push(alias);
            }
            if !option.text.help.is_empty() {
                rows.push((self.all_names(&named), option.text.help.to_owned()));
            }
        }
        match self.digits {
            Digits::Letters => {}
            Digits::Single(first, last, help, _) => rows.push((format!("-{first} ... -{last}"), help.into())),
            Digits::Number(names, help, _) => rows.push((names.into(), help.into())),
        }
        rows
    }

    /// The names of options that have no effect.
    pub(super) fn without_effect(&self) -> Vec<&'static str> {
        let idle = self.options.iter().filter(|option| matches!(option.effect, Effect::Ignored));
        idle.flat_map(|option| option.text.names.split(' ')).collect()
    }

    /// The refused options, and why each is refused.
    pub(super) fn refused(&self) -> Vec<(&'static str, &'static str)> {
        let refused = self.options.iter().filter_map(|option| match option.effect {
            Effect::Refused(why) => Some(option.text.names.split(' ').map(move |name| (name, why))),
            _ => None,
        });
        refused.flatten().collect()
    }

    fn refused_names(&self) -> Vec<&'static str> {
        self.refused().into_iter().map(|(name, _)| name).collect()
    }

    /// All names of an option as the help shows them, with the name of its value.
    fn all_names(&self, rows: &[&Opt<A>]) -> String {
        let Some(first) = rows.first() else { return String::new() };
        let value = first.value;
        let texts = || rows.iter().map(|row| row.text);
        let mut names: Vec<String> =
            texts().flat_map(Text::letters).map(|letter| format!("-{letter}")).collect();
        let indent = if names.is_empty() { "    " } else { "" };
        let letters = names.len();
        names.extend(texts().flat_map(Text::words).map(|word| format!("--{word}")));
        let value = match (names.len() > letters, first.takes) {
            _ if value.is_empty() => String::new(),
            (true, Takes::Value | Takes::Number) => format!("={value}"),
            (true, _) => format!("[={value}]"),
            (false, Takes::Value) => format!(" {value}"),
            (false, _) => value.into(),
        };
        format!("{indent}{}{value}", names.join(", "))
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
