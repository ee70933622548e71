//! The order of the areas in the command and in the library, which ARCHITECTURE.md states in two tables, and rules of
//! the same kind: which areas name no format, and where `unsafe` occurs. `api.rs` checks the public surface,
//! `documents.rs` the pages, and `outputs.rs` that no error of an output is dropped.
//!
//! The tests read the sources as text. They go through every path that begins with `crate::` or `super::`, and compare
//! the area of the file with the area that the path leads to. Code that is compiled for tests only may import anything.
//! No rule has an exception.

mod api;
mod code;
mod documents;
mod outputs;

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Paths, code, module, outside_of_tests, paths, read, root, sources, tokens};

const FORMAT_NAMES: &[&str] = &[
    "zstd", "gzip", "lz4", "xz", "bzip2", "lzip", "lzma", "zlib", "zip", "lzw", "lzh", "qpress", "snappy",
    "lzop", "lzf", "deflate", "crc32", "xxh",
];

/// Areas that are for all formats: they ask the table of formats, and name none.
const GENERAL: [&str; 6] = ["decompress", "inspect", "salvage", "seekable", "stream", "verify"];

/// The sources of the command and of the library, and the table of each.
const PACKAGES: [(&str, &str); 2] = [("src", "command"), (LIBRARY, "library")];
const LIBRARY: &str = "crates/pzcomp-lib/src";

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

/// The areas with their rows in the table, counted from the top.
struct Areas(BTreeMap<String, usize>);

/// The area of `main.rs` or `lib.rs`.
const ROOT: &str = "the root";

impl Areas {
    fn of_table(name: &str) -> Self {
        let table = section(name);
        let rows = table.lines().filter(|line| line.contains('`')).enumerate();
        let areas = rows.flat_map(|(row, line)| quoted(line).map(move |area| (area.to_owned(), row + 1)));
        Self(areas.chain([(ROOT.to_owned(), 0)]).collect())
    }

    /// The area of a module, or of an item in one: the longest that its path begins with. Anything else is an item of
    /// the root.
    fn of(&self, path: &[String]) -> &str {
        let longest = (1..=path.len()).rev().map(|len| path[..len].join("/"));
        let area = longest.filter_map(|area| self.0.get_key_value(&area)).next();
        area.map_or(ROOT, |(area, _)| area.as_str())
    }

    fn row(&self, area: &str) -> usize {
        self.0[area]
    }
}

/// Each import from one area of a package into another: the file, its area, and the other.
fn imports(folder: &str, areas: &Areas) -> BTreeSet<(String, String, String)> {
    let files = sources(folder);
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
        let own = areas.of(&module);
        assert!(own != ROOT || is_root(file), "{file} is in no area of the table in ARCHITECTURE.md");
        for path in paths(tokens, &module) {
            let other = areas.of(&path);
            if other != own {
                imports.insert((file.clone(), own.to_owned(), other.to_owned()));
            }
        }
    }
    imports
}

fn is_root(file: &str) -> bool {
    file.ends_with("src/lib.rs") || file.ends_with("src/main.rs")
}

/// Groups of areas that reach each other.
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
    for &area in reach.keys().filter(|area| reaches(area, area)) {
        match groups.iter_mut().find(|group| reaches(group[0], area) && reaches(area, group[0])) {
            Some(group) => group.push(area),
            None => groups.push(vec![area]),
        }
    }
    groups
}

#[test]
fn a_room_imports_only_rooms_below_it() {
    for (folder, name) in PACKAGES {
        let areas = Areas::of_table(name);
        let upward: BTreeSet<_> = imports(folder, &areas)
            .into_iter()
            .filter(|(_, own, other)| areas.row(other) <= areas.row(own))
            .map(|(file, _, other)| (file, other))
            .collect();
        assert!(upward.is_empty(), "these files import areas that are not below their own: {upward:#?}");
    }
}

#[test]
fn no_rooms_form_a_circle() {
    for (folder, name) in PACKAGES {
        let imports = imports(folder, &Areas::of_table(name));
        assert!(imports.len() > 50);
        let found = circles(imports.iter().map(|(_, own, other)| (own.as_str(), other.as_str())));
        assert!(found.is_empty(), "these areas import each other: {found:?}");
    }
}

#[test]
fn the_errors_of_the_library_import_no_area() {
    for (file, own, other) in imports(LIBRARY, &Areas::of_table("library")) {
        assert!(own != "error", "{file} imports {other}");
    }
}

#[test]
fn every_room_of_the_table_is_there() {
    for (folder, name) in PACKAGES {
        for area in Areas::of_table(name).0.keys().filter(|area| *area != ROOT) {
            let [file, module] = [format!("{folder}/{area}.rs"), format!("{folder}/{area}/mod.rs")];
            assert!([file, module].iter().any(|path| root().join(path).exists()), "no {area} in {folder}");
        }
    }
}

