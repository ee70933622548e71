//! Names of files that are in a file: `--files` and `--files0`.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use super::super::super::request::{Request, Source};
use super::super::system;

/// Where names are.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// Standard input if there is none.
    pub(super) path: Option<OsString>,
    /// What each name ends with.
    pub(super) end: u8,
}

/// The inputs that are named on the command line, and in the list. The error is what to say.
pub(super) fn sources(files: Vec<OsString>, list: List) -> Result<Vec<Source>, String> {
    let mut bytes = Vec::new();
    let read = match &list.path {
        Some(path) => std::fs::read(path).map(|read| bytes = read),
        None => std::io::stdin().read_to_end(&mut bytes).map(|_| ()),
    };
    let name = list.path.as_deref().unwrap_or(OsStr::new("(stdin)"));
    read.map_err(|error| format!("{}: {}", name.display(), system(&error)))?;
    let listed = bytes.split(|&byte| byte == list.end).filter(|name| !name.is_empty());
    let listed = listed.map(|name| OsStr::from_bytes(name).to_owned());
    let all: Vec<OsString> = files.into_iter().chain(listed).collect();
    if list.path.is_none() && all.iter().any(|name| name == "-") {
        return Err("Cannot read data from standard input when reading filenames from standard input".into());
    }
    // An empty list asks for nothing, not for standard input.
    Ok(if all.is_empty() { Vec::new() } else { Request::sources_of(all) })
}
