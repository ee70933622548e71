"""File objects: `open`, and the classes that it returns.

`Reader` and `Writer` are the buffers of the standard library around a raw end. The raw ends call the extension module,
which works without the lock of the interpreter.
"""

from __future__ import annotations

import builtins
import io
import os
from typing import IO, TYPE_CHECKING, Any, overload
from warnings import warn as _warn

from . import _fork, _pzcomp

if TYPE_CHECKING:
    from . import _types
    from ._context import Dictionary
    from ._types import Unpack

# A raw end gives and takes this much at a time. Longer reads and writes do not go through the buffer. Each time costs a
# change of threads, so lines are read faster with a longer one.
_READ_SIZE = 512 << 10
_WRITE_SIZE = 128 << 10

#: The formats that are written.
FORMATS = ("zstd", "gzip", "xz", "bzip2", "lz4", "lzip", "lzma", "zlib", "zip")
_SUFFIXES = {suffix: format for suffix, format in _pzcomp.suffixes() if format in FORMATS}
_BGZF_SUFFIX = ".bgz"
_INDEX_SUFFIXES = (".pzi", ".gzidx", ".gzi")


def reading(
    format=None, threads=None, memory=None, ignores_rest=False, start=0, *, max_output=None, dictionary=None
):
    """The options of reading, as the extension module takes them. The data begins at the offset `start` of its file."""
    return {
        "format": format,
        "threads": threads,
        "memory": memory,
        "ignores_rest": ignores_rest,
        "start": start,
        "max_output": max_output,
        "dictionary": dictionary,
    }


def per_mille(percent):
    """A share of recovery records in thousandths."""
    if not 0.5 <= percent <= 100:
        raise ValueError(f"expected a share from 0.5 to 100 per cent, got {percent}")
    return round(percent * 10)


def writing(
    format,
    level=None,
    *,
    threads=None,
    memory=None,
    block_size=None,
    index=True,
    layout=None,
    check=None,
    extreme=False,
    name=None,
    modified=0,
    dictionary=None,
    recovery=None,
    tar=False,
):
    """The options of writing, as the extension module takes them. They are checked."""
    if format == "lzma":
        layout = "alone"
    elif layout is None:
        layout = "single" if format in ("zlib", "zip") else "frames"
    options = {
        "format": "xz" if format == "lzma" else format,
        "level": level,
        "threads": threads,
        "memory": memory,
        "block_size": block_size,
        "index": index,
        "layout": layout,
        "check": check,
        "extreme": extreme,
        "name": name,
        "modified": modified,
        "dictionary": dictionary,
        "recovery": None if recovery is None else per_mille(recovery),
        "tar": tar,
    }
    _pzcomp.check_writing(options)
    return options


def format_to_write(file, format=None, layout=None):
    """The format and the layout of an output: those that are named, or those of the suffix of a path or of the name of a
    file object. An output without a suffix is zstd. Another suffix is an error: a wrong guess would show up much later."""
    if format is not None:
        return format, layout
    path = file if is_path(file) else getattr(file, "name", None)
    suffix = os.path.splitext(os.fsdecode(path))[1].lower() if is_path(path) else ""
    if not suffix:
        return "zstd", layout
    if suffix == _BGZF_SUFFIX:
        return "gzip", layout or "bgzf"
    if suffix not in _SUFFIXES:
        raise ValueError(
            f"the suffix of {os.fsdecode(path)!r} names no format that pzcomp writes; name the format, for example "
            f"format='zstd'; the formats are {', '.join(FORMATS)}"
        )
    return _SUFFIXES[suffix], layout


def is_path(file):
    return isinstance(file, (str, bytes, os.PathLike))


def find_index(file, index):
    """The index to use: a path, bytes, or a file object. `index` is True for the one beside the file, or the index, or None."""
    if index is True:
        if not is_path(file):
            return None
        path = os.fsdecode(file)
        return next((path + suffix for suffix in _INDEX_SUFFIXES if os.path.exists(path + suffix)), None)
    if index is None or index is False:
        return None
    if hasattr(index, "read"):
        return index
    return bytes(index) if isinstance(index, (bytes, bytearray, memoryview)) else os.fsdecode(index)


