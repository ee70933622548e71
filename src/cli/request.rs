//! What is to be done, whatever dialect it was asked for in.
//!
//! A dialect turns an argument list into a [`Request`]; nothing behind it sees a flag.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::PathBuf;

use pzcomp::Options;

/// A whole command line, understood.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) mode: Mode,
    pub(super) options: Options,
    pub(super) sources: Vec<Source>,
    pub(super) target: Target,
    /// Where files go that would be beside their inputs.
    pub(super) folder: Option<Folder>,
    pub(super) sidecar: Option<Sidecar>,
    pub(super) suffixes: Suffixes,
    /// Overwrite, follow links, and talk to terminals.
    pub(super) force: bool,
    /// The file of the dictionary. It is not compressed: whoever did so would have lost it with the input.
    pub(super) dictionary: Option<Metadata>,
    /// Make the folders on the way to the output file.
    pub(super) folders: bool,
    /// Follow links, whatever else is forced.
    pub(super) follow: bool,
    /// What becomes of an output file that is there, and is a link.
    pub(super) links: Links,
    /// What becomes of inputs that have other names.
    pub(super) shared: Shared,
    pub(super) ask: Ask,
    /// An input of no bytes decompresses to nothing, and is no error.
    pub(super) empty: bool,
    /// Remove each input once its output is there.
    pub(super) remove: bool,
    /// Wait until the output is on disk for good.
    pub(super) sync: bool,
    /// Go into directories.
    pub(super) recursive: bool,
    /// Leave files alone, where another takes their place, whose mode or links say that they are
    /// something special.
    pub(super) wary: bool,
    /// Files that are made of one input get the sticky bit of that, too.
    pub(super) sticky: bool,
    /// What goes into the header of a member, and what comes out of it.
    pub(super) origin: Origin,
    pub(super) voice: Voice,
    /// Errors change the exit status only.
    pub(super) mute: bool,
    /// Warnings do not change the exit status.
    pub(super) lenient: bool,
    /// Tables are for programs to read.
    pub(super) robot: bool,
    /// An input that cannot be decompressed ends the run: the inputs behind it stay as they are.
    pub(super) stops: bool,
    /// What is worth a word before the work begins.
    pub(super) notes: Vec<String>,
}

/// Who is asked whether to overwrite a file that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Nobody,
    /// The user, if standard input is a terminal.
    Terminal,
    /// Whoever is behind standard input.
    Anyone,
}

/// What becomes of an existing file that is to be overwritten, if its name is a symbolic link or if it has other names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Links {
    /// The symbolic link stays, and the file that it leads to is replaced. Other names keep the old content.
    #[default]
    Follow,
    /// The symbolic link is replaced. Other names keep the old content.
    Replace,
    /// The same, but a symbolic link that leads nowhere stays, and its target is made.
    ReplaceUnlessDangling,
    /// The symbolic link stays. A file with other names is written in place, so that they have the new content, too.
    WriteInto,
}

/// What becomes of an input that is to be removed when its output is there, if it has other names, too. Force removes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shared {
    /// The input is left alone.
    #[default]
    Skipped,
    /// The output is made. The input is kept, and the user is told.
    Kept,
    /// The input is removed as any other: its other names stay.
    Removed,
}

/// How coded files are called.
#[derive(Clone, Debug, Default)]
pub(super) struct Suffixes {
    /// The one of new files, where it is not the format's own.
    pub(super) own: Option<OsString>,
    /// Those that are known, and what takes their place; those of all formats if there are none.
    pub(super) known: &'static [(&'static str, &'static str)],
    /// What is tried behind the name of a coded file that is not there.
    pub(super) tried: &'static [&'static str],
    /// What is put behind the name of a file whose own says nothing, when it is decompressed.
    pub(super) otherwise: Option<&'static str>,
    /// Capitals matter, and what has a suffix is not compressed again, by force neither.
    pub(super) strict: bool,
    /// What has a suffix is not compressed again, wherever the output goes: to standard output neither.
    pub(super) everywhere: bool,
    /// What is called so is not compressed, and nothing is said of it.
    pub(super) excluded: &'static [&'static str],
    /// Compress what is called as if it were compressed already.
    pub(super) again: bool,
}

/// A folder for output, in place of those of the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// With the folders of the inputs in it, as far as they are named.
    pub(super) mirror: bool,
}

/// Where an index goes that is a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sidecar {
    /// Beside the output, with this suffix.
    Beside(&'static str),
    File(PathBuf),
}

/// Name and time of the file that a member was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// Compressing, the name is stored; decompressing, it is restored.
    pub(super) name: bool,
    /// The same with the time.
    pub(super) time: bool,
    /// The size is stored.
    pub(super) size: bool,
    /// What is stored as the name of what has none.
    pub(super) alias: Option<OsString>,
    /// What is stored as a comment.
    pub(super) comment: Option<OsString>,
}

/// What is done with each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Compress,
    Decompress,
    Test,
    List,
}

/// Where input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    Path(PathBuf),
}

/// Where output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Each input's output in a file beside it; that of standard input on standard output.
    Beside,
    /// All on standard output, one after the other.
    Stdout,
    /// All in one file, one after the other.
    File(PathBuf),
}

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Voice {
    /// Warnings change the exit status only.
    pub(super) quiet: bool,
    /// 1: figures and remarks; 2: settings as well.
    pub(super) verbose: u8,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            mode: Mode::Compress,
            options: Options::default(),
            sources: vec![Source::Stdin],
            target: Target::Beside,
            folder: None,
            sidecar: None,
            suffixes: Suffixes::default(),
            force: false,
            dictionary: None,
            folders: false,
            follow: false,
            links: Links::default(),
            shared: Shared::default(),
            ask: Ask::Nobody,
            empty: false,
            remove: false,
            sync: false,
            recursive: false,
            wary: false,
            sticky: false,
            origin: Origin::default(),
            voice: Voice::default(),
            mute: false,
            lenient: false,
            robot: false,
            stops: false,
            notes: Vec::new(),
        }
    }
}

impl Request {
    /// The inputs of these names: standard input if there are none.
    pub(super) fn sources_of(files: Vec<OsString>) -> Vec<Source> {
        let source = |file: OsString| if file == "-" { Source::Stdin } else { Source::Path(file.into()) };
        match files.is_empty() {
            true => vec![Source::Stdin],
            false => files.into_iter().map(source).collect(),
        }
    }
}

impl Suffixes {
    /// Whether the input is one of those that are not compressed.
    pub(super) fn exclude(&self, source: &Source) -> bool {
        let Source::Path(path) = source else { return false };
        let name = path.as_os_str().as_encoded_bytes();
        // A dot that everything begins with begins no suffix.
        let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0);
        dot.is_some_and(|dot| self.excluded.iter().any(|suffix| suffix.as_bytes() == &name[dot..]))
    }
}

impl Source {
    /// Whether there is something of this name.
    pub(super) fn is_there(&self) -> bool {
        match self {
            Self::Stdin => true,
            Self::Path(path) => path.exists(),
        }
    }

    /// How messages call it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".into(),
            Self::Path(path) => path.display().to_string(),
        }
    }
}
