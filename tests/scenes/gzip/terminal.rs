//! At a terminal: who may be asked is asked, and coded data is kept off it.
//!
//! The peer is GNU gzip. In a scene `at_terminal` standard input and output are a terminal at which that was typed,
//! unless the script redirects them; what is shown there is the standard output of the scene.

use crate::scene::{all, check, same};

/// Here `gzip c` meets a file that is there.
const CONFLICT: &str = "echo new >c; echo old >c.gz";

#[test]
fn who_sits_at_a_terminal_is_asked() {
    for answer in ["y\n", "yes, please\n", "Y\n", "n\n", "\n", "no\n"] {
        check(&all(&[[CONFLICT, "gzip c"]], |scene| scene.at_terminal(answer).with_stderr()));
    }
}

#[test]
fn a_terminal_that_is_gone_is_a_no() {
    check(&all(&[[CONFLICT, "gzip c"]], |scene| scene.at_lost_terminal()));
}

#[test]
fn every_file_is_asked_about() {
    const TWO: &str = "echo new >c; echo old >c.gz; echo d >d; echo old >d.gz";
    check(&all(&[[TWO, "gzip c d"]], |scene| scene.at_terminal("n\ny\n").with_stderr()));
}

#[test]
fn force_overwrites_without_a_question() {
    check(&all(&[[CONFLICT, "gzip -f c"]], |scene| scene.at_terminal("").with_stderr()));
}

#[test]
fn presume_input_tty_asks_on_a_pipe() {
    same(&[[CONFLICT, "echo y | gzip ---presume-input-tty c"]]);
}

#[test]
fn coded_data_is_not_written_to_a_terminal() {
    const PLAIN: &str = "echo hello >a";
    let rows = [["gzip </dev/null"], ["gzip - </dev/null"]];
    check(&all(&rows, |scene| scene.given(PLAIN).at_terminal("").with_stderr()));
    // By force it is. Of the data only the beginning is the same.
    same(&[[PLAIN, "script -qec 'gzip -cf a' /dev/null </dev/null | head -c 2 | od -An -tx1"]]);
}

#[test]
fn coded_data_is_not_read_from_a_terminal() {
    let rows = [["gzip -d | cat"], ["gzip -d"], ["gzip -dc"], ["gzip -t"]];
    check(&all(&rows, |scene| scene.at_terminal("").with_stderr()));
}

#[test]
fn plain_data_and_tables_go_to_a_terminal() {
    let rows = [["gzip -dc x.gz"], ["gzip -l x.gz"]];
    check(&all(&rows, |scene| scene.given("printf x >x; gzip x").at_terminal("").with_stderr()));
    same(&[["for o in -h -V; do script -qec \"gzip $o\" /dev/null </dev/null | head -n 1 | cut -c 1; done"]]);
}

#[test]
fn files_are_worked_on_at_a_terminal_without_a_word() {
    check(&all(&[["echo hello >a", "gzip a 2>&1; gzip -d a.gz 2>&1"]], |scene| {
        scene.at_terminal("").with_stderr()
    }));
}
