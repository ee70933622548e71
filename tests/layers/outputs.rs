//! No result of a call that writes, syncs, closes, cuts or names a file is dropped.
//!
//! The test looks for such calls in statements that drop what comes of them: `let _ =`, `.ok();` and `drop(…)`.

use std::collections::BTreeMap;

use crate::code::{code, outside_of_tests, read, sources, tokens};

/// Calls whose errors tell that an output is not whole, or does not have its name.
const CALLS: &[&str] = &[
    "write",
    "write_all",
    "write_at",
    "write_all_at",
    "write_vectored",
    "write_zeros",
    "write_rest",
    "write_pending",
    "flush",
    "finish",
    "settle",
    "begin",
    "complete",
    "hold",
    "sync",
    "sync_all",
    "sync_data",
    "fsync",
    "fdatasync",
    "set_len",
    "ftruncate",
    "truncate",
    "cut",
    "extend",
    "copy",
    "rename",
    "renameat",
    "renameat_with",
    "give_name",
    "link",
    "linkat",
    "hard_link",
    "persist",
    "close",
    "drop_up_to",
    "drop_all",
    "call_inner",
];

/// Each file that drops such results, how often, and why it may.
const MAY_DROP: &[(&str, usize, &str)] = &[
    ("src/bench/memory.rs", 1, "a process that was started reports why it did not read all"),
    ("crates/system/src/signals/unix.rs", 1, "the message is the last thing that the process does"),
    ("src/report.rs", 2, "a message that cannot be printed, and a record before the end by SIGPIPE"),
    (
        "crates/pzcomp-lib/src/stream/mydumper.rs",
        1,
        "the output is marked as incomplete after an error, which is reported",
    ),
    (
        "crates/pzcomp-lib/src/stream/recode/mod.rs",
        3,
        "the output is marked as incomplete after an error, which is reported",
    ),
    (
        "crates/pzcomp-lib/src/stream/writer/inner.rs",
        2,
        "the output is marked as incomplete, because its writer is dropped",
    ),
    (
        "crates/pzcomp-lib/src/stream/xbstream/mod.rs",
        2,
        "the output is marked as incomplete after an error, which is reported",
    ),
    (
        "crates/pzcomp-lib/src/verify/handed.rs",
        2,
        "the output is made unreadable after an error, which is reported",
    ),
    (
        "crates/pzcomp-lib/src/verify/mod.rs",
        1,
        "the output is marked as incomplete after an error, which is reported",
    ),
];

/// The calls in this code that drop their results.
fn dropped(text: &str) -> Vec<String> {
    let text = code(text, false);
    let all = tokens(&text);
    let tokens = outside_of_tests(&all).0;
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let rest = &tokens[at..];
        let is_statement = at == 0 || matches!(tokens[at - 1], ";" | "{" | "}" | ")" | ">" | "|");
        if !is_statement {
            continue;
        }
        let end = end_of_statement(rest);
        let statement = &rest[..end];
        let is_dropped = statement.starts_with(&["let", "_", "="])
            || statement.starts_with(&["_", "="]) && !statement.starts_with(&["_", "=", ">"])
            || statement.starts_with(&["drop", "("])
            || statement.ends_with(&[".", "ok", "(", ")"]) && !statement.contains(&"=");
        if is_dropped {
            let calls = statement.windows(2).filter(|pair| pair[1] == "(" && CALLS.contains(&pair[0]));
            found.extend(calls.map(|pair| pair[0].to_owned()).take(1));
        }
    }
    found
}

/// Where the statement ends that begins here.
fn end_of_statement(tokens: &[&str]) -> usize {
    let mut depth = 0_i32;
    for (at, &token) in tokens.iter().enumerate() {
        depth += i32::from(matches!(token, "(" | "[" | "{")) - i32::from(matches!(token, ")" | "]" | "}"));
        if depth < 0 || depth == 0 && matches!(token, ";" | ",") {
            return at;
        }
    }
    tokens.len()
}

#[test]
fn no_result_of_an_output_is_dropped() {
    let mut found = BTreeMap::new();
    for file in ["src", "crates"].into_iter().flat_map(sources) {
        if file.split('/').any(|part| ["tests", "benches", "schedules"].contains(&part) || part == "tests.rs")
        {
            continue;
        }
        let dropped = dropped(&read(&file));
        if !dropped.is_empty() {
            found.insert(file, dropped);
        }
    }
    let allowed: BTreeMap<_, _> =
        MAY_DROP.iter().map(|(file, count, _)| ((*file).to_owned(), *count)).collect();
    let counted: BTreeMap<_, _> = found.iter().map(|(file, calls)| (file.clone(), calls.len())).collect();
    assert_eq!(counted, allowed, "{found:#?}");
}

#[test]
fn dropped_results_are_found_in_each_form() {
    for wrong in [
        "let _ = file.sync_all();",
        "if a { let _ = fdatasync(file); }",
        "let _ = match a { true => file.set_len(0), false => Ok(()) };",
        "_ = out.write_all(&bytes);",
        "out.flush().ok();",
        "drop(out.write_all(b))",
        "spawn(move || drop(out.write_all(b)));",
    ] {
        assert_eq!(dropped(&format!("fn f() {{ {wrong} }}")).len(), 1, "{wrong}");
    }
    for right in [
        "let _ = write!(text, \"\");",
        "file.sync_all()?;",
        "let done = out.flush().ok();",
        "match a { _ => out.flush() }",
        "#[cfg(test)] mod tests { fn f() { let _ = a.flush(); } }",
    ] {
        assert_eq!(dropped(right).len(), 0, "{right}");
    }
}
