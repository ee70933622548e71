//! A file system in memory that misbehaves as told, served by this process through `/dev/fuse`.
//!
//! A test mounts it with [`Mount::new`], gives it files and [`Faults`] with [`Mount::begin`], runs commands in its
//! folder, and takes what is there with [`Mount::end`]. A change of the source comes at a counted read, so no fault
//! needs luck or a clock. The kernel keeps no attributes and no pages, so each call of a command comes here.

use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::protocol::{self, Attributes, Request, op};

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// When the source changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Before the first byte of it is read.
    Start,
    /// When a third of its bytes have been read.
    Third,
    /// When its last byte has been read.
    End,
    /// When it is looked for by its name and an output has its own: just before it is removed.
    Removal,
}

/// What becomes of the source.
#[derive(Clone, Debug)]
pub(crate) enum How {
    /// It has these bytes now.
    Content(Vec<u8>),
    /// Another file with these bytes has its name now.
    Replaced(Vec<u8>),
    /// It has no name any more.
    Removed,
}

/// What goes wrong. The default is a quiet file system.
#[derive(Clone, Default)]
pub(crate) struct Faults {
    // Of the source.
    pub(crate) change: Option<(When, How)>,
    /// Who changes it puts the time of the last change of its content back.
    pub(crate) puts_time_back: bool,
    /// How its stated length differs from the true one.
    pub(crate) stated: Option<fn(u64) -> u64>,
    /// The longest read.
    pub(crate) short_reads: Option<usize>,
    /// Each third read is interrupted.
    pub(crate) interrupted_reads: bool,
    /// What a read in the middle fails with.
    pub(crate) read: Option<Errno>,
    /// Its time is another one whenever it is asked for.
    pub(crate) restless: bool,
    /// Everything has the time of the machine, in whole seconds.
    pub(crate) whole_seconds: bool,
    pub(crate) unlink: Option<Errno>,
    // Of all other files.
    /// What writes behind so many bytes fail with.
    pub(crate) write: Option<(u64, Errno)>,
    /// The longest write.
    pub(crate) short_writes: Option<usize>,
    /// Each third write is interrupted.
    pub(crate) interrupted_writes: bool,
    /// Writes go to the end of a file only.
    pub(crate) only_appends: bool,
    /// The first sync of a file fails, and half of its data is lost.
    pub(crate) sync: Option<Errno>,
    /// The close of a file that was written fails, and its data is lost.
    pub(crate) close: Option<Errno>,
    pub(crate) sync_folder: Option<Errno>,
    pub(crate) rename: Option<Errno>,
    /// A rename that must not replace a file.
    pub(crate) rename_new: Option<Errno>,
    pub(crate) link: Option<Errno>,
    /// Links and renames happen, and this is returned nevertheless.
    pub(crate) done_but: Option<Errno>,
    /// Changes of mode, owner and times.
    pub(crate) attributes: Option<Errno>,
    /// Changes of a length.
    pub(crate) truncate: Option<Errno>,
}

/// What a run left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    /// Files by their paths, and those without a name that are still of interest, by the last name and a mark.
    pub(crate) files: Files,
    /// What the source had when the run removed it.
    pub(crate) removed: Option<Vec<u8>>,
}

/// The mark behind the name of a file that has none any more.
pub(crate) const UNNAMED: &str = " (no name)";

/// The file system, mounted on a folder of its own until it is dropped.
pub(crate) struct Mount {
    folder: tempfile::TempDir,
    state: Arc<Mutex<State>>,
    server: Option<JoinHandle<()>>,
}

