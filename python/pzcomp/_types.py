"""The types of arguments, for type checkers. No module imports this one while a program runs."""

import io
from collections.abc import Sequence
from os import PathLike
from typing import IO, Literal, TypedDict

from typing_extensions import Buffer as Buffer
from typing_extensions import Unpack as Unpack

from ._pzcomp import Dictionary

Path = str | bytes | PathLike[str] | PathLike[bytes]
File = Path | IO[bytes] | io.RawIOBase | io.BufferedIOBase
Index = bool | str | bytes | PathLike[str] | None
Written = Literal["zstd", "gzip", "xz", "bzip2", "lz4", "lzip", "lzma", "zlib", "zip"]
Read = Literal["zstd", "gzip", "xz", "bzip2", "lz4", "lzip", "lzma", "zlib", "zip", "lzw", "pack", "lzh"]
Layout = Literal["frames", "single", "bgzf", "pzstd"]
Check = Literal["none", "crc32", "crc64", "sha256"]

# The modes of `pzcomp.open`, and those of the modules of the standard library.
Reading = Literal["r", "rb", "br"]
Writing = Literal["w", "wb", "bw", "x", "xb", "bx", "a", "ab", "ba"]
ReadingText = Literal["rt", "tr"]
WritingText = Literal["wt", "tw", "xt", "tx", "at", "ta"]
StandardBinary = Literal["r", "rb", "w", "wb", "x", "xb", "a", "ab"]
StandardText = Literal["rt", "wt", "xt", "at"]


class ReadOptions(TypedDict, total=False):
    format: Read | None
    threads: int | None
    memory: int | None
    index: Index
    max_output: int | None
    dictionary: Dictionary | None


class _BlockOptions(TypedDict, total=False):
    block_size: int | None
    extreme: bool
    name: bytes | None
    modified: int


class PartsOptions(_BlockOptions, total=False):
    layout: Layout | None


class _CodingOptions(_BlockOptions, total=False):
    check: Check | None
    dictionary: Dictionary | None
    memory: int | None
    threads: int | None


class WriterOptions(_CodingOptions, total=False):
    index: bool


class CompressOptions(WriterOptions, total=False):
    layout: Layout | None
    recovery: float | None


class _OpenOptions(_CodingOptions, total=False):
    layout: Layout | None
    compresslevel: int | None
    tar: bool | None


class WriteOptions(_OpenOptions, total=False):
    format: Written | None
    index: bool
    max_output: None


# The mode decides whether they are options of reading or of writing.
class OpenOptions(_OpenOptions, total=False):
    format: Read | None
    index: Index
    max_output: int | None


class DialectOptions(TypedDict, total=False):
    """How CSV files are written."""

    header: bool
    delimiter: str
    quote: str | None
    nulls: Sequence[str]
