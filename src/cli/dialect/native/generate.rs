//! Man page and completions, made from the definitions of the flags and the table of formats.

use clap_mangen::Man;
use pzcomp::Format;

use super::{Artefact, command};

/// The file that is committed to `man/` or `completions/`.
pub(in super::super::super) fn artefact(artefact: Artefact) -> Vec<u8> {
    match artefact {
        Artefact::Page(name) => name.dialect.page(name.name).into_bytes(),
        Artefact::Completions(shell) => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut command(), "pzcomp", &mut text);
            text
        }
    }
}

/// The man page of pzcomp itself.
pub(super) fn page() -> String {
    let mut command = command();
    command.build();
    let source = command.render_version().trim().to_owned();
    let man = Man::new(command).title("PZCOMP").source(source).manual("User Commands");
    let (mut head, mut options) = (Vec::new(), Vec::new());
    // Writing to memory does not fail.
    let _ = man.render_title(&mut head);
    let _ = man.render_name_section(&mut head);
    let _ = man.render_synopsis_section(&mut head);
    let _ = man.render_description_section(&mut head);
    let _ = man.render_options_section(&mut options);
    // The headings of the help are parts of one section here.
    let options = String::from_utf8_lossy(&options).replace(".SH OPTIONS\n", "").replace(".SH ", ".SS ");
    // The first line asks for tbl, which sets the table.
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

/// The table of formats.
fn formats() -> String {
    let mut section = String::from(
        ".SH FORMATS\n\
         Each is read by its standard tool without options.\n\
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
Input is cut into blocks that need nothing from each other. They are coded on all cores, leave in
order, and are followed by an index where the format has room for one. What is written is read by the
standard tool of its format; the output depends on input, options and version alone, not on the number
of threads.
.PP
Decompression recognises the format by its bytes, takes streams of several formats one after the other,
and works in parallel wherever the stream allows it, also from a pipe.
.PP
An output file gets its name when it is complete. It keeps mode, owner and times of the file that it is
made of. Files that exist are not overwritten without
.BR \-f .
";

const OPTIONS: &str = r#".PP
Short options can be joined, and options may follow file names. A number in a group of short options is
a level:
.B \-c19
is
.BR "\-c \-\-level 19" .
Sizes are bytes, or take a unit, always a binary one:
.BR 64K ,
.BR 4MiB ,
.BR 1g .
Of options that contradict each other the last one counts.
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
Decompress it there.
.TP
\fBpzcomp \-F gzip \-9 dump.sql\fR
Write dump.sql.gz beside dump.sql.
.TP
\fBpzcomp \-d \-\-rm *.zst\fR
Decompress files, and remove each when what was in it is safely on disk.
.TP
\fBpzcomp \-t \-v backup.zst\fR
Check a file.
.TP
\fBtar \-I 'pzcomp \-9' \-cf home.tar.zst home\fR
Compress an archive.
.TP
\fBpzcomp \-\-bench \-\-target 300MB/s \-\-plot picture.svg backup.xb\fR
Measure formats and levels on this data and machine; name the smallest that keeps up with 300 MB/s, and draw speed
against size.
.SH EXIT STATUS
.TP
.B 0
All went well.
.TP
.B 1
There was an error: something was not done, or not to the end.
.TP
.B 2
There was a warning and no error: a file was skipped, something is odd though no data is lost, or nothing that was
measured meets the demand.
.PP
Where standard output is closed by its reader, and where a signal interrupts the work, the program ends
by that signal. Files that are not complete are removed first.
.SH ENVIRONMENT
.TP
.B PZCOMP
Default options, separated by white space, such as
.BR "\-p8 \-\-no\-index" .
The command line comes after them and overrules them.
.SH SEE ALSO
.BR zstd (1),
.BR gzip (1),
.BR pigz (1),
.BR lz4 (1),
.BR xz (1),
.BR bzip2 (1),
.BR lzip (1)
"#;
