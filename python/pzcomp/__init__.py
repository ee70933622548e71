"""pzcomp reads and writes zstd, gzip, xz, bzip2, lz4 and lzip on all cores.

`pzcomp.open` takes the place of `gzip.open`, `bz2.open`, `lzma.open` and `zstandard.open`. The modules `pzcomp.gzip`,
`pzcomp.bz2` and `pzcomp.lzma` have the names of those of the standard library. `pzcomp.fsspec` registers pzcomp with
fsspec.
"""

from ._context import Compressor, Decompressor, Dictionary
from ._errors import DamagedError, FormatError, LimitError, PzcompError, TruncatedError
from ._file import Reader, TextWriter, Writer, open
from ._recovery import RepairReport, protect, repair
from ._splits import Split, splits
from ._whole import Frame, Member, compress, decompress, frames, read_at, write_index

__all__ = [
    "Compressor",
    "DamagedError",
    "Decompressor",
    "Dictionary",
    "FormatError",
    "Frame",
    "LimitError",
    "Member",
    "PzcompError",
    "Reader",
    "RepairReport",
    "Split",
    "TextWriter",
    "TruncatedError",
    "Writer",
    "compress",
    "decompress",
    "frames",
    "open",
    "protect",
    "read_at",
    "repair",
    "splits",
    "write_index",
]
