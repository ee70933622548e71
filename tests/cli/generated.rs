//! What is made from the definitions of the flags is committed, and current.
//!
//! The man pages and the completions are made again and compared with the files in man/ and completions/. After a
//! change of a flag, `make man` makes them anew. There is nothing to add for a new flag.

use std::path::Path;
use std::process::Command;

use crate::harness::Folder;

#[test]
fn man_page_and_completions_are_current() {
    let folder = Folder::new();
    for (what, file) in [
        ("man", "man/pzcomp.1"),
        ("bash", "completions/pzcomp.bash"),
        ("zsh", "completions/pzcomp.zsh"),
        ("fish", "completions/pzcomp.fish"),
    ] {
        let committed = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap_or_default();
        let made = folder.run(&format!("--generate {what}")).fine();
        assert!(committed == made, "{file} is not current; make it with: pzcomp --generate {what} > {file}");
    }
}

#[test]
fn the_man_page_has_all_options_and_sections() {
    let folder = Folder::new();
    let page = String::from_utf8(folder.run("--generate man").fine()).unwrap();
    for section in [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "FORMATS",
        "EXAMPLES",
        "EXIT STATUS",
        "ENVIRONMENT",
        "SEE ALSO",
    ] {
        assert!(page.contains(&format!("\n.SH {section}\n")), "{section}");
    }
    let help = String::from_utf8(folder.run("--help").fine()).unwrap();
    let options = help.split_whitespace().filter(|word| word.starts_with("--"));
    for option in options.map(|word| word.trim_end_matches([',', '.'])) {
        let name = option.split(['[', '=']).next().unwrap_or_default().replace('-', "\\-");
        assert!(page.contains(&name), "{option}");
    }
    for format in pzcomp::Format::all() {
        assert!(page.contains(&format!("\n{}\t{}", format.name(), format.suffix())), "{format}");
    }
}

#[test]
fn shells_accept_the_completions() {
    let folder = Folder::new();
    folder.write("completions", folder.run("--generate bash").fine());
    // Where there is no bash nobody needs the file.
    if let Ok(status) = Command::new("bash").arg("-n").arg(folder.path("completions")).status() {
        assert!(status.success());
    }
}
