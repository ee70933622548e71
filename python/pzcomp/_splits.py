"""Splits: parts of a compressed file that different processes and machines read.

`splits` looks at the index of a file, in a few range reads, and returns a list of `Split`. A split knows which coded bytes
it needs and how they are decoded, so whoever has it reads nothing else of the file. `pzcomp.dask`, `pzcomp.ray` and
`pzcomp.distributed` are made of splits.

A split owns the records that end behind its start, up to the first one that ends at its end or behind it. So each record
belongs to one split, however long it is.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from . import _file, _pzcomp
from ._errors import DamagedError, PzcompError, TruncatedError

if TYPE_CHECKING:
    from . import _types

#: The suffixes of the indexes beside a file that lead to splits.
_SIDECARS = (".pzi", ".gzi")
#: How much of the end of a file is read first. It holds the seek table of 131,000 frames.
_TAIL_LEN = 1 << 20
#: How much of another place is read first, and at most while reading goes on there.
_STEP_LEN = 64 << 10
_STEP_MAX = 8 << 20
#: Plain bytes behind a split that are looked at first for the end of its last record.
_AHEAD_LEN = 64 << 10

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(size):
    """The number of bytes of a size such as `64 << 20` or "64 MiB". MB means 1,000,000 bytes, and M and MiB 1,048,576."""
    if isinstance(size, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?[bB]?)\s*", size)
        if not found:
            raise ValueError(f"{size!r} is not a size; write a number of bytes, or for example '64 MiB'")
        number, unit, kind = found.groups()
        factor = _UNITS[unit.upper()]
        if unit and kind in ("B", "b"):
            factor = 1000 ** "KMGT".index(unit.upper()) * 1000
        size = int(float(number) * factor)
    if size < 1:
        raise ValueError(f"a size must be at least 1 byte, not {size}")
    return int(size)


def open_store(url, storage_options=None):
    """The file system of a URL, and the path in it."""
    from fsspec.core import url_to_fs

    return url_to_fs(os.fspath(url) if isinstance(url, os.PathLike) else url, **(storage_options or {}))


def urls_of(urlpath, storage_options=None):
    """The file system, the paths and the URLs of all files that a URL with wildcards, or a list of URLs, names."""
    from fsspec.core import get_fs_token_paths

    store, _, paths = get_fs_token_paths(urlpath, mode="rb", storage_options=storage_options or {})
    if not paths:
        raise FileNotFoundError(f"no file matches {urlpath!r}")
    return store, paths, [store.unstrip_protocol(path) for path in paths]


def absolute(url):
    """The URL, or the path from the root, for processes that have other working directories."""
    url = os.fspath(url)
    return url if "://" in url or "::" in url else os.path.abspath(url)


def read_range(store, path, start, end):
    """The bytes from `start` to `end`. It is an error if the file has fewer."""
    if end <= start:
        return b""
    data = store.cat_file(path, start=start, end=end)
    if len(data) != end - start:
        raise TruncatedError(
            f"{path}: {len(data)} bytes were read from offset {start} on, expected {end - start}; the file has changed"
        )
    return data


class RangeFile(io.RawIOBase):
    """A file in a store as a file object, for the readers of indexes and headers. It makes few range reads of it."""

    def __init__(self, store, path, start=0):
        super().__init__()
        self._store, self._path = store, path
        self._size = store.info(path)["size"]
        if self._size is None:
            raise PzcompError(f"{path}: the store does not tell its length, so it cannot be split")
        self._at = start
        self._blocks = []
        self._step, self._behind = _STEP_LEN, None
        #: How many range reads there were.
        self.reads = 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._at

    def seek(self, offset, whence=io.SEEK_SET):
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size=-1):
        start = min(self._at, self._size)
        end = self._size if size is None or size < 0 else min(start + size, self._size)
        self._at = end
        if start == end:
            return b""
        for block_start, block in self._blocks:
            if block_start <= start and end <= block_start + len(block):
                return bytes(block[start - block_start : end - block_start])
        return self._fetch(start, end)[: end - start]

    def readinto(self, buffer):
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _fetch(self, start, end):
        """Reads at least these bytes, keeps what it reads, and returns it from `start` on."""
        tail = max(0, self._size - _TAIL_LEN)
        first = start
        if start >= tail:
            first, last = tail, self._size
        else:
            # Reading on makes the reads longer.
            goes_on = self._behind is not None and 0 <= start - self._behind < _TAIL_LEN
            self._step = min(2 * self._step, _STEP_MAX) if goes_on else _STEP_LEN
            last = min(max(end, start + self._step), self._size)
        block = read_range(self._store, self._path, first, last)
        self.reads += 1
        self._behind = last
        self._blocks = [(first, block)] + self._blocks[:3]
        return block[start - first :]


class _Onward(io.RawIOBase):
    """A range of a file as a stream that cannot seek."""

    def __init__(self, store, path, start, end):
        super().__init__()
        self._file = RangeFile(store, path, start)
        self._end = end

    def readable(self):
        return True

    def seekable(self):
        return False

    def tell(self):
        return self._file.tell()

    def read(self, size=-1):
        left = self._end - self._file.tell()
        return self._file.read(left if size is None or size < 0 else min(size, left))


@dataclass(frozen=True)
class Split:
    """A part of the plain data of a compressed file. It can be pickled, and read wherever the file can be reached."""

    url: str
    #: The coded bytes that are needed, as offsets in the file.
    coded_range: tuple[int, int]
    #: The plain bytes, as offsets. The end is None if only decoding tells it. Then this is the last split.
    plain_range: tuple[int, int | None]
    format: str | None
    #: None if the coded bytes are a file by themselves. Otherwise what leads to the data in them: an index of this part,
    #: the URL of the index that has its windows, and where they are.
    context: tuple[bytes, str | None, int, int] | None = field(default=None, repr=False)
    delimiter: bytes | None = None
    storage_options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    #: The length of the coded file.
    coded_length: int = 0

    @property
    def length(self) -> int | None:
        """How many plain bytes are between the edges, or None."""
        start, end = self.plain_range
        return None if end is None else end - start

    def read(self, threads: int | None = 1) -> bytes:
        """The records that belong to this split, with their delimiters. Without a delimiter, the data between its edges."""
        return self.read_records(threads)[1] if self.delimiter else self.read_plain(threads)

    def read_records(self, threads: int | None = 1) -> tuple[int, bytes]:
        """The plain offset at which the records of this split begin, and what `read` returns."""
        start, data = self._read(threads, True)
        return self.plain_range[0] + start, data

    def read_plain(self, threads: int | None = 1) -> bytes:
        """The data between the edges of this split, whatever records are there."""
        return self._read(threads, False)[1]

    def stream(self, threads: int | None = 1) -> IO[bytes]:
        """The data between the edges as a file object. It needs little memory if the split is a file by itself."""
        if self.context is not None:
            return io.BytesIO(self.read_plain(threads))
        store, path = open_store(self.url, self.storage_options)
        return self._reader(_Onward(store, path, *self.coded_range), threads)

    def _reader(self, source, threads):
        """A reader of a range of the file. Its errors have the offsets of the file."""
        options = _file.reading(self._named(), threads, start=source.tell())
        return _file.buffered_reader(_file._RawReader(source, options, None))

    def _named(self):
        # zlib is not recognised by its data.
        return self.format if self.format == "zlib" else None

    def _read(self, threads, by_records):
        """The place of the data in this split, and the data."""
        store, path = open_store(self.url, self.storage_options)
        try:
            coded = read_range(store, path, *self.coded_range)
            own = self._decode(store, coded, threads)
            if self.length is not None and len(own) != self.length:
                raise DamagedError(
                    f"the data holds {len(own)} bytes, but the index or the headers state {self.length}; decompress the "
                    "file without its index"
                )
            return self._records(own, self._behind(store, path, coded, threads)) if by_records else (0, own)
        except PzcompError as error:
            error.add_note(f"in {self.url}")
            raise

    def _decode(self, store, coded, threads):
        start = self.coded_range[0]
        if self.context is None:
            return _pzcomp.decompress(coded, _file.reading(self._named(), threads, start=start))
        return _pzcomp.read_part(coded, self._index(), _file.reading(None, threads, start=start), 0, self.length)

    def _index(self):
        front, url, start, end = self.context
        if start == end:
            return front
        store, path = open_store(url, self.storage_options)
        return front + read_range(store, path, start, end)

    def _behind(self, store, path, coded, threads):
        """The plain data behind this split, in pieces."""
        if self.length is None:
            return
        at = self.length
        if self.context is None:
            if self.coded_range[1] < self.coded_length:
                onward = _Onward(store, path, self.coded_range[1], self.coded_length)
                with self._reader(onward, 1) as reader:
                    while piece := reader.read(_AHEAD_LEN):
                        yield piece
            return
        index, reading = self._index(), _file.reading(None, threads, start=self.coded_range[0])
        size = _AHEAD_LEN
        while piece := _pzcomp.read_part(coded, index, reading, at, size):
            yield piece
            at, size = at + len(piece), 2 * size
        # The part covers one frame or restart point behind its end. The whole file has the others.
        file = RangeFile(store, path)
        url = self.context[1]
        beside = RangeFile(*open_store(url, self.storage_options)) if url else None
        decoder = _pzcomp.Decoder(file, False, _file.reading(None, threads), beside)
        at += self.plain_range[0]
        while piece := decoder.read_at(at, size):
            yield piece
            at, size = at + len(piece), min(2 * size, _STEP_MAX)

    def _records(self, own, behind):
        """The records of the split: what is between the first delimiter that begins in it and the first one behind it.
        Their place in the split is before them."""
        delimiter, length = self.delimiter, len(own)
        is_first = self.plain_range[0] == 0
        if is_first and self.length == 0:
            return 0, own
        if not is_first and own.find(delimiter) < 0:
            # A delimiter may begin at the end of this split. Otherwise no record ends here, and none begins.
            ahead = b""
            while len(ahead) < len(delimiter) - 1 and (piece := next(behind, b"")):
                ahead += piece
            edge = own[max(0, length - len(delimiter) + 1) :]
            at = (edge + ahead[: len(delimiter) - 1]).find(delimiter)
            if at < 0:
                return length, b""
            behind = _chained(ahead, behind)
        tail = bytearray()
        searched = 0
        while True:
            # The end of the last record is searched for behind this split only.
            at = tail.find(delimiter, searched)
            if at >= 0:
                del tail[at + len(delimiter) :]
                break
            searched = max(0, len(tail) - len(delimiter) + 1)
            piece = next(behind, b"")
            if not piece:
                break
            tail += piece
        start = 0
        if not is_first:
            start = own.find(delimiter)
            if start < 0:
                edge = max(0, length - len(delimiter) + 1)
                start = edge + (own[edge:] + tail).find(delimiter)
            start += len(delimiter)
        if start >= length:
            return start, bytes(tail[start - length :])
        return start, b"".join((memoryview(own)[start:], tail)) if start or tail else own


def _chained(first, rest):
    if first:
        yield first
    yield from rest


def find_sidecar(store, path, url, index, storage_options):
    """The URL of the index beside a file, or None."""
    if index is True:
        return next((url + suffix for suffix in _SIDECARS if store.exists(path + suffix)), None)
    return absolute(index) if index else None


def splits(
    url: str | os.PathLike[str],
    size: int | str = "128 MiB",
    delimiter: bytes | None = b"\n",
    *,
    storage_options: Mapping[str, Any] | None = None,
    index: bool | str | os.PathLike[str] = True,
    format: _types.Read | None = None,
) -> list[Split]:
    """Divides a compressed file into splits of at least `size` plain bytes, which different processes can read.

    `url` is a path, or a URL that fsspec knows. Where the frames are is known from the end of the file (the seek table of
    zstd, gzip and lz4; the Index of xz), from an index beside the file (`.pzi`, `.gzi`), or else from headers. A file
    that tells nothing is one split. No data is decoded here.

    With a `delimiter`, the records at the edges belong to one split each. With None the splits are cut at the edges.
    """
    url = absolute(url)
    if delimiter is not None and not delimiter:
        raise ValueError("the delimiter must have at least one byte; None cuts the splits at frames")
    size, options = parse_size(size), dict(storage_options or {})
    store, path = open_store(url, options)
    file = RangeFile(store, path)
    beside_url = find_sidecar(store, path, url, index, options)
    beside = RangeFile(*open_store(beside_url, options)) if beside_url else None
    found = []
    for start, end, plain, length, kind, is_file, front, *windows in _pzcomp.parts(
        file, _file.reading(format), size, delimiter is not None, beside
    ):
        context = None if is_file else (front, beside_url, *windows)
        plain_range = (plain, None if length is None else plain + length)
        kind = kind or format
        found.append(Split(url, (start, end), plain_range, kind, context, delimiter, options, file._size))
    return found
