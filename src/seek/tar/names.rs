//! Names and links in an archive, which may lead out of the folder, and the reason why a member is refused.

use std::io;

/// A member cannot be extracted, for this reason.
pub(super) struct Refused(pub(super) String);

impl Refused {
    pub(super) fn because(what: &str) -> Self {
        Self(what.into())
    }

    /// Something has the name.
    pub(super) fn taken() -> Self {
        Self::because("exists already; use -f to replace it")
    }

    pub(super) fn cannot(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::AlreadyExists => Self::taken(),
            _ => Self(format!("cannot {what}: {error}")),
        }
    }
}

/// The parts of a name between its slashes.
pub(super) fn parts(name: &[u8]) -> Result<Vec<Vec<u8>>, Refused> {
    let parts = name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    parts
        .map(|part| match part {
            b".." => Err(Refused::because("has '..' in its name, which leads out of the folder")),
            part if part.contains(&0) => Err(Refused::because("has a zero in its name")),
            part => Ok(part.to_vec()),
        })
        .collect()
}

/// Why a symbolic link with this many folders around it may lead out of the outermost one.
pub(super) fn leads_out(target: &[u8], depth: usize) -> Option<&'static str> {
    let mut parts =
        target.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").peekable();
    let mut up = 0;
    while parts.next_if(|part| *part == b"..").is_some() {
        up += 1;
    }
    // Behind the name of another link, `..` would lead up from the place to which that link leads.
    match () {
        () if target.starts_with(b"/") => Some("a place that is stated from the root"),
        () if up > depth => Some("which leads out of the folder"),
        () if parts.any(|part| part == b"..") => {
            Some("with '..' behind another name, which may lead out of the folder")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_folder_are_known() {
        for (target, depth) in
            [("/a", 3), ("..", 0), ("../..", 1), ("a/../..", 2), ("a/..", 0), ("./../a", 0)]
        {
            assert!(leads_out(target.as_bytes(), depth).is_some(), "{target}");
        }
        for (target, depth) in [("a", 0), ("..", 1), ("../a/b", 1), ("./a//b", 0), ("../..", 2), ("...", 0)] {
            assert!(leads_out(target.as_bytes(), depth).is_none(), "{target}");
        }
    }
}
