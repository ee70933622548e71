//! Input and output: what the system offers beyond `Read` and `Write`.
//!
//! [`Input`], [`Output`], [`ReadAt`] and [`WriteAt`] are for callers: with them a caller says where bytes come from and
//! go to. The feeders, the workers and the sink of the pipeline use the other types. Only this folder of the engine
//! makes system calls for input and output. What systems answer differently is in `crates/system`.

mod blocking;
mod from;
mod input;
mod output;
mod placed_file;
mod random_access;
mod read_at;
mod shared;
pub mod store;

pub use blocking::BlockingWriter;
pub use input::{Input, IsOver, Watch};
pub use input::{InputStream, Patience};
pub use output::Output;
pub use output::{OutputStream, write_at};
pub use placed_file::PlacedFile;
pub use random_access::RandomAccess;
pub use read_at::{ReadAt, ReadSeek};
pub use shared::SharedMemory;
pub use shared::WriteAt;

/// Whether the error only says that nothing can be read or written now.
pub fn is_pause(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}
