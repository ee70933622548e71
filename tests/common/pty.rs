//! Terminals to test at: `terminal` makes one.
//!
//! It is raw, so what is typed arrives at once and is not shown, and what is written arrives as it was written. To
//! type, write to the side of the user; when the program has ended, read what it showed there.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// A terminal: the side of the user and the side of the program. Only the program it is given to inherits it.
pub(crate) fn terminal() -> (OwnedFd, File) {
    let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::io::fcntl_setfd(&user, rustix::io::FdFlags::CLOEXEC).unwrap();
    grantpt(&user).unwrap();
    unlockpt(&user).unwrap();
    let name = ptsname(&user, Vec::new()).unwrap();
    let path = Path::new(OsStr::from_bytes(name.as_bytes()));
    let program =
        rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    let mut raw = tcgetattr(&program).unwrap();
    raw.make_raw();
    tcsetattr(&program, OptionalActions::Now, &raw).unwrap();
    (user, program.into())
}
