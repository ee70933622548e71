//! Descriptors that their owner has made non-blocking, as Node.js and ssh do: pzcomp waits for them.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::harness::{Folder, finish, noise, terminal};

fn unblock(fd: impl AsFd) {
    fcntl_setfl(&fd, fcntl_getfl(&fd).unwrap() | OFlags::NONBLOCK).unwrap();
}

/// Reads everything, but not at once.
fn read_slowly(from: OwnedFd) -> Vec<u8> {
    std::thread::sleep(Duration::from_millis(50));
    let mut read = Vec::new();
    // The end of a terminal is an error.
    let _ = File::from(from).read_to_end(&mut read);
    read
}

#[test]
fn output_waits_for_room() {
    let folder = Folder::new();
    let plain = noise(3 << 20);
    folder.write("plain", &plain);
    folder.run("-o coded.xz -F xz -1 plain").fine();
    folder.run("-o coded.zst plain").fine();
    for args in [
        "--as xz -dc coded.xz",
        "--as cat -dc coded.xz",
        "-dc coded.zst",
        "-dc --range 0- coded.zst",
        "--as zstd -dc coded.zst",
        "-dc --verify coded.zst",
        "-d --salvage -c coded.zst",
    ] {
        let args = args.replace("--as cat", "--as xzcat");
        let (ours, theirs): (OwnedFd, OwnedFd) = match args.contains("-dc") {
            true => {
                let (read, write) = std::io::pipe().unwrap();
                (read.into(), write.into())
            }
            false => {
                let (read, write) = UnixStream::pair().unwrap();
                (read.into(), write.into())
            }
        };
        unblock(&theirs);
        let mut command = folder.command(args.split(' '));
        let child = command.stdout(theirs).spawn().unwrap();
        // The command keeps the descriptor, too.
        drop(command);
        assert!(read_slowly(ours) == plain, "{args}");
        finish(child).fine();
    }
}

#[test]
fn a_terminal_that_does_not_block_gets_everything() {
    let folder = Folder::new();
    let plain = vec![b'x'; 300_000];
    folder.write("a.zst", folder.pipe("-c", &plain).fine());
    let (user, program) = terminal();
    unblock(&program);
    let mut command = folder.command(["-dc", "a.zst"]);
    let child = command.stdout(program).spawn().unwrap();
    drop(command);
    assert!(read_slowly(user) == plain);
    finish(child).fine();
}

#[test]
fn input_waits_for_bytes() {
    let folder = Folder::new();
    for args in ["-c", "--as xz -1c", "--as gzip -c"] {
        let (read, mut write) = std::io::pipe().unwrap();
        unblock(&read);
        let child = folder.command(args.split(' ')).stdin(Stdio::from(OwnedFd::from(read))).spawn().unwrap();
        for part in ["one ", "two ", "three"] {
            std::thread::sleep(Duration::from_millis(20));
            write.write_all(part.as_bytes()).unwrap();
        }
        drop(write);
        let coded = finish(child).fine();
        assert_eq!(folder.pipe("-dc", coded).fine(), b"one two three", "{args}");
    }
}

#[test]
fn an_error_says_how_much_was_written() {
    let folder = Folder::new();
    folder.write("a.zst", folder.pipe("-c", noise(3 << 20)).fine());
    let (read, write) = UnixStream::pair().unwrap();
    let mut command = folder.shell("trap '' PIPE; exec $0 -dc a.zst");
    let child = command.stdout(OwnedFd::from(write)).spawn().unwrap();
    drop(command);
    let mut begun = vec![0; 10_000];
    (&read).read_exact(&mut begun).unwrap();
    drop(read);
    let run = finish(child);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let (_, after) = run.stderr.split_once("after ").unwrap_or_else(|| panic!("{}", run.stderr));
    let written: u64 = after.split(' ').next().unwrap().parse().unwrap();
    assert!(written >= 10_000, "{}", run.stderr);
}
