//! Permissions, owners and times, for root and for a user: `nobody`, if root runs the tests, and else who does.
//!
//! The peer is GNU gzip. A scene that begins with files of others can only be set up by root, and is left out
//! otherwise. `by_user` has the user play what root has set up.

use crate::harness::is_root;
use crate::scene::{all, check, same, scene};

#[test]
fn users_keep_mode_and_times() {
    check(&[scene(
        "there and back",
        "",
        "echo a >a; chmod 640 a; old a; stat -c '%a %u %g %Y' a
         gzip a; stat -c '%a %u %g %Y' a.gz; chmod 444 a.gz; gzip -d a.gz; stat -c '%a %u %g %Y' a",
    )
    .by_user()
    .with_stderr()]);
}

#[test]
fn users_are_told_what_they_may_not() {
    const OTHERS: &str = "echo a >a; chmod 600 a; mkdir d; echo b >d/b; chmod 666 d/b; gzip -1k d/b";
    if !is_root() {
        return eprintln!("left out: only root can make files that others may not read");
    }
    check(&all(&[["gzip a"], ["gzip -c a"]], |scene| scene.given(OTHERS).by_user().with_stderr()));
    // We write into the old output, and then cannot remove the input. The original cannot replace the old output.
    check(&all(&[["gzip -f d/b"], ["gzip -S .x d/b"]], |scene| {
        scene.given(OTHERS).by_user().says(": Permission denied\n")
    }));
}

#[test]
fn what_was_others_becomes_the_users_and_no_more_open() {
    if !is_root() {
        return eprintln!("left out: only root can make files that are somebody else's");
    }
    check(&all(&[["echo a >a; chmod 644 a", "gzip a"], ["echo a >a; chmod 604 a", "gzip a"]], |scene| {
        scene.by_user().with_stderr()
    }));
}

#[test]
fn root_keeps_owner_and_group() {
    if !is_root() {
        return eprintln!("left out: only root can give files away");
    }
    const GIVEN: &str = "echo a >a; chown 12:34 a; chmod 640 a";
    same(&[[GIVEN, "gzip a; gzip -dc a.gz"], [GIVEN, "gzip a; gzip -d a.gz"]]);
}
