"""What `pzcomp.gzip`, `pzcomp.bz2` and `pzcomp.lzma` have in common: one class for both directions."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from . import _file, _fork
from ._errors import DamagedError, FormatError, TruncatedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._types import Buffer


class RawReader(_file._RawReader):
    """The raw end of a file, with the exceptions of a module of the standard library."""

    #: The exception for damaged data.
    damaged = OSError
    #: The first bytes that files of the format have. Fewer of them are a file that was cut off.
    magics = ()

    def _as_in_standard(self, call, *arguments):
        try:
            return call(*arguments)
        except TruncatedError:
            # It is an EOFError, as in the standard library.
            raise
        except (DamagedError, FormatError) as error:
            if isinstance(error, FormatError) and self._is_cut_in_magic():
                raise TruncatedError("Compressed file ended before the end-of-stream marker was reached") from None
            raise self.damaged(str(error)) from None

    def _is_cut_in_magic(self):
        if not self.seekable():
            return False
        start = self._file.seek(0, io.SEEK_END)
        if start > max(map(len, self.magics)):
            return False
        self._file.seek(0)
        found = self._file.read(start)
        return any(magic.startswith(found) for magic in self.magics)

    def readinto(self, buffer: Buffer) -> int:
        self._check()
        return self._as_in_standard(self._decoder.readinto, buffer)

    def readall(self) -> bytes:
        self._check()
        return self._as_in_standard(self._decoder.readall)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._as_in_standard(super().seek, offset, whence)


class StandardFile(io.BufferedIOBase):
    """A file in the manner of the standard library: it reads or writes, and closes as if it were complete."""

    _reader = _writer = None

    def _check(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def _check_reads(self):
        self._check()
        if self._reader is None:
            raise io.UnsupportedOperation("File not open for reading")
        return self._reader

    def _check_writes(self):
        self._check()
        if self._writer is None:
            raise io.UnsupportedOperation("File not open for writing")
        return self._writer

    @property
    def _fp(self):
        # Programs that look inside expect the file here, or None behind `close`.
        end = self._reader or self._writer
        return None if end is None or end.closed else end.raw._file

    @property
    def closed(self) -> bool:
        end = self._reader or self._writer
        return end is None or end.closed

    def close(self) -> None:
        end = self._reader or self._writer
        if end is not None:
            end.close()

    def fileno(self) -> int:
        self._check()
        return (self._reader or self._writer).raw.fileno()

    def readable(self) -> bool:
        self._check()
        return self._reader is not None

    def writable(self) -> bool:
        self._check()
        return self._writer is not None

    def seekable(self) -> bool:
        self._check()
        return self._reader is not None and self._reader.seekable()

    def read(self, size: int | None = -1) -> bytes:
        return self._check_reads().read(-1 if size is None else size)

    def read1(self, size: int = -1) -> bytes:
        return self._check_reads().read1(size)

    def readinto(self, buffer: Buffer) -> int:
        return self._check_reads().readinto(buffer)

    def readinto1(self, buffer: Buffer) -> int:
        return self._check_reads().readinto1(buffer)

    def peek(self, size: int = 0) -> bytes:
        return self._check_reads().peek(size)

    def readline(self, size: int | None = -1) -> bytes:
        return self._check_reads().readline(size)

    def readlines(self, size: int = -1) -> list[bytes]:
        return self._check_reads().readlines(size)

    def __iter__(self) -> StandardFile:
        self._check_reads()
        return self

    def __next__(self) -> bytes:
        return next(self._check_reads())

    def write(self, data: Buffer) -> int:
        return self._check_writes().write(data)

    def writelines(self, lines: Iterable[Buffer]) -> None:
        self._check_writes().writelines(lines)

    def flush(self) -> None:
        # Closing an object of the standard library flushes it, whatever its state is.
        if self._writer is not None and not self._writer.closed:
            self._writer.flush()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        reader = self._check_reads()
        if not reader.seekable():
            raise io.UnsupportedOperation("The underlying file object does not support seeking")
        return reader.seek(offset, whence)

    def tell(self) -> int:
        self._check()
        return (self._reader or self._writer).tell()


def check_mode(mode, encoding, errors, newline):
    """Checks the mode of `open`, and that options of text are given for text only."""
    if "t" in mode and "b" in mode:
        raise ValueError(f"Invalid mode: {mode!r}")
    if "t" not in mode:
        _file.refuse_text_options(encoding, errors, newline)


def make_text(binary, encoding, errors, newline):
    return _fork.note(io.TextIOWrapper(binary, io.text_encoding(encoding), errors, newline))
