"""Compresses, recompresses, decompresses and verifies large files on all machines of a Dask or Ray cluster.

Tasks read ranges of the input and write parts of the output. The process that calls joins the parts and puts the index
behind them. The result is one file, which `zstd -d`, `gzip -d` and `pzcomp -d` read. It is there as a whole or not at all:
on S3 by a multipart upload, elsewhere by parts beside it. A task that fails or loses its machine is done again.

The machines must reach the input and the output under the same URLs, with the same version of pzcomp.
"""

import dataclasses

from .. import _pzcomp
from .._errors import DamagedError, PzcompError
from .._file import format_of_path, writing as writing_options
from .._splits import absolute, open_store, parse_size, splits
from . import _engines, _stores, _tasks

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


def _check_unchanged(url, storage_options, before):
    if _state(url, storage_options) != before:
        raise PzcompError(f"{url} has changed while it was read; the output is not kept")


def _check_output(url, storage_options, overwrite):
    store, path = open_store(url, storage_options)
    if store.exists(path) and not overwrite:
        raise FileExistsError(f"{url} exists; remove it or give overwrite=True")


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


def _write(engine, function, jobs, target, progress):
    """Runs tasks that write parts. A job is a source, the numbers of its parts, and other arguments."""
    joined = _Joined(target)
    arguments = [(source, target, numbers, *rest) for source, numbers, rest in jobs]
    waiting, following = {}, 0
    for number, written in _engines.run(engine, function, arguments):
        progress.add(written.plain)
        waiting[number] = written
        while (written := waiting.pop(following, None)) is not None:
            numbers = arguments[following][2]
            if joined.needs_again(written):
                again = engine.submit(function, *arguments[following], joined.short)
                joined.short = b""
                engine.wait([again])
                written = engine.result(again)
            joined.add(written, numbers[len(written.parts)] if len(written.parts) < len(numbers) else numbers[-1])
            following += 1
    return joined


