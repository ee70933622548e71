"""The names of the standard library's `bz2`, on all cores.

`BZ2Compressor` and `BZ2Decompressor`, which take data bit by bit, are those of the standard library.
"""

from __future__ import annotations

import io
from bz2 import BZ2Compressor, BZ2Decompressor
from typing import TYPE_CHECKING, SupportsIndex, overload

from . import _file, _whole
from ._standard import RawReader, StandardFile, check_mode, make_text

if TYPE_CHECKING:
    from . import _types
    from ._types import Buffer

__all__ = ["BZ2Compressor", "BZ2Decompressor", "BZ2File", "compress", "decompress", "open"]


class _Raw(RawReader):
    damaged = OSError
    magics = tuple(b"BZh%d1AY&SY" % level for level in range(1, 10))


class BZ2File(StandardFile):
    """A bzip2 file, as the standard library's `BZ2File`."""

    def __init__(self, filename: _types.File, mode: str = "r", *, compresslevel: int = 9) -> None:
        if not 1 <= compresslevel <= 9:
            raise ValueError("compresslevel must be between 1 and 9")
        if mode not in ("", "r", "rb", "w", "wb", "x", "xb", "a", "ab"):
            raise ValueError(f"Invalid mode: {mode!r}")
        if not _file.is_path(filename) and not hasattr(filename, "read") and not hasattr(filename, "write"):
            raise TypeError("filename must be a str, bytes, file or PathLike object")
        if mode in ("", "r", "rb"):
            self._reader = _file.buffered_reader(_Raw(filename, _file.reading("bzip2", ignores_rest=True), False))
        else:
            options = _file.writing("bzip2", compresslevel, layout="single")
            raw = _file._RawWriter(filename, mode[0] + "b", options)
            self._writer = _file.buffered_writer(raw)

    def readline(self, size: SupportsIndex = -1) -> bytes:  # type: ignore[override]
        return super().readline(_index(size))

    def readlines(self, size: SupportsIndex = -1) -> list[bytes]:  # type: ignore[override]
        return super().readlines(_index(size))


def _index(size):
    if not hasattr(size, "__index__"):
        raise TypeError("Integer argument expected")
    return size


@overload
def open(
    filename: _types.File,
    mode: _types.StandardBinary = "rb",
    compresslevel: int = 9,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
) -> BZ2File: ...
@overload
def open(
    filename: _types.File,
    mode: _types.StandardText,
    compresslevel: int = 9,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> io.TextIOWrapper: ...
@overload
def open(
    filename: _types.File,
    mode: str,
    compresslevel: int = 9,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> BZ2File | io.TextIOWrapper: ...
def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    """Opens a bzip2 file, as the standard library's `bz2.open`."""
    check_mode(mode, encoding, errors, newline)
    binary = BZ2File(filename, mode.replace("t", ""), compresslevel=compresslevel)
    return make_text(binary, encoding, errors, newline) if "t" in mode else binary


def compress(data: Buffer, compresslevel: int = 9) -> bytes:
    """One bzip2 stream of `data`."""
    if not 1 <= compresslevel <= 9:
        raise ValueError("compresslevel must be between 1 and 9")
    return _whole.compress(data, compresslevel, format="bzip2", layout="single")


def decompress(data: Buffer) -> bytes:
    """The plain data of all bzip2 streams in `data`."""
    if not data:
        return b""
    try:
        with BZ2File(io.BytesIO(data)) as file:
            return file.read()
    except EOFError:
        raise ValueError("Compressed data ended before the end-of-stream marker was reached") from None
