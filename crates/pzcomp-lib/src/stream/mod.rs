//! [`Writer`], [`Reader`] and [`BackgroundReader`]: streams with the traits of the standard library; and [`Pool`], the
//! threads that they can share. `recode` turns one format into another. [`xbstream`] decompresses the files in an
//! xbstream, and [`mydumper`] those in a stream of mydumper; `members` has what both need.
//!
//! The three streams run on sessions of the engine (`crates/engine/src/session.rs`): the threads own all their memory.
//! A [`Writer`] and a [`Reader`] use the inner stream only inside the calls of their owner. So the inner stream may be
//! borrowed, and a value that is leaked or dropped never touches it again. A [`BackgroundReader`] owns its inner
//! reader, and a thread of its own reads it.

mod failure;
mod members;
pub mod mydumper;
mod pool;
mod reader;
mod recode;
mod writer;
pub mod xbstream;

pub use pool::Pool;
pub use reader::{BackgroundReader, Reader};
pub use recode::Recoded;
pub(crate) use recode::recode;
pub use writer::Writer;
