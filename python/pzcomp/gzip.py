"""The names of the standard library's `gzip`, on all cores.

`from pzcomp import gzip` takes the place of `import gzip`. What is written is one gzip member with the header that the
standard library writes. `pzcomp.open` writes several members and an index, which are read faster.
"""

from __future__ import annotations

import builtins
import gzip as _standard
import io
import os
import struct
import time
import warnings
from typing import IO, TYPE_CHECKING, Any, overload

from . import _file, _whole
from ._standard import RawReader, StandardFile, check_mode, make_text

if TYPE_CHECKING:
    from . import _types
    from ._types import Buffer

__all__ = ["BadGzipFile", "GzipFile", "compress", "decompress", "open"]

FTEXT, FHCRC, FEXTRA, FNAME, FCOMMENT = 1, 2, 4, 8, 16
READ, WRITE = 1, 2
BadGzipFile = _standard.BadGzipFile


class _Raw(RawReader):
    damaged = BadGzipFile
    magics = (b"\x1f\x8b\x08",)


def _level(compresslevel):
    # The standard library has a level without compression. pzcomp begins with 1.
    return None if compresslevel == -1 else max(compresslevel, 1)


class GzipFile(StandardFile):
    """A gzip file, as the standard library's `GzipFile`."""

    name: str | bytes
    mode: int  # type: ignore[assignment]
    fileobj: Any
    myfileobj: IO[bytes] | None = None

    def __init__(
        self,
        filename: _types.Path | None = None,
        mode: str | None = None,
        compresslevel: int = 9,
        fileobj: Any = None,
        mtime: float | None = None,
    ) -> None:
        if mode and ("t" in mode or "U" in mode):
            raise ValueError(f"Invalid mode: {mode!r}")
        if mode and "b" not in mode:
            mode += "b"
        if fileobj is None:
            fileobj = self.myfileobj = builtins.open(filename, mode or "rb")
        if filename is None:
            filename = getattr(fileobj, "name", "")
            if not isinstance(filename, (str, bytes)):
                filename = ""
        else:
            filename = os.fspath(filename)
        asked, mode = mode, mode or getattr(fileobj, "mode", "rb")
        self.name = filename
        self.fileobj = fileobj
        self._mtime = None
        if mode.startswith("r"):
            self.mode = READ
            self._header = b""
            raw = _Raw(_Noting(fileobj, self), _file.reading("gzip"), False, empty_is_valid=True)
            self._reader = _file.buffered_reader(raw)
        elif mode.startswith(("w", "a", "x")):
            self.mode = WRITE
            if asked is None:
                what = "GzipFile was opened for writing, but this will change in future Python releases.  Specify the mode"
                warnings.warn(what, FutureWarning, 2)
            base = os.path.basename(os.fsencode(filename) if isinstance(filename, str) else filename)
            try:
                base = base.decode().encode("latin-1")
            except UnicodeError:
                base = b""
            options = _file.writing(
                "gzip",
                _level(compresslevel),
                layout="single",
                name=base.removesuffix(b".gz") or None,
                modified=int(time.time() if mtime is None else mtime),
            )
            raw = _file._RawWriter(fileobj, "wb", options)
            self._writer = _file.buffered_writer(raw)
        else:
            raise ValueError(f"Invalid mode: {mode!r}")

    @property
    def mtime(self) -> int | None:
        """The time in the header of the first member, after something was read."""
        header = self._header if self.mode == READ else b""
        return struct.unpack("<L", header[4:8])[0] if len(header) >= 8 else None

    def __repr__(self):
        return f"<gzip {self.fileobj!r} {hex(id(self))}>"

    def read(self, size: int | None = -1) -> bytes:
        return super().read(size) if self.mode == READ else self._refuse("read() on write-only GzipFile object")

    def _refuse(self, what):
        self._check()
        raise OSError(9, what)

    def read1(self, size: int = -1) -> bytes:
        return super().read1(size) if self.mode == READ else self._refuse("read1() on write-only GzipFile object")

    def peek(self, size: int = 0) -> bytes:
        return super().peek(size) if self.mode == READ else self._refuse("peek() on write-only GzipFile object")

    def write(self, data: Buffer) -> int:
        return super().write(data) if self.mode == WRITE else self._refuse("write() on read-only GzipFile object")

    def flush(self, mode: int | None = None) -> None:
        self._check()
        if self.mode == WRITE and not self._writer.raw.closed:
            self._writer.flush()
            self._writer.raw.flush_frame()

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if self.mode == READ:
            return super().seek(offset, whence)
        self._check()
        if whence == io.SEEK_CUR:
            offset += self.tell()
        elif whence != io.SEEK_SET:
            raise ValueError("Seek from end not supported")
        if offset < self.tell():
            raise OSError("Negative seek in write mode")
        while (left := offset - self.tell()) > 0:
            self.write(bytes(min(left, 1 << 20)))
        return self.tell()

    @property
    def closed(self) -> bool:
        return self.fileobj is None

    def close(self) -> None:
        if self.fileobj is None:
            return
        self.fileobj = None
        try:
            (self._reader or self._writer).close()
        finally:
            mine, self.myfileobj = self.myfileobj, None
            if mine is not None:
                mine.close()

    def rewind(self) -> None:
        self._check_reads().seek(0)


class _Noting:
    """A file object that notes the first header that is read."""

    def __init__(self, file, owner):
        self._file, self._owner = file, owner
        self.name = getattr(file, "name", "")

    def read(self, size):
        found = self._file.read(size)
        if found and len(self._owner._header) < 8:
            self._owner._header += bytes(found[:8])
        return found

    def __getattr__(self, name):
        return getattr(self._file, name)


@overload
def open(
    filename: _types.File,
    mode: _types.StandardBinary = "rb",
    compresslevel: int = 9,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
) -> GzipFile: ...
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
) -> GzipFile | io.TextIOWrapper: ...
def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    """Opens a gzip file, as the standard library's `gzip.open`."""
    check_mode(mode, encoding, errors, newline)
    if not _file.is_path(filename) and not hasattr(filename, "read") and not hasattr(filename, "write"):
        raise TypeError("filename must be a str or bytes object, or a file")
    file = None if _file.is_path(filename) else filename
    binary = GzipFile(filename if file is None else None, mode.replace("t", ""), compresslevel, file)
    return make_text(binary, encoding, errors, newline) if "t" in mode else binary


def compress(data: Buffer, compresslevel: int = 9, *, mtime: float | None = None) -> bytes:
    """One gzip member of `data`."""
    if compresslevel == 0:
        return _standard.compress(data, 0, mtime=mtime)
    modified = int(time.time() if mtime is None else mtime)
    return _whole.compress(data, _level(compresslevel), format="gzip", layout="single", modified=modified)


def decompress(data: Buffer) -> bytes:
    """The plain data of all gzip members in `data`."""
    with GzipFile(fileobj=io.BytesIO(data)) as file:
        return file.read()
