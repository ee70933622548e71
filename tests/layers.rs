//! The order of the rooms of src/, which ARCHITECTURE.md states in a table, and two rules of the same kind.
//!
//! The tests read the sources as text. They go through every path that begins with `crate::` or `super::`, and compare
//! the room of the file with the room that the path leads to. Code that is compiled for tests only may import anything.
//!
//! Each rule has a list of exceptions with their reasons. A list can only become shorter: a test also fails if an
//! exception in it is no longer needed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Imports that go up: the file, the room that it imports, and why this is so today.
const UPWARD: &[(&str, &str, &str)] = &[
    (
        "src/cli/name.rs",
        "cli/dialect",
        "the table of names holds the dialect of each name, and dialects take a name",
    ),
    (
        "src/cli/report.rs",
        "cli/dialect",
        "a report asks its dialect for words, and dialects take a status of it",
    ),
];

/// Rooms that import each other, directly or through others, because of [`UPWARD`].
const CIRCLES: &[&[&str]] = &[&["cli/dialect", "cli/name", "cli/origin", "cli/report", "cli/source"]];

/// Names of formats in the pipeline: the file, the name, and why it is there today.
const NAMED: &[(&str, &str, &str)] = &[];

const FORMAT_NAMES: &[&str] =
    &["zstd", "gzip", "lz4", "xz", "bzip2", "lzip", "lzma", "zlib", "zip", "deflate", "crc32", "xxh"];

type Paths = BTreeSet<Vec<String>>;

/// The text between two marker comments of ARCHITECTURE.md.
fn section(name: &str) -> String {
    let text = read("ARCHITECTURE.md");
    let (begin, end) = (format!("<!-- {name} -->"), format!("<!-- end of {name} -->"));
    let section = text.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
    section.unwrap_or_else(|| panic!("ARCHITECTURE.md has no lines between {begin} and {end}")).0.to_owned()
}

