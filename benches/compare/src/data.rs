//! The data of a measurement, as a file in the temporary folder.
//!
//! An [`Origin`] is a generator with its seed, or a file of the user. [`Origin::prepare`] writes the plain data, and
//! [`Data::head`] writes its first part for slow rows. `main.rs` and `measure.rs` call them.

use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};

use compare::corpus::{self, Kind, toolchain};

use crate::workdir::WorkDir;

/// One set of plain data.
#[derive(Clone, Debug)]
pub struct Data {
    /// The name in the table.
    pub name: String,
    pub path: PathBuf,
    pub len: u64,
}

/// The origin of a set of plain data.
pub enum Origin {
    /// A generator, with a seed.
    Made(Kind, u64),
    /// A file of the user.
    Given(PathBuf),
}

impl Origin {
    /// The name in the table.
    pub fn name(&self) -> String {
        match self {
            Self::Made(kind, _) => kind.name().to_owned(),
            Self::Given(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        }
    }

    /// Reports at once if the data cannot be had. Otherwise a run would notice that after half an hour.
    pub fn check(&self) -> Result<(), String> {
        let path = match self {
            Self::Given(path) => path,
            Self::Made(Kind::Toolchain, _) => return toolchain::folder().map(|_| ()),
            Self::Made(..) => return Ok(()),
        };
        match File::open(path).and_then(|file| file.metadata()) {
            Ok(meta) if meta.is_dir() => Err(format!("{} is a folder.", path.display())),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("Cannot read {}: {error}.", path.display())),
        }
    }

    /// A description from which the data can be made again.
    pub fn recipe(&self, bytes: u64) -> String {
        match self {
            Self::Made(Kind::Toolchain, seed) => {
                format!("`corpus toolchain {bytes} {seed}` of {}", toolchain::version())
            }
            Self::Made(kind, seed) => format!("`corpus {} {bytes} {seed}`", kind.name()),
            Self::Given(path) => format!("{}, at most {bytes} bytes", path.display()),
        }
    }

    /// Puts at most `bytes` bytes of the data into `dir`.
    pub fn prepare(&self, bytes: u64, dir: &WorkDir) -> Result<Data, String> {
        let path = dir.file("plain");
        let len = self
            .write(bytes, &path)
            .map_err(|error| format!("Cannot prepare the data {}: {error}.", self.name()))?;
        if len == 0 {
            return Err(format!("The data {} is empty.", self.name()));
        }
        Ok(Data { name: self.name(), path, len })
    }

    fn write(&self, bytes: u64, path: &Path) -> io::Result<u64> {
        match self {
            Self::Made(kind, seed) => {
                let mut out = BufWriter::new(File::create(path)?);
                corpus::write(*kind, bytes, *seed, &mut out)
            }
            Self::Given(given) => copy_head(given, bytes, path),
        }
    }
}

impl Data {
    /// The first `bytes` bytes, as a separate file in `dir`. All of the data if it has no more.
    pub fn head(&self, bytes: u64, dir: &WorkDir) -> Result<Self, String> {
        if bytes >= self.len {
            return Ok(self.clone());
        }
        let path = dir.file(&format!("plain.{bytes}"));
        if !path.exists() {
            copy_head(&self.path, bytes, &path)
                .map_err(|error| format!("Cannot cut the data {}: {error}.", self.name))?;
        }
        Ok(Self { name: self.name.clone(), path, len: bytes })
    }
}

fn copy_head(from: &Path, bytes: u64, to: &Path) -> io::Result<u64> {
    io::copy(&mut File::open(from)?.take(bytes), &mut File::create(to)?)
}
