//! Outputs that are no quiet file: the system refuses a call, tells of an error late, or has no name for the file.
//!
//! `strange` has strace make calls fail. Where there is no strace, or it may not trace, these scenes are left out.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

use rustix::fs::{FlockOperation, flock};

use crate::common::flipped;
use crate::harness::{Folder, Run, feed, finish, is_root, text};

const PZCOMP: &str = env!("CARGO_BIN_EXE_pzcomp");

/// All calls that give a file another name, and those that do so only if the name is free.
const NAMING: &str = "rename,renameat,renameat2,link,linkat";
const NAMING_CAREFULLY: &str = "renameat2,link,linkat";

/// What the C library says of `EIO`.
const IO_ERROR: &str = if cfg!(target_env = "musl") { "I/O error" } else { "Input/output error" };

fn can_trace() -> bool {
    let traced = Command::new("strace").args(["-f", "-qq", "-o", "/dev/null", "true"]).output();
    traced.is_ok_and(|traced| traced.status.success())
}

/// Runs pzcomp while calls fail as told in the words of strace.
fn strange(folder: &Folder, faults: &[&str], args: &str) -> Run {
    let mut command = folder.program("strace", ["-f", "-qq", "-o", "/dev/null"]);
    for fault in faults {
        command.args(["-e", &format!("inject={fault}")]);
    }
    command.arg(PZCOMP).args(args.split_whitespace());
    finish(command.spawn().unwrap())
}

/// Runs a line of the shell, in which `$P` is pzcomp.
fn shell(folder: &Folder, line: &str) -> Run {
    feed(folder.program("sh", ["-ec", line]).env("P", PZCOMP), b"")
}

/// A folder in which the files of a run are, and what they hold.
fn folder_of_a() -> (Folder, Vec<u8>) {
    let (folder, data) = (Folder::new(), text(300_000));
    folder.write("a", &data);
    (folder, data)
}

