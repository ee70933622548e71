"""The names of the standard library's `bz2`, on all cores.

`BZ2Compressor` and `BZ2Decompressor`, which take data bit by bit, are those of the standard library.
"""

import io
from bz2 import BZ2Compressor, BZ2Decompressor

from . import _file, _whole
from ._standard import RawReader, StandardFile, check_mode, make_text

__all__ = ["BZ2Compressor", "BZ2Decompressor", "BZ2File", "compress", "decompress", "open"]


class _Raw(RawReader):
    damaged = OSError
    magics = tuple(b"BZh%d1AY&SY" % level for level in range(1, 10))


class BZ2File(StandardFile):
    """A bzip2 file, as the standard library's `BZ2File`."""

    def __init__(self, filename, mode="r", *, compresslevel=9):
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

    def readline(self, size=-1):
        return super().readline(_index(size))

    def readlines(self, size=-1):
        return super().readlines(_index(size))


def _index(size):
    if not hasattr(size, "__index__"):
        raise TypeError("Integer argument expected")
    return size


def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    """Opens a bzip2 file, as the standard library's `bz2.open`."""
    check_mode(mode, encoding, errors, newline)
    binary = BZ2File(filename, mode.replace("t", ""), compresslevel=compresslevel)
    return make_text(binary, encoding, errors, newline) if "t" in mode else binary


def compress(data, compresslevel=9):
    """One bzip2 stream of `data`."""
    if not 1 <= compresslevel <= 9:
        raise ValueError("compresslevel must be between 1 and 9")
    return _whole.compress(data, compresslevel, format="bzip2", layout="single")


def decompress(data):
    """The plain data of all bzip2 streams in `data`."""
    if not data:
        return b""
    try:
        with BZ2File(io.BytesIO(data)) as file:
            return file.read()
    except EOFError:
        raise ValueError("Compressed data ended before the end-of-stream marker was reached") from None
