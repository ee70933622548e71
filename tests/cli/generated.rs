//! What is made from the definitions of the flags is committed, and current.
//!
//! The man pages and the completions are made again and compared with the files in man/ and completions/. After a
//! change of a flag, `make man` makes them anew. There is nothing to add for a new flag.

use std::path::Path;
use std::process::Command;

use crate::harness::Folder;

/// The tools that have a man page of their own.
const TOOLS: [&str; 14] = [
    "gzip", "pigz", "igzip", "xz", "bzip2", "pbzip2", "lbzip2", "lzip", "plzip", "zstd", "lz4", "bgzip",
    "qpress", "snzip",
];

#[test]
fn man_pages_and_completions_are_current() {
    let folder = Folder::new();
    let pages = ["pzcomp"].iter().chain(&TOOLS).map(|name| (format!("{name}.1"), format!("man/{name}.1")));
    let shells = ["bash", "zsh", "fish"].iter();
    let completions = shells.map(|shell| (shell.to_string(), format!("completions/pzcomp.{shell}")));
    for (what, file) in pages.chain(completions) {
        let committed = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file)).unwrap_or_default();
        let made = folder.run(&format!("--generate {what}")).fine();
        assert!(committed == made, "{file} is not current; make it with: make man");
    }
}

#[test]
fn the_page_of_a_tool_has_each_row_of_its_help() {
    let folder = Folder::new();
    for tool in TOOLS {
        let page = String::from_utf8(folder.run(&format!("--generate {tool}.1")).fine()).unwrap();
        let help = String::from_utf8(folder.run(&format!("--as {tool} --help")).fine()).unwrap();
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
            assert!(
                page.contains(&format!("\n.SH \"{section}\"\n"))
                    || page.contains(&format!("\n.SH {section}\n")),
                "{tool}: {section}"
            );
        }
        let rows =
            help.lines().filter_map(|line| line.trim_start().split([' ', '=', '[', ',', '.', '/']).next());
        let rows: Vec<_> = rows.filter(|word| word.len() > 1 && word.starts_with('-')).collect();
        assert!(rows.len() > 5, "{tool}: {help}");
        for row in rows {
            assert!(page.contains(&row.replace('-', "\\-")), "{tool}: {row}");
        }
    }
}

#[test]
fn the_man_page_has_all_options_and_sections() {
    let folder = Folder::new();
    let page = String::from_utf8(folder.run("--generate pzcomp.1").fine()).unwrap();
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
    // Without -N, some kinds of nc do not end.
    assert!(page.contains("| nc \\-N "));
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

#[test]
fn bash_completes_files_values_and_the_program_of_exec() {
    let folder = Folder::new();
    folder.write("a-file", "");
    let complete = |words: &[&str]| {
        let script = "source \"$0\"; _command_offset() { echo \"program at $1\"; }; COMP_WORDS=(\"$@\"); \
                      COMP_CWORD=$(($# - 1)); compopt() { :; }; _pzcomp pzcomp \"${COMP_WORDS[-1]}\" \
                      \"${COMP_WORDS[-2]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
        let completions = concat!(env!("CARGO_MANIFEST_DIR"), "/completions/pzcomp.bash");
        let mut bash = folder.program("bash", ["-c", script, completions]);
        String::from_utf8(bash.args(words).output().unwrap().stdout).unwrap()
    };
    // With no proposal of its own, bash completes files.
    assert_eq!(complete(&["pzcomp", ""]), "\n");
    assert_eq!(complete(&["pzcomp", "-c", ""]), "\n");
    assert_eq!(complete(&["pzcomp", "--expect-e"]), "--expect-end\n");
    assert_eq!(complete(&["pzcomp", "--progress", "=", "j"]), "json\n");
    assert_eq!(complete(&["pzcomp", "--help", "=", "ta"]), "tar\n");
    assert!(complete(&["pzcomp", "--as", "gu"]).starts_with("gunzip\n"));
    assert!(complete(&["pzcomp", "--exec", "-o", "x", "--", "mari"]).starts_with("program at 5\n"));
}
