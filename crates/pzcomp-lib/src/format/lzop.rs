//! The files of lzop. The program's own sources are the only description.
//!
//! ```text
//! 89 LZO 00 0d 0a 1a 0a   version(2) library(2) [needed(2)]   method [level]   flags(4) [filter(4)] mode(4) time(4) [time(4)]
//! name length, name   checksum(4)   [extra length(4), extra, checksum(4)]
//! { plain length(4)   coded length(4)   [checksums of plain and coded data, 4 bytes each]   data }   0(4)
//! ```
//!
//! All numbers are big endian. The fields in brackets depend on the version and the flags. A block has up to 256 KiB of
//! plain data in the files of lzop, and up to 64 MiB in the format. It is a block of LZO1X, or the data as it is if
//! both lengths are equal. Files of lzop can be concatenated.
//!
//! pzcomp only reads the format. Checksums are Adler-32 or CRC-32, of the plain data, of the coded data, or of both.
//! The context of a block has the flags of its checksums.

use pzcomp_lzo::{Error as LzoError, lzo1x};

use super::blocks::{BlockFormat, Fault, Item, ItemKind, Look};
use super::ffi::deflate::{adler32, crc32};
use super::{Format, Info};

const NAME: &str = "lzop";
const MAGIC: [u8; 9] = *b"\x89LZO\0\r\n\x1a\n";

/// From this version on a header has the version that is needed to read it, the level, and a longer time.
const LONG_HEADER_VERSION: u16 = 0x0940;
/// The oldest version, and the newest, that lzop 1.04 reads.
const VERSION_MIN: u16 = 0x0900;
const VERSION_MAX: u16 = 0x1040;

/// The numbers of the methods that are LZO1X.
const METHODS: std::ops::RangeInclusive<u8> = 1..=3;

/// A coded byte makes at most this many plain bytes: a byte of a long match stands for 255. A header that claims more
/// takes no memory.
const RATIO_MAX: u32 = 255;

/// The most plain data of a block.
const PLAIN_MAX: u32 = 64 << 20;
/// A plain length that says that the rest is in another file.
const SPLIT: u32 = u32::MAX;
/// A longer extra field is refused. No program is known that writes one.
const EXTRA_MAX: usize = 64 << 10;

/// The flags of a header.
mod flags {
    pub(super) const ADLER_PLAIN: u32 = 1;
    pub(super) const ADLER_CODED: u32 = 2;
    pub(super) const EXTRA: u32 = 0x40;
    pub(super) const CRC_PLAIN: u32 = 0x100;
    pub(super) const CRC_CODED: u32 = 0x200;
    pub(super) const FILTER: u32 = 0x800;
    pub(super) const HEADER_CRC: u32 = 0x1000;
    /// The bits without a meaning.
    pub(super) const RESERVED: u32 = 0x000f_c000;
}

static INFO: Info = Info::read_only(NAME, &[(".lzo", ""), (".tzo", ".tar"), (".lzop", "")]);

pub(super) struct Lzop;

