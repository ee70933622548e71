//! The help of pzcomp: `-h` prints a page with the usual options, `--help` all of them, and `--help=TOPIC` a page of
//! docs/.
//!
//! [`short`] gives the usual options a text of one line for `-h`, and hides the others there. [`topic`] takes a page of
//! the documentation, which is compiled in, and sets its paragraphs for a terminal.

use clap::{Arg, Command};

/// The options that `-h` shows, with the line that it has for each.
const USUAL: &[(&str, &str)] = &[
    ("decompress", "Decompress"),
    ("test", "Verify everything, and write nothing"),
    ("list", "Print formats, sizes, check and index"),
    ("to", "Decompress, and compress again as FORMAT"),
    ("range", "With -d: only these bytes of the plain data"),
    ("salvage", "With -d: keep what is intact of a damaged file"),
    ("recovery", "Write recovery records into the output, for --repair"),
    ("repair", "Mend each damaged file by its recovery records"),
    ("stdout", "Write to standard output, and keep the files"),
    ("output", "Write to FILE"),
    ("rm", "Remove each input file when its output is on disk"),
    ("force", "Overwrite files"),
    ("recursive", "Take the files in directories"),
    ("exec", "Compress what a program writes: --exec -o FILE -- PROGRAM"),
    ("verify", "Decode the output while it is written, and compare it"),
    ("format", "Format to write [default: zstd]"),
    ("level", "Level, also given as -N"),
    ("threads", "Number of worker threads [default: all CPUs]"),
    ("memory", "Limit of the memory, as 64M"),
    ("bench", "Measure formats and levels on a sample, and recommend one"),
    ("quiet", "Print no warnings"),
    ("verbose", "Print sizes, speed and memory of each stream"),
    ("help", "Print this page; --help prints all options"),
    ("version", "Print the version; with -v the libraries too"),
];

/// The pages that `--help=TOPIC` prints.
const TOPICS: &[(&str, &str)] = &[
    ("formats", include_str!("../../../docs/formats.md")),
    ("backup", include_str!("../../../docs/operators.md")),
    ("damage", include_str!("../../../docs/salvage.md")),
    ("recovery", include_str!("../../../docs/recovery.md")),
    ("index", include_str!("../../../docs/index-format.md")),
    ("tar", include_str!("../../../docs/tar.md")),
    ("slow-pipes", include_str!("../../../docs/slow-pipe.md")),
    ("python", include_str!("../../../docs/python.md")),
];

/// The last column of a paragraph.
const WIDTH: usize = 80;

/// The command with a short help of the usual options.
pub(super) fn short(command: Command) -> Command {
    let topics = format!("pzcomp --help=TOPIC prints a page about {}.", names().join(", "));
    let facts = "PZCOMP in the environment has default options. Exit status: 1 an error, 2 a warning.";
    let all = format!("pzcomp --help prints all options. {topics}\n{facts}");
    let topics = format!("{topics}\n{facts}");
    command
        .mut_args(|arg| match USUAL.iter().find(|(id, _)| arg.get_id() == id) {
            Some((_, line)) => usual(arg, line),
            None if arg.is_positional() => arg,
            None => arg.hide_short_help(true),
        })
        .after_help(all)
        .after_long_help(topics)
}

fn usual(arg: Arg, line: &'static str) -> Arg {
    let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
    arg.help(line).long_help(long)
}

pub(super) fn names() -> Vec<&'static str> {
    TOPICS.iter().map(|&(name, _)| name).collect()
}

/// The page about a topic, or a sentence that names the topics.
pub(super) fn topic(wanted: &str) -> Result<String, String> {
    match TOPICS.iter().find(|(name, _)| *name == wanted) {
        Some((_, page)) => Ok(set(page)),
        None => Err(format!("--help has no page about '{wanted}'; expected {}", names().join(", "))),
    }
}

