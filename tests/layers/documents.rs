//! The documents: files that they name exist, blocks of code end, and lines of prose are short, in comments too.
//!
//! To let a document name a file that does not exist, write NAME in its path, as CONTRIBUTING.md does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::code::{read, root, sources};

/// The most characters of a line of prose.
const WIDTH: usize = 120;
/// What stands before the text of a line, in a comment too.
const MARKS: [char; 3] = [' ', '/', '!'];
/// A program writes some lines of this page.
const GENERATED: &str = "README.md";

/// The Markdown files of the repository, but for the licences of others.
fn pages() -> Vec<String> {
    let crates = fs::read_dir(root().join("crates")).into_iter().flatten().flatten();
    let crates = crates.map(|found| format!("crates/{}", found.file_name().display()));
    let folders = [
        "",
        "docs",
        "python",
        "capi",
        "gz",
        "benches",
        "benches/results",
        "scripts",
        "crates/pzcomp-lib/src/format/gzip",
        "crates/pzcomp-lib/src/format/zstd",
    ];
    let folders = folders.map(str::to_owned).into_iter().chain(crates);
    let mut pages = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(root().join(&folder)).into_iter().flatten().flatten();
        let names = entries.map(|found| found.file_name().display().to_string());
        let names = names.filter(|name| name.ends_with(".md") && name != "THIRD-PARTY.md");
        pages.extend(names.map(|name| format!("{folder}/{name}").trim_start_matches('/').to_owned()));
    }
    pages.sort();
    pages
}

/// The name by which a link leads to a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_')).collect()
}

#[test]
fn links_of_documents_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = read(&page);
        for (number, line) in prose(&text).0 {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
            for target in targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:")) {
                count += 1;
                let (file, heading) = target.split_once('#').unwrap_or((target, ""));
                let folder = Path::new(&page).parent().unwrap_or(Path::new(""));
                let path = if file.is_empty() { PathBuf::from(&page) } else { folder.join(file) };
                let is_there = root().join(&path).exists()
                    && (heading.is_empty() || {
                        let text = fs::read_to_string(root().join(&path)).unwrap_or_default();
                        let mut headings =
                            prose(&text).0.into_iter().filter(|(_, line)| line.starts_with('#'));
                        headings.any(|(_, line)| anchor(line) == heading)
                    });
                if !is_there {
                    broken.push(format!("{page}:{number}: {target}"));
                }
            }
        }
    }
    assert!(count > 100, "{count} links were found");
    assert!(broken.is_empty(), "links that lead nowhere: {broken:#?}");
}

/// The lines of a page or of comments outside of blocks of code, with their numbers, and whether the last block of code
/// ends.
fn prose(text: &str) -> (Vec<(usize, &str)>, bool) {
    let mut is_code = false;
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let is_fence = line.trim_start_matches(MARKS).starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    let lines = lines.map(|(number, line)| (number + 1, line)).collect();
    (lines, !is_code)
}

/// The paths of files that stand between backticks in a line.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let is_path = |text: &&str| {
        let is_named = |sign: char| sign.is_ascii_alphanumeric() || "_./-".contains(sign);
        text.contains('/')
            && [".rs", ".py", ".mk"].iter().any(|end| text.ends_with(end))
            && text.chars().all(is_named)
    };
    line.split('`').skip(1).step_by(2).filter(is_path)
}

#[test]
fn files_that_documents_name_exist() {
    let mut files: Vec<String> =
        ["src", "crates", "tests", "benches", "fuzz", "python", "capi", "gz"].map(sources).concat();
    files.push("build.rs".into());
    let exists = |path: &str| {
        ["", "python", "capi", "gz"].iter().any(|folder| root().join(folder).join(path).is_file())
            || files.iter().any(|file| file.ends_with(path.trim_start_matches('.')))
    };
    let headers = files.iter().filter(|file| file.ends_with(".rs")).flat_map(|file| {
        let text = read(file);
        let lines = text.lines().filter(|line| line.starts_with("//!")).map(str::to_owned);
        lines.map(move |line| (file.clone(), line)).collect::<Vec<_>>()
    });
    let pages = pages().into_iter().flat_map(|page| {
        let lines: Vec<String> = read(&page).lines().map(str::to_owned).collect();
        lines.into_iter().map(move |line| (page.clone(), line))
    });
    let mut missing = Vec::new();
    let mut count = 0;
    for (page, line) in headers.chain(pages) {
        for path in paths(&line).filter(|path| !path.contains("NAME")) {
            count += 1;
            if !exists(path) {
                missing.push(format!("{page}: {path}"));
            }
        }
    }
    assert!(count > 100, "paths were found");
    assert!(missing.is_empty(), "no such files: {missing:#?}");
}

#[test]
fn the_tests_that_promises_name_are_there() {
    let text = read("docs/reliability.md");
    let table = text.split_once("<!-- tests").and_then(|(_, rest)| rest.split_once("<!-- end of tests -->"));
    let rows: Vec<&str> = table.unwrap_or_default().0.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10, "the table of promises was found");
    let tests: String = ["tests", "crates"].into_iter().flat_map(sources).map(|file| read(&file)).collect();
    for name in rows[2..].iter().flat_map(|row| row.rsplit('|').nth(1)).flat_map(|cell| cell.split('`')) {
        let is_name = name.contains('_');
        assert!(!is_name || tests.contains(&format!("fn {name}()")), "no test is called {name}");
    }
    let readme = read("README.md");
    let links: Vec<(&str, &str)> =
        readme.split("[`").filter_map(|rest| rest.split_once(")")?.0.split_once("`](")).collect();
    let promises = links.iter().filter(|(_, file)| file.ends_with(".rs"));
    let found = promises.filter(|(name, file)| read(file).contains(&format!("fn {name}()"))).count();
    assert!(
        found >= 6 && found == links.iter().filter(|(_, file)| file.ends_with(".rs")).count(),
        "{links:#?}"
    );
}

#[test]
fn blocks_of_code_end_and_lines_of_prose_are_short() {
    let mut found = Vec::new();
    for page in pages() {
        let text = read(&page);
        let (lines, ends) = prose(&text);
        if !ends {
            found.push(format!("{page}: a block of code does not end"));
        }
        let is_long = |line: &str| line.chars().count() > WIDTH && !line.starts_with('|');
        let long = lines
            .iter()
            .filter(|(_, line)| page != GENERATED && !page.starts_with("benches/results") && is_long(line));
        found.extend(long.map(|(number, _)| format!("{page}:{number}: more than {WIDTH} characters")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The lines of a source with all lines empty that are no comments.
fn comments(text: &str) -> String {
    let lines = text.lines().map(|line| if line.trim_start().starts_with("//") { line } else { "" });
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn lines_of_comments_are_short() {
    let folders = ["src", "crates", "tests", "benches", "fuzz", "python", "capi", "gz"];
    let mut found = Vec::new();
    for file in folders.map(sources).concat() {
        let text = comments(&read(&file));
        // A line of a layout of bytes may be longer: it has gaps.
        let is_long =
            |line: &str| line.chars().count() > WIDTH && !line.trim_start_matches(MARKS).contains("  ");
        let (lines, ends) = prose(&text);
        if !ends {
            found.push(format!("{file}: a block of code in a comment does not end"));
        }
        let long = lines.into_iter().filter(|(_, line)| is_long(line));
        found.extend(long.map(|(number, _)| format!("{file}:{number}: more than {WIDTH} characters")));
    }
    assert!(found.is_empty(), "{found:#?}");
}
