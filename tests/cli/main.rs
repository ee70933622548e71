//! The command as its users meet it: the real binary, real files, pipes, signals and terminals.

mod ending;
mod files;
mod filter;
mod flags;
mod folder;
mod generated;
mod harness;
mod listing;
mod messages;
mod terminal;
mod wrong_input;
