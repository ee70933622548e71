//! Links of all names to the program.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::name;
use super::trouble::{Kind, Trouble};

/// Makes a symbolic link of every name in `folder`, which is made if it is not there, to the program that is running. What is there under
/// one of the names already, and no such link, is left alone and ends it. What was done, a line each.
pub(super) fn install(folder: &Path) -> Result<String, Trouble> {
    let cannot = |error| Trouble::cannot("find the folder of")(error).about("the program itself");
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).map_err(cannot)?;
    let cannot = |error| Trouble::cannot("make the folder")(error).about(folder.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let cannot = |error| Trouble::cannot("open the folder")(error).about(folder.display());
    let target = relative(&program, &folder.canonicalize().map_err(cannot)?);
    let mut told = String::new();
    for name in name::others() {
        let link = folder.join(name.name);
        match std::os::unix::fs::symlink(&target, &link) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if std::fs::read_link(&link).ok().as_deref() != Some(&target) {
                    let what = "is there already, and not such a link; it was left alone, and the links \
                                behind it were not made. Remove it, or choose another folder";
                    return Err(Trouble::from(Kind::Failed(what.into())).about(link.display()));
                }
            }
            made => made.map_err(|error| Trouble::cannot("make the link")(error).about(link.display()))?,
        }
        told.push_str(&format!("{} -> {}\n", link.display(), target.display()));
    }
    Ok(told)
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
