//! igzip: what it makes of files, its words for what is wrong, and how container engines run it.
//!
//! The peer is the igzip of Debian (2.30). Add a row with a script; `said` for what both must say.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::harness::{finish, noise};
use crate::scene::{all, check, links, said, scene};

/// A line, and what igzip makes of it, whole and damaged.
const CODED: &str = r"
printf 'hello\n' >a; cp a b; mkdir dir; cp a there
igzip -c -n <a >ok.gz; cat ok.gz ok.gz >two.gz; cp ok.gz ok.foo; cp ok.gz -; cp ok.gz there.gz
head -c 15 ok.gz >cut.gz; { cat ok.gz; echo garbage; } >trail.gz; { cat ok.gz; head -c 99 /dev/zero; } >zeros.gz
echo nothing >not.gz; : >nil.gz; cp ok.gz bad.gz; damage bad.gz 20; ln -s ok.gz link.gz
";

#[test]
fn files_take_the_place_of_others() {
    check(&all(
        &[
            ["igzip a"],
            ["igzip -k a"],
            ["igzip --rm a b"],
            ["igzip -n a"],
            [
                "igzip -0 -c a | gzip -dc; igzip -1 -c a | gzip -dc; igzip -3 -c a | gzip -dc; igzip -11 <a | gzip -dc",
            ],
            ["igzip -T 2 -c a | igzip -dc -T2"],
            ["igzip -dc ok.gz two.gz"],
            ["igzip -cd <two.gz"],
            ["igzip --decompress --stdout - <ok.gz"],
            ["igzip -d ok.gz"],
            ["igzip -d --rm ok.gz"],
            ["igzip -d ok.gz -o new"],
            ["igzip -d -f -o not.gz ok.gz"],
            ["igzip -o new.gz a"],
            ["igzip -S .foo a"],
            ["igzip -d -S .foo ok.foo"],
            ["igzip -t ok.gz two.gz"],
            ["igzip -td ok.gz; igzip -dt ok.gz"],
            ["igzip -dz -c a | gzip -dc"],
            ["igzip -- a"],
            ["igzip ok.gz"],
        ],
        |scene| scene.given(CODED).any_inode().silent(),
    ));
}

#[test]
fn damaged_files_are_errors_and_bytes_behind_the_data_are_not() {
    check(&all(
        &[
            ["igzip -dc trail.gz"],
            ["igzip -dc zeros.gz"],
            ["{ cat ok.gz; printf x; } >byte.gz; igzip -dc byte.gz; rm byte.gz"],
            ["status 'igzip -dc bad.gz'"],
            ["status 'igzip -t cut.gz'"],
            ["status 'igzip -t <nil.gz'"],
            ["status 'igzip -dc not.gz'"],
            ["status 'igzip -t missing.gz'"],
            ["status 'igzip -4 a'"],
            ["status 'igzip -l ok.gz'"],
            ["status 'igzip -o'"],
        ],
        |scene| scene.given(CODED).any_inode(),
    ));
    said(&[
        [CODED, "igzip missing", "igzip: missing does not exist\n"],
        [CODED, "igzip -d there.gz", "igzip: there already exists;       not overwritten\n"],
        [CODED, "igzip -d a", "igzip: a: unknown suffix -- ignored\n"],
        [CODED, "igzip -dc cut.gz >/dev/null", "igzip: Error cut.gz does not contain a complete gzip file\n"],
        [CODED, "igzip -dc not.gz", "igzip: Error invalid gzip header found for file not.gz\n"],
        [CODED, "igzip -dc nil.gz", "igzip: Error invalid gzip header found for file nil.gz\n"],
        [CODED, "igzip -4 a", "igzip: invalid compression level\nUsage: igzip [options] [infiles]\n"],
        [CODED, "igzip -x a", "igzip: invalid option -x\nUsage: igzip [options] [infiles]\n"],
    ]);
    check(&[
        scene("a number of threads that is none", "echo hello >a", "igzip -T x a").ours(
            1,
            r#"stderr "igzip: invalid number of threads: x; expected a number\n"
            a 644 links=1 inode=a now "hello\n""#,
        ),
        scene(
            "one output for two inputs: the original does nothing and exits 0",
            "echo hello >a",
            "igzip -o x a a",
        )
        .ours(
            1,
            r#"stderr "igzip: An output file may be specified with only one input file\n"
            a 644 links=1 inode=a now "hello\n""#,
        ),
    ]);
}

/// The length of the reads and writes of a container engine, which copies between its connection, the decompressor and
/// the unpacked layer.
const COPY_LEN: usize = 32 << 10;

/// Docker runs `unpigz -d -c`, and containerd `igzip -d -c`, for each layer. Both write the layer into a pipe while
/// they read the plain archive from another pipe, and keep the size that the system gives to pipes.
#[test]
fn container_engines_unpack_layers_through_pipes() {
    let mut plain = noise(1 << 20);
    for number in 0..400_000_u32 {
        plain.extend_from_slice(format!("usr/share/doc/{number}\n").as_bytes());
    }
    for coder in [&["gzip", "-6"][..], &["pigz", "-p2"], &["igzip", "-1"]] {
        let mut command = Command::new(format!("/usr/bin/{}", coder[0]));
        command
            .args(&coder[1..])
            .arg("-c")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let layer = copied_through(command, &plain);
        for decoder in ["igzip", "unpigz"] {
            let mut command = Command::new(links().join(decoder));
            command.args(["-d", "-c"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            assert!(copied_through(command, &layer) == plain, "{decoder} on the output of {}", coder[0]);
        }
    }
}

/// Runs the command as a container engine does: both sides are copied in short pieces, at the same time. Returns its
/// output, and demands that the command succeeds and says nothing.
#[track_caller]
fn copied_through(mut command: Command, input: &[u8]) -> Vec<u8> {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut output = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for piece in input.chunks(COPY_LEN) {
                stdin.write_all(piece).unwrap();
            }
        });
        let mut piece = vec![0; COPY_LEN];
        loop {
            match stdout.read(&mut piece).unwrap() {
                0 => break,
                len => output.extend_from_slice(&piece[..len]),
            }
        }
    });
    let run = finish(child);
    assert!(run.status.success() && run.stderr.is_empty(), "{:?}: {:?}", command, run.stderr);
    output
}
