//! The man page of a tool, made from its table of options.
//!
//! [`Interface::page`] returns the source of the page. `--install-links` and `--generate` write it.

use roff::{Roff, bold, italic, roman};

use super::{Interface, Rules};

impl<A> Interface<A> {
    /// The source of the man page under this name. `others` are the other names that the page describes.
    pub(in super::super) fn page(&self, name: &str, others: &[&str]) -> String {
        let mut page = Roff::new();
        let version = format!("pzcomp {}", env!("CARGO_PKG_VERSION"));
        page.control("TH", [&*name.to_uppercase(), "1", " ", &version, "User Commands"]);
        page.control("SH", ["NAME"]);
        let names = [&[name], others].concat().join(", ");
        page.text([roman(format!("{names} - {}", self.summary))]);
        page.control("SH", ["SYNOPSIS"]);
        for (at, usage) in self.usage.iter().enumerate() {
            if at > 0 {
                page.control("br", []);
            }
            page.text([bold(name), roman(format!(" {usage}"))]);
        }
        page.control("SH", ["DESCRIPTION"]);
        page.text([roman(self.about)]);
        paragraph(
            &mut page,
            &format!(
                "This command is pzcomp, which behaves as {name} when it is called by this name. pzcomp(1) \
                 describes how it works and what is common to all names."
            ),
        );
        page.control("SH", ["OPTIONS"]);
        for (names, help) in self.rows() {
            entry(&mut page, names.trim_start(), &sentence(&help));
        }
        for note in self.notes {
            paragraph(&mut page, note);
        }
        let idle = self.without_effect();
        if !idle.is_empty() {
            page.control("SS", ["Accepted without effect"]);
            page.text([bold(idle.join(", "))]);
        }
        let refused = self.refused();
        if !refused.is_empty() {
            page.control("SS", ["Refused"]);
            for (name, why) in refused {
                entry(&mut page, name, &sentence(why));
            }
        }
        let posix = (self.rules == Rules::GetoptLong).then_some(POSIXLY_CORRECT);
        let variables: Vec<_> = self.variables.iter().copied().chain(posix).collect();
        entries(&mut page, "ENVIRONMENT", &variables);
        entries(&mut page, "EXIT STATUS", self.statuses);
        page.control("SH", ["SEE ALSO"]);
        page.text([bold("pzcomp"), roman("(1)")]);
        page.render()
    }
}

/// The variable that the function `getopt_long` reads.
const POSIXLY_CORRECT: (&str, &str) =
    ("POSIXLY_CORRECT", "if it is set, all arguments behind the first file name are file names");

/// Adds a section of named entries, if there are any.
fn entries(page: &mut Roff, title: &str, entries: &[(&str, &str)]) {
    if entries.is_empty() {
        return;
    }
    page.control("SH", [title]);
    for (name, text) in entries {
        entry(page, name, &sentence(text));
    }
}

/// Adds a paragraph under a name. The name of a value is in italics.
fn entry(page: &mut Roff, name: &str, text: &str) {
    page.control("TP", []);
    let marks = ["[=", "=", " "].iter().filter(|_| name.starts_with('-') && !name.contains("..."));
    match marks.filter_map(|mark| name.split_once(mark).map(|parts| (*mark, parts))).next() {
        Some((mark, (option, value))) if !option.ends_with(',') => {
            let (value, end) = value.strip_suffix(']').map_or((value, ""), |value| (value, "]"));
            page.text([bold(option), roman(mark), italic(value), roman(end)]);
        }
        _ => {
            page.text([bold(name)]);
        }
    }
    page.text([roman(text)]);
}

fn paragraph(page: &mut Roff, text: &str) {
    page.control("PP", []);
    page.text([roman(text)]);
}

/// A help text as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
