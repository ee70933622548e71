//! What a request says of files: their names, what is overwritten and removed, and what is stored of the original.

use std::ffi::OsString;
use std::path::PathBuf;

/// How input and output files are treated.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct FileRules {
    /// Overwrite files, follow symbolic links, and use terminals for compressed data.
    pub(in super::super) force: bool,
    /// Compressed data may go to a terminal, even without `force`.
    pub(in super::super) to_terminal: bool,
    pub(in super::super) ask: Ask,
    /// Take the files in directories.
    pub(in super::super) recursive: bool,
    /// The inputs are named pipes, which are read at the same time.
    pub(in super::super) fifos: bool,
    /// Pass over recovery records and indexes beside their files, which were found or named among others.
    pub(in super::super) pass_over_side_files: bool,
    /// Follow symbolic links that are inputs, even without `force`.
    pub(in super::super) follow_links: bool,
    /// What happens to an output file that exists, if it has several names or is a symbolic link.
    pub(in super::super) links: OutputLinks,
    /// What happens to an input that has several names.
    pub(in super::super) hard_links: HardLinks,
    /// Skip inputs that an output replaces, if they have a set-user-ID, set-group-ID or sticky bit or several names.
    pub(in super::super) skip_special: bool,
    /// An output file that is made of one input also gets the sticky bit of that input.
    pub(in super::super) keep_sticky: bool,
    /// An output file that exists is an error, and no warning, if the input is a program or standard input: what comes
    /// through a pipe is lost then.
    pub(in super::super) existing_is_error: bool,
    /// Make the missing folders on the way to the output file.
    pub(in super::super) make_folders: bool,
    pub(in super::super) sparse: Sparse,
    /// Wait until the output is on disk.
    pub(in super::super) sync: bool,
    /// Remove each input when its output is complete.
    pub(in super::super) remove: bool,
}

/// Whether the user is asked before a file is overwritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Ask {
    #[default]
    Never,
    /// Only if standard input is a terminal.
    IfTerminal,
    /// Also if standard input is a file or a pipe, which then gives the answer.
    Always,
}

/// Where blocks of zeros become holes, if the output is plain data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Sparse {
    #[default]
    Never,
    /// In files that pzcomp makes.
    Files,
    /// Also in a regular file to which standard output is redirected.
    Always,
}

/// What happens to an output file that exists and is to be overwritten, if its name is a symbolic link or if it has
/// other names (hard links).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum OutputLinks {
    /// The symbolic link stays, and the file that it leads to is replaced. The other names keep the old content.
    #[default]
    Follow,
    /// The symbolic link is replaced. The other names keep the old content.
    Replace,
    /// As `Replace`, but a symbolic link that leads nowhere stays, and the file that it names is made.
    ReplaceUnlessDangling,
    /// The symbolic link stays. A file with other names is written in place, so that they have the new content, too.
    WriteInto,
}

/// What happens to an input that has other names (hard links), if it is to be removed when its output is complete. With
/// `force` it is always removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum HardLinks {
    /// The input is skipped.
    #[default]
    Skipped,
    /// The output is made. The input is kept, and the user is told so.
    Kept,
    /// The input is removed. Its other names stay.
    Removed,
}

/// The suffixes of coded files.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Suffixes {
    /// The suffix of coded files, if it is not the usual suffix of the format.
    pub(in super::super) custom: Option<OsString>,
    /// Known suffixes of coded files, each with the suffix that replaces it after decompression. If there are none, the
    /// suffixes of all formats are known.
    pub(in super::super) known: &'static [(&'static str, &'static str)],
    /// If an input to decompress does not exist, these suffixes are appended to its name and tried in this order.
    pub(in super::super) try_appending: &'static [&'static str],
    /// What is appended to the name of a decompressed file if the name of the input has no known suffix.
    pub(in super::super) plain_fallback: Option<&'static str>,
    /// Upper and lower case make a difference.
    pub(in super::super) case_sensitive: bool,
    /// Inputs with these suffixes are not compressed, and no message is printed about them.
    pub(in super::super) excluded: &'static [&'static str],
    pub(in super::super) recompress: Recompress,
    /// The error of an input without a known suffix that is in no accepted format, if that counts more.
    pub(in super::super) foreign: Option<&'static str>,
}

/// When an input is compressed although its name has the suffix of compressed files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Recompress {
    /// With `force`, or if no output file takes the place of the input.
    #[default]
    WithForce,
    /// The same, but no file that was found in a folder: it may be the output of a file beside it.
    NamedWithForce,
    /// With `force`.
    OnlyWithForce,
    /// If no output file takes the place of the input.
    NotInPlace,
    Never,
    Always,
}

/// A folder for output files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Folder {
    pub(in super::super) path: PathBuf,
    /// Each output goes to a subfolder that is named as the folder of its input.
    pub(in super::super) mirror: bool,
}

/// The place of an index that is a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum IndexFile {
    /// Beside the output. The value is the suffix that is appended to the name of the output.
    Beside(&'static str),
    File(PathBuf),
}

/// What is stored in, or restored from, the header that describes the original file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Origin {
    /// The name is stored by compression and restored by decompression.
    pub(in super::super) name: bool,
    /// The time is stored by compression and restored by decompression.
    pub(in super::super) time: bool,
    /// The size is stored.
    pub(in super::super) size: bool,
    /// The name that is stored if the input has no name.
    pub(in super::super) alias: Option<OsString>,
    /// The comment that is stored.
    pub(in super::super) comment: Option<OsString>,
}
