//! Side files: the record (`--json`), the hashes (`--hash-file`) and the lines of progress (`--progress-fd`).
//!
//! A side file must not be an input, an output or another side file, because writing one would destroy the other.
//! [`check`] runs before any of them is opened. `source` and `work` call [`check_input`] and [`check_output`] for files
//! whose names are known later.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use system::facts::Facts;
use system::folder::{Folder, folder_of};
use system::streams::{self, Stream};

use super::error::{CliError, Kind};
use super::request::{Mode, ProgressLines, Request, ShowProgress, Source, Target, Task};

/// What follows the name of a file in that of its recovery records, and in that of its copy before a repair.
pub(super) const RECORDS: &str = ".pzr";
pub(super) const DAMAGED: &str = ".damaged";

/// The same of its index.
pub(super) const INDEX: &str = ".pzi";

/// Whether this is the file of recovery records or the index of a file beside it.
pub(super) fn is_beside(path: &Path) -> bool {
    let is_such =
        |suffix: &OsStr| [RECORDS, INDEX].into_iter().any(|such| such.strip_prefix('.') == suffix.to_str());
    path.extension().is_some_and(is_such) && path.with_extension("").is_file()
}

/// The file that these recovery records protect, if the path is that of records, and the file is not there.
pub(super) fn lost(path: &Path) -> Option<PathBuf> {
    let is_records = path.extension().is_some_and(|suffix| RECORDS.strip_prefix('.') == suffix.to_str());
    Some(path.with_extension("")).filter(|file| is_records && file.symlink_metadata().is_err())
}

/// Whether there are recovery records beside a file.
pub(super) fn has_records(path: &Path) -> bool {
    exists_beside(path, RECORDS)
}

/// Whether there may be recovery records or an index beside a file.
pub(super) fn has_beside(path: &Path) -> bool {
    [RECORDS, INDEX, ".gzidx", ".gzi"].into_iter().any(|suffix| exists_beside(path, suffix))
}

fn exists_beside(path: &Path, suffix: &str) -> bool {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    Path::new(&name).symlink_metadata().is_ok()
}

/// Whether this name of a file of hashes stands for standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Fails if a side file is an input, the output, or another side file.
pub(super) fn check(request: &Request) -> Result<(), CliError> {
    if let Some(hashes) = request.reporting.hash_file.as_deref()
        && is_stdout(hashes)
        && writes_data_to_stdout(request)
    {
        return Err(refused(hashes, "--hash-file", CARRIES_DATA));
    }
    let files: Vec<_> = files(request).collect();
    if let [(json, one), (_, other)] = files[..]
        && is_same(one, other)
    {
        return Err(refused(one, json, "also the file for --hash-file"));
    }
    for (flag, file) in files {
        for source in &request.sources {
            let Source::Path(path) = source else { continue };
            if is_same(file, path) {
                return Err(refused(file, flag, "also an input"));
            }
            let is_beside = |suffix: &str| {
                let mut name = path.clone().into_os_string();
                name.push(suffix);
                is_same(file, Path::new(&name))
            };
            if [RECORDS, INDEX, DAMAGED].into_iter().any(is_beside) {
                return Err(refused(file, flag, "also the name of a file beside an input"));
            }
        }
        if let Target::File(output) = &request.target
            && is_same(file, output)
        {
            return Err(refused(file, flag, "also the output"));
        }
        if let Ok(there) = Facts::at(file) {
            if request.dictionary.as_ref().is_some_and(|dictionary| is_one(dictionary, &there)) {
                return Err(refused(file, flag, "also the dictionary"));
            }
            check_stream(&there, file, flag, request)?;
        }
    }
    if let ShowProgress::Json(ProgressLines::Descriptor(lines)) = &request.reporting.progress
        && let Ok(there) = Facts::of(lines)
    {
        check_stream(&there, Path::new("the descriptor"), "--progress-fd", request)?;
    }
    Ok(())
}

