//! Names of files with and without the suffix of a format.
//!
//! The functions take the path of an input and the request, and return the path of the output. `source` asks whether
//! an input is to be skipped because of its name. `work` and the dialects ask for the name of the output. No file is
//! looked at.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use pzcomp::Format;

use super::request::Request;

const SEVENZ: &[(&str, &str)] = &[(".7z", "")];

/// The path of the file that `path` is compressed to.
pub(super) fn coded_path(path: &Path, request: &Request) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(coded_suffix(request));
    name.into()
}

fn coded_suffix(request: &Request) -> OsString {
    request.suffixes.custom.clone().unwrap_or_else(|| request.options.format.suffix().into())
}

/// The path of the file that `path` is decompressed to. Returns `None` if its suffix is not known.
pub(super) fn plain_path(path: &Path, request: &Request) -> Option<PathBuf> {
    let name = path.file_name()?;
    let own = request.suffixes.custom.iter().map(|suffix| (suffix.as_os_str(), ""));
    let of_formats =
        Format::readable().filter(|_| request.suffixes.known.is_empty()).flat_map(|format| format.suffixes());
    // The library knows no archives of 7z.
    let of_archives = SEVENZ.iter().filter(|_| request.suffixes.known.is_empty());
    let known = request.suffixes.known.iter().chain(of_formats).chain(of_archives);
    let known = known.map(|&(coded, plain)| (OsStr::new(coded), plain));
    let stripped = own.chain(known).find_map(|(coded, plain)| {
        let mut stem = strip_suffix(name, coded, request)?;
        stem.push(plain);
        Some(path.with_file_name(stem))
    });
    stripped.or_else(|| {
        let mut name = path.as_os_str().to_owned();
        name.push(request.suffixes.plain_fallback?);
        Some(name.into())
    })
}

/// The suffix of `path`, if it is one of compressed files of this format.
pub(super) fn suffix_of(path: &Path, request: &Request) -> Option<OsString> {
    let name = path.file_name().unwrap_or_default();
    let known = match request.suffixes.known {
        [] => request.options.format.suffixes(),
        known => known,
    };
    let own = coded_suffix(request);
    let mut suffixes = known.iter().map(|(suffix, _)| OsStr::new(suffix)).chain([own.as_os_str()]);
    let stem = suffixes.find_map(|suffix| strip_suffix(name, suffix, request))?;
    Some(system::name::from_bytes(&name.as_encoded_bytes()[stem.len()..]))
}

/// The part of `name` before `suffix`. Returns `None` if the name does not end with the suffix or consists of it.
fn strip_suffix(name: &OsStr, suffix: &OsStr, request: &Request) -> Option<OsString> {
    let stem_len = name.len().checked_sub(suffix.len()).filter(|&len| len > 0)?;
    let (stem, end) = name.as_encoded_bytes().split_at(stem_len);
    let is_suffix = match request.suffixes.case_sensitive {
        true => end == suffix.as_encoded_bytes(),
        false => end.eq_ignore_ascii_case(suffix.as_encoded_bytes()),
    };
    is_suffix.then(|| system::name::from_bytes(stem))
}
