"""A file system of fsspec that shows the plain data of compressed files: `pzcomp::s3://bucket/data.csv.zst`.

fsspec finds it through the entry point of the package. Lengths and ranges come from the index in a file or beside it, as
those of `pzcomp.open` do. Nothing is written through it.
"""

import io

import fsspec
from fsspec.spec import AbstractFileSystem

from . import _file, _pzcomp
from ._splits import RangeFile, find_sidecar

try:
    from fsspec.implementations.chained import ChainedFileSystem
except ImportError:
    # An older fsspec gives no path to the file system. Then there is `fo`.
    ChainedFileSystem = AbstractFileSystem


class PlainFileSystem(ChainedFileSystem):
    """The files of another file system, which is `fs`, or `target_protocol` with `target_options`.

    `index`, `format` and `threads` are those of `pzcomp.open`. The size of a file is None if only decoding tells it.
    """

    protocol = "pzcomp"

    def __init__(
        self, target_protocol=None, target_options=None, fo="", fs=None, *, index=True, format=None, threads=None, **options
    ):
        super().__init__(**options)
        self.fs = fsspec.filesystem(target_protocol or "file", **(target_options or {})) if fs is None else fs
        self._fo, self._index = fo, index
        self._reading = {"format": format, "threads": threads}

    def _path(self, path):
        return self.fs._strip_protocol(self._strip_protocol(path) or self._fo)

    def unstrip_protocol(self, name):
        return f"{self.protocol}::{self.fs.unstrip_protocol(self._path(name))}"

    def ls(self, path, detail=True, **options):
        found = self.fs.ls(self._path(path), detail=detail, **options)
        # To tell the lengths would take reads of each file; `info` does it for one.
        return [self._shown(info, None) for info in found] if detail else found

    def info(self, path, **options):
        found = self.fs.info(self._path(path), **options)
        return self._shown(found, self._length(found["name"])) if found["type"] == "file" else found

    @staticmethod
    def _shown(info, size):
        return {**info, "size": size, "coded_size": info["size"]} if info["type"] == "file" else info

    def _length(self, path):
        reading = _file.reading(self._reading["format"], 1)
        parts = _pzcomp.parts(RangeFile(self.fs, path), reading, 1 << 62, False, self._beside(path))
        lengths = [length for _, _, _, length, *_ in parts]
        return None if None in lengths else sum(lengths)

    def _beside(self, path):
        """The index beside a file, as a file object."""
        if self._index is not True:
            return RangeFile(self.fs, self._path(self._index)) if self._index else None
        beside = find_sidecar(self.fs, path, path, True, None)
        return RangeFile(self.fs, beside) if beside else None

    def exists(self, path, **options):
        return self.fs.exists(self._path(path), **options)

    def isfile(self, path):
        return self.fs.isfile(self._path(path))

    def isdir(self, path):
        return self.fs.isdir(self._path(path))

    def ukey(self, path):
        return self.fs.ukey(self._path(path))

    def created(self, path):
        return self.fs.created(self._path(path))

    def modified(self, path):
        return self.fs.modified(self._path(path))

    def invalidate_cache(self, path=None):
        self.fs.invalidate_cache(path if path is None else self._path(path))

    def _open(self, path, mode="rb", **options):
        if mode != "rb":
            raise io.UnsupportedOperation("files are only read through pzcomp::; pzcomp.open writes them")
        path = self._path(path)
        return _file.open(RangeFile(self.fs, path), index=self._beside(path), **self._reading)

    def cat_file(self, path, start=None, end=None, **options):
        """The plain bytes from `start` to `end`, which count from the end if they are negative."""
        with self._open(path) as reader:
            if start is None and end is None:
                return reader.read()
            if (start or 0) < 0 or (end or 0) < 0:
                length = reader.seek(0, io.SEEK_END)
                start, end = ((at or 0) + (length if (at or 0) < 0 else 0) for at in (start, length if end is None else end))
            start = max(start or 0, 0)
            if end is not None:
                return reader.read_at(start, max(end - start, 0))
            reader.seek(start)
            return reader.read()