impl BlockFormat for Lzop {
    fn itself(&self) -> &'static dyn BlockFormat {
        &Lzop
    }

    fn format(&self) -> Format {
        Format::Lzop
    }

    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn first_byte(&self) -> &'static [u8] {
        &MAGIC[..1]
    }

    fn ratio_max(&self) -> u64 {
        256
    }

    fn unit(&self) -> &'static str {
        "block"
    }

    fn first_context(&self) -> u8 {
        0
    }

    fn usual_context(&self) -> u8 {
        Checks { adler_plain: true, ..Checks::default() }.packed()
    }

    fn has_end_mark(&self) -> bool {
        true
    }

    fn look(&self, bytes: &[u8], context: u8) -> Look {
        let mut fields = Fields { bytes, at: 0 };
        let looked = match Checks::unpacked(context) {
            None => fields.header(),
            Some(checks) => fields.block(checks),
        };
        looked.unwrap_or_else(|stop| match stop {
            Stop::More(len) => Look::More(len),
            Stop::Refused(fault) => Look::Refused(fault),
        })
    }

    fn may_be_block(&self, head: &[u8], context: u8) -> bool {
        let lens = head.first_chunk::<8>().zip(Checks::unpacked(context));
        let Some((&[p0, p1, p2, p3, c0, c1, c2, c3], checks)) = lens else { return true };
        let (plain_len, coded_len) =
            (u32::from_be_bytes([p0, p1, p2, p3]) as usize, u32::from_be_bytes([c0, c1, c2, c3]) as usize);
        let Some(data) = head.get(8 + 4 * checks.count(true)..).filter(|_| coded_len < plain_len) else {
            return true;
        };
        let mut room = [0; 4 << 10];
        let room_len = room.len().min(plain_len);
        match lzo1x::decompress(data, &mut room[..room_len]) {
            Err(LzoError::Truncated) => true,
            Err(LzoError::Room) => room_len < plain_len,
            // The end of the block, or a distance that is not valid.
            _ => false,
        }
    }

    fn decode(&self, coded: &[u8], plain: &mut [u8], context: u8) -> Result<(), Fault> {
        let malformed = || Fault::form("does not decode");
        let checks = Checks::unpacked(context).ok_or_else(malformed)?;
        let mut fields = Fields { bytes: coded, at: 8 };
        let mut sums = |is_wanted, is_there: bool| match is_wanted && is_there {
            true => fields.u32().map(Some).map_err(|_| malformed()),
            false => Ok(None),
        };
        let len = coded.get(4..8).and_then(<[u8]>::first_chunk).ok_or_else(malformed)?;
        let is_coded = u32::from_be_bytes(*len) as usize != plain.len();
        let plain_adler = sums(checks.adler_plain, true)?;
        let plain_crc = sums(checks.crc_plain, true)?;
        let coded_adler = sums(checks.adler_coded, is_coded)?;
        let coded_crc = sums(checks.crc_coded, is_coded)?;
        let data = &coded[fields.at..];
        verify("Adler-32 of its coded data", coded_adler, || adler32(1, data))?;
        verify("CRC-32 of its coded data", coded_crc, || crc32(0, data))?;
        if !is_coded && data.len() == plain.len() {
            plain.copy_from_slice(data);
        } else {
            match lzo1x::decompress(data, plain) {
                Ok(len) if len == plain.len() => {}
                Ok(len) => {
                    let what = format!("holds {len} bytes of data, expected {}", plain.len());
                    return Err(Fault::length(what));
                }
                Err(error) => return Err(Fault::form(format!("does not decode: {error}"))),
            }
        }
        verify("Adler-32", plain_adler, || adler32(1, plain))?;
        verify("CRC-32", plain_crc, || crc32(0, plain))
    }
}

fn verify(kind: &str, stated: Option<u32>, found: impl FnOnce() -> u32) -> Result<(), Fault> {
    let Some(stated) = stated else { return Ok(()) };
    let found = found();
    if found == stated { Ok(()) } else { Err(Fault::check(kind, found, stated)) }
}

/// Which checksums a block has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Checks {
    adler_plain: bool,
    adler_coded: bool,
    crc_plain: bool,
    crc_coded: bool,
}

impl Checks {
    fn of_flags(bits: u32) -> Self {
        let has = |flag| bits & flag != 0;
        Self {
            adler_plain: has(flags::ADLER_PLAIN),
            adler_coded: has(flags::ADLER_CODED),
            crc_plain: has(flags::CRC_PLAIN),
            crc_coded: has(flags::CRC_CODED),
        }
    }

    /// The checksums as the context of a block, which is never 0.
    fn packed(self) -> u8 {
        let bit = |is_there, place: u8| u8::from(is_there) << place;
        0x10 | bit(self.adler_plain, 0)
            | bit(self.adler_coded, 1)
            | bit(self.crc_plain, 2)
            | bit(self.crc_coded, 3)
    }

    fn unpacked(packed: u8) -> Option<Self> {
        let has = |place: u8| packed >> place & 1 != 0;
        (packed != 0).then_some(Self {
            adler_plain: has(0),
            adler_coded: has(1),
            crc_plain: has(2),
            crc_coded: has(3),
        })
    }

    /// The name of the check of a block.
    fn name(self, is_coded: bool) -> &'static str {
        match (self.crc_plain || self.crc_coded && is_coded, self.adler_plain || self.adler_coded && is_coded)
        {
            (true, _) => "CRC32",
            (false, true) => "Adler32",
            (false, false) => "-",
        }
    }

    /// How many checksums a block has.
    fn count(self, is_coded: bool) -> usize {
        let Self { adler_plain, adler_coded, crc_plain, crc_coded } = self;
        let of_coded = if is_coded { usize::from(adler_coded) + usize::from(crc_coded) } else { 0 };
        usize::from(adler_plain) + usize::from(crc_plain) + of_coded
    }
}

