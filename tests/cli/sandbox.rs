//! The sandbox: what code that has taken over a decoder cannot do, and that nothing else changes.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use crate::harness::Folder;

const PLAIN: &[u8] = b"three in the morning";

#[test]
fn hostile_code_reaches_nothing_in_a_run_whose_files_are_open() {
    let folder = Folder::new();
    folder.write("plain", PLAIN);
    folder.run("-k plain").fine();
    folder.write("long", vec![7; 9 << 20]);
    let run = |args: &str| {
        folder.write("secret", "x");
        let mut command = folder.command(args.split(' '));
        crate::harness::feed(command.env("PZCOMP_TEST_HOSTILE", "1"), PLAIN)
    };
    for args in [
        "-c plain",
        "-c long",
        "-c",
        "-dc plain.zst",
        "-t plain.zst",
        "-c --to lz4 plain.zst",
        "--as gzip -c plain",
    ] {
        let run = run(args);
        assert!(run.status.success(), "{args}: {}", run.stderr);
        assert_eq!(run.stderr, "hostile: has tried\n", "{args}");
        assert!(folder.has("secret") && !folder.has("made"), "{args}");
    }
    // These runs open more files, or were told to keep their rights.
    for args in ["-c --no-sandbox plain", "-c --verify plain", "-kf plain", "-c --json record plain"] {
        let run = run(args);
        assert!(run.stderr.contains("could read: Ok(())") && !folder.has("secret"), "{args}: {}", run.stderr);
    }
    let mut gzip = folder.command(["--as", "gzip", "-c", "plain"]);
    let run = crate::harness::feed(gzip.env("PZCOMP_TEST_HOSTILE", "1").env("PZCOMP", "--no-sandbox"), b"");
    assert!(run.stderr.contains("could start: Ok(())"), "{}", run.stderr);
}

#[test]
fn vv_says_that_the_sandbox_is_in_force() {
    let folder = Folder::new();
    assert!(folder.pipe("-vv", PLAIN).stderr.contains("sandbox: no more files"));
    assert!(!folder.pipe("-vv --no-sandbox", PLAIN).stderr.contains("sandbox"));
}
