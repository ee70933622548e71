//! [`Streams`]: the objects of streams in the record, as text.
//!
//! A stream may be an archive of millions of members, and each of them has an object. So only the end of the text is in
//! memory, and what is before it in a temporary file.

use std::fs::File;
use std::io::{self, Seek, Write};

use pzcomp::tar::{Kind, Member};
use serde_json::{Value, json};

use system::folder::Folder;

/// The most text in memory.
const TEXT_MAX: usize = 1 << 20;

/// The text of all streams, between commas.
#[derive(Default)]
pub(super) struct Streams {
    /// The end of the text, and what is before it.
    text: Vec<u8>,
    file: Option<File>,
    /// The first error of the file.
    failed: Option<io::Error>,
    has_streams: bool,
    has_members: bool,
}

impl Streams {
    /// Adds a stream.
    pub(super) fn push(&mut self, stream: &Value) {
        self.begin();
        self.put(&stream.to_string());
    }

    /// Adds a stream that has the members that follow.
    pub(super) fn begin_members(&mut self, name: &str, is_listed: bool) {
        self.begin();
        let stream = json!({ "name": name, "listed": is_listed }).to_string();
        self.put(stream.trim_end_matches('}'));
        self.put(",\"members\":[");
        self.has_members = false;
    }

    /// Adds a member of this stream.
    pub(super) fn member(&mut self, member: &Member) {
        if std::mem::replace(&mut self.has_members, true) {
            self.put(",");
        }
        self.put(&object(member).to_string());
    }

    pub(super) fn end_members(&mut self, ok: bool) {
        self.put(&format!("],\"ok\":{ok}}}"));
    }

    fn begin(&mut self) {
        if std::mem::replace(&mut self.has_streams, true) {
            self.put(",");
        }
    }

    fn put(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
        if self.text.len() >= TEXT_MAX && self.failed.is_none() {
            let file = match self.file.take() {
                Some(file) => Ok(file),
                None => Folder::open(&std::env::temp_dir()).and_then(|folder| folder.unnamed()),
            };
            let put = file.and_then(|mut file| file.write_all(&self.text).map(|()| file));
            match put {
                Ok(file) => self.file = Some(file),
                Err(error) => self.failed = Some(error),
            }
        }
        if self.text.len() >= TEXT_MAX {
            self.text.clear();
        }
    }

    /// Writes the field of the streams.
    pub(super) fn write_to(self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        out.write_all(b"\"streams\":[")?;
        if let Some(mut file) = self.file {
            file.rewind()?;
            io::copy(&mut file, out)?;
        }
        out.write_all(&self.text)?;
        out.write_all(b"]")
    }
}

/// A member of a tar archive. Names that are no Unicode have their bytes beside them.
fn object(member: &Member) -> Value {
    let mut object = json!({
        "type": match member.kind() {
            Kind::File => "file",
            Kind::HardLink => "hardlink",
            Kind::Symlink => "symlink",
            Kind::CharDevice => "character-device",
            Kind::BlockDevice => "block-device",
            Kind::Directory => "directory",
            Kind::Fifo => "fifo",
            _ => "other",
        },
        "flag": member.flag,
        "bytes": member.size,
        "mode": member.mode,
        "modified_unix": member.mtime,
        "modified_nanos": member.mtime_nanos,
        "uid": member.uid,
        "gid": member.gid,
        "user": String::from_utf8_lossy(&member.user),
        "group": String::from_utf8_lossy(&member.group),
        "header_offset": member.header,
        "data_offset": member.data,
        "sparse": member.is_sparse,
    });
    let mut text = |field: &str, bytes: &[u8]| {
        object[field] = String::from_utf8_lossy(bytes).into();
        if str::from_utf8(bytes).is_err() {
            let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
            object[format!("{field}_hex")] = digits.collect::<String>().into();
        }
    };
    text("name", &member.name);
    if !member.link.is_empty() {
        text("link", &member.link);
    }
    if matches!(member.kind(), Kind::CharDevice | Kind::BlockDevice) {
        object["device"] = json!([member.device.0, member.device.1]);
    }
    object
}
