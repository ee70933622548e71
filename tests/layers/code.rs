//! Reads Rust sources as text: their tokens, and the paths in them that begin with `crate::` or `super::`.
//!
//! Comments and strings are passed over, and code that is compiled for tests only is kept apart. To change what counts
//! as a path, add a line to the test below.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) type Paths = BTreeSet<Vec<String>>;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All Rust files below a folder, by their paths from the root of the repository.
pub(crate) fn sources(folder: &str) -> Vec<String> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    found.sort();
    let relative = |path: &PathBuf| path.strip_prefix(root()).unwrap_or(path).display().to_string();
    found.iter().map(relative).collect()
}

/// The code without its comments, and without the contents of its strings if so wanted.
pub(crate) fn code(text: &str, keeps_strings: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    let starts =
        |at: usize, what: &str| what.chars().eq(chars[at..].iter().copied().take(what.chars().count()));
    while at < chars.len() {
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            while at < chars.len() && !starts(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if let Some(hashes) = raw_string(&chars[at..]) {
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = at + hashes + 2;
            at = begin;
            while at < chars.len() && !starts(at, &end) {
                at += 1;
            }
            out.extend(chars[begin..at].iter().filter(|_| keeps_strings));
            at += end.len();
        } else if chars[at] == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                let len = if chars[at] == '\\' { 2 } else { 1 };
                out.extend(chars[at..chars.len().min(at + len)].iter().filter(|_| keeps_strings));
                at += len;
            }
            at += 1;
        } else if chars[at] == '\'' && (chars.get(at + 1) == Some(&'\\') || chars.get(at + 2) == Some(&'\''))
        {
            // A character, and no lifetime.
            at += if chars[at + 1] == '\\' { 3 } else { 2 };
            while at < chars.len() && chars[at] != '\'' {
                at += 1;
            }
            at += 1;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// The number of hashes, if a raw string begins here.
fn raw_string(chars: &[char]) -> Option<usize> {
    let rest = chars.strip_prefix(&['r'])?;
    let hashes = rest.iter().take_while(|&&letter| letter == '#').count();
    (rest.get(hashes) == Some(&'"')).then_some(hashes)
}

/// Words, `::`, and single other characters.
pub(crate) fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let len = match first {
            _ if word(first) => rest.find(|letter| !word(letter)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    tokens
}

/// A module: its tokens without those for tests, and the names of its child modules that are for tests only.
pub(crate) fn outside_of_tests<'a>(tokens: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut kept, mut for_tests) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at..].starts_with(&["#", "[", "cfg", "("]) {
            kept.push(tokens[at]);
            at += 1;
            continue;
        }
        let end = at + tokens[at..].iter().position(|token| *token == "]").unwrap_or(0) + 1;
        let is_for_tests = tokens[at..end].contains(&"test") && !tokens[at..end].contains(&"not");
        at = end;
        if !is_for_tests {
            continue;
        }
        // The item ends with a semicolon or with its braces.
        let mut depth = 0;
        while at < tokens.len() {
            if tokens[at] == "mod" && depth == 0 {
                for_tests.push(tokens[at + 1]);
            }
            depth += i32::from(tokens[at] == "{") - i32::from(tokens[at] == "}");
            at += 1;
            if depth == 0 && matches!(tokens[at - 1], ";" | "}") {
                break;
            }
        }
    }
    (kept, for_tests)
}

/// The module of a file in a package: `src/dialect/lz4/words.rs` is `dialect`, `lz4`, `words`.
pub(crate) fn module(file: &str) -> Vec<String> {
    let path = file.split_once("src/").map_or(file, |(_, path)| path);
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// The paths that begin with `crate::` or `super::`, from the root of the crate on.
pub(crate) fn paths(tokens: &[&str], module: &[String]) -> Paths {
    let mut found = Paths::new();
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        let mut base = match token {
            "crate" => Vec::new(),
            "super" => module[..module.len() - 1].to_vec(),
            _ => continue,
        };
        // What `pub(in …)` names is no import.
        let is_visibility = at >= 2 && tokens[at - 2] == "in";
        if tokens.get(at) == Some(&"::") && !is_visibility {
            at = follow(tokens, at + 1, &mut base, &mut found);
        }
    }
    found
}

/// Goes on with a path behind its `::`, into braces as well; the place behind it.
fn follow(tokens: &[&str], mut at: usize, base: &mut Vec<String>, found: &mut Paths) -> usize {
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token {
            "super" => {
                base.pop();
            }
            "{" => {
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = follow(tokens, at, &mut base.clone(), found);
                    if tokens.get(at) == Some(&",") {
                        at += 1;
                    }
                }
                return at + 1;
            }
            "*" => break,
            _ => base.push(token.to_owned()),
        }
        if tokens.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    if tokens.get(at) == Some(&"as") {
        at += 2;
    }
    found.insert(base.clone());
    at
}

#[test]
fn paths_are_found_wherever_they_are() {
    let text = r##"
        use crate::error::{Error, inner::Deep as Other, *};
        use super::{sibling::Item, super::aunt};
        pub(crate) fn of(x: crate::Options) -> &'static str { "crate::not" /* crate::nor */ }
        #[cfg(test)]
        mod tests { use crate::above; fn f() {} }
        #[cfg(not(test))]
        use crate::kept; // crate::comment
        const RAW: &str = r#"crate::raw"#; const QUOTE: char = '"'; use crate::last;
    "##;
    let code = code(text, false);
    let (tokens, for_tests) = outside_of_tests(&tokens(&code));
    let module = ["format", "gzip", "walk"].map(str::to_owned);
    let found: Vec<String> = paths(&tokens, &module).iter().map(|path| path.join("::")).collect();
    let expected = [
        "Options",
        "error",
        "error::Error",
        "error::inner::Deep",
        "format::aunt",
        "format::gzip::sibling::Item",
        "kept",
        "last",
    ];
    assert_eq!(found, expected);
    assert_eq!(for_tests, ["tests"]);
}
