"""The functions that take a file or data as a whole."""

from __future__ import annotations

import builtins
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from . import _file, _pzcomp

if TYPE_CHECKING:
    from . import _types
    from ._context import Dictionary
    from ._types import Buffer, Unpack


class Frame(NamedTuple):
    """A frame of a compressed file, or a part of one at whose start decoding can begin."""

    coded_offset: int
    coded_length: int
    plain_offset: int
    #: None if only decoding tells. Then the frame is the last one and stands for everything that follows.
    plain_length: int | None
    #: None if only decoding tells.
    format: str | None
    #: Whether the coded bytes are a valid file by themselves.
    is_file: bool


class Member(NamedTuple):
    """A member of a tar archive."""

    name: str
    #: file, directory, symbolic link, hard link, fifo, character device, block device, or other.
    kind: str
    size: int
    mode: int
    #: Seconds since 1970.
    mtime: float
    uid: int
    gid: int
    user: str
    group: str
    #: The target of a link.
    link: str
    #: Offset of its data in the plain data.
    offset: int
    #: Whether holes of the file are not in the data. Then `Reader.read_at` of the data does not give the file.
    is_sparse: bool

    @classmethod
    def _of(cls, name, kind, size, mode, time, owners, names, link, offset, is_sparse):
        user, group, link = os.fsdecode(names[0]), os.fsdecode(names[1]), os.fsdecode(link)
        seconds = time[0] + time[1] / 1e9
        return cls(os.fsdecode(name), kind, size, mode, seconds, *owners, user, group, link, offset, is_sparse)


def compress(
    data: Buffer,
    level: int | None = None,
    *,
    format: _types.Written = "zstd",
    tar: bool | None = None,
    **options: Unpack[_types.CompressOptions],
) -> bytes:
    """The compressed form of `data`, which is anything with the buffer protocol. `tar` is that of `open`."""
    return _pzcomp.compress(data, _file.writing(format, level, tar=tar, **options))


def decompress(
    data: Buffer,
    *,
    format: _types.Read | None = None,
    threads: int | None = None,
    memory: int | None = None,
    max_output: int | None = None,
    dictionary: Dictionary | None = None,
) -> bytes:
    """The plain data of `data`. All frames in it are decompressed, whatever formats they are in.

    `max_output` is the most bytes that may come out of data of others; more are a `LimitError`.
    """
    options = _file.reading(format, threads, memory, max_output=max_output, dictionary=dictionary)
    return _pzcomp.decompress(data, options)


@contextmanager
def _opened(file):
    if _file.is_path(file):
        with builtins.open(file, "rb", buffering=0) as raw:
            yield raw, True
    else:
        yield file, False


def frames(
    file: _types.File, *, index: _types.Index = True, format: _types.Read | None = None
) -> list[Frame]:
    """The frames of a file, from its index, or from its headers as far as these state lengths. Nothing is decoded."""
    beside = _file.find_index(file, index)
    with _opened(file) as (raw, is_ours):
        found = _pzcomp.frames(raw, is_ours, _file.reading(format), beside)
    return [Frame(*frame) for frame in found]


def read_at(
    file: _types.File,
    offset: int,
    length: int,
    *,
    index: _types.Index = True,
    format: _types.Read | None = None,
    threads: int | None = None,
) -> bytes:
    """The plain bytes from `offset` on, at most `length` of them. Only the frames that hold them are decoded.

    To read several ranges, `open` the file once and call its method `read_at`.
    """
    beside = _file.find_index(file, index)
    options = _file.reading(format, threads)
    with _opened(file) as (raw, is_ours):
        return _pzcomp.read_at(raw, is_ours, options, offset, length, beside)


def write_index(
    file: _types.Path,
    to: _types.Path | None = None,
    *,
    format: Literal["pzi", "gzidx", "gzi"] = "pzi",
    interval: int = 4 << 20,
    threads: int | None = None,
) -> str:
    """Decompresses and verifies the file at the path `file`, and writes an index of it to the path `to`.

    By default `to` is `file` with the suffix of the index, where `open` finds it. `interval` is how many plain bytes are
    between two places of a gzip member at which decoding can begin. Returns the path of the index.
    """
    file = os.fsdecode(file)
    to = os.fsdecode(to) if to is not None else f"{file}.{format}"
    part = to + ".part"
    try:
        _pzcomp.write_index(file, part, _file.reading(threads=threads), format, interval)
        os.replace(part, to)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise
    return to
