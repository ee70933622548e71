//! Flags that do not go together, and flags that need others, where the reason is worth a sentence.
//!
//! The first row whose condition holds is the error. clap checks plain conflicts (`conflicts_with_all`) before. Below
//! this table every combination of flags makes sense.

use pzcomp::Format;

use super::LONG_MAX;
use super::flags::{ExpectedEnd, Flags};
use super::places::PlaceFlags;
use crate::request::Mode;

/// The error of these flags, if there is one. `mode` is what `-d`, `-t`, `-l` and `--to` ask for.
pub(super) fn check(flags: &Flags, mode: Mode) -> Result<(), String> {
    let name = if flags.mending.protect { "--protect" } else { "--repair" };
    let found = CONFLICTS.iter().find(|(is_wrong, _)| is_wrong(flags, mode));
    found.map_or(Ok(()), |(_, what)| {
        Err(what.replace("MENDING", name).replace("COMMAND", system::priority::COMMAND))
    })
}

fn seeks(flags: &Flags) -> bool {
    flags.places.frames || finds(flags)
}

fn finds(flags: &Flags) -> bool {
    flags.places.index || !flags.places.range.is_empty()
}

fn mends(flags: &Flags) -> bool {
    flags.mending.protect || flags.mending.repair
}

fn is_special(flags: &Flags) -> bool {
    seeks(flags) || flags.damage.salvage || mends(flags)
}

fn makes_tree(flags: &Flags) -> bool {
    flags.archives.extract_to.is_some() || flags.archives.extract_tar
}

fn lists_members(flags: &Flags, mode: Mode) -> bool {
    mode == Mode::List && flags.archives.tar
}

fn codes(flags: &Flags, mode: Mode) -> bool {
    matches!(mode, Mode::Compress | Mode::Recode) && !flags.places.index && !mends(flags)
}

fn has_one_output(flags: &Flags) -> bool {
    flags.output.is_some() && flags.files.len() > 1
}

