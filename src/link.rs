//! The option `--install-links`: makes a symbolic link to pzcomp under each of its other names, and installs their
//! man pages.
//!
//! The name qpress is left out, because pzcomp only reads its format: a script that compresses under it would fail.
//!
//! [`install`] takes the folder for the links and returns a line for each file that it made. `main` calls it. It
//! never replaces a file that pzcomp did not make.

use std::env::consts::EXE_SUFFIX;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use system::folder::{make_link_at, real_path};

use super::error::{CliError, Kind};
use super::name;
use super::pending::PendingFiles;
use super::target::Destination;

/// Makes a symbolic link to the running program in `folder` for every name to install, and writes the man pages of
/// these names. Missing folders are made. Returns a line for each link and page that is there then, and an error for
/// each name that another file has, which stays as it is.
pub(super) fn install(folder: &Path) -> (String, Vec<CliError>) {
    let (mut lines, mut errors) = (String::new(), Vec::new());
    if let Err(error) = install_all(folder, &mut lines, &mut errors) {
        errors.push(error);
    }
    (lines, errors)
}

fn install_all(folder: &Path, lines: &mut String, errors: &mut Vec<CliError>) -> Result<(), CliError> {
    let cannot = |error| CliError::cannot("find the program itself")(error).about("--install-links");
    let program = std::env::current_exe().and_then(|program| real_path(&program)).map_err(cannot)?;
    let folder = full_name(folder, "make the folder")?;
    let target = relative(&program, &folder);
    let mut taken = Vec::new();
    for entry in name::installed() {
        let link = folder.join(format!("{}{EXE_SUFFIX}", entry.name.name));
        match make_link_at(&target, &link) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if std::fs::read_link(&link).ok().as_deref() != Some(&target) {
                    errors.push(name_taken(&link, "such a link"));
                    taken.push(entry.name.name);
                    continue;
                }
            }
            made => made.map_err(|error| CliError::cannot("make the link")(error).about(link.display()))?,
        }
        lines.push_str(&format!("{} -> {}\n", link.display(), target.display()));
    }
    let pages = full_name(&man_folder(&folder), "make this folder, so there are links but no man pages")?;
    let pending_files = PendingFiles::default();
    for name::Entry { name, dialect, .. } in name::installed() {
        if taken.contains(&name.name) {
            continue;
        }
        let file = pages.join(format!("{}.1", name.name));
        let page = match name.page == name.name {
            true => dialect.page(name.name),
            false => format!(".so man1/{}.1\n.\\\" pzcomp\n", name.page),
        };
        if std::fs::read(&file).is_ok_and(|other| memchr::memmem::find(&other, b"pzcomp").is_none()) {
            errors.push(name_taken(&file, "a page of pzcomp"));
            continue;
        }
        // Nobody reads half a page: the new one replaces the old one when it is complete.
        Destination::aside(&file, &pending_files)?.hold("write the man page", page.as_bytes(), false)?;
        lines.push_str(&format!("{}\n", file.display()));
    }
    Ok(())
}

/// Returns the absolute path of the folder. Makes the folder if it is missing. An error says that it was not possible
/// to do `what`.
fn full_name(folder: &Path, what: &'static str) -> Result<PathBuf, CliError> {
    let cannot = |error| CliError::cannot(what)(error).about(folder.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let cannot = |error| CliError::cannot("open the folder")(error).about(folder.display());
    real_path(folder).map_err(cannot)
}

/// The folder in which `man` looks for the pages of programs in `folder`, if `folder` is in the search path.
fn man_folder(folder: &Path) -> PathBuf {
    let is_bin = folder.file_name().is_some_and(|name| name == "bin" || name == "sbin");
    match folder.parent().filter(|_| is_bin) {
        Some(parent) => parent.join("share/man/man1"),
        None => folder.join("man/man1"),
    }
}

fn name_taken(file: &Path, expected: &str) -> CliError {
    let what = format!("exists and is not {expected}; it is unchanged. Remove it, or choose another folder");
    CliError::from(Kind::Failed(what)).about(file.display())
}

/// The relative path from a folder to a file. Both are absolute. A relative link stays valid if a folder above both
/// is moved.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let shared = file.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative() {
        let way = |folder: &str| relative(Path::new("/usr/local/bin/pzcomp"), Path::new(folder));
        assert_eq!(way("/usr/local/bin"), Path::new("pzcomp"));
        assert_eq!(way("/usr/local/lib/links"), Path::new("../../bin/pzcomp"));
        assert_eq!(way("/opt"), Path::new("../usr/local/bin/pzcomp"));
    }
}
