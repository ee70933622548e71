//! Inputs that change while they are read, and inputs of which the system states a wrong length.
//!
//! An input ends where a read shows it. So what comes out of a file that grows is all that was read, up to an end that
//! was seen, and a file that becomes shorter or is rewritten is an error. pzcomp waits until its output is read, so
//! each change here happens while the input is read: data and files are longer than all buffers together.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};

use crate::harness::{Folder, Run, appending, noise, text};
use crate::tar::sh;

/// How much of the output is read between two changes.
const READ_LEN: usize = 128 << 10;

/// Runs a command line, and calls `change` after each part of the output, with the number of parts before.
fn while_read(command: &mut Command, mut change: impl FnMut(usize)) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut out, mut stdout) = (child.stdout.take().unwrap(), Vec::new());
    for part in 0.. {
        if out.by_ref().take(READ_LEN as u64).read_to_end(&mut stdout).unwrap() == 0 {
            break;
        }
        change(part);
    }
    let mut run = crate::harness::finish(child);
    run.stdout = stdout;
    run
}

/// A command in which `<f` at the end makes the file its standard input, which begins at this offset.
fn command(folder: &Folder, line: &str, start: u64) -> Command {
    let (args, input) = line.split_once('<').unwrap_or((line, ""));
    let mut command = folder.command(args.split_whitespace());
    if !input.is_empty() {
        let mut file = File::open(folder.path(input)).unwrap();
        file.seek(SeekFrom::Start(start)).unwrap();
        command.stdin(file);
    }
    command
}

#[test]
fn what_grows_while_it_is_compressed_is_taken_up_to_an_end_that_was_seen() {
    let begun = noise(3 << 20);
    for args in [
        "-F gzip --one-member -p 1 -b 64K -c f",
        "-F gzip --one-member -p 1 -b 64K <f",
        "--as gzip -c f",
        "--as gzip <f",
        "--as pigz -c f",
        "--as pigz -zc f",
        "--as pigz -Kc f",
        "--as igzip -c f",
        "--as bgzip -c f",
        "--as zstd -q --no-content-size -c f",
        "-F gzip -b 64K -c f",
        "-F zstd -b 64K -c f",
        "-F zstd -b 64K --hash xxh3 --hash-file h -c f",
        "-F zstd -b 64K --verify -c f",
        "--as gzip --rsyncable -c f",
        "-F lz4 -b 64K <f",
        "-F xz -0 -b 64K -c f",
        "-F lzip -0 -b 64K -c f",
        "-F bzip2 -c f",
        "-F snappy -c f",
    ] {
        let folder = Folder::new();
        let mut log = appending(&folder.write("f", &begun));
        let run = while_read(&mut command(&folder, args, 0), |part| writeln!(log, "line {part}").unwrap());
        assert!(run.status.success(), "{args}: {}", run.stderr);
        folder.write("coded", &run.stdout);
        let read = match args.contains("-zc") || args.contains("-Kc") {
            true => folder.run("--as pigz -dc coded"),
            false => folder.run("-dc coded"),
        };
        let (read, grown) = (read.fine(), folder.read("f"));
        // With long chunks all of the file may be read before the first output.
        let least = begun.len() + usize::from(args.contains("-p 1"));
        assert!(grown.starts_with(&read) && read.len() >= least, "{args}: {} bytes", read.len());
    }
}

/// Frames whose end is the end of a frame of the same file when it is shorter.
fn frames(folder: &Folder, args: &str, count: usize) -> Vec<u8> {
    folder.pipe(args, noise(300_000)).fine().repeat(count)
}

#[test]
fn a_coded_file_that_grows_is_read_on_and_one_that_becomes_shorter_is_an_error() {
    let plain = noise(300_000);
    for format in ["zstd --no-index", "gzip", "lz4 --no-index", "lzip -0", "xz -0", "bzip2 -1", "snappy"] {
        let folder = Folder::new();
        let coded = frames(&folder, &format!("-F {format}"), 60);
        let frame_len = coded.len() as u64 / 60;
        for args in ["-dc f", "-dc <f", "-d --to lz4 -c f", "-f -dc --hash xxh3 --hash-file h f"] {
            let args = if args.contains("--to") { "--to lz4 -c f" } else { args };
            let file = File::options().write(true).open(folder.write("f", &coded)).unwrap();
            let run = while_read(&mut command(&folder, args, 0), |part| {
                if part == 0 {
                    file.write_all_at(&coded[..2 * frame_len as usize], coded.len() as u64).unwrap();
                }
            });
            assert!(run.status.success(), "{format} {args}: {}", run.stderr);
            let found = match args.starts_with("--to") {
                true => folder.pipe("-dc", &run.stdout).fine(),
                false => run.stdout,
            };
            assert!(found == plain.repeat(62), "{format} {args}: {} bytes", found.len());
        }
        for args in
            ["-dc f", "-dc <f", "--to lz4 -c f", "-f -dc --hash xxh3 --hash-file h f", "-d --salvage -c f"]
        {
            let file = File::options().write(true).open(folder.write("f", &coded)).unwrap();
            let run = while_read(&mut command(&folder, args, 0), |part| {
                if part == 0 {
                    file.set_len(50 * frame_len).unwrap();
                }
            });
            run.says(1, &["the file became shorter while it was read"]);
        }
    }
}

