//! Decodes zstd.

mod bits;
mod block;
mod context;
mod cpu;
mod dictionary;
mod error;
mod execute;
mod frame;
mod fse;
mod header;
mod huffman;
mod literals;
mod sequences;
mod stream;

pub use block::{BlockDecoder, CodedBlock, DecodedBlock};
pub use context::TableContext;
pub use dictionary::Dictionary;
pub use error::Error;
pub use execute::{Block, Executor, Ring};
pub use frame::{Frame, FrameDecoder};
pub use header::{
    BLOCK_HEADER_LEN, BLOCK_LEN_MAX, BlockHeader, BlockKind, FRAME_HEADER_LEN_MAX, Format, FrameHeader, MAGIC,
};
pub use stream::{Pause, Progress, StreamDecoder};
