"""Compresses, recompresses, decompresses and verifies large files on all machines of a cluster of Dask, Ray or Spark.

Tasks read ranges of the input and write parts of the output. The process that calls joins the parts and puts the index
behind them. The result is one file, which `zstd -d`, `gzip -d` and `pzcomp -d` read. It is there as a whole or not at all:
on S3 by a multipart upload, elsewhere by parts beside it. A task that fails or loses its machine is done again.

The machines must reach the input and the output under the same URLs, with the same version of pzcomp.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

from .. import _pzcomp
from .._errors import DamagedError, PzcompError
from .._file import format_to_write, writing as writing_options
from .._splits import absolute, open_store, parse_size, splits
from . import _engines, _stores, _tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from distributed import Client
    from pyspark.sql import SparkSession as _Session
    from typing_extensions import TypeAlias, Unpack

    from .._types import PartsOptions, Written

    _Url = str | PathLike[str]
    # A client of Dask, the address of its scheduler, "ray", a Spark session, or "spark". None is the client of Dask that
    # this process has.
    _Engine: TypeAlias = Client | _Session | str | None
    _Storage = Mapping[str, Any] | None
    _Told = Callable[[int, int | None], object] | None

    class _JobOptions(PartsOptions, total=False):
        memory: int | None

    class _CompressOptions(_JobOptions, total=False):
        index: bool

__all__ = ["Result", "compress", "decompress", "recompress", "verify"]


@dataclasses.dataclass(frozen=True)
class Result:
    """What was done."""

    #: Bytes of plain data.
    plain_length: int
    #: Bytes of the output. 0 if there is none.
    coded_length: int
    #: Tasks that have done it, without those that were done again.
    tasks: int


class _Progress:
    """Tells a caller how much is done."""

    def __init__(self, callback, total):
        self._callback, self._total, self._done = callback, total, 0
        self.add(0)

    def add(self, length):
        self._done += length
        if self._callback:
            self._callback(self._done, self._total)


def _state(url, storage_options):
    """What tells one version of a file from another."""
    store, path = open_store(url, storage_options)
    info = store.info(path)
    return info["size"], info.get("ETag") or info.get("mtime") or info.get("LastModified") or info.get("created")


def _numbers(count, most):
    """The numbers of parts that each of `count` tasks can use. The last number is left for the index."""
    each = (most - 1) // max(count, 1)
    if each < 1:
        raise ValueError(f"{count} parts are more than the {most - 1} that the store takes; choose a greater size")
    # More than a task can need would only be in the way.
    return [range(1 + each * n, 1 + each * n + min(each, 10_000)) for n in range(count)]


class _Joined:
    """Takes what the tasks have written, in the order of the input, and knows the parts of the output.

    A part may be too short for the store. The driver keeps its bytes. It puts them when there are enough of them, or has
    the next part made again with them at its start.
    """

    def __init__(self, target):
        self._target = target
        self.parts, self.frames, self.short = [], bytearray(), b""
        self.plain = self.coded = 0

    def needs_again(self, written):
        """Whether a task must be done again, because short bytes stand before its first part."""
        return bool(self.short and written.parts)

    def add(self, written, number):
        self.parts += written.parts
        self.frames += written.frames
        self.plain += written.plain
        self.coded += written.coded
        if written.short:
            self.short += written.short
        if len(self.short) >= max(self._target.minimum, 1):
            # The task has not used its last number.
            self.parts.append((number, _stores.put_again(self._target, number, self.short)))
            self.short = b""


class _Job:
    """What the functions of this package have in common: an engine, an input that must not change, and an output that
    is given up if anything fails. `dst` is None if there is no output."""

    def __init__(self, engine, src, storage_options, dst=None, dst_storage_options=None, overwrite=False):
        self.src, self.src_options = absolute(src), dict(storage_options or {})
        self.dst = None if dst is None else absolute(dst)
        self.dst_options = self.src_options if dst_storage_options is None else dict(dst_storage_options)
        if dst is not None and not overwrite:
            store, path = open_store(self.dst, self.dst_options)
            if store.exists(path):
                raise FileExistsError(f"{self.dst} exists; remove it, or overwrite it with overwrite=True (--force)")
        self._engine = _engines.engine_of(engine)
        self._state = _state(self.src, self.src_options)
        #: The bytes of the input.
        self.length = self._state[0]

    def ranges(self, size):
        """The ranges of a plain input, as sources of tasks: not more than a store takes parts."""
        size, fewest = parse_size(size), -(-self.length // (_stores.S3_PARTS_MAX - 1))
        # Each range but the last ends where a chunk ends, if the length of chunks divides that of pieces.
        if size < fewest or size > _tasks.PIECE_LEN:
            size = -(-max(size, fewest) // _tasks.PIECE_LEN) * _tasks.PIECE_LEN
        starts = range(0, self.length, size)
        return [_tasks.Plain(self.src, at, min(at + size, self.length), self.src_options) for at in starts]

    def splits(self, size, index, most=_stores.S3_PARTS_MAX):
        """The splits of a compressed input, fewer than `most`; and its plain length, or None."""
        size = parse_size(size)
        while True:
            found = splits(self.src, size, None, storage_options=self.src_options, index=index)
            if len(found) < most:
                break
            size *= 2
        lengths = [split.length for split in found]
        return found, None if None in lengths else sum(lengths)

    @contextlib.contextmanager
    def output(self, make):
        """The target that `make` makes of the output."""
        target = make(self.dst, self.dst_options)
        try:
            yield target
        except BaseException:
            target.abort()
            raise

    def run(self, function, jobs, progress):
        """Runs tasks that return the plain length of what they have done. Returns the sum."""
        plain = 0
        for _, length in _engines.run(self._engine, function, jobs):
            plain += length
            progress.add(length)
        self._check_unchanged()
        return plain

    def write(self, function, sources, arguments, target, progress):
        """Runs tasks that write the parts of a target, one for each source."""
        numbers = _numbers(len(sources), target.most)
        jobs = [(source, target, own, *arguments) for source, own in zip(sources, numbers)]
        joined, waiting, following = _Joined(target), {}, 0
        for number, written in _engines.run(self._engine, function, jobs):
            progress.add(written.plain)
            waiting[number] = written
            while (written := waiting.pop(following, None)) is not None:
                if joined.needs_again(written):
                    again = self._engine.submit(function, *jobs[following], joined.short)
                    joined.short = b""
                    self._engine.wait([again])
                    written = self._engine.result(again)
                own = numbers[following]
                joined.add(written, own[len(written.parts)] if len(written.parts) < len(own) else own[-1])
                following += 1
        self._check_unchanged()
        return joined

    def compress(self, sources, length, writing, threads, check, progress):
        """Compresses the sources to the output. `length` is the sum of their lengths, or None."""
        with self.output(_stores.parts_of) as target:
            arguments = (writing, threads, check)
            joined = self.write(_tasks.compress_part, sources, arguments, target, _Progress(progress, length))
            if length is not None and joined.plain != length:
                raise PzcompError(f"{joined.plain} bytes of {self.src} were compressed, expected {length}")
            index = _pzcomp.joined_index(joined.frames, writing)
            if not joined.coded:
                # A file without data is still a file of its format.
                index = _pzcomp.compress(b"", writing)
            target.finish(joined.parts, joined.short + index)
            return Result(joined.plain, joined.coded + len(index), len(sources))

    def _check_unchanged(self):
        if _state(self.src, self.src_options) != self._state:
            raise PzcompError(f"{self.src} has changed while it was read; the output is not kept")


def _writing(dst, level, format, options):
    """The options of an output whose parts can be joined. For another one it is an error."""
    format, layout = format_to_write(dst, format, options.pop("layout", None))
    writing = writing_options(format, level, layout=layout, **options)
    _pzcomp.joined_index(b"", writing)
    return writing


def compress(
    src: _Url,
    dst: _Url,
    level: int | None = None,
    *,
    format: Written | None = None,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    check: bool = False,
    overwrite: bool = False,
    storage_options: _Storage = None,
    dst_storage_options: _Storage = None,
    progress: _Told = None,
    **options: Unpack[_CompressOptions],
) -> Result:
    """Compresses the plain file `src` to the file `dst`. Both are paths or URLs that fsspec knows.

    `engine` is a client of Dask, the address of its scheduler, or "ray". A task compresses `size` plain bytes, or more if
    the store does not take so many parts. With `check` each task decompresses what it has compressed. `progress` is
    called with the plain bytes that are done, and with all of them. The other options are those of `pzcomp.open`.
    """
    writing = _writing(dst, level, format, options)
    job = _Job(engine, src, storage_options, dst, dst_storage_options, overwrite)
    return job.compress(job.ranges(size), job.length, writing, threads, check, progress)


def recompress(
    src: _Url,
    dst: _Url,
    level: int | None = None,
    *,
    format: Written | None = None,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    check: bool = False,
    overwrite: bool = False,
    storage_options: _Storage = None,
    dst_storage_options: _Storage = None,
    index: bool | _Url = True,
    progress: _Told = None,
    **options: Unpack[_JobOptions],
) -> Result:
    """Compresses the data of the compressed file `src` anew, to the file `dst`. The arguments are those of `compress`.

    A task takes a split of `src`. `index` is the URL of the index beside it, or True to look for one.
    """
    writing = _writing(dst, level, format, options)
    job = _Job(engine, src, storage_options, dst, dst_storage_options, overwrite)
    found, length = job.splits(size, index)
    return job.compress([_tasks.Coded(split) for split in found], length, writing, threads, check, progress)


def decompress(
    src: _Url,
    dst: _Url,
    *,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    overwrite: bool = False,
    storage_options: _Storage = None,
    dst_storage_options: _Storage = None,
    index: bool | _Url = True,
    progress: _Told = None,
) -> Result:
    """Decompresses the file `src` to the file `dst`. The arguments are those of `recompress`."""
    job = _Job(engine, src, storage_options, dst, dst_storage_options, overwrite)
    found, length = job.splits(size, index)
    told = _Progress(progress, length)
    if _stores.is_local(job.dst, job.dst_options):
        with job.output(_stores.LocalPlaces) as target:
            plain = job.run(_tasks.decompress_part, [(split, target, threads) for split in found], told)
            target.finish(plain)
    else:
        with job.output(_stores.parts_of) as target:
            sources = [_tasks.Coded(split) for split in found]
            joined = job.write(_tasks.decompress_to_parts, sources, (threads,), target, told)
            plain = joined.plain
            target.finish(joined.parts, joined.short)
    return Result(plain, job.length, len(found))


def verify(
    src: _Url,
    *,
    against: _Url | None = None,
    engine: _Engine = None,
    size: int | str = "64 MiB",
    threads: int | None = 1,
    storage_options: _Storage = None,
    index: bool | _Url = True,
    progress: _Told = None,
) -> Result:
    """Decompresses the file `src` without keeping the data. It is an error if anything in it is damaged.

    `against` is the URL of a plain file. Then all data is compared with that file.
    """
    job = _Job(engine, src, storage_options)
    against = against and absolute(against)
    found, length = job.splits(size, index, most=1 << 30)
    jobs = [(split, against, job.src_options, threads) for split in found]
    plain = job.run(_tasks.verify_part, jobs, _Progress(progress, length))
    if against is not None and (expected := _state(against, job.src_options)[0]) != plain:
        raise DamagedError(f"{job.src} holds {plain} bytes, but {against} has {expected}")
    return Result(plain, job.length, len(jobs))
