//! Descriptors, pipes and files: what the system offers beyond `Read` and `Write`.

mod input;
mod output;
mod pipe;
mod place;
mod shared;

pub use input::Input;
pub(crate) use input::Stream;
pub use output::Output;
pub(crate) use place::Place;
pub(crate) use shared::{SharedMemory, WriteAt};
