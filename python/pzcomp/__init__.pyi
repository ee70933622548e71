import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, TypedDict, overload

from typing_extensions import Buffer, Unpack

from . import _pzcomp
from ._pzcomp import Dictionary as Dictionary
from ._standard import _File, _Path

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

_Index = bool | str | bytes | PathLike[str] | None
_Reading = Literal["r", "rb", "br"]
_Writing = Literal["w", "wb", "bw", "x", "xb", "bx", "a", "ab", "ba"]
_ReadingText = Literal["rt", "tr"]
_WritingText = Literal["wt", "tw", "xt", "tx", "at", "ta"]
_Written = Literal["zstd", "gzip", "xz", "bzip2", "lz4", "lzip", "lzma", "zlib", "zip"]
_Read = Literal["zstd", "gzip", "xz", "bzip2", "lz4", "lzip", "lzma", "zlib", "zip", "lzw", "pack", "lzh"]

_Layout = Literal["frames", "single", "bgzf", "pzstd"]
_Check = Literal["none", "crc32", "crc64", "sha256"]

# The keyword options of writing: those of a file of many machines, of `open`, and of `compress`.
class _PartsOptions(TypedDict, total=False):
    block_size: int | None
    layout: _Layout | None
    extreme: bool
    name: bytes | None
    modified: int

class _OpenOptions(_PartsOptions, total=False):
    check: _Check | None
    compresslevel: int | None
    tar: bool | None

class _CompressOptions(_PartsOptions, total=False):
    check: _Check | None
    dictionary: Dictionary | None
    index: bool
    memory: int | None
    recovery: float | None
    threads: int | None

class _WholeOptions(_CompressOptions, total=False):
    tar: bool | None

# How CSV files are written.
class _Dialect(TypedDict, total=False):
    header: bool
    delimiter: str
    quote: str | None
    nulls: Sequence[str]

class PzcompError(OSError): ...
class DamagedError(PzcompError): ...
class TruncatedError(DamagedError, EOFError): ...
class FormatError(PzcompError): ...
class LimitError(PzcompError): ...

class Frame(NamedTuple):
    coded_offset: int
    coded_length: int
    plain_offset: int
    plain_length: int | None
    format: str | None
    is_file: bool

class Member(NamedTuple):
    name: str
    kind: str
    size: int
    mode: int
    mtime: float
    uid: int
    gid: int
    user: str
    group: str
    link: str
    offset: int
    is_sparse: bool

class Reader(io.BufferedReader):
    def __init__(
        self,
        file: _File,
        *,
        format: _Read | None = None,
        threads: int | None = None,
        memory: int | None = None,
        index: _Index = True,
        max_output: int | None = None,
        dictionary: Dictionary | None = None,
    ) -> None: ...
    def read_at(self, offset: int, length: int) -> bytes: ...
    def frames(self) -> list[Frame]: ...
    def members(self) -> list[Member]: ...
    def noted_index(self) -> bytes | None: ...

class Writer(io.BufferedWriter):
    def __init__(
        self,
        file: _File,
        mode: str = "wb",
        level: int | None = None,
        *,
        format: _Written | None = None,
        layout: _Layout | None = None,
        threads: int | None = None,
        memory: int | None = None,
        block_size: int | None = None,
        index: bool = True,
        check: _Check | None = None,
        extreme: bool = False,
        name: bytes | None = None,
        modified: int = 0,
        dictionary: Dictionary | None = None,
        tar: bool | None = None,
    ) -> None: ...
    def __del__(self) -> None: ...
    def abort(self) -> None: ...

class TextWriter(io.TextIOWrapper):
    def __del__(self) -> None: ...