/// A page of Markdown as text for a terminal: paragraphs and items are set to the width, and addresses are left out.
fn set(page: &str) -> String {
    let (mut text, mut paragraph, mut is_code) = (String::new(), String::new(), false);
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        if is_code || is_fence || line.is_empty() || line.starts_with(['|', '#', '<']) {
            flush(&mut text, &mut paragraph);
            is_code ^= is_fence;
            match (is_code, is_fence || line.starts_with("<!--")) {
                (_, true) => {}
                (true, _) => text.push_str(&format!("    {line}\n")),
                (false, _) => text.push_str(&format!("{}\n", without_addresses(line))),
            }
            continue;
        }
        let words = line.trim_start();
        if words.starts_with("- ") || is_numbered(words) {
            flush(&mut text, &mut paragraph);
            paragraph.push_str(line);
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(if paragraph.is_empty() { line } else { words });
        }
    }
    flush(&mut text, &mut paragraph);
    text
}

/// Whether a line begins an item such as `1. `.
fn is_numbered(words: &str) -> bool {
    words.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok())
}

/// Appends a paragraph in lines of the width. The lines of an item begin below its first word.
fn flush(text: &mut String, paragraph: &mut String) {
    let words = without_addresses(paragraph);
    let indent = words.len() - words.trim_start().len();
    let first = words.trim_start();
    let column = indent
        + if first.starts_with("- ") {
            2
        } else if is_numbered(first) {
            3
        } else {
            0
        };
    let mut at = 0;
    for word in first.split_whitespace() {
        let len = word.chars().count();
        if at == 0 {
            text.push_str(&" ".repeat(indent));
            at = indent;
        } else if at + 1 + len > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(column));
            at = column;
        } else {
            text.push(' ');
            at += 1;
        }
        text.push_str(word);
        at += len;
    }
    if at > 0 {
        text.push('\n');
    }
    paragraph.clear();
}

/// A text with the words of each link, and without its address.
fn without_addresses(text: &str) -> String {
    let mut left = text;
    // A link alone in parentheses leads nowhere.
    let mut shorter = String::new();
    while let Some((before, rest)) = left.split_once(" ([") {
        shorter.push_str(before);
        match rest.split_once("))") {
            Some((link, behind)) if link.contains("](") && !link.contains(['[', ')', '`']) => left = behind,
            _ => {
                shorter.push_str(" ([");
                left = rest;
            }
        }
    }
    shorter.push_str(left);
    left = &shorter;
    let mut out = String::new();
    while let Some((before, rest)) = left.split_once('[') {
        out.push_str(before);
        match rest.split_once("](").and_then(|(words, rest)| Some((words, rest.split_once(')')?.1))) {
            Some((words, rest)) if !words.contains(['[', ']']) => {
                out.push_str(words);
                left = rest;
            }
            _ => {
                out.push('[');
                left = rest;
            }
        }
    }
    out + left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_set_for_a_terminal() {
        let page = "# Title\n\nSome words\nof a [page](there.md) ([why](x.md)), and `[x]`.\n\n- an item\n  that goes on\n1. one\n\n\
                    ```sh\nls [a](b)\n```\n<!-- mark -->\n| a | b |\n";
        let text = "# Title\n\nSome words of a page, and `[x]`.\n\n- an item that goes on\n1. one\n\n    ls [a](b)\n| a | b |\n";
        assert_eq!(set(page), text);
        for (name, _) in TOPICS {
            let page = topic(name).unwrap();
            let long =
                page.lines().find(|line| line.chars().count() > WIDTH && !line.starts_with(['|', ' ', '#']));
            assert_eq!(long, None, "{name}");
        }
    }

    #[test]
    fn the_usual_options_and_all_topics_exist() {
        let command = super::super::command();
        for (id, _) in USUAL {
            assert!(command.get_arguments().any(|arg| arg.get_id() == id), "{id}");
        }
        let help = command.get_arguments().find(|arg| arg.get_id() == "help").and_then(Arg::get_help);
        let help = help.map(ToString::to_string).unwrap_or_default();
        names().iter().for_each(|name| assert!(help.contains(name), "{name} is not in: {help}"));
    }
}
