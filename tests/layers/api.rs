//! The public surface of the library: `docs/api.txt` lists it, and the sources must agree with the list.
//!
//! The names come from `pub use` and `pub mod` in lib.rs and in the public modules. The methods, fields and variants
//! come from the sources of the area, or of the engine. The sources are formatted, so the depth of a line says what it
//! belongs to. `API=write cargo test --test layers` writes the list anew.

use std::collections::BTreeSet;
use std::fs;

use crate::code::{read, root, sources};

/// What is at hand at the root without a module. More than this are too many to choose from.
const ROOT_FUNCTIONS_MAX: usize = 12;

/// A source without what is hidden in the documentation: the line behind such an attribute.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut is_hidden = false;
    for line in text.lines() {
        match line.trim() {
            "#[doc(hidden)]" => is_hidden = true,
            attribute if attribute.starts_with("#[") || attribute.starts_with("//") => {}
            _ if is_hidden => is_hidden = false,
            _ => lines.push(line),
        }
    }
    lines
}

/// The words of a name, up to the first sign that cannot be in one.
fn name(text: &str) -> &str {
    text.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next().unwrap_or_default()
}

/// The names that a `pub use` gives, each with the first part of its path.
fn used(text: &str) -> Vec<(String, String)> {
    let statements = text.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let mut found = Vec::new();
    for statement in statements {
        let path = statement.strip_prefix("crate::").unwrap_or(statement);
        let origin = name(path).to_owned();
        let names = path.rsplit_once("::").map_or(path, |(_, last)| last);
        let listed = path.split_once('{').map_or(names, |(_, list)| list.trim_end_matches('}'));
        let names = listed.split(',').map(str::trim).filter(|name| !name.is_empty());
        found.extend(names.map(|name| (name.to_owned(), origin.clone())));
    }
    found
}