@overload
def open(
    file: _File,
    mode: _Reading = "rb",
    level: None = None,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    *,
    format: _Read | None = None,
    threads: int | None = None,
    memory: int | None = None,
    index: _Index = True,
    max_output: int | None = None,
    dictionary: Dictionary | None = None,
) -> Reader: ...
@overload
def open(
    file: _File,
    mode: _Writing,
    level: int | None = None,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    *,
    format: _Written | None = None,
    threads: int | None = None,
    memory: int | None = None,
    index: bool = True,
    max_output: None = None,
    dictionary: Dictionary | None = None,
    **options: Unpack[_OpenOptions],
) -> Writer: ...
@overload
def open(
    file: _File,
    mode: _ReadingText,
    level: None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    format: _Read | None = None,
    threads: int | None = None,
    memory: int | None = None,
    index: _Index = True,
    max_output: int | None = None,
    dictionary: Dictionary | None = None,
) -> io.TextIOWrapper: ...
@overload
def open(
    file: _File,
    mode: _WritingText,
    level: int | None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    format: _Written | None = None,
    threads: int | None = None,
    memory: int | None = None,
    index: bool = True,
    max_output: None = None,
    dictionary: Dictionary | None = None,
    **options: Unpack[_OpenOptions],
) -> TextWriter: ...
@overload
def open(
    file: _File,
    mode: str,
    level: int | None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    format: _Read | None = None,
    threads: int | None = None,
    memory: int | None = None,
    index: _Index = True,
    max_output: int | None = None,
    dictionary: Dictionary | None = None,
    **options: Unpack[_OpenOptions],
) -> IO[Any]: ...
def compress(
    data: Buffer, level: int | None = None, *, format: _Written = "zstd", **options: Unpack[_WholeOptions]
) -> bytes: ...
def decompress(
    data: Buffer,
    *,
    format: _Read | None = None,
    threads: int | None = None,
    memory: int | None = None,
    max_output: int | None = None,
    dictionary: Dictionary | None = None,
) -> bytes: ...

class Compressor(_pzcomp.Compressor):
    def __new__(
        cls, level: int | None = None, *, format: _Written = "zstd", **options: Unpack[_CompressOptions]
    ) -> Compressor: ...

class Decompressor(_pzcomp.Decompressor):
    def __new__(
        cls,
        *,
        format: _Read | None = None,
        memory: int | None = None,
        max_output: int | None = None,
        dictionary: Dictionary | None = None,
    ) -> Decompressor: ...

def frames(file: _File, *, index: _Index = True, format: _Read | None = None) -> list[Frame]: ...
def read_at(
    file: _File,
    offset: int,
    length: int,
    *,
    index: _Index = True,
    format: _Read | None = None,
    threads: int | None = None,
) -> bytes: ...
@dataclass(frozen=True)
class Split:
    url: str
    coded_range: tuple[int, int]
    plain_range: tuple[int, int | None]
    format: str | None
    context: tuple[bytes, str | None, int, int] | None = None
    delimiter: bytes | None = None
    storage_options: Mapping[str, Any] = ...
    coded_length: int = 0
    @property
    def length(self) -> int | None: ...
    def read(self, threads: int | None = 1) -> bytes: ...
    def read_records(self, threads: int | None = 1) -> tuple[int, bytes]: ...
    def read_plain(self, threads: int | None = 1) -> bytes: ...
    def stream(self, threads: int | None = 1) -> IO[bytes]: ...

def splits(
    url: str | PathLike[str],
    size: int | str = "128 MiB",
    delimiter: bytes | None = b"\n",
    *,
    storage_options: Mapping[str, Any] | None = None,
    index: bool | str | PathLike[str] = True,
    format: _Read | None = None,
) -> list[Split]: ...
class RepairReport(NamedTuple):
    groups: int
    shards: int
    parity: int
    damaged_shards: int
    moved_shards: int
    damaged_records: int
    lost_groups: int
    is_mendable: bool
    is_intact: bool
    gaps: list[str]

def protect(
    file: _Path,
    to: _Path | None = None,
    *,
    percent: float = 5,
    span: int | None = None,
    threads: int | None = None,
) -> str: ...
def repair(
    file: _Path, to: _Path | None = None, *, records: _Path | None = None, threads: int | None = None
) -> RepairReport: ...
def write_index(
    file: _Path,
    to: _Path | None = None,
    *,
    format: Literal["pzi", "gzidx", "gzi"] = "pzi",
    interval: int = 4 << 20,
    threads: int | None = None,
) -> str: ...
