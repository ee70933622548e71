//! Links of all names to the program.

use std::fs::Permissions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use super::name;
use super::trouble::{Kind, Trouble};

/// Makes a symbolic link of every name in `folder` to the program that is running, and installs the man
/// pages of these names. Makes the folders that are missing. Ends at the first name that is taken by
/// another file, and leaves that file alone. Returns what was made, a line for each.
pub(super) fn install(folder: &Path) -> Result<String, Trouble> {
    let cannot = |error| Trouble::cannot("find the folder of")(error).about("the program itself");
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).map_err(cannot)?;
    let folder = full_name(folder)?;
    let target = relative(&program, &folder);
    let mut told = String::new();
    for name in name::others() {
        let link = folder.join(name.name);
        match std::os::unix::fs::symlink(&target, &link) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if std::fs::read_link(&link).ok().as_deref() != Some(&target) {
                    return Err(taken(&link, "such a link"));
                }
            }
            made => made.map_err(|error| Trouble::cannot("make the link")(error).about(link.display()))?,
        }
        told.push_str(&format!("{} -> {}\n", link.display(), target.display()));
    }
    let pages = full_name(&manuals(&folder))?;
    for name in name::others() {
        let file = pages.join(format!("{}.1", name.name));
        let page = match name.page == name.name {
            true => name.dialect.page(name.name),
            false => format!(".so man1/{}.1\n.\\\" pzcomp\n", name.page),
        };
        if std::fs::read(&file).is_ok_and(|other| memchr::memmem::find(&other, b"pzcomp").is_none()) {
            return Err(taken(&file, "a page of pzcomp"));
        }
        let cannot = |error| Trouble::cannot("write the man page")(error).about(file.display());
        replace(&file, &page).map_err(cannot)?;
        told.push_str(&format!("{}\n", file.display()));
    }
    Ok(told)
}

/// The folder, with its full name. It is made if it is missing.
fn full_name(folder: &Path) -> Result<PathBuf, Trouble> {
    let cannot = |error| Trouble::cannot("make the folder")(error).about(folder.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let cannot = |error| Trouble::cannot("open the folder")(error).about(folder.display());
    folder.canonicalize().map_err(cannot)
}

/// Where `man` looks for the pages of programs in a folder of the search path.
fn manuals(folder: &Path) -> PathBuf {
    let is_bin = folder.file_name().is_some_and(|name| name == "bin" || name == "sbin");
    match folder.parent().filter(|_| is_bin) {
        Some(parent) => parent.join("share/man/man1"),
        None => folder.join("man/man1"),
    }
}

/// Puts a page in the place of the file at once, so that nobody reads half of it.
fn replace(file: &Path, page: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    // The umask takes bits away.
    let mut new = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    new.write_all(page.as_bytes())?;
    new.persist(file)?;
    Ok(())
}

fn taken(file: &Path, expected: &str) -> Trouble {
    let what = format!(
        "exists and is not {expected}; it was left alone, and what comes after it was not made. Remove it, or \
         choose another folder"
    );
    Trouble::from(Kind::Failed(what)).about(file.display())
}

/// The way from a folder to a file, both absolute: it stays right when what holds both is moved.
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