#[test]
fn a_limit_that_is_refused_leaves_the_rest_of_the_sandbox() {
    if !can_trace() {
        return;
    }
    let (folder, _) = folder_of_a();
    let run = strange(&folder, &["prlimit64:error=EPERM"], "-vvk a");
    assert!(
        run.status.success() && run.stderr.contains("sandbox: no files but the output"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_output_is_made_below_a_folder_that_may_not_be_searched() {
    let folder = Folder::new();
    for name in [".", "p", "p/w"] {
        fs::create_dir_all(folder.path(name)).unwrap();
        fs::set_permissions(folder.path(name), Permissions::from_mode(0o777)).unwrap();
    }
    folder.write("p/w/a", "a");
    fs::set_permissions(folder.path("p/w/a"), Permissions::from_mode(0o666)).unwrap();
    let user = if is_root() { "setpriv --reuid 65534 --regid 65534 --clear-groups" } else { "" };
    shell(&folder, &format!("cd p/w; chmod 0 ..; {user} $P a; {user} $P -d -o b a.zst; chmod 755 ..")).fine();
    assert_eq!(folder.read("p/w/b"), b"a");
}

#[test]
fn an_output_is_made_in_a_folder_whose_parent_is_renamed_meanwhile() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("m/d")).unwrap();
    shell(&folder, "cd m/d; { echo a; sleep 0.3; mv ../../m ../../n; echo b; } | $P -o x.zst").fine();
    assert_eq!(folder.run("-dc n/d/x.zst").fine(), b"a\nb\n");
    assert_eq!(fs::read_dir(folder.path("n/d")).unwrap().count(), 1);
}

#[test]
fn where_nothing_can_be_renamed_a_file_has_its_name_from_the_beginning() {
    if !can_trace() {
        return;
    }
    for error in ["EPERM", "EXDEV", "EINVAL", "ENOSYS", "EOPNOTSUPP"] {
        let (folder, data) = folder_of_a();
        let run = |args: &str| strange(&folder, &[&format!("{NAMING}:error={error}")], args);
        run("--rm a").fine();
        assert_eq!(folder.names(), ["a.zst"], "{error}");
        folder.write("b.zst", "old");
        run("-d a.zst -o b.zst").says(2, &["already exists"]);
        assert_eq!(folder.read("b.zst"), b"old", "{error}");
        run("-df a.zst -o b.zst").fine();
        assert!(folder.read("b.zst") == data, "{error}");
        // An error leaves nothing behind.
        let mut damaged = folder.read("a.zst");
        *damaged.last_mut().unwrap() ^= 1;
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        folder.write("c.zst", damaged);
        run("-d c.zst").says(1, &["corrupt"]);
        run("--index a.zst").fine();
        run("-F gzip --hash-file h a.zst -o d").fine();
        assert_eq!(folder.names(), ["a.zst", "a.zst.pzi", "b.zst", "c.zst", "d", "h"], "{error}");
    }
}

#[test]
fn plain_renaming_is_enough_and_replaces_nothing() {
    if !can_trace() {
        return;
    }
    for error in ["EPERM", "EINVAL", "ENOSYS"] {
        let (folder, data) = folder_of_a();
        let run = |args: &str| strange(&folder, &[&format!("{NAMING_CAREFULLY}:error={error}")], args);
        for args in ["a", "--as gzip -k a", "--index a.zst", "--protect a.zst", "-d a.zst -o b"] {
            run(args).fine();
        }
        assert!(folder.read("b") == data);
        run("-d a.gz").says(2, &["already exists"]);
        folder.write("b", "old");
        run("-d a.gz -o b").says(2, &["already exists"]);
        assert_eq!(folder.read("b"), b"old");
        assert_eq!(folder.names(), ["a", "a.gz", "a.zst", "a.zst.pzi", "a.zst.pzr", "b"], "{error}");
    }
}

#[test]
fn a_name_that_is_taken_meanwhile_stays_as_it_is() {
    let folder = Folder::new();
    for fault in ["", "strace -f -qq -o /dev/null -e inject=renameat2,link,linkat:error=EINVAL "] {
        if !fault.is_empty() && !can_trace() {
            return;
        }
        let line = format!("{{ echo a; sleep 0.5; echo old >x; }} | {fault}$P -o x || exit 7");
        let done = shell(&folder, &line);
        assert_eq!(done.status.code(), Some(7), "{}", done.stderr);
        assert_eq!(folder.read("x"), b"old\n");
        // The data is nowhere else.
        let kept = folder.names().into_iter().find(|name| name.ends_with(".partial")).expect("it is kept");
        assert!(done.stderr.contains(&format!("kept as ./{kept}")), "{}", done.stderr);
        assert_eq!(folder.run(&format!("-dc {kept}")).fine(), b"a\n");
        folder.names().iter().for_each(|name| fs::remove_file(folder.path(name)).unwrap());
    }
}

#[test]
fn a_whole_output_that_cannot_get_its_name_is_kept() {
    if !can_trace() {
        return;
    }
    let (folder, data) = folder_of_a();
    let done = strange(&folder, &["renameat2:error=EIO"], "--rm a").says(1, &["a.zst: cannot get its name"]);
    let names = folder.names();
    assert!(names.len() == 2 && names[1] == "a" && done.stderr.contains(&names[0]), "{names:?}");
    assert!(folder.run(&format!("-dc {}", names[0])).fine() == data);
}

#[test]
fn append_only_folders_take_outputs() {
    let (folder, data) = folder_of_a();
    fs::create_dir(folder.path("f")).unwrap();
    let chattr = |how: &str| Command::new("chattr").arg(how).arg(folder.path("f")).output();
    if !chattr("+a").is_ok_and(|done| done.status.success()) {
        return;
    }
    let done = [
        folder.run("a -o f/a.zst --hash-file f/h"),
        folder.run("-d f/a.zst -o f/b"),
        folder.run("-df f/a.zst -o f/b"),
        folder.run("--index f/a.zst"),
        folder.run("-t f/a.zst --json f/j"),
    ];
    let failed = folder.run("-d a -o f/c");
    let names: Vec<_> =
        fs::read_dir(folder.path("f")).unwrap().map(|file| file.unwrap().file_name()).collect();
    chattr("-a").unwrap();
    done.into_iter().for_each(|done| drop(done.fine()));
    failed.says(1, &["a: ", "f/c: is empty now"]);
    assert!(folder.read("f/b") == data && folder.read("f/c").is_empty() && names.len() == 6, "{names:?}");
}

/// The system tells of a full quota when a file is closed. strace can say so of files that are there.
#[test]
fn an_error_at_the_close_of_standard_output_is_an_error() {
    if !can_trace() {
        return;
    }
    let (folder, _) = folder_of_a();
    fs::create_dir(folder.path("t")).unwrap();
    folder.write("t/m", "m");
    folder.write("o", "");
    folder.write("j", "");
    shell(&folder, "tar -cf t.tar t; $P t.tar; $P -F gzip a; $P --as bgzip -c a >b.gz").fine();
    let gone = |args: &str| {
        let mut command = folder.program("strace", ["-f", "-qq", "-o", "/dev/null", "-P", "o", "-P", "j"]);
        command.args(["-e", "inject=close:error=EDQUOT", PZCOMP]).args(args.split_whitespace());
        let output = File::create(folder.path("o")).unwrap();
        let done = finish(command.stdout(output).spawn().unwrap());
        assert!(!done.status.success() && done.stderr.to_lowercase().contains("quota"), "{args}: {done:?}");
    };
    for name in ["gzip", "pigz", "igzip", "zstd", "xz", "lz4", "bzip2", "lzip", "bgzip"] {
        gone(&format!("--as {name} -c a"));
    }
    for args in
        ["-c a", "-dc a.gz", "-dc --range 0-5 a.gz", "-d --salvage -c a.gz", "-dc --extract t/m t.tar.zst"]
    {
        gone(args);
    }
    for args in ["--to xz -c a.gz", "-l a.gz", "--index -o - a.gz", "--as bgzip -b 0 -s 5 b.gz", "--help"] {
        gone(args);
    }
    gone("-t --hash sha256 --hash-file - a.gz");
    gone("-l --tar t.tar.zst");
    gone("-t --json j a.gz");
}

#[test]
fn an_error_of_the_disk_that_drop_cache_sees_is_an_error() {
    if !can_trace() {
        return;
    }
    let (folder, _) = folder_of_a();
    for args in ["--drop-cache --rm a", "--drop-cache --synchronous --rm --verify a"] {
        strange(&folder, &["fdatasync:error=EIO:when=1"], args).says(1, &["a.zst: ", IO_ERROR]);
        assert_eq!(folder.names(), ["a"], "{args}");
    }
    // A file system that cannot do it keeps the pages.
    strange(&folder, &["fdatasync:error=EINVAL"], "--drop-cache --rm a").fine();
    assert_eq!(folder.names(), ["a.zst"]);
}

#[test]
fn a_folder_that_cannot_be_synced_is_no_error_of_the_file() {
    if !can_trace() {
        return;
    }
    let (folder, _) = folder_of_a();
    // The first one is that of the file.
    strange(&folder, &["fsync:error=EIO:when=2"], "--rm a").says(1, &["a.zst: cannot complete the file"]);
    assert_eq!(folder.names(), ["a", "a.zst"]);
    strange(&folder, &["fsync:error=EINVAL:when=2"], "--rm -f a").fine();
    assert_eq!(folder.names(), ["a.zst"]);
    strange(&folder, &["fsync:error=EIO:when=1"], "-d --rm a.zst").says(1, &["a: cannot complete the file"]);
    assert_eq!(folder.names(), ["a.zst"]);
}

#[test]
fn rm_works_in_a_folder_that_the_user_may_not_read() {
    let (folder, _) = folder_of_a();
    fs::create_dir(folder.path("d")).unwrap();
    folder.write("d/a", "a");
    fs::set_permissions(folder.path("."), Permissions::from_mode(0o755)).unwrap();
    let user = if is_root() { "setpriv --reuid 65534 --regid 65534 --clear-groups" } else { "" };
    let own = if is_root() { "chown 65534 d/a;" } else { "" };
    shell(&folder, &format!("{own} chmod 333 d; cd d; {user} $P --rm a; chmod 755 .")).fine();
    assert!(folder.has("d/a.zst") && !folder.has("d/a"));
}

#[test]
fn an_output_that_stands_for_an_open_file_is_written_there() {
    let (folder, data) = folder_of_a();
    let is_it = |name: &str| folder.run(&format!("-dc {name}")).fine() == data;
    // A file without a name.
    shell(&folder, "exec 5<>u; rm u; $P -f --rm -o /dev/fd/5 a; cat <&5 >none; cat /dev/fd/5 >x.zst").fine();
    assert!(is_it("x.zst"));
    assert_eq!(folder.names(), ["a", "none", "x.zst"]);
    // One with a name, and links to it; it is not replaced.
    symlink("/proc/self/fd/1", folder.path("l")).unwrap();
    for (output, name) in [("/dev/stdout", ""), ("/proc/self/fd/1", ""), ("l", ""), ("l", "--as zstd -q")] {
        let inode = fs::metadata(folder.write("y.zst", "")).unwrap().ino();
        shell(&folder, &format!("$P {name} -f a -o {output} >y.zst")).fine();
        assert!(is_it("y.zst") && folder.path("l").is_symlink(), "{output} {name}");
        assert_eq!(fs::metadata(folder.path("y.zst")).unwrap().ino(), inode, "{output} {name}");
    }
    // Bytes before and behind belong to other programs.
    shell(&folder, "{ echo a; echo x | $P -o /dev/stdout; echo b; } >z").fine();
    let (before, behind) = (folder.read("z"), b"b\n");
    assert!(before.starts_with(b"a\n") && before.ends_with(behind) && before.len() > 10);
    // Descriptors of pzcomp itself are none.
    for number in [3, 4, 5, 9] {
        let line = format!("exec 3<&- 4<&- 5<&- 9<&-; $P -f a -o /dev/fd/{number}");
        shell(&folder, &line).says(1, &["cannot "]);
    }
    assert!(folder.read("a") == data);
}

#[test]
fn two_processes_do_not_write_one_file_in_place() {
    let (folder, _) = folder_of_a();
    folder.write("a.gz", "old");
    fs::hard_link(folder.path("a.gz"), folder.path("b")).unwrap();
    let other = File::options().write(true).open(folder.path("b")).unwrap();
    flock(&other, FlockOperation::LockExclusive).unwrap();
    let done = folder.run("--as pigz -f a");
    assert!(!done.status.success() && done.stderr.contains("another process"), "{done:?}");
    assert_eq!(folder.read("b"), b"old");
    drop(other);
    folder.run("--as pigz -f a").fine();
    assert!(folder.read("b").len() > 1000 && !folder.has("a"));
}

#[test]
fn a_file_that_cannot_be_repaired_keeps_its_name() {
    if !can_trace() {
        return;
    }
    let (folder, data) = folder_of_a();
    folder.run("--protect a").fine();
    let damaged = flipped(&data, 1000, 1);
    let repair = |faults: &[&str]| {
        folder.write("a", &damaged);
        strange(&folder, faults, "--repair a")
    };
    // There are no hard links, and the new file cannot get its name.
    repair(&["linkat:error=EPERM", "renameat:error=EIO:when=2"]).says(1, &["a: ", IO_ERROR]);
    assert!(folder.read("a") == damaged && !folder.has("a.damaged"));
    let done = repair(&["linkat:error=EPERM"]);
    assert!(done.status.success(), "{}", done.stderr);
    assert!(folder.read("a") == data && folder.read("a.damaged") == damaged);
}

#[test]
fn an_index_goes_to_standard_output() {
    let (folder, _) = folder_of_a();
    folder.run("-F gzip a").fine();
    let index = folder.run("--index -o - a.gz").fine();
    assert_eq!(folder.names(), ["a", "a.gz"]);
    folder.run("--index a.gz").fine();
    assert!(index == folder.read("a.gz.pzi"));
    folder.run("-t --index a.gz").fine();
}

#[test]
fn a_partial_file_that_another_program_replaces_or_takes_is_no_output() {
    for change in ["mv other $partial", "mv $partial taken"] {
        let (folder, _) = folder_of_a();
        folder.write("other", "something else");
        // The input ends when the partial file was changed.
        let script = format!(
            "mkfifo wait; (cat a; cat wait) | $P -F xz -o out & \
             while ! partial=$(ls .pzcomp-*.partial 2>/dev/null); do sleep 0.05; done; \
             {change}; : >wait; wait $!"
        );
        shell(&folder, &script).says(1, &["another program"]);
        assert!(!folder.has("out"), "{change}");
    }
}

#[test]
fn the_command_that_an_error_names_has_the_name_as_one_word() {
    let folder = Folder::new();
    let coded = folder.pipe("-F gzip -b 60K --recovery", text(300_000)).fine();
    let at = coded.len() / 3;
    folder.write("a b's.gz", [&coded[..at], b"damage", &coded[at + 6..]].concat());
    shell(&folder, "$P -t *.gz").says(1, &[r"pzcomp --repair 'a b'\''s.gz'"]);
}