#[test]
fn the_engine_names_no_format() {
    let mut found = BTreeSet::new();
    let files = sources("crates/engine");
    assert!(files.len() > 30);
    for file in files {
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
    assert!(found.is_empty(), "the engine names formats: {found:#?}");
}

/// The variants of `Format`: the lines of the enum that hold one word and a comma.
fn variants() -> Vec<String> {
    let text = read(&format!("{LIBRARY}/format/id.rs"));
    let list = text.split_once("enum Format {").unwrap_or_default().1.split("}\n").next().unwrap_or_default();
    let name = |line: &str| line.trim().strip_suffix(',').map(str::to_owned);
    let is_word = |name: &String| name.chars().all(char::is_alphanumeric);
    list.lines().filter_map(name).filter(is_word).collect()
}

#[test]
fn general_rooms_name_no_format() {
    let variants = variants();
    assert!(variants.len() > 10);
    let mut found = BTreeSet::new();
    let areas = || {
        GENERAL.iter().flat_map(|area| {
            let of_area = format!("{LIBRARY}/{area}");
            sources(LIBRARY).into_iter().filter(move |file| file.starts_with(&of_area))
        })
    };
    assert!(areas().count() > 50);
    for file in areas().filter(|file| !file.ends_with("tests.rs")) {
        let text = code(&read(&file), false);
        let tokens = tokens(&text);
        let (tokens, _) = outside_of_tests(&tokens);
        for path in tokens.windows(3).filter(|path| path[..2] == ["Format", "::"]) {
            if variants.iter().any(|variant| variant == path[2]) {
                found.insert((file.clone(), path[2].to_owned()));
            }
        }
        for path in tokens.windows(3).filter(|path| path[..2] == ["format", "::"]) {
            // CRC-32 is a checksum of several formats.
            let is_format = FORMAT_NAMES.contains(&path[2]) && path[2] != "crc32";
            if is_format {
                found.insert((file.clone(), path[2].to_owned()));
            }
        }
    }
    assert!(found.is_empty(), "these areas name formats: {found:#?}");
}

/// What formats share is in areas beside them.
#[test]
fn no_format_imports_another() {
    let area = |path: &[String]| match path {
        [format, name, ..] if format == "format" && FORMAT_NAMES.contains(&name.as_str()) => {
            Some(name.clone())
        }
        _ => None,
    };
    let mut found = BTreeSet::new();
    let mut areas = BTreeSet::new();
    for file in sources(&format!("{LIBRARY}/format")) {
        let (module, text) = (module(&file), code(&read(&file), false));
        let Some(own) = area(&module) else { continue };
        let tokens = tokens(&text);
        for path in paths(&outside_of_tests(&tokens).0, &module) {
            if area(&path).is_some_and(|other| other != own) {
                found.insert((file.clone(), path.join("::")));
            }
        }
        areas.insert(own);
    }
    assert!(areas.len() > 12, "{areas:?}");
    assert!(found.is_empty(), "formats import each other: {found:#?}");
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
    for file in
        ["src", "crates", "python/src", "capi/src", "gz/src"].into_iter().flat_map(sources).filter(is_code)
    {
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
fn circles_are_rooms_that_reach_each_other() {
    let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d"), ("x", "a")];
    assert_eq!(circles(edges.into_iter()), [vec!["a", "b", "c"], vec!["d", "e"]]);
}

/// What systems answer differently is in one package, and no other names them or a crate for one. The version names the
/// C library.
#[test]
fn systems_differ_in_one_package() {
    const EXCEPTIONS: [&str; 2] = ["crates/system/", "src/version.rs"];
    let mut found = Vec::new();
    for file in ["src", "crates", "capi", "python"].into_iter().flat_map(sources).filter(|file| {
        let is_test =
            ["tests", "benches", "examples"].iter().any(|name| file.split('/').any(|part| part == *name));
        !is_test && !EXCEPTIONS.iter().any(|place| file.starts_with(place))
    }) {
        let text = code(&read(&file), true);
        let (kept, _) = text.split_once("\nmod tests {").unwrap_or((&text, ""));
        let words = ["target_os", "target_env", "target_vendor", "\"/proc", "\"/sys"];
        let crates = ["rustix::", "libc::", "std::os::", "signal_hook", "windows_sys"];
        let named = words.into_iter().chain(crates).filter(|word| kept.contains(word));
        found.extend(named.map(|word| format!("{file}: {word}")));
    }
    assert!(found.is_empty(), "only crates/system asks for the system: {found:#?}");
}