/// Why nothing is known of what begins with some bytes.
enum Stop {
    /// So many bytes are needed.
    More(usize),
    Refused(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

/// Reads fields one after another.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Stop> {
        let end = self.at + len;
        let field = self.bytes.get(self.at..end).ok_or(Stop::More(end))?;
        self.at = end;
        Ok(field)
    }

    fn array<const LEN: usize>(&mut self) -> Result<[u8; LEN], Stop> {
        let mut array = [0; LEN];
        array.copy_from_slice(self.take(LEN)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8, Stop> {
        self.array().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, Stop> {
        self.array().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32, Stop> {
        self.array().map(u32::from_be_bytes)
    }

    /// The header of a stream.
    fn header(&mut self) -> Result<Look, Stop> {
        let corrupt = |what: String| Stop::Refused(Fault::form(what));
        let unsupported = |what: String| Stop::Refused(Fault::Unsupported(what));
        if self.array()? != MAGIC {
            return Ok(Look::Outside);
        }
        let begin = self.at;
        let (version, _) = (self.u16()?, self.u16()?);
        let is_long = version >= LONG_HEADER_VERSION;
        let needed = if is_long { self.u16()? } else { version };
        let method = self.u8()?;
        if is_long {
            self.u8()?;
        }
        let bits = self.u32()?;
        let filter = if bits & flags::FILTER != 0 { self.u32()? } else { 0 };
        self.take(if is_long { 12 } else { 8 })?;
        let name_len = self.u8()?;
        self.take(name_len.into())?;
        let checksum = |bytes: &[u8]| match bits & flags::HEADER_CRC != 0 {
            true => crc32(0, bytes),
            false => adler32(1, bytes),
        };
        let found = checksum(&self.bytes[begin..self.at]);
        let stated = self.u32()?;
        if found != stated {
            return Err(Fault::check("header checksum", found, stated).into());
        }
        if bits & flags::EXTRA != 0 {
            let start = self.at;
            let len = self.u32()? as usize;
            if len > EXTRA_MAX {
                return Err(unsupported(format!(
                    "has an extra field of {len} bytes, expected at most {EXTRA_MAX}"
                )));
            }
            self.take(len)?;
            let found = checksum(&self.bytes[start..self.at]);
            let stated = self.u32()?;
            if found != stated {
                return Err(Fault::check("checksum of its extra field", found, stated).into());
            }
        }
        if version < VERSION_MIN {
            return Err(corrupt(format!(
                "has the version {version:#06x}, expected {VERSION_MIN:#06x} or a newer one"
            )));
        }
        if needed > VERSION_MAX {
            return Err(unsupported(format!(
                "needs lzop {}.{:02}, expected 1.04 or an older one",
                needed >> 12,
                needed >> 4 & 0xff
            )));
        }
        if !METHODS.contains(&method) {
            return Err(unsupported(format!("has the method {method}, expected 1 to 3, which are LZO1X")));
        }
        if filter != 0 {
            return Err(unsupported(format!(
                "was made with --filter={filter}, which only lzop undoes; use lzop -d"
            )));
        }
        if bits & flags::RESERVED != 0 {
            return Err(unsupported(format!("has the flags {bits:#010x}, some of which have no meaning")));
        }
        let context = Checks::of_flags(bits).packed();
        Ok(Look::Item(Item { len: self.at as u64, kind: ItemKind::Header { context } }))
    }

    /// The header of a block, or the end of the stream.
    fn block(&mut self, checks: Checks) -> Result<Look, Stop> {
        let plain_len = self.u32()?;
        match plain_len {
            0 => return Ok(Look::Item(Item { len: 4, kind: ItemKind::End })),
            SPLIT => {
                let what = "says that the rest of the data is in another file; use lzop -d".into();
                return Err(Fault::Unsupported(what).into());
            }
            _ => {}
        }
        let coded_len = self.u32()?;
        if plain_len > PLAIN_MAX {
            let what = format!("says it holds {plain_len} bytes, expected at most {PLAIN_MAX}");
            return Err(Fault::form(what).into());
        }
        if coded_len == 0 || coded_len > plain_len || plain_len / RATIO_MAX > coded_len {
            let what = format!("says it has {coded_len} coded bytes for {plain_len} bytes of data");
            return Err(Fault::form(what).into());
        }
        let is_coded = coded_len < plain_len;
        let len = (8 + 4 * checks.count(is_coded)) as u64 + u64::from(coded_len);
        let kind = ItemKind::Block { plain_len: plain_len as usize, check: checks.name(is_coded) };
        Ok(Look::Item(Item { len, kind }))
    }
}