/// Fails if an input is a side file. Its name may have been found in a folder.
pub(super) fn check_input(input: &Facts, request: &Request) -> Result<(), CliError> {
    let mut files = files(request);
    let found = files.find(|(_, file)| Facts::at(file).is_ok_and(|there| is_one(&there, input)));
    found.map_or(Ok(()), |(flag, file)| Err(refused(file, flag, "also an input")))
}

/// Whether a source that was found in a folder is a side file.
pub(super) fn is_found(source: &Source, request: &Request) -> bool {
    matches!(source, Source::Path(path) if files(request).any(|(_, file)| is_same(file, path)))
}

/// Fails if an output would be a side file.
pub(super) fn check_output(output: &Path, request: &Request) -> Result<(), CliError> {
    let found = files(request).find(|(_, file)| is_same(file, output));
    found.map_or(Ok(()), |(flag, file)| Err(refused(file, flag, "also an output")))
}

/// The flags and files. `-` is no file: for the record it is standard error, and for hashes standard output.
fn files(request: &Request) -> impl Iterator<Item = (&'static str, &Path)> {
    let record = request.reporting.record.as_deref().filter(|path| path.as_os_str() != "-");
    let hashes = request.reporting.hash_file.as_deref().filter(|path| !is_stdout(path));
    [("--json", record), ("--hash-file", hashes)].into_iter().filter_map(|(flag, path)| Some((flag, path?)))
}

const CARRIES_DATA: &str = "also standard output, which carries the data";

/// Whether data goes to standard output.
fn writes_data_to_stdout(request: &Request) -> bool {
    match request.target {
        _ if request.mode() == Mode::Test && !matches!(request.task, Task::Seek(_)) => false,
        Target::Stdout => true,
        Target::Beside => request.sources.contains(&Source::Stdin) || request.mode() == Mode::List,
        Target::File(_) => false,
    }
}

/// Fails if a side file is standard input or output, and data passes there.
fn check_stream(there: &Facts, file: &Path, flag: &str, request: &Request) -> Result<(), CliError> {
    let is_it = |stream| streams::file(stream).and_then(Facts::of).is_ok_and(|stream| is_one(&stream, there));
    if request.sources.contains(&Source::Stdin) && is_it(Stream::Input) {
        return Err(refused(file, flag, "also standard input"));
    }
    if writes_data_to_stdout(request) && is_it(Stream::Output) {
        return Err(refused(file, flag, CARRIES_DATA));
    }
    Ok(())
}

fn refused(file: &Path, flag: &str, what: &str) -> CliError {
    let text = format!("is the file for {flag} and {what}; name another file with {flag}");
    CliError::from(Kind::Failed(text)).about(file.display())
}

fn is_one(one: &Facts, other: &Facts) -> bool {
    // Everything that is written to a device such as /dev/null can be written side by side.
    !one.is_device() && one.identity() == other.identity()
}

/// Whether two names lead to the same file, or to the same place for a new file.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    if let (Ok(one), Ok(other)) = (Facts::at(one), Facts::at(other)) {
        return is_one(&one, &other);
    }
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some((folder.canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    let place = |path: &Path| place(&end_of_links(path.to_owned()).0);
    place(one).is_some_and(|one| place(other) == Some(one))
}

/// The path at the end of a chain of symbolic links, whether or not a file exists there. A link of the system to an
/// open file is such an end too, because the file need not have a name. Also returns whether there is one.
pub(super) fn end_of_links(path: PathBuf) -> (PathBuf, bool) {
    /// Linux follows the same number.
    const LINKS_MAX: usize = 40;
    let mut end = path.clone();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&end) {
            Ok(_) if is_of_processes(folder_of(&end)) => return (end, true),
            Ok(target) => end = folder_of(&end).join(target),
            Err(_) => return (end, false),
        }
    }
    (path, false)
}

/// Whether the links in this folder lead to open files.
fn is_of_processes(folder: &Path) -> bool {
    Folder::open(folder).is_ok_and(|folder| folder.is_of_processes())
}