class _RawReader(io.RawIOBase):
    """The raw end of a file that is read."""

    def __init__(self, file, options, index=True, empty_is_valid=False):
        self._file = None
        self._owns = is_path(file)
        index = find_index(file, index)
        if self._owns:
            self.name = file if isinstance(file, (str, bytes)) else os.fspath(file)
            file = builtins.open(file, "rb", buffering=0)
        else:
            if not hasattr(file, "read"):
                raise TypeError(f"expected a path or a file object to read, not {type(file).__name__}")
            self.name = getattr(file, "name", "")
        try:
            self._decoder = _pzcomp.Decoder(file, self._owns, options, index, empty_is_valid)
        except BaseException:
            if self._owns:
                file.close()
            raise
        self._file = file
        self.mode = "rb"

    def readable(self):
        self._check()
        return True

    def seekable(self):
        self._check()
        return self._decoder.seekable()

    def _check(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def readinto(self, buffer):
        self._check()
        return self._decoder.readinto(buffer)

    def readall(self):
        self._check()
        return self._decoder.readall()

    def seek(self, offset, whence=io.SEEK_SET):
        self._check()
        if whence not in (io.SEEK_SET, io.SEEK_CUR, io.SEEK_END):
            raise ValueError(f"Invalid value for whence: {whence}")
        if whence == io.SEEK_SET and offset < 0:
            # Before the start is the start, as in gzip, bz2 and lzma.
            offset = 0
        return self._decoder.seek(offset, whence)

    def tell(self):
        self._check()
        return self._decoder.tell()

    def fileno(self):
        self._check()
        return self._file.fileno()

    def close(self):
        if self.closed:
            return
        try:
            if self._file is not None:
                self._decoder.close()
                if self._owns:
                    self._file.close()
        finally:
            super().close()


class _RawWriter(io.RawIOBase):
    """The raw end of a file that is written."""

    _file = None
    _is_given_up = False

    def __init__(self, file, mode, options):
        self._owns = is_path(file)
        if self._owns:
            self.name = file if isinstance(file, (str, bytes)) else os.fspath(file)
            file = builtins.open(file, mode, buffering=0)
        else:
            if not hasattr(file, "write"):
                raise TypeError(f"expected a path or a file object to write, not {type(file).__name__}")
            self.name = getattr(file, "name", "")
        try:
            # A .lzma file cannot be read before its end.
            self._can_flush = options["layout"] != "alone"
            self._encoder = _pzcomp.Encoder(file, self._owns, options)
        except BaseException:
            if self._owns:
                file.close()
            raise
        self._file = file
        self.mode = "wb"

    def writable(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return True

    def seekable(self):
        return False

    def write(self, data):
        return self._encoder.write(data)

    def flush_frame(self):
        """Writes everything so far, so that it can be read."""
        if self._can_flush:
            self._encoder.flush()
        if not self._owns and hasattr(self._file, "flush"):
            self._file.flush()

    def tell(self):
        return self._encoder.tell()

    def fileno(self):
        return self._file.fileno()

    def give_up(self):
        """Ends a file that is collected without `close`. The program did not say that its data is complete, so no reader
        may take it for the whole."""
        if self._file is None or self.closed:
            return
        if not self._encoder.is_of_parent():
            what = f"{self.name!r} was not closed, so it is left incomplete, and readers refuse it; use a with block, or close"
            _warn(what, ResourceWarning, source=self)
        self.abort()
        self.close()

    __del__ = give_up

    def abort(self):
        """Gives the stream up. `close` does not end it any more."""
        self._is_given_up = True
        self._encoder.abort()

    def close(self):
        if self.closed:
            return
        try:
            if self._file is not None:
                try:
                    if not self._is_given_up:
                        self._encoder.finish()
                finally:
                    if self._owns:
                        self._file.close()
        finally:
            super().close()


def buffered_reader(raw):
    return _fork.note(io.BufferedReader(raw, _READ_SIZE))


def buffered_writer(raw):
    return _fork.note(io.BufferedWriter(raw, _WRITE_SIZE))


class Reader(io.BufferedReader):
    """The plain data of a compressed file. `open` returns it in binary modes for reading."""

    def __init__(
        self,
        file: _types.File,
        *,
        format: _types.Read | None = None,
        threads: int | None = None,
        memory: int | None = None,
        index: _types.Index = True,
        max_output: int | None = None,
        dictionary: Dictionary | None = None,
    ) -> None:
        options = reading(format, threads, memory, max_output=max_output, dictionary=dictionary)
        super().__init__(_RawReader(file, options, index), _READ_SIZE)
        _fork.note(self)

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes from `offset` on, at most `length` of them. The position stays. Several threads can call it."""
        self.raw._check()
        return self.raw._decoder.read_at(offset, length)

    def noted_index(self) -> bytes | None:
        """An index of the places that random reads of a gzip file without an index have noted, as the bytes of a `.pzi`. None
        if they do not lead to all of the file. `open` takes it as `index`, or finds it beside the file."""
        self.raw._check()
        return self.raw._decoder.noted_index()

    def frames(self) -> list[Frame]:
        """The frames of the file, as `pzcomp.frames` returns them."""
        self.raw._check()
        return [Frame(*frame) for frame in self.raw._decoder.frames()]

    def members(self) -> list[Member]:
        """The members of the tar archive that the data is, in their order. A list in the file or in its index gives them without
        reading the data; otherwise their headers are read from the data."""
        self.raw._check()
        return [Member._of(*member) for member in self.raw._decoder.members()]


class Writer(io.BufferedWriter):
    """Compresses what is written to it. `open` returns it in binary modes for writing."""

    def __init__(
        self,
        file: _types.File,
        mode: str = "wb",
        level: int | None = None,
        *,
        format: _types.Written | None = None,
        layout: _types.Layout | None = None,
        tar: bool | None = None,
        **options: Unpack[_types.WriterOptions],
    ) -> None:
        format, layout = format_to_write(file, format, layout)
        checked = writing(format, level, layout=layout, tar=tar, **options)
        super().__init__(_RawWriter(file, mode, checked), _WRITE_SIZE)
        _fork.note(self)

    def flush(self):
        """Writes everything so far, so that it can be read. This ends a frame."""
        super().flush()
        if not self.closed and not getattr(self, "_is_closing", False):
            self.raw.flush_frame()

    def __del__(self) -> None:
        # Without this method the buffer would be written, and the stream would end as if it were complete.
        try:
            raw = self.raw
        except ValueError:
            # It was detached.
            return
        if raw is not None:
            raw.give_up()

    def abort(self) -> None:
        """Closes the file and leaves it incomplete, so that every reader refuses it."""
        if self.closed:
            return
        self.raw.abort()
        try:
            self.close()
        except ValueError:
            # There was data in the buffer, which has no place any more.
            pass

    def close(self):
        self._is_closing = True
        super().close()

    def __exit__(self, kind, error, trace):
        # After an exception the data is incomplete. No reader must take it for the whole.
        if kind is None:
            self.close()
        else:
            self.abort()


def refuse_text_options(encoding, errors, newline):
    """Binary modes have no options of text."""
    for name, value in (("encoding", encoding), ("errors", errors), ("newline", newline)):
        if value is not None:
            raise ValueError(f"Argument {name!r} not supported in binary mode")


class TextWriter(io.TextIOWrapper):
    """The text that is compressed. `open` returns it in text modes for writing."""

    def __del__(self) -> None:
        try:
            writer = self.buffer
        except ValueError:
            return
        if writer is not None:
            writer.__del__()

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        else:
            self.buffer.abort()


@overload
def open(
    file: _types.File,
    mode: _types.Reading = "rb",
    level: None = None,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    **options: Unpack[_types.ReadOptions],
) -> Reader: ...
@overload
def open(
    file: _types.File,
    mode: _types.Writing,
    level: int | None = None,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    **options: Unpack[_types.WriteOptions],
) -> Writer: ...
@overload
def open(
    file: _types.File,
    mode: _types.ReadingText,
    level: None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **options: Unpack[_types.ReadOptions],
) -> io.TextIOWrapper: ...
@overload
def open(
    file: _types.File,
    mode: _types.WritingText,
    level: int | None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **options: Unpack[_types.WriteOptions],
) -> TextWriter: ...
@overload
def open(
    file: _types.File,
    mode: str,
    level: int | None = None,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **options: Unpack[_types.OpenOptions],
) -> IO[Any]: ...
def open(
    file,
    mode="rb",
    level=None,
    encoding=None,
    errors=None,
    newline=None,
    *,
    format=None,
    threads=None,
    memory=None,
    index=True,
    max_output=None,
    dictionary=None,
    **options,
):
    """Opens a compressed file, in place of `gzip.open`, `bz2.open`, `lzma.open` and `zstandard.open`.

    `file` is a path or a file object. `mode` is `r`, `w`, `x` or `a`, with `b` (the default) or `t`. The format to read
    is recognised by the data. The format to write is `format`, or that of the suffix (`.bgz` is BGZF). A suffix of no format
    that is written is a `ValueError`. A path without a suffix and a file object without a name are written as zstd.

    Of data that begins as a tar archive, zstd, gzip and lz4 list the members, which `Reader.members` returns. `tar=False`
    leaves the list out, and with `tar=True` data that is no tar archive is an error.

    For data of others, `max_output` is the most bytes that reading in order gives; one more is a `LimitError`.
    """
    text = "t" in mode
    action = mode.replace("t", "").replace("b", "")
    if action not in ("r", "w", "x", "a") or (text and "b" in mode):
        raise ValueError(f"Invalid mode: {mode!r}")
    if not text:
        refuse_text_options(encoding, errors, newline)
    if "compresslevel" in options:
        level = options.pop("compresslevel")
    if action == "r":
        if options:
            raise TypeError(f"open() got arguments that only writing has: {', '.join(options)}")
        shared = {"format": format, "threads": threads, "memory": memory, "dictionary": dictionary}
        binary = Reader(file, index=index, max_output=max_output, **shared)
    else:
        if max_output is not None:
            raise TypeError("open() got max_output, which only reading has")
        options.update(threads=threads, memory=memory, index=bool(index), dictionary=dictionary)
        binary = Writer(file, action + "b", level, format=format, **options)
    if not text:
        return binary
    wrapper = io.TextIOWrapper if action == "r" else TextWriter
    return _fork.note(wrapper(binary, io.text_encoding(encoding), errors, newline))


from ._whole import Frame, Member  # noqa: E402  (it uses functions of this file)
