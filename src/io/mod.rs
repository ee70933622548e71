//! Descriptors, pipes and files: what the system offers beyond `Read` and `Write`.

mod input;
mod output;
mod pipe;

pub use input::Input;
pub(crate) use input::{Stream, read_at};
pub use output::Output;
