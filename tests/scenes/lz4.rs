//! lz4: what the header says.
//!
//! The peer is lz4 1.9; add a command line to a list. What it makes of files, and its words, are in `lz4/usage.rs`.

mod usage;

use crate::scene::{check, scene};

#[test]
fn the_length_of_a_file_is_stored_wherever_it_comes_from() {
    // The flags say whether there is a length, which is behind the next byte.
    const FLAGS: &str = "flags() { od -An -tx1 -j4 -N1; }; length() { od -An -tx1 -j6 -N8; }\n";
    let lines = [
        "lz4 -q -c --content-size <a | flags; lz4 -q -c --content-size <a | length; lz4 -c --content-size <a | lz4 -dc",
        "lz4 -q -c --content-size a | flags; lz4 -q -c --content-size a | length; lz4 -c --content-size a | lz4 -dc",
        "lz4 -q -c --content-size --no-content-size <a | flags; lz4 -c <a | flags; cat a | lz4 --content-size | flags",
    ];
    check(&lines.map(|line| {
        scene("the length", "echo 'hello hello hello' >a", format!("{FLAGS}{line}; rm a").leak())
    }));
}
