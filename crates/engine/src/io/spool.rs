//! [`unnamed_file`]: a file for bytes that must wait on the disk, because no thread can take them now.

use std::env;
use std::fs::{File, OpenOptions, remove_file};
use std::io::Result;
use std::os::unix::fs::OpenOptionsExt;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes a file without a name in the folder of temporary files (`TMPDIR`, or `/tmp`). Its bytes leave the disk with
/// it.
pub fn unnamed_file() -> Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = env::temp_dir();
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        if let Ok(file) = open(&folder, flags, Mode::RUSR | Mode::WUSR) {
            return Ok(file.into());
        }
    }
    // Not every file system makes such files.
    let name = format!(".pzcomp-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = folder.join(name);
    // Nobody else may read it, also before its name is gone.
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    remove_file(&path).map(|()| file)
}
