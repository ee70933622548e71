"""Tables of compressed CSV and JSON lines as readers of Arrow, for DuckDB, Polars, pandas and others.

    import duckdb, pzcomp.arrow

    trips = pzcomp.arrow.csv("s3://bucket/trips.csv.gz")
    duckdb.sql("SELECT zone, sum(fare) FROM trips GROUP BY zone")

All cores decompress and parse splits of the file (`pzcomp.splits`). The rows come in the order of the file, and some
splits are in memory at a time.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pyarrow

from . import _tables
from ._records import Cutter, RecordError, blocks, is_long, naming
from ._splits import absolute, parse_size, splits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import TypeAlias, Unpack

    from ._types import DialectOptions, Read

    _Url = str | os.PathLike[str]
    # A schema, or the types of columns or the names of types.
    _Schema: TypeAlias = pyarrow.Schema | Mapping[str, pyarrow.DataType | str] | None

__all__ = ["RecordError", "csv", "json"]


class _Pool:
    """Threads that work ahead of a reader: on as many tasks as there are threads, and one more."""

    def __init__(self, threads):
        self._pool = ThreadPoolExecutor(threads, "pzcomp")
        self._ahead = threads + 1

    def map(self, function, jobs):
        """The results of a function for each tuple of arguments, in their order."""
        running = deque()
        try:
            for job in jobs:
                running.append(self._pool.submit(function, *job))
                if len(running) > self._ahead:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()

    def close(self):
        self._pool.shutdown(wait=False, cancel_futures=True)


def _plain(pool, found, size, threads):
    """The data of all splits in their order, in blocks."""
    jobs = ((split,) for split in found if not is_long(split))
    decoded = pool.map(_read_plain, jobs)
    for split in found:
        if is_long(split):
            yield from blocks(split, size, threads)
        else:
            yield next(decoded)


def _read_plain(split):
    return split.read_plain(1)


def _pieces(pool, records, found, size, threads):
    cutter = Cutter(records)
    for block in _plain(pool, found, size, threads):
        yield cutter.add(block)
    yield cutter.finish()


def _batches(layout, found, size, threads):
    pool = _Pool(threads)
    try:
        with naming(found[0].url):
            for rows in pool.map(layout.batches, _pieces(pool, layout.records, found, size, threads)):
                yield from rows
    finally:
        pool.close()


def _reader(layout, url, how, size, threads, index):
    size = parse_size(size)
    threads = threads or len(os.sched_getaffinity(0))
    found = splits(url, size, None, index=index, **how)
    return pyarrow.RecordBatchReader.from_batches(layout.schema, _batches(layout, found, size, threads))


def csv(
    url: _Url,
    schema: _Schema = None,
    *,
    columns: Sequence[str] | None = None,
    multiline: bool = True,
    size: int | str = "8 MiB",
    threads: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
    format: Read | None = None,
    index: bool | _Url = True,
    **dialect: Unpack[DialectOptions],
) -> pyarrow.RecordBatchReader:
    """The rows of a compressed CSV file as a `pyarrow.RecordBatchReader`, which can be read once.

    `schema` is a schema of Arrow, or a mapping of names to types. With a header it names the columns that are read;
    without one, all columns of the file in their order. Without a schema the types are those of the first 8 MiB. A later
    value that does not fit is a `RecordError` with its offset.

    The dialect is `header=True`, `delimiter=","`, `quote='"'` and `nulls=("",)`. `quote` is None if quotes have no meaning.
    `nulls` are the values, outside of quotes, that mean that there is none. Values in quotes may have line breaks, unless
    `multiline` is False. Some pieces of about `size` plain bytes, more than there are threads, are in memory at a time.
    """
    url, how = absolute(url), {"storage_options": storage_options, "format": format}
    layout = _tables.csv(
        url, schema, _tables.Dialect(**dialect), multiline=multiline, columns=columns, **how, threads=threads
    )
    return _reader(layout, url, how, size, threads, index)


def json(
    url: _Url,
    schema: _Schema = None,
    *,
    columns: Sequence[str] | None = None,
    size: int | str = "8 MiB",
    threads: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
    format: Read | None = None,
    index: bool | _Url = True,
) -> pyarrow.RecordBatchReader:
    """The objects of a compressed file of JSON lines as a `pyarrow.RecordBatchReader`. The arguments are those of `csv`.

    Members that a given schema does not name are left out. Without a schema, a member that is not in the first 8 MiB is a
    `RecordError`.
    """
    url, how = absolute(url), {"storage_options": storage_options, "format": format}
    layout = _tables.json(url, schema, columns=columns, **how, threads=threads)
    return _reader(layout, url, how, size, threads, index)