impl Mount {
    /// The error says why this machine does not allow it.
    pub(crate) fn new() -> Result<Self, String> {
        let device = File::options().read(true).write(true).open("/dev/fuse");
        let device = device.map_err(|error| format!("/dev/fuse: {error}"))?;
        let folder = tempfile::tempdir().unwrap();
        let data = format!("fd={},rootmode=40000,user_id=0,group_id=0", device.as_raw_fd());
        let data = CString::new(data).unwrap();
        mount("strange", folder.path(), "fuse", MountFlags::NOSUID | MountFlags::NODEV, data.as_c_str())
            .map_err(|error| format!("mount: {error}"))?;
        let state = Arc::new(Mutex::new(State::new(Faults::default(), "", ROOT + 1)));
        let served = Arc::clone(&state);
        let server = std::thread::spawn(move || serve(device, &served));
        Ok(Self { folder, state, server: Some(server) })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// From now on there are these files, and these faults of `source` and of all other files.
    pub(crate) fn begin(&self, faults: &Faults, source: &str, files: &Files) {
        let mut state = self.state();
        *state = State::new(faults.clone(), source, state.next);
        for (name, bytes) in files {
            let node = state.add(ROOT, name, FILE | 0o644).unwrap();
            state.node(node).unwrap().bytes.clone_from(bytes);
            if name == source {
                state.source_node = node;
            }
        }
    }

    pub(crate) fn end(&self) -> Left {
        let state = self.state();
        let mut left = Left { removed: state.removed.clone(), files: Files::new() };
        state.list(ROOT, "", &mut left.files);
        for node in state.nodes.values().filter(|node| node.links == 0 && node.name == "u") {
            left.files.insert(node.name.clone() + UNNAMED, node.bytes.clone());
        }
        left
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if unmount(self.folder.path(), UnmountFlags::DETACH).is_ok() {
            self.server.take().map(JoinHandle::join);
        }
    }
}

/// Answers the requests of the kernel until the file system is unmounted.
fn serve(device: File, state: &Mutex<State>) {
    // The kernel demands room for the longest write and its header.
    let mut buffer = vec![0; protocol::MAX_WRITE + 4096];
    loop {
        let len = match (&device).read(&mut buffer) {
            Ok(len) => len,
            Err(error) if error.raw_os_error() == Some(Errno::NODEV.raw_os_error()) => return,
            // The request was taken back before it was read.
            Err(_) => continue,
        };
        let request = Request::new(&buffer[..len]);
        if matches!(request.op, op::FORGET | op::BATCH_FORGET | op::INTERRUPT) {
            continue;
        }
        let answer = state.lock().unwrap().answer(&request);
        // Who asked may have been ended.
        drop((&device).write_all(&request.reply(answer)));
    }
}

type Answer = Result<Vec<u8>, Errno>;

const ROOT: u64 = 1;
const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
/// When all that is there at first was made, in nanoseconds: 9 September 2001.
const BEGIN: u64 = 1_000_000_000_000_000_000;

#[derive(Default)]
struct Node {
    /// The last name that it had.
    name: String,
    bytes: Vec<u8>,
    /// The content of a folder.
    children: BTreeMap<String, u64>,
    mode: u32,
    owner: (u32, u32),
    links: u32,
    /// Of the last change of the content, and of any change.
    modified: u64,
    changed: u64,
    is_synced: bool,
}

/// A file that is open.
struct Handle {
    node: u64,
    is_written: bool,
}

struct State {
    faults: Faults,
    /// The name and the number of the source.
    source: String,
    source_node: u64,
    nodes: HashMap<u64, Node>,
    handles: HashMap<u64, Handle>,
    /// The number of the next node or handle. None is used twice, because the kernel may remember it.
    next: u64,
    clock: u64,
    reads: u64,
    writes: u64,
    /// How many bytes of the source were read.
    read_len: u64,
    /// A file has got the name of an output.
    is_named: bool,
    removed: Option<Vec<u8>>,
}

impl State {
    fn new(faults: Faults, source: &str, next: u64) -> Self {
        let clock = if faults.whole_seconds { this_second() } else { BEGIN };
        let root =
            Node { mode: FOLDER | 0o755, links: 2, modified: clock, changed: clock, ..Node::default() };
        Self {
            faults,
            source: source.to_owned(),
            source_node: 0,
            nodes: HashMap::from([(ROOT, root)]),
            handles: HashMap::new(),
            next,
            clock,
            reads: 0,
            writes: 0,
            read_len: 0,
            is_named: false,
            removed: None,
        }
    }

