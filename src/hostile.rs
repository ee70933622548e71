//! What somebody would try who has taken over a decoder. Only builds with debug assertions have it, for the test that
//! the sandbox lets nothing of it through.
//!
//! `coding` calls it where the library is about to decode. It does nothing unless the environment asks for it.

use std::fs::{self, File};
use std::io::{ErrorKind, Result};
use std::net::TcpListener;
use std::process::Command;

/// Tries everything on a thread of its own, as a decoder has one, and prints what it could do.
pub(super) fn act() {
    if std::env::var_os("PZCOMP_TEST_HOSTILE").is_some() {
        std::thread::scope(|scope| {
            scope.spawn(try_everything);
        });
    }
}

fn try_everything() {
    let trials: [(&str, &dyn Fn() -> Result<()>); 5] = [
        ("read", &|| File::open("secret").map(drop)),
        ("make", &|| File::create("made").map(drop)),
        ("remove", &|| fs::remove_file("secret")),
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
}
