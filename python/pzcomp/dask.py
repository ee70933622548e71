"""Dask reads compressed files in blocks: `read_bytes` and `read_text` in place of those of `dask.bytes` and `dask.bag`, and
`read_csv` in place of that of `dask.dataframe`.

Each block is one split of a file (`pzcomp.splits`) and is read by one task. Making the blocks reads only indexes.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal, overload

from dask import delayed
from dask.bag import from_delayed, from_sequence
from dask.base import tokenize
from dask.utils import parse_bytes

from . import _file
from ._splits import _AHEAD_LEN, RangeFile, splits, urls_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import pyarrow
    from dask.bag import Bag
    from dask.dataframe import DataFrame
    from dask.delayed import Delayed

    from ._types import DialectOptions, Read, Unpack

    _Urls = str | PathLike[str] | list[str]
    _Sample = int | str | Literal[False]
    _Blocks = tuple[bytes | Literal[False], list[list[Delayed]]]

__all__ = ["read_bytes", "read_csv", "read_text"]


def _read(split, threads):
    return split.read(threads)


@overload
def read_bytes(
    urlpath: _Urls,
    delimiter: bytes | None = None,
    blocksize: int | str = "128 MiB",
    sample: _Sample = "10 kiB",
    include_path: Literal[False] = False,
    *,
    format: Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    **storage_options: Any,
) -> _Blocks: ...
@overload
def read_bytes(
    urlpath: _Urls,
    delimiter: bytes | None = None,
    blocksize: int | str = "128 MiB",
    sample: _Sample = "10 kiB",
    *,
    include_path: Literal[True],
    format: Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    **storage_options: Any,
) -> tuple[bytes | Literal[False], list[list[Delayed]], list[str]]: ...
def read_bytes(
    urlpath,
    delimiter=None,
    blocksize="128 MiB",
    sample="10 kiB",
    include_path=False,
    *,
    format=None,
    index=True,
    threads=1,
    **storage_options,
):
    """Blocks of compressed files, as `dask.bytes.read_bytes` gives them of other files.

    Returns a sample of the first file, and a list of lists of delayed bytes; with `include_path` the paths too. A block
    has at least `blocksize` plain bytes. With a `delimiter` it begins behind one, and ends behind one.
    """
    store, paths, urls = urls_of(urlpath, storage_options)
    read = delayed(_read, pure=True)
    blocks = []
    for path, url in zip(paths, urls):
        found = splits(
            url, blocksize, delimiter, storage_options=storage_options, index=index, format=format
        )
        token = tokenize(url, delimiter, blocksize, store.ukey(path), format, index)
        blocks.append(
            [read(split, threads, dask_key_name=f"pzcomp-{n}-{token}") for n, split in enumerate(found)]
        )
    head = _sample(store, paths[0], parse_bytes(sample), delimiter, format) if sample else sample
    return (head, blocks, paths) if include_path else (head, blocks)


def _sample(store, path, size, delimiter, format):
    """The first bytes of a file, up to the end of a record."""
    with _file.open(RangeFile(store, path), "rb", format=format, threads=1) as reader:
        head = reader.read(size)
        if not delimiter:
            return head
        searched = max(0, len(head) - len(delimiter) + 1)
        while (at := head.find(delimiter, searched)) < 0:
            more = reader.read(_AHEAD_LEN)
            if not more:
                return head
            searched = max(0, len(head) - len(delimiter) + 1)
            head += more
        return head[: at + len(delimiter)]


def _lines(split, threads, encoding, errors, delimiter, path):
    text = split.read(threads).decode(encoding, errors)
    if delimiter in (None, "", "\n", "\r", "\r\n"):
        lines = list(io.StringIO(text, newline=delimiter))
    else:
        lines = [line + delimiter for line in text.split(delimiter)]
        # What is behind the last delimiter has none.
        last = lines.pop()[: -len(delimiter)]
        if last:
            lines.append(last)
    return lines if path is None else [(line, path) for line in lines]


@overload
def read_text(
    urlpath: _Urls,
    blocksize: int | str = "128 MiB",
    encoding: str = "utf-8",
    errors: str = "strict",
    linedelimiter: str | None = None,
    collection: Literal[True] = True,
    storage_options: dict[str, Any] | None = None,
    include_path: bool = False,
    *,
    format: Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
) -> Bag: ...
@overload
def read_text(
    urlpath: _Urls,
    blocksize: int | str = "128 MiB",
    encoding: str = "utf-8",
    errors: str = "strict",
    linedelimiter: str | None = None,
    *,
    collection: Literal[False],
    storage_options: dict[str, Any] | None = None,
    include_path: bool = False,
    format: Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
) -> list[Delayed]: ...
def read_text(
    urlpath,
    blocksize="128 MiB",
    encoding="utf-8",
    errors="strict",
    linedelimiter=None,
    collection=True,
    storage_options=None,
    include_path=False,
    *,
    format=None,
    index=True,
    threads=1,
):
    """The lines of compressed text files as a `dask.bag.Bag`, as `dask.bag.read_text` gives them of other files.

    Lines keep their ends. Without `collection` it returns a list of delayed lists.
    """
    delimiter = (linedelimiter or "\n").encode(encoding)
    if (linedelimiter or "\n").isascii() and delimiter != (linedelimiter or "\n").encode("ascii"):
        raise ValueError(
            f"in the encoding {encoding!r} the bytes of a line end can be part of other characters; read the file as "
            "one block, with pzcomp.open(file, 'rt')"
        )
    _, paths, urls = urls_of(urlpath, storage_options)
    lines = delayed(_lines)
    blocks = []
    for path, url in zip(paths, urls):
        for split in splits(
            url, blocksize, delimiter, storage_options=storage_options, index=index, format=format
        ):
            blocks.append(lines(split, threads, encoding, errors, linedelimiter, path if include_path else None))
    if not collection:
        return blocks
    return from_delayed(blocks) if blocks else from_sequence([], npartitions=1)


def _frame(part, threads, states):
    import pandas
    import pyarrow

    from . import _tables

    layout, split = part
    table = pyarrow.Table.from_batches(_tables.rows(layout, split, threads), layout.schema)
    return table.to_pandas(types_mapper=pandas.ArrowDtype)


def read_csv(
    urlpath: _Urls,
    blocksize: int | str = "128 MiB",
    schema: pyarrow.Schema | Mapping[str, pyarrow.DataType | str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    storage_options: dict[str, Any] | None = None,
    format: Read | None = None,
    index: bool | str | PathLike[str] = True,
    threads: int | None = 1,
    **dialect: Unpack[DialectOptions],
) -> DataFrame:
    """The rows of compressed CSV files as a `dask.dataframe.DataFrame` with types of Arrow, a partition for each split.

    The arguments, and the dialect, are those of `pzcomp.arrow.csv`. Types that are not given are those of the first 8 MiB of
    the first file. A value that does not fit is an error with its offset, and so is a line break inside quotes.
    """
    from . import _tables

    # A wrong argument is an error also where an import fails.
    checked = _tables.Dialect(**dialect)
    import dask.dataframe
    import pandas

    opening = {"storage_options": storage_options, "format": format}
    store, paths, urls = urls_of(urlpath, storage_options)

    def layout_of(url, schema):
        return _tables.csv(url, schema, checked, **opening)

    found = list(_tables.parts(urls, layout_of, schema, blocksize, columns=columns, index=index, **opening))
    meta = found[0][0].schema.empty_table().to_pandas(types_mapper=pandas.ArrowDtype)
    # A file that has changed gives other tasks.
    states = [store.ukey(path) for path in paths]
    return dask.dataframe.from_map(_frame, found, threads=threads, states=states, meta=meta, enforce_metadata=False)