def _sources(src, size, storage_options):
    """The ranges of a plain file, as sources of tasks."""
    store, path = open_store(src, storage_options)
    length = store.info(path)["size"]
    # Each range but the last ends where a chunk ends, if the length of chunks divides that of pieces.
    size = -(-size // _tasks.PIECE_LEN) * _tasks.PIECE_LEN if size > _tasks.PIECE_LEN else size
    starts = range(0, length, size)
    return length, [_tasks.Plain(src, start, min(start + size, length), storage_options) for start in starts]


def _size_for(length, size, most):
    """The plain bytes of a task, so that there are not more tasks than parts."""
    size = parse_size(size)
    fewest = -(-length // (most - 1))
    return size if size >= fewest else -(-fewest // _tasks.PIECE_LEN) * _tasks.PIECE_LEN


def compress(
    src,
    dst,
    level=None,
    *,
    format=None,
    engine=None,
    size="64 MiB",
    threads=1,
    check=False,
    overwrite=False,
    storage_options=None,
    dst_storage_options=None,
    progress=None,
    **options,
):
    """Compresses the plain file `src` to the file `dst`. Both are paths or URLs that fsspec knows.

    `engine` is a client of Dask, the address of its scheduler, or "ray". A task compresses `size` plain bytes, or more if
    the store does not take so many parts. With `check` each task decompresses what it has compressed. `progress` is
    called with the plain bytes that are done, and with all of them. The other options are those of `pzcomp.open`.
    """
    src, dst = absolute(src), absolute(dst)
    from_options, to_options = _both(storage_options, dst_storage_options)
    format = format or format_of_path(dst) or "zstd"
    writing = writing_options(format, level, **options)
    _pzcomp.joined_index(b"", writing)  # This format can be joined, or that is an error.
    _check_output(dst, to_options, overwrite)
    engine = _engines.engine_of(engine)
    before = _state(src, from_options)
    target = _stores.parts_of(dst, to_options)
    try:
        size = _size_for(before[0], size, min(target.most, _stores.S3_PARTS_MAX))
        length, sources = _sources(src, size, from_options)
        numbers = _numbers(len(sources), target.most)
        jobs = [(source, number, (writing, threads, check)) for source, number in zip(sources, numbers)]
        joined = _write(engine, _tasks.compress_part, jobs, target, _Progress(progress, length))
        if joined.plain != length:
            raise PzcompError(f"{joined.plain} bytes of {src} were compressed, expected {length}")
        _check_unchanged(src, from_options, before)
        return _finish(target, joined, writing, len(jobs))
    except BaseException:
        target.abort()
        raise


def recompress(
    src,
    dst,
    level=None,
    *,
    format=None,
    engine=None,
    size="64 MiB",
    threads=1,
    check=False,
    overwrite=False,
    storage_options=None,
    dst_storage_options=None,
    index=True,
    progress=None,
    **options,
):
    """Compresses the data of the compressed file `src` anew, to the file `dst`. The arguments are those of `compress`.

    A task takes a split of `src`. `index` is the URL of the index beside it, or True to look for one.
    """
    src, dst = absolute(src), absolute(dst)
    from_options, to_options = _both(storage_options, dst_storage_options)
    format = format or format_of_path(dst) or "zstd"
    writing = writing_options(format, level, **options)
    _pzcomp.joined_index(b"", writing)
    _check_output(dst, to_options, overwrite)
    engine = _engines.engine_of(engine)
    before = _state(src, from_options)
    found, length = _splits_for(src, size, _stores.S3_PARTS_MAX, from_options, index)
    target = _stores.parts_of(dst, to_options)
    try:
        numbers = _numbers(len(found), target.most)
        jobs = [(_tasks.Coded(split), number, (writing, threads, check)) for split, number in zip(found, numbers)]
        joined = _write(engine, _tasks.compress_part, jobs, target, _Progress(progress, length))
        _check_unchanged(src, from_options, before)
        return _finish(target, joined, writing, len(jobs))
    except BaseException:
        target.abort()
        raise


def decompress(
    src,
    dst,
    *,
    engine=None,
    size="64 MiB",
    threads=1,
    overwrite=False,
    storage_options=None,
    dst_storage_options=None,
    index=True,
    progress=None,
):
    """Decompresses the file `src` to the file `dst`. The arguments are those of `recompress`."""
    src, dst = absolute(src), absolute(dst)
    from_options, to_options = _both(storage_options, dst_storage_options)
    _check_output(dst, to_options, overwrite)
    engine = _engines.engine_of(engine)
    before = _state(src, from_options)
    found, length = _splits_for(src, size, _stores.S3_PARTS_MAX, from_options, index)
    progress = _Progress(progress, length)
    is_local = _stores.is_local(dst, to_options)
    target = _stores.LocalPlaces(dst, to_options) if is_local else _stores.parts_of(dst, to_options)
    try:
        if is_local:
            plain = 0
            jobs = [(split, target, threads) for split in found]
            for _, length in _engines.run(engine, _tasks.decompress_part, jobs):
                plain += length
                progress.add(length)
            _check_unchanged(src, from_options, before)
            target.finish(plain)
        else:
            numbers = _numbers(len(found), target.most)
            jobs = [(_tasks.Coded(split), number, (threads,)) for split, number in zip(found, numbers)]
            joined = _write(engine, _tasks.decompress_to_parts, jobs, target, progress)
            plain = joined.plain
            _check_unchanged(src, from_options, before)
            target.finish(joined.parts, joined.short)
        return Result(plain, before[0], len(jobs))
    except BaseException:
        target.abort()
        raise


def verify(
    src, *, against=None, engine=None, size="64 MiB", threads=1, storage_options=None, index=True, progress=None
):
    """Decompresses the file `src` without keeping the data. It is an error if anything in it is damaged.

    `against` is the URL of a plain file. Then all data is compared with that file.
    """
    src = absolute(src)
    against = against and absolute(against)
    from_options = dict(storage_options or {})
    engine = _engines.engine_of(engine)
    before = _state(src, from_options)
    found, length = _splits_for(src, size, 1 << 30, from_options, index)
    report, plain = _Progress(progress, length), 0
    jobs = [(split, against, from_options, threads) for split in found]
    for _, length in _engines.run(engine, _tasks.verify_part, jobs):
        plain += length
        report.add(length)
    _check_unchanged(src, from_options, before)
    if against is not None and (expected := _state(against, from_options)[0]) != plain:
        raise DamagedError(f"{src} holds {plain} bytes, but {against} has {expected}")
    return Result(plain, before[0], len(jobs))


def _both(storage_options, dst_storage_options):
    """The options of the store that is read, and of the one that is written."""
    source = dict(storage_options or {})
    return source, source if dst_storage_options is None else dict(dst_storage_options)


def _splits_for(src, size, most, storage_options, index):
    """The splits of a file, not more than a store takes parts; and its plain length, or None."""
    size = parse_size(size)
    while True:
        found = splits(src, size, None, storage_options=storage_options, index=index)
        if len(found) < most:
            break
        size *= 2
    lengths = [split.length for split in found]
    return found, None if None in lengths else sum(lengths)


def _finish(target, joined, writing, tasks):
    """Completes the output."""
    tail = joined.short + _pzcomp.joined_index(joined.frames, writing)
    if not joined.coded:
        # A file without data is still a file of its format.
        tail = _pzcomp.compress(b"", writing)
    index_length = len(tail) - len(joined.short)
    target.finish(joined.parts, tail)
    return Result(joined.plain, joined.coded + index_length, tasks)
