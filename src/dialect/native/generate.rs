//! The man page of pzcomp and the shell completions, made from the clap definitions, the table of formats and the fixed
//! parts in page/.
//!
//! The hidden option `--generate` prints them, and `make man` stores them in man/ and completions/. A test compares
//! the stored files with what this file makes.

use clap_complete::Shell;
use clap_mangen::Man;
use pzcomp::Format;

use super::{command, help};

/// The completion script for a shell.
pub(super) fn completions(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "pzcomp", &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    if shell == Shell::Bash { for_bash(&text) } else { text }
}

/// The completions for bash, with files where no option is begun, with values behind `=`, which is a word of its own
/// for bash, and with the program behind `--exec … --`.
fn for_bash(text: &str) -> String {
    const OPTIONS: &str = "COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )";
    let text = text.replace(" || ${COMP_CWORD} -eq 1 ]]", " ]]");
    let values = VALUES.replace("TOPICS", &help::names().join(" "));
    let text = text.replacen("    for i in", &format!("{values}{PROGRAM}    for i in"), 1);
    match text.rsplit_once(OPTIONS) {
        Some((before, behind)) => format!("{before}COMPREPLY=(){behind}"),
        None => text,
    }
}

/// The word in front of `=` is the option. Only behind `=`, --help has a value.
const VALUES: &str = "\
    if [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $prev == --help && \" ${COMP_WORDS[*]:COMP_CWORD - 1} \" == *' = '* ]]; then
        COMPREPLY=($(compgen -W \"TOPICS\" -- \"$cur\"))
        return 0
    fi

";

/// The package bash-completion has the function.
const PROGRAM: &str = "\
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- && \" ${COMP_WORDS[*]:0:i} \" == *\" --exec \"* ]]; then
            declare -F _command_offset >/dev/null && _command_offset $((i + 1))
            return 0
        fi
    done

";

/// The man page of pzcomp itself.
pub(super) fn page() -> String {
    let mut command = command();
    command.build();
    let source = command.render_version().trim().to_owned();
    let man = Man::new(command).title("PZCOMP").date(" ").source(source).manual("User Commands");
    let (mut head, mut options) = (Vec::new(), Vec::new());
    // Writing to memory does not fail.
    let _ = man.render_title(&mut head);
    let _ = man.render_name_section(&mut head);
    let _ = man.render_synopsis_section(&mut head);
    let _ = man.render_description_section(&mut head);
    let _ = man.render_options_section(&mut options);
    // The help has several headings for options. On the man page they are parts of one section.
    let options = String::from_utf8_lossy(&options).replace(".SH OPTIONS\n", "").replace(".SH ", ".SS ");
    // clap_mangen leaves out that several files can be named.
    let options = options.replace("[\\fIFILE\\fR]\n", "[\\fIFILE\\fR]...\n");
    // The first line tells man to run tbl, which formats the table.
    let text = [
        "'\\\" t\n",
        &String::from_utf8_lossy(&head),
        DESCRIPTION,
        ".SH OPTIONS\n",
        OPTIONS,
        &options,
        &formats(),
        SECTIONS,
    ];
    text.concat()
}

/// The section with the table of formats.
fn formats() -> String {
    let mut section = String::from(
        ".SH FORMATS\n\
         The standard tool of each format reads the output without options.\n\
         .PP\n\
         .TS\n\
         lb lb lb lb\n\
         l l l l.\n\
         name\tsuffixes\tlevels\tdefault\n",
    );
    for format in Format::all() {
        let suffixes: Vec<&str> = format.suffixes().iter().map(|(suffix, _)| *suffix).collect();
        let levels = format.levels();
        let fast = format
            .fast_levels()
            .map_or_else(String::new, |fast| format!(", \\-\\-fast={}\\(en{}", fast.start(), fast.end()));
        let (lowest, highest, default) = (levels.start(), levels.end(), format.default_level());
        section.push_str(&format!(
            "{}\t{}\t{lowest}\\(en{highest}{fast}\t{default}\n",
            format.name(),
            suffixes.join(" ")
        ));
    }
    section.push_str(".TE\n");
    section
}

/// The parts of the page that no definition gives.
const DESCRIPTION: &str = include_str!("page/description.roff");
const OPTIONS: &str = include_str!("page/options.roff");
const SECTIONS: &str = include_str!("page/sections.roff");