type Conflict = (fn(&Flags, Mode) -> bool, &'static str);

/// `MENDING` stands for `--protect` or `--repair`, and `COMMAND` for what lowers the priority.
const CONFLICTS: &[Conflict] = &[
    (
        |f, _| {
            let PlaceFlags { frames, range, index, .. } = &f.places;
            u8::from(*frames) + u8::from(!range.is_empty()) + u8::from(*index) > 1
        },
        "--frames, --range and --index exclude each other",
    ),
    (|f, _| seeks(f) && f.to.is_some(), "--to cannot be used with --frames, --range or --index"),
    (
        |f, _| finds(f) && (f.verify || f.sparse || f.drop_cache || f.idle),
        "--verify, --sparse, --drop-cache and --idle cannot be used with --range or --index",
    ),
    (|f, _| finds(f) && f.rm, "--rm cannot be used with --range or --index"),
    (|f, mode| f.places.frames && mode != Mode::List, "--frames needs -l, as in pzcomp -l --frames FILE"),
    (
        |f, mode| {
            let has_output = f.stdout || f.output.is_some();
            !(f.places.range.is_empty() || mode == Mode::Decompress && has_output)
        },
        "--range needs -d and -c, or -d and -o, as in pzcomp -dc --range 1M-2M FILE",
    ),
    (
        |f, mode| f.places.index && !matches!(mode, Mode::Compress | Mode::Test),
        "--index cannot be used with -d or -l",
    ),
    (
        |f, mode| f.places.index && mode == Mode::Compress && (f.stdout || has_one_output(f)),
        "--index makes one file for each input; leave -c out, and give -o only with one input",
    ),
    (
        |f, mode| f.damage.salvage && !matches!(mode, Mode::Decompress | Mode::Test),
        "--salvage needs -d, or -t for the report only",
    ),
    (
        |f, _| f.damage.salvage && f.rm,
        "--rm cannot be used with --salvage: the damaged file may still be needed",
    ),
    (
        |f, _| f.damage.salvage && f.reporting.hashes_anything(),
        "--hash and --hash-file cannot be used with --salvage; hash what was salvaged",
    ),
    (|f, _| f.damage.salvage && f.idle, "--idle cannot be used with --salvage; start pzcomp by COMMAND"),
    (
        |f, _| f.damage.salvage && (f.sparse || f.drop_cache),
        "--sparse and --drop-cache cannot be used with --salvage",
    ),
    (|f, _| f.damage.salvage && f.buffer.is_some(), "--buffer has no use with --salvage, which reads a file"),
    (|f, mode| mends(f) && mode != Mode::Compress, "MENDING cannot be used with -d, -t, -l or --to"),
    (
        |f, _| mends(f) && (f.files.is_empty() || f.files.iter().any(|file| file == "-")),
        "MENDING needs the names of files: a pipe cannot be read from any place",
    ),
    (|f, _| f.mending.repair && f.recursive, "MENDING cannot be used with --recursive; name the files"),
    (
        |f, _| mends(f) && has_one_output(f),
        "MENDING makes one file for each input; give -o only with one input",
    ),
    (
        |f, _| mends(f) && f.output.as_ref().is_some_and(|output| output.as_os_str() == "-"),
        "MENDING writes to a file, and not to standard output; name it by -o",
    ),
    (|f, _| mends(f) && f.idle, "MENDING cannot be used with --idle; start pzcomp by COMMAND"),
    (
        |f, _| mends(f) && (f.verify || f.sparse || f.drop_cache || f.reporting.hashes_anything()),
        "MENDING cannot be used with --verify, --sparse, --drop-cache, --hash or --hash-file",
    ),
    (|f, _| seeks(f) && mends(f), "--protect and --repair cannot be used with --frames, --range or --index"),
    (|f, _| seeks(f) && f.damage.salvage, "--salvage cannot be used with --frames, --range or --index"),
    // An empty name would be the folder of all members, and a script may have meant a variable that is not set.
    (
        |f, _| f.archives.extract.iter().any(|name| name.as_encoded_bytes().iter().all(|&byte| byte == b'/')),
        "--extract needs the name of a member; '.' takes all members of a tar archive",
    ),
    (|f, mode| makes_tree(f) && mode != Mode::Decompress, "--extract-to and --extract-tar need -d"),
    (
        |f, mode| is_special(f) && (makes_tree(f) || lists_members(f, mode)),
        "--tar, --extract-to and --extract-tar cannot be used with --frames, --range, --salvage, --protect or \
         --repair",
    ),
    (
        |f, mode| f.archives.extract.len() > 1 && (mode != Mode::Decompress || is_special(f)),
        "several --extract need -d: they name members of a tar archive",
    ),
    // An archive of another kind may have the name of --extract alone.
    (
        |f, mode| (makes_tree(f) || lists_members(f, mode)) && (f.verify || f.drop_cache || f.idle || f.rm),
        "--verify, --drop-cache, --idle and --rm cannot be used with members of tar archives",
    ),
    (
        |f, mode| f.archives.xbstream && mode == Mode::Compress,
        "--xbstream needs -d, -t or -l: it decompresses the members of an xbstream",
    ),
    (
        |f, mode| f.archives.mydumper && mode == Mode::Compress,
        "--mydumper needs -d, -t, --to or -l: it concerns the compressed members of a stream of mydumper",
    ),
    (
        |f, _| f.archives.xbstream && is_special(f),
        "--xbstream cannot be used with --salvage, --frames, --range or --index",
    ),
    (
        |f, _| f.archives.mydumper && is_special(f),
        "--mydumper cannot be used with --salvage, --frames, --range or --index",
    ),
    (
        |f, mode| {
            let is_index = f.expect_end == Some(ExpectedEnd::Index);
            is_index && (mode == Mode::Compress || is_special(f))
        },
        "--expect-end needs -d, -t or --to, and all of the data; to compress, it needs the kind of the data, as in \
         --expect-end=tar",
    ),
    (
        |f, mode| {
            let is_plain = match f.expect_end {
                None | Some(ExpectedEnd::Index) => false,
                Some(ExpectedEnd::Mydumper) => !f.archives.mydumper,
                Some(ExpectedEnd::Xbstream | ExpectedEnd::Xtrabackup) => !f.archives.xbstream,
                Some(ExpectedEnd::Tar | ExpectedEnd::Mysqldump) => true,
            };
            is_plain && (mode != Mode::Compress || is_special(f))
        },
        "--expect-end=KIND is for compression, and for --mydumper and --xbstream; else -d, -t and --to take --expect-end",
    ),
    (
        |f, mode| f.habits.train && (mode != Mode::Compress || is_special(f)),
        "--train makes a dictionary of files, and neither compresses nor reads them as compressed files",
    ),
    (
        |f, mode| {
            let is_member = f.one_member && f.format_to_write() == Format::Gzip;
            f.habits.name && codes(f, mode) && !is_member
        },
        "--name needs -F gzip --one-member, or -d: only a gzip member has a name",
    ),
    (
        |f, mode| f.long.is_some_and(|log| log > LONG_MAX) && codes(f, mode),
        "--long=31 is for decompression; to compress, N is 10 to 30",
    ),
    (
        |f, mode| has_entry(f) && mode == Mode::Compress && !mends(f),
        "--extract needs -d, -t or --to: it names a file in an archive",
    ),
    (
        |f, _| has_entry(f) && f.damage.salvage,
        "--salvage cannot be used with --extract: it takes all of the data, or the first file of a qpress or 7z \
         archive. For a tar archive: pzcomp -d --salvage -c FILE | tar -x NAME",
    ),
    (
        |f, _| f.mending.recovery_span.is_some() && f.mending.recovery.is_none() && !f.mending.protect,
        "--recovery-span needs --recovery or --protect",
    ),
    (
        |f, _| f.output.as_ref().is_some_and(|path| path.as_os_str().is_empty()),
        "the name of the output file is empty",
    ),
    (|f, _| f.another.is_some(), "--as must be the first option"),
    (
        |f, _| f.fifos && (f.files.is_empty() || f.files.iter().any(|file| file == "-")),
        "--fifos needs the names of named pipes, as in pzcomp --fifos --output-dir DIR FIFO...",
    ),
    (|f, _| f.exec && f.files.is_empty(), "--exec needs a program, as in pzcomp --exec -o FILE -- PROGRAM"),
];

fn has_entry(flags: &Flags) -> bool {
    !flags.archives.extract.is_empty() || flags.archives.extract_number.is_some()
}
