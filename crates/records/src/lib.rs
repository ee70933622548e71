//! Records in compressed files: [`Record`] is their container, and [`Envelope`] has the bytes by which the readers of a
//! format pass over a record.
//!
//! A record is known by its kind and by the hash of its head, wherever it is found. `docs/recovery-format.md` describes
//! all bytes.
//!
//! ```
//! use pzcomp_records::{Envelope, Record};
//!
//! let record = Record { kind: 200, head: b"a head", content: b"and content" };
//! let wrapped = Envelope::Skippable.wrap(&record.to_bytes());
//! assert_eq!(Record::parse(&wrapped[Envelope::Skippable.start_len()..]), Some(record));
//! ```

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod envelope;
mod record;

pub use envelope::{Envelope, SKIPPABLE_MAGIC, SUBFIELD};
pub use record::{HEADER_LEN, MAGIC, RECORD_MAX, Record};