/// Where the type with this name is defined: the text behind the name, and the kind.
fn definition<'a>(name: &str, texts: &'a [(String, String)]) -> Option<(&'static str, &'a str)> {
    for (_, text) in texts {
        for kind in ["struct", "enum", "trait", "fn", "const", "type"] {
            let begin = format!("\npub {kind} {name}");
            let place = text.match_indices(&begin).map(|(at, _)| &text[at + begin.len()..]);
            let mut whole =
                place.filter(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_'));
            if let Some(rest) = whole.next() {
                return Some((kind, rest));
            }
        }
    }
    None
}

/// The lines in the braces that open first, without those of a definition in one line.
fn block(rest: &str) -> Vec<&str> {
    let first = rest.lines().next().unwrap_or_default();
    match first.ends_with(';') || first.ends_with('}') {
        true => Vec::new(),
        false => rest.split("\n}").next().map(lines).unwrap_or_default(),
    }
}

/// What a type has: methods, fields and variants.
fn members(kind: &str, name_of_type: &str, rest: &str, texts: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for line in block(rest).into_iter().skip(1) {
        let Some(inside) = line.strip_prefix("    ").filter(|inside| !inside.starts_with(' ')) else {
            continue;
        };
        match (kind, inside.strip_prefix("pub ")) {
            ("struct", Some(field)) => found.push(format!("field {name_of_type}.{}", name(field))),
            ("enum", _) if inside.starts_with(char::is_uppercase) => {
                found.push(format!("variant {name_of_type}::{}", name(inside)));
            }
            ("trait", _) => {
                found.extend(
                    inside.strip_prefix("fn ").map(|method| format!("fn {name_of_type}::{}", name(method))),
                );
            }
            _ => {}
        }
    }
    for (_, text) in texts {
        for implementation in text.split("\nimpl").skip(1) {
            let header = implementation.split('{').next().unwrap_or_default();
            // Behind the parameters of the block.
            let subject = match header.strip_prefix('<') {
                Some(parameters) => parameters.split_once("> ").map_or("", |(_, rest)| rest),
                None => header.trim_start(),
            };
            if header.contains(" for ") || name(subject) != name_of_type {
                continue;
            }
            for line in implementation.split("\n}").next().map(lines).unwrap_or_default() {
                let method =
                    line.strip_prefix("    pub fn ").or_else(|| line.strip_prefix("    pub const fn "));
                let constant = line.strip_prefix("    pub const ").filter(|rest| !rest.starts_with("fn "));
                found.extend(method.map(|method| format!("fn {name_of_type}::{}", name(method))));
                found.extend(constant.map(|constant| format!("const {name_of_type}::{}", name(constant))));
            }
        }
    }
    found
}

/// The file of a module of the library, by its path from `src/`.
fn module_file(path: &str) -> Option<String> {
    let files = [format!("crates/pzcomp-lib/src/{path}.rs"), format!("crates/pzcomp-lib/src/{path}/mod.rs")];
    files.into_iter().find(|file| root().join(file).exists())
}

fn texts(folder: &str) -> Vec<(String, String)> {
    sources(folder).into_iter().map(|file| (file.clone(), read(&file))).collect()
}

/// The whole surface, sorted.
fn surface() -> BTreeSet<String> {
    let (ours, engine) = (texts("crates/pzcomp-lib/src"), texts("crates/engine/src"));
    let (records, tar) = (texts("crates/recovery/src"), texts("crates/tar/src"));
    let root_text = lines(&read("crates/pzcomp-lib/src/lib.rs")).join("\n");
    let mut names: Vec<(String, String, String)> = Vec::new();
    let mut modules: Vec<(String, String)> = Vec::new();
    for piece in root_text.split("\npub mod ").skip(1) {
        let module = name(piece).to_owned();
        match piece[module.len()..].starts_with(';') {
            true => modules.push((module.clone(), module)),
            false => {
                let inside = piece.split("\n}").next().unwrap_or_default();
                names.extend(
                    used(inside).into_iter().map(|(name, origin)| (format!("{module}::"), name, origin)),
                );
            }
        }
    }
    // What stands in a module in braces is indented.
    let at_root: String =
        root_text.split("\npub use ").skip(1).map(|rest| format!("pub use {rest}\n")).collect();
    for (name, origin) in used(&at_root) {
        match module_file(&format!("{origin}/{name}")).filter(|_| name.starts_with(char::is_lowercase)) {
            Some(_) if origin == "stream" => modules.push((name.clone(), format!("{origin}/{name}"))),
            _ => names.push((String::new(), name, origin)),
        }
    }
    for (module, path) in modules {
        let Some(file) = module_file(&path) else { panic!("the module {module} has no file") };
        let text = lines(&read(&file)).join("\n");
        let prefix = format!("{module}::");
        names.extend(used(&text).into_iter().map(|(name, origin)| (prefix.clone(), name, origin)));
        for line in text.lines().filter_map(|line| line.strip_prefix("pub ")) {
            let (kind, rest) = line.split_once(' ').unwrap_or_default();
            if ["fn", "struct", "enum", "trait", "const", "type"].contains(&kind) {
                names.push((prefix.clone(), name(rest).to_owned(), module.clone()));
            }
        }
    }
    let mut found = BTreeSet::new();
    for (prefix, name, origin) in names {
        if let Some((_, other)) = name.split_once(" as ") {
            found.insert(format!("mod {prefix}{other}"));
            continue;
        }
        let texts = match origin.as_str() {
            "engine" => &engine,
            "pzcomp_recovery" => &records,
            "pzcomp_tar" => &tar,
            _ => &ours,
        };
        let area: Vec<(String, String)> = match origin.as_str() {
            "engine" | "pzcomp_recovery" | "pzcomp_tar" => texts.clone(),
            _ => texts
                .iter()
                .filter(|(file, _)| {
                    file.starts_with(&format!("crates/pzcomp-lib/src/{origin}/"))
                        || *file == format!("crates/pzcomp-lib/src/{origin}.rs")
                })
                .cloned()
                .collect(),
        };
        // An area passes on what another area defines.
        let areas = [(&area, texts), (&ours, &ours), (&engine, &engine)];
        let defined = areas.into_iter().find_map(|(area, texts)| Some((definition(&name, area)?, texts)));
        let Some(((kind, rest), texts)) = defined else {
            panic!("{prefix}{name} is public, and its definition was not found")
        };
        found.insert(format!("{kind} {prefix}{name}"));
        if ["struct", "enum", "trait"].contains(&kind) {
            let members = members(kind, &name, rest, texts);
            found.extend(members.into_iter().map(|member| member.replacen(' ', &format!(" {prefix}"), 1)));
        }
    }
    found
}

#[test]
fn the_public_surface_is_the_list_in_the_docs() {
    let found = surface();
    let text: String = found.iter().map(|line| format!("{line}\n")).collect();
    if std::env::var_os("API").is_some() {
        fs::write(root().join("docs/api.txt"), &text).unwrap();
    }
    let listed: BTreeSet<String> = read("docs/api.txt").lines().map(str::to_owned).collect();
    let new: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "docs/api.txt lacks {new:#?}, and lists {gone:#?}; `API=write cargo test --test layers` writes it anew"
    );
}

#[test]
fn few_functions_are_at_the_root() {
    let found = surface();
    let functions: Vec<_> = found
        .iter()
        .filter_map(|line| line.strip_prefix("fn "))
        .filter(|name| !name.contains("::"))
        .collect();
    assert!(functions.len() <= ROOT_FUNCTIONS_MAX && !functions.is_empty(), "{functions:?}");
}