    /// What the kernel asks for may be of an earlier test.
    fn node(&mut self, node: u64) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&node).ok_or(Errno::NOENT)
    }

    fn child(&mut self, folder: u64, name: &str) -> Result<u64, Errno> {
        self.node(folder)?.children.get(name).copied().ok_or(Errno::NOENT)
    }

    fn add(&mut self, folder: u64, name: &str, mode: u32) -> Result<u64, Errno> {
        let node = self.number();
        let links = if mode & FOLDER == 0 { 0 } else { 1 };
        let time = self.clock;
        self.nodes.insert(node, Node { mode, links, modified: time, changed: time, ..Node::default() });
        self.name(folder, name, node)?;
        Ok(node)
    }

    /// Gives the node this name, which another one loses.
    fn name(&mut self, folder: u64, name: &str, node: u64) -> Result<(), Errno> {
        let before = self.node(folder)?.children.insert(name.to_owned(), node);
        let named = self.node(node)?;
        named.links += 1;
        name.clone_into(&mut named.name);
        if let Some(before) = before {
            self.node(before)?.links -= 1;
        }
        Ok(())
    }

    fn unname(&mut self, folder: u64, name: &str) -> Result<u64, Errno> {
        let node = self.node(folder)?.children.remove(name).ok_or(Errno::NOENT)?;
        self.node(node)?.links -= 1;
        Ok(node)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Another time than ever before, if the clock has more than whole seconds.
    fn tick(&mut self) -> u64 {
        self.clock = if self.faults.whole_seconds { this_second() } else { self.clock + 1_000_000 };
        self.clock
    }

    fn list(&self, folder: u64, path: &str, files: &mut Files) {
        for (name, number) in &self.nodes[&folder].children {
            let (node, path) = (&self.nodes[number], format!("{path}{name}"));
            if node.mode & FOLDER == 0 {
                files.insert(path, node.bytes.clone());
            } else {
                self.list(*number, &(path + "/"), files);
            }
        }
    }

    fn attributes(&mut self, number: u64) -> Result<Attributes, Errno> {
        if self.faults.restless && number == self.source_node {
            let time = self.tick();
            self.node(number)?.modified = time;
        }
        let stated = self.faults.stated.filter(|_| number == self.source_node);
        let node = self.node(number)?;
        let len = node.bytes.len() as u64;
        Ok(Attributes {
            node: number,
            len: stated.map_or(len, |stated| stated(len)),
            modified: node.modified,
            changed: node.changed,
            mode: node.mode,
            links: node.links,
            owner: node.owner,
        })
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let node = request.node;
        match request.op {
            op::INIT => Ok(protocol::hello(request)),
            op::LOOKUP => {
                if self.is_named && request.name(0) == self.source {
                    self.change(When::Removal);
                }
                let child = self.child(node, &request.name(0))?;
                Ok(self.attributes(child)?.entry())
            }
            op::GETATTR => Ok(self.attributes(node)?.answer()),
            op::SETATTR => self.set_attributes(request),
            op::STATFS => Ok(protocol::statistics()),
            op::OPEN | op::OPENDIR => {
                self.node(node)?;
                Ok(protocol::opened(self.open(node)))
            }
            op::CREATE => {
                let child = self.add(node, &request.name(16), FILE | request.u32(4) & 0o7777)?;
                let handle = self.open(child);
                Ok([self.attributes(child)?.entry(), protocol::opened(handle)].concat())
            }
            op::MKDIR => {
                let child = self.add(node, &request.name(8), FOLDER | request.u32(0) & 0o7777)?;
                Ok(self.attributes(child)?.entry())
            }
            op::READ => self.read(node, request.u64(8), request.u32(16) as usize),
            op::WRITE => self.write(request),
            op::FSYNC => self.sync(node),
            op::FLUSH => self.flush(request.u64(0)),
            op::RELEASE | op::RELEASEDIR => {
                self.handles.remove(&request.u64(0));
                Ok(Vec::new())
            }
            op::FSYNCDIR => done(self.faults.sync_folder),
            op::READDIR => self.read_folder(node, request),
            op::UNLINK | op::RMDIR => self.unlink(node, &request.name(0)),
            op::RENAME => self.rename(node, request.u64(0), request.names(8), self.faults.rename),
            op::RENAME2 => {
                let (folder, names) = (request.u64(0), request.names(16));
                let is_new = self.child(folder, &names.1).is_err();
                let error = self.faults.rename_new.or((!is_new).then_some(Errno::EXIST));
                self.rename(node, folder, names, error)
            }
            op::LINK => {
                done(self.faults.link)?;
                let (old, name) = (request.u64(0), request.name(8));
                if self.child(node, &name).is_ok() {
                    return Err(Errno::EXIST);
                }
                self.name(node, &name, old)?;
                self.is_named |= !name.contains("partial");
                done(self.faults.done_but)?;
                Ok(self.attributes(old)?.entry())
            }
            _ => Err(Errno::NOSYS),
        }
    }

    fn open(&mut self, node: u64) -> u64 {
        let handle = self.number();
        self.handles.insert(handle, Handle { node, is_written: false });
        handle
    }

    fn read(&mut self, number: u64, offset: u64, mut len: usize) -> Answer {
        if number != self.source_node {
            return Ok(part(&self.node(number)?.bytes, offset, len));
        }
        self.change(When::Start);
        self.reads += 1;
        if self.faults.interrupted_reads && self.reads.is_multiple_of(3) {
            return Err(Errno::INTR);
        }
        len = len.min(self.faults.short_reads.unwrap_or(len));
        let total = self.node(number)?.bytes.len() as u64;
        if let Some(error) = self.faults.read {
            let bad = total / 2;
            match bad.checked_sub(offset) {
                Some(0) => return Err(error),
                Some(before) => len = len.min(before as usize),
                // Only one sector is bad.
                None if offset < bad + 4096 => return Err(error),
                None => {}
            }
        }
        let bytes = part(&self.node(number)?.bytes, offset, len);
        self.read_len += bytes.len() as u64;
        if offset + bytes.len() as u64 >= total {
            self.change(When::End);
        }
        if self.read_len >= total / 3 {
            self.change(When::Third);
        }
        Ok(bytes)
    }

    /// Changes the source, if it is time.
    fn change(&mut self, now: When) {
        let Some((_, how)) = self.faults.change.take_if(|(when, _)| *when == now) else { return };
        let (source, time) = (self.source.clone(), self.tick());
        match how {
            How::Content(bytes) => {
                let puts_back = self.faults.puts_time_back;
                let node = self.nodes.get_mut(&self.source_node).unwrap();
                node.modified = if puts_back { node.modified } else { time };
                (node.bytes, node.changed) = (bytes, time);
            }
            How::Replaced(bytes) => {
                let node = self.add(ROOT, &source, FILE | 0o644).unwrap();
                self.node(node).unwrap().bytes = bytes;
            }
            How::Removed => drop(self.unname(ROOT, &source)),
        }
    }

    fn write(&mut self, request: &Request) -> Answer {
        let (handle, offset, len) = (request.u64(0), request.u64(8), request.u32(16) as usize);
        let mut data = &request.body[40..40 + len];
        self.writes += 1;
        if self.faults.interrupted_writes && self.writes.is_multiple_of(3) {
            return Err(Errno::INTR);
        }
        if let Some((most, error)) = self.faults.write {
            let room = most.saturating_sub(offset) as usize;
            if room == 0 {
                return Err(error);
            }
            data = &data[..len.min(room)];
        }
        data = &data[..data.len().min(self.faults.short_writes.unwrap_or(len))];
        let (only_appends, time) = (self.faults.only_appends, self.tick());
        let node = self.node(request.node)?;
        let offset = offset as usize;
        if only_appends && offset != node.bytes.len() {
            return Err(Errno::INVAL);
        }
        let end = offset + data.len();
        if node.bytes.len() < end {
            node.bytes.resize(end, 0);
        }
        node.bytes[offset..end].copy_from_slice(data);
        (node.modified, node.changed, node.is_synced) = (time, time, false);
        if let Some(handle) = self.handles.get_mut(&handle) {
            handle.is_written = true;
        }
        Ok(protocol::written(data.len()))
    }

    fn sync(&mut self, number: u64) -> Answer {
        if let Some(error) = self.faults.sync.filter(|_| number != self.source_node) {
            let node = self.node(number)?;
            if !node.is_synced {
                // As the kernel does: who syncs again hears of no error.
                node.is_synced = true;
                let kept = node.bytes.len() / 2;
                node.bytes[kept..].fill(0);
                return Err(error);
            }
        }
        Ok(Vec::new())
    }

    fn flush(&mut self, handle: u64) -> Answer {
        let Some(handle) = self.handles.get(&handle) else { return Ok(Vec::new()) };
        let (number, is_written) = (handle.node, handle.is_written);
        if let Some(error) = self.faults.close.filter(|_| is_written && number != self.source_node) {
            self.node(number)?.bytes.clear();
            return Err(error);
        }
        Ok(Vec::new())
    }

    fn set_attributes(&mut self, request: &Request) -> Answer {
        let (fields, time) = (request.u32(0), self.tick());
        let is_file = request.node != self.source_node;
        let (size, modified) =
            (request.u64(16), request.u64(40) * 1_000_000_000 + u64::from(request.u32(60)));
        if fields & protocol::SET_SIZE != 0 && is_file {
            done(self.faults.truncate)?;
        }
        if fields & (protocol::SET_MODE | protocol::SET_UID | protocol::SET_GID | protocol::SET_MTIME) != 0
            && is_file
        {
            done(self.faults.attributes)?;
        }
        let node = self.node(request.node)?;
        if fields & protocol::SET_MODE != 0 {
            node.mode = node.mode & !0o7777 | request.u32(68) & 0o7777;
        }
        if fields & protocol::SET_UID != 0 {
            node.owner.0 = request.u32(76);
        }
        if fields & protocol::SET_GID != 0 {
            node.owner.1 = request.u32(80);
        }
        if fields & protocol::SET_SIZE != 0 {
            node.bytes.resize(size as usize, 0);
            node.modified = time;
        }
        if fields & protocol::SET_MTIME_NOW != 0 {
            node.modified = time;
        } else if fields & protocol::SET_MTIME != 0 {
            node.modified = modified;
        }
        node.changed = time;
        Ok(self.attributes(request.node)?.answer())
    }

    fn read_folder(&mut self, number: u64, request: &Request) -> Answer {
        let nodes = &self.nodes;
        let folder = nodes.get(&number).ok_or(Errno::NOENT)?;
        let children = folder.children.iter().map(|(name, node)| (name.as_str(), *node, nodes[node].mode));
        let all = [(".", number, FOLDER), ("..", number, FOLDER)].into_iter().chain(children);
        Ok(protocol::directory(all, request.u64(8) as usize, request.u32(16) as usize))
    }

    fn unlink(&mut self, folder: u64, name: &str) -> Answer {
        let node = self.child(folder, name)?;
        if !self.node(node)?.children.is_empty() {
            return Err(Errno::NOTEMPTY);
        }
        let is_source = folder == ROOT && name == self.source;
        if is_source {
            done(self.faults.unlink)?;
            self.removed = Some(self.node(node)?.bytes.clone());
        }
        self.unname(folder, name)?;
        Ok(Vec::new())
    }

    fn rename(&mut self, from: u64, to: u64, names: (String, String), error: Option<Errno>) -> Answer {
        done(error)?;
        let node = self.unname(from, &names.0)?;
        self.name(to, &names.1, node)?;
        self.is_named |= !names.1.contains("partial");
        done(self.faults.done_but)
    }
}

/// The time of the machine, in nanoseconds, but rounded down to a second.
fn this_second() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() * 1_000_000_000
}

/// The answer without words.
fn done(error: Option<Errno>) -> Answer {
    error.map_or(Ok(Vec::new()), Err)
}

fn part(bytes: &[u8], offset: u64, len: usize) -> Vec<u8> {
    let start = (offset as usize).min(bytes.len());
    bytes[start..bytes.len().min(start.saturating_add(len))].to_vec()
}
