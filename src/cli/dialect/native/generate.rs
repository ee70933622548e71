//! The man page of pzcomp and the shell completions, made from the clap definitions and the table of formats.
//!
//! The hidden option `--generate` prints them, and `make man` stores them in man/ and completions/. A test compares
//! the stored files with what this file makes.

use clap_complete::Shell;
use clap_mangen::Man;
use pzcomp::Format;

use super::command;

/// The completion script for a shell.
pub(super) fn completions(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "pzcomp", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

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

const DESCRIPTION: &str = r".PP
pzcomp cuts the input into chunks that do not depend on each other. It compresses the chunks on all cores, and
writes them as frames, in order. An index follows if the format has room for an index. The standard tool of the
format reads the output. The output depends on the input, the options and the version only. The number of threads
does not change it.
.PP
To decompress, pzcomp recognises the format by the first bytes of the data. The input can hold streams of
several formats, one after the other. pzcomp uses several cores if the data can be cut, also if the input is a
pipe.
.PP
An output file gets its name when the output is complete. It gets the mode, owner and times of its input file. pzcomp overwrites existing files only with
.BR \-f .
";

const OPTIONS: &str = r#".PP
Short options can be joined in a group, and options can follow file names. A number in a group of short
options is a level:
.B \-c19
is
.BR "\-c \-\-level 19" .
A size is a number of bytes, or has a unit, which is a power of 1024:
.BR 64K ,
.BR 4MiB ,
.BR 1g .
If options contradict each other, the last one counts.
.B \-T
is another name of
.BR \-p .
"#;

const SECTIONS: &str = r#".SH EXAMPLES
.TP
\fBmariadb\-backup \-\-backup \-\-stream=xbstream | pzcomp | nc host 9999\fR
Compress a backup on its way to another machine.
.TP
\fBnc \-l 9999 | pzcomp \-d | mbstream \-x\fR
Decompress the backup on the other machine, and restore it.
.TP
\fBpzcomp \-F gzip \-9 dump.sql\fR
Write dump.sql.gz beside dump.sql.
.TP
\fBpzcomp \-d \-\-rm *.zst\fR
Decompress files, and remove each input when its output is on disk.
.TP
\fBpzcomp \-\-to xz \-\-rm dump.sql.lz4\fR
Write dump.sql.xz, and remove dump.sql.lz4.
.TP
\fBpzcomp \-t \-v backup.zst\fR
Verify a file, and print its sizes, the ratio, the speed and the memory.
.TP
\fBtar \-I 'pzcomp \-9' \-cf home.tar.zst home\fR
Make an archive that is compressed with zstd at level 9.
.TP
\fBtar \-c /usr | pzcomp \-\-long \-v \-M 2G > usr.tar.zst\fR
Find repetitions that are up to 128 MiB apart. Take at most 2 GiB of memory, and say how much it is.
.TP
\fBpzcomp \-\-bench \-\-target 300MB/s \-\-plot picture.svg backup.xb\fR
Measure formats and levels with this data on this machine. Of those that compress at least 300 MB/s, recommend
the format and level with the smallest output. Draw a chart of speed and size.
.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
An error: an input was not processed, or it was processed in part only.
.TP
.B 2
A warning and no error. A file was skipped; or something is unusual, but no data is lost; or no format and level
that was measured meets the demand of \fB\-\-target\fR or \fB\-\-max\-size\fR.
.PP
If the reader of standard output goes away, pzcomp ends by SIGPIPE. If a signal interrupts the work, pzcomp
removes incomplete files and then ends by that signal.
.SH ENVIRONMENT
.TP
.B PZCOMP
Default options, separated by white space, such as
.BR "\-p8 \-\-no\-index" .
Options on the command line overrule them.
.SH SEE ALSO
.BR zstd (1),
.BR gzip (1),
.BR pigz (1),
.BR lz4 (1),
.BR xz (1),
.BR bzip2 (1),
.BR lzip (1)
"#;
