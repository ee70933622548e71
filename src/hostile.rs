//! What somebody would try who has taken over a decoder. Only builds with debug assertions have it, for the test that
//! the sandbox lets nothing of it through.
//!
//! `coding` calls it where the library is about to decode. It does nothing unless the environment asks for it. The test
//! of the sandbox in `crates/system` tries the calls that the standard library does not have.

use std::fs::{self, File};
use std::io::{ErrorKind, Result};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

/// Tries everything on a thread of its own, as a decoder has one, and prints what it could do. The environment has the
/// name of a file that it goes for, or `abort`, which ends the process.
pub(super) fn act() {
    if let Some(source) = std::env::var_os("PZCOMP_TEST_HOSTILE") {
        let source = source.as_ref();
        std::thread::scope(|scope| {
            scope.spawn(|| try_everything(source));
        });
    }
}

fn try_everything(source: &Path) {
    let trials: [(&str, &dyn Fn() -> Result<()>); 13] = [
        ("read", &|| File::open("/etc/passwd").map(drop)),
        ("make", &|| File::create("made").map(drop)),
        ("make elsewhere", &|| File::create("folder/made").map(drop)),
        ("make a folder", &|| fs::create_dir("made-folder")),
        ("link", &|| fs::hard_link("secret", "made-link")),
        ("empty", &|| File::options().write(true).truncate(true).open(source).map(drop)),
        ("rename", &|| fs::rename(source, "renamed")),
        ("remove", &|| fs::remove_file("secret")),
        ("list", &|| fs::read_dir(".").map(drop)),
        ("change a mode", &|| fs::set_permissions("folder", fs::metadata(".")?.permissions())),
        ("connect", &|| TcpStream::connect("127.0.0.1:9").map(drop)),
        ("listen", &|| TcpListener::bind("127.0.0.1:0").map(drop)),
        ("start", &|| Command::new("true").status().map(drop)),
    ];
    for (what, trial) in &trials {
        match trial() {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
            done => eprintln!("hostile: could {what}: {done:?}"),
        }
    }
    eprintln!("hostile: has tried");
    if source == Path::new("abort") {
        std::process::abort();
    }
}