#[test]
fn a_file_that_becomes_shorter_while_it_is_compressed_is_an_error() {
    let plain = noise(8 << 20);
    for args in
        ["-b 64K -c f", "-F gzip --one-member -b 64K <f", "--verify -b 64K -c f", "-F xz -0 -b 64K -c f"]
    {
        let folder = Folder::new();
        let file = File::options().write(true).open(folder.write("f", &plain)).unwrap();
        let run = while_read(&mut command(&folder, args, 0), |part| {
            if part == 0 {
                file.set_len(7 << 20).unwrap();
            }
        });
        run.says(1, &["the file became shorter while it was read"]);
    }
}

#[test]
fn the_list_of_a_tar_archive_is_that_of_the_bytes_that_were_compressed() {
    let folder = Folder::new();
    let script = "for k in $(seq 100 250); do head -c 60000 /dev/urandom > n$k; done
        tar -cf one.tar n*; for k in n*; do mv $k m$k; done; tar -cf two.tar mn*; rm mn*";
    sh(&folder, script);
    let (one, two) = (folder.read("one.tar"), folder.read("two.tar"));
    assert_eq!(one.len(), two.len());
    for format in ["zstd", "gzip", "lz4"] {
        let args = format!("-F {format} -b 64K -p 1 -c f");
        let file = File::options().write(true).open(folder.write("f", &one)).unwrap();
        let run = while_read(&mut command(&folder, &args, 0), |part| {
            if part == 0 {
                file.write_all_at(&two, 0).unwrap();
            }
        });
        run.says(1, &["the tar archive was changed while it was read"]);
        // Without a list nothing depends on the headers.
        let file = File::options().write(true).open(folder.write("f", &one)).unwrap();
        let run = while_read(&mut command(&folder, &format!("{args} --no-tar"), 0), |part| {
            if part == 0 {
                file.write_all_at(&two, 0).unwrap();
            }
        });
        assert_eq!(folder.pipe("-dc", run.fine()).fine().len(), one.len());
    }
}

#[test]
fn ranges_of_a_file_that_was_rewritten_meanwhile_are_an_error() {
    let folder = Folder::new();
    for format in ["bzip2 -1", "zstd -b 64K"] {
        let coded = folder.pipe(&format!("-F {format}"), noise(50 << 20)).fine();
        let file = File::options().write(true).open(folder.write("f", &coded)).unwrap();
        let run = while_read(&mut command(&folder, "-dc --range 10- f", 0), |part| {
            if part == 0 {
                file.write_all_at(&coded[..1], 0).unwrap();
            }
        });
        run.says(1, &["f: was changed while it was read"]);
    }
}

#[test]
fn every_mode_begins_where_standard_input_stands() {
    let folder = Folder::new();
    let (first, second) = (text(300_000), noise(200_000));
    for format in ["zstd -b 64K", "gzip -b 64K", "gzip --one-member", "lz4", "xz -b 64K", "bzip2", "lzip"] {
        let front = folder.pipe(&format!("-F {format}"), &first).fine();
        let behind = folder.pipe(&format!("-F {format}"), &second).fine();
        folder.write("both", [&front[..], &behind].concat());
        let run = |args: &str| {
            let line = format!("{args} <both");
            crate::harness::finish(command(&folder, &line, front.len() as u64).spawn().unwrap()).fine()
        };
        for args in ["-dc", "-dc --range 0-", "-d --salvage -c"] {
            assert!(run(args) == second, "{format} {args}");
        }
        assert_eq!(run("-dc --range 1000-1020"), second[1000..1020], "{format}");
        folder.write("second", &behind);
        assert_eq!(run("-l --frames"), folder.run("-l --frames second").fine(), "{format}");
    }
}

#[test]
fn an_output_that_ends_says_how_much_was_written() {
    let folder = Folder::new();
    folder.write("f.zst", folder.pipe("-b 64K", noise(1 << 20)).fine());
    let said = folder.sh("trap '' XFSZ; ulimit -f 300; $0 -f -dc --range 0- f.zst > out").stderr;
    let len = fs::metadata(folder.path("out")).unwrap().len();
    assert!(len > 0 && said.contains(&format!("cannot write after {len} bytes")), "{len}: {said}");
}

#[test]
#[cfg(target_os = "linux")]
fn files_of_the_system_have_the_length_that_reads_show() {
    let folder = Folder::new();
    // One states a page, and the others state nothing.
    for name in
        ["/sys/devices/system/cpu/online", "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/version"]
    {
        let Ok(plain) = fs::read(name) else { continue };
        for args in [
            "-F zstd",
            "-F gzip --one-member",
            "--as gzip",
            "--as xz",
            "--as lz4 -q",
            "--as lz4 -q --content-size",
            "--as pigz",
            "--verify",
        ] {
            let coded = folder.run(&format!("{args} -c {name}")).fine();
            assert_eq!(folder.pipe("-dc", coded).fine(), plain, "{args} {name}");
        }
        // The original refuses it too.
        let run = folder.run(&format!("--as zstd -qc {name}"));
        assert_eq!(run.status.code(), Some(11), "{}", run.stderr);
        assert!(run.stderr.starts_with(&format!("zstd: {name}: ")), "{}", run.stderr);
        assert!(run.stderr.contains("; the system stated "), "{}", run.stderr);
    }
}
