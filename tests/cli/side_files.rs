//! Side files (`--json`, `--hash-file`, `--progress-fd`) that are also an input or output: refused before anything is
//! written.

use crate::harness::{Folder, text};

/// Every run must fail with this part of a message, and leave the input as it was.
#[test]
fn a_side_file_that_is_an_input_or_output_is_refused() {
    let (folder, plain) = (Folder::new(), text(100_000));
    let cases = [
        ("-f --rm --json a a", "also an input"),
        ("-f --rm --json ./b a b", "also an input"),
        ("-f --hash-file a a", "also an input"),
        ("-f --rm --hash-file a.zst a", "also an output"),
        ("-f -o X --hash-file X a", "also the output"),
        ("-f -o X --json X a", "also the output"),
        ("-f --json c.zst b c", "also an output"),
        ("-f -k --json J --hash-file ./J a", "also the file for --hash-file"),
    ];
    for (command, expected) in cases {
        for name in ["a", "b", "c"] {
            folder.write(name, &plain);
        }
        folder.run(command).says(1, &[expected]);
        for name in ["a", "b", "c"] {
            assert!(folder.read(name) == plain, "{command}: {name}");
        }
    }
}

#[test]
fn an_earlier_record_is_no_input() {
    let folder = Folder::new();
    folder.pipe("--json r", "x").fine();
    let record = folder.read("r");
    folder.run("--rm --json r r").says(1, &["also an input"]);
    assert_eq!(folder.read("r"), record);
}

#[test]
fn text_does_not_get_into_the_data_on_standard_output() {
    let (folder, plain) = (Folder::new(), text(100_000));
    folder.write("a", &plain);
    let commands = [
        "-c --json X a >X",
        "-c --json X a >>X",
        "-c --json /dev/stdout a | cat",
        "-c --progress-fd 1 a >o",
        "-c --hash-file /dev/stdout a | cat",
    ];
    for command in commands {
        folder.write("X", "");
        let message = folder.sh(&format!("$0 {command}")).stderr;
        assert!(message.contains("also standard output"), "{command}: {message}");
    }
}

#[test]
fn a_folder_with_its_own_hash_file_and_record_is_compressed() {
    let (folder, plain) = (Folder::new(), text(100_000));
    std::fs::create_dir(folder.path("d")).unwrap();
    folder.write("d/a", &plain);
    folder.run("-r --hash-file d/H --rm d").fine();
    assert!(folder.has("d/a.zst") && folder.has("d/H") && !folder.has("d/a"));
    folder.run("-f -r -d --hash-file d/H d").fine();
    folder.run("-t --hash-file d/H d/a").says(1, &["exists; name another file with --hash-file"]);
}

/// The open of a FIFO would wait for its writer.
#[test]
fn a_fifo_or_a_folder_beside_an_input_is_no_index() {
    let folder = Folder::new();
    folder.write("a", text(100_000));
    folder.run("-k a").fine();
    let is_named = || folder.run("-d -c --range 5-9 a.zst").says(1, &["a.zst.pzi: ", "is no file"]);
    folder.fifo("a.zst.pzi");
    is_named();
    std::fs::remove_file(folder.path("a.zst.pzi")).unwrap();
    std::fs::create_dir(folder.path("a.zst.pzi")).unwrap();
    is_named();
}

#[test]
fn a_pipe_that_is_refused_is_not_waited_for() {
    let folder = Folder::new();
    folder.fifo("p");
    for command in ["--protect p", "--repair p", "--index p", "-d -c --range 5-9 p"] {
        folder.run(command).says(1, &["not a regular file"]);
    }
}

#[test]
fn json_is_no_name_of_records_or_of_an_index() {
    let folder = Folder::new();
    folder.write("a", text(100_000));
    folder.run("-k a").fine();
    folder.run("--protect a.zst").fine();
    let records = folder.read("a.zst.pzr");
    for command in [
        "--repair -f --json a.zst.pzr a.zst",
        "--protect -f --json a.pzr a",
        "--index --json a.zst.pzi a.zst",
        "--repair --json a.zst.damaged a.zst",
    ] {
        folder.run(command).says(1, &["also the name of a file beside an input"]);
    }
    assert_eq!(folder.read("a.zst.pzr"), records);
    assert!(!folder.has("a.pzr") && !folder.has("a.zst.pzi"));
}

#[test]
fn an_empty_file_of_records_is_none() {
    let folder = Folder::new();
    folder.write("a", text(100_000));
    folder.run("-k a").fine();
    folder.write("a.zst.pzr", "");
    for command in ["--repair a.zst", "--protect --check a.zst"] {
        folder.run(command).says(1, &["has no recovery records, and there are none in a .pzr beside it"]);
    }
}
