"""Ray Data reads compressed files in splits: `read_text` and `read_binary` in place of those of `ray.data`.

Each split of a file (`pzcomp.splits`) is read by one task, or several short ones are. Making the tasks reads only
indexes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pyarrow
import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from ._splits import splits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from ray.data import Dataset

    from ._types import Read

    _Urls = str | PathLike[str] | Sequence[str | PathLike[str]]

__all__ = ["SplitDatasource", "read_binary", "read_text"]

#: A block of Ray gets about this many bytes of rows.
_BLOCK_LEN = 32 << 20


class SplitDatasource(Datasource):
    """Rows of compressed files. `rows` makes a table of the bytes of a split."""

    def __init__(
        self,
        urls: _Urls,
        rows: Callable[[bytes], Iterable[pyarrow.Table]],
        *,
        size: int | str,
        delimiter: bytes | None,
        storage_options: Mapping[str, Any] | None = None,
        format: Read | None = None,
        index: bool | str | PathLike[str] = True,
        threads: int | None = 1,
    ) -> None:
        super().__init__()
        urls = [urls] if isinstance(urls, (str, os.PathLike)) else list(urls)
        self._rows, self._threads = rows, threads
        self._splits = [
            split
            for url in urls
            for split in splits(
                url, size, delimiter, storage_options=storage_options, format=format, index=index
            )
        ]

    def get_name(self) -> str:
        return "Pzcomp"

    def estimate_inmemory_data_size(self) -> int | None:
        lengths = [split.length for split in self._splits]
        return None if None in lengths else sum(lengths)

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        return [self._task(split, per_task_row_limit) for split in self._splits]

    def _task(self, split, limit):
        rows, threads = self._rows, self._threads

        def read():
            yield from rows(split.read(threads))

        # One block stands for one split, whose rows nobody has counted.
        metadata = BlockMetadata(num_rows=None, size_bytes=split.length, exec_stats=None, input_files=(split.url,))
        return ReadTask(read, metadata, per_task_row_limit=limit)


class _Text:
    """A table with a row for each line."""

    def __init__(self, encoding, drop_empty_lines):
        self._encoding, self._drops = encoding, drop_empty_lines

    def __call__(self, data):
        lines = data.decode(self._encoding).splitlines()
        if self._drops:
            lines = [line for line in lines if line.strip()]
        yield from _tables("text", lines, pyarrow.string(), len(data))


class _Binary:
    """A table with a row for each record, or one row."""

    def __init__(self, delimiter):
        self._delimiter = delimiter

    def __call__(self, data):
        if self._delimiter is None:
            records = [data]
        else:
            records = data.split(self._delimiter)
            # Behind the last delimiter is no record.
            if not records[-1]:
                records.pop()
        yield from _tables("bytes", records, pyarrow.large_binary(), len(data))


def _tables(name, rows, kind, length):
    if not rows:
        yield pyarrow.table({name: pyarrow.array([], kind)})
        return
    count = max(1, len(rows) * _BLOCK_LEN // max(length, 1))
    for at in range(0, len(rows), count):
        yield pyarrow.table({name: pyarrow.array(rows[at : at + count], kind)})


def _dataset(source, override_num_blocks, ray_options):
    return ray.data.read_datasource(source, override_num_blocks=override_num_blocks, **ray_options)


def read_text(
    urls: _Urls,
    *,
    encoding: str = "utf-8",
    drop_empty_lines: bool = True,
    size: int | str = "128 MiB",
    storage_options: Mapping[str, Any] | None = None,
    format: Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    override_num_blocks: int | None = None,
    **ray_options: Any,
) -> Dataset:
    """The lines of compressed text files as a `ray.data.Dataset` with the column `text`, as `ray.data.read_text` gives
    them of other files. A split has at least `size` plain bytes."""
    if "\n".encode(encoding) != b"\n":
        raise ValueError(f"in the encoding {encoding!r} the bytes of a line end can be part of other characters")
    rows = _Text(encoding, drop_empty_lines)
    source = SplitDatasource(
        urls, rows, size=size, delimiter=b"\n", storage_options=storage_options, format=format, index=index, threads=threads
    )
    return _dataset(source, override_num_blocks, ray_options)


def read_binary(
    urls: _Urls,
    *,
    delimiter: bytes | None = None,
    size: int | str = "128 MiB",
    storage_options: Mapping[str, Any] | None = None,
    format: Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    override_num_blocks: int | None = None,
    **ray_options: Any,
) -> Dataset:
    """The data of compressed files as a `ray.data.Dataset` with the column `bytes`: a row for each split in the order of
    the file; or with a `delimiter` a row for each record, without its delimiter."""
    source = SplitDatasource(
        urls,
        _Binary(delimiter),
        size=size,
        delimiter=delimiter,
        storage_options=storage_options,
        format=format,
        index=index,
        threads=threads,
    )
    return _dataset(source, override_num_blocks, ray_options)
