//! Reads names of inputs from a file, for `--files` and `--files0`.
//!
//! [`sources`] takes the names on the command line and the file with more names, and returns all inputs in this
//! order. `Args::request` calls it. Standard input can hold either names or data, not both.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use super::super::system_text;
use crate::request::{Request, Source};

/// A file with names.
#[derive(Clone, Debug)]
pub(in super::super) struct NameList {
    /// `None` for standard input.
    pub(in super::super) path: Option<OsString>,
    /// The byte that ends each name.
    pub(in super::super) end: u8,
}

/// The inputs that are named on the command line and in the list. The error is the message of xz. pzcomp itself uses it
/// too.
pub(in super::super) fn sources(files: Vec<OsString>, list: NameList) -> Result<Vec<Source>, String> {
    let mut bytes = Vec::new();
    let read = match &list.path {
        Some(path) => std::fs::read(path).map(|read| bytes = read),
        None => std::io::stdin().read_to_end(&mut bytes).map(|_| ()),
    };
    let name = list.path.as_deref().unwrap_or(OsStr::new("(stdin)"));
    read.map_err(|error| format!("{}: {}", name.display(), system_text(&error)))?;
    let listed = bytes.split(|&byte| byte == list.end).filter(|name| !name.is_empty());
    let listed = listed.map(|name| OsStr::from_bytes(name).to_owned());
    let all: Vec<OsString> = files.into_iter().chain(listed).collect();
    if list.path.is_none() && all.iter().any(|name| name == "-") {
        return Err("Cannot read data from standard input when reading filenames from standard input".into());
    }
    // An empty list stands for no input, and not for standard input.
    Ok(if all.is_empty() { Vec::new() } else { Request::sources_of(all) })
}
