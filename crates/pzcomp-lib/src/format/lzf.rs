//! The files of liblzf's program `lzf`. The program's source is the only description.
//!
//! ```text
//! { Z V 0  plain length(2)  data   |   Z V 1  coded length(2)  plain length(2)  block of LZF }
//! ```
//!
//! All numbers are big endian. pzcomp only reads the format.
//!
//! There is no checksum and no mark at the end: nothing but a block that does not decode, or has another length than it
//! states, is found to be wrong. So the data counts as decoded and not verified. Two bytes are a weak magic number, so
//! a file of this format is recognised at the start of the input only.

use pzcomp_lzo::lzf;

use super::blocks::{BlockFormat, Fault, Item, ItemKind, Look};
use super::{Format, Info, Starts};

const NAME: &str = "lzf";
const MAGIC: [u8; 2] = *b"ZV";
const STORED: u8 = 0;
const CODED: u8 = 1;
/// Length of the header of both kinds of blocks.
const STORED_HEAD_LEN: usize = 5;
const CODED_HEAD_LEN: usize = 7;

static INFO: Info = Info::read_only(NAME, &[(".lzf", "")]);

pub(super) struct Lzf;

impl BlockFormat for Lzf {
    fn itself(&self) -> &'static dyn BlockFormat {
        &Lzf
    }

    fn format(&self) -> Format {
        Format::Lzf
    }

    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC) && matches!(head.get(2), Some(&(STORED | CODED)))
    }

    fn starts(&self) -> Starts {
        Starts::First
    }

    fn first_byte(&self) -> &'static [u8] {
        &MAGIC[..1]
    }

    fn ratio_max(&self) -> u64 {
        128
    }

    fn is_searched(&self) -> bool {
        false
    }

    fn unit(&self) -> &'static str {
        "block"
    }

    fn look(&self, bytes: &[u8], _: u8) -> Look {
        let (coded_len, plain_len) = match bytes {
            [magic, ..] if *magic != MAGIC[0] => return Look::Outside,
            [_, magic, ..] if *magic != MAGIC[1] => return Look::Outside,
            [_, _, kind, ..] if *kind > CODED => {
                return Look::Refused(Fault::form(format!("is of the kind {kind}, expected 0 or 1")));
            }
            [_, _, STORED, l1, l0, ..] => {
                let len = usize::from(u16::from_be_bytes([*l1, *l0]));
                (STORED_HEAD_LEN + len, len)
            }
            [_, _, CODED, c1, c0, p1, p0, ..] => {
                let [coded_len, plain_len] =
                    [[*c1, *c0], [*p1, *p0]].map(u16::from_be_bytes).map(usize::from);
                (CODED_HEAD_LEN + coded_len, plain_len)
            }
            [_, _, CODED, ..] => return Look::More(CODED_HEAD_LEN),
            _ => return Look::More(if bytes.len() < 3 { bytes.len() + 1 } else { STORED_HEAD_LEN }),
        };
        Look::Item(Item { len: coded_len as u64, kind: ItemKind::Block { plain_len, check: "-" } })
    }

    fn decode(&self, coded: &[u8], plain: &mut [u8], _: u8) -> Result<(), Fault> {
        let len = match coded {
            [_, _, STORED, _, _, data @ ..] if data.len() == plain.len() => {
                plain.copy_from_slice(data);
                plain.len()
            }
            [_, _, CODED, _, _, _, _, data @ ..] => lzf::decompress(data, plain)
                .map_err(|error| Fault::form(format!("does not decode: {error}")))?,
            _ => return Err(Fault::form("does not decode")),
        };
        if len == plain.len() {
            return Ok(());
        }
        Err(Fault::length(format!("holds {len} bytes of data, expected {}", plain.len())))
    }
}