/// The words in backticks of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All Rust files below a folder, by their paths from the root of the repository.
fn sources(folder: &str) -> Vec<String> {
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
fn code(text: &str, keeps_strings: bool) -> String {
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
fn tokens(code: &str) -> Vec<&str> {
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
fn outside_of_tests<'a>(tokens: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
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

/// The module of a file: `src/format/lz4/walk.rs` is `format`, `lz4`, `walk`.
fn module(file: &str) -> Vec<String> {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// The paths that begin with `crate::` or `super::`, from the root of the crate on.
fn paths(tokens: &[&str], module: &[String]) -> Paths {
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

/// The rooms with their rows in the table, counted from the top.
struct Rooms(BTreeMap<String, usize>);

impl Rooms {
    fn of_table() -> Self {
        let table = section("layers");
        let rows = table.lines().filter(|line| line.contains('`')).enumerate();
        let rooms = rows.flat_map(|(row, line)| quoted(line).map(move |room| (room.to_owned(), row)));
        Self(rooms.collect())
    }

    /// The room of a module, or of an item in one: the longest that its path begins with. Anything else is an item of
    /// lib.rs.
    fn of(&self, path: &[String]) -> &str {
        let longest = (1..=path.len()).rev().map(|len| path[..len].join("/"));
        let room = longest.filter_map(|room| self.0.get_key_value(&room)).next();
        room.map_or("lib", |(room, _)| room.as_str())
    }

    fn row(&self, room: &str) -> usize {
        self.0[room]
    }
}

/// Each import from one room into another: the file, its room, and the other.
fn imports(rooms: &Rooms) -> BTreeSet<(String, String, String)> {
    let files = sources("src");
    let texts: Vec<String> = files.iter().map(|file| code(&read(file), false)).collect();
    let read: Vec<_> = texts.iter().map(|text| outside_of_tests(&tokens(text))).collect();
    let mut tests_only = Paths::new();
    for (file, (_, for_tests)) in files.iter().zip(&read) {
        for name in for_tests {
            let mut path = if is_root(file) { Vec::new() } else { module(file) };
            path.push((*name).to_owned());
            tests_only.insert(path);
        }
    }
    let mut imports = BTreeSet::new();
    for (file, (tokens, _)) in files.iter().zip(&read) {
        let module = module(file);
        if tests_only.iter().any(|test| module.starts_with(test)) {
            continue;
        }
        let own = rooms.of(&module);
        assert!(own != "lib" || is_root(file), "{file} is in no room of the table in ARCHITECTURE.md");
        for path in paths(tokens, &module) {
            let other = rooms.of(&path);
            if other != own {
                imports.insert((file.clone(), own.to_owned(), other.to_owned()));
            }
        }
    }
    imports
}

fn is_root(file: &str) -> bool {
    matches!(file, "src/lib.rs" | "src/main.rs")
}

/// Groups of rooms that reach each other.
fn circles<'a>(edges: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Vec<&'a str>> {
    let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        reach.entry(from).or_default().insert(to);
    }
    loop {
        let mut next = reach.clone();
        for others in next.values_mut() {
            let farther: Vec<&str> =
                others.iter().filter_map(|other| reach.get(other)).flatten().copied().collect();
            others.extend(farther);
        }
        if next == reach {
            break;
        }
        reach = next;
    }
    let reaches = |from: &str, to: &str| reach.get(from).is_some_and(|others| others.contains(to));
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for &room in reach.keys().filter(|room| reaches(room, room)) {
        match groups.iter_mut().find(|group| reaches(group[0], room) && reaches(room, group[0])) {
            Some(group) => group.push(room),
            None => groups.push(vec![room]),
        }
    }
    groups
}

#[test]
fn a_room_imports_only_rooms_below_it() {
    let rooms = Rooms::of_table();
    let imports = imports(&rooms);
    let upward: BTreeSet<(&str, &str)> = imports
        .iter()
        .filter(|(_, own, other)| rooms.row(other) <= rooms.row(own))
        .map(|(file, _, other)| (file.as_str(), other.as_str()))
        .collect();
    let allowed: BTreeSet<(&str, &str)> = UPWARD.iter().map(|(file, room, _)| (*file, *room)).collect();
    let new: Vec<_> = upward.difference(&allowed).collect();
    assert!(new.is_empty(), "these files import rooms that are not below their own: {new:#?}");
    let gone: Vec<_> = allowed.difference(&upward).collect();
    assert!(gone.is_empty(), "take these from UPWARD, they are mended: {gone:#?}");
}

#[test]
fn no_rooms_form_a_circle() {
    let rooms = Rooms::of_table();
    let imports = imports(&rooms);
    let found = circles(imports.iter().map(|(_, own, other)| (own.as_str(), other.as_str())));
    assert_eq!(found, CIRCLES, "the circles found differ from those in CIRCLES");
}

#[test]
fn errors_and_descriptors_are_the_ground() {
    let rooms = Rooms::of_table();
    for (file, own, other) in imports(&rooms) {
        assert!(own != "error", "{file} imports {other}");
        assert!(own != "io" || other == "error", "{file} imports {other}");
    }
}

#[test]
fn every_room_of_the_table_is_there() {
    for room in Rooms::of_table().0.keys() {
        let [file, folder] = [format!("src/{room}.rs"), format!("src/{room}/mod.rs")];
        assert!([file, folder].iter().any(|path| root().join(path).exists()), "there is no {room} in src/");
    }
}

#[test]
fn the_pipeline_names_no_format() {
    let mut found = BTreeSet::new();
    for file in sources("src/pipeline") {
        let text = code(&read(&file), true).to_lowercase();
        // Iterators have methods of such names.
        let text = text.replace(".zip(", "(").replace(".unzip(", "(");
        for name in FORMAT_NAMES {
            let rest =
                FORMAT_NAMES.iter().filter(|longer| longer.len() > name.len() && longer.contains(name));
            let text = rest.fold(text.clone(), |text, longer| text.replace(longer, ""));
            if text.contains(name) {
                found.insert((file.clone(), *name));
            }
        }
    }
    let found: BTreeSet<(&str, &str)> = found.iter().map(|(file, name)| (file.as_str(), *name)).collect();
    let allowed: BTreeSet<(&str, &str)> = NAMED.iter().map(|(file, name, _)| (*file, *name)).collect();
    let new: Vec<_> = found.difference(&allowed).collect();
    assert!(new.is_empty(), "the pipeline names formats: {new:#?}");
    let gone: Vec<_> = allowed.difference(&found).collect();
    assert!(gone.is_empty(), "take these from NAMED, they are mended: {gone:#?}");
}

#[test]
fn unsafe_code_is_where_the_architecture_says() {
    let list = section("unsafe");
    let listed: BTreeSet<&str> = quoted(&list).collect();
    let is_listed =
        |file: &str, place: &str| file == place || place.ends_with('/') && file.starts_with(place);
    let mut used = BTreeSet::new();
    let is_code = |file: &String| {
        !["tests", "benches"].iter().any(|folder| file.split('/').any(|part| part == *folder))
    };
    for file in ["src", "crates"].into_iter().flat_map(sources).filter(is_code) {
        let text = code(&read(&file), false);
        if !outside_of_tests(&tokens(&text)).0.contains(&"unsafe") {
            continue;
        }
        let place = listed.iter().find(|place| is_listed(&file, place));
        used.insert(
            *place.unwrap_or_else(|| panic!("{file} has unsafe code and is not listed in ARCHITECTURE.md")),
        );
    }
    let unused: Vec<_> = listed.difference(&used).collect();
    assert!(unused.is_empty(), "ARCHITECTURE.md lists places without unsafe code: {unused:?}");
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

#[test]
fn circles_are_rooms_that_reach_each_other() {
    let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d"), ("x", "a")];
    assert_eq!(circles(edges.into_iter()), [vec!["a", "b", "c"], vec!["d", "e"]]);
}
