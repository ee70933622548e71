//! The places in an lzip file: the trailers of its members, read from the end of the file.
//!
//! `seekable/`, `inspect.rs` and `salvage/` ask through [`Places`]. `list.rs` in this folder reads the trailers.

use std::ops::Range;

use super::list::{has_one_end, members_in_order};
use super::{CHECK, Lzip, LzipMember};
use crate::error::Result;
use crate::format::Cursor;
use crate::format::places::{Listed, ListedFrame, Places, Stated};
use engine::io::RandomAccess;

impl Places for Lzip {
    fn listed(&self, place: RandomAccess, range: Range<u64>, most: usize) -> Result<Option<Listed>> {
        let frame = |LzipMember { offset, coded_len, plain_len, .. }: LzipMember| ListedFrame {
            coded: offset..offset + coded_len,
            plain_len,
            context: 0,
        };
        let members = members_in_order(place, range, most)?;
        Ok(members.map(|members| Listed {
            frames: Box::new(members.into_iter().map(frame)),
            is_index: false,
            check: Some(CHECK),
        }))
    }

    /// Members are found from the end of the file, so they are also searched for another place at which they could end.
    fn vouches(&self, place: RandomAccess, _: &mut dyn Cursor, stated: &Stated) -> Result<Option<bool>> {
        Ok(Some(stated.is_equal && has_one_end(place, stated.frame.coded.clone())?))
    }
}
