import io
from bz2 import BZ2Compressor as BZ2Compressor
from bz2 import BZ2Decompressor as BZ2Decompressor
from typing import SupportsIndex, overload

from typing_extensions import Buffer

from ._standard import StandardFile, _Binary, _File, _Text

__all__ = ["BZ2Compressor", "BZ2Decompressor", "BZ2File", "compress", "decompress", "open"]

class BZ2File(StandardFile):
    def __init__(self, filename: _File, mode: str = "r", *, compresslevel: int = 9) -> None: ...
    def readline(self, size: SupportsIndex = -1) -> bytes: ...  # type: ignore[override]
    def readlines(self, size: SupportsIndex = -1) -> list[bytes]: ...

@overload
def open(
    filename: _File,
    mode: _Binary = "rb",
    compresslevel: int = 9,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
) -> BZ2File: ...
@overload
def open(
    filename: _File,
    mode: _Text,
    compresslevel: int = 9,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> io.TextIOWrapper: ...
@overload
def open(
    filename: _File,
    mode: str,
    compresslevel: int = 9,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> BZ2File | io.TextIOWrapper: ...
def compress(data: Buffer, compresslevel: int = 9) -> bytes: ...
def decompress(data: Buffer) -> bytes: ...
